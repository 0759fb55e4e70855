from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from evals.determinism import LEVELS, Level, check
from illumina import Memory
from illumina.errors import InvalidInputError
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from evals.postgres import PostgresProvider
    from evals.types import Corpus
    from illumina import Answer


def open_memory(dsn: str) -> Memory:
    return Memory.open(dsn, embedder=HashingEmbedder())


def test_the_engine_is_identical_at_every_level(mini: Corpus, provider: PostgresProvider) -> None:
    outcomes = check(provider, open_memory, mini, LEVELS, depth=10, seed=1)
    assert [outcome.level for outcome in outcomes] == list(LEVELS)
    assert all(outcome.identical for outcome in outcomes)
    assert {outcome.queries for outcome in outcomes} == {3}
    assert len({outcome.digest for outcome in outcomes}) == 1


class Drifting(Memory):
    """Every answer differs from the one before: what a clock or a random number does."""

    answers = itertools.count()

    def recall(self, query: str, **options: Any) -> Answer:
        answer = super().recall(query, **options)
        first = replace(answer.results[0], score=answer.results[0].score - next(self.answers) * 1e-9)
        return replace(answer, results=(first, *answer.results[1:]))


def test_a_drifting_score_is_caught_at_every_level(mini: Corpus, provider: PostgresProvider) -> None:
    outcomes = check(provider, lambda dsn: Drifting.open(dsn, embedder=HashingEmbedder()), mini, LEVELS, depth=10, seed=1)
    assert not any(outcome.identical for outcome in outcomes)
    difference = outcomes[0].difference
    assert difference is not None
    assert difference[0] == "q1"
    assert difference[1] != difference[2]


class OrderOfArrival(Memory):
    """Ranks by what was retained first: identical on one database, different once documents are shuffled."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.arrived: list[str] = []

    def retain_many(self, documents: Any, **options: Any) -> Any:
        documents = list(documents)
        self.arrived += [document.key for document in documents]
        return super().retain_many(documents, **options)

    def recall(self, query: str, **options: Any) -> Answer:
        answer = super().recall(query, **options)
        results = sorted(answer.results, key=lambda found: self.arrived.index(found.document or ""))
        return replace(answer, results=tuple(results))


def test_ties_broken_by_arrival_are_caught_by_shuffling_alone(mini: Corpus, provider: PostgresProvider) -> None:
    levels: tuple[Level, ...] = ("L1", "L2", "L3")
    outcomes = check(provider, lambda dsn: OrderOfArrival.open(dsn, embedder=HashingEmbedder()), mini, levels, depth=10, seed=3)
    assert [outcome.identical for outcome in outcomes] == [True, True, False]


@pytest.mark.parametrize("levels", [("L2",), ("L3", "L1")])
def test_levels_can_be_chosen(mini: Corpus, provider: PostgresProvider, levels: Any) -> None:
    outcomes = check(provider, open_memory, mini, levels, depth=10, seed=1)
    assert tuple(outcome.level for outcome in outcomes) == levels


def test_an_error_says_which_question_it_was(mini: Corpus, provider: PostgresProvider) -> None:
    asked = (mini.queries[0], replace(mini.queries[1], text="retry\0"))
    with pytest.raises(InvalidInputError) as caught:
        check(provider, open_memory, replace(mini, queries=asked), ["L1"], depth=10, seed=1)
    assert caught.value.__notes__ == ["The question was q2: retry\0"]
