"""What is settled step by step is what all facts together give, in any order and whatever goes in between."""

from __future__ import annotations

import itertools
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from illumina import Memory
from illumina.errors import InvalidInputError
from illumina.ids import content_uuid
from illumina.retain.reconcile import rule, undo
from illumina.retain.reconcile.statements import Named
from illumina.store import corrections, stale
from illumina.store import documents as ledger
from tests.illumina.retain.reconcile import scene
from tests.illumina.retain.reconcile.scene import Told
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from uuid import UUID

    from illumina.store.database import Database, Session

DAY = datetime(2026, 3, 2, tzinfo=UTC)
TOPICS = (
    ("The timeout is 30 s.", "The timeout is 60 s.", "The timeout is 90 s.", "The timeout was raised to 60 s."),
    ("Sam lives in Paris.", "Sam lives in Berlin.", "Sam lives in Paris and works at Acme.", "Sam works at Globex."),
    (
        "CI runs on Jenkins.",
        "We moved from Jenkins to Buildkite.",
        "CI runs on Buildkite.",
        "We moved from Buildkite to Jenkins.",
    ),
    ("Ann loves olives.", "Ann hates olives.", "Ann no longer loves olives.", "Ann loves olives and capers."),
    ("This supersedes ADR-7.", "Superseded by ADR-12.", "Events go through Kafka.", "The topic has 3 partitions."),
)
ENTITIES = (None, None, content_uuid("entity", 1), content_uuid("entity", 2))
_numbers = itertools.count()


@pytest.fixture(scope="module")
def database(module_dsn: str) -> Iterator[Database]:
    with Memory.open(module_dsn, embedder=HashingEmbedder(), extractor="verbatim") as memory:
        yield memory._database


MOMENTS = st.sampled_from((*(DAY + timedelta(days=days) for days in range(5)), None))


def rarely(common: object, *rare: object) -> st.SearchStrategy[object]:
    return st.integers(0, 9).map(lambda number: rare[number - 1] if 0 < number <= len(rare) else common)


@st.composite
def told(draw: st.DrawFn, contents: Sequence[str]) -> Told:
    content = draw(st.sampled_from(contents))
    sam = content.startswith("Sam")
    return Told(
        draw(st.integers(0, 8)),
        content,
        draw(MOMENTS),
        draw(MOMENTS),
        draw(rarely("architecture", None)),  # type: ignore[arg-type]
        draw(rarely("high", "low")),  # type: ignore[arg-type]
        draw(rarely("shared", "agent")),  # type: ignore[arg-type]
        (Named("Sam", draw(st.sampled_from(ENTITIES))),) if sam else (),
    )


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[str, object]]:
    """A few facts about one or two things, and what becomes of them; settled now and then."""
    topics = draw(st.lists(st.sampled_from(TOPICS), min_size=1, max_size=2))
    facts = st.lists(told([content for topic in topics for content in topic]), min_size=1, max_size=4).map(
        lambda it: ("tell", it)
    )
    number = st.integers(0, 11)
    kinds = st.sampled_from(("causes", "enables", "causes", "prevents"))
    step = st.one_of(
        facts,
        facts,
        st.tuples(st.sampled_from(("retire", "forget")), st.sets(number, min_size=1, max_size=2)),
        st.tuples(st.just("cause"), st.lists(st.tuples(number, kinds, number), min_size=1, max_size=5)),
        st.tuples(st.just("rule"), st.tuples(number, number)),
        st.tuples(st.just("undo"), number),
    )
    steps: list[tuple[str, object]] = [draw(facts), draw(facts)]
    for _ in range(draw(st.integers(1, 7))):
        if draw(st.booleans()):
            steps.append(("settle", None))
        steps.append(draw(step))
    return steps


class Model:
    """What was told, as a plain set."""

    def __init__(self) -> None:
        self.facts: dict[UUID, Told] = {}
        self.retired: set[UUID] = set()
        self.causes: set[tuple[UUID, str, UUID]] = set()

    def pick(self, number: int, *, live: bool = False) -> UUID | None:
        found = sorted(fact for fact in self.facts if not (live and fact in self.retired))
        return found[number % len(found)] if found else None

    def step(self, session: Session, kind: str, what: Any) -> None:
        ledger.lock_namespace(session)
        if kind == "tell":
            facts = {
                fact.id: replace(fact, names=self.facts[fact.id].names) if fact.id in self.facts else fact for fact in what
            }
            scene.tell(session, list(facts.values()))
            self.facts |= facts
            self.retired -= facts.keys()
        elif kind in {"retire", "forget"}:
            gone = {fact for number in what if (fact := self.pick(number, live=kind == "retire"))}
            if kind == "retire":
                scene.retire(session, gone)
                self.retired |= gone
            else:
                scene.forget(session, gone)
                self.facts = {fact: it for fact, it in self.facts.items() if fact not in gone}
                self.retired -= gone
                self.causes = {it for it in self.causes if not {it[0], it[2]} & gone}
        elif kind == "cause":
            pairs = {(self.pick(one), by, self.pick(other)) for one, by, other in what}
            stated = {(one, by, other) for one, by, other in pairs if one and other and one != other}
            scene.cause(session, stated)
            self.causes |= stated
        elif kind == "rule":
            one, other = (self.pick(number, live=True) for number in what)
            if one and other:
                with suppress(InvalidInputError):
                    rule(session, one, other, "", DAY)
        elif kind == "undo":
            ruled = corrections.in_force(session)
            if ruled:
                undo(session, ruled[what % len(ruled)][0].id, DAY)
        else:
            scene.settled(session)


