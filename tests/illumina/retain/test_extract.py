"""Facts of chunks, and an outcome for every character."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.errors import ExtractionError, ModelUnavailableError
from illumina.ids import public_id
from illumina.retain.account import account
from illumina.retain.chunk import chunk
from illumina.retain.extract import SPEAKER, UNUSED, extract, facts_of
from illumina.retain.extraction import CausalDraft, Extraction, FactDraft, Rejection
from illumina.retain.prepare import prepare
from illumina.retain.verbatim import VerbatimExtractor
from illumina.store.chunks import Row
from illumina.types import Document, Utterance

if TYPE_CHECKING:
    from illumina.retain.account import Accounted
    from illumina.retain.extract import Extracted
    from illumina.types import Chunk, LedgerDocument


class Scripted:
    """An extractor that answers as it is told, chunk by chunk."""

    name = "scripted"
    fingerprint = "1"

    def __init__(self, *answers: Extraction | Exception) -> None:
        self._answers = answers

    def extract(self, _document: LedgerDocument, part: Chunk) -> Extraction:
        answer = self._answers[part.ordinal % len(self._answers)]
        if isinstance(answer, Exception):
            raise answer
        return answer


def accounted(found: Extracted) -> list[Accounted]:
    rows = [
        Row(
            outcome.chunk,
            "extracted" if outcome.failure is None else "failed",
            tuple((r.start, r.end, r.reason) for r in outcome.rejections),
            outcome.failure,
        )
        for outcome in found.outcomes
    ]
    spans = [(fact.segment.start, fact.segment.end, public_id("fct_", fact.id)) for fact in found.facts]
    return account(found.document.body, rows, spans)


def told(found: Extracted) -> list[tuple[str, str, str]]:
    """Text, outcome and reason of each span that is not white space."""
    return [
        (found.document.body[span.start : span.end], span.outcome, span.reason)
        for span in accounted(found)
        if span.reason != "white space"
    ]


def run(document: Document, *answers: Extraction | Exception) -> Extracted:
    prepared = prepare(document, "default")
    return extract(prepared, chunk(prepared), Scripted(*answers) if answers else VerbatimExtractor())


def test_a_dialogue_is_extracted_but_for_the_names_in_front() -> None:
    found = run(Document([Utterance("Why?", "Ana"), Utterance("Backfills.", "Bo")]))
    assert told(found) == [
        ("Ana:", "rejected", SPEAKER),
        ("Why?", "extracted", ""),
        ("Bo:", "rejected", SPEAKER),
        ("Backfills.", "extracted", ""),
    ]


def test_what_an_extractor_forgets_is_rejected_all_the_same() -> None:
    body = "One fact. A joke. Another fact."
    facts = (FactDraft("One fact.", 0, 9, "1"), FactDraft("Another fact.", 18, 31, "1"))
    assert told(run(Document(body), Extraction(facts))) == [
        ("One fact.", "extracted", ""),
        ("A joke.", "rejected", UNUSED),
        ("Another fact.", "extracted", ""),
    ]
    assert told(run(Document(body), Extraction(facts, rejections=(Rejection(10, 17, "joke"),)))) == [
        ("One fact.", "extracted", ""),
        ("A joke.", "rejected", "joke"),
        ("Another fact.", "extracted", ""),
    ]


def test_facts_that_share_a_span_are_all_named() -> None:
    found = run(
        Document("Ana left and Bo came."), Extraction((FactDraft("Ana left.", 0, 8, "1"), FactDraft("Both.", 0, 21, "1")))
    )
    ids = [public_id("fct_", fact.id) for fact in found.facts]
    assert [(span.start, span.end, list(span.facts)) for span in accounted(found)] == [(0, 8, ids), (8, 21, ids[1:])]


def test_a_chunk_that_cannot_be_used_fails_alone() -> None:
    body = "\n\n".join(["word " * 300] * 2)
    found = run(Document(body), ExtractionError("It answered in prose."), Extraction((FactDraft("Words.", 1502, 1510, "2"),)))
    assert [outcome.failure for outcome in found.outcomes] == ["It answered in prose.", None]
    assert len(found.facts) == 1
    spans = accounted(found)
    assert (spans[0].start, spans[0].end, spans[0].outcome, spans[0].reason) == (0, 1502, "failed", "It answered in prose.")


def test_a_model_that_does_not_answer_leaves_the_whole_document_to_be_tried_again() -> None:
    with pytest.raises(ModelUnavailableError):
        run(Document("A text."), ModelUnavailableError("down"))


def test_equal_statements_are_told_apart_and_causes_are_between_facts() -> None:
    drafts = (FactDraft("Same.", 0, 5, "1"), FactDraft("Same.", 6, 11, "1"))
    found = run(Document("Same. Same."), Extraction(drafts, (CausalDraft("causes", 1, 0, "because"),) * 2))
    assert len({fact.id for fact in found.facts}) == 2
    assert [(stated.cause, stated.effect) for stated in found.causal] == [(found.facts[1].id, found.facts[0].id)]


PIECES = st.sampled_from(["word ", "One. ", "\n\n", "漢字", "🚀 ", "\r\n", "x" * 60, " ", "עברית. "])


@given(st.lists(PIECES, min_size=1, max_size=800).map("".join).filter(str.strip), st.data())
def test_every_character_has_one_outcome_whatever_was_found(body: str, data: st.DataObject) -> None:
    prepared = prepare(Document(body), "default")
    parts = chunk(prepared)
    spans = st.tuples(st.integers(0, len(body) - 1), st.integers(1, 90))
    answers: list[Extraction | Exception] = []
    for part in parts:
        if data.draw(st.integers(0, 4)) == 0:
            answers.append(ExtractionError("no"))
            continue
        facts = [(start, min(start + n, len(body))) for start, n in data.draw(st.lists(spans, max_size=4))]
        answers.append(
            Extraction(
                tuple(
                    FactDraft(f"{start}", start, end, "1")
                    for start, end in sorted(facts)
                    if part.start <= start < part.end and body[start:end].strip()
                )
            )
        )
    found = extract(prepared, parts, Scripted(*answers))
    spans_told = accounted(found)
    assert "".join(body[span.start : span.end] for span in spans_told) == body
    for span in spans_told:
        inside = {public_id("fct_", f.id) for f in found.facts if f.segment.start <= span.start and f.segment.end >= span.end}
        assert set(span.facts) == inside
        assert (span.outcome == "extracted") == bool(inside)


@pytest.mark.parametrize("body", ["x" * 100_000, "word " * 20_000, "a\n\nb\n\n" * 10_000])
def test_a_paragraph_longer_than_a_chunk_is_one_fact_and_huge_bodies_add_up(body: str) -> None:
    prepared = prepare(Document(body), "default")
    found = extract(prepared, chunk(prepared), VerbatimExtractor())
    assert [fact.content for fact in found.facts] == [piece for piece in body.split("\n\n") if piece.strip()] or len(
        found.facts
    ) == 1
    assert {outcome for _, outcome, _ in told(found)} == {"extracted"}
    assert facts_of(prepared, VerbatimExtractor()) == found.facts
