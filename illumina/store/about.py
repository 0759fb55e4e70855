"""What is known about entities: who they are, their facts, their relations, and what they are mentioned with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from illumina.store.database import Session

_LIVE = "f.retired_version is null and not f.superseded"


class Counted(NamedTuple):
    """An entity, and by how many mentions it is named."""

    id: UUID
    name: str
    kind: str | None
    mentions: int


class Named(NamedTuple):
    """A mention of an entity."""

    id: UUID
    fact: UUID
    name: str
    kind: str | None
    homes: list[str]


class Stated(NamedTuple):
    """A live fact about an entity."""

    id: UUID
    content: str
    at: datetime | None
    source: str


class Related(NamedTuple):
    """A relation that a live fact states of an entity; `outward` if the entity is its subject."""

    entity: UUID
    outward: bool
    name: str
    other: UUID
    fact: UUID


def entities(session: Session, among: Collection[UUID] | None = None, limit: int | None = None) -> list[Counted]:
    """Entities, all or some, those with most mentions first."""
    # Why: an overview; names are not unique, so the id is the last word.
    rows = session.execute(
        "select e.entity, e.name, e.kind, count(*) from illumina.entities e "
        "join illumina.resolved r on r.namespace = %(namespace)s and r.entity = e.entity where e.namespace = %(namespace)s "
        f"{'' if among is None else 'and e.entity = any(%(among)s) '}"
        "group by e.entity, e.name, e.kind order by 4 desc, e.name, e.entity limit %(limit)s",
        {"limit": limit} | ({} if among is None else {"among": list(among)}),
    )
    return [Counted(*row) for row in rows]


def with_forms(session: Session, forms: Collection[UUID]) -> set[UUID]:
    """The entities that a mention of one of the forms names."""
    # Why: an entity is asked for by any of its names.
    rows = session.execute(
        "select distinct r.entity from illumina.mentions m join illumina.resolved r "
        "on r.namespace = %(namespace)s and r.mention = m.mention "
        "where m.namespace = %(namespace)s and m.form = any(%(forms)s)",
        {"forms": list(forms)},
    )
    return {entity for (entity,) in rows}


def mentions(session: Session, entity: UUID) -> list[Named]:
    """The mentions of an entity, in the order of their ids."""
    # Why: rulings are about mentions.
    rows = session.execute(
        "select m.mention, m.fact, m.name, m.kind, m.homes from illumina.resolved r join illumina.mentions m "
        "on m.namespace = %(namespace)s and m.mention = r.mention "
        "where r.namespace = %(namespace)s and r.entity = %(entity)s order by m.mention",
        {"entity": entity},
    )
    return [Named(*row) for row in rows]


def owners(session: Session, wanted: Collection[UUID]) -> dict[UUID, UUID]:
    """Of each of the given mentions that is anybody's, the entity."""
    # Why: whether a ruling did what it was to do.
    rows = session.execute(
        "select mention, entity from illumina.resolved where namespace = %(namespace)s and mention = any(%(wanted)s)",
        {"wanted": list(wanted)},
    )
    return dict(rows.fetchall())


def facts(session: Session, entity: UUID, limit: int) -> list[Stated]:
    """Live facts that mention an entity, newest first."""
    # Why: what holds of it now, the latest news first.
    rows = session.execute(
        "select f.fact, f.content, coalesce(f.event_start, f.occurred_at) as at, f.source from illumina.facts f "
        f"where f.namespace = %(namespace)s and {_LIVE} and f.fact in ("
        "  select m.fact from illumina.resolved r join illumina.mentions m "
        "  on m.namespace = %(namespace)s and m.mention = r.mention "
        "  where r.namespace = %(namespace)s and r.entity = %(entity)s) "
        "order by at desc nulls last, f.fact limit %(limit)s",
        {"entity": entity, "limit": limit},
    )
    return [Stated(*row) for row in rows]


def relations(session: Session, among: Collection[UUID]) -> list[Related]:
    """Relations that live facts state of the given entities, to others, in a fixed order."""
    parts = [
        "select mine.entity, "
        f"{outward}, l.name, theirs.entity, l.fact from illumina.resolved mine "
        f"join illumina.relations l on l.namespace = %(namespace)s and l.{here} = mine.mention "
        f"join illumina.facts f on f.namespace = %(namespace)s and f.fact = l.fact and {_LIVE} "
        f"join illumina.resolved theirs on theirs.namespace = %(namespace)s and theirs.mention = l.{there} "
        "where mine.namespace = %(namespace)s and mine.entity = any(%(among)s) and theirs.entity <> mine.entity"
        for outward, here, there in (("true", "subject", "object"), ("false", "object", "subject"))
    ]
    # Why: a relation is found from either of its ends.
    rows = session.execute(f"{' union '.join(parts)} order by 1, 3, 2 desc, 4, 5", {"among": list(among)})
    return [Related(*row) for row in rows]


def beside(session: Session, among: Collection[UUID], limit: int) -> list[tuple[UUID, UUID, int]]:
    """Of each of the given entities those that live facts mention it with most often: entity, other, facts in common."""
    # Why: who appears together belongs together, also where no relation is stated; a hub has only its closest.
    rows = session.execute(
        "select entity, other, facts from ("
        "  select r.entity, s.entity as other, count(distinct m.fact) as facts, "
        "  row_number() over (partition by r.entity order by count(distinct m.fact) desc, s.entity) as place "
        "  from illumina.resolved r join illumina.mentions m on m.namespace = %(namespace)s and m.mention = r.mention "
        f"  join illumina.facts f on f.namespace = %(namespace)s and f.fact = m.fact and {_LIVE} "
        "  join illumina.mentions o on o.namespace = %(namespace)s and o.fact = m.fact "
        "  join illumina.resolved s on s.namespace = %(namespace)s and s.mention = o.mention and s.entity <> r.entity "
        "  where r.namespace = %(namespace)s and r.entity = any(%(among)s) group by r.entity, s.entity) found "
        "where place <= %(limit)s order by entity, place",
        {"among": list(among), "limit": limit},
    )
    return rows.fetchall()
