"""Where sentences end."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.retain.sentences import sentences


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


@given(st.text(max_size=120))
def test_sentences_hold_all_that_is_written(text: str) -> None:
    found = sentences(text)
    assert "".join("".join(text[it.start : it.end].split()) for it in found) == "".join(text.split())
    assert all(one.end <= other.start for one, other in pairwise(found))
