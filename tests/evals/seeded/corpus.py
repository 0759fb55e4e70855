"""A corpus on which faults show: ties, repeated texts, short and long ones, permuted counts, two namespaces."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from evals.corpora.digest import corpus_digest
from evals.policy import GateMeasure, GatePolicy
from evals.suite import Suite
from evals.types import Corpus, Query
from illumina import Document, Memory, Ranking, Utterance
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator

SUITE: Final = Suite(
    name="seeded",
    description="Faults show here.",
    corpus="seeded",
    measures=("ndcg_at_10", "mrr"),
    depth=12,
    systems=("fusion", "semantic", "lexical"),
    seed=7,
    gate=GatePolicy(Path("seeded.json"), (GateMeasure("ndcg_at_10", 0.01), GateMeasure("mrr", 0.01))),
)

NAMESPACES: Final = ("harbour", "island")
SPEAKERS: Final = ("Ana", "Bo", "Cyril", None)
WORDS: Final = ("anchor", "cable", "diesel", "engine", "ferry", "gale", "jetty", "net", "pier", "quay", "rope", "sail", "tide")
EQUALS: Final = ("kelp", "marsh", "reef", "tarn")
"""Equally frequent words, which texts have 1, 2, 3 and 5 times in every order: their sums tie, if sums are exact."""

ECHOES: Final = ("The ferry is late.", "The engine needs diesel.", "No gale today.")
"""Said by many sources in the same words."""

QUESTIONS: Final = (
    "kelp marsh reef tarn",
    "is the ferry late",
    "diesel for the engine",
    "gale",
    "what did Ana say about the anchor cable",
    "rope and sail at the quay",
    "tide at the pier and the jetty",
    "who mends the net",
)
START: Final = datetime(2026, 1, 1, tzinfo=UTC)


def open_memory(dsn: str) -> Memory:
    """With arms so shallow that what takes a place takes it from another."""
    return Memory.open(dsn, embedder=HashingEmbedder(), ranking=Ranking(arm_depth=20), extractor="verbatim")


def seeded_corpus() -> Corpus:
    """The same at every call. A unit is relevant by how many of the question's words it has."""
    documents = {name: tuple(_documents(name, Random(number))) for number, name in enumerate(NAMESPACES)}
    queries = tuple(
        Query(f"{name}-{number}", text, ("ties", "words")[number > 3], name, f"{name}-{number}")
        for name in NAMESPACES
        for number, text in enumerate(QUESTIONS)
    )
    qrels = {}
    for query in queries:
        wanted = set(query.text.casefold().split()) - {"is", "the", "and", "at", "for", "about", "what", "did", "who", "say"}
        qrels[query.id] = {
            f"{document.key}#{utterance.label}": len(shared)
            for document in documents[query.namespace]
            for utterance in document.body
            if isinstance(utterance, Utterance)
            and (shared := wanted & set(f"{utterance.speaker} {utterance.text}".casefold().replace(".", "").split()))
        }
    corpus = Corpus("seeded", "segment", documents, queries, qrels)
    return replace(corpus, digest=corpus_digest(corpus))


def _documents(namespace: str, random: Random) -> Iterator[Document]:
    number = 0
    for counts in permutations((1, 2, 3, 5)):
        words = [word for word, count in zip(EQUALS, counts, strict=True) for _ in range(count)]
        yield _document(namespace, number := number + 1, [(None, " ".join(words))])
    for place in range(12):
        said = [(SPEAKERS[place % 4], ECHOES[place % 3]), (SPEAKERS[(place + 1) % 4], _sentence(random, 4 + 3 * (place % 5)))]
        yield _document(namespace, number := number + 1, said)
    for place in range(6):
        said = [(SPEAKERS[(place + turn) % 4], _sentence(random, 3 + 9 * turn)) for turn in range(3)]
        yield _document(namespace, number := number + 1, said)


def _document(namespace: str, number: int, said: list[tuple[str | None, str]]) -> Document:
    body = [
        Utterance(text, speaker, START + timedelta(hours=number, minutes=place), str(place))
        for place, (speaker, text) in enumerate(said, start=1)
    ]
    return Document(body, source=f"{namespace}:{number % 5}", key=f"d{number}", occurred_at=START + timedelta(hours=number))


def _sentence(random: Random, length: int) -> str:
    # Skewed, so that some words are frequent and the same few come again within one text.
    return " ".join(WORDS[min(int(random.expovariate(0.2)), len(WORDS) - 1)] for _ in range(length)).capitalize() + "."
