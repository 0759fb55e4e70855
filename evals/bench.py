"""Speed, as ratios measured side by side in one process: absolute times on a shared machine say little."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Final

from illumina.retain.pipeline import BATCH_FACTS
from illumina.retain.prepare import prepare
from illumina.retain.verbatim import extract

if TYPE_CHECKING:
    from collections.abc import Sequence

    from illumina import Memory
    from illumina.types import Document

NAMESPACE: Final = "bench"


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
    """Median and 95th percentile milliseconds of a recall, by stage."""

    facts: int
    queries: int
    embed: tuple[float, float]
    postgres: tuple[float, float]


def retain_speed(memory: Memory, documents: Sequence[Document], rounds: int = 3) -> RetainSpeed:
    """Embed and retain the same documents in turns, each round into a namespace of its own; medians of the rounds."""
    texts = [fact.indexed_text for document in documents for fact in extract(prepare(document, NAMESPACE))]
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
    embed, postgres = ([timing[stage] for timing in timings] for stage in ("embed", "postgres"))
    return RecallSpeed(memory.count(namespace=namespace), len(queries), _summary(embed), _summary(postgres))


def _summary(milliseconds: list[float]) -> tuple[float, float]:
    ordered = sorted(milliseconds)
    return median(ordered), ordered[int(0.95 * (len(ordered) - 1))]
