"""Ids come from content alone, and no two contents share one by accident of framing."""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.errors import InvalidInputError
from illumina.ids import content_key, content_uuid, digest, namespace_key, public_id

if TYPE_CHECKING:
    from uuid import UUID

TEXT = st.text(st.characters(codec="utf-8"))
PARTS = st.lists(st.none() | st.integers() | TEXT)


def test_parts_are_framed_by_kind_and_length() -> None:
    assert digest("añ", None, -12) == hashlib.sha256(b"s3:a\xc3\xb1;n;i3:-12;").digest()
    assert content_uuid("añ", None, -12).bytes == digest("añ", None, -12)[:16]


@given(PARTS, PARTS)
def test_different_parts_have_different_digests(one: list[str | int | None], two: list[str | int | None]) -> None:
    assert (digest(*one) == digest(*two)) == (one == two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (("ab", "c"), ("a", "bc")),
        ((), ("",)),
        (("1",), (1,)),
        ((None,), ("None",)),
        (("a;s1:b",), ("a", "b")),
    ],
)
def test_the_usual_mistakes_of_framing(one: tuple[str | int | None, ...], two: tuple[str | int | None, ...]) -> None:
    assert digest(*one) != digest(*two)


@given(TEXT)
def test_a_namespace_key_fits_a_bigint(name: str) -> None:
    frame = f"s9:namespace;s{len(name.encode())}:".encode() + name.encode() + b";"
    (expected,) = struct.unpack(">q", hashlib.sha256(frame).digest()[:8])
    assert namespace_key(name) == expected


@given(st.uuids(), st.sampled_from(["fct_", "doc_"]))
def test_a_public_id_can_be_read_back(key: UUID, prefix: str) -> None:
    identifier = public_id(prefix, key)
    assert len(identifier) == 36
    assert content_key(prefix, identifier) == key


@pytest.mark.parametrize(
    "identifier",
    [
        "",
        "doc_",
        "doc_1",
        "fct_" + "0" * 32,
        "0" * 32,
        "doc_" + "A" * 32,
        "doc_" + "0" * 33,
        "doc_doc_" + "0" * 32,
        "doc_" + "٠" * 32,
        "doc_" + "0" * 31 + "\0",
    ],
)
def test_what_is_no_id_is_refused(identifier: str) -> None:
    with pytest.raises(InvalidInputError, match="no id of the form doc_"):
        content_key("doc_", identifier)
