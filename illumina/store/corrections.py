"""What people have decided about facts: that one supersedes another, whatever the rules say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from illumina.store.database import Session


@dataclass(frozen=True, slots=True)
class Correction:
    """One fact that supersedes another.

    Attributes:
        id: Derived from the two and the time.
        one: What holds.
        other: What does not hold any more.
        reason: Why, in somebody's words.
        recorded_at: When it was decided.
        undone_at: When it was taken back; None while it holds.
    """

    id: UUID
    one: UUID
    other: UUID
    reason: str
    recorded_at: datetime
    undone_at: datetime | None = None


_COLUMNS = "r.ruling, r.one, r.other, r.reason, r.recorded_at, r.undone_at"


def in_force(session: Session) -> list[tuple[Correction, datetime | None, datetime | None]]:
    """Corrections that are in force, that is not undone, and whose new fact is not retired; the moments of new and old fact."""
    # Why: what supersedes something by decision is newer than that, whatever its own time says; people make few of them.
    rows = session.execute(
        f"select {_COLUMNS}, coalesce(n.event_start, n.occurred_at), coalesce(o.event_start, o.occurred_at) "
        "from illumina.rulings r "
        "join illumina.facts n on n.namespace = %(namespace)s and n.fact = r.one and n.retired_version is null "
        "join illumina.facts o on o.namespace = %(namespace)s and o.fact = r.other "
        "where r.namespace = %(namespace)s and r.kind = 'supersedes' and r.undone_at is null order by r.ruling"
    )
    return [(Correction(*row[:6]), row[6], row[7]) for row in rows]


def of(session: Session, facts: Collection[UUID]) -> list[Correction]:
    """All corrections, also those undone, that name one of `facts` as new or as old; the oldest first."""
    # Why: a fact's history shows what people decided about it.
    rows = session.execute(
        f"select {_COLUMNS} from illumina.rulings r where r.namespace = %(namespace)s and r.kind = 'supersedes' "
        "and (r.one = any(%(facts)s) or r.other = any(%(facts)s)) order by r.recorded_at, r.ruling",
        {"facts": list(facts)},
    )
    return [Correction(*row) for row in rows]


def find(session: Session, correction: UUID) -> Correction | None:
    """One correction; None if there is no such."""
    # Why: by primary key.
    row = session.execute(
        f"select {_COLUMNS} from illumina.rulings r "
        "where r.namespace = %(namespace)s and r.kind = 'supersedes' and r.ruling = %(ruling)s",
        {"ruling": correction},
    ).fetchone()
    return None if row is None else Correction(*row)


def record(session: Session, correction: Correction) -> None:
    """Add a correction, or the very same again. The namespace must be locked."""
    # Why: recorded for good; undoing only marks it.
    session.execute(
        "insert into illumina.rulings (namespace, ruling, kind, one, other, reason, recorded_at) "
        "values (%(namespace)s, %(ruling)s, 'supersedes', %(one)s, %(other)s, %(reason)s, %(at)s) on conflict do nothing",
        {
            "ruling": correction.id,
            "one": correction.one,
            "other": correction.other,
            "reason": correction.reason,
            "at": correction.recorded_at,
        },
    )


def audiences(session: Session, facts: Collection[UUID]) -> dict[UUID, tuple[Any, ...]]:
    """Of those of `facts` that are not retired: visibility, agent and device."""
    # Why: what a correction needs to know of its two facts.
    rows = session.execute(
        "select fact, visibility, agent, device from illumina.facts "
        "where namespace = %(namespace)s and fact = any(%(facts)s) and retired_version is null",
        {"facts": list(facts)},
    )
    return {fact: tuple(rest) for fact, *rest in rows}
