"""What replaced what: chains of supersession and of rulings, and the facts in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from illumina.store.database import Session
    from illumina.types import Visibility


@dataclass(frozen=True, slots=True)
class Edge:
    """One fact that supersedes another; `ruling` names the decision if people made it."""

    old: UUID
    new: UUID
    extent: Literal["whole", "part"]
    part: str | None
    since: datetime | None
    evidence: dict[str, Any]
    ruling: UUID | None


@dataclass(frozen=True, slots=True)
class Known:
    """A fact, live or not, as it is shown in a history."""

    fact: UUID
    content: str
    source: str
    document: UUID
    occurred_at: datetime | None
    state: Literal["live", "superseded", "retired"]
    visibility: Visibility
    agent: str | None
    device: str | None


_EDGES = (
    "select old, new, extent, part, since, evidence, null::uuid from illumina.supersessions where namespace = %(namespace)s "
    "and {column} = any(%(facts)s) union all "
    "select r.other, r.one, 'whole', null, coalesce(n.event_start, n.occurred_at), "
    "  jsonb_build_object('kind', 'ruling', 'reason', r.reason), r.ruling "
    "from illumina.rulings r join illumina.facts n "
    "on n.namespace = %(namespace)s and n.fact = r.one and n.retired_version is null "
    "where r.namespace = %(namespace)s and r.kind = 'supersedes' and r.undone_at is null and r.{ruled} = any(%(facts)s)"
)


def replaced_by(session: Session, facts: Collection[UUID]) -> list[Edge]:
    """What supersedes each of `facts`."""
    # Why: one step of a chain towards what holds.
    rows = session.execute(_EDGES.format(column="old", ruled="other"), {"facts": list(facts)})
    return [Edge(*row) for row in rows]


def replaced(session: Session, facts: Collection[UUID]) -> list[Edge]:
    """What each of `facts` supersedes."""
    # Why: one step of a chain towards what held before.
    rows = session.execute(_EDGES.format(column="new", ruled="one"), {"facts": list(facts)})
    return [Edge(*row) for row in rows]


def read(session: Session, facts: Collection[UUID]) -> dict[UUID, Known]:
    """What is shown of each of `facts`."""
    # Why: history shows also what is in no index any more.
    rows = session.execute(
        "select fact, content, source, document, occurred_at, "
        "case when retired_version is not null then 'retired' when superseded then 'superseded' else 'live' end, "
        "visibility, agent, device from illumina.facts where namespace = %(namespace)s and fact = any(%(facts)s)",
        {"facts": list(facts)},
    )
    return {row[0]: Known(*row) for row in rows}


def suspects(session: Session) -> list[tuple[UUID, UUID]]:
    """All live facts that rest on one that no longer holds, each with that one."""
    # Why: somebody has to look at them.
    rows = session.execute("select fact, because from illumina.suspects where namespace = %(namespace)s order by fact, because")
    return [(fact, because) for fact, because in rows]
