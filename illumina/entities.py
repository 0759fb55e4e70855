"""Entities for people: who is known, why, what about them, and rulings on who is who."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from illumina.entity_views import (
    EntityContext,
    EntitySummary,
    Explanation,
    FactView,
    MentionView,
    RelationView,
    RulingView,
    Step,
)
from illumina.errors import InvalidInputError
from illumina.ids import FACT_PREFIX, RULING_PREFIX, content_key, content_uuid, public_id
from illumina.retain import resolve
from illumina.retain.entities.resolver import ENTITY_PREFIX
from illumina.retain.mentions import MENTION_PREFIX, forms_like, forms_of_name
from illumina.retain.settle import settle_here
from illumina.store import about, rulings, stale
from illumina.store import documents as ledger
from illumina.store import entities as store
from illumina.store.rulings import Ruling

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from datetime import datetime
    from uuid import UUID

    from illumina.clock import Clock
    from illumina.store.database import Database, Session

    Wanted = tuple[rulings.Kind, UUID, UUID]

ROUNDS: Final = 50
"""How often rulings are added to one act before it is given up."""

BESIDE: Final = 20
"""Others that an entity is mentioned with, the most frequent first, to which a traversal goes on."""


class Entities:
    """The entities of one namespace. A name that is asked for may be any surface form, or an id (`ent_…`, `men_…`)."""

    def __init__(self, database: Database, clock: Clock, namespace: str) -> None:
        self._database, self._clock, self._namespace = database, clock, namespace

    def all(self, limit: int | None = None) -> list[EntitySummary]:
        """Who is known, those with most mentions first."""
        with self._database.read(self._namespace) as session:
            return [_summary(row) for row in about.entities(session, limit=limit)]

    def explain(self, entity: str) -> Explanation:
        """Why an entity is one.

        Raises:
            InvalidInputError: Nobody is named so, or several are.
        """
        with self._database.read(self._namespace) as session:
            key = _find(session, entity)
            row = store.read(session, [key])[key]
            members = about.mentions(session, key)
            own = {member.id for member in members}
            return Explanation(
                _summary(about.entities(session, [key])[0]),
                tuple(row.aliases),
                tuple(MentionView(_men(m.id), m.name, public_id(FACT_PREFIX, m.fact)) for m in members),
                tuple(row.merges),
                tuple(
                    _ruling(ruling)
                    for ruling in rulings.everything(session)
                    if ruling.undone_at is None and own & {ruling.one, ruling.other}
                ),
            )

    def context(self, entity: str, limit: int = 50) -> EntityContext:
        """What is known about an entity: at most `limit` facts, newest first, and all its relations.

        Raises:
            InvalidInputError: Nobody is named so, or several are.
        """
        with self._database.read(self._namespace) as session:
            key = _find(session, entity)
            found = about.relations(session, [key])
            others = {row.id: _summary(row) for row in about.entities(session, {key} | {row.other for row in found})}
            return EntityContext(
                others[key],
                tuple(store.read(session, [key])[key].aliases),
                tuple(
                    FactView(public_id(FACT_PREFIX, fact.id), fact.content, fact.at, fact.source)
                    for fact in about.facts(session, key, limit)
                ),
                tuple(
                    RelationView("out" if r.outward else "in", r.name, others[r.other], public_id(FACT_PREFIX, r.fact))
                    for r in found
                ),
            )

    def traverse(self, entity: str, hops: int = 2, limit: int = 100) -> list[Step]:
        """What is connected to an entity, breadth first: over relations, then over being mentioned together.

        Args:
            entity: Where to begin.
            hops: How far to go.
            limit: The most entities; those nearest come first.

        Raises:
            InvalidInputError: Nobody is named so, or several are.
        """
        with self._database.read(self._namespace) as session:
            key = _find(session, entity)
            found: dict[UUID, tuple[int, UUID | None, str | None]] = {key: (0, None, None)}
            frontier = [key]
            for hop in range(1, hops + 1):
                place = {entity: number for number, entity in enumerate(frontier)}
                related = about.relations(session, frontier)
                near = [(r.entity, r.other, r.name if r.outward else f"← {r.name}") for r in related]
                near += [(one, other, "mentioned with") for one, other, _ in about.beside(session, frontier, BESIDE)]
                frontier = []
                for one, other, how in sorted(near, key=lambda step: place[step[0]]):
                    if other not in found and len(found) < limit:
                        found[other] = hop, one, how
                        frontier.append(other)
            known = {row.id: _summary(row) for row in about.entities(session, found)}
            return [
                Step(known[entity], hop, None if via is None else known[via].id, how)
                for entity, (hop, via, how) in found.items()
            ]

    def merge(self, one: str, other: str, reason: str = "") -> list[RulingView]:
        """Rule that two entities are one; later mentions of either's names follow.

        Raises:
            InvalidInputError: They are not known, are one already, or other rulings keep them apart.
        """

        def prepare(session: Session) -> tuple[set[UUID], Callable[[Mapping[UUID, UUID]], list[Wanted]]]:
            left, right = (_find(session, name) for name in (one, other))
            if left == right:
                raise InvalidInputError(f"{one!r} and {other!r} are one entity already, {_ent(left)}.")
            first, second = _first(session, left), _first(session, right)
            members = {member.id for key in (left, right) for member in about.mentions(session, key)}

            def missing(owner: Mapping[UUID, UUID]) -> list[Wanted]:
                if owner[first] != owner[second]:
                    return [("same", first, second)]
                strays = {owner[member]: member for member in sorted(members, reverse=True)}
                return [("same", first, stray) for entity, stray in sorted(strays.items()) if entity != owner[first]]

            return members, missing

        return self._act("merge", reason, prepare)

    def split(self, entity: str, what: str, reason: str = "") -> list[RulingView]:
        """Rule that a mention of an entity (`men_…`), or all its mentions under a name, are not of that entity.

        Raises:
            InvalidInputError: It is not known, has no such mention or no other, or other rulings hold them together.
        """

        def prepare(session: Session) -> tuple[set[UUID], Callable[[Mapping[UUID, UUID]], list[Wanted]]]:
            key = _find(session, entity)
            members = about.mentions(session, key)
            out = {member.id for member in members if what in {_men(member.id), member.name}}
            if not out or len(out) == len(members):
                names = ", ".join(sorted({member.name for member in members}))
                raise InvalidInputError(
                    f"{_ent(key)} cannot be split by {what!r}: {'nothing would be left' if out else 'it has no such mention'}. "
                    f"Its names are: {names}. `illumina entities why` lists its mentions by id (men_…)."
                )
            return {member.id for member in members}, lambda owner: _apart(members, out, owner)

        return self._act("split", reason, prepare)

    def pin(self, mention: str, entity: str, reason: str = "") -> list[RulingView]:
        """Rule that a mention (`men_…`) is of an entity, and of no other.

        Raises:
            InvalidInputError: One is not known, it is so already, or other rulings forbid it.
        """

        def prepare(session: Session) -> tuple[set[UUID], Callable[[Mapping[UUID, UUID]], list[Wanted]]]:
            key, moved = _find(session, entity), content_key(MENTION_PREFIX, mention)
            old = _find(session, mention)
            if old == key:
                raise InvalidInputError(f"{mention} is of {_ent(key)} already.")
            first, left = _first(session, key), about.mentions(session, old)

            def missing(owner: Mapping[UUID, UUID]) -> list[Wanted]:
                wanted = _apart(left, {moved}, owner)
                return wanted or ([("same", moved, first)] if owner[moved] != owner[first] else [])

            return {first, *(member.id for member in left)}, missing

        return self._act("pin", reason, prepare)

    def rulings(self) -> list[RulingView]:
        """All rulings, those undone too, oldest first."""
        with self._database.read(self._namespace) as session:
            return [_ruling(ruling) for ruling in rulings.everything(session)]

    def undo(self, ruling: str) -> list[RulingView]:
        """Take back a ruling (`rul_…`), with those that were made by the same act; everything is then as if they were not.

        Raises:
            InvalidInputError: There is no such ruling, or it is undone already.
        """
        now = self._clock.now()
        with self._database.write(self._namespace) as session:
            ledger.lock_namespace(session)
            key, everything = content_key(RULING_PREFIX, ruling), rulings.everything(session)
            found = next((r for r in everything if r.id == key), None)
            if found is None or found.undone_at is not None:
                known = "is undone already" if found else f"is no ruling in {self._namespace}"
                raise InvalidInputError(f"{ruling} {known}. `illumina entities rulings` lists all.")
            undone = [r for r in everything if r.act == found.act and r.undone_at is None]
            for one in undone:
                stale.mark(session, resolve.affected_by_pin(session, one.kind, one.one, one.other))
                rulings.undo(session, one.id, now)
            settle_here(session, set())
            return [_ruling(r) for r in rulings.everything(session) if r.act == found.act]

    def _act(
        self,
        verb: str,
        reason: str,
        prepare: Callable[[Session], tuple[set[UUID], Callable[[Mapping[UUID, UUID]], list[Wanted]]]],
    ) -> list[RulingView]:
        """Add rulings until nothing is missing, in one transaction."""
        now = self._clock.now()
        made: list[Ruling] = []
        with self._database.write(self._namespace) as session:
            ledger.lock_namespace(session)
            self._resolve(session)
            members, missing = prepare(session)
            for _ in range(ROUNDS):
                wanted = missing(about.owners(session, members))
                if not wanted:
                    break
                new = [self._record(session, made, now, reason, want) for want in wanted]
                if not any(new):
                    break
                self._resolve(session)
            if missing(about.owners(session, members)):
                raise InvalidInputError(
                    f"Other rulings stand against this {verb}. See `illumina entities rulings`, and undo what no longer holds."
                )
            settle_here(session, set())
        return [_ruling(ruling) for ruling in made]

    @staticmethod
    def _record(session: Session, made: list[Ruling], now: datetime, reason: str, wanted: Wanted) -> bool:
        kind, one, other = wanted
        act = made[0].act if made else content_uuid("act", kind, one.hex, other.hex, now.isoformat())
        ruling = Ruling(content_uuid("ruling", act.hex, kind, one.hex, other.hex), kind, one, other, act, reason, now)
        stale.mark(session, resolve.affected_by_pin(session, kind, one, other))
        if new := rulings.insert(session, ruling):
            made.append(ruling)
        return new

    @staticmethod
    def _resolve(session: Session) -> None:
        """Settle entities; what else rests on them stays to be settled."""
        facts = stale.take(session)
        stale.mark(session, facts | resolve.settle(session, facts))


def _apart(members: Iterable[about.Named], out: Collection[UUID], owner: Mapping[UUID, UUID]) -> list[Wanted]:
    """Of each entity that has mentions of both sides, one of each, for each name on either side."""
    sides: dict[UUID, tuple[dict[str, UUID], dict[str, UUID]]] = {}
    for member in members:
        sides.setdefault(owner[member.id], ({}, {}))[member.id not in out].setdefault(member.name, member.id)
    return [
        ("different", one, other)
        for left, right in (sides[entity] for entity in sorted(sides))
        for one in sorted(left.values())
        for other in sorted(right.values())
    ]


def _first(session: Session, entity: UUID) -> UUID:
    """The mention that stands for an entity: the first under its fullest name."""
    name = store.labels(session, [entity])[entity][0]
    return next(member.id for member in about.mentions(session, entity) if member.name == name)


def _find(session: Session, entity: str) -> UUID:
    """The entity that is meant by an id or a name."""
    if entity.startswith((ENTITY_PREFIX, MENTION_PREFIX)):
        if entity.startswith(ENTITY_PREFIX):
            key = content_key(ENTITY_PREFIX, entity)
            found = set(store.labels(session, [key]))
        else:
            key = content_key(MENTION_PREFIX, entity)
            found = set(about.owners(session, [key]).values())
        if not found:
            raise InvalidInputError(f"There is no {entity} in {session.name}. `illumina entities list` shows who is known.")
        return found.pop()
    found = about.with_forms(session, forms_of_name(entity))
    if len(found) == 1:
        return found.pop()
    if found:
        several = "; ".join(f"{_ent(row.id)} {row.name} ({row.mentions} mentions)" for row in about.entities(session, found))
        raise InvalidInputError(f"{entity!r} may be any of several: {several}. Name one by its id.")
    near = about.entities(session, about.with_forms(session, forms_like(session, entity)), limit=5)
    known = ", ".join(f"{row.name} ({_ent(row.id)})" for row in near)
    mend = f"Known by a similar name: {known}." if known else "`illumina entities list` shows who is known."
    raise InvalidInputError(f"Nobody and nothing in {session.name} is named {entity!r}. {mend}")


def _summary(row: about.Counted) -> EntitySummary:
    return EntitySummary(_ent(row.id), row.name, row.kind, row.mentions)


def _ruling(ruling: Ruling) -> RulingView:
    return RulingView(
        public_id(RULING_PREFIX, ruling.id),
        ruling.kind,
        _men(ruling.one),
        _men(ruling.other),
        ruling.reason,
        ruling.recorded_at,
        ruling.undone_at,
    )


def _ent(entity: UUID) -> str:
    return public_id(ENTITY_PREFIX, entity)


def _men(mention: UUID) -> str:
    return public_id(MENTION_PREFIX, mention)
