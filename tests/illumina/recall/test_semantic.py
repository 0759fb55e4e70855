"""The semantic arm against NumPy on the integers that are stored."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from illumina import Memory, Ranking
from illumina.recall.arms import semantic
from illumina.recall.plan import Hit, Plan
from illumina.types import Document
from tests.support import HashingEmbedder, rows

if TYPE_CHECKING:
    from uuid import UUID

    from illumina.models.base import IntegerVectors

WORDS = ["queue", "ingestion", "deploy", "approval", "train", "thursday", "write", "backfill", "alpha", "beta", "gamma"]


def stored(dsn: str, namespace: str) -> tuple[list[UUID], np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
    found = rows(
        dsn,
        "select e.fact, e.embedding::real[] from illumina.embeddings e join illumina.namespaces n using (namespace) "
        "where n.name = %s order by e.fact",
        [namespace],
    )
    return [fact for fact, _ in found], np.array([vector for _, vector in found], np.float64).astype(np.int64)


def by_numpy(dsn: str, namespace: str, query: IntegerVectors, depth: int) -> list[Hit]:
    """Cosines in double precision from exact integers, ties by id."""
    facts, vectors = stored(dsn, namespace)
    products = vectors @ query.astype(np.int64)
    cosines = products / np.sqrt((vectors**2).sum(axis=1)) / np.sqrt(np.dot(query.astype(np.int64), query.astype(np.int64)))
    order = sorted(range(len(facts)), key=lambda index: (-cosines[index], facts[index].bytes))
    return [Hit(facts[index].bytes, float(cosines[index])) for index in order[:depth]]


def search(memory: Memory, namespace: str, query: IntegerVectors, ranking: Ranking, *, exact: bool) -> list[Hit]:
    with memory._database.read(namespace) as session:
        return semantic.search(session, Plan("", (), query, exact, ranking))()


@pytest.mark.parametrize("depth", [1, 7, 300, 10_000])
def test_the_exact_scan_equals_numpy(shared: Memory, module_dsn: str, embedder: HashingEmbedder, depth: int) -> None:
    chance = random.Random(5)
    texts = [" ".join(chance.choices(WORDS, k=chance.randint(1, 4))) for _ in range(500)]
    shared.retain_many([Document(text, key=str(n)) for n, text in enumerate(texts)], namespace="exact")
    shared.retain_many([Document(text, key=str(n)) for n, text in enumerate(texts)], namespace="neighbour")
    ties = 0
    for query in ["queue ingestion", "alpha", "thursday train alpha beta", "unheard of"]:
        vector = embedder.embed_query(query)
        found = search(shared, "exact", vector, Ranking(arm_depth=depth), exact=False)
        assert found == by_numpy(module_dsn, "exact", vector, depth)
        assert all(-1 <= hit.score <= 1 for hit in found)
        ties += len(found) - len({hit.score for hit in found})
    assert ties > 0 or depth == 1, "equal texts have equal scores: the ids decided"


def test_ties_at_the_cut_are_decided_by_id(shared: Memory, module_dsn: str, embedder: HashingEmbedder) -> None:
    """More facts with one vector than are asked for, in more blocks than are asked for."""
    shared.retain_many([Document("alpha beta", key=str(n)) for n in range(200)], namespace="ties")
    shared.retain_many([Document("alpha", key=f"a{n}") for n in range(3)], namespace="ties")
    vector = embedder.embed_query("alpha")
    for depth in (1, 3, 5, 40, 202, 203, 300):
        found = search(shared, "ties", vector, Ranking(arm_depth=depth), exact=True)
        assert found == by_numpy(module_dsn, "ties", vector, depth)


def test_the_packaged_model_too(database: str) -> None:
    with Memory.open(database, extractor="verbatim") as memory:
        texts = [
            "Ingestion moved to an isolated task queue after backfills starved interactive writes.",
            "The release train leaves on Thursdays.",
            "My cat prefers salmon.",
            "Deploys need two approvals.",
        ]
        memory.retain_many([Document(text, key=str(n)) for n, text in enumerate(texts)])
        for query in ["why was the shared pipeline split up", "what do pets eat", "when do we ship software"]:
            vector = memory.embedder.embed_query(query)
            found = search(memory, "default", vector, memory.ranking, exact=True)
            assert found == by_numpy(database, "default", vector, 300)
        assert memory.recall("what do pets eat").results[0].content == "My cat prefers salmon."


def test_opposite_and_equal_vectors_reach_the_bounds(shared: Memory, module_dsn: str, namespace: str) -> None:
    shared.retain("alpha", namespace=namespace)
    _, vectors = stored(module_dsn, namespace)
    same = vectors[0].astype(np.int8)
    scores = [search(shared, namespace, v, Ranking(), exact=True)[0].score for v in (same, (-same).astype(np.int8))]
    assert scores == pytest.approx([1.0, -1.0], abs=1e-15)


def test_without_a_vector_there_is_nothing(shared: Memory, namespace: str) -> None:
    shared.retain("alpha", namespace=namespace)
    with shared._database.read(namespace) as session:
        assert semantic.search(session, Plan("alpha", ("alpha",), None, exact=True, ranking=Ranking()))() == []
    assert shared.recall("", namespace=namespace).results == ()
    assert shared.recall(" \n", namespace=namespace).results == ()
