"""Sentences with two kinds of marked stretches: `«…»` and `‹…›`."""

from __future__ import annotations

import re
from typing import Final

Span = tuple[int, int]

_MARKS: Final = re.compile(r"[«»‹›]")


def lines(block: str) -> list[str]:
    """The lines of a block."""
    return block.strip().splitlines()


def plain(marked: str) -> str:
    """A sentence without its marks."""
    return _MARKS.sub("", marked)


def guillemets(marked: str) -> list[Span]:
    """Where the stretches in `«…»` lie once the marks are gone."""
    return _stretches(marked, "«(.*?)»")


def angles(marked: str) -> list[Span]:
    """Where the stretches in `‹…›` lie once the marks are gone."""
    return _stretches(marked, "‹(.*?)›")


def covers(span: Span | None, inner: Span) -> bool:
    """Whether a stretch contains another."""
    return span is not None and span[0] <= inner[0] and inner[1] <= span[1]


def overlaps(span: Span | None, other: Span) -> bool:
    """Whether two stretches share a character."""
    return span is not None and max(span[0], other[0]) < min(span[1], other[1])


def _stretches(marked: str, pattern: str) -> list[Span]:
    found = []
    for match in re.finditer(pattern, marked):
        start = len(plain(marked[: match.start()]))
        found.append((start, start + len(plain(match[1]))))
    return found
