"""Where sentences end, told from punctuation and lines alone."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from illumina.retain.words import ABBREVIATIONS

_END: Final = re.compile(
    r"(?<![.!?…])[.!?…]+[\"'”’)\]*_]{0,3}(?=\s)|[。！？]+[」』）”]?|\n[ \t]*\n|[!?…](?=\n)"
    r"|\n(?=[ \t]*(?:[-*+•>|#]|\d{1,3}[.)])\s)|\r\n[ \t]*\r\n"
)
_BEFORE: Final = re.compile(r"[\w.]+$")
_PARAGRAPH: Final = re.compile(r"\n[ \t]*\r?\n")


class Sentence(NamedTuple):
    """A sentence, and whether a paragraph begins with it."""

    start: int
    end: int
    opens: bool


def sentences(text: str) -> list[Sentence]:
    """Split a text into sentences: at final punctuation before white space, at blank lines, and before list items.

    A full stop after a known abbreviation, a single capital or the number of an item ends nothing. Before a small letter it
    ends a sentence only behind a word of three letters or more, a figure or a quotation, as people write in a hurry.
    """
    found: list[Sentence] = []
    start, opens = 0, True
    for match in _END.finditer(text):
        if match[0][0] == "." and not _ends(text, match, start):
            continue
        if text[start : match.end()].strip():
            found.append(_sentence(text, start, match.end(), opens=opens))
            opens = False
        start = match.end()
        opens = opens or bool(_PARAGRAPH.match(match[0])) or bool(_PARAGRAPH.match(text[start : start + 80].lstrip(" \t")))
    if text[start:].strip():
        found.append(_sentence(text, start, len(text), opens=opens))
    return found


def _ends(text: str, match: re.Match[str], start: int) -> bool:
    following = text[match.end() : match.end() + 80].lstrip()[:1]
    before = _BEFORE.search(text[max(0, match.start() - 12) : match.start()])
    word = before[0].lower() if before else ""
    if following.islower() and not (len(match[0]) == 1 and (len(word) > 2 or not word) and word not in ABBREVIATIONS):
        return False
    if word.isdigit() and len(word) <= 3 and not text[start : match.start() - len(word)].strip():
        return False
    return len(match[0]) > 1 or not (word in ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word != "i"))


def _sentence(text: str, start: int, end: int, *, opens: bool) -> Sentence:
    part = text[start:end]
    return Sentence(start + len(part) - len(part.lstrip()), start + len(part.rstrip()), opens)
