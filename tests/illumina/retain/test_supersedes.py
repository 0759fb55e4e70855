"""What no longer holds: bounds, ids, titles, and texts of any kind."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.retain.supersedes import find_supersessions

FRAGMENTS = st.sampled_from(
    [
        "replaces",
        "replaced by",
        "superseded by",
        ":pep:`287`",
        "ADR-0012",
        "[ADR 3 — x](ADR%203.md)",
        "this ADR",
        "no longer",
        "any more",
        "not",
        "instead of",
        "moved",
        "from",
        "to",
        "from now on",
        "as of",
        "1 June",
        ",",
        ".",
        ":",
        "(",
        ")",
        "\n",
        "\n\n",
        "# ",
        "* ",
        "**",
        "_",
        "`a`",
        "used to",
        "reverted",
        "is",
        "was",
        "3",
        "gone",
        "predecessor",
        "in favour of",
        "dropped",
        "the",
        "old",
        "👍",
        "ł",
        "Status: accepted, replaces",
        "RFC 2119 and 2120",
        "differences from",
        "with",
        "up from",
        "see",
        "instead",
    ]
)
TEXTS = st.text(max_size=200) | st.lists(FRAGMENTS, max_size=40).map(" ".join)


def test_spans_are_those_of_the_text_with_its_markup() -> None:
    text = "This **replaces** :pep:`287`."
    (cue,) = find_supersessions(text)
    assert cue.old is not None
    assert text[slice(*cue.old)] == ":pep:`287`"
    assert text[slice(*cue.cue)] == "replaces"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("We moved the queue from Redis to Postgres in May.", "Redis", "Postgres in May"),
        ("We replaced the cron job with an event trigger.", "the cron job", "an event trigger"),
        ("Error is 16.4 min, was 11.2 in spring.", "11.2 in spring", "Error is 16.4 min"),
        ("The plan was rejected and superseded by a smaller one.", "The plan", "a smaller one"),
        ("Raised to 1800 for all.", None, "Raised to 1800 for all"),
    ],
)
def test_bounds(text: str, old: str | None, new: str) -> None:
    said = [
        tuple(None if span is None else text[slice(*span)] for span in (cue.old, cue.new)) for cue in find_supersessions(text)
    ]
    assert (old, new) in said


def test_what_is_pointed_to_is_not_replaced() -> None:
    (cue,) = find_supersessions("This document replaces the old names as described in PEP 425.")
    assert cue.old_ids == ()


def test_a_document_replaced_in_a_table_is_not_the_text_itself() -> None:
    assert not any(cue.old_is_self for cue in find_supersessions("| `foo` | Replaced by `bar` (ADR-7) |"))


def test_a_proposal_is_hypothetical() -> None:
    (cue,) = find_supersessions("This proposal would replace PEP 397.")
    assert cue.hypothetical
    assert cue.new_is_self


@given(TEXTS)
def test_any_text(text: str) -> None:
    for cue in find_supersessions(text):
        assert cue.old is not None or cue.new is not None
        for span in filter(None, (cue.old, cue.new, cue.cue)):
            assert 0 <= span[0] < span[1] <= len(text)


@pytest.mark.parametrize(
    "unit",
    [
        "replaced by ",
        "moved from a to b ",
        "supersedes this ADR ",
        "PEP 1, 2 and 3 ",
        "*",
        "_",
        "a_",
        "[",
        ":pep:`",
        "no longer ",
        ">",
        "x",
        ".",
    ],
)
def test_a_long_line_takes_linear_time(unit: str) -> None:
    def seconds(length: int) -> float:
        text = (unit * (length // len(unit) + 1))[:length]

        def once() -> float:
            started = time.process_time()
            find_supersessions(text)
            return time.process_time() - started

        return min(once() for _ in range(3))  # the garbage of other tests may be collected within one

    # Four times the length: a square would take sixteen times as long. The constant is for noise.
    assert seconds(24_000) < 8 * seconds(6_000) + 0.5
