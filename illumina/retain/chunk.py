"""A document as chunks of about 512 tokens: what a model reads at once, and what can fail and be retried by itself."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import regex

from illumina.canonical import timestamp
from illumina.retain.sections import section_at
from illumina.text import paragraphs
from illumina.types import Chunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from illumina.types import LedgerDocument

SIZE: Final = 512
"""Tokens of a chunk at most. A token is a word, or twelve letters of a longer one, an ideograph or a mark."""

OVERLAP: Final = 64
"""Tokens before a chunk that are read with it, so that no pronoun loses its noun at a seam."""

MAX_SPEAKERS: Final = 6
"""Speakers named in a preamble."""

_TOKEN: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]|[\p{L}\p{M}\p{N}_]{1,12}|(?=[^\s\p{L}\p{M}\p{N}_])\X")
_SENTENCE_END: Final = regex.compile(r"[.!?…。！？]+[\"'”’)\]]*\s+|\n+")


def chunk(document: LedgerDocument) -> tuple[Chunk, ...]:
    """Cut a document; the own spans of the chunks are its body without a gap. Pure, linear in the body's length.

    A chunk ends behind an utterance or paragraph if one ends in its second half, else behind a sentence, else behind a word;
    a text without any is cut after so many letters.
    """
    body = document.body
    tokens = [match.start() for match in _TOKEN.finditer(body)]
    edges = [0]
    if len(tokens) > SIZE:
        blocks = _blocks(document)
        sentences = [match.end() for match in _SENTENCE_END.finditer(body)]
        first = 0
        while len(tokens) - first > SIZE:
            middle, limit = tokens[first + SIZE // 2], tokens[first + SIZE]
            cut = _last(blocks, middle, limit) or _last(sentences, middle, limit) or _word(body, middle, limit) or limit
            edges.append(cut)
            first = bisect_left(tokens, cut)
    edges.append(len(body))
    spans = list(itertools.pairwise(edges))
    return tuple(
        Chunk(ordinal, start, end, _context(tokens, start), _preamble(document, start, end, ordinal, len(spans)))
        for ordinal, (start, end) in enumerate(spans)
    )


def described(document: LedgerDocument, chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """All chunks of a document where they were cut, with preambles of its text as it is now."""
    return tuple(replace(it, preamble=_preamble(document, it.start, it.end, it.ordinal, len(chunks))) for it in chunks)


def _blocks(document: LedgerDocument) -> list[int]:
    """Where utterances or paragraphs begin, in order."""
    if document.segments is None:
        return [start for start, _ in paragraphs(document.body)]
    # An utterance begins with its speaker's name, on a line of its own.
    return [document.body.rfind("\n", 0, segment.start) + 1 for segment in document.segments]


def _last(places: list[int], after: int, limit: int) -> int | None:
    """The last place behind `after` and up to `limit`."""
    found = bisect_right(places, limit) - 1
    return places[found] if found >= 0 and places[found] > after else None


def _word(body: str, after: int, limit: int) -> int | None:
    for place in range(limit, after, -1):
        if body[place - 1].isspace():
            return place
    return None


def _context(tokens: list[int], start: int) -> int:
    if start == 0:
        return 0
    return tokens[max(0, bisect_left(tokens, start) - OVERLAP)]


def _preamble(document: LedgerDocument, start: int, end: int, ordinal: int, count: int) -> str:
    parts: list[Any] = [document.key or "A text"]
    if document.source:
        parts.append(f"from {document.source}")
    if document.occurred_at is not None:
        parts.append(f"of {timestamp(document.occurred_at)}")
    if count > 1:
        parts.append(f"part {ordinal + 1}")
    if section := section_at(document.body, start):
        parts.append(f"section {section}")
    if speakers := _speakers(document, start, end):
        more = " and others" if len(speakers) > MAX_SPEAKERS else ""
        parts.append(f"between {', '.join(speakers[:MAX_SPEAKERS])}{more}")
    return ", ".join(parts) + "."


def _speakers(document: LedgerDocument, start: int, end: int) -> list[str]:
    """Who speaks between two offsets, in order."""
    segments = document.segments or ()
    first = bisect_right(segments, start, key=lambda segment: segment.end)
    behind = bisect_left(segments, end, key=lambda segment: segment.start)
    return list(dict.fromkeys(segment.speaker for segment in segments[first:behind] if segment.speaker))
