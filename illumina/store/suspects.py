"""Live facts that rest on one that no longer holds, along what texts state as causes."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Collection

    from illumina.store.database import Session

Suspicion = tuple[UUID, UUID]
"""A fact, and the one that no longer holds."""

_CARRIES = "kind in ('causes', 'enables')"


def downstream(session: Session, facts: Collection[UUID]) -> set[UUID]:
    """All facts that rest on one of `facts`, however far."""
    # Why: whether they are suspect may depend on these; `union` ends circles.
    rows = session.execute(
        "with recursive reached (fact) as ("
        f"  select effect from illumina.causal where namespace = %(namespace)s and cause = any(%(facts)s) and {_CARRIES}"
        "  union"
        "  select c.effect from reached r join illumina.causal c on c.namespace = %(namespace)s and c.cause = r.fact "
        f"  where c.{_CARRIES}"
        ") select fact from reached",
        {"facts": list(facts)},
    )
    return {row[0] for row in rows}


def of(session: Session, facts: Collection[UUID]) -> set[Suspicion]:
    """What is noted against each of `facts`."""
    # Why: to tell what changes.
    rows = session.execute(
        "select fact, because from illumina.suspects where namespace = %(namespace)s and fact = any(%(facts)s)",
        {"facts": list(facts)},
    )
    return {(fact, because) for fact, because in rows}


def found(session: Session, facts: Collection[UUID]) -> set[Suspicion]:
    """Of those of `facts` that hold: the nearest ones they rest on that do not hold, through any number that do."""
    # Why: walks back from each fact and stops at what does not hold; what lies behind that is its own matter.
    rows = session.execute(
        "with recursive walked (fact, reached) as ("
        "  select effect, cause from illumina.causal "
        f"  where namespace = %(namespace)s and effect = any(%(facts)s) and {_CARRIES}"
        "  union"
        "  select w.fact, c.cause from walked w "
        "  join illumina.facts r on r.namespace = %(namespace)s and r.fact = w.reached "
        "    and r.retired_version is null and not r.superseded "
        "  join illumina.causal c on c.namespace = %(namespace)s and c.effect = w.reached "
        f"  where c.{_CARRIES}"
        ") select w.fact, w.reached from walked w "
        "join illumina.facts f on f.namespace = %(namespace)s and f.fact = w.fact "
        "join illumina.facts r on r.namespace = %(namespace)s and r.fact = w.reached "
        "where f.retired_version is null and not f.superseded and (r.retired_version is not null or r.superseded)",
        {"facts": list(facts)},
    )
    return {(fact, because) for fact, because in rows}


def remove(session: Session, suspicions: Collection[Suspicion]) -> None:
    """Take notes away."""
    # Why: what they rested on holds again, or they do not hold themselves.
    session.execute(
        "delete from illumina.suspects s using unnest(%(facts)s::uuid[], %(reasons)s::uuid[]) as gone (fact, because) "
        "where s.namespace = %(namespace)s and s.fact = gone.fact and s.because = gone.because",
        {"facts": [fact for fact, _ in suspicions], "reasons": [because for _, because in suspicions]},
    )


def add(session: Session, suspicions: Collection[Suspicion]) -> None:
    """Add notes."""
    # Why: all of one settling at once.
    session.execute(
        "insert into illumina.suspects (namespace, fact, because) "
        "select %(namespace)s, * from unnest(%(facts)s::uuid[], %(reasons)s::uuid[])",
        {"facts": [fact for fact, _ in suspicions], "reasons": [because for _, because in suspicions]},
    )


def because_of(session: Session, facts: Collection[UUID]) -> set[UUID]:
    """The facts that are suspect because of one of `facts`, or are among them."""
    # Why: forgetting the reason ends the suspicion.
    rows = session.execute(
        "select fact from illumina.suspects "
        "where namespace = %(namespace)s and (because = any(%(facts)s) or fact = any(%(facts)s))",
        {"facts": list(facts)},
    )
    return {row[0] for row in rows}
