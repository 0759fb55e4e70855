"""What was believed at a time: facts by when they were first said, and by when what ended them was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from illumina.store.database import Session


def said_by(fact: str) -> str:
    """Whether a fact, under its alias, had been said by then, or recorded if it bears no time; what has neither always had."""
    return f"coalesce({fact}.said_at, {fact}.recorded_at, '-infinity') <= %(as_of)s"


SAID: Final = said_by("f")

BELIEVED: Final = f"(f.retired_version is null and not f.superseded and {SAID} or f.fact = any(%(believed)s::uuid[]))"
"""Whether a fact `f` was believed then."""

STATED: Final = f"({SAID} and (f.retired_version is null or f.fact = any(%(believed)s::uuid[])))"
"""Whether a document stated a fact `f` then, believed or not."""


class Ended(NamedTuple):
    """A fact that had been said by then and is superseded now.

    Attributes:
        fact: The fact.
        by: What supersedes it wholly by the rules, if anything does.
        then: Whether that had been said by then.
        ruled: Whether a person's ruling supersedes it by something that had been said by then.
    """

    fact: UUID
    by: UUID | None
    then: bool
    ruled: bool


def ended(session: Session, as_of: datetime) -> list[Ended]:
    """The facts said by then that something supersedes now."""
    # Why: whether they had ended by then depends on when that was said.
    rows = session.execute(
        f"select o.fact, s.new, {SAID}, exists ("
        "  select from illumina.rulings r join illumina.facts f on f.namespace = %(namespace)s and f.fact = r.one "
        "  where r.namespace = %(namespace)s and r.other = o.fact and r.kind = 'supersedes' and r.undone_at is null "
        f"  and f.retired_version is null and {SAID}) "
        "from illumina.facts o "
        "left join illumina.supersessions s on s.namespace = %(namespace)s and s.old = o.fact and s.extent = 'whole' "
        "left join illumina.facts f on f.namespace = %(namespace)s and f.fact = s.new "
        "where o.namespace = %(namespace)s and o.superseded and o.retired_version is null "
        f"and {said_by('o')}",
        {"as_of": as_of},
    )
    return [Ended(*row) for row in rows.fetchall()]


def dropped_later(session: Session, as_of: datetime) -> set[UUID]:
    """The retired facts said by then, of which the version that dropped them had not been."""
    # Why: a document's older version was what it said until the newer one.
    rows = session.execute(
        "select f.fact from illumina.facts f join illumina.documents d on d.namespace = %(namespace)s "
        "and d.document = f.document and d.version = f.retired_version "
        f"where f.namespace = %(namespace)s and f.retired_version is not null and {SAID} "
        "and coalesce(d.occurred_at, d.recorded_at) > %(as_of)s",
        {"as_of": as_of},
    )
    return {fact for (fact,) in rows.fetchall()}


def texts(session: Session, facts: Collection[UUID]) -> list[tuple[UUID, str | None, str]]:
    """Of each fact: id, speaker, content."""
    # Why: what is superseded or retired has no postings.
    return session.execute(
        "select fact, speaker, content from illumina.facts where namespace = %(namespace)s and fact = any(%(facts)s)",
        {"facts": list(facts)},
    ).fetchall()


class Belief(NamedTuple):
    """Which facts were believed at a time, next to those that are live and had been said.

    Attributes:
        as_of: The time.
        believed: Superseded or retired by now, and believed then.
        replaced: Of facts whose end now was not their end then: pairs (new, old) of what ended them, or a part of them, then.
        reconsidered: Those facts.
    """

    as_of: datetime
    believed: frozenset[UUID]
    replaced: tuple[tuple[UUID, UUID], ...]
    reconsidered: frozenset[UUID]

    @property
    def parameters(self) -> dict[str, Any]:
        """Of `BELIEVED` and `STATED`."""
        return {"as_of": self.as_of, "believed": list(self.believed)}
