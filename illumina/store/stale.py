"""Facts whose derived rows are still to be settled."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Collection

    from illumina.store.database import Session


def mark(session: Session, facts: Collection[UUID]) -> None:
    """Have facts settled, some of which may be gone by then. The namespace must be locked."""
    if facts:
        # Why: in the transaction of the change, so that no change goes unsettled.
        session.execute(
            "insert into illumina.stale (namespace, fact) select %(namespace)s, fact from unnest(%(facts)s::uuid[]) fact "
            "order by fact on conflict do nothing",
            {"facts": list(facts)},
        )


def take(session: Session) -> set[UUID]:
    """All that are to be settled, which whoever takes them does in the same transaction. The namespace must be locked."""
    # Why: settled together with the transaction's commit, or still stale after its rollback.
    rows = session.execute("delete from illumina.stale where namespace = %(namespace)s returning fact")
    return {fact for (fact,) in rows}
