"""Which pairs of facts a language model is still to be asked about."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from illumina.retain.reconcile.known import Judged, Statements, Times, order_of
from illumina.retain.reconcile.pairs import in_order, is_open, question
from illumina.retain.reconcile.reading import topics
from illumina.retain.reconcile.statements import UNDATED
from illumina.store import jobs, judgements
from illumina.store import supersessions as store

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from datetime import datetime, timedelta
    from uuid import UUID

    from illumina.retain.reconcile.known import Order
    from illumina.retain.reconcile.statements import Statement
    from illumina.store.database import Session


@dataclass(frozen=True, slots=True)
class OpenPair:
    """Two facts that nobody has judged, the newer by the time that they tell of.

    Attributes:
        newer: May supersede the other.
        older: May be superseded.
        shared: How many things both are about.
    """

    newer: Statement
    older: Statement
    shared: int

    @property
    def nearness(self) -> tuple[int, timedelta, bytes, bytes]:
        """What sorts pairs from near to far: things in common, then time, then ids."""
        apart = (self.newer.moment or UNDATED) - (self.older.moment or UNDATED)
        return -self.shared, apart, self.newer.id.bytes, self.older.id.bytes


def open_pairs(session: Session, fact: UUID) -> list[OpenPair]:
    """The pairs of one fact with others, newer and older ones, that are still to be asked about, from near to far.

    Of a fact that is wholly superseded, what is newer than its successor says nothing: as long as that stands, nobody is asked.
    """
    search = _Search(session, [fact])
    return sorted(search.pairs(fact), key=lambda pair: pair.nearness)


def with_open_pairs(session: Session, facts: Collection[UUID]) -> set[UUID]:
    """Those of some facts about which something is still to be asked."""
    search = _Search(session, facts)
    return {fact for fact in search.about if next(search.pairs(fact), None) is not None}


def enqueue(session: Session, facts: Collection[UUID], due_at: datetime) -> None:
    """Have a language model asked about the open pairs of some facts, a job for each that has any."""
    for fact in sorted(with_open_pairs(session, facts)):
        jobs.enqueue(session, "reconcile", None, None, due_at, fact=fact)


class _Search:
    """The facts that are about the same things as some facts."""

    def __init__(self, session: Session, facts: Collection[UUID]) -> None:
        times = Times(session)
        self._known = Statements(session, times)
        self._known.load(facts)
        asked = {fact: topics(statement) for fact in facts if (statement := self._known[fact])}
        meeting: defaultdict[UUID, list[UUID]] = defaultdict(list)
        for key, found in judgements.about(session, frozenset().union(*asked.values())):
            meeting[key].append(found)
        self.about = {
            fact: Counter(other for key in keys for other in meeting[key] if other != fact) for fact, keys in asked.items()
        }
        others = {other for found in self.about.values() for other in found}
        self._known.load(others)
        self._said = Judged(session, asked.keys(), times)
        self._over: dict[UUID, Order] = {}
        for row, place in store.of(session, others | asked.keys()):
            if row.extent == "whole":
                self._over[row.old] = times.order(place)

    def pairs(self, fact: UUID) -> Iterator[OpenPair]:
        """The open pairs of one of the facts, in no order."""
        statement = self._known[fact]
        for other, shared in self.about[fact].items():
            known = self._known[other]
            if statement is None or known is None or (pair := in_order(statement, known)) is None:
                continue
            newer, older = pair
            if older.id in self._over and self._over[older.id] <= order_of(newer):
                continue
            said = self._said.find(newer, older)
            if (said is None or said.question != question(newer, older)) and is_open(newer, older):
                yield OpenPair(newer, older, shared)
