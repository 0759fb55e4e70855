"""Headings of a Markdown text, as the path of a place."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import Final

import regex

from illumina.types import PATH_SEPARATOR

_HEADING: Final = regex.compile(
    r"^(?: {0,3}(?P<hashes>#{1,6})[ \t]+(?P<title>[^\n]*?)[ \t#]*\r?$"
    r"|(?P<under>[^\s#>\-*+|][^\n]{0,119})\r?\n(?P<line>={3,}|-{3,})[ \t]*\r?$"
    r"|[ ]{0,3}(?P<fence>`{3,}|~{3,}))",
    regex.MULTILINE,
)
"""Also fences, since a `#` within code is a comment."""

MAX_TITLE: Final = 200
"""Characters kept of one heading."""


class Headings:
    """The headings above a place, as a text is read from its beginning."""

    def __init__(self) -> None:
        self._above: list[tuple[int, str]] = []

    def enter(self, level: int, title: str) -> None:
        """Come to a heading, which ends the sections of its level (1 is the outermost) and of deeper ones."""
        while self._above and self._above[-1][0] >= level:
            self._above.pop()
        if shown := " ".join(title.split())[:MAX_TITLE]:
            self._above.append((level, shown))

    @property
    def path(self) -> str | None:
        """The headings from the outermost in, joined by ` > `; None if there is none."""
        return PATH_SEPARATOR.join(title for _, title in self._above) or None


def section_at(body: str, offset: int) -> str | None:
    """The headings above an offset from the outermost in, joined by ` > `; None above the first one."""
    starts, paths = _sections(body)
    place = bisect_right(starts, offset) - 1
    return paths[place] if place >= 0 else None


@lru_cache(maxsize=8)
def _sections(body: str) -> tuple[list[int], list[str | None]]:
    """Where each section begins, and its path."""
    starts: list[int] = []
    paths: list[str | None] = []
    above = Headings()
    fence: str | None = None
    for match in _HEADING.finditer(body):
        if mark := match["fence"]:
            if fence is None:
                fence = mark
            elif mark.startswith(fence):
                fence = None
            continue
        if fence is not None:
            continue
        level = len(match["hashes"]) if match["hashes"] else 1 if match["line"][0] == "=" else 2
        above.enter(level, match["title"] if match["hashes"] else match["under"])
        starts.append(match.start())
        paths.append(above.path)
    return starts, paths
