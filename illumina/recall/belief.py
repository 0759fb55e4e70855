"""What was believed at a time, as a recall about the past needs it.

A fact was believed from when it was first said, until something that ends it was said too: what supersedes it, or the version
of its document that no longer says it. So the order in which a memory learnt things plays no part. What supersedes what is
decided among the facts said by then, with names resolved as today.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from illumina.errors import InvalidInputError
from illumina.retain.reconcile import superseding_then
from illumina.store import believed as store

if TYPE_CHECKING:
    from datetime import datetime

    from illumina.store.believed import Belief
    from illumina.store.database import Session


def check_as_of(as_of: datetime | None) -> None:
    """Refuse a time that is none everywhere.

    Raises:
        InvalidInputError: It has no time zone.
    """
    if as_of is not None and as_of.utcoffset() is None:
        raise InvalidInputError(f"as_of is {as_of.isoformat()}, without a time zone. Pass one, such as UTC.")


def believed(session: Session, as_of: datetime) -> Belief:
    """What was believed at a time."""
    ended = [one for one in store.ended(session, as_of) if not one.ruled]
    # Of what supersedes a fact wholly only the first is stored. If that was said later, another may have ended it before.
    open_then = {one.fact for one in ended if one.by is not None and not one.then}
    rows = superseding_then(session, open_then, as_of) if open_then else []
    over = {row.old for row in rows if row.extent == "whole"}
    still = {one.fact for one in ended if one.by is None} | (open_then - over)
    return store.Belief(
        as_of,
        frozenset(still | store.dropped_later(session, as_of)),
        tuple((row.new, row.old) for row in rows),
        frozenset(open_then),
    )
