"""What can be stored, what it is then called, and what is refused."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.errors import InvalidInputError, InvalidTextError
from illumina.retain.prepare import MAX_METADATA_DEPTH, MAX_NAME_BYTES, check_namespace, prepare
from illumina.types import Document, Utterance

if TYPE_CHECKING:
    from collections.abc import Callable

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)
STORABLE = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
SPOKEN = STORABLE.filter(str.strip)


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


@given(st.lists(st.tuples(SPOKEN, st.none() | STORABLE), min_size=1, max_size=5))
def test_spans_read_back_each_utterance_exactly(turns: list[tuple[str, str | None]]) -> None:
    prepared = prepare(Document([Utterance(text, speaker) for text, speaker in turns]), "n")
    assert prepared.segments is not None
    assert [prepared.body[s.start : s.end] for s in prepared.segments] == [text for text, _ in turns]
    assert [s.speaker for s in prepared.segments] == [speaker for _, speaker in turns]
    assert [s.label for s in prepared.segments] == [str(n) for n in range(1, len(turns) + 1)]


def test_a_dialogue_is_rendered_for_readers() -> None:
    prepared = prepare(Document([Utterance("Why?", "Ana", NINE, "D1"), Utterance("So.")], occurred_at=NINE + timedelta(1)), "n")
    assert prepared.body == "Ana: Why?\nSo."
    assert prepared.segments is not None
    assert [s.occurred_at for s in prepared.segments] == [NINE, NINE + timedelta(1)]
    assert [s.label for s in prepared.segments] == ["D1", "2"]


BASE: dict[str, Any] = {"body": "text", "source": "s", "key": "k", "occurred_at": NINE, "metadata": {"a": 1}}


@pytest.mark.parametrize("change", [{"body": "other"}, {"occurred_at": None}, {"metadata": {}}])
def test_with_a_key_other_content_is_another_version(change: dict[str, Any]) -> None:
    one, two = prepare(Document(**BASE), "n"), prepare(Document(**BASE | change), "n")
    assert one.id == two.id
    assert one.digest != two.digest


@pytest.mark.parametrize("change", [{"source": "t"}, {"key": "l"}, {"key": None}])
def test_source_and_key_name_a_document(change: dict[str, Any]) -> None:
    assert prepare(Document(**BASE), "n").id != prepare(Document(**BASE | change), "n").id


def test_namespaces_do_not_share_ids() -> None:
    assert prepare(Document(**BASE), "n").id != prepare(Document(**BASE), "m").id


def test_without_a_key_the_content_names_a_document() -> None:
    unkeyed = BASE | {"key": None}
    assert prepare(Document(**unkeyed), "n").id == prepare(Document(**unkeyed), "n").id
    changes: list[dict[str, Any]] = [{"body": "other"}, {"occurred_at": None}, {"metadata": {}}, {"source": "t"}]
    for change in changes:
        assert prepare(Document(**unkeyed), "n").id != prepare(Document(**unkeyed | change), "n").id


def test_a_key_cannot_pretend_to_be_content() -> None:
    unkeyed = prepare(Document("text"), "n")
    assert prepare(Document("text", key=unkeyed.digest.hex), "n").id != unkeyed.id


def test_the_same_moment_in_another_zone_is_the_same() -> None:
    there = NINE.astimezone(timezone(timedelta(hours=13, minutes=45)))
    assert prepare(Document("x", occurred_at=NINE), "n").id == prepare(Document("x", occurred_at=there), "n").id


def test_text_and_its_rendering_as_a_dialogue_differ() -> None:
    assert prepare(Document("Ana: Why?"), "n").id != prepare(Document([Utterance("Why?", "Ana")]), "n").id


def test_the_order_of_metadata_does_not_matter() -> None:
    one, two = Document("x", metadata={"a": 1, "b": [2.5]}), Document("x", metadata={"b": (2.5,), "a": 1})
    assert prepare(one, "n") == prepare(two, "n")
    assert json.loads(prepare(one, "n").metadata) == {"a": 1, "b": [2.5]}


LONG = "ü" * (MAX_NAME_BYTES // 2 + 1)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (Document("a\0b"), r"The text: the character at position 1 is NUL"),
        (Document("a\ud800"), r"The text: the character at position 1 is the lone surrogate U\+D800"),
        (Document("x", "s\0"), "The source: .* NUL"),
        (Document("x", key="\udfff"), "The key: .* lone surrogate"),
        (Document("x", LONG), "The source is longer than 2,000 bytes"),
        (Document("x", key=LONG), "The key is longer than 2,000 bytes"),
        (Document(""), "The text is empty"),
        (Document(" \n\t\u3000\x1f"), "The text is empty"),
        (Document([]), "The text is empty"),
        (Document([Utterance("x"), Utterance(" \n")]), "Utterance 2 is empty. Leave it out"),
        (Document([Utterance("x\0", label="D1")]), "Utterance D1: .* NUL"),
        (Document([Utterance("x", "A\0")]), "The speaker of utterance 1: .* NUL"),
        (Document([Utterance("x", LONG)]), "The speaker of utterance 1 is longer"),
        (Document([Utterance("x", label="\ud800")]), "The label of utterance 1: .* surrogate"),
        (Document([Utterance("x", label="D"), Utterance("y", label="D")]), "The label 'D' stands on two"),
        (Document([Utterance("x", label="2"), Utterance("y")]), "The label '2' stands on two"),
        (Document("x", occurred_at=NINE.replace(tzinfo=None)), "The document's time .* has no time zone"),
        (Document([Utterance("x", None, NINE.replace(tzinfo=None))]), "The time of utterance 1 .* no time zone"),
        (
            Document("x", occurred_at=datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))),
            "outside the years 1 to 9999",
        ),
        (
            Document([Utterance("x", None, datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-2))))]),
            "The time of utterance 1 .* outside the years 1 to 9999",
        ),
        (Document("x", metadata={"a": [1, math.nan]}), r"The number at metadata\.a\[1\] is nan"),
        (Document("x", metadata={"a": -math.inf}), r"The number at metadata\.a is -inf"),
        (Document("x", metadata={"a": 10**1000}), r"The number at metadata\.a has more than 1,000 digits"),
        (Document("x", metadata={"a": -(10**5000)}), "more than 1,000 digits"),
        (Document("x", metadata={"a": {"b": "\0"}}), r"The text at metadata\.a\.b: .* NUL"),
        (Document("x", metadata={"a": {"\ud800": 1}}), r"A key at metadata\.a: .* surrogate"),
        (Document("x", metadata={"a": {1: 2}}), r"The key 1 at metadata\.a is not a string"),
        (Document("x", metadata={"a": NINE}), r"The value at metadata\.a is a datetime"),
        (Document("x", metadata={"a": b"bytes"}), r"The value at metadata\.a is a bytes"),
        (Document("x", metadata={"a": {1, 2}}), r"The value at metadata\.a is a set"),
        (Document("x", metadata=nested(MAX_METADATA_DEPTH + 1)), "nested deeper than 64 levels"),
        (Document("x", metadata=nested(100_000)), "nested deeper than 64 levels"),
    ],
)
def test_what_cannot_be_stored_is_refused_with_the_mend(document: Document, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message) as caught:
        prepare(document, "n")
    assert "\n" not in str(caught.value)
    str(caught.value).encode()


def test_the_limits_themselves_are_allowed() -> None:
    name = "ü" * (MAX_NAME_BYTES // 2)
    metadata = nested(MAX_METADATA_DEPTH) | {"n": 10**1000 - 1, "f": -1.7e308}
    prepared = prepare(Document("x", name, name, datetime.max.replace(tzinfo=UTC), metadata), "n")
    assert prepared.source == name


@pytest.mark.parametrize("name", ["default", "a'b\"c", "日本語", "🚀", " x ", "a\nb", "%s", "../..", "'; drop table x --"])
def test_any_name_will_do_for_a_namespace(name: str) -> None:
    check_namespace(name)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("", InvalidInputError),
        (" \t", InvalidInputError),
        ("a\0", InvalidTextError),
        ("\ud800", InvalidTextError),
        (LONG, InvalidInputError),
    ],
)
def test_namespaces_without_a_storable_name_are_refused(name: str, error: type[Exception]) -> None:
    with pytest.raises(error, match="The namespace"):
        check_namespace(name)


@given(STORABLE.filter(str.strip), st.sampled_from([prepare]))
def test_preparing_is_pure(text: str, function: Callable[[Document, str], object]) -> None:
    assert function(Document(text), "n") == function(Document(text), "n")


def test_metadata_keeps_small_numbers_apart() -> None:
    one, two = (prepare(Document("x", metadata={"a": value}), "n") for value in (1e-12, 2e-12))
    assert one.digest != two.digest
    assert json.loads(one.metadata) == {"a": 1e-12}


@pytest.mark.parametrize("body", [5, None, b"abc", ["a string"]])
def test_what_is_no_text_is_refused(body: Any) -> None:
    with pytest.raises(InvalidInputError, match="Pass a string, or a list of Utterance"):
        prepare(Document(body), "default")
