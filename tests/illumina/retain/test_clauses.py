"""The rough bounds of phrases."""

from __future__ import annotations

import pytest

from illumina.retain.clauses import Words


def words(text: str) -> Words:
    return Words(text, 0, len(text))


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
