"""Documents that a text names by id, and texts without the markup that hides such names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from illumina.retain.clauses import Span

ROLE: Final = re.compile(r":(pep|rfc):`(?:[^`<\n]{0,80}<)?[^`\d\n]{0,40}(\d{1,6})[^`\n]{0,80}`", re.IGNORECASE)
LINK: Final = re.compile(r"\[([^\[\]\n]{1,200})\](?:\((?:[^()\n]|\([^()\n]{0,80}\)){0,300}\)|\[[^\[\]\n]{0,80}\])")
_MARKS: Final = re.compile(r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|~~|(?<![\w`])_{1,3}(?=\w)|(?<=\w)_{1,3}(?![\w`])|(?m:^[ \t]*>+)")
_KINDS: Final = "PEP|ADR|RFC|JEP|KIP|KEP|SEP|DEP|EIP|BIP|ISO|IEEE|RFD|PR|MR|issue|ticket"
REFERENCE: Final = re.compile(
    rf"\b(?i:{_KINDS})s?(?:[\s#!-]{{0,3}}|[ ]{{1,200}})\d{{1,6}}\b|\b(?!UTF|UCS|SHA|AES)[A-Z][A-Z0-9]{{1,9}}-\d{{1,6}}\b"
    r"|(?<![\w&/#])[#!]\d{1,6}\b"
)
_LEADING: Final = re.compile(rf"\W*(?:[Tt]he\s+)?(?:{REFERENCE.pattern})")
_MORE: Final = re.compile(r"(?:\s*,\s*|\s+(?:and|or|&)\s+|\s*,\s*(?:and|or)\s+)(\d{1,6})\b(?!\s*[.:%]?\d)")


def cleaned(text: str) -> str:
    """A text of the same length without links' targets, roles and emphasis, so that offsets stay those of the text."""
    text = ROLE.sub(lambda match: match[1].upper() + match[2].rjust(len(match[0]) - len(match[1])), text)
    text = LINK.sub(lambda match: f" {match[1]}".ljust(len(match[0])), text)
    return _MARKS.sub(lambda match: " " * len(match[0]), text)


_ASIDE: Final = re.compile(
    r"\b(?:as|described|specified|listed|documented|discussed|see|per|usual|ala|like|unlike|following|via|under)"
    r"(?:\s+(?:the|by|in|also|usual|described|specified|listed|defined)){0,3}\s*$",
    re.IGNORECASE,
)


def named(text: str, span: Span | None) -> tuple[str, ...]:
    """The `references` that a stretch is about, without those that it only points to ("as described in PEP 387")."""
    if span is None:
        return ()
    pointed = [
        match.span()
        for match in REFERENCE.finditer(text, *span)
        if _ASIDE.search(text, max(span[0], match.start() - 40), match.start())
    ]
    found = references(text, span)
    for place in pointed:
        aside = references(text, place)
        found = tuple(name for name in found if name not in aside)
    return found


def begins_with_reference(text: str, span: Span | None) -> bool:
    """Whether a stretch begins with a document's id, an article aside."""
    return span is not None and _LEADING.match(text, *span) is not None


def references(text: str, span: Span | None) -> tuple[str, ...]:
    """Ids of the documents named in a stretch of a cleaned text, in order, each once: "PEP 8001", "ADR-0012", "#123".

    White space is one blank, and "PEPs 5, 6 and 7" are three.
    """
    if span is None:
        return ()
    found: list[str] = []
    for match in REFERENCE.finditer(text, *span):
        name = " ".join(match[0].split())
        plural = re.match(r"([A-Za-z]+?)s(?=[\s#]*\d)", name)
        if plural and plural[1].upper() in _KINDS.split("|"):
            name = plural[1] + name[plural.end() :]
        found.append(name)
        place = match.end()
        prefix = re.match(r"[^\d]*", name)
        while prefix and (more := _MORE.match(text, place, span[1])):
            found.append(prefix[0] + more[1])
            place = more.end()
    return tuple(dict.fromkeys(found))
