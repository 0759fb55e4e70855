"""Which fact supersedes which: statements as rules read them, the keys under which they meet, and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from illumina.canonical import dumps
from illumina.store.believed import SAID

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from illumina.store.database import Session


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fact stands in time, by its own account: enough to sort candidates before they are read."""

    fact: UUID
    digest: UUID
    moment: datetime | None
    said: datetime | None
    ordinal: int


@dataclass(frozen=True, slots=True)
class Row:
    """One fact found to supersede another."""

    old: UUID
    new: UUID
    extent: str
    part: str | None
    since: datetime | None
    evidence: dict[str, Any]


_PLACE = "f.fact, f.content_digest, coalesce(f.event_start, f.occurred_at), f.occurred_at, f.ordinal"


def statements(session: Session, facts: Collection[UUID]) -> list[tuple[Any, ...]]:
    """Those of `facts` that supersession is decided for: neither retired nor verbatim.

    Returns:
        Of each fact: id, content, digest, confidence, speaker, source, document, the document's key, ordinal, the moment of
        what it tells of or else when it was said, when it was said, visibility, agent, device.
    """
    # Why: all that the rules may look at, and nothing else.
    return session.execute(
        "select f.fact, f.content, f.content_digest, f.confidence, f.speaker, f.source, f.document, d.key, f.ordinal, "
        "coalesce(f.event_start, f.occurred_at), f.occurred_at, f.visibility, f.agent, f.device "
        "from illumina.facts f join illumina.documents d "
        "on d.namespace = %(namespace)s and d.document = f.document and d.version = f.version "
        "where f.namespace = %(namespace)s and f.fact = any(%(facts)s) "
        "and f.retired_version is null and f.category is not null",
        {"facts": list(facts)},
    ).fetchall()


def names(session: Session, facts: Collection[UUID]) -> list[tuple[UUID, str, UUID | None]]:
    """Whom each of `facts` names, and the entity if it is resolved, in the order of the mentions."""
    # Why: two people of one name contradict nobody.
    named = session.execute(
        "select fact, name, mention from illumina.mentions "
        "where namespace = %(namespace)s and fact = any(%(facts)s) order by fact, ordinal, mention",
        {"facts": list(facts)},
    ).fetchall()
    # Why: by primary key; not joined, as what has just been resolved has no statistics yet.
    resolved = session.execute(
        "select mention, entity from illumina.resolved where namespace = %(namespace)s and mention = any(%(mentions)s)",
        {"mentions": [mention for _, _, mention in named]},
    )
    entities: dict[UUID, UUID] = dict(resolved.fetchall())
    return [(fact, name, entities.get(mention)) for fact, name, mention in named]


def replace_keys(session: Session, facts: Collection[UUID], keys: Iterable[tuple[UUID, bool, UUID]]) -> None:
    """Put new keys (key, whether it seeks, fact) in the place of those that `facts` have."""
    # Why: what a fact says under which keys may have changed with what its names were resolved to.
    session.execute(
        "delete from illumina.claims where namespace = %(namespace)s and fact = any(%(facts)s)", {"facts": list(facts)}
    )
    rows = sorted(keys, key=lambda row: (row[0].bytes, row[1], row[2].bytes))
    # Why: in key order, so that the index is filled page by page.
    session.execute(
        "insert into illumina.claims (namespace, key, seeks, fact) "
        "select %(namespace)s, * from unnest(%(keys)s::uuid[], %(seeks)s::boolean[], %(facts)s::uuid[])",
        {"keys": [row[0] for row in rows], "seeks": [row[1] for row in rows], "facts": [row[2] for row in rows]},
    )


def seekers(session: Session, keys: Collection[UUID], as_of: datetime | None) -> list[tuple[UUID, Place]]:
    """The facts that look for older ones under each of `keys`; if a time is given, those that had been said by then."""
    # Why: whatever may supersede a fact has one of the keys under which that is found.
    found = session.execute(
        "select key, fact from illumina.claims where namespace = %(namespace)s and key = any(%(keys)s) and seeks",
        {"keys": list(keys)},
    ).fetchall()
    # Why: by primary key; not joined, as what was written a moment ago has no statistics yet.
    rows = session.execute(
        f"select {_PLACE} from illumina.facts f where f.namespace = %(namespace)s and f.fact = any(%(facts)s) "
        f"and (%(as_of)s::timestamptz is null or {SAID})",
        {"facts": list({fact for _, fact in found}), "as_of": as_of},
    )
    places = {row[0]: Place(*row) for row in rows}
    return [(key, places[fact]) for key, fact in found if fact in places]


