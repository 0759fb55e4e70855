"""Whether the same memory gives the same bytes (DESIGN 2.7).

L1: one database, asked twice. L2: a fresh database, the same order. L3: a fresh database, shuffled documents, four
writers at once. `neighbours`: a fresh database whose other namespaces hold the same and other documents
(`evals.isolation`). Every response is compared byte for byte, with each arm's ranks and scores in it.

L4: another machine. From recorded embeddings (`evals.recorded`) every response must have the SHA-256 that the committed
baseline has of it, wherever that was recorded. Where the identity is another one, L4 says nothing: there is nothing to compare
with before a run is recorded.
"""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Final, Literal

from tqdm import tqdm

from evals import isolation, replay

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evals.postgres import PostgresProvider
    from evals.types import Corpus
    from illumina import Memory

Level = Literal["L1", "L2", "L3", "neighbours", "L4"]
LEVELS: Final[tuple[Level, ...]] = ("L1", "L2", "L3", "neighbours", "L4")
RECORDED_LEVEL: Final[Level] = "L4"
"""The one that needs recorded embeddings and a baseline."""
MEANING: Final[dict[Level, str]] = {
    "L1": "same database twice",
    "L2": "fresh database, same order",
    "L3": "fresh database, shuffled, four parallel writers",
    "neighbours": "other namespaces hold the same documents",
    "L4": "another machine, from recorded embeddings",
}
WRITERS: Final = 4

Responses = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Expected:
    """What the responses were when a baseline was recorded.

    Attributes:
        responses: Query id to the response's SHA-256.
        incomparable: Why they say nothing about this tree, and the mend; empty if they do.
    """

    responses: Mapping[str, str] = field(default_factory=dict)
    incomparable: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one level found.

    Attributes:
        level: Which.
        queries: How many responses were compared.
        digest: SHA-256 over the reference responses, in hexadecimal.
        difference: The first differing query with both responses; None if all are identical. L4 knows of the first response
            its SHA-256 in hexadecimal only.
        incomparable: Why nothing could be compared, and the mend; empty if it could.
    """

    level: Level
    queries: int
    digest: str
    difference: tuple[str, bytes, bytes] | None
    incomparable: str = ""

    @property
    def identical(self) -> bool:
        """Whether every byte was the same."""
        return self.difference is None and not self.incomparable


def check(
    provider: PostgresProvider,
    open_memory: Callable[[str], Memory],
    corpus: Corpus,
    levels: Sequence[Level],
    *,
    depth: int,
    seed: int,
    expected: Callable[[Memory], Expected] = lambda _: Expected(incomparable="There is no baseline to compare with."),
) -> list[Outcome]:
    """Compare the responses to every query at each level.

    Args:
        provider: Where fresh databases come from.
        open_memory: Opens the engine on the database of a DSN.
        corpus: What is retained and asked.
        levels: Which checks to run.
        depth: Results in each response.
        seed: Of the shuffling at L3 and among neighbours.
        expected: What L4 compares with, given a memory that holds the corpus.
    """
    with ExitStack() as stack:
        memory = stack.enter_context(open_memory(stack.enter_context(provider.fresh_database())))
        replay.retain(memory, corpus)
        reference = respond(memory, corpus, depth, "reference")
        again: dict[Level, Callable[[], Responses | Expected]] = {"L1": lambda: respond(memory, corpus, depth, "L1")}
        again["L2"] = lambda: _fresh(provider, open_memory, corpus, depth, "L2", lambda m: replay.retain(m, corpus))
        again["L3"] = lambda: _fresh(
            provider, open_memory, corpus, depth, "L3", lambda m: retain_shuffled(m, corpus, Random(seed))
        )
        again["L4"] = lambda: expected(memory)
        again["neighbours"] = lambda: _fresh(
            provider,
            open_memory,
            corpus,
            depth,
            "neighbours",
            lambda m: isolation.retain_among_neighbours(m, corpus, Random(seed)),
        )
        return [_compare(level, reference, again[level]()) for level in levels]


def respond(memory: Memory, corpus: Corpus, depth: int, label: str) -> Responses:
    """Query id to the response's canonical bytes, explanations included."""
    return {
        query.id: replay.recall(memory, query, limit=depth, explain=True).to_json()
        for query in tqdm(corpus.queries, desc=f"{label}: recall", disable=None, leave=False)
    }


def retain_shuffled(memory: Memory, corpus: Corpus, random: Random) -> None:
    """Retain every document in random order and random batches, by four writers at once."""
    work = []
    for namespace, documents in corpus.documents.items():
        shuffled = random.sample(list(documents), len(documents))
        while shuffled:
            size = random.randint(1, 4)
            work.append((namespace, shuffled[:size]))
            shuffled = shuffled[size:]
    random.shuffle(work)
    with ThreadPoolExecutor(WRITERS) as writers:
        jobs = [writers.submit(memory.retain_many, batch, namespace=namespace) for namespace, batch in work]
        for job in tqdm(jobs, desc="L3: retain", unit=" batches", disable=None, leave=False):
            job.result()


def _fresh(
    provider: PostgresProvider,
    open_memory: Callable[[str], Memory],
    corpus: Corpus,
    depth: int,
    label: str,
    fill: Callable[[Memory], None],
) -> Responses:
    with provider.fresh_database() as dsn, open_memory(dsn) as memory:
        fill(memory)
        return respond(memory, corpus, depth, label)


def _compare(level: Level, reference: Responses, other: Responses | Expected) -> Outcome:
    digest = hashlib.sha256(b"\n".join(reference[query] for query in sorted(reference))).hexdigest()
    if isinstance(other, Expected):
        if other.incomparable:
            return Outcome(level, len(reference), digest, None, other.incomparable)
        difference = next(
            (
                (query, other.responses.get(query, "").encode(), response)
                for query, response in reference.items()
                if other.responses.get(query) != replay.response_digest(response)
            ),
            None,
        )
    else:
        difference = next(
            ((query, expected, other[query]) for query, expected in reference.items() if other[query] != expected), None
        )
    return Outcome(level, len(reference), digest, difference)
