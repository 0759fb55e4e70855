"""The HNSW index: never too few results, a measured recall, and exactness always at hand."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from illumina import Memory, Ranking
from illumina.recall.arms import semantic
from illumina.recall.plan import Plan
from illumina.types import Document
from tests.support import Explaining, HashingEmbedder, check_blocks, check_derived, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from illumina.recall.plan import Hit

WORDS = [f"word{n}" for n in range(400)]
BIG, SMALL = 2000, 50


def texts(count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=8)) for _ in range(count)]


@pytest.fixture(scope="module")
def indexed(module_dsn: str) -> Iterator[Memory]:
    """Both namespaces are in the one index of the database, and it is walked however small they are.

    Left alone, PostgreSQL rightly sorts so few vectors instead; without sorting only the graph yields them in order.
    """
    with Memory.open(
        f"{module_dsn} options='-c enable_sort=off'",
        embedder=HashingEmbedder(),
        ranking=Ranking(exact_scan_limit=0),
        extractor="verbatim",
    ) as memory:
        for name, count in (("big", BIG), ("small", SMALL)):
            memory.retain_many([Document(text, key=str(n)) for n, text in enumerate(texts(count, count))], namespace=name)
            assert memory.build_index(namespace=name)
        yield memory


def search(memory: Memory, namespace: str, query: str, depth: int, *, exact: bool = False) -> list[Hit]:
    plan = Plan(query, (), memory.embedder.embed_query(query), exact, Ranking(arm_depth=depth))
    with memory._database.read(namespace) as session:
        explaining = Explaining(session)
        found = semantic.search(explaining, plan)()
    by_index = [scan.index == "embeddings_hnsw" for scan in explaining.of("embeddings")]
    assert by_index == ([False] if exact else [True] if len(found) == depth else [True, False])
    return found


QUERIES = texts(20, 99)


@pytest.mark.parametrize("depth", [10, 50, 300])
def test_a_small_namespace_beside_a_big_one_loses_nothing(indexed: Memory, depth: int) -> None:
    for query in QUERIES:
        found = search(indexed, "small", query, depth)
        assert len(found) == min(depth, SMALL)
        exact = search(indexed, "small", query, depth, exact=True)
        if depth >= SMALL:
            assert found == exact


def test_the_index_finds_what_the_exact_scan_finds(indexed: Memory) -> None:
    depth, hits, score_of = 100, 0, {}
    for query in QUERIES:
        exact = search(indexed, "big", query, depth, exact=True)
        found = search(indexed, "big", query, depth)
        assert len(found) == depth
        score_of = {hit.fact: hit.score for hit in search(indexed, "big", query, BIG, exact=True)}
        assert len(score_of) == BIG
        assert all(hit.score == score_of[hit.fact] for hit in found), "scores are exact, only the choice is not"
        assert [(-hit.score, hit.fact) for hit in found] == sorted((-h.score, h.fact) for h in found)
        hits += len({hit.fact for hit in exact} & {hit.fact for hit in found})
    recall = hits / (depth * len(QUERIES))
    print(f"recall of HNSW at {depth} of {BIG}: {recall:.4f}")
    assert recall >= 0.95


def test_the_same_index_answers_the_same(indexed: Memory) -> None:
    for query in QUERIES[:5]:
        assert search(indexed, "big", query, 100) == search(indexed, "big", query, 100)


def test_what_comes_later_is_in_the_index_too(indexed: Memory, module_dsn: str) -> None:
    indexed.retain("zebra giraffe elephant", namespace="big", key="new")
    assert indexed.recall("zebra giraffe elephant", namespace="big", components=["semantic"]).results[0].document == "new"
    indexed.retain("word1", namespace="big", key="new")
    assert "zebra" not in indexed.recall("zebra giraffe elephant", namespace="big", components=["semantic"]).results[0].content
    flags = rows(module_dsn, "select approximate, superseded, count(*) from illumina.embeddings group by 1, 2 order by 2")
    assert flags == [(True, False, BIG + SMALL + 1), (True, True, 1)]
    check_derived(module_dsn, HashingEmbedder())


def test_below_the_threshold_nothing_is_indexed(memory: Memory, dsn: str, embedder: HashingEmbedder) -> None:
    memory.retain("one\n\ntwo\n\nthree")
    assert not memory.build_index()
    for limit, expected in ((3, False), (2, True), (100, True)):
        with Memory.open(dsn, embedder=embedder, ranking=Ranking(exact_scan_limit=limit), extractor="verbatim") as other:
            assert other.build_index() is expected
            assert rows(dsn, "select distinct approximate from illumina.embeddings") == [(expected,)]
            check_blocks(dsn)


def test_an_index_does_not_change_what_is_counted_or_retained(memory: Memory, dsn: str) -> None:
    memory.retain("one\n\ntwo", key="k")
    with Memory.open(dsn, embedder=HashingEmbedder(), ranking=Ranking(exact_scan_limit=0), extractor="verbatim") as other:
        assert other.build_index()
        assert other.count() == 2
        assert not other.retain("one\n\ntwo", key="k").created
        assert {r.content for r in other.recall("one two").results} == {"one", "two"}
