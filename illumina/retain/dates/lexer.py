"""Tokens of a text: words, numbers, ordinals, and the dates and times that are written in figures."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

MAX_DIGITS: Final = 9
"""Longer figures are names of something, and too large to count time with."""

# What is one token although it has parts. `opaque` is no prose: addresses, paths and the like say nothing of time.
_TOKEN: Final = re.compile(
    r"""
    (?P<opaque>[a-z][a-z0-9+.\-]{0,20}://[^\s<>"]+ | [\w.+\-]{1,64}@[\w\-]{1,64}\.[\w.\-]{1,64} | \#[\w\-]+ | @(?=[a-z])[\w\-]+
      | \d{1,3}(?:,\d{3})+(?![\d,]) | (?<!\S)~?/[\w.\-]+/[\w./\-]*)
    |(?P<iso>(?<![\w.\-/])\d{4}-\d{1,2}-\d{1,2}(?:T|\ )\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?
      (?:\s?Z\b|[+\-]\d\d:?\d\d)?(?![\w:]))
    |(?P<ymd>\d{4}(?P<s1>[\-/.])\d{1,2}(?P=s1)\d{1,2}(?!\d))
    |(?P<dmy>\d{1,2}(?:(?P<s2>[\-/.])|\ ?/\ ?)\d{1,2}(?(s2)(?P=s2)|\ ?/\ ?)(?:\d{4}|\d\d)(?!\d))
    |(?P<ym>\d{4}\s?[\-/.]\s?(?:0?[1-9]|1[0-2])(?![\d:]))
    |(?P<my>(?:0?[1-9]|1[0-2])\s?[\-/]\s?[12]\d{3}(?!\d))
    |(?P<md>\d{1,2}\s?/\s?\d{1,2}(?!\d))
    |(?P<clock>\d{1,2}:[0-5]\d(?::[0-5]\d(?:[.,]\d{1,6})?)?(?!\d) | \d{1,2}h[0-5]\d(?!\w))
    |(?P<ord>\d{1,2}(?:st|nd|rd|th)\b)
    |(?P<num>\d+(?:\.\d+)?)
    |(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*['’]?)
    |(?P<gap>\n\s*\n)
    |(?P<mark>\S)
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text.

    Attributes:
        kind: The group of the pattern that it matched.
        low: It in lower case, with plain apostrophes.
        start: Its first character.
        end: The character behind it.
    """

    kind: str
    low: str
    start: int
    end: int


def lex(text: str) -> list[Token]:
    """All tokens in order; space is between them."""
    found = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "mark"
        if kind in ("s1", "s2"):  # the group that closed last is the inner one
            kind = "ymd" if kind == "s1" else "dmy"
        whole = match[0]
        # Digits of other scripts are digits to the pattern; only ASCII ones are read as figures.
        if not whole.isascii() and kind not in ("word", "mark", "gap", "opaque"):
            kind = "opaque"
        found.append(Token(kind, whole.lower().replace("’", "'"), match.start(), match.end()))
    return found


_BEFORE: Final = frozenset("_-/\\.:#@$€£¥+&~%^*=")
_AFTER: Final = frozenset("-/\\.:@%+&~_,=")


def glued(text: str, start: int, end: int) -> bool:
    """Whether a span is only a part of something written without a space: a version, a ticket, a path, an amount."""
    if start and (text[start - 1].isalnum() or text[start - 1] in _BEFORE) and not _lone_mark(text, start - 1):
        return True
    if end < len(text) and (text[end].isalnum() or text[end] in "_%°"):
        return True
    return end + 1 < len(text) and text[end] in _AFTER and text[end + 1].isalnum()


def _lone_mark(text: str, at: int) -> bool:
    """Whether the character is a dash or the like that stands alone: a bullet, a dash between sentences."""
    return text[at] in "-/~:=*" and (at == 0 or text[at - 1].isspace() or (text[at] in ":=" and text[at - 1].isalpha()))
