"""Whether one fact supersedes another: a predicate on these two alone, so that supersession is a relation on a set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from illumina.retain.reconcile.clauses import says
from illumina.retain.reconcile.cued import CHANGES, USAGE, document_name
from illumina.retain.reconcile.reading import keys, readings
from illumina.retain.reconcile.statements import Verdict, is_newer, may_retire
from illumina.text import lexemes

if TYPE_CHECKING:
    from illumina.retain.reconcile.cued import Ended
    from illumina.retain.reconcile.polarity import Stance
    from illumina.retain.reconcile.reading import Part, Reading
    from illumina.retain.reconcile.statements import Statement


def supersedes(newer: Statement, older: Statement) -> Verdict | None:
    """How far the one fact supersedes the other, or None. Pure; depends on nothing but the two.

    Kinds: another value of an attribute that has one at a time; the opposite about the same; the older names what the newer
    says is over; the older belongs to a document that the newer says is over. The same statement again, from whatever origin,
    corroborates and never supersedes.
    """
    return judge(newer, older) if keys(newer)[0] & keys(older)[1] else None


def judge(newer: Statement, older: Statement) -> Verdict | None:
    """`supersedes`, of two that are known to meet under one of their `keys`."""
    if not may_supersede(newer, older):
        return None
    new, old = readings(newer), readings(older)
    cued, other_cued = new[0].cued, old[0].cued
    in_time, in_words = is_newer(newer, older), is_newer(newer, older, cued=cued, other_cued=other_cued)
    if not in_words:
        return None
    for mine, theirs in ((one, other) for one in new for other in old):
        if cued and (document := _document(mine, theirs, newer, older)):
            return document
        if verdict := _judged(mine, theirs, in_time=in_time):
            return verdict
    return None


def may_supersede(newer: Statement, older: Statement) -> bool:
    """Whether one statement may retire another at all, whatever they say: see `supersedes`, `may_retire`; namesakes do not."""
    if newer.id == older.id or newer.digest == older.digest or newer.confidence == "low":
        return False
    return may_retire(newer.audience, older.audience) and not _namesakes(newer, older)


def _namesakes(one: Statement, other: Statement) -> bool:
    """Whether both use a name for two different entities."""
    entities = {named.name.casefold(): named.entity for named in one.names if named.entity is not None}
    return any(
        named.entity is not None and entities.get(named.name.casefold(), named.entity) != named.entity for named in other.names
    )


def _document(mine: Reading, theirs: Reading, newer: Statement, older: Statement) -> Verdict | None:
    name = document_name(older.key)
    for end in mine.ended:
        if newer.document != older.document and name is not None and name in end.documents:
            return Verdict("whole", None, {"kind": "document", "cue": end.cue, "document": name})
        within = newer.document == older.document and newer.document is not None
        if end.own and within and not any(other.own for other in theirs.ended):
            return Verdict("whole", None, {"kind": "document", "cue": end.cue, "document": name or "itself"})
    return None


def _judged(mine: Reading, theirs: Reading, *, in_time: bool) -> Verdict | None:
    over: list[str] = []
    evidence: dict[str, Any] = {}
    whole = True
    for part in theirs.parts:
        found = _value(mine, part) or _opposite(mine, part) if in_time else None
        found = found or next(filter(None, (_cue(end, part) for end in mine.ended)), None)
        if found is None:
            whole = False
            continue
        said, words = found
        evidence = evidence or said
        over.append(words or part.clause.text)
        whole = whole and words is None
    if not over:
        return None
    return Verdict("whole", None, evidence) if whole else Verdict("part", "; ".join(over), evidence)


Found = tuple[dict[str, Any], str | None]
"""The evidence, and the words that are over if that is not all of the clause."""


def _value(mine: Reading, part: Part) -> Found | None:
    told = [claim for one in mine.parts for claim in one.claims]
    for old in part.claims:
        if any(claim.agrees(old) for claim in told):
            return None
    for old in part.claims:
        for new in told:
            if new.excludes(old):
                about = {"attribute": new.relation, "of": " ".join(sorted(new.subject))}
                return {"kind": "value", **about, "old": old.text, "new": new.text}, None
        for new in (claim for one in mine.parts for claim in one.former):
            if old.same_amount(new) and (new.subject <= old.subject or old.subject <= new.subject):
                about = {"attribute": new.relation, "of": " ".join(sorted(new.subject))}
                return {"kind": "value", **about, "old": old.text, "said": new.text}, None
    return None


def _opposite(mine: Reading, part: Part) -> Found | None:
    told = [stance for one in mine.parts for stance in one.stances]
    found: list[tuple[bool, bool, Stance, str | None]] = [
        (how == "more", item is not None, old, item)
        for old, item in zip(part.stances, part.items, strict=True)
        for new in told
        if (how := new.opposes(old))
    ]
    if not found:
        return None
    more, _, old, item = min(found, key=lambda it: it[:2])  # what is exactly denied rather than what says more
    return {"kind": "opposite", "about": " ".join(old.tokens), "more": more}, item


_RECOMMENDED: Final = frozenset(
    lexemes("recommended supported current default stable preferred standard official accepted force active valid approved")
)


def _cue(end: Ended, part: Part) -> Found | None:
    """Whether what is over is what a clause says is in use, is about, or tells the change of."""
    old = end.old
    if not old:
        return None
    evidence = {"kind": "cue", "cue": end.cue, "over": end.text}
    words = end.text if end.kind == "partial" else None
    if end.kind == "reverted":
        core = old - CHANGES
        changed = part.words & CHANGES and core and core <= part.words and (core == part.subject or len(core) > 1)
        return (evidence, words) if changed and (part.clause.past or part.clause.asserted) else None
    if not part.clause.asserted or not old <= part.words:
        return None
    item = next((item for item in part.items if item is not None and old <= frozenset(lexemes(item))), None)
    rest = part.words - old - USAGE
    recommended = part.subject == old and part.words & _RECOMMENDED
    used = any(claim.value == old for claim in part.claims) and end.general
    about = part.subject == old and end.definite and end.gone and not end.remains
    replaced = says(part.clause.plain) and rest <= end.told and not end.deprecated and part.subject != old
    return (evidence, words or item) if recommended or used or about or replaced else None
