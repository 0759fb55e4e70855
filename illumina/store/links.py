"""Edges between facts, and the queries that say which there should be.

A fact's place in time is when what it tells of began, or when it was said; `_PLACE` puts all facts in one order.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from illumina.store.database import Session
    from illumina.types import LinkKind

    TimeRow = tuple[UUID, UUID, float]

TEMPORAL_LINKS: Final = 2
"""Later facts that a fact is linked to in time at most; the same number of earlier ones link to it."""

ENTITY_LINKS: Final = 2
"""Later facts about an entity that a fact about it is linked to at most, so that a hub has few links a fact, not all pairs."""

TEMPORAL_SECONDS: Final = 86_400
"""Facts further apart are not linked in time."""

_LIVE: Final = "retired_version is null and not superseded"
_TIME: Final = "case when event_start is null then occurred_at else event_start end"
"""As in the index: under row-level security a condition with `coalesce` does not reach it."""

_PLACE: Final = f"({_TIME}, document, ordinal, fact)"


class Link(NamedTuple):
    """One edge; `weight` in (0, 1]."""

    source: UUID
    kind: LinkKind
    target: UUID
    weight: float
    evidence: dict[str, Any]


def sources_of(session: Session, facts: Collection[UUID], kind: LinkKind | None = None) -> set[UUID]:
    """Facts with an edge to one of the given, of one kind or of any."""
    # Why: when a fact goes or moves, those before it reach for the next one.
    rows = session.execute(
        "select distinct source from illumina.links where namespace = %(namespace)s and target = any(%(facts)s) "
        "and (%(kind)s::text is null or kind = %(kind)s)",
        {"facts": list(facts), "kind": kind},
    )
    return {source for (source,) in rows}


def outward(session: Session, facts: Collection[UUID], kind: LinkKind) -> dict[UUID, dict[UUID, float]]:
    """The edges of one kind from each of the given facts: targets and weights."""
    # Why: what a new fact may push out.
    rows = session.execute(
        "select source, target, weight from illumina.links "
        "where namespace = %(namespace)s and source = any(%(facts)s) and kind = %(kind)s",
        {"facts": list(facts), "kind": kind},
    )
    found: defaultdict[UUID, dict[UUID, float]] = defaultdict(dict)
    for source, target, weight in rows:
        found[source][target] = weight
    return dict(found)


def earlier(session: Session, facts: Collection[UUID]) -> set[UUID]:
    """The live facts that come next before each of the given live ones, as many as reach it."""
    # Why: they are linked to what has come between them and their old neighbours; a few steps in the index for each fact.
    rows = _along_the_timeline(
        session,
        f"select distinct near.fact from ({_GIVEN}) f, lateral ("
        f"  select fact from illumina.facts where namespace = %(namespace)s and {_LIVE} and {_PLACE} < "
        f"  (f.at, f.document, f.ordinal, f.fact) "
        f"  order by {_TIME} desc, document desc, ordinal desc, fact desc limit {TEMPORAL_LINKS}) near",
        facts,
    )
    return {fact for (fact,) in rows}


def later(session: Session, facts: Collection[UUID]) -> Iterator[TimeRow]:
    """Each given live fact, a live fact that comes next after it, and the seconds between the two."""
    # Why: the next ones in time are found in the index.
    rows = _along_the_timeline(
        session,
        f"select f.fact, near.fact, extract(epoch from near.at - f.at)::float8 "
        f"from ({_GIVEN} and {_LIVE}) f, lateral ("
        f"  select fact, {_TIME} as at from illumina.facts where namespace = %(namespace)s and {_LIVE} and {_PLACE} > "
        f"  (f.at, f.document, f.ordinal, f.fact) "
        f"  order by {_TIME}, document, ordinal, fact limit {TEMPORAL_LINKS}) near "
        f"where near.at <= f.at + interval '{TEMPORAL_SECONDS} seconds'",
        facts,
    )
    yield from rows


_GIVEN: Final = (
    f"select fact, {_TIME} as at, document, ordinal from illumina.facts where namespace = %(namespace)s "
    f"and fact = any(%(facts)s) and {_TIME} is not null"
)


def _along_the_timeline(session: Session, query: str, facts: Collection[UUID]) -> list[tuple[Any, ...]]:
    # Why: a table that has grown within this transaction has no statistics yet. The planner takes it for small then, and would
    # read and sort all facts for each fact; the index is the one way that needs no sorting.
    session.execute("set local enable_sort = off")
    found = session.execute(query, {"facts": list(facts)}).fetchall()
    session.execute("set local enable_sort to default")
    return found


def about_the_same(session: Session, facts: Collection[UUID]) -> Iterator[tuple[UUID, UUID, UUID]]:
    """Pairs of live facts that come one or two after another among those about an entity: earlier, later, the entity.

    All pairs of the entities that the given facts mention.
    """
    owners = _resolved(session, "mention", [mention for _, mention in _mentions(session, "fact", facts)])
    named = _resolved(session, "entity", {entity for _, entity in owners})
    fact_of = {mention: fact for fact, mention in _mentions(session, "mention", [mention for mention, _ in named])}
    # Why: in their order, those that hold only.
    placed = session.execute(
        f"select fact from illumina.facts where namespace = %(namespace)s and fact = any(%(facts)s) and {_LIVE} "
        "order by coalesce(event_start, occurred_at), document, ordinal, fact",
        {"facts": list(set(fact_of.values()))},
    )
    place = {fact: number for number, (fact,) in enumerate(placed)}
    lines: defaultdict[UUID, set[UUID]] = defaultdict(set)  # a fact that names an entity twice counts once
    for mention, entity in named:
        if fact_of[mention] in place:
            lines[entity].add(fact_of[mention])
    for entity, members in lines.items():
        line = sorted(members, key=place.__getitem__)
        for step in range(1, ENTITY_LINKS + 1):
            yield from ((earlier, later, entity) for earlier, later in zip(line, line[step:], strict=False))


def _mentions(session: Session, by: str, ids: Collection[UUID]) -> list[tuple[UUID, UUID]]:
    # Why: fact and mention; not joined with whose they are, which has just been written and has no statistics.
    return session.execute(
        f"select fact, mention from illumina.mentions where namespace = %(namespace)s and {by} = any(%(ids)s)",
        {"ids": list(ids)},
    ).fetchall()


def _resolved(session: Session, by: str, ids: Collection[UUID]) -> list[tuple[UUID, UUID]]:
    # Why: mention and entity, from either side.
    return session.execute(
        f"select mention, entity from illumina.resolved where namespace = %(namespace)s and {by} = any(%(ids)s)",
        {"ids": list(ids)},
    ).fetchall()


def causal(session: Session, facts: Collection[UUID]) -> list[tuple[UUID, str, UUID, str, str, str]]:
    """Stated causes of facts that are not retired, the given ones on either side: cause, kind, effect, cue, confidences."""
    # Why: the few statements are found first, and a superseded cause stays part of the history.
    stated = session.execute(
        "select cause, kind, effect, cue from illumina.causal "
        "where namespace = %(namespace)s and (cause = any(%(facts)s) or effect = any(%(facts)s))",
        {"facts": list(facts)},
    ).fetchall()
    # Why: by primary key; not joined, as without fresh statistics the planner would compare every row with every row.
    sides = session.execute(
        "select fact, confidence from illumina.facts "
        "where namespace = %(namespace)s and fact = any(%(facts)s) and retired_version is null",
        {"facts": list({fact for cause, _, effect, _ in stated for fact in (cause, effect)})},
    )
    sure: dict[UUID, str] = dict(sides.fetchall())
    return [(*row, sure[row[0]], sure[row[2]]) for row in stated if row[0] in sure and row[2] in sure]


def superseding(session: Session, facts: Collection[UUID]) -> list[tuple[UUID, UUID, str]]:
    """What supersedes what by rule or by ruling, where the given facts take part: new, old, extent."""
    # Why: the edge is a view of the row; a ruling is for the whole, and counts where both facts are not retired.
    rows = session.execute(
        "select new, old, extent from illumina.supersessions "
        "where namespace = %(namespace)s and (new = any(%(facts)s) or old = any(%(facts)s)) union "
        "select r.one, r.other, 'whole' from (select one, other from illumina.rulings "
        "  where namespace = %(namespace)s and kind = 'supersedes' and undone_at is null "
        "  and (one = any(%(facts)s) or other = any(%(facts)s)) offset 0) r "
        "join illumina.facts a on a.namespace = %(namespace)s and a.fact = r.one and a.retired_version is null "
        "join illumina.facts b on b.namespace = %(namespace)s and b.fact = r.other and b.retired_version is null "
        "order by 1, 2, 3",
        {"facts": list(facts)},
    )
    return rows.fetchall()


def remove(session: Session, facts: Collection[UUID], kinds: Sequence[LinkKind], *, inward: bool) -> None:
    """Remove edges of the given kinds from the given facts, and with `inward` those to them too."""
    # Why: what is recomputed is first taken away.
    session.execute(
        "delete from illumina.links where namespace = %(namespace)s and kind = any(%(kinds)s) and source = any(%(facts)s)",
        {"facts": list(facts), "kinds": list(kinds)},
    )
    if inward:
        # Why: by the other index.
        session.execute(
            "delete from illumina.links where namespace = %(namespace)s and target = any(%(facts)s) and kind = any(%(kinds)s)",
            {"facts": list(facts), "kinds": list(kinds)},
        )


def insert(session: Session, links: Iterable[Link]) -> None:
    """Store new edges; those that are there already stay."""
    with session.connection.cursor() as cursor:
        cursor.execute("create temporary table incoming_links (like illumina.links) on commit drop")
        with cursor.copy(
            b"copy incoming_links (namespace, source, kind, target, weight, evidence) from stdin (format binary)"
        ) as copy:
            copy.set_types(["int8", "uuid", "text", "uuid", "float8", "jsonb"])
            for link in links:
                copy.write_row((session.namespace, link.source, link.kind, link.target, link.weight, Jsonb(link.evidence)))
        # Why: both ends of an edge may ask for it.
        cursor.execute("insert into illumina.links select * from incoming_links on conflict do nothing")
        cursor.execute("drop table incoming_links")


def of(session: Session, fact: UUID) -> list[Link]:
    """A fact's edges as seen from it, heaviest first: outward ones, and inward causes as `caused_by`."""
    # Why: causes and caused_by are two views of one edge; what is nearest to each other has an edge either way, shown once.
    rows = session.execute(
        "select source, kind, target, weight, evidence from illumina.links "
        "where namespace = %(namespace)s and source = %(fact)s "
        "union select target, case kind when 'causes' then 'caused_by' else kind end, source, weight, evidence "
        "from illumina.links where namespace = %(namespace)s and target = %(fact)s "
        "and kind in ('temporal', 'semantic', 'entity', 'causes') order by 2, 4 desc, 3",
        {"fact": fact},
    )
    return [Link(*row) for row in rows]
