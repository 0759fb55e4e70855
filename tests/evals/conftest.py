"""A corpus of a few documents and a provider on the test run's own server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from evals import corpora
from evals.postgres import open_provider

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from evals.postgres import PostgresProvider
    from evals.types import Corpus
    from illumina.store.embedded import EmbeddedServer

DOCUMENTS: list[dict[str, Any]] = [
    {
        "id": "move",
        "source": "slack:#platform",
        "kind": "chat",
        "title": "Ingestion",
        "occurred_at": "2026-03-02T09:00:00Z",
        "turns": [
            {"label": "1", "speaker": "Ana", "occurred_at": "2026-03-02T09:00:00Z", "text": "Ingestion has its own queue."},
            {"label": "2", "speaker": "Bo", "occurred_at": "2026-03-02T09:01:00Z", "text": "Backfills starved writes before."},
        ],
    },
    {
        "id": "retries",
        "source": "wiki:platform",
        "kind": "document",
        "title": "Retries",
        "occurred_at": "2026-03-03T09:00:00Z",
        "text": "Set retry_backoff_ms to 50.\n\nThe old retry_backoff_max_ms is ignored.\n\nAsk Ana about queues.",
    },
    {
        "id": "lunch",
        "source": "slack:#random",
        "kind": "chat",
        "title": "Lunch",
        "occurred_at": "2026-03-04T12:00:00Z",
        "turns": [
            {"label": "1", "speaker": "Cy", "occurred_at": "2026-03-04T12:00:00Z", "text": "Soup today?"},
            {
                "label": "2",
                "speaker": "Ana",
                "occurred_at": "2026-03-04T12:01:00Z",
                "text": "The queue at the soup bar is long.",
            },
        ],
    },
]
QUERIES = [
    {"id": "q1", "namespace": "mini", "class": "why", "text": "why does ingestion have its own queue"},
    {"id": "q2", "namespace": "mini", "class": "exact-identifier", "text": "retry_backoff_ms"},
    {"id": "q3", "namespace": "mini", "class": "no-answer", "text": "who is the chief executive"},
]
QRELS = [
    {"query": "q1", "document": "move", "segment": "2", "grade": 3},
    {"query": "q1", "document": "move", "segment": "1", "grade": 1},
    {"query": "q2", "document": "retries", "segment": "1", "grade": 3},
]


@pytest.fixture
def mini_directory(tmp_path: Path) -> Path:
    """A valid corpus on disk."""
    directory = tmp_path / "mini"
    directory.mkdir()
    write_lines(directory / "documents.jsonl", DOCUMENTS)
    write_lines(directory / "queries.jsonl", QUERIES)
    write_lines(directory / "qrels.jsonl", QRELS)
    (directory / "README.md").write_text("# mini\n")
    corpora.write_checksums(directory)
    return directory


@pytest.fixture
def mini(mini_directory: Path) -> Corpus:
    """That corpus, loaded."""
    return corpora.load(mini_directory, data=None)


@pytest.fixture
def provider(server: EmbeddedServer) -> Iterator[PostgresProvider]:
    """Databases on the test run's server."""
    with open_provider(server.dsn("postgres")) as opened:
        yield opened


def write_lines(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
