from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.retain.llm.quotes import Quotations


def test_a_quotation_is_found_letter_for_letter() -> None:
    assert Quotations("We moved. We moved on.").locate("moved on") == (13, 21)


def test_each_occurrence_is_used_once_and_then_the_first_again() -> None:
    found = Quotations("go, go, go")
    assert [found.locate("go") for _ in range(4)] == [(0, 2), (4, 6), (8, 10), (0, 2)]


@pytest.mark.parametrize(
    ("text", "quote", "span"),
    [
        ("a  b\n\tc", "a b c", "a  b\n\tc"),
        ("she said “no”", 'said "no"', "said “no”"),
        ('she said "no"', "said “no”", 'said "no"'),
        ("don’t", "don't", "don’t"),
        ("one\r\ntwo", "one two", "one\r\ntwo"),
        ("one\u00a0two", "one two", "one\u00a0two"),
        ("x  end", "  end \n", "end"),
    ],
)
def test_white_space_and_the_style_of_marks_may_differ(text: str, quote: str, span: str) -> None:
    place = Quotations(text).locate(quote)
    assert place is not None
    assert text[slice(*place)] == span


@pytest.mark.parametrize("quote", ["", "  ", "moves", "We Moved", "moved We"])
def test_what_does_not_occur_is_not_found(quote: str) -> None:
    assert Quotations("We moved.").locate(quote) is None


def test_letter_for_letter_comes_before_alike() -> None:
    assert Quotations("a  b and a b").locate("a b") == (9, 12)


def test_the_own_part_comes_before_the_context() -> None:
    text = "go now. go now."
    assert Quotations(text, 8).locate("go now.") == (8, 15)
    assert Quotations("go now. ‘tis", 8).locate("go now.") == (0, 7), "else it is the context's"


@given(st.text(max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_every_stretch_of_a_text_is_found_in_it(text: str, one: int, other: int) -> None:
    stretch = text[min(one, other) : max(one, other)]
    place = Quotations(text).locate(stretch)
    if stretch.strip():
        assert place is not None
        assert text[slice(*place)] == stretch.strip()
    else:
        assert place is None


@given(st.text(alphabet='ab \n“"', max_size=30), st.text(alphabet='ab \n“"', max_size=8))
def test_what_is_found_is_the_quotation_up_to_white_space_and_marks(text: str, quote: str) -> None:
    place = Quotations(text).locate(quote)
    plain = " ".join(quote.replace("“", '"').split())
    flat = " ".join(text.replace("“", '"').split())
    assert (place is not None) == bool(plain and plain in flat)
    if place is not None:
        assert " ".join(text[slice(*place)].replace("“", '"').split()) == plain
