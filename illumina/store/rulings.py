"""What people have decided: which mentions are one entity, and which are two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from illumina.store.database import Session

Kind = Literal["same", "different"]


@dataclass(frozen=True, slots=True)
class Ruling:
    """Two mentions that are, or are not, one entity.

    Attributes:
        id: Derived from kind, mentions and time.
        kind: What was decided.
        one: A mention; of two that are different, the one that was taken out.
        other: Another one.
        act: Rulings of one act share it, and are undone together.
        reason: Why, in somebody's words.
        recorded_at: When it was decided.
        undone_at: When it was taken back; None while it holds.
    """

    id: UUID
    kind: Kind
    one: UUID
    other: UUID
    act: UUID
    reason: str
    recorded_at: datetime
    undone_at: datetime | None = None


_COLUMNS = "ruling, kind, one, other, act, reason, recorded_at, undone_at"


def insert(session: Session, ruling: Ruling) -> bool:
    """Record a ruling; False if just this one is recorded already."""
    # Why: recorded for good; undoing only marks it.
    cursor = session.execute(
        f"insert into illumina.rulings (namespace, {_COLUMNS}) "
        "values (%(namespace)s, %(ruling)s, %(kind)s, %(one)s, %(other)s, %(act)s, %(reason)s, "
        "%(recorded_at)s, %(undone_at)s) on conflict do nothing",
        {
            "ruling": ruling.id,
            "kind": ruling.kind,
            "one": ruling.one,
            "other": ruling.other,
            "act": ruling.act,
            "reason": ruling.reason,
            "recorded_at": ruling.recorded_at,
            "undone_at": ruling.undone_at,
        },
    )
    return cursor.rowcount > 0


def undo(session: Session, ruling: UUID, undone_at: datetime) -> None:
    """Take a ruling back."""
    # Why: what was decided and taken back stays readable.
    session.execute(
        "update illumina.rulings set undone_at = %(undone_at)s where namespace = %(namespace)s and ruling = %(ruling)s",
        {"ruling": ruling, "undone_at": undone_at},
    )


def everything(session: Session) -> list[Ruling]:
    """All rulings on mentions, oldest first."""
    # Why: people make them one by one, so there are few.
    rows = session.execute(
        f"select {_COLUMNS} from illumina.rulings where namespace = %(namespace)s and kind in ('same', 'different') "
        "order by recorded_at, ruling"
    )
    return [Ruling(*row) for row in rows]


def active(session: Session) -> list[tuple[Kind, UUID, UUID, UUID, UUID]]:
    """Rulings that hold between mentions of facts that are not retired: kind, the two mentions, their two forms."""
    # Why: resolving needs to know what is pinned, and where the other mention is to be looked for.
    rows = session.execute(
        "select r.kind, r.one, r.other, a.form, b.form from illumina.rulings r "
        "join illumina.mentions a on a.namespace = %(namespace)s and a.mention = r.one "
        "join illumina.mentions b on b.namespace = %(namespace)s and b.mention = r.other "
        "where r.namespace = %(namespace)s and r.kind in ('same', 'different') and r.undone_at is null"
    )
    found: list[Any] = rows.fetchall()
    return found


def forget(session: Session, mentions: Collection[UUID]) -> None:
    """Remove rulings on mentions that are to be forgotten."""
    # Why: whoever never saw the mentions has decided nothing about them.
    session.execute(
        "delete from illumina.rulings where namespace = %(namespace)s and kind in ('same', 'different') "
        "and (one = any(%(mentions)s) or other = any(%(mentions)s))",
        {"mentions": list(mentions)},
    )
