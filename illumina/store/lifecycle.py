"""The stages of facts: accesses are logged, and a pass moves them into the facts and derives each fact's stage.

A stage is a function of what a fact's row says when the pass is over (age, importance, first and last access) and of the moment
of the pass. So neither the order and batching of accesses nor earlier passes can change it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime, timedelta

    from illumina.store.database import Session

Stage = Literal["fresh", "stable", "editing"]

STAGES: Final[tuple[Stage, ...]] = ("fresh", "stable", "editing")

_STAGE: Final = """
    case
        when recorded_at > %(now)s - %(trial)s or (importance <> 'vital' and first_accessed_at is null) then 'fresh'
        when accessed_at > %(now)s - %(editing)s and accessed_at >= coalesce(recorded_at, '-infinity') + %(trial)s
            and (importance = 'vital' or accessed_at > first_accessed_at) then 'editing'
        else 'stable'
    end"""
"""A hit opens a fact for editing only if it found it stable: old enough, and vital or accessed before that hit."""


def lock(session: Session) -> bool:
    """Make other writers of the namespace wait, if it exists; whether its policy is on."""
    # Why: the same lock as every writer's, but a namespace that nobody wrote to is not registered.
    row = session.execute("select lifecycle from illumina.namespaces where namespace = %(namespace)s for update").fetchone()
    return row is not None and bool(row[0])


def policy(session: Session) -> bool:
    """Whether the facts of the namespace have stages."""
    # Why: by primary key.
    row = session.execute("select lifecycle from illumina.namespaces where namespace = %(namespace)s").fetchone()
    return row is not None and bool(row[0])


def switch(session: Session, *, on: bool) -> None:
    """Set the policy of a namespace that is registered; once it is off, every fact is as fresh as if it had never been on."""
    # Why: this row is the lock of all writers too.
    session.execute("update illumina.namespaces set lifecycle = %(on)s where namespace = %(namespace)s", {"on": on})
    if not on:
        # Why: without the policy there are no stages.
        session.execute(
            "update illumina.facts set lifecycle = 'fresh' where namespace = %(namespace)s and lifecycle <> 'fresh'"
        )


def known(session: Session, facts: Collection[UUID]) -> set[UUID]:
    """Those of `facts` that the namespace holds, live or not."""
    # Why: an access to a fact that is not here is a mistake of the caller's.
    rows = session.execute(
        "select fact from illumina.facts where namespace = %(namespace)s and fact = any(%(facts)s)", {"facts": list(facts)}
    )
    return {fact for (fact,) in rows}


def log(session: Session, facts: Collection[UUID], now: datetime) -> None:
    """Log an access to each of some facts of the namespace, which must be locked."""
    # Why: two hits at one moment are one access.
    session.execute(
        "insert into illumina.accesses (namespace, fact, accessed_at) "
        "select %(namespace)s, fact, %(now)s from unnest(%(facts)s::uuid[]) fact on conflict do nothing",
        {"facts": list(facts), "now": now},
    )


def fold(session: Session) -> None:
    """Move all logged accesses into the facts. The namespace must be locked."""
    # Why: of all accesses to a fact its stage depends on the first and the last alone, so the log does not grow for ever.
    session.execute(
        "with taken as (delete from illumina.accesses where namespace = %(namespace)s returning fact, accessed_at) "
        "update illumina.facts f set first_accessed_at = least(f.first_accessed_at, a.first), "
        "accessed_at = greatest(f.accessed_at, a.last) "
        "from (select fact, min(accessed_at) as first, max(accessed_at) as last from taken group by fact) a "
        "where f.namespace = %(namespace)s and f.fact = a.fact"
    )


def advance(session: Session, now: datetime, trial: timedelta, editing: timedelta) -> int:
    """Give every fact its stage as of a moment; returns how many had another one. The namespace must be locked.

    Args:
        session: After `fold`.
        now: The moment.
        trial: How old a fact must be to be stable.
        editing: How long a hit keeps a stable fact open for editing.
    """
    # Why: one pass over the namespace; only rows whose stage is another one are written, and none of their indexes.
    return session.execute(
        f"update illumina.facts set lifecycle = {_STAGE} where namespace = %(namespace)s and lifecycle <> {_STAGE}",
        {"now": now, "trial": trial, "editing": editing},
    ).rowcount


def counts(session: Session) -> dict[Stage, int]:
    """How many facts that hold are in each stage; none where there are none."""
    # Why: counted over the facts that a recall finds.
    rows = session.execute(
        "select lifecycle, count(*) from illumina.facts "
        "where namespace = %(namespace)s and retired_version is null and not superseded group by lifecycle"
    )
    return dict(rows.fetchall())
