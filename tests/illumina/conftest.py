"""Databases of the engine's tests: one is migrated, all others are copies of it."""

from __future__ import annotations

import itertools
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
import pytest
from hypothesis import settings

from illumina import Memory
from illumina.models.llm.recorder import Recorder
from illumina.retain.llm.extractor import LlmExtractor
from tests.clock import ManualClock
from tests.illumina.models.llm.clients import client
from tests.illumina.models.llm.server import ModelServer
from tests.illumina.retain.llm.answers import NOON, Extract
from tests.support import HashingEmbedder, wipe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from illumina.models.llm.base import LanguageModel
    from illumina.models.llm.recorder import Replay
    from illumina.store.database import Database
    from illumina.store.embedded import EmbeddedServer

# Machines are busy, and a database answers when it answers.
settings.register_profile("illumina", deadline=None, max_examples=60)
settings.load_profile("illumina")

_numbers = itertools.count()


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture(scope="session")
def template(server: EmbeddedServer) -> str:
    """The name of a migrated database that is pinned to `HashingEmbedder()`; nobody is connected to it."""
    name = f"template_{os.getpid()}"
    server.create_database(name)
    Memory.open(server.dsn(name), embedder=HashingEmbedder(), extractor="verbatim").close()
    return name


@pytest.fixture(scope="session")
def shelf() -> list[str]:
    """Copies that were used and wiped: taking one is ten times as quick as making one."""
    return []


@contextmanager
def _wiped(server: EmbeddedServer, template: str, shelf: list[str]) -> Iterator[str]:
    if shelf:
        name = shelf.pop()
    else:
        name = f"copy_{os.getpid()}_{next(_numbers)}"
        server.create_database(name, template=template)
    yield server.dsn(name)
    try:
        wipe(server.dsn(name))
    except psycopg.errors.LockNotAvailable:  # a test that failed left a transaction open
        server.drop_database(name)
    else:
        shelf.append(name)


@pytest.fixture
def dsn(server: EmbeddedServer, template: str, shelf: list[str]) -> Iterator[str]:
    """A migrated database for this test alone; the test may fill it, but not alter it."""
    with _wiped(server, template, shelf) as found:
        yield found


@pytest.fixture
def other_dsn(server: EmbeddedServer, template: str, shelf: list[str]) -> Iterator[str]:
    """A second one, to compare with."""
    with _wiped(server, template, shelf) as found:
        yield found


@pytest.fixture
def own_dsn(server: EmbeddedServer, template: str) -> Iterator[str]:
    """A migrated database that this test may alter as it likes."""
    name = f"copy_{os.getpid()}_{next(_numbers)}"
    server.create_database(name, template=template)
    yield server.dsn(name)
    server.drop_database(name)


@pytest.fixture(scope="module")
def module_dsn(server: EmbeddedServer, template: str) -> Iterator[str]:
    """A migrated database that the tests of one module share."""
    name = f"copy_{os.getpid()}_{next(_numbers)}"
    server.create_database(name, template=template)
    yield server.dsn(name)
    server.drop_database(name)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def memory(dsn: str, embedder: HashingEmbedder, clock: ManualClock) -> Iterator[Memory]:
    """A memory of this test's own; `dsn` is its database, `embedder` its model, `clock` its clock."""
    with Memory.open(dsn, embedder=embedder, clock=clock, extractor="verbatim") as opened:
        yield opened


@pytest.fixture
def shared(module_dsn: str, embedder: HashingEmbedder) -> Iterator[Memory]:
    """A memory in the module's database; tests keep apart by their `namespace`."""
    with Memory.open(module_dsn, embedder=embedder, extractor="verbatim") as opened:
        yield opened


@pytest.fixture
def namespace(request: pytest.FixtureRequest) -> str:
    """A namespace of this test's own."""
    return str(request.node.nodeid)[-200:]


@pytest.fixture(scope="session")
def _model_server() -> Iterator[ModelServer]:
    with ModelServer().running() as server:
        yield server


@pytest.fixture
def model_server(_model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    """The APIs of language models on loopback, for this test alone; nothing of the machine's own settings gets to it."""
    for name in ("API_KEY", "AUTH_TOKEN", "BASE_URL", "PROFILE", "ORG_ID", "PROJECT_ID", "CUSTOM_HEADERS"):
        for provider in ("ANTHROPIC", "OPENAI"):
            monkeypatch.delenv(f"{provider}_{name}", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    _model_server.clear()
    return _model_server


@pytest.fixture
def extractor(memory: Memory, model_server: ModelServer) -> Extract:
    """Makes extractors for a namespace of this test's memory that ask the server on loopback."""

    def make(
        namespace: str = "acme",
        provider: str = "anthropic",
        *,
        replay: Replay = "record",
        model: LanguageModel | None = None,
        database: Database | None = None,
    ) -> LlmExtractor:
        asked = model or client(provider, model_server)
        return LlmExtractor(Recorder(database or memory._database, namespace, asked, clock=ManualClock(NOON), replay=replay))

    return make
