from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from evals.determinism import LEVELS as ALL_LEVELS
from evals.determinism import RECORDED_LEVEL, Expected, Level, check, respond
from evals.replay import response_digest, retain
from illumina import Memory
from illumina.errors import InvalidInputError
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from evals.determinism import Outcome
    from evals.postgres import PostgresProvider
    from evals.types import Corpus
    from illumina import Answer


LEVELS = [level for level in ALL_LEVELS if level != RECORDED_LEVEL]


def open_memory(dsn: str) -> Memory:
    return Memory.open(dsn, embedder=HashingEmbedder(), extractor="verbatim")


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


def against(expected: Expected, mini: Corpus, provider: PostgresProvider) -> Outcome:
    (outcome,) = check(provider, open_memory, mini, [RECORDED_LEVEL], depth=10, seed=1, expected=lambda _: expected)
    return outcome


def test_another_machines_responses_are_told_by_their_digests(mini: Corpus, provider: PostgresProvider) -> None:
    with provider.fresh_database() as dsn, open_memory(dsn) as memory:
        retain(memory, mini)
        responses = respond(memory, mini, 10, "recorded")
    recorded = {query: response_digest(response) for query, response in responses.items()}
    assert against(Expected(recorded), mini, provider).identical

    outcome = against(Expected({**recorded, "q2": "0" * 64}), mini, provider)
    assert (outcome.identical, outcome.difference) == (False, ("q2", b"0" * 64, responses["q2"]))
    outcome = against(Expected({query: recorded[query] for query in ("q1", "q2")}), mini, provider)
    assert (outcome.identical, outcome.difference) == (False, ("q3", b"", responses["q3"]))


def test_what_was_recorded_for_something_else_is_neither_identical_nor_different(
    mini: Corpus, provider: PostgresProvider
) -> None:
    outcome = against(Expected(incomparable="The code differs."), mini, provider)
    assert (outcome.identical, outcome.difference, outcome.incomparable) == (False, None, "The code differs.")
    (outcome,) = check(provider, open_memory, mini, [RECORDED_LEVEL], depth=10, seed=1)
    assert outcome.incomparable


def test_an_error_says_which_question_it_was(mini: Corpus, provider: PostgresProvider) -> None:
    asked = (mini.queries[0], replace(mini.queries[1], text="retry\0"))
    with pytest.raises(InvalidInputError) as caught:
        check(provider, open_memory, replace(mini, queries=asked), ["L1"], depth=10, seed=1)
    assert caught.value.__notes__ == ["The question was q2: retry\0"]
