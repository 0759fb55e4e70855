"""Documents named by id, and texts without their markup."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.retain.references import begins_with_reference, cleaned, named, references


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (":pep:`8001` and :pep:`PEP 554 <554#ideas>`", ("PEP 8001", "PEP 554")),
        ("ADR-0012, [ADR 7 — Title](./ADR%20007%20-%20Title.md) and RFC 2119", ("ADR-0012", "ADR 7", "RFC 2119")),
        ("PEPs 5, 6 and 7", ("PEP 5", "PEP 6", "PEP 7")),
        ("#123, !45, MER-288 and #123 again", ("#123", "!45", "MER-288")),
        ("v2.1.3, 30 days and a#1", ()),
    ],
)
def test_references(text: str, ids: tuple[str, ...]) -> None:
    plain = cleaned(text)
    assert len(plain) == len(text)
    assert references(plain, (0, len(plain))) == ids
    assert references(plain, None) == ()


@pytest.mark.parametrize("text", ["UTF-8 and SHA-256", "step-3 of foo-12", "v-1"])
def test_what_only_looks_like_an_id(text: str) -> None:
    assert references(text, (0, len(text))) == ()


def test_what_is_only_pointed_to() -> None:
    text = "the flag of PEP 3, as described in PEP 5"
    assert named(text, (0, len(text))) == ("PEP 3",)
    assert named(text, None) == ()


@pytest.mark.parametrize(("text", "begins"), [("the ADR-7", True), ("**ADR-7** and more", True), ("parts of ADR-7", False)])
def test_a_stretch_that_begins_with_an_id(text: str, begins: bool) -> None:
    assert begins_with_reference(text, (0, len(text))) is begins


@given(st.text(st.sampled_from("[]()*_~`:pepadrADR >1234#-\n é👍"), max_size=80))
def test_any_text_keeps_its_length(text: str) -> None:
    assert len(cleaned(text)) == len(text)
