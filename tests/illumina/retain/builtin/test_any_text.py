"""Any text: all of it is accounted for, spans hold, nothing depends on where the document was cut, and time is linear."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.retain.builtin import BuiltinExtractor
from illumina.retain.extraction import Extraction, FactDraft, Rejection
from illumina.retain.prepare import prepare
from illumina.types import Chunk, Document, LedgerDocument, Utterance
from tests.illumina.retain.builtin.labelled import ledger, whole

FRAGMENTS = st.sampled_from(
    [
        "The backup failed because the disk was full.",
        "I think we should use Postgres, and Bob agrees.",
        "She told him that it broke yesterday",
        "Hi Bob, thanks!",
        "ok",
        "Why?",
        "we saw it, did you?",
        "# Heading\n",
        "Title\n=====\n",
        "---\n",
        "```\ncode = 1\n",
        "```\n",
        "~~~",
        "| a | b |\n|---|---|\n| 1 | x |\n",
        "- item: one\n",
        "1. ",
        "* [ ] call Ann\n",
        "The list:\n",
        "> quoted. text\n",
        "<p>a <b>bold</b> word</p>",
        "<!-- comment",
        "-->",
        "<h2>Head</h2>",
        "[link](https://x.example/a(b))",
        "**Decision:** ",
        "__init__ and _x_ and `a_b`",
        "    indented = code()\n",
        "\n",
        "\n\n",
        "\r\n",
        "\r\n\r\n",
        "\t",
        " ",
        "\u00a0",
        "\u2028",
        "\x0b\x0c",
        "😀 🎉",
        "👩‍👩‍👧",
        "مرحبا بالعالم. كيف الحال؟",
        "שלום \u200fעולם.",
        "漢字。かな！",
        "Ünïcödé Ångström ﬁ İstanbul ß",
        "e.g. 3.5 v1.2.3 ILLUM-12 #42 #chan @me a@b.example",
        "Key: value\n",
        "...",
        "?!",
        '"',
        "(",
        ")",
        "|",
        "; ",
        ", so it",
        " and I'll go",
        "at 5 pm on 3 May 2026",
        "x" * 50,
    ]
)
TEXTS = st.one_of(st.lists(FRAGMENTS, min_size=1, max_size=14).map("".join), st.text(min_size=1, max_size=80)).filter(
    lambda text: bool(text.strip()) and "\0" not in text and not any("\ud800" <= sign <= "\udfff" for sign in text)
)


def accounted(document: LedgerDocument, chunk: Chunk, extraction: Extraction) -> None:
    """Facts and rejections cover all of a chunk but white space; every span is in its place."""
    body = document.body
    covered = bytearray(len(body))
    for one, other in pairwise(extraction.rejections):
        assert one.end <= other.start
    for rejection in extraction.rejections:
        assert chunk.start <= rejection.start < rejection.end <= chunk.end
        assert rejection.reason
        covered[rejection.start : rejection.end] = b"\1" * (rejection.end - rejection.start)
    starts = [fact.start for fact in extraction.facts]
    assert starts == sorted(starts)
    for fact in extraction.facts:
        holds(fact, chunk, body)
        covered[fact.start : fact.end] = b"\1" * (fact.end - fact.start)
    for link in extraction.causal:
        assert link.cause != link.effect
        assert {link.cause, link.effect} <= set(range(len(extraction.facts)))
        assert link.cue
    left = [place for place in range(chunk.start, chunk.end) if not covered[place] and not body[place].isspace()]
    assert not left, body[left[0] :]


def holds(fact: FactDraft, chunk: Chunk, body: str) -> None:
    assert chunk.start <= fact.start < min(chunk.end, fact.end)
    assert fact.end <= len(body)
    assert fact.statement.strip()
    assert "\n" not in fact.statement
    for mention in fact.mentions:
        assert mention.name.strip()
        if mention.start is not None and mention.end is not None:
            assert fact.start <= mention.start < mention.end <= fact.end
    for relation in fact.relations:
        assert relation.subject != relation.object
        assert {relation.subject, relation.object} <= set(range(len(fact.mentions)))


@given(TEXTS)
def test_a_text_is_accounted_for(text: str) -> None:
    document = ledger(text)
    accounted(document, whole(document), BuiltinExtractor().extract(document, whole(document)))


@given(st.lists(st.tuples(TEXTS, st.sampled_from([None, "Ann", "Bo Li"])), min_size=1, max_size=5), st.booleans())
def test_a_dialogue_is_accounted_for(turns: list[tuple[str, str | None]], dated: bool) -> None:
    said = datetime(2026, 3, 2, tzinfo=UTC) if dated else None
    document = prepare(Document(body=[Utterance(text, speaker) for text, speaker in turns], occurred_at=said), "any")
    extraction = BuiltinExtractor().extract(document, whole(document))
    accounted(document, whole(document), extraction)
    assert document.segments is not None
    spans = [(it.start, it.end, it.speaker) for it in document.segments]
    for fact in extraction.facts:
        # No fact reaches over two utterances or into a label, and each has its speaker, quotations aside.
        start, end, speaker = next(span for span in spans if span[0] <= fact.start < span[1])
        assert start <= fact.start < fact.end <= end
        assert fact.speaker in {speaker, None}


@given(TEXTS, st.lists(st.integers(0, 400), max_size=5))
def test_where_it_is_cut_does_not_matter(text: str, places: list[int]) -> None:
    document = ledger(text)
    cuts = [0, *sorted({place for place in places if 0 < place < len(document.body)}), len(document.body)]
    pieces: list[FactDraft] = []
    lost: list[Rejection] = []
    for ordinal, (start, end) in enumerate(pairwise(cuts)):
        chunk = Chunk(ordinal, start, end, max(0, start - 100), "")
        extraction = BuiltinExtractor().extract(document, chunk)
        accounted(document, chunk, extraction)
        pieces += extraction.facts
        lost += extraction.rejections
    assert tuple(pieces) == BuiltinExtractor().extract(document, whole(document)).facts


LONG = {
    "one line": "word and more ",
    "one line of sentences": "The service failed because the disk was full, so I called Bob. ",
    "no spaces": "x",
    "tags": "<p>",
    "comments": "<!-- ",
    "fences": "```a\n",
    "emphasis": "**",
    "brackets": "[a](",
    "capitals": "Ann Bo ",
    "commas": "a, ",
    "parentheses": "(",
    "digits": "1 2026 ",
    "dashes": "- ",
    "pipes": "|a",
    "rows": "| a | b |\n",
    "headings": "# a\n\n",
    "mixed": "Ünï 漢字。 مرحبا 👍 <b>x</b> `y` ILLUM-1\r\n",
    "pronouns": "She told him it was her I ",
    "quotes": "> a\n\n",
}


@pytest.mark.parametrize("unit", LONG.values(), ids=LONG.keys())
def test_long_texts_take_linear_time(unit: str) -> None:
    """Four times the text takes at most about four times as long; a quadratic step takes sixteen."""
    taken = []
    for size in (6_000, 24_000):
        document = ledger((unit * (size // len(unit) + 1))[:size].rstrip() + " end")
        started = time.process_time()
        extraction = BuiltinExtractor().extract(document, whole(document))
        taken.append(time.process_time() - started)
        accounted(document, whole(document), extraction)
    assert taken[1] < 10 * max(taken[0], 0.05), taken


def test_a_line_of_a_hundred_thousand_characters() -> None:
    document = ledger("The worker is slow and the queue grows, " * 2_500)
    extraction = BuiltinExtractor().extract(document, whole(document))
    accounted(document, whole(document), extraction)
    assert max(fact.end - fact.start for fact in extraction.facts) <= 1_200


def test_chunks_of_a_large_document_cost_no_more_than_the_whole() -> None:
    """The outline is made once, however many chunks ask for it."""
    part = "## Part\n\nThe importer reads from Kafka. It failed on 3 May 2026 because the disk was full.\n\n- one\n- two\n\n"
    part += "| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    document = ledger(part * 1_500)
    size = 2_000
    started = time.process_time()
    for start in range(0, len(document.body), size * 10):
        chunk = Chunk(0, start, min(start + size, len(document.body)), start, "")
        accounted(document, chunk, BuiltinExtractor().extract(document, chunk))
    assert time.process_time() - started < 20
