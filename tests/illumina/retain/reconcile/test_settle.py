"""What is settled step by step is what all facts together give, in any order and whatever goes in between."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from illumina import Memory
from illumina.errors import InvalidInputError
from illumina.ids import content_uuid
from illumina.retain.reconcile import rule, undo
from illumina.retain.reconcile.statements import Named
from illumina.store import corrections
from illumina.store import documents as ledger
from tests.illumina.retain.reconcile import scene
from tests.illumina.retain.reconcile.scene import Told
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from uuid import UUID

    from illumina.store.database import Database, Session

DAY = datetime(2026, 3, 2, tzinfo=UTC)
CONTENTS = (
    *("The timeout is 30 s.", "The timeout is 60 s.", "The timeout is 90 s.", "The timeout was raised to 60 s."),
    *("Sam lives in Paris.", "Sam lives in Berlin.", "Sam lives in Paris and works at Acme.", "Sam works at Globex."),
    *("CI runs on Jenkins.", "We moved from Jenkins to Buildkite.", "CI runs on Buildkite.", "We moved from Buildkite to Jenkins."),
    *("Ann loves olives.", "Ann hates olives.", "Ann no longer loves olives.", "The flag is enabled.", "The flag is disabled."),
    *("This supersedes ADR-7.", "Superseded by ADR-12.", "Events go through Kafka."),
)
ENTITIES = (None, None, content_uuid("entity", 1), content_uuid("entity", 2))
_numbers = itertools.count()


@pytest.fixture(scope="module")
def database(module_dsn: str) -> Iterator[Database]:
    with Memory.open(module_dsn, embedder=HashingEmbedder()) as memory:
        yield memory._database


MOMENTS = st.sampled_from((None, None, *(DAY + timedelta(days=days) for days in range(4))))


@st.composite
def told(draw: st.DrawFn) -> Told:
    number = draw(st.integers(0, 8))
    content = draw(st.sampled_from(CONTENTS))
    entity = draw(st.sampled_from(ENTITIES)) if content.startswith("Sam") else None
    return Told(
        number,
        content,
        draw(MOMENTS),
        draw(MOMENTS),
        draw(st.sampled_from(("architecture", "architecture", "architecture", None))),
        draw(st.sampled_from(("high", "high", "low"))),
        draw(st.sampled_from(("shared", "shared", "shared", "agent"))),
        (Named("Sam", entity),) if content.startswith("Sam") else (),
    )


STEPS = st.one_of(
    st.lists(told(), min_size=1, max_size=4).map(lambda facts: ("tell", facts)),
    st.lists(told(), min_size=1, max_size=4).map(lambda facts: ("tell", facts)),
    st.tuples(st.sampled_from(("retire", "forget")), st.sets(st.integers(0, 30), min_size=1, max_size=2)),
    st.tuples(
        st.just("cause"),
        st.lists(st.tuples(st.integers(0, 30), st.sampled_from(("causes", "enables", "prevents")), st.integers(0, 30)), max_size=4),
    ),
    st.tuples(st.just("rule"), st.tuples(st.integers(0, 30), st.integers(0, 30))),
    st.tuples(st.just("undo"), st.integers(0, 5)),
    st.just(("settle", None)),
)


class Model:
    """What was told, as a plain set."""

    def __init__(self) -> None:
        self.facts: dict[UUID, Told] = {}
        self.retired: set[UUID] = set()
        self.causes: set[tuple[UUID, str, UUID]] = set()

    def pick(self, number: int, *, live: bool = False) -> UUID | None:
        found = sorted(fact for fact in self.facts if not (live and fact in self.retired))
        return found[number % len(found)] if found else None

    def step(self, session: Session, kind: str, what: object) -> None:  # noqa: PLR0912 - one branch a step
        ledger.lock_namespace(session)
        if kind == "tell":
            facts = {fact.id: replace(fact, names=self.facts[fact.id].names) if fact.id in self.facts else fact for fact in what}  # type: ignore[attr-defined]
            scene.tell(session, list(facts.values()))
            self.facts |= facts
            self.retired -= facts.keys()
        elif kind in {"retire", "forget"}:
            gone = {fact for number in what if (fact := self.pick(number, live=kind == "retire"))}  # type: ignore[attr-defined]
            if kind == "retire":
                scene.retire(session, gone)
                self.retired |= gone
            else:
                scene.forget(session, gone)
                self.facts = {fact: it for fact, it in self.facts.items() if fact not in gone}
                self.retired -= gone
                self.causes = {it for it in self.causes if not {it[0], it[2]} & gone}
        elif kind == "cause":
            pairs = {(self.pick(one), by, self.pick(other)) for one, by, other in what}  # type: ignore[attr-defined]
            stated = {(one, by, other) for one, by, other in pairs if one and other and one != other}
            scene.cause(session, stated)
            self.causes |= stated
        elif kind == "rule":
            one, other = (self.pick(number, live=True) for number in what)  # type: ignore[attr-defined]
            if one and other:
                try:
                    rule(session, one, other, "", DAY)
                except InvalidInputError:
                    pass
        elif kind == "undo":
            ruled = corrections.in_force(session)
            if ruled:
                undo(session, ruled[what % len(ruled)][0].id, DAY)  # type: ignore[operator]
        else:
            scene.settled(session)


@settings(max_examples=120)
@given(st.lists(STEPS, min_size=2, max_size=9))
def test_steps_give_what_all_facts_together_give(database: Database, steps: list[tuple[str, object]]) -> None:
    model = Model()
    with database.write(f"steps {next(_numbers)}") as session:
        for kind, what in steps:
            model.step(session, kind, what)
        scene.settled(session)
        after = scene.state(session)
        if not corrections.in_force(session):
            statements = [fact.statement for fact in model.facts.values() if fact.category and fact.id not in model.retired]
            assert scene.rows(session) == scene.expected_rows(statements)
        marked = dict(session.execute("select fact, superseded from illumina.facts where namespace = %(namespace)s").fetchall())
        over = {old for old, _, extent, _ in scene.rows(session) if extent == "whole"}
        over |= {it.other for it, _, _ in corrections.in_force(session)} - model.retired
        assert {fact for fact, superseded in marked.items() if superseded} == over
        holds = {fact: fact not in over and fact not in model.retired for fact in model.facts}
        noted = session.execute("select fact, because from illumina.suspects where namespace = %(namespace)s").fetchall()
        assert set(noted) == scene.expected_suspects(model.causes, holds)
        scene.rebuild(session)
        assert scene.state(session) == after
