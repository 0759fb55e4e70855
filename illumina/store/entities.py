"""Entities, and whose each mention is: derived from mentions and rulings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from illumina.store.database import Session


class Entity(NamedTuple):
    """One entity.

    Attributes:
        id: Derived from its founding mention.
        name: Its fullest surface form.
        kind: Its type, if any of its mentions has one.
        aliases: All its surface forms, sorted.
        merges: Why its mentions are one entity, in the order of the decisions.
    """

    id: UUID
    name: str
    kind: str | None
    aliases: list[str]
    merges: list[dict[str, Any]]


def read(session: Session, entities: Collection[UUID]) -> dict[UUID, Entity]:
    """Those of the given entities that there are."""
    # Why: by primary key.
    rows = session.execute(
        "select entity, name, kind, aliases, merges from illumina.entities "
        "where namespace = %(namespace)s and entity = any(%(entities)s)",
        {"entities": list(entities)},
    )
    return {row[0]: Entity(*row) for row in rows}


def labels(session: Session, entities: Collection[UUID]) -> dict[UUID, tuple[str, str | None]]:
    """Name and kind of those of the given entities that there are."""
    # Why: without the merges, which are long.
    rows = session.execute(
        "select entity, name, kind from illumina.entities where namespace = %(namespace)s and entity = any(%(entities)s)",
        {"entities": list(entities)},
    )
    return {entity: (name, kind) for entity, name, kind in rows}


def upsert(session: Session, entities: Iterable[Entity]) -> None:
    """Bring entities to what is given; what is right already is left as it is."""
    with session.connection.cursor() as cursor:
        # Why: a row that does not change costs no new version of it.
        cursor.executemany(
            "insert into illumina.entities as e (namespace, entity, name, kind, aliases, merges) "
            "values (%s, %s, %s, %s, %s, %s) "
            "on conflict (namespace, entity) do update set name = excluded.name, kind = excluded.kind, "
            "aliases = excluded.aliases, merges = excluded.merges where (e.name, e.kind, e.aliases, e.merges) "
            "is distinct from (excluded.name, excluded.kind, excluded.aliases, excluded.merges)",
            [(session.namespace, *entity[:-1], Jsonb(entity.merges)) for entity in entities],
        )


def assign(session: Session, mentions: Sequence[UUID], entities: Sequence[UUID]) -> None:
    """Give mentions to entities, one for one."""
    # Why: in key order, for the index.
    session.execute(
        "insert into illumina.resolved (namespace, mention, entity) select %(namespace)s, mention, entity "
        "from unnest(%(mentions)s::uuid[], %(entities)s::uuid[]) as new (mention, entity) order by mention "
        "on conflict (namespace, mention) do update set entity = excluded.entity",
        {"mentions": list(mentions), "entities": list(entities)},
    )


def unresolve(session: Session, facts: Collection[UUID], kept: Collection[UUID] = ()) -> None:
    """Take the mentions of facts, but for those `kept`, from their entities; an entity without any is removed."""
    # Why: the mentions are about to go.
    rows = session.execute(
        "delete from illumina.resolved r using illumina.mentions m "
        "where r.namespace = %(namespace)s and m.namespace = %(namespace)s and r.mention = m.mention "
        "and m.fact = any(%(facts)s) and not m.mention = any(%(kept)s) returning r.entity",
        {"facts": list(facts), "kept": list(kept)},
    )
    remove_empty(session, {entity for (entity,) in rows})


def unresolve_retired(session: Session, facts: Collection[UUID]) -> tuple[set[UUID], set[UUID]]:
    """Take the mentions of those of the facts that are retired from their entities; returns these facts and entities."""
    # Why: they stay as history, without being anybody's.
    rows = session.execute(
        "delete from illumina.resolved r using illumina.mentions m, illumina.facts f "
        "where r.namespace = %(namespace)s and m.namespace = %(namespace)s and r.mention = m.mention "
        "and f.namespace = %(namespace)s and f.fact = m.fact and f.fact = any(%(facts)s) and f.retired_version is not null "
        "returning m.fact, r.entity",
        {"facts": list(facts)},
    ).fetchall()
    return {fact for fact, _ in rows}, {entity for _, entity in rows}


def remove_empty(session: Session, entities: Collection[UUID]) -> None:
    """Remove those of the entities that have no mention."""
    if entities:
        # Why: an entity is there as long as anything names it.
        session.execute(
            "delete from illumina.entities e where e.namespace = %(namespace)s and e.entity = any(%(entities)s) and not exists "
            "(select from illumina.resolved r where r.namespace = %(namespace)s and r.entity = e.entity)",
            {"entities": list(entities)},
        )


def clear(session: Session) -> None:
    """Remove all of them."""
    for table in ("resolved", "entities"):
        # Why: a rebuild believes nothing of what is there.
        session.execute(f"delete from illumina.{table} where namespace = %(namespace)s")
