"""Mentions of entities and relations between them as facts state them, and the keys by which names are found."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from illumina.store.database import Session


class Mention(NamedTuple):
    """What a fact names; see `illumina.retain.extraction.MentionDraft`."""

    id: UUID
    fact: UUID
    ordinal: int
    name: str
    form: UUID
    kind: str | None
    start: int | None
    end: int | None
    homes: list[str]


class Relation(NamedTuple):
    """A typed relation from mention to mention, as a fact states it."""

    fact: UUID
    ordinal: int
    subject: UUID
    name: str
    object: UUID


class Placed(NamedTuple):
    """A mention of a fact that is not retired, as it is resolved.

    Attributes:
        id: The mention.
        fact: The fact.
        form: Digest of what is compared of the name.
        name: The surface form.
        kind: Type of the entity, if known.
        homes: What the entity belongs to.
        nearby: Names of the other forms that the fact mentions, sorted.
        moment: When what the fact tells of began, or else when it was said.
        entity: Whose it is, as far as it is settled.
    """

    id: UUID
    fact: UUID
    form: UUID
    name: str
    kind: str | None
    homes: list[str]
    nearby: list[str]
    moment: datetime | None
    entity: UUID | None


def insert(session: Session, mentions: Sequence[Mention], relations: Sequence[Relation]) -> None:
    """Store what facts name and state; mentions that are there already move to their new spans."""
    with session.connection.cursor() as cursor:
        # Why: a fact that a new version keeps stands elsewhere in it.
        cursor.executemany(
            "insert into illumina.mentions (namespace, mention, fact, ordinal, name, form, kind, span_start, span_end, homes) "
            "values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) on conflict (namespace, mention) do update set "
            "kind = excluded.kind, form = excluded.form, homes = excluded.homes, "
            "span_start = excluded.span_start, span_end = excluded.span_end",
            [(session.namespace, *mention) for mention in mentions],
        )
        # Why: a fact's relations are replaced as a whole, so none is there yet.
        cursor.executemany(
            "insert into illumina.relations (namespace, fact, ordinal, subject, name, object) values (%s, %s, %s, %s, %s, %s)",
            [(session.namespace, *relation) for relation in relations],
        )


def remove_relations(session: Session, facts: Collection[UUID]) -> None:
    """Remove what facts state between the entities that they name."""
    # Why: before the mentions that they refer to.
    session.execute(
        "delete from illumina.relations where namespace = %(namespace)s and fact = any(%(facts)s)", {"facts": list(facts)}
    )


def remove(session: Session, facts: Collection[UUID], kept: Collection[UUID] = ()) -> dict[UUID, tuple[str, str | None]]:
    """Remove what facts name, but for the mentions `kept`; their relations and whose they are must be gone.

    Returns:
        Each form that lost a mention, with a name and kind that are read as it.
    """
    # Why: the names say by which keys they were found.
    rows = session.execute(
        "delete from illumina.mentions where namespace = %(namespace)s and fact = any(%(facts)s) "
        "and not mention = any(%(kept)s) returning form, name, kind",
        {"facts": list(facts), "kept": list(kept)},
    ).fetchall()
    return {form: (name, kind) for form, name, kind in rows}


def of(session: Session, facts: Collection[UUID]) -> list[tuple[UUID, UUID, UUID]]:
    """Fact, mention and form of all that the given facts name, retired or not."""
    # Why: where settling starts.
    rows = session.execute(
        "select fact, mention, form from illumina.mentions where namespace = %(namespace)s and fact = any(%(facts)s)",
        {"facts": list(facts)},
    )
    return rows.fetchall()


def forms(session: Session, mentions: Collection[UUID]) -> set[UUID]:
    """The forms of mentions."""
    # Why: where a ruling on them is looked at.
    rows = session.execute(
        "select form from illumina.mentions where namespace = %(namespace)s and mention = any(%(mentions)s)",
        {"mentions": list(mentions)},
    )
    return {form for (form,) in rows}


def placed(session: Session, forms: Collection[UUID] | None) -> list[Placed]:
    """The mentions of some forms, or of all, in facts that are not retired."""
    # Why: all that a decision on these names rests on. Four queries that read a table each, as what a retain has just written
    # has no statistics: a join of them may then read the whole namespace for each mention. A retired fact's mentions wait for
    # its return.
    found = session.execute(
        "select mention, fact, form, name, kind, homes from illumina.mentions where namespace = %(namespace)s"
        + ("" if forms is None else " and form = any(%(forms)s)"),
        {} if forms is None else {"forms": list(forms)},
    ).fetchall()
    facts = {"facts": list({row[1] for row in found})}
    # Why: by primary key.
    rows = session.execute(
        "select fact, coalesce(event_start, occurred_at) from illumina.facts "
        "where namespace = %(namespace)s and fact = any(%(facts)s) and retired_version is null",
        facts,
    )
    moments: dict[UUID, datetime | None] = dict(rows.fetchall())
    beside: defaultdict[UUID, dict[str, set[UUID]]] = defaultdict(lambda: defaultdict(set))
    # Why: what else each of the facts names.
    for fact, form, name in session.execute(
        "select fact, form, name from illumina.mentions where namespace = %(namespace)s and fact = any(%(facts)s)", facts
    ):
        beside[fact][name].add(form)
    # Why: by primary key.
    entities = dict(
        session.execute(
            "select mention, entity from illumina.resolved where namespace = %(namespace)s and mention = any(%(mentions)s)",
            {"mentions": [row[0] for row in found]},
        ).fetchall()
    )
    return [
        Placed(
            *(mention, fact, form, name, kind, homes),
            nearby=sorted(other for other, of in beside[fact].items() if of != {form}),
            moment=moments[fact],
            entity=entities.get(mention),
        )
        for mention, fact, form, name, kind, homes in found
        if fact in moments
    ]


def names(session: Session, forms: Collection[UUID]) -> dict[UUID, tuple[str, str | None]]:
    """Those of the given forms that some mention has, each with a name and kind that are read as it."""
    # Why: one mention is enough, however many there are.
    rows = session.execute(
        "select asked.form, m.name, m.kind from unnest(%(forms)s::uuid[]) asked (form), lateral ("
        "  select name, kind from illumina.mentions where namespace = %(namespace)s and form = asked.form limit 1) m",
        {"forms": list(forms)},
    )
    return {form: (name, kind) for form, name, kind in rows}


def all_names(session: Session) -> dict[UUID, tuple[str, str | None]]:
    """Every mention, with its name and kind."""
    # Why: a rebuild reads every name anew.
    rows = session.execute("select mention, name, kind from illumina.mentions where namespace = %(namespace)s")
    return {mention: (name, kind) for mention, name, kind in rows}


def related(session: Session, forms: Collection[UUID]) -> list[tuple[UUID, UUID]]:
    """Pairs of the given forms with others that may be the same entity's."""
    # Why: by primary key, instead of comparing names anew.
    rows = session.execute(
        "select form, other from illumina.name_pairs where namespace = %(namespace)s and form = any(%(forms)s)",
        {"forms": list(forms)},
    )
    return rows.fetchall()


