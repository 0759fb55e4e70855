"""The extractor that changes nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from illumina.retain.extract import facts_of
from illumina.retain.prepare import prepare
from illumina.retain.verbatim import VerbatimExtractor
from illumina.types import Document, Fact, Utterance

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)
TEXT = st.text(st.sampled_from("aA b\n\t\r\x0b\u3000é漢"), max_size=40).filter(str.strip)


def facts(document: Document, version: int = 1) -> list[Fact]:
    return list(facts_of(replace(prepare(document, "n"), version=version), VerbatimExtractor()))


def test_each_paragraph_is_a_fact() -> None:
    body = "One.\nStill one.\n\n  \n\tTwo.\r\n\r\nThree.  \n"
    found = facts(Document(body, "s", "k", NINE))
    assert [fact.content for fact in found] == ["One.\nStill one.", "Two.", "Three."]
    assert [fact.ordinal for fact in found] == [0, 1, 2]
    assert [fact.segment.label for fact in found] == ["1", "2", "3"]
    assert {(fact.source, fact.segment.speaker, fact.segment.occurred_at) for fact in found} == {("s", None, NINE)}


def test_each_utterance_is_a_fact_with_its_speaker() -> None:
    found = facts(Document([Utterance("One.\n\nStill one.", "Ana", None, "D1"), Utterance("Two.", None, NINE)]))
    assert [(fact.content, fact.indexed_text) for fact in found] == [
        ("One.\n\nStill one.", "Ana: One.\n\nStill one."),
        ("Two.", "Two."),
    ]
    assert [(fact.segment.label, fact.segment.occurred_at) for fact in found] == [("D1", None), ("2", NINE)]


@given(TEXT)
def test_nothing_is_lost_and_nothing_invented(body: str) -> None:
    found = facts(Document(body))
    assert "".join("".join(fact.content.split()) for fact in found) == "".join(body.split())
    for fact in found:
        assert fact.content == body[fact.segment.start : fact.segment.end] == fact.content.strip()
    assert len({fact.id for fact in found}) == len(found)


@given(st.lists(st.sampled_from(["alpha", "beta", "gamma"]), min_size=1), st.randoms(use_true_random=False))
def test_ids_follow_words_and_not_places(paragraphs: list[str], random: object) -> None:
    """Whatever the order, the n-th copy of a paragraph is the same fact in every version of its document."""
    shuffled = list(paragraphs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one = facts(Document("\n\n".join(paragraphs), key="k"), 1)
    two = facts(Document("\n\n".join(shuffled), key="k"), 2)
    assert Counter((fact.id, fact.content) for fact in one) == Counter((fact.id, fact.content) for fact in two)
    assert len({fact.id for fact in one}) == len(paragraphs)
    assert {fact.version for fact in two} == {2}


def test_who_said_it_and_when_is_part_of_a_fact() -> None:
    spoken = [("Ana", NINE), ("Bo", NINE), (None, NINE), ("Ana", None)]
    ids = {facts(Document([Utterance("Yes.", *said)], key="k"))[0].id for said in spoken}
    assert len(ids) == len(spoken)


def test_facts_of_different_documents_differ() -> None:
    assert facts(Document("Yes.", key="k"))[0].id != facts(Document("Yes.", key="l"))[0].id


def test_a_digest_ignores_case_and_white_space() -> None:
    one, two, three = (facts(Document(text))[0].content_digest for text in ("We  moved.", "WE\nMOVED.", "We moved"))
    assert one == two != three
