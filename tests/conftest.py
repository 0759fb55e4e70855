"""What several tests share: a directory that a server may live in, and servers that are thrown away."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from illumina.store.embedded import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Iterator

# In memory where there is plenty: many databases are made and dropped, and a shared disk is slow at that.
SHM = Path("/dev/shm")
SERVERS = SHM if SHM.is_dir() and shutil.disk_usage(SHM).free > 4e9 else Path("/tmp")
_numbers = itertools.count()

LONGEST = (
    "test_inputs.py", "test_seeded_faults.py", "test_pipeline.py", "test_faults.py", "test_runs.py", "test_journal.py",
    "test_notebooks.py", "test_resolve.py", "test_packaging.py", "test_track.py", "test_states.py", "test_reconciling.py",
)  # fmt: skip
"""Files that take longer than ten seconds, the longest first; where one stands only matters for how long the whole takes."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest: a process that is handed it last works while the others have nothing left to do."""
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))


@pytest.fixture
def server_directory() -> Iterator[Path]:
    """A directory in which a server can be started; root's ``tmp_path`` is closed to the server's user."""
    parent = Path(tempfile.mkdtemp(prefix="illumina-test-", dir=SERVERS))
    parent.chmod(0o755)
    yield parent / "home"
    shutil.rmtree(parent, ignore_errors=True)


def throwaway_server() -> EmbeddedServer:
    """A server that deletes itself when it is closed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(SERVERS))
        return EmbeddedServer.start(throwaway=True)


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    """The throwaway server of this test run."""
    with throwaway_server() as started:
        yield started


@pytest.fixture
def database(server: EmbeddedServer) -> Iterator[str]:
    """The DSN of an empty database of this test's own."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    server.create_database(name)
    yield server.dsn(name)
    server.drop_database(name)
