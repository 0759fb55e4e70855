"""Speed, as ratios measured side by side in one process: absolute times on a shared machine say little."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import numpy as np
import psycopg

from evals import corpora
from evals.passing import PassingEmbedder
from evals.postgres import open_provider
from illumina import Document, Memory, Utterance
from illumina.models.base import to_grid
from illumina.models.registry import load_embedder
from illumina.retain.extract import facts_of
from illumina.retain.pipeline import BATCH_FACTS
from illumina.retain.prepare import prepare
from illumina.retain.verbatim import VerbatimExtractor
from illumina.store.database import Session
from illumina.text import paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from psycopg import Cursor

    from evals.types import Corpus
    from illumina.models.base import Embedder, IntegerVectors

NAMESPACE: Final = "bench"
RETAINED: Final = 500
FACTS: Final = 10_000
QUERIES: Final = 300
VACUUMS: Final = 5


@dataclass(frozen=True, slots=True)
class RetainSpeed:
    """Facts per second of the embedder alone, and of retaining the same texts."""

    facts: int
    embedder: float
    retain: float

    @property
    def share(self) -> float:
        """Retain's throughput as a share of the embedder's own."""
        return self.retain / self.embedder


@dataclass(frozen=True, slots=True)
class RecallSpeed:
    """Median and 95th percentile milliseconds of a recall, by stage.

    `postgres` is what the caller waits, with round trips and decoding; `execution` of it is the server's own account.
    """

    facts: int
    queries: int
    stages: dict[str, tuple[float, float]]


def measure(*, postgres: str, data: Path | None) -> tuple[RetainSpeed, RecallSpeed]:
    """Both benchmarks on a fresh database.

    Args:
        postgres: As for `evals.postgres.open_provider`.
        data: Where given, LoCoMo's and RealMem's turns are the texts; otherwise our own corpus, repeated.
    """
    names = ["meridian"] if data is None else ["locomo", "realmem"]
    loaded = [corpora.load(name, data=data) for name in names]
    queries = [query.text for corpus in loaded for query in corpus.queries][:QUERIES]
    embedder = load_embedder()
    with open_provider(postgres) as provider, provider.fresh_database() as dsn:
        with Memory.open(dsn, embedder=embedder, extractor="verbatim") as memory:
            retain = retain_speed(memory, list(_documents(loaded, RETAINED)))
        with Memory.open(dsn, embedder=Filler(embedder), extractor="verbatim") as memory:
            memory.retain_many(_documents(loaded, FACTS), namespace=NAMESPACE)
            _vacuum(dsn)
            return retain, recall_speed(memory, queries, NAMESPACE)


def _vacuum(dsn: str) -> None:
    """As autovacuum does within a minute; again while pages are left that some older snapshot held back."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        for _ in range(VACUUMS):
            connection.execute("vacuum analyze")
            row = connection.execute(
                "select bool_and(relallvisible = relpages) from pg_class "
                "where relkind = 'r' and relnamespace = 'illumina'::regnamespace"
            ).fetchone()
            if row == (True,):
                return
            sleep(1)


class Filler(PassingEmbedder):
    """A model that embeds questions itself and gives documents random vectors: a scan takes as long for any values."""

    def __init__(self, model: Embedder) -> None:
        super().__init__(model)
        self._random = np.random.default_rng(1)

    def embed_documents(self, texts: Sequence[str]) -> IntegerVectors:
        """Random vectors, shape (len(texts), dimension)."""
        vectors = self._random.normal(size=(len(texts), self.dimension))
        return to_grid(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def _documents(loaded: Sequence[Corpus], facts: int) -> Iterator[Document]:
    """Documents until there are `facts`; a corpus that is smaller is repeated, each time with its copy's number in it."""
    copy = 0
    while facts > 0:
        for document in (one for corpus in loaded for group in corpus.documents.values() for one in group):
            if facts <= 0:
                return
            suffix = f" ({copy})" if copy else ""
            body = document.body
            if isinstance(body, str):
                body = [Utterance(body[start:end]) for start, end in paragraphs(body)]
            turns = [replace(turn, text=turn.text + suffix) for turn in body][:facts]
            facts -= len(turns)
            yield Document(turns, source=document.source, key=f"{document.key}{suffix}", occurred_at=document.occurred_at)
        copy += 1


def retain_speed(memory: Memory, documents: Sequence[Document], rounds: int = 3) -> RetainSpeed:
    """Embed and retain the same documents in turns, each round into a namespace of its own; medians of the rounds."""
    texts = [
        fact.indexed_text for document in documents for fact in facts_of(prepare(document, NAMESPACE), VerbatimExtractor())
    ]
    embedder, retain = [], []
    memory.embedder.embed_documents(texts[:BATCH_FACTS])
    for round_number in range(rounds):
        started = perf_counter()
        for start in range(0, len(texts), BATCH_FACTS):
            memory.embedder.embed_documents(texts[start : start + BATCH_FACTS])
        embedded = perf_counter()
        memory.retain_many(documents, namespace=f"{NAMESPACE}-{round_number}")
        embedder.append(len(texts) / (embedded - started))
        retain.append(len(texts) / (perf_counter() - embedded))
    return RetainSpeed(len(texts), median(embedder), median(retain))


def recall_speed(memory: Memory, queries: Sequence[str], namespace: str) -> RecallSpeed:
    """Ask every question once after a warm-up; the stages are measured within each recall."""
    for query in queries[:20]:
        memory.recall(query, namespace=namespace)
    timings = [memory.recall(query, namespace=namespace).timings for query in queries]
    stages = {stage: _summary([timing[stage] for timing in timings]) for stage in timings[0]}
    stages["execution"] = _summary([_execution(memory, query, namespace) for query in queries[: len(queries) // 3]])
    return RecallSpeed(memory.count(namespace=namespace), len(queries), stages)


def _execution(memory: Memory, query: str, namespace: str) -> float:
    """Milliseconds that PostgreSQL itself reports for the statements of one recall: `postgres` without the client's share."""
    spent = 0.0
    execute = Session.execute

    def explained(
        session: Session,
        statement: str,
        parameters: dict[str, Any] | None = None,
        *,
        prepare: bool | None = True,
        raw: bool = False,
    ) -> Cursor[tuple[Any, ...]]:
        nonlocal spent
        explain = f"explain (analyze, timing off, buffers off, format json) {statement}"
        row = execute(session, explain, parameters, prepare=prepare).fetchone()
        assert row is not None
        spent += row[0][0]["Execution Time"]
        return execute(session, statement, parameters, prepare=prepare, raw=raw)

    with patch.object(Session, "execute", explained):
        memory.recall(query, namespace=namespace)
    return spent


def _summary(milliseconds: list[float]) -> tuple[float, float]:
    ordered = sorted(milliseconds)
    return median(ordered), ordered[int(0.95 * (len(ordered) - 1))]
