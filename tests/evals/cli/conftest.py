from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.evals.cli.support import SUITE

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def suite(mini_directory: Path) -> Path:
    """A suite of three documents."""
    path = mini_directory.parent / "mini.toml"
    path.write_text(SUITE)
    return path
