"""Whatever was done, in whatever order: what is derived is a function of what is recorded.

After any history of retaining, forgetting, ruling and working, by one or by several at once, the database equals its own
rebuild, and a fresh one into which what survives was retained in another order. What keeps its order is the history of each
document, since it is recorded: its versions, and what was forgotten of them.
"""

from __future__ import annotations

import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from illumina import Memory
from illumina.errors import InvalidInputError
from illumina.ids import DOCUMENT_PREFIX, FACT_PREFIX, content_uuid, public_id
from illumina.retain import resolve
from illumina.retain.prepare import prepare
from illumina.retain.reconcile import correct
from illumina.retain.settle import settle_here
from illumina.store import corrections, rulings, stale
from illumina.store import documents as ledger
from illumina.work import Tally
from tests.clock import ManualClock
from tests.illumina.pool import SOURCES, TEXTS, document
from tests.support import HashingEmbedder, check_blocks, dump, rows, wipe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from illumina.store.database import Session
    from illumina.types import Document, RetainReceipt
    from tests.support import Dump

SPACE = "default"

numbers = st.integers(0, 2**16)
documents = st.builds(document, st.integers(0, len(TEXTS) - 1), st.none() | st.integers(0, 5))


@dataclass(frozen=True)
class Retained:
    """A version of a document."""

    document: Document
    version: int


@dataclass(frozen=True)
class Forgotten:
    """A fact taken out of a document."""

    fact: UUID


Step = Retained | Forgotten


def together(*functions: Callable[[], Any]) -> list[Any]:
    barrier = threading.Barrier(len(functions))

    def start(function: Callable[[], Any]) -> Any:
        barrier.wait()
        return function()

    with ThreadPoolExecutor(len(functions)) as pool:
        return list(pool.map(start, functions))


def differences(one: Dump, other: Dump) -> dict[str, tuple[list[Any], list[Any]]]:
    """By table: rows of the first only, rows of the second only."""
    found = {}
    for table in one:
        left, right = [row for row in one[table] if row not in other[table]], [r for r in other[table] if r not in one[table]]
        if one[table] != other[table]:
            found[table] = (left, right)
    return found


def settle_all(memory: Memory, clock: ManualClock) -> None:
    """Work until nothing is left to do."""
    for _ in range(20):
        if not memory.jobs():
            break
        clock.advance(3600)
        tally = memory.work()
        assert tally.dead == tally.failed == 0
    assert memory.jobs() == []


@contextmanager
def locked(memory: Memory) -> Iterator[Session]:
    with memory._database.write(SPACE) as session:
        ledger.lock_namespace(session)
        yield session


def apply(session: Session, row: tuple[Any, ...]) -> None:
    """Record a ruling that was made elsewhere, and that it was undone if it was."""
    ruling, kind, one, other, act, reason, at, undone = row
    if kind == "supersedes":
        corrections.record(session, corrections.Correction(ruling, one, other, reason, at))
        stale.mark(session, [one, other])
        if undone is not None:
            settle_here(session, set())
            correct.undo(session, ruling, undone)
    else:
        stale.mark(session, resolve.affected_by_pin(session, kind, one, other))
        rulings.insert(session, rulings.Ruling(ruling, kind, one, other, act, reason, at))
        if undone is not None:
            settle_here(session, set())
            stale.mark(session, resolve.affected_by_pin(session, kind, one, other))
            rulings.undo(session, ruling, undone)
    settle_here(session, set())


