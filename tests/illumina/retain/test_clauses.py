"""Sentences and the rough bounds of phrases."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.retain.clauses import Words, sentences


def words(text: str) -> Words:
    return Words(text, 0, len(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Leask wrote, e.g. a letter. Then he left.", ["Dr. Leask wrote, e.g. a letter.", "Then he left."]),
        ("J. Smith came. It is v2.1.3 vs. v2.1.4, ca. now", ["J. Smith came.", "It is v2.1.3 vs. v2.1.4, ca. now"]),
        ("recovered. postmortem at 5. no, at 6", ["recovered.", "postmortem at 5. no, at 6"]),
        ("7. Labels. They are new.", ["7. Labels.", "They are new."]),
        ("電池。画面！はい", ["電池。", "画面！", "はい"]),
        ("A line\nthat is wrapped.\n\nAnother", ["A line\nthat is wrapped.", "Another"]),
        ("- one\n- two\n3. three", ["- one", "- two", "3. three"]),
        ('He said "stop." She did.', ['He said "stop."', "She did."]),
        ("One.\r\n\r\nTwo", ["One.", "Two"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[it.start : it.end] for it in sentences(text)] == expected


def test_which_sentence_opens_a_paragraph() -> None:
    assert [it.opens for it in sentences("One. Two.\n\nThree. Four.")] == [True, False, True, False]


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("we saw the outage of the old gateway |", "the outage of the old gateway"),
        ("because heavy rain and hail |", "heavy rain and hail"),
        ("he said losses (about 30) |", "losses (about 30)"),
        ("it was quickly |", ""),
    ],
)
def test_a_noun_phrase_before_a_word(text: str, phrase: str) -> None:
    read = words(text)
    end = len(read) - 1
    span = read.span(read.noun_phrase_before(end), end)
    assert ("" if span is None else text[slice(*span)]) == phrase


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("the disk, the fan and the pump", "the disk, the fan and the pump"),
        ("a full disk, which nobody saw", "a full disk"),
        ("a full disk and it stopped", "a full disk"),
        ("a full disk because of logs", "a full disk"),
        ("a full disk (again) in May", "a full disk (again) in May"),
    ],
)
def test_an_object_after_a_verb(text: str, phrase: str) -> None:
    read = words(text)
    span = read.span(0, read.object_after(0))
    assert span is not None
    assert text[slice(*span)] == phrase


def test_the_main_verb_ends_what_a_reduced_relative_clause_holds() -> None:
    read = words("the upgrade was long")
    assert read.object_after(0, reduced=True) == 2


@given(st.text(max_size=120))
def test_sentences_hold_all_that_is_written(text: str) -> None:
    found = sentences(text)
    assert "".join("".join(text[it.start : it.end].split()) for it in found) == "".join(text.split())
    assert all(one.end <= other.start for one, other in pairwise(found))
