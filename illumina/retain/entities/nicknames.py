"""Given names: which are short forms of one another, which are one name in two languages, which are different names."""

from __future__ import annotations

from collections import defaultdict
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Relation(Enum):
    """How two different given names are related."""

    SHORT = "short form"
    COGNATE = "same name in another language"
    DISTINCT = "different given names"
    UNKNOWN = "unknown"


class _Table(NamedTuple):
    roots: Mapping[str, frozenset[str]]
    languages: Mapping[str, frozenset[int]]


def roots(name: str) -> frozenset[str]:
    """The full names that a folded given name may stand for; empty for one that the table does not know."""
    return _table().roots.get(name, frozenset())


def known(name: str) -> bool:
    """Whether the table has this folded given name, in full or short."""
    table = _table()
    return name in table.roots or name in table.languages


def related(left: str, right: str) -> Relation:
    """How two folded given names that differ are related."""
    table = _table()
    if not (known(left) and known(right)):
        return Relation.UNKNOWN
    if not roots(left).isdisjoint(roots(right)):
        return Relation.SHORT
    if not _languages(table, left).isdisjoint(_languages(table, right)):
        return Relation.COGNATE
    return Relation.DISTINCT


def groups(name: str) -> frozenset[str]:
    """Two folded given names share one if they are short forms of one name or one name in two languages, or alike."""
    return roots(name) | {str(number) for number in _languages(_table(), name)}


def _languages(table: _Table, name: str) -> frozenset[int]:
    """The groups of a name or, where it stands only for others, of those."""
    own = table.languages.get(name)
    return own if own is not None else frozenset().union(*(table.languages.get(root, ()) for root in roots(name)))


@cache
def _table() -> _Table:
    text = files("illumina.retain.entities").joinpath("data/nicknames.txt").read_text(encoding="utf-8")
    stands_for: defaultdict[str, set[str]] = defaultdict(set)
    languages: defaultdict[str, set[int]] = defaultdict(set)
    for number, line in enumerate(text.splitlines()):
        if line.startswith("="):
            for name in line[1:].split():
                languages[name].add(number)
        elif line and not line.startswith("#"):
            spellings, _, short = line.partition(":")
            root, *others = spellings.split(",")
            for name in (root, *others, *short.split()):
                stands_for[name].add(root)
    return _Table(
        {name: frozenset(found) for name, found in stands_for.items()},
        {name: frozenset(found) for name, found in languages.items()},
    )
