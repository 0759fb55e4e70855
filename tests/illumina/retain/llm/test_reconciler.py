"""What an answer about a pair may say, and what is wrong with any other."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.ids import content_uuid
from illumina.models.llm.base import Reply, Stop
from illumina.retain.llm.asking import UnusableAnswerError
from illumina.retain.llm.reconciler import read
from illumina.retain.reconcile.pairs import in_order, is_open, judged, question
from illumina.retain.reconcile.statements import Named, Statement


def statement(content: str, day: int | None, **options: Any) -> Statement:
    moment = None if day is None else datetime(2026, 3, day, tzinfo=UTC)
    return Statement(
        content_uuid("fact", content), content, content_uuid("digest", content), moment=moment, said=moment, **options
    )


OLD = statement("Skerrow ships twice a week.", 1)
NEW = statement("Skerrow lets every service go out alone.", 5)
GOOD = {"decision": "update", "part": None, "confidence": "high", "reason": "Another  way\nof shipping."}


def reply(arguments: Any, stop: Stop = "tool") -> Reply:
    return Reply(None if arguments is None else json.dumps(arguments), "", stop, 1, 1)


def test_an_answer_is_read() -> None:
    said = read(reply(GOOD), NEW, OLD, "a model")
    assert (said.old, said.new, said.question) == (OLD.id, NEW.id, question(NEW, OLD))
    assert said.reason == "Another way of shipping."
    verdict = judged(said, NEW, OLD)
    assert verdict is not None
    assert (verdict.extent, verdict.evidence["model"]) == ("whole", "a model")


@pytest.mark.parametrize(
    ("part", "kept", "extent"),
    [
        ("twice  a week", "twice a week", "part"),
        ("Skerrow ships twice a week", None, "whole"),
        ("Skerrow ships twice a week.", None, "whole"),
    ],
)
def test_a_part_is_kept_in_the_words_of_the_earlier_statement(part: str, kept: str | None, extent: str) -> None:
    said = read(reply({**GOOD, "part": part}), NEW, OLD, "a model")
    assert said.part == kept
    verdict = judged(said, NEW, OLD)
    assert verdict is not None
    assert verdict.extent == extent


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (None, "no single call of the tool"),
        ({**GOOD, "decision": "replace"}, 'decision is "replace"; it must be one of add, update, supersede, merge'),
        ({**GOOD, "decision": "add", "part": "twice a week"}, "add leaves all of the earlier statement"),
        ({**GOOD, "decision": "merge", "part": "twice a week"}, "merge leaves all of the earlier statement"),
        ({**GOOD, "part": "thrice a week"}, "does not occur in the earlier statement"),
        ({**GOOD, "part": ""}, "does not occur in the earlier statement"),
        ({**GOOD, "confidence": 1}, "confidence is 1; it must be a string"),
        ({**GOOD, "confidence": "sure"}, 'confidence is "sure"'),
        ({**GOOD, "reason": " "}, "reason has 0 characters"),
        ({**GOOD, "reason": "x" * 501}, "reason has 501 characters"),
        ({**GOOD, "reason": "a\0b"}, "no text"),
        ({**GOOD, "newer": "earlier"}, '"newer", which is no field of it'),
        ({"decision": "add"}, "part is missing; confidence is missing; reason is missing"),
    ],
)
def test_what_is_wrong_is_named(wrong: Any, named: str) -> None:
    with pytest.raises(UnusableAnswerError, match=re.escape(named)):
        read(reply(wrong), NEW, OLD, "a model")


def test_an_answer_that_was_cut_off_or_refused() -> None:
    with pytest.raises(UnusableAnswerError, match="cut off at the limit of its length"):
        read(reply(GOOD, "length"), NEW, OLD, "a model")
    with pytest.raises(UnusableAnswerError, match="a refusal"):
        read(reply(None, "refused"), NEW, OLD, "a model")


def test_which_pairs_are_asked_about() -> None:
    assert is_open(NEW, OLD)
    assert not is_open(OLD, NEW), "time says which is newer"
    assert in_order(OLD, NEW) == in_order(NEW, OLD) == (NEW, OLD)
    assert in_order(NEW, statement("Skerrow is quiet.", 5)) is None
    assert in_order(NEW, statement("Skerrow is quiet.", None)) is None
    assert not is_open(NEW, statement("Ana likes olives.", 1)), "about nothing in common"
    assert not is_open(NEW, statement(NEW.content, 1)), "said twice"
    assert not is_open(statement("Skerrow is quiet.", 5, visibility="agent", agent="ann"), OLD)
    assert not is_open(statement("Skerrow is quiet.", 5, confidence="low"), OLD)
    assert not is_open(statement("Skerrow goes " * 100, 5), OLD)
    assert not is_open(statement("Ann hates olives.", 5), statement("Ann loves olives.", 1)), "the rules know"
    one, other = (Named("Sam", content_uuid("entity", number)) for number in (1, 2))
    mine = statement("Sam is often in Berlin.", 5, names=(one,))
    assert is_open(mine, statement("Sam sleeps in Paris.", 1, names=(one,)))
    assert not is_open(mine, statement("Sam sleeps in Paris.", 1, names=(other,))), "namesakes"


@given(
    decision=st.sampled_from(("add", "update", "supersede", "merge")),
    confidence=st.sampled_from(("high", "medium", "low")),
    day=st.integers(1, 9),
)
def test_what_was_said_counts_for_what_was_asked_and_in_the_order_of_time_alone(
    decision: str, confidence: str, day: int
) -> None:
    said = read(reply({**GOOD, "decision": decision, "confidence": confidence}), NEW, OLD, "a model")
    retires = decision in {"update", "supersede"} and confidence != "low"
    assert (judged(said, NEW, OLD) is not None) == retires
    assert judged(said, OLD, NEW) is None
    assert (judged(said, NEW, statement(OLD.content, day)) is not None) == (retires and day == 1)
