"""Chunks: a cut of the body without a gap, whatever the body."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.retain.chunk import _TOKEN, OVERLAP, SIZE, chunk
from illumina.retain.prepare import prepare
from illumina.types import Chunk, Document, Utterance

WORDS = st.sampled_from(
    ["queue", "漢字", "🚀", "👩‍💻", "a.", "# Head\n", "\n\n", "\r\n", "x" * 40, "עברית", " ", "- item\n", "```\n", "|a|b|\n"]
)


def cut(body: str | list[Utterance], **fields: object) -> tuple[str, tuple[Chunk, ...]]:
    document = prepare(Document(body, **fields), "default")  # type: ignore[arg-type]
    return document.body, chunk(document)


def check(body: str, chunks: tuple[Chunk, ...]) -> None:
    assert chunks[0].start == 0
    assert chunks[-1].end == len(body)
    assert all(one.end == other.start for one, other in pairwise(chunks))
    assert [part.ordinal for part in chunks] == list(range(len(chunks)))
    for part in chunks:
        assert part.context_start <= part.start < part.end
        assert 1 <= len(_TOKEN.findall(body[part.start : part.end])) <= SIZE
        assert len(_TOKEN.findall(body[part.context_start : part.start])) <= OVERLAP
        assert (part.context_start == part.start) == (part.start == 0)


@given(st.lists(WORDS, min_size=1, max_size=3000).map("".join).filter(str.strip))
def test_any_body_is_cut_without_a_gap(body: str) -> None:
    check(*cut(body))


@given(st.lists(st.lists(WORDS, min_size=1, max_size=400).map("".join).filter(str.strip), min_size=1, max_size=20))
def test_so_is_any_dialogue(turns: list[str]) -> None:
    check(*cut([Utterance(turn, "Ana" if place % 2 else None) for place, turn in enumerate(turns)]))


def test_it_ends_behind_a_paragraph_a_sentence_a_word_in_this_order() -> None:
    body, chunks = cut("\n\n".join(["word " * 200] * 6))
    assert all(body[part.start : part.start + 4] == "word" for part in chunks)
    assert all(body[: part.start].endswith("\n\n") for part in chunks[1:])
    assert len(chunks) == 3, "two paragraphs of 200 words a chunk"

    body, chunks = cut("This sentence has six words. " * 300)
    assert all(body[: part.start].endswith(". ") for part in chunks[1:])

    body, chunks = cut("word " * 2000)
    assert all(body[: part.start].endswith(" ") for part in chunks[1:])


def test_an_utterance_keeps_its_speaker() -> None:
    body, chunks = cut([Utterance("word " * 300, "Ana"), Utterance("word " * 300, "Bo")])
    assert [body[part.start : part.start + 4] for part in chunks] == ["Ana:", "Bo: "]


@pytest.mark.parametrize("body", ["x" * 100_000, "漢" * 100_000, "🚀" * 100_000, "a b " * 500_000, "a.\n" * 700_000])
def test_a_huge_body_takes_time_linear_in_its_length(body: str) -> None:
    started = perf_counter()
    check(*cut(body))
    assert perf_counter() - started < 30


def test_the_preamble_situates_a_chunk() -> None:
    moment = datetime(2026, 3, 2, 9, tzinfo=UTC)
    _, chunks = cut(
        "# Runbook\n\n" + "word " * 400 + "\n\n## Restart\n\n" + "word " * 300, key="runbook.md", occurred_at=moment
    )
    assert [part.preamble for part in chunks] == [
        "runbook.md, of 2026-03-02T09:00:00Z, part 1, section Runbook.",
        "runbook.md, of 2026-03-02T09:00:00Z, part 2, section Runbook > Restart.",
    ]
    _, chunks = cut([Utterance("Why?", "Ana"), Utterance("So.", "Bo"), Utterance("Oh.", "Ana")], source="slack:#ops")
    assert [part.preamble for part in chunks] == ["A text, from slack:#ops, between Ana, Bo."]
