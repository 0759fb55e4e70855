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


@pytest.fixture
def server_directory() -> Iterator[Path]:
    """A directory in which a server can be started; root's ``tmp_path`` is closed to the server's user."""
    parent = Path(tempfile.mkdtemp(prefix="illumina-test-", dir=SERVERS))
    parent.chmod(0o755)
    yield parent / "home"
    shutil.rmtree(parent, ignore_errors=True)


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    """The throwaway server of this test run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(SERVERS))
        started = EmbeddedServer.start(throwaway=True)
    with started:
        yield started


@pytest.fixture
def database(server: EmbeddedServer) -> Iterator[str]:
    """The DSN of an empty database of this test's own."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    server.create_database(name)
    yield server.dsn(name)
    server.drop_database(name)
