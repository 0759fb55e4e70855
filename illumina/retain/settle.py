"""Bring what is derived from facts up to date: entities, then what supersedes what, then links.

Each layer is a function of the set of what is recorded and of the layers before it, and is given the facts whose rows may have
changed; so a write settles only the blocks that it touches, and `rebuild` settles everything and changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from illumina.retain import link, reconcile, resolve
from illumina.store import derived, facts, jobs, stale
from illumina.store import documents as ledger

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet
    from datetime import datetime
    from uuid import UUID

    from illumina.store.database import Database, Session


def affected(session: Session, gone: AbstractSet[UUID]) -> set[UUID]:
    """Facts other than the given ones whose derived rows may change if these go or change; asked before they do."""
    return (resolve.affected(session, gone) | reconcile.affected(session, gone) | link.affected(session, gone)) - gone


def settle(database: Database, namespace: str, done: Callable[[Session], None], ask_at: datetime | None = None) -> int:
    """Settle whatever is stale, and complete the job by `done` in the same transaction; returns how many facts were.

    Args:
        database: Where.
        namespace: Which partition.
        done: Completes the job.
        ask_at: From when a language model is to be asked about the pairs that the rules leave open; never if None.
    """
    with database.write(namespace) as session:
        known = ledger.lock_known_namespace(session)
        done(session)
        return _settle(session, stale.take(session), ask_at) if known else 0


def settle_here(session: Session, given: AbstractSet[UUID], ask_at: datetime | None = None) -> None:
    """Settle the given facts and whatever else is stale in this transaction. The namespace must be locked; see `settle`."""
    remove_job(session)
    _settle(session, given | stale.take(session), ask_at)


def rebuild(database: Database, namespace: str) -> int:
    """Make everything derived but the vectors anew; returns of how many facts. Changes nothing that is right."""
    with database.write(namespace) as session:
        if not ledger.lock_known_namespace(session):
            return 0
        remove_job(session)
        stale.take(session)
        derived.wipe(session)
        everything = derived.current(session)
        facts.reindex(session, everything)
        resolve.rebuild(session)
        reconcile.settle(session, everything)
        link.settle(session, everything)
        return len(everything)


def remove_job(session: Session) -> None:
    """Take back the namespace's job: what it was for is being done here and now."""
    jobs.remove(session, "settle", None, None)


def _settle(session: Session, given: AbstractSet[UUID], ask_at: datetime | None) -> int:
    if given:
        given = given | resolve.settle(session, given)
        given = given | reconcile.settle(session, given)
        if ask_at is not None:
            reconcile.enqueue(session, given, ask_at)
        link.settle(session, given)
    return len(given)