def add_keys(session: Session, keys: Iterable[tuple[UUID, int]]) -> None:
    """Let forms be found."""
    forms, digests = _columns(keys, 2)
    # Why: in key order, so that the index is filled page by page.
    session.execute(
        "insert into illumina.name_keys (namespace, key, form) select %(namespace)s, key, form "
        "from unnest(%(keys)s::bigint[], %(forms)s::uuid[]) as new (key, form) order by key, form on conflict do nothing",
        {"keys": digests, "forms": forms},
    )


def search(session: Session, asked: Sequence[tuple[UUID, Iterable[tuple[int, int, int]], int]]) -> list[tuple[UUID, UUID]]:
    """Pairs of an asking form and another one that has keys worth enough together.

    Args:
        session: Of the namespace.
        asked: Forms, the keys that each looks for with their slots and weights, and the least that they must be worth; of
            each slot the key that is worth most counts.
    """
    rows = ((number, key, slot, weight, least) for number, (_, keys, least) in enumerate(asked) for key, slot, weight in keys)
    numbers, digests, slots, weights, demands = _columns(rows, 5)
    # Why: equality on integers is leakproof, so the key reaches the index together with the namespace.
    found = session.execute(
        "select number, form from ("
        "  select asked.number, asked.least, k.form, max(asked.weight) as worth "
        "  from unnest(%(numbers)s::int[], %(keys)s::bigint[], %(slots)s::int[], %(weights)s::int[], %(demands)s::int[]) "
        "  as asked (number, key, slot, weight, least) "
        "  join illumina.name_keys k on k.namespace = %(namespace)s and k.key = asked.key "
        "  group by asked.number, asked.least, k.form, asked.slot) met "
        "group by number, least, form having sum(worth) >= least",
        {"numbers": numbers, "keys": digests, "slots": slots, "weights": weights, "demands": demands},
    )
    return [(asked[number][0], form) for number, form in found if asked[number][0] != form]


