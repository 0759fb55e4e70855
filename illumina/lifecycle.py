"""The lifecycle of facts: fresh until they have proved themselves, then stable, and open for editing for a while after a hit.

A recall never changes what the next one returns: callers report what they used, and a pass applies it.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from illumina.errors import InvalidInputError
from illumina.ids import FACT_PREFIX, content_key, public_id
from illumina.store import documents as ledger
from illumina.store import lifecycle as store

if TYPE_CHECKING:
    from collections.abc import Iterable

    from illumina.clock import Clock
    from illumina.store.database import Database
    from illumina.store.lifecycle import Stage

TRIAL: Final = timedelta(hours=1)
"""How old a fact must be to be stable (Sigil's memory model, "Lifecycle stages")."""

EDITING: Final = timedelta(minutes=30)
"""How long after its last access a fact is open for editing (same source)."""

_NAMED: Final = 3
"""The most facts that an error names."""


class Lifecycle:
    """The stages of the facts of one namespace. Use `Memory.lifecycle`."""

    def __init__(self, database: Database, clock: Clock, namespace: str) -> None:
        self._database, self._clock, self._namespace = database, clock, namespace

    def enabled(self) -> bool:
        """Whether the policy is on."""
        with self._database.read(self._namespace) as session:
            return store.policy(session)

    def enable(self) -> None:
        """Switch the policy on, also for a namespace that is still empty; the next pass gives the facts their stages."""
        with self._database.write(self._namespace) as session:
            ledger.lock_namespace(session)
            store.switch(session, on=True)

    def disable(self) -> None:
        """Switch the policy off: all facts are fresh, as in a namespace that never had it. What was accessed stays known."""
        with self._database.write(self._namespace) as session:
            store.switch(session, on=False)

    def accessed(self, fact_ids: Iterable[str]) -> None:
        """Log that facts (`fct_…`) were used, now; with the policy off too. Nothing changes before the next pass.

        Raises:
            InvalidInputError: The namespace does not hold one of them; nothing is logged.
        """
        facts = {content_key(FACT_PREFIX, fact) for fact in fact_ids}
        if not facts:
            return
        with self._database.write(self._namespace) as session:
            store.lock(session)
            missing = [public_id(FACT_PREFIX, fact) for fact in sorted(facts - store.known(session, facts))]
            if missing:
                more = f" and {len(missing) - _NAMED} others" if len(missing) > _NAMED else ""
                raise InvalidInputError(
                    f"{self._namespace} does not hold {', '.join(missing[:_NAMED])}{more}, so no access was logged. Name the "
                    "namespace that the facts were recalled from; a fact may also have been forgotten since."
                )
            store.log(session, facts, self._clock.now())

    def apply(self) -> int:
        """Apply the logged accesses and give each fact its stage as of now.

        Doing it again at the same moment changes nothing, and how often it was done before makes no difference.

        Returns:
            How many facts changed their stage, superseded and retired ones too; none while the policy is off.
        """
        now = self._clock.now()
        with self._database.write(self._namespace) as session:
            on = store.lock(session)
            store.fold(session)
            return store.advance(session, now, TRIAL, EDITING) if on else 0

    def states(self) -> dict[Stage, int]:
        """How many facts that can be recalled are in each stage, as of the last pass; all are fresh while the policy is off."""
        with self._database.read(self._namespace) as session:
            found = store.counts(session)
        return {stage: found.get(stage, 0) for stage in store.STAGES}
