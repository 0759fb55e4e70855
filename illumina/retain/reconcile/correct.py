"""What people decide: that one fact supersedes another. Recorded, and undone by a record too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from illumina.canonical import timestamp
from illumina.errors import InvalidInputError
from illumina.ids import FACT_PREFIX, content_uuid, public_id
from illumina.retain.reconcile.statements import may_retire
from illumina.store import corrections, rulings, stale
from illumina.store.corrections import Correction

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from illumina.store.database import Session


def rule(session: Session, new: UUID, old: UUID, reason: str, at: datetime) -> UUID:
    """Record that a fact supersedes another, from now on and whatever the rules say. The namespace must be locked.

    Both are marked as stale: settling brings the consequences. The new fact counts as just newer than the old one.

    Args:
        session: A writing one.
        new: What holds.
        old: What does not hold any more; may be a verbatim fact.
        reason: Why, in anybody's words.
        at: When it is decided.

    Returns:
        The ruling; the one that is in force already if there is one.

    Raises:
        InvalidInputError: One of the two is not there or retired; they are one; not everybody who may see the old may see the
            new; or the old was ruled to supersede the new.
    """
    names = public_id(FACT_PREFIX, new), public_id(FACT_PREFIX, old)
    if new == old:
        raise InvalidInputError(f"{names[0]} cannot supersede itself. Name another fact as the new one.")
    there = corrections.audiences(session, [new, old])
    if missing := [name for name, fact in zip(names, (new, old), strict=True) if fact not in there]:
        raise InvalidInputError(f"There is no fact {missing[0]} here that its document still supports.")
    if not may_retire(there[new], there[old]):
        raise InvalidInputError(
            f"{names[0]} is not visible to everybody who sees {names[1]}. Retain the correction with the visibility of what it "
            "corrects."
        )
    ruled = [correction for correction, _, _ in corrections.in_force(session)]
    for correction in ruled:
        if (correction.one, correction.other) == (new, old):
            return correction.id
    if new in _under(old, ruled):
        raise InvalidInputError(f"{names[1]} was ruled to supersede {names[0]}. Undo that ruling first.")
    correction = Correction(content_uuid("supersedes", new.hex, old.hex, timestamp(at)), new, old, reason, at)
    corrections.record(session, correction)
    stale.mark(session, [new, old])
    return correction.id


def undo(session: Session, ruling: UUID, at: datetime) -> None:
    """Take a ruling back; the old fact holds again if nothing else supersedes it. The namespace must be locked.

    Raises:
        InvalidInputError: There is no such ruling, or it was undone before.
    """
    correction = corrections.find(session, ruling)
    if correction is None or correction.undone_at is not None:
        raise InvalidInputError("There is no such ruling in force. The history of a fact lists its rulings.")
    rulings.undo(session, ruling, at)
    stale.mark(session, [correction.one, correction.other])


def _under(fact: UUID, ruled: list[Correction]) -> set[UUID]:
    """All facts that a fact is ruled to supersede, also through others."""
    reached = {fact}
    while more := {it.other for it in ruled if it.one in reached} - reached:
        reached |= more
    return reached
