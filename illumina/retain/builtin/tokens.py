"""Names that their own shape gives away: addresses, channels, tickets, documents, versions, identifiers, services."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from illumina.retain.builtin.gazetteer import SERVICE_HEADS
from illumina.retain.references import REFERENCE, references
from illumina.retain.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator


class Found(NamedTuple):
    """An entity as a text names it.

    Attributes:
        start: Offset of its first character.
        end: Offset behind its last.
        name: Its name.
        kind: In lower case; None if it cannot be told.
        homes: What it is said to belong to or to be.
    """

    start: int
    end: int
    name: str
    kind: str | None
    homes: tuple[str, ...] = ()


_EMAIL: Final = r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
_URL: Final = r"\b[a-z][a-z0-9+.-]{1,15}://[^\s<>\"')\]]{1,500}"
_CHANNEL: Final = r"(?<![\w&/#])#[a-z][\w-]{1,60}\b"
_HANDLE: Final = r"(?<![\w.@/])@[A-Za-z][\w.-]{1,40}(?<![.-])"
_VERSION: Final = (
    r"(?<![\w.-])v\d{1,4}(?:\.\d{1,6}){0,3}(?:-[\w.]{1,20})?(?![\w.]*\w)"
    r"|(?<![\w.,:-])\d{1,4}\.\d{1,4}\.\d{1,6}(?![\w.:]*\w)|(?<=[Vv]ersion )\d{1,4}(?:\.\d{1,5}){0,3}\b"
)
_QUOTED: Final = r"`[^`\n]{1,80}`"
_HYPHENED: Final = r"(?<![\w./@-])[A-Za-z][\w]{0,30}(?:-[A-Za-z0-9]{1,30}){1,4}(?![\w@/-]|\.\w)"
_CODE: Final = r"(?<![\w./-])[A-Za-z]\w{0,60}(?:_\w{1,60})+(?:\(\))?|(?<![\w-])[A-Z]-\d{3,6}\b|(?<![\w./-])[A-Za-z]\w{0,60}\(\)"
_ANY: Final = re.compile(
    f"(?P<url>{_URL})|(?P<email>{_EMAIL})|(?P<channel>{_CHANNEL})|(?P<handle>{_HANDLE})|(?P<reference>{REFERENCE.pattern})"
    f"|(?P<version>{_VERSION})|(?P<quoted>{_QUOTED})|(?P<code>{_CODE})|(?P<hyphened>{_HYPHENED})"
)
_HINT: Final = re.compile(r"[@#`_\d]|://|[^\W_]-[^\W_]|\(\)")
"""Without any of these there is nothing to find, and looking for all of it is dear."""
_DOCUMENTS: Final = re.compile(r"(?:PEP|ADR|RFC|JEP|KIP|KEP|SEP|DEP|EIP|BIP|ISO|IEEE|RFD)(?![A-Za-z])", re.IGNORECASE)
_PARTS: Final = SERVICE_HEADS | words_of(
    "svc srv pg gw db mysql redis kafka web auth edge resizer importer exporter parser indexer loader consumer producer "
    "operator controller "
    "router store replica primary daemon agent collector engine gate scheduler renderer runner server client sync"
)
_NOT_SERVICES: Final = words_of(
    "open end pre post non re self co read write on off up down real all in long short high low well step two three one"
)
_LINKING: Final = words_of("to by in of and or on")
_SERVICE_PREFIXES: Final = words_of("svc srv pg gw edge db api app infra")
_ADJECTIVES: Final = words_of(
    "side based backed level specific only aware driven ready facing safe first native wide like style compatible free to"
)
_IDENTIFIER: Final = re.compile(r"[\w./$-]{2,60}(?:\(\))?$")


def shaped(text: str, start: int, end: int) -> Iterator[Found]:
    """The names of a stretch that their shape gives away, in order and without overlap; addresses of pages count as none."""
    if not _HINT.search(text, start, end):
        return
    for match in _ANY.finditer(text, start, end):
        kind = match.lastgroup
        value = match[0]
        if kind == "reference":
            for name in references(text, match.span())[:1]:
                yield Found(*match.span(), name, "document" if _DOCUMENTS.match(name) else "ticket")
        elif kind == "handle":
            yield Found(*match.span(), value, "person")
        elif kind == "quoted":
            yield from _quoted(match.start(), value)
        elif kind == "code":
            yield Found(*match.span(), value, "identifier")
        elif kind == "hyphened":
            if _service(value):
                yield Found(*match.span(), value, "service")
        else:
            yield Found(*match.span(), value, kind)


def _quoted(start: int, value: str) -> Iterator[Found]:
    """What stands between backticks, if it is one name."""
    inner = value[1:-1].strip()
    if _IDENTIFIER.match(inner) and not inner.isdigit():
        at = start + value.index(inner)
        yield Found(at, at + len(inner), inner, "service" if _service(inner) else "identifier")


def _service(name: str) -> bool:
    """Whether a name with hyphens is that of something that runs."""
    if "-" not in name or not name.replace("-", "").isalnum() or (name[0].isupper() and not name.isupper()):
        return False
    parts = name.lower().split("-")
    if parts[0] in _NOT_SERVICES or not _LINKING.isdisjoint(parts):
        return False
    last = parts[-2] if parts[-1].isdigit() else parts[-1]
    return last in _PARTS or (parts[0] in _SERVICE_PREFIXES and last not in _ADJECTIVES)
