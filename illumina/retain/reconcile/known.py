"""The facts of a namespace as reconciliation sees them: times with what people ruled, statements, what was judged."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from illumina.retain.reconcile.judge import judge, supersedes
from illumina.retain.reconcile.pairs import judged
from illumina.retain.reconcile.statements import UNDATED, Named, Statement
from illumina.store import corrections, judgements
from illumina.store import supersessions as store

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from uuid import UUID

    from illumina.retain.reconcile.statements import Verdict
    from illumina.store.database import Session
    from illumina.store.judgements import Judgement
    from illumina.store.supersessions import Place

Order = tuple[datetime, datetime, int, bytes]
"""From old to new: moment, when it was said, place in its document, id."""


class Times:
    """When facts are to be taken to tell of: as they say, and what is ruled to supersede just after what it supersedes."""

    def __init__(self, session: Session) -> None:
        ruled = corrections.in_force(session)
        moments = {ruling.one: one or UNDATED for ruling, one, _ in ruled}
        least = {ruling.other: other or UNDATED for ruling, _, other in ruled}
        for _ in ruled:
            before = {**least, **moments}
            for ruling, _, _ in ruled:
                just_after = before[ruling.other] + _STEP if before[ruling.other] < _LAST else _LAST
                moments[ruling.one] = max(moments[ruling.one], just_after)
            if before == {**least, **moments}:
                break
        self.moments: Mapping[UUID, datetime] = moments

    def order(self, place: Place) -> Order:
        """What sorts facts from old to new."""
        moment = self.moments.get(place.fact, place.moment or UNDATED)
        return moment, place.said or UNDATED, place.ordinal, place.fact.bytes


_STEP: Final = timedelta(microseconds=1)
_LAST: Final = UNDATED.replace(year=9999)


class Statements:
    """The statements of a namespace, read when they are asked for."""

    def __init__(self, session: Session, times: Times) -> None:
        self._session = session
        self._times = times
        self._known: dict[UUID, Statement | None] = {}

    def load(self, facts: Iterable[UUID]) -> None:
        """Read many at once."""
        wanted = [fact for fact in {*facts} if fact not in self._known]
        if not wanted:
            return
        self._known.update(dict.fromkeys(wanted))
        names: defaultdict[UUID, list[Named]] = defaultdict(list)
        for fact, name, entity in store.names(self._session, wanted):
            names[fact].append(Named(name, entity))
        for row in store.statements(self._session, wanted):
            statement = Statement(*row)
            moment = self._times.moments.get(statement.id, statement.moment)
            self._known[statement.id] = replace(statement, moment=moment, names=tuple(names[statement.id]))

    def __getitem__(self, fact: UUID) -> Statement | None:
        if fact not in self._known:
            self.load([fact])
        return self._known[fact]


def order_of(statement: Statement) -> Order:
    """What sorts statements from old to new."""
    return *statement.rank, statement.ordinal, statement.id.bytes


class Judged:
    """What a language model said of some facts and others; the rules come before it."""

    def __init__(self, session: Session, facts: Collection[UUID], times: Times, as_of: datetime | None = None) -> None:
        found = judgements.of(session, facts, as_of)
        self._known = {(judgement.old, judgement.new): judgement for judgement, _ in found}
        self.newer: defaultdict[UUID, list[tuple[Order, UUID, UUID]]] = defaultdict(list)
        """Of each older fact those that it was judged with, from old to new: order, id, digest."""
        self._older: defaultdict[UUID, list[UUID]] = defaultdict(list)
        for judgement, place in found:
            self.newer[judgement.old].append((times.order(place), place.fact, place.digest))
            self._older[judgement.new].append(judgement.old)
        for places in self.newer.values():
            places.sort()

    def candidates(self, newer: Iterable[Statement], settled: Collection[UUID]) -> defaultdict[UUID, set[UUID]]:
        """Of each older fact but those `settled` which of some newer ones it was judged with."""
        found: defaultdict[UUID, set[UUID]] = defaultdict(set)
        for statement in newer:
            for older in self._older[statement.id]:
                if older not in settled:
                    found[older].add(statement.id)
        return found

    def find(self, newer: Statement, older: Statement) -> Judgement | None:
        """What was said of these two."""
        return self._known.get((older.id, newer.id))

    def verdict(self, newer: Statement, older: Statement) -> Verdict | None:
        """Whether the newer supersedes the older, by the rules or else by what was said of them.

        Of two that the rules find under no common key, only what was said counts.
        """
        said = self.find(newer, older)
        return judge(newer, older) if said is None else supersedes(newer, older) or judged(said, newer, older)
