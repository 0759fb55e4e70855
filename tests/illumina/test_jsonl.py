"""Chat exports: what a line means, and that no line at all can do harm."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.errors import InvalidInputError
from illumina.jsonl import parse_document
from illumina.retain.prepare import prepare
from illumina.types import Document, Utterance

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)


def test_a_text_with_everything() -> None:
    line = '{"text":"We moved.","id":"m1","source":"slack:#ops","occurred_at":"2026-03-02T10:00:00+01:00","team":[1]}'
    assert parse_document(line, source="file:x") == Document("We moved.", "slack:#ops", "m1", NINE, {"team": [1]})


def test_a_message_is_a_dialogue_of_one() -> None:
    line = '{"text": "We moved.", "speaker": "Ana", "occurred_at": "2026-03-02T09:00:00Z"}'
    assert parse_document(line, source="file:x") == Document((Utterance("We moved.", "Ana", NINE),), "file:x", None, NINE)


def test_a_dialogue() -> None:
    line = '{"turns": [{"text": "Why?"}, {"text": "So.", "speaker": "Ana", "label": "D1", "occurred_at": "2026-03-02 09:00Z"}]}'
    assert parse_document(line) == Document((Utterance("Why?"), Utterance("So.", "Ana", NINE, "D1")))


def test_null_is_as_good_as_nothing() -> None:
    line = '{"text": "x", "id": null, "source": null, "speaker": null, "occurred_at": null}'
    assert parse_document(line, source="s") == Document("x", "s")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "Not JSON"),
        ("nonsense", "Not JSON"),
        ('{"text": "x"', "Not JSON"),
        ("[" * 100_000, "Not JSON"),
        ('{"text": "x", "n": ' + "9" * 5000 + "}", "Not JSON"),
        ('{"text": "first", "text": "second"}', 'The key "text" is there twice. Keep one'),
        ('{"turns": [{"text": "x", "speaker": "Ana", "speaker": "Bo"}]}', 'The key "speaker" is there twice'),
        ('{"text": "x", "room": {"a": 1, "a": 1}}', 'The key "a" is there twice'),
        ("[]", "A list instead of an object"),
        ('"text"', "A str instead of an object"),
        ("{}", 'Either "text" or "turns"'),
        ('{"text": "x", "turns": []}', "not both"),
        ('{"turns": []}', "at least one"),
        ('{"turns": {}}', "must be a list"),
        ('{"turns": ["x"]}', 'object with "text"'),
        ('{"turns": [{"speaker": "Ana"}]}', 'object with "text"'),
        ('{"turns": [{"text": "x", "time": 1}]}', "unknown field 'time'"),
        ('{"text": 5}', '"text" must be a string, not int'),
        ('{"text": null}', '"text" must be a string, not NoneType'),
        ('{"text": "x", "id": 5}', '"id" must be a string'),
        ('{"text": "x", "source": ["s"]}', '"source" must be a string'),
        ('{"text": "x", "occurred_at": 1772442000}', '"occurred_at" must be a string'),
        ('{"text": "x", "occurred_at": "yesterday"}', "Write ISO 8601"),
        ('{"text": "x", "occurred_at": "2026-03-02T09:00"}', "Add one, such as '2026-03-02T09:00Z' for UTC"),
    ],
)
def test_what_is_wrong_is_named(line: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message) as caught:
        parse_document(line)
    assert "\n" not in str(caught.value)


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "turns", "id", "occurred_at", "speaker", "label", "x"]), inner)
    ),
    max_leaves=12,
)


@given(st.text() | JSON.map(json.dumps))
def test_any_line_is_a_document_or_an_error_of_ours(line: str) -> None:
    try:
        prepared = prepare(parse_document(line), "n")
    except InvalidInputError:
        return
    assert prepared.body.strip()