def sought(session: Session, keys: Collection[UUID], since: datetime | None) -> list[tuple[UUID, UUID]]:
    """The facts that are found under each of `keys`, but for those that something older than `since` has wholly superseded.

    Args:
        session: Of the namespace.
        keys: What to look under.
        since: The time of the oldest fact that looks; None if that is not known.
    """
    # Why: whatever a fact may supersede is found under one of the keys that it looks under.
    rows = session.execute(
        "select key, fact from illumina.claims where namespace = %(namespace)s and key = any(%(keys)s) and not seeks",
        {"keys": list(keys)},
    ).fetchall()
    # Why: in a long row of values each was superseded by the next, and nothing that comes later changes that. Not joined:
    # without fresh statistics the planner would compare every row with every row.
    settled = session.execute(
        "select old from illumina.supersessions "
        "where namespace = %(namespace)s and old = any(%(facts)s) and extent = 'whole' and since < %(since)s",
        {"facts": list({fact for _, fact in rows}), "since": since},
    )
    over = {old for (old,) in settled}
    return [(key, fact) for key, fact in rows if fact not in over]


def of(session: Session, olds: Collection[UUID]) -> list[tuple[Row, Place]]:
    """What was found to supersede each of `olds`, and where that stands in time."""
    # Why: what is there already need not be judged again.
    rows = session.execute(
        f"select s.old, s.new, s.extent, s.part, s.since, s.evidence, {_PLACE} from illumina.supersessions s "
        "join illumina.facts f on f.namespace = %(namespace)s and f.fact = s.new "
        "where s.namespace = %(namespace)s and s.old = any(%(olds)s)",
        {"olds": list(olds)},
    )
    return [(Row(*row[:6]), Place(*row[6:])) for row in rows]


def remove(session: Session, facts: Collection[UUID]) -> list[tuple[UUID, UUID, str]]:
    """Take away all that was found of `facts`, as older and as newer; returns old, new and extent of each."""
    # Why: both sides have an index, and what is about to be decided anew or forgotten leaves nothing.
    rows = session.execute(
        "delete from illumina.supersessions "
        "where namespace = %(namespace)s and (old = any(%(facts)s) or new = any(%(facts)s)) returning old, new, extent",
        {"facts": list(facts)},
    )
    return [(old, new, extent) for old, new, extent in rows]


def write(session: Session, gone: Collection[Row], found: Collection[Row]) -> None:
    """Take away some rows and add others."""
    # Why: an earlier one has turned up that supersedes the same.
    session.execute(
        "delete from illumina.supersessions s using unnest(%(olds)s::uuid[], %(news)s::uuid[]) as gone (old, new) "
        "where s.namespace = %(namespace)s and s.old = gone.old and s.new = gone.new",
        {"olds": [row.old for row in gone], "news": [row.new for row in gone]},
    )
    # Why: all of one settling at once.
    session.execute(
        "insert into illumina.supersessions (namespace, old, new, extent, part, since, evidence) "
        "select %(namespace)s, * from unnest(%(olds)s::uuid[], %(news)s::uuid[], %(extents)s::text[], %(parts)s::text[], "
        "%(since)s::timestamptz[], %(evidence)s::jsonb[])",
        {
            "olds": [row.old for row in found],
            "news": [row.new for row in found],
            "extents": [row.extent for row in found],
            "parts": [row.part for row in found],
            "since": [row.since for row in found],
            "evidence": [dumps(row.evidence).decode() for row in found],
        },
    )


def superseding(session: Session, facts: Collection[UUID]) -> set[UUID]:
    """The facts, others than `facts`, that one of those was found to supersede."""
    # Why: they may hold again once it is gone.
    rows = session.execute(
        "select distinct old from illumina.supersessions where namespace = %(namespace)s and new = any(%(facts)s)",
        {"facts": list(facts)},
    )
    return {row[0] for row in rows} - set(facts)


def standing(session: Session, facts: Collection[UUID]) -> list[tuple[UUID, bool, bool]]:
    """Of those of `facts` that are not retired: whether they are marked as superseded, and whether they are."""
    # Why: liveness follows from what was found and from what people have ruled; a ruling counts while its new fact stands.
    rows = session.execute(
        "select f.fact, f.superseded, "
        "exists (select from illumina.supersessions s "
        "  where s.namespace = %(namespace)s and s.old = f.fact and s.extent = 'whole') "
        "or exists (select from illumina.rulings r join illumina.facts n on n.namespace = %(namespace)s and n.fact = r.one "
        "  where r.namespace = %(namespace)s and r.other = f.fact and r.kind = 'supersedes' and r.undone_at is null "
        "  and n.retired_version is null) "
        "from illumina.facts f "
        "where f.namespace = %(namespace)s and f.fact = any(%(facts)s) and f.retired_version is null",
        {"facts": list(facts)},
    )
    return [(fact, marked, is_so) for fact, marked, is_so in rows]