@settings(max_examples=30)
@given(histories())
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


class Scene:
    """A namespace, told things one by one."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.name = f"scene {next(_numbers)}"
        self.told: list[Told] = []

    def tell(self, content: str, day: int, **more: object) -> UUID:
        fact = Told(3 * len(self.told), content, DAY + timedelta(days=day), **more)  # type: ignore[arg-type]
        self.told.append(fact)
        with self.database.write(self.name) as session:
            scene.tell(session, [fact])
            scene.settled(session)
        return fact.id

    def do(self, what: Callable[..., object], *arguments: object) -> None:
        with self.database.write(self.name) as session:
            what(session, *arguments)
            scene.settled(session)

    def pairs(self) -> set[tuple[UUID, UUID]]:
        """New and old of all that was found."""
        with self.database.read(self.name) as session:
            cursor = session.execute("select new, old from illumina.supersessions where namespace = %(namespace)s")
        return {(new, old) for new, old in cursor.fetchall()}

    def live(self) -> set[UUID]:
        """What a recall finds, by what the postings hold."""
        with self.database.read(self.name) as session:
            cursor = session.execute("select distinct fact from illumina.postings where namespace = %(namespace)s")
        return {fact for (fact,) in cursor.fetchall()}

    def suspects(self) -> set[tuple[UUID, UUID]]:
        with self.database.read(self.name) as session:
            cursor = session.execute("select fact, because from illumina.suspects where namespace = %(namespace)s")
        return {(fact, because) for fact, because in cursor.fetchall()}


@pytest.fixture
def told_one_by_one(database: Database) -> Scene:
    return Scene(database)


def test_late_history_takes_its_place_in_the_chain(told_one_by_one: Scene) -> None:
    it = told_one_by_one
    first = it.tell("The timeout is 30 s.", 0)
    last = it.tell("The timeout is 90 s.", 4)
    assert it.pairs() == {(last, first)}
    between = it.tell("The timeout is 60 s.", 2)
    assert it.pairs() == {(between, first), (last, between)}
    assert it.live() == {last}
    earliest = it.tell("The timeout is 10 s.", -5)
    assert it.pairs() == {(first, earliest), (between, first), (last, between)}


def test_what_only_a_forgotten_fact_superseded_holds_again(told_one_by_one: Scene) -> None:
    it = told_one_by_one
    first, between = it.tell("The timeout is 30 s.", 0), it.tell("The timeout is 60 s.", 2)
    last = it.tell("The timeout is 90 s.", 4)
    it.do(scene.forget, [between])
    assert it.pairs() == {(last, first)}
    it.do(scene.retire, [last])
    assert it.pairs() == set()
    assert it.live() == {first}


def test_the_same_again_from_elsewhere_stays_and_supersedes_nothing(told_one_by_one: Scene) -> None:
    it = told_one_by_one
    facts = {it.tell("The timeout is 30 s.", day) for day in range(3)} | {it.tell("The timeout: 30 seconds", 3)}
    assert it.live() == facts
    assert it.pairs() == set()


def test_both_of_two_opposites_are_never_lost(told_one_by_one: Scene) -> None:
    it = told_one_by_one
    it.tell("Ann loves olives.", 0)
    hates = it.tell("Ann hates olives.", 1)
    assert it.live() == {hates}
    loves = it.tell("Ann loves olives.", 2)
    assert it.live() == {loves}


def test_a_part_is_over_and_the_rest_stays(told_one_by_one: Scene) -> None:
    it = told_one_by_one
    both = it.tell("Sam lives in Paris and works at Acme.", 0)
    globex = it.tell("Sam works at Globex.", 1)
    assert it.live() == {both, globex}
    with it.database.read(it.name) as session:
        cursor = session.execute("select old, new, extent, part from illumina.supersessions where namespace = %(namespace)s")
    assert cursor.fetchall() == [(both, globex, "part", "works at Acme")]


def test_what_rested_on_it_is_suspect_until_it_holds_again(told_one_by_one: Scene) -> None:
    it = told_one_by_one
    cause = it.tell("The timeout is 30 s.", 0)
    effect, further = it.tell("Uploads are cut off.", 0), it.tell("Support is busy.", 0)
    spared = it.tell("Nobody is paged.", 0)
    it.do(scene.cause, [(cause, "causes", effect), (effect, "enables", further), (cause, "prevents", spared)])
    assert it.suspects() == set()
    newer = it.tell("The timeout is 60 s.", 1)
    assert it.suspects() == {(effect, cause), (further, cause)}
    it.do(scene.forget, [newer])
    assert it.suspects() == set()


def test_a_private_fact_retires_no_shared_one(told_one_by_one: Scene) -> None:
    it = told_one_by_one
    shared = it.tell("The timeout is 30 s.", 0)
    private = it.tell("The timeout is 60 s.", 1, visibility="agent")
    assert it.live() == {shared, private}
    newest = it.tell("The timeout is 90 s.", 2)
    assert it.live() == {newest}


def test_namesakes_do_not_contradict_one_another(told_one_by_one: Scene) -> None:
    it = told_one_by_one
    one, other = (Named("Sam", content_uuid("entity", number)) for number in (1, 2))
    paris = it.tell("Sam lives in Paris.", 0, names=(one,))
    berlin = it.tell("Sam lives in Berlin.", 1, names=(other,))
    assert it.live() == {paris, berlin}
    full = it.tell("Sam Okafor lives in Rome.", 2, names=(Named("Sam Okafor", content_uuid("entity", 1)),))
    assert it.live() == {berlin, full}


def test_a_verbatim_fact_is_superseded_by_a_ruling_alone(told_one_by_one: Scene) -> None:
    it = told_one_by_one
    said = it.tell("The timeout is 30 s.", 0, category=None)
    now = it.tell("The timeout is 60 s.", 1)
    assert it.live() == {said, now}
    it.do(rule, now, said, "It was changed.", DAY)
    assert it.live() == {now}
    assert it.pairs() == set()
    with it.database.read(it.name) as session:
        ruled = corrections.of(session, [said])
    it.do(undo, ruled[0].id, DAY)
    assert it.live() == {said, now}


def test_what_is_ruled_to_hold_counts_as_newer_than_what_it_replaced(told_one_by_one: Scene) -> None:
    it = told_one_by_one
    right, between = it.tell("The timeout is 30 s.", 0), it.tell("The timeout is 60 s.", 2)
    wrong = it.tell("The timeout is 90 s.", 4)
    assert it.live() == {wrong}
    it.do(rule, right, wrong, "A typing mistake.", DAY)
    assert it.live() == {right}
    assert it.pairs() == {(wrong, between), (right, wrong)}
    later = it.tell("The timeout is 45 s.", 5)
    assert it.live() == {later}
    with it.database.read(it.name) as session:
        ruled = corrections.of(session, [right])
    it.do(undo, ruled[0].id, DAY)
    assert it.pairs() == {(between, right), (wrong, between), (later, wrong)}


def test_rulings_that_cannot_be(told_one_by_one: Scene) -> None:
    it = told_one_by_one
    one, other = it.tell("The timeout is 30 s.", 0), it.tell("The timeout is 60 s.", 1)
    private = it.tell("The timeout is 70 s.", 1, visibility="agent")
    it.do(rule, one, other, "", DAY)
    for new, old, why in (
        (one, one, "itself"),
        (content_uuid("nobody"), one, "no fact"),
        (private, one, "visible"),
        (other, one, "Undo that ruling"),
    ):
        with pytest.raises(InvalidInputError, match=why):
            it.do(rule, new, old, "", DAY)
    with pytest.raises(InvalidInputError, match="no such ruling"):
        it.do(undo, content_uuid("none"), DAY)


def test_nothing_of_another_namespace_is_met(database: Database) -> None:
    one, other = Scene(database), Scene(database)
    old = one.tell("The timeout is 30 s.", 0)
    other.tell("The timeout is 60 s.", 1)
    assert one.live() == {old}
    assert one.pairs() == other.pairs() == set()


def test_a_fact_whose_name_turns_out_to_be_another_s_retires_nothing_any_more(told_one_by_one: Scene) -> None:
    it = told_one_by_one
    one, other = (Named("Sam", content_uuid("entity", number)) for number in (1, 2))
    paris = it.tell("Sam lives in Paris.", 0, names=(one,))
    berlin = it.tell("Sam lives in Berlin.", 1, names=(one,))
    rome = it.tell("Sam lives in Rome.", 2, names=(one,))
    assert it.pairs() == {(berlin, paris), (rome, berlin)}

    def resolve_anew(session: Session) -> None:
        ledger.lock_namespace(session)
        scene.name(session, it.told[1], 0, other)
        stale.mark(session, [berlin])

    it.do(resolve_anew)
    assert it.live() == {berlin, rome}
    assert it.pairs() == {(rome, paris)}


def test_a_ruling_undone_moves_what_was_ruled_above_it(told_one_by_one: Scene) -> None:
    it = told_one_by_one
    top, middle = it.tell("The timeout is 10 s.", 0), it.tell("The timeout is 20 s.", 1)
    below, last = it.tell("The timeout is 90 s.", 6), it.tell("The timeout is 40 s.", 4)
    it.do(rule, top, middle, "", DAY)
    assert it.live() == {below}
    it.do(rule, middle, below, "", DAY)
    assert it.live() == {top}
    with it.database.read(it.name) as session:
        [ruled] = (correction for correction in corrections.of(session, [below]))
    it.do(undo, ruled.id, DAY)
    assert it.live() == {below}
    assert (below, last) in it.pairs()
    assert (top, middle) in it.pairs()
