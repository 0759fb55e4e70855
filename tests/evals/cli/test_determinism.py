from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.evals.cli.support import invoke

if TYPE_CHECKING:
    from pathlib import Path

    from illumina.store.embedded import EmbeddedServer


def test_determinism_prints_a_line_for_each_level(suite: Path, server: EmbeddedServer) -> None:
    result = invoke("determinism", str(suite), "--postgres", server.dsn("postgres"))
    assert result.exit_code == 0, result.output
    assert len(re.findall(r"^L[123] .* identical  3 responses  [0-9a-f]{12}$", result.output, re.MULTILINE)) == 3
