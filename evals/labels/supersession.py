"""Supersession: which record replaces which, and what is current then."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal

from evals.labels.kinds import Judged, Measure, precision_recall_f1
from illumina.errors import InvalidInputError
from illumina.retain.supersedes import find_supersessions

if TYPE_CHECKING:
    from evals.labels.kinds import LabelledSet

Extent = Literal["whole", "part", "amends"]


@dataclass(frozen=True, slots=True)
class Record:
    """A decision record without anything that labels it as superseded or superseding.

    Attributes:
        id: Unique in its set.
        number: The number that its kind of record is cited by; several records may share one.
        title: Its title.
        text: Its text, the title not repeated.
        created: When it was written, if known.
    """

    id: str
    number: int
    title: str
    text: str
    created: datetime | None


@dataclass(frozen=True, slots=True)
class Supersedes:
    """One record replaces another, or a part of it."""

    newer: str
    older: str


SupersessionFinder = Callable[[Sequence[Record]], Sequence[Supersedes]]


@dataclass(frozen=True, slots=True)
class Replaced:
    """A record that another replaces, and how far; an amendment is neither right nor wrong to find."""

    older: str
    extent: Extent


@dataclass(frozen=True, slots=True)
class RecordCase:
    """A record and what it replaces."""

    record: Record
    replaces: tuple[Replaced, ...]


COLUMNS: Final = ("gold", "predicted", "found", "right", "chains", "newest_first", "current_right")
MEASURES: Final = (
    *precision_recall_f1("pairs, with their direction,"),
    Measure("pair_f1", ("found", "found"), ("predicted", "gold"), "F1 of the pairs, whatever their direction"),
    Measure("direction_accuracy", ("right",), ("found",), "labelled pairs with the right direction, of those found in any"),
    Measure("current_first", ("newest_first",), ("chains",), "chains of which the first offered as current is current"),
    Measure("current_exact", ("current_right",), ("chains",), "chains of which just what is current is offered as current"),
)


def judge(cases: LabelledSet[RecordCase], system: SupersessionFinder) -> Iterator[Judged]:
    """A row for each pair that is labelled or found, and one for each chain of whole replacements.

    Of a chain, a system offers as current what it found nothing to supersede (all of it if there is no such record), the
    newest first: by time of writing, then by number. A pair found in both directions is found, and not right.

    Raises:
        InvalidInputError: The system names a record that is not there.
    """
    records = {case.record.id: case.record for case in cases.cases}
    gold = {
        frozenset((case.record.id, link.older)): (case.record.id, link.older, link.extent)
        for case in cases.cases
        for link in case.replaces
    }
    found: defaultdict[frozenset[str], set[tuple[str, str]]] = defaultdict(set)
    for link in system([case.record for case in cases.cases]):
        if not {link.newer, link.older} <= records.keys() or link.newer == link.older:
            raise InvalidInputError(f"{link.newer!r} superseding {link.older!r}: there are no such two records")
        found[frozenset((link.newer, link.older))].add((link.newer, link.older))
    whole = [(newer, older) for newer, older, extent in gold.values() if extent == "whole"]
    chains = _chains(whole)
    chain_of = {member: " + ".join(chain) for chain in chains for member in chain}
    for pair in sorted({*gold, *found}, key=sorted):
        newer, older, extent = gold.get(pair, (None, None, None))
        if extent != "amends":
            yield _pair(sorted(pair), f"{newer} > {older}" if extent else "", extent, found.get(pair, set()), records, chain_of)
    superseded = {older for links in found.values() for _, older in links}
    replaced = {older for _, older in whole}
    for chain in chains:
        current = {*chain} - replaced
        offered = [member for member in chain if member not in superseded] or chain
        offered = sorted(offered, key=lambda member: _age(records[member]), reverse=True)
        counts = {"chains": 1, "newest_first": int(offered[0] in current), "current_right": int(set(offered) == current)}
        name = " + ".join(chain)
        yield Judged(f"chain {name}", "chain", name, counts, name, ", ".join(sorted(current)), ", ".join(offered))


def _chains(links: Sequence[tuple[str, str]]) -> list[list[str]]:
    """The records that whole replacements connect, each group sorted."""
    chains: list[set[str]] = []
    for link in links:
        met = [chain for chain in chains if chain.intersection(link)]
        chains = [chain for chain in chains if chain not in met]
        chains.append({*link}.union(*met))
    return sorted(map(sorted, chains))


def _pair(
    pair: Sequence[str],
    gold: str,
    extent: Extent | None,
    found: set[tuple[str, str]],
    records: dict[str, Record],
    chain_of: dict[str, str],
) -> Judged:
    said = {f"{newer} > {older}" for newer, older in found}
    counts = {
        "gold": int(bool(gold)),
        "predicted": int(bool(said)),
        "found": int(bool(gold and said)),
        "right": int(said == {gold}),
    }
    cluster = next((chain_of[member] for member in pair if member in chain_of), " + ".join(pair))
    shown = " / ".join(f"{member} {records[member].title}" for member in pair)
    return Judged(f"pair {' + '.join(pair)}", extent or "unlabelled", cluster, counts, shown, gold, ", ".join(sorted(said)))


def _age(record: Record) -> tuple[bool, str, int, str]:
    """What sorts records from old to new."""
    moment = record.created
    return moment is not None, moment.isoformat() if moment else "", record.number, record.id


_NUMBERS: Final = r"(?::pep:`|(?:PEP|ADR)[\s#-]*)0*(\d+)"
_STATED: Final = re.compile(rf"\b(supersede[sd]?|replace[sd]?|obsolete[sd]?)\s+(by\s+)?(?:\[|the\s+)?{_NUMBERS}", re.IGNORECASE)


def stated(records: Sequence[Record]) -> list[Supersedes]:
    """The trivial finder: "supersedes PEP 5", "replaced by ADR 7" and the like, where the number names one record."""
    by_number: defaultdict[int, list[str]] = defaultdict(list)
    for record in records:
        by_number[record.number].append(record.id)
    links = {}
    for record in records:
        for _, passive, number in _STATED.findall(record.text):
            other = by_number.get(int(number), [])
            if len(other) == 1 and other[0] != record.id:
                newer, older = (other[0], record.id) if passive else (record.id, other[0])
                links[newer, older] = Supersedes(newer, older)
    return list(links.values())


_VERSION: Final = re.compile(r"[\s,:–—-]*\b(?:v|version |ver\. ?)?\d+(?:\.\d+)*\s*$", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"^\s*[A-Z]{2,8}[-\s]?\d+\s*[:–—-]\s*")


def same_but_for_version(one: str, other: str) -> bool:
    """Whether two titles name versions of one document: equal but for a version at the end and an id in front."""
    left, right = (_VERSION.sub("", _NUMBERED.sub("", title)).strip().casefold() for title in (one, other))
    return left == right and len(left) > 3


def engine(records: Sequence[Record]) -> list[Supersedes]:
    """The engine's rules: what each record says of itself and of others, and titles that differ in their version alone.

    What is denied and what is only amended is left out; a number that several records share is theirs whose title is named.
    """
    by_number: defaultdict[int, list[Record]] = defaultdict(list)
    for record in records:
        by_number[record.number].append(record)
    links = {}
    for record in records:
        text = f"{record.title}\n\n{record.text}"
        for cue in find_supersessions(text):
            if cue.negated or cue.kind in {"amended", "reverted"}:
                continue
            older = [record.id] if cue.old_is_self else _named(cue.old_ids, by_number, text)
            newer = [record.id] if cue.new_is_self else _named(cue.new_ids, by_number, text)
            links.update({(new, old): Supersedes(new, old) for new in newer for old in older if new != old})
    ordered = sorted(records, key=_age)
    for position, record in enumerate(ordered):
        former = next(
            (other for other in reversed(ordered[:position]) if same_but_for_version(record.title, other.title)), None
        )
        if former is not None:
            links[record.id, former.id] = Supersedes(record.id, former.id)
    return list(links.values())


_NAMED: Final = re.compile(r"(?:PEP|ADR)[\s#-]*0*(\d+)", re.IGNORECASE)


def _named(ids: Sequence[str], by_number: dict[int, list[Record]], text: str) -> list[str]:
    """The records that ids name: by their number, or, where records are parts of documents, all of the document's parts."""
    found = []
    for name in ids:
        match = _NAMED.fullmatch(name)
        there = by_number.get(int(match[1]), []) if match else []
        titled = there if len(there) == 1 else [record for record in there if record.title in text]
        if len(titled) == 1:
            found.append(titled[0].id)
        elif not there:
            part = re.compile(rf"{re.escape(name)}(?:-[^#]*)?#", re.IGNORECASE)
            found += [record.id for records in by_number.values() for record in records if part.match(record.id)]
    return found


def nothing(records: Sequence[Record]) -> list[Supersedes]:  # noqa: ARG001 - it needs none of them
    """Finds no pair, so that of a chain the newest record is offered first, by its date alone."""
    return []
