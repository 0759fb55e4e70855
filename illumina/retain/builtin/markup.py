"""A body with its markup blanked out, of the same length, so that offsets stay those of the body."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from illumina.retain.references import LINK, ROLE
from illumina.retain.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from illumina.retain.clauses import Span

_BLOCKS: Final = words_of(
    """address article aside blockquote body br caption center dd details div dl dt fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 head header hr html li link main meta nav ol option p pre script section style summary table tbody td
    tfoot th thead title tr ul"""
)
_INLINE: Final = words_of(
    """a abbr b bdi bdo big button cite code data del dfn em font i img input ins kbd label mark q s samp select small span
    strike strong sub sup svg textarea time tt u var video wbr"""
)
_TAG: Final = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,15})(?:\s[^<>]{0,1000})?/?>")
_EMPHASIS: Final = re.compile(
    r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|~~|(?<![\w`])_(?=[^\W_][^_\n]{0,200}_(?![\w`]))|(?<=[^\W_])_(?![\w`.])|(?m:^[ \t]*>[> \t]*)"
)
_CODE: Final = re.compile(r"`[^`\n]{1,200}`")
_RAW: Final = (("<!--", "-->"), ("<script", "</script>"), ("<style", "</style>"), ("<pre", "</pre>"))


def plain(body: str) -> str:
    """The body with tags, comments, emphasis, marks of quotation and links' targets blanked; line breaks stay.

    A tag of a block becomes a blank line, and one of a heading the mark of a heading, so that the outline sees them.
    """
    text = body
    if "<" in text:
        for start, end in _raw(text):
            text = text[:start] + _blank(text[start:end]) + text[end:]
        text = _TAG.sub(_untagged, text)
    if "`" in text and ":" in text:
        text = ROLE.sub(lambda match: match[1].upper() + match[2].rjust(len(match[0]) - len(match[1])), text)
    if "](" in text or "][" in text:
        text = LINK.sub(lambda match: f" {match[1]}".ljust(len(match[0])), text)
    if "*" in text or "_" in text or "~~" in text or ">" in text:
        parts, last = [], 0
        for match in _CODE.finditer(text):
            parts += [_EMPHASIS.sub(_spaces, text[last : match.start()]), match[0]]
            last = match.end()
        text = "".join([*parts, _EMPHASIS.sub(_spaces, text[last:])])
    return text


def _raw(text: str) -> Iterator[Span]:
    """Comments and raw elements; one without an end is none. They do not overlap."""
    found: list[Span] = []
    for opening, closing in _RAW:
        at = text.find(opening)
        while at >= 0:
            end = text.find(closing, at)
            if end < 0:
                break
            found.append((at, end + len(closing)))
            at = text.find(opening, found[-1][1])
    behind = 0
    for start, end in sorted(found):
        if start >= behind:
            yield start, end
            behind = end


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _spaces(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _untagged(match: re.Match[str]) -> str:
    name = match[2].lower()
    length = len(match[0])
    if name in _INLINE:
        return " " * length
    if name not in _BLOCKS:
        return match[0]
    if name in {"h1", "h2", "h3", "h4", "h5", "h6"} and not match[1]:
        return "\n#".ljust(length)
    return "\n\n".ljust(length)


def written(body: str, text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Edits that take a stretch of the body to what is read: markup goes, a link's address stays behind its words."""
    if body[start:end] == text[start:end]:
        return
    at = start
    while at < end:
        if body[at] == text[at] or body[at].isspace():
            at += 1
            continue
        behind = at
        while behind < end and body[behind] != text[behind]:
            behind += 1
        gone = body[at:behind]
        address = re.match(r"\]\((https?://[^\s()]+)\)?", gone)
        yield at, behind, f" ({address[1]})" if address else "" if gone.isprintable() and text[at:behind].isspace() else gone
        at = behind
