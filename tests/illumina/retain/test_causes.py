"""Causal links: their bounds, what refers to an earlier sentence, and texts of any kind."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.retain.causal_readings import CausalLink
from illumina.retain.causes import find_causes

FRAGMENTS = st.sampled_from(
    [
        "because",
        "due to",
        "caused by",
        "The cause of",
        "is",
        "was",
        ", which led to",
        "so",
        "so that",
        "since",
        "As a result,",
        "Root cause:",
        "prevents",
        "blocked by",
        "to avoid",
        "thanks to",
        "→",
        "(",
        ")",
        ",",
        ".",
        "?",
        "\n",
        "\n\n",
        "- ",
        "`a: b`",
        "Why",
        ":",
        "the outage",
        "a bad deploy",
        "headaches from",
        "not",
        "might",
        "that",
        "it",
        "👍",
        "ł",
        "١",
        "\u200f",
        "x-induced",
        "made",
        "reason",
        "result of",
        "therefore",
        "since",
        "of",
        "No",
        "and",
        "In response to",
        "stop the job from running",
    ]
)
TEXTS = st.text(max_size=200) | st.lists(FRAGMENTS, max_size=40).map(" ".join)


def told(text: str) -> list[tuple[str, str, str]]:
    return [(link.kind, text[slice(*link.cause)], text[slice(*link.effect)]) for link in find_causes(text)]


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("The outage that was caused by the upgrade lasted an hour.", "the upgrade", "The outage"),
        ("The outage caused by the upgrade was long.", "the upgrade", "The outage"),
        ("Reports say that the upgrade caused the outage.", "the upgrade", "the outage"),
        (
            "The upgrade, which nobody had announced, caused the outage.",
            "The upgrade, which nobody had announced",
            "the outage",
        ),
        ("Frost, hail and storms caused losses, delays and anger.", "Frost, hail and storms", "losses, delays and anger"),
        (
            "When the disk filled up, the writer stalled because of it all.",
            "it all",
            "When the disk filled up, the writer stalled",
        ),
        ("Fear is one of the main causes of silence.", "Fear", "silence"),
        ("The causes of the delay were rain and fog.", "rain and fog", "the delay"),
        ("It was the rain that caused the delay.", "the rain", "the delay"),
        ("Wide labels are what caused the delay.", "Wide labels", "the delay"),
        ("Thanks to the cache we survived.", "the cache", "we survived"),
        ("Errors rose, most likely due to the new settings.", "the new settings", "Errors rose"),
        ("Alerts were silenced, so nobody came.", "Alerts were silenced", "nobody came"),
    ],
)
def test_bounds(text: str, cause: str, effect: str) -> None:
    assert told(text) == [("causes", cause, effect)]


def test_the_cue_is_where_it_stands() -> None:
    text = "It rained. As a result, the cellar flooded."
    (link,) = find_causes(text)
    assert text[slice(*link.cue)] == "As a result"
    assert link == CausalLink("causes", (0, 10), (24, 42), link.cue)


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("The disk filled up. This caused an outage.", "The disk filled up.", "an outage"),
        ("The disk filled up, and this caused an outage.", "The disk filled up", "an outage"),
        ("Checkout was down. Why? Because the disk filled up.", "the disk filled up", "Checkout was down."),
        ("The disk filled up. That is why checkout was down.", "The disk filled up.", "checkout was down"),
        ("Checkout was down. That is because the disk filled up.", "the disk filled up", "Checkout was down."),
        ("Checkout was down. Caused by a full disk.", "a full disk", "Checkout was down."),
        ("The disk filled up. The team therefore added an alarm.", "The disk filled up.", "The team therefore added an alarm"),
        ("The disk filled up. The result was an outage.", "The disk filled up.", "an outage"),
        ("Why the alarm was late: its threshold was too high.", "its threshold was too high", "the alarm was late"),
    ],
)
def test_neighbouring_sentences(text: str, cause: str, effect: str) -> None:
    assert ("causes", cause, effect) in told(text)


def test_a_label_is_about_the_paragraph_before() -> None:
    text = "Checkout was down. Two customers called.\n\nRoot cause: a full disk. It has been replaced."
    assert told(text) == [("causes", "a full disk", "Checkout was down. Two customers called.")]


def test_without_an_earlier_sentence_there_is_nothing_to_refer_to() -> None:
    assert find_causes("Therefore we moved.") == []
    assert find_causes("Root cause: a full disk.") == []


def test_a_chain_of_arrows() -> None:
    text = "two bookings get one key → the provider answers with 409 → our client charges again"
    assert told(text) == [
        ("causes", "two bookings get one key", "the provider answers with 409"),
        ("causes", "the provider answers with 409", "our client charges again"),
    ]


def test_what_did_not_happen_for_a_reason_is_still_caused() -> None:
    (link,) = find_causes("We did not ship because the tests failed.")
    assert not link.negated


def test_each_relation_is_told_once() -> None:
    text = "Rain caused floods. Rain caused floods."
    assert len(find_causes(text)) == 2
    assert len({(link.cause, link.effect) for link in find_causes(text)}) == 2


@given(TEXTS)
def test_any_text(text: str) -> None:
    for link in find_causes(text):
        for start, end in (link.cause, link.effect, link.cue):
            assert 0 <= start < end <= len(text)
            assert not text[start].isspace()
            assert not text[end - 1].isspace()
        assert max(link.cause[0], link.effect[0]) >= min(link.cause[1], link.effect[1])


@pytest.mark.parametrize(
    "unit",
    [
        "because ",
        "caused by ",
        "pain from ",
        "a, and ",
        "(",
        ".",
        "_",
        "the cause was ",
        ", , ",
        "why why: ",
        "`",
        "so that ",
        "word. ",
        "x",
    ],
)
def test_a_long_line_takes_linear_time(unit: str) -> None:
    def seconds(length: int) -> float:
        text = (unit * (length // len(unit) + 1))[:length]

        def once() -> float:
            started = time.process_time()
            find_causes(text)
            return time.process_time() - started

        return min(once() for _ in range(3))  # the garbage of other tests may be collected within one

    # Four times the length: a square would take sixteen times as long. The constant is for noise.
    assert seconds(24_000) < 8 * seconds(6_000) + 0.5
