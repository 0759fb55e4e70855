from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evals.replay import replay, steps, to_ranking, unit_of
from evals.types import Query
from illumina import Memory, Result
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from evals.postgres import PostgresProvider
    from evals.types import Corpus


def result(key: str | None, label: str, score: float) -> Result:
    return Result(
        id=f"fct_{label}",
        content="",
        score=score,
        corroboration=1,
        arms=("lexical",),
        source="",
        document_id="doc_1",
        document=key,
        segment=label,
        speaker=None,
        occurred_at=None,
    )


QUERY = Query("q", "?", "class", "mini", "q")


def test_a_unit_is_the_segment_or_the_whole_document() -> None:
    assert unit_of(result("move", "2", 1), "segment") == "move#2"
    assert unit_of(result("move", "2", 1), "document") == "move"
    assert unit_of(result(None, "2", 1), "document") == "doc_1"


def test_a_document_counts_once_at_its_best_place() -> None:
    results = [result("a", "1", 0.9), result("b", "1", 0.8), result("a", "2", 0.7), result("c", "1", 0.6)]
    ranking = to_ranking(QUERY, "fusion", results, "document", depth=2)
    assert ranking.units == ("a", "b")
    assert ranking.scores == (0.9, 0.8)


def test_a_corpus_without_hidden_documents_is_one_step(mini: Corpus) -> None:
    (step,) = steps(mini)
    assert list(step.documents) == list(mini.documents["mini"])
    assert list(step.queries) == list(mini.queries)


def test_a_question_is_asked_before_what_is_hidden_from_it_is_retained(mini: Corpus) -> None:
    first, second, third = mini.queries
    asked = (replace(first, hidden=frozenset({"retries", "lunch"})), second, replace(third, hidden=frozenset({"lunch"})))
    seen = [
        ([document.key for document in step.documents], [query.id for query in step.queries])
        for step in steps(replace(mini, queries=asked))
    ]
    assert seen == [(["move"], ["q1"]), (["retries"], ["q3"]), (["lunch"], ["q2"])]


def test_what_is_left_is_retained_after_the_last_question(mini: Corpus) -> None:
    asked = tuple(replace(query, hidden=frozenset({"lunch"})) for query in mini.queries)
    last = list(steps(replace(mini, queries=asked)))[-1]
    assert [document.key for document in last.documents] == ["lunch"]
    assert not last.queries


def test_rankings_are_those_of_the_engine(mini: Corpus, provider: PostgresProvider) -> None:
    with provider.fresh_database() as dsn, Memory.open(dsn, embedder=HashingEmbedder(), extractor="verbatim") as memory:
        rankings, timings = replay(memory, mini, ["fusion", "lexical"], depth=3)
        assert [(ranking.system, ranking.query_id) for ranking in rankings] == [
            (system, query.id) for system in ("fusion", "lexical") for query in mini.queries
        ]
        answer = memory.recall("retry_backoff_ms", namespace="mini", limit=3)
        assert rankings[1].units == tuple(f"{found.document}#{found.segment}" for found in answer.results)
        lexical = rankings[4]
        assert lexical.units == ("retries#1", "retries#2")
        assert {timing.stage for timing in timings} == {"embed", "postgres", "fuse"}
        assert all(timing.milliseconds >= 0 for timing in timings)
        assert memory.count(namespace="mini") == 7


@pytest.mark.parametrize("hidden", [frozenset({"move"})])
def test_hidden_documents_are_not_in_the_ranking(mini: Corpus, provider: PostgresProvider, hidden: frozenset[str]) -> None:
    asked = tuple(replace(query, hidden=hidden) for query in mini.queries)
    with provider.fresh_database() as dsn, Memory.open(dsn, embedder=HashingEmbedder(), extractor="verbatim") as memory:
        rankings, _ = replay(memory, replace(mini, queries=asked), ["fusion"], depth=50)
    assert not [unit for ranking in rankings for unit in ranking.units if unit.startswith("move#")]
    assert len(rankings[0].units) == 5
