"""What a body is made of: passages to be read, and what is none (headings, code, rules, markup)."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from illumina.retain.builtin.blocks import Passage, Reader, Skip
from illumina.retain.builtin.markup import plain
from illumina.retain.sentences import sentences
from illumina.text import paragraphs

if TYPE_CHECKING:
    from illumina.retain.clauses import Span
    from illumina.types import LedgerDocument

MAX_SENTENCE: Final = 1_200
"""Characters. What is longer is no sentence, and is cut where a phrase, else a word, else the limit ends."""


class Line(NamedTuple):
    """A sentence and the passage it stands in."""

    start: int
    end: int
    passage: Passage


class Outline:
    """A document, taken apart.

    Attributes:
        text: The body with its markup blanked out.
        lines: All sentences, in order and without overlap.
        skips: All that is none, in order.
    """

    def __init__(self, document: LedgerDocument) -> None:
        self.text = plain(document.body)
        self.skips: list[Skip] = []
        self.passages: list[Passage] = []
        if document.segments is None:
            labels = [start for start, _ in paragraphs(document.body)]
            Reader(
                document.body, self.text, self.passages, self.skips, 0, len(self.text), labels, None, document.occurred_at
            ).read()
        else:
            behind = 0
            for segment in document.segments:
                self.skips.append(Skip(behind, segment.start, "speaker"))
                moment = segment.occurred_at or document.occurred_at
                Reader(
                    document.body,
                    self.text,
                    self.passages,
                    self.skips,
                    segment.start,
                    segment.end,
                    segment.label,
                    segment.speaker,
                    moment,
                ).read()
                behind = segment.end
            self.skips.append(Skip(behind, len(self.text), "speaker"))
        self.lines = [
            Line(start, end, passage)
            for passage in self.passages
            for sentence in self._sentences(passage)
            for start, end in _cut(self.text, sentence)
        ]
        self.starts = [line.start for line in self.lines]
        self.skips.sort()
        self._skip_starts = [skip.start for skip in self.skips]

    def skipped(self, start: int, end: int) -> list[Skip]:
        """The skips that touch a stretch."""
        first = max(0, bisect_left(self._skip_starts, start) - 1)
        return self.skips[first : bisect_left(self._skip_starts, end)]

    def _sentences(self, passage: Passage) -> list[Span]:
        part = self.text[passage.start : passage.end]
        if passage.kind == "row":
            return [(passage.start, passage.end)]
        return [(passage.start + it.start, passage.start + it.end) for it in sentences(part)]


@lru_cache(maxsize=8)
def _outlined(body: str, document: _Same) -> Outline:  # noqa: ARG001 - part of the key
    return Outline(document.document)


class _Same:
    """A document as a key of the cache: by what its outline depends on."""

    __slots__ = ("document", "key")

    def __init__(self, document: LedgerDocument) -> None:
        self.document = document
        self.key = (document.segments, document.occurred_at)

    def __hash__(self) -> int:
        return hash(self.key[1])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.key == other.key


def outline(document: LedgerDocument) -> Outline:
    """The outline of a document; the last ones are kept, as each of its chunks asks for it."""
    return _outlined(document.body, _Same(document))


def _cut(text: str, sentence: Span) -> list[Span]:
    """A sentence, or pieces of it where it is too long for one."""
    start, end = sentence
    found = []
    while end - start > MAX_SENTENCE:
        limit = start + MAX_SENTENCE
        at = max(text.rfind("; ", start, limit), text.rfind(", ", start + MAX_SENTENCE // 2, limit))
        at = at if at > start else max(text.rfind(" ", start + 1, limit), text.rfind("\n", start + 1, limit))
        at = at + 1 if at > start else limit
        found.append((start, at))
        start = at
    found.append((start, end))
    stripped = []
    for first, behind in found:
        part = text[first:behind]
        if part.strip():
            stripped.append((first + len(part) - len(part.lstrip()), first + len(part.rstrip())))
    return stripped