class History(RuleBasedStateMachine):
    """One memory, and what is known of it: the steps of each document that is still there."""

    memory: Memory
    dsn: str
    other: Memory
    other_dsn: str
    clock: ManualClock

    @initialize(order=st.integers(0, 2**16))
    def empty(self, order: int) -> None:
        wipe(self.dsn)
        self.order = order
        self.steps: dict[UUID, list[Step]] = {}

    # What is retained. It comes first, since the first rule is what examples are made of when they are made small.

    @rule(batch=st.lists(documents, min_size=1, max_size=4), later=st.booleans())
    def retain(self, batch: list[Document], later: bool) -> None:
        self._retained(batch, self.memory.retain_many(batch, later=later))

    @rule()
    def retain_all_again(self) -> None:
        newest = [self._newest(document) for document in sorted(self.steps)]
        assert not any(receipt.created for receipt in self.memory.retain_many(newest))

    @rule(batches=st.lists(st.lists(documents, min_size=1, max_size=2), min_size=2, max_size=3), workers=st.integers(0, 2))
    def retain_at_once(self, batches: list[list[Document]], workers: int) -> None:
        self.clock.advance(3600)
        found = together(
            *(lambda batch=batch, n=n: self.memory.retain_many(batch, later=n == 1) for n, batch in enumerate(batches)),
            *(self.memory.work for _ in range(workers)),
        )
        pairs = [pair for batch, receipts in zip(batches, found, strict=False) for pair in zip(batch, receipts, strict=True)]
        pairs.sort(key=lambda pair: pair[1].version)
        self._retained(*zip(*pairs, strict=True))

    def _retained(self, batch: Sequence[Document], receipts: Sequence[RetainReceipt]) -> None:
        for given, receipt in zip(batch, receipts, strict=True):
            assert receipt.document_id == public_id(DOCUMENT_PREFIX, prepare(given, SPACE).id)
            if receipt.created:
                steps = self.steps.setdefault(prepare(given, SPACE).id, [])
                assert receipt.version == 1 + sum(isinstance(step, Retained) for step in steps)
                steps.append(Retained(given, receipt.version))

    def _newest(self, key: UUID) -> Document:
        return [step for step in self.steps[key] if isinstance(step, Retained)][-1].document

    # What is forgotten.

    @precondition(lambda self: self.steps)
    @rule(number=numbers)
    def forget_a_document(self, number: int) -> None:
        key = sorted(self.steps)[number % len(self.steps)]
        self.memory.forget(document=public_id(DOCUMENT_PREFIX, key))
        del self.steps[key]

    @precondition(lambda self: self.steps)
    @rule(source=st.sampled_from(SOURCES))
    def forget_a_source(self, source: str) -> None:
        gone = {key for key in self.steps if self._newest(key).source == source}
        if gone:
            assert self.memory.forget(source=source).documents == len(gone)
        for key in gone:
            del self.steps[key]

    @precondition(lambda self: self.steps)
    @rule(number=numbers)
    def forget_a_fact(self, number: int) -> None:
        self.work()  # a version that is still to be read would be read without the fact
        known = rows(self.dsn, "select fact, document from illumina.facts order by fact")
        if known:
            fact, key = known[number % len(known)]
            receipt = self.memory.forget(fact=public_id(FACT_PREFIX, fact))
            assert receipt.facts == 1
            assert not any(receipt.left.values())
            self.steps[key].append(Forgotten(fact))

    @precondition(lambda self: self.steps)
    @rule()
    def forget_everything(self) -> None:
        self.memory.forget(everything=True)
        self.steps.clear()
        assert not any(dump(self.dsn).values())

    @precondition(lambda self: self.steps)
    @rule(number=numbers, batch=st.lists(documents, min_size=1, max_size=2))
    def forget_while_others_write(self, number: int, batch: list[Document]) -> None:
        key = sorted(self.steps)[number % len(self.steps)]
        others = [given for given in batch if prepare(given, SPACE).id != key]
        self.clock.advance(3600)
        receipts, _, _ = together(
            lambda: self.memory.retain_many(others),
            self.memory.work,
            lambda: self.memory.forget(document=public_id(DOCUMENT_PREFIX, key)),
        )
        del self.steps[key]
        self._retained(others, receipts)

    # What people rule.

    @rule(number=numbers)
    def merge(self, number: int) -> None:
        known = [row for (row,) in rows(self.dsn, "select entity from illumina.entities order by 1")]
        if len(known) > 1:
            one, other = (public_id("ent_", known[place % len(known)]) for place in (number, number // len(known)))
            self._ruled(lambda: self.memory.entities().merge(one, other))

    @rule(number=numbers)
    def split(self, number: int) -> None:
        named = rows(self.dsn, "select entity, mention from illumina.resolved order by mention")
        if named:
            entity, mention = named[number % len(named)]
            self._ruled(lambda: self.memory.entities().split(public_id("ent_", entity), public_id("men_", mention)))

    @rule(number=numbers)
    def correct(self, number: int) -> None:
        facts = [fact for (fact,) in rows(self.dsn, "select fact from illumina.facts where retired_version is null order by 1")]
        if facts:
            old, new = (public_id(FACT_PREFIX, facts[place % len(facts)]) for place in (number, number // len(facts)))
            self._ruled(lambda: self.memory.supersede(old, new))

    @rule(number=numbers)
    def undo(self, number: int) -> None:
        held = rows(self.dsn, "select ruling, kind from illumina.rulings where undone_at is null order by 1")
        if held:
            ruling, kind = held[number % len(held)]
            name = public_id("rul_", ruling)
            self._ruled(lambda: self.memory.reinstate(name) if kind == "supersedes" else self.memory.entities().undo(name))

    def _ruled(self, act: Callable[[], object]) -> None:
        """Do it, or be told why not. No two rulings are made at one moment: they would be one."""
        self.clock.advance(1)
        try:
            act()
        except InvalidInputError as error:
            assert re.search(r"itself|Undo that|ndo what|are one entity already|cannot be split", str(error))  # noqa: PT017

    # What workers do.

    @rule()
    def work(self) -> None:
        settle_all(self.memory, self.clock)

    @rule(workers=st.integers(2, 3))
    def work_at_once(self, workers: int) -> None:
        self.clock.advance(3600)
        together(*(self.memory.work for _ in range(workers)))

    @rule()
    def rebuild(self) -> None:
        self.work()
        before = dump(self.dsn)
        self.memory.rebuild()
        assert differences(before, dump(self.dsn)) == {}

    def teardown(self) -> None:
        if not hasattr(self, "steps"):
            return
        settle_all(self.memory, self.clock)
        assert self.memory.work() == Tally()
        check_blocks(self.dsn)
        self._check_account()
        found = dump(self.dsn)
        assert found["stale"] == found["jobs"] == []
        self.memory.rebuild()
        assert differences(found, dump(self.dsn)) == {}, "rebuilding changes nothing"
        self._replay()
        assert differences(found, dump(self.other_dsn)) == {}, "neither do order and batches"
        if self.steps:
            self.memory.forget(everything=True)
        assert not any(dump(self.dsn).values()), "and all of it can be forgotten"

    def _check_account(self) -> None:
        for key in self.steps:
            name = public_id(DOCUMENT_PREFIX, key)
            spans = self.memory.account(name)
            text = self.memory.document(name)
            assert text is not None
            assert [span.start for span in spans] == [0, *(span.end for span in spans[:-1])]
            assert spans[-1].end == len(text.body)
            assert {span.outcome for span in spans} <= {"extracted", "rejected"}

    def _replay(self) -> None:
        """Do what survives in another order and other batches."""
        wipe(self.other_dsn)
        overtaken = set(rows(self.dsn, "select distinct document, version from illumina.chunks where state = 'pending'"))
        left = {key: list(steps) for key, steps in self.steps.items()}
        turn = 0
        while left:
            keys = sorted(left, key=lambda key: content_uuid("turn", self.order, turn, key.hex))
            turn += 1
            batch: list[Document] = []
            for key in keys[: 1 + (self.order + turn) % 3]:
                step = left[key].pop(0)
                while isinstance(step, Retained) and (key, step.version) in overtaken:
                    self.other.retain_many([step.document], later=True)
                    step = left[key].pop(0)
                if isinstance(step, Retained):
                    batch.append(step.document)
                else:
                    self.other.forget(fact=public_id(FACT_PREFIX, step.fact))
                if not left[key]:
                    del left[key]
            self.other.retain_many(batch)
        self._replay_rulings()
        settle_all(self.other, self.clock)

    def _replay_rulings(self) -> None:
        made = rows(
            self.dsn,
            "select ruling, kind, one, other, act, reason, recorded_at, undone_at from illumina.rulings order by ruling",
        )
        for row in made:
            with locked(self.other) as session:
                apply(session, row)


EXAMPLES = int(os.environ.get("ILLUMINA_STATES", "12"))
"""Histories that are tried."""


def test_any_history_leaves_what_its_ledger_gives(dsn: str, other_dsn: str, clock: ManualClock) -> None:
    class Here(History):
        pass

    with (
        Memory.open(dsn, embedder=HashingEmbedder(), clock=clock) as memory,
        Memory.open(other_dsn, embedder=HashingEmbedder(), clock=clock) as other,
    ):
        Here.memory, Here.dsn, Here.other, Here.other_dsn, Here.clock = memory, dsn, other, other_dsn, clock
        run_state_machine_as_test(
            Here,
            settings=settings(max_examples=EXAMPLES, stateful_step_count=12, suppress_health_check=list(HealthCheck)),
        )