def add_pairs(session: Session, pairs: Iterable[tuple[UUID, UUID]]) -> None:
    """Record that forms may be one entity's; each pair is given once and kept both ways."""
    forms, others = _columns(pairs, 2)
    # Why: looked up from either side.
    session.execute(
        "insert into illumina.name_pairs (namespace, form, other) select %(namespace)s, form, other "
        "from unnest(%(forms)s::uuid[], %(others)s::uuid[]) as new (form, other) order by form, other on conflict do nothing",
        {"forms": [*forms, *others], "others": [*others, *forms]},
    )


def remove_forms(session: Session, forms: Collection[UUID], keys: Iterable[tuple[UUID, int]]) -> None:
    """Remove forms that no mention has any more, with the keys by which they were found."""
    keyed, digests = _columns(keys, 2)
    # Why: by primary key; the keys are recomputed from the names, so no second index is needed.
    session.execute(
        "delete from illumina.name_keys k using unnest(%(keys)s::bigint[], %(forms)s::uuid[]) as gone (key, form) "
        "where k.namespace = %(namespace)s and k.key = gone.key and k.form = gone.form",
        {"keys": digests, "forms": keyed},
    )
    parameters = {"forms": list(forms)}
    # Why: both ways, each by primary key.
    session.execute(
        "delete from illumina.name_pairs p using illumina.name_pairs mirrored where mirrored.namespace = %(namespace)s "
        "and mirrored.form = any(%(forms)s) and p.namespace = %(namespace)s "
        "and p.form = mirrored.other and p.other = mirrored.form",
        parameters,
    )
    session.execute(
        "delete from illumina.name_pairs where namespace = %(namespace)s and form = any(%(forms)s)",
        parameters,
    )


def clear_names(session: Session) -> None:
    """Remove every key and pair."""
    for table in ("name_keys", "name_pairs"):
        # Why: a rebuild believes nothing of what is there.
        session.execute(f"delete from illumina.{table} where namespace = %(namespace)s")


def set_forms(session: Session, forms: dict[UUID, UUID]) -> None:
    """Set what mentions' names are read as, where it is something else."""
    # Why: another version of the engine may read names otherwise.
    session.execute(
        "update illumina.mentions m set form = new.form from unnest(%(mentions)s::uuid[], %(forms)s::uuid[]) "
        "as new (mention, form) where m.namespace = %(namespace)s and m.mention = new.mention and m.form <> new.form",
        {"mentions": list(forms), "forms": list(forms.values())},
    )


def _columns(rows: Iterable[tuple[Any, ...]], count: int) -> tuple[list[Any], ...]:
    columns: tuple[list[Any], ...] = tuple([] for _ in range(count))
    for row in rows:
        for column, value in zip(columns, row, strict=True):
            column.append(value)
    return columns
