"""All that is derived, as a whole: what a rebuild starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from uuid import UUID

if TYPE_CHECKING:
    from illumina.store.database import Session

TABLES: Final = ("links", "suspects", "supersessions", "claims")
"""Derived from facts, causes, rulings and entities."""


def wipe(session: Session) -> None:
    """Remove what is derived by comparing facts; none is superseded afterwards."""
    for table in TABLES:
        # Why: a rebuild believes nothing of what is there.
        session.execute(f"delete from illumina.{table} where namespace = %(namespace)s")
    # Why: what is superseded is derived too.
    session.execute("update illumina.facts set superseded = false where namespace = %(namespace)s and superseded")
    # Why: retired facts stay out of the indexes.
    session.execute(
        "update illumina.embeddings e set superseded = f.retired_version is not null from illumina.facts f "
        "where e.namespace = %(namespace)s and f.namespace = %(namespace)s and f.fact = e.fact "
        "and e.superseded <> (f.retired_version is not null)"
    )


def current(session: Session) -> set[UUID]:
    """All facts that are not retired."""
    # Why: what a rebuild settles.
    rows = session.execute("select fact from illumina.facts where namespace = %(namespace)s and retired_version is null")
    return {fact for (fact,) in rows}
