"""What people have decided about facts: that one supersedes another, whatever the rules say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Collection

    from illumina.store.database import Session


@dataclass(frozen=True, slots=True)
class Correction:
    """The fact `one` supersedes the fact `other`, whatever the rules say."""

    id: UUID
    one: UUID
    other: UUID
    reason: str
    recorded_at: datetime | None
    undone_at: datetime | None


_COLUMNS = "r.ruling, r.one, r.other, r.reason, r.recorded_at, r.undone_at"


def in_force(session: Session) -> list[tuple[Correction, datetime | None, datetime | None]]:
    """Rulings that are not undone and whose new fact stands, each with the moments of the new and of the old fact."""
    # Why: what is ruled to supersede is newer than that, whatever its own time says.
    rows = session.execute(
        f"select {_COLUMNS}, coalesce(n.event_start, n.occurred_at), coalesce(o.event_start, o.occurred_at) "
        "from illumina.rulings r "
        "join illumina.facts n on n.namespace = %(namespace)s and n.fact = r.one and n.retired_version is null "
        "join illumina.facts o on o.namespace = %(namespace)s and o.fact = r.other "
        "where r.namespace = %(namespace)s and r.kind = 'supersedes' and r.undone_at is null order by r.ruling"
    )
    return [(Correction(*row[:6]), row[6], row[7]) for row in rows]


def superseding(session: Session, facts: Collection[UUID]) -> list[Correction]:
    """All rulings, also those undone, that name one of `facts` as old or as new."""
    # Why: a fact's history shows what people decided about it.
    rows = session.execute(
        f"select {_COLUMNS} from illumina.rulings r where r.namespace = %(namespace)s and r.kind = 'supersedes' "
        "and (r.one = any(%(facts)s) or r.other = any(%(facts)s)) order by r.ruling",
        {"facts": list(facts)},
    )
    return [Correction(*row) for row in rows]


def read(session: Session, ruling: UUID) -> Correction | None:
    """One ruling about facts."""
    # Why: what is undone must be there.
    row = session.execute(
        f"select {_COLUMNS} from illumina.rulings r "
        "where r.namespace = %(namespace)s and r.kind = 'supersedes' and r.ruling = %(ruling)s",
        {"ruling": ruling},
    ).fetchone()
    return None if row is None else Correction(*row)


def record(session: Session, ruling: Correction) -> None:
    """Add a ruling; one that was undone is in force again. The namespace must be locked."""
    # Why: the id is that of the pair, so that ruling twice is ruling once.
    session.execute(
        "insert into illumina.rulings (namespace, ruling, kind, one, other, reason, recorded_at) "
        "values (%(namespace)s, %(ruling)s, 'supersedes', %(one)s, %(other)s, %(reason)s, %(at)s) "
        "on conflict (namespace, ruling) do update set reason = excluded.reason, recorded_at = excluded.recorded_at, "
        "undone_at = null",
        {"ruling": ruling.id, "one": ruling.one, "other": ruling.other, "reason": ruling.reason, "at": ruling.recorded_at},
    )


def undo(session: Session, ruling: UUID, at: datetime) -> None:
    """Note that a ruling is in force no longer; it stays on record. The namespace must be locked."""
    # Why: what people decided is a ledger.
    session.execute(
        "update illumina.rulings set undone_at = %(at)s where namespace = %(namespace)s and ruling = %(ruling)s",
        {"ruling": ruling, "at": at},
    )


def unknown(session: Session, facts: Collection[UUID]) -> set[UUID]:
    """Those of `facts` that are not there or retired."""
    # Why: a ruling about nothing would come into force by accident later.
    rows = session.execute(
        "select fact from illumina.facts "
        "where namespace = %(namespace)s and fact = any(%(facts)s) and retired_version is null",
        {"facts": list(facts)},
    )
    return set(facts) - {row[0] for row in rows}
