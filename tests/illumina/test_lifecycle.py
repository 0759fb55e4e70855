"""Stages of facts: a function of what was recorded and of the moment of the pass."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from illumina import Memory
from illumina.errors import InvalidInputError
from illumina.ids import FACT_PREFIX, content_key, namespace_key, public_id
from illumina.lifecycle import Lifecycle
from illumina.store.database import Database
from illumina.types import Document
from tests.clock import ManualClock
from tests.support import HashingEmbedder, dump, rows, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
MINUTE = 60
HOUR = 60 * MINUTE
VITAL = "Deploys must never run on Fridays."
OTHER = "The train was late again."


@pytest.fixture
def memory(dsn: str, embedder: HashingEmbedder, clock: ManualClock) -> Iterator[Memory]:
    """With the built-in extractor, which says what is vital."""
    with Memory.open(dsn, embedder=embedder, clock=clock) as opened:
        yield opened


def facts(dsn: str, namespace: str = "default") -> dict[str, str]:
    """The id of every fact, by what it says."""
    found = rows(dsn, "select content, fact from illumina.facts where namespace = %s", [namespace_key(namespace)])
    return {content: public_id(FACT_PREFIX, fact) for content, fact in found}


def stages(dsn: str, namespace: str = "default") -> dict[str, str]:
    """The stage of every fact, by what it says."""
    return dict(rows(dsn, "select content, lifecycle from illumina.facts where namespace = %s", [namespace_key(namespace)]))


@pytest.fixture
def two(memory: Memory, dsn: str) -> dict[str, str]:
    """One fact that is vital and one that is not, in a namespace with the policy on."""
    memory.retain(VITAL, key="vital")
    memory.retain(OTHER, key="other")
    memory.lifecycle().enable()
    importance = dict(rows(dsn, "select content, importance from illumina.facts"))
    assert importance == {VITAL: "vital", OTHER: "supplementary"}
    return facts(dsn)


def test_it_is_off_unless_switched_on(memory: Memory, clock: ManualClock, dsn: str) -> None:
    memory.retain(VITAL)
    lifecycle = memory.lifecycle()
    assert not lifecycle.enabled()
    lifecycle.accessed(facts(dsn).values())
    clock.advance(2 * HOUR)
    assert lifecycle.apply() == 0
    assert lifecycle.states() == {"fresh": 1, "stable": 0, "editing": 0}
    assert rows(dsn, "select accessed_at = first_accessed_at, accessed_at from illumina.facts") == [(True, ManualClock().now())]
    lifecycle.enable()
    assert lifecycle.enabled()
    assert lifecycle.apply() == 1
    assert lifecycle.states() == {"fresh": 0, "stable": 1, "editing": 0}


def test_what_is_vital_is_stable_after_an_hour(memory: Memory, clock: ManualClock, dsn: str, two: dict[str, str]) -> None:
    clock.advance(HOUR - 1)
    assert memory.lifecycle().apply() == 0
    clock.advance(1)
    assert memory.lifecycle().apply() == 1
    assert stages(dsn) == {VITAL: "stable", OTHER: "fresh"}
    clock.advance(1000 * HOUR)
    assert memory.lifecycle().apply() == 0
    assert stages(dsn)[OTHER] == "fresh"


def test_an_access_makes_what_is_not_vital_stable_too(
    memory: Memory, clock: ManualClock, dsn: str, two: dict[str, str]
) -> None:
    memory.lifecycle().accessed([two[OTHER]])
    clock.advance(HOUR - 1)
    memory.lifecycle().apply()
    assert stages(dsn)[OTHER] == "fresh"
    clock.advance(1)
    memory.lifecycle().apply()
    assert stages(dsn)[OTHER] == "stable"


def test_the_hit_that_makes_it_stable_does_not_open_it(
    memory: Memory, clock: ManualClock, dsn: str, two: dict[str, str]
) -> None:
    clock.advance(2 * HOUR)
    memory.lifecycle().accessed([two[OTHER]])
    clock.advance(1)
    memory.lifecycle().apply()
    assert stages(dsn)[OTHER] == "stable"
    memory.lifecycle().accessed([two[OTHER]])
    memory.lifecycle().apply()
    assert stages(dsn)[OTHER] == "editing"


def test_a_hit_opens_it_for_half_an_hour(memory: Memory, clock: ManualClock, dsn: str, two: dict[str, str]) -> None:
    lifecycle = memory.lifecycle()
    clock.advance(HOUR)
    lifecycle.accessed([two[VITAL]])
    assert lifecycle.apply() == 1
    assert lifecycle.apply() == 0
    assert lifecycle.states() == {"fresh": 1, "stable": 0, "editing": 1}
    clock.advance(20 * MINUTE)
    lifecycle.accessed([two[VITAL]])
    clock.advance(30 * MINUTE - 1)
    assert lifecycle.apply() == 0
    clock.advance(1)
    assert lifecycle.apply() == 1
    assert stages(dsn)[VITAL] == "stable"
    assert rows(dsn, "select count(*) from illumina.accesses") == [(0,)]


def test_it_is_as_if_it_had_never_been_on(memory: Memory, clock: ManualClock, dsn: str, two: dict[str, str]) -> None:
    memory.lifecycle().disable()
    before = dump(dsn)
    memory.lifecycle().enable()
    clock.advance(2 * HOUR)
    assert memory.lifecycle().apply() == 1
    assert dump(dsn) != before
    memory.lifecycle().disable()
    assert dump(dsn) == before


def test_an_access_to_a_fact_that_is_not_here_is_refused(memory: Memory, dsn: str, two: dict[str, str]) -> None:
    memory.retain(OTHER, namespace="elsewhere")
    stranger = facts(dsn, "elsewhere")[OTHER]
    before = dump(dsn)
    for wrong in (stranger, "fct_" + "0" * 32):
        with pytest.raises(InvalidInputError, match=f"default does not hold {wrong}"):
            memory.lifecycle().accessed([two[OTHER], wrong])
    with pytest.raises(InvalidInputError, match="and 2 others"):
        memory.lifecycle().accessed(f"fct_{number:032x}" for number in range(5))
    with pytest.raises(InvalidInputError, match="no id of the form fct_"):
        memory.lifecycle().accessed(["doc_" + "0" * 32])
    with pytest.raises(InvalidInputError, match="nowhere does not hold"):
        memory.lifecycle(namespace="nowhere").accessed([two[OTHER]])
    assert dump(dsn) == before


def test_a_namespace_that_nobody_wrote_to_stays_unknown(memory: Memory, dsn: str) -> None:
    lifecycle = memory.lifecycle()
    lifecycle.accessed([])
    lifecycle.disable()
    assert (lifecycle.apply(), lifecycle.enabled()) == (0, False)
    assert lifecycle.states() == {"fresh": 0, "stable": 0, "editing": 0}
    assert rows(dsn, "select count(*) from illumina.namespaces") == [(0,)]


def test_namespaces_have_policies_of_their_own(memory: Memory, clock: ManualClock, dsn: str, two: dict[str, str]) -> None:
    memory.retain(VITAL, namespace="elsewhere")
    clock.advance(HOUR)
    assert memory.lifecycle(namespace="elsewhere").apply() == 0
    assert memory.lifecycle().apply() == 1
    assert stages(dsn, "elsewhere") == {VITAL: "fresh"}


def test_a_recall_is_the_same_whatever_was_accessed(memory: Memory, clock: ManualClock, two: dict[str, str]) -> None:
    asked = "What about deploys and the train?"
    answers = {memory.recall(asked).to_json()}
    for _ in range(3):
        clock.advance(HOUR)
        memory.lifecycle().accessed(two.values())
        answers.add(memory.recall(asked).to_json())
        memory.lifecycle().apply()
        answers.add(memory.recall(asked).to_json())
    assert len(answers) == 1


def test_retaining_and_rebuilding_keep_stages_and_age(
    memory: Memory, clock: ManualClock, dsn: str, two: dict[str, str]
) -> None:
    clock.advance(HOUR)
    memory.lifecycle().accessed(two.values())
    clock.advance(1)
    memory.lifecycle().accessed([two[OTHER]])
    memory.lifecycle().apply()
    assert set(stages(dsn).values()) == {"editing"}
    before = dump(dsn)
    memory.retain(VITAL, key="vital")
    memory.rebuild()
    assert dump(dsn) == before

    clock.advance(HOUR)
    memory.retain(f"{VITAL} Lunch is at noon.", key="vital")
    assert stages(dsn) == {VITAL: "editing", OTHER: "editing", "Lunch is at noon.": "fresh"}
    memory.lifecycle().apply()
    assert stages(dsn) == {VITAL: "stable", OTHER: "stable", "Lunch is at noon.": "fresh"}
    memory.retain("Lunch is at noon.", key="vital")
    memory.lifecycle().apply()
    assert stages(dsn)[VITAL] == "stable"
    assert memory.lifecycle().states() == {"fresh": 1, "stable": 1, "editing": 0}
    memory.retain(VITAL, key="vital")
    memory.lifecycle().apply()
    assert stages(dsn)[VITAL] == "stable"


@pytest.mark.parametrize("applied", [False, True])
@pytest.mark.parametrize("what", ["document", "fact"])
def test_forgetting_leaves_no_trace(
    memory: Memory, clock: ManualClock, dsn: str, other_dsn: str, two: dict[str, str], what: str, *, applied: bool
) -> None:
    def use(used: Memory, ids: Sequence[str]) -> None:
        used.lifecycle().accessed(ids)
        if applied:
            used.lifecycle().apply()

    clock.advance(HOUR)
    use(memory, list(two.values()))
    if what == "document":
        receipt = memory.retain(OTHER, key="other")
        removed = memory.forget(document=receipt.document_id).removed
    else:
        removed = memory.forget(fact=two[OTHER]).removed
    assert removed.get("accesses", 0) == (0 if applied else 1)
    seen = dump(dsn)
    if what == "fact":  # the document stays, without its words
        gone = content_key(FACT_PREFIX, two[OTHER])
        assert [table for table, found in seen.items() if any(gone in row for row in found)] == []
        assert OTHER not in str(seen)
        return
    clock = ManualClock()
    with Memory.open(other_dsn, embedder=HashingEmbedder(), clock=clock) as other:
        other.retain(VITAL, key="vital")
        other.lifecycle().enable()
        clock.advance(HOUR)
        use(other, [two[VITAL]])
    assert seen == dump(other_dsn)


def test_the_policy_outlives_the_documents_but_not_the_namespace(
    memory: Memory, clock: ManualClock, dsn: str, two: dict[str, str]
) -> None:
    empty = {table: list[object]() for table in dump(dsn)}
    run(dsn, "update illumina.namespaces set approximate = true")  # as if it had once been large
    for key, text in (("vital", VITAL), ("other", OTHER)):
        memory.forget(document=memory.retain(text, key=key).document_id)
    assert memory.lifecycle().enabled()
    left = dump(dsn)
    assert left.pop("namespaces") == [(namespace_key("default"), "default", 0, 0, False, True)]
    assert not any(left.values())
    memory.retain(VITAL)
    memory.forget(everything=True)
    assert dump(dsn) == empty
    assert not memory.lifecycle().enabled()


# ── any order, any batches ───────────────────────────────────────────────────────────────────────────────────────────────────

BORN = (0, 0, 20, 60, 90)
"""In minutes; of the facts numbered by position, those with an even number are vital."""

_spaces = itertools.count()


@pytest.fixture(scope="module")
def house(module_dsn: str) -> Iterator[tuple[Database, str, list[str], str]]:
    """A store with a namespace of facts of several ages, their ids, and the DSN."""
    clock = ManualClock(NOON)
    name = f"space{next(_spaces)}"
    with Memory.open(module_dsn, embedder=HashingEmbedder(), clock=clock) as memory:
        for number, born in enumerate(BORN):
            clock.advance(born * MINUTE - (clock.now() - NOON).total_seconds())
            subject = f"Room {number}"
            text = f"{subject} must never be locked." if number % 2 == 0 else f"{subject} was painted yesterday."
            memory.retain_many([Document(text, key=str(number))], namespace=name)
        memory.lifecycle(namespace=name).enable()
        found = rows(
            module_dsn,
            "select f.fact, importance from illumina.facts f join illumina.documents d using (document) order by key",
        )
        assert [importance for _, importance in found] == ["vital" if n % 2 == 0 else "supplementary" for n in range(len(BORN))]
        yield memory._database, name, [public_id(FACT_PREFIX, fact) for fact, _ in found], module_dsn


def reference(number: int, hits: Iterable[int], now: int) -> str:
    """The machine itself, one hit after the other; times in minutes."""
    stage, touched, last = "fresh", False, 0

    def tick(moment: int) -> None:
        nonlocal stage
        if stage == "fresh" and moment - BORN[number] >= 60 and (touched or number % 2 == 0):
            stage = "stable"
        if stage == "editing" and moment - last >= 30:
            stage = "stable"

    for hit in sorted(set(hits)):
        tick(hit)
        if stage in {"stable", "editing"}:
            stage, last = "editing", hit
        touched = True
        tick(hit)
    tick(now)
    return stage


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[tuple[int, frozenset[int]]], int]:
    """Accesses (minute, facts) in the order in which they arrive, some as passes: no facts; and the minute of the last pass."""
    minute = st.integers(0, 50).map(lambda step: step * 5)
    some = st.frozensets(st.integers(0, len(BORN) - 1), max_size=3)
    events = draw(st.lists(st.tuples(minute, some), max_size=12))
    last = max((moment for moment, _ in events), default=0)
    return draw(st.permutations(events)), last + draw(st.integers(0, 20)) * 5


@given(histories())
@settings(max_examples=80)
def test_order_batches_and_passes_make_no_difference(
    house: tuple[Database, str, list[str], str], history: tuple[list[tuple[int, frozenset[int]]], int]
) -> None:
    database, name, ids, dsn = house
    events, end = history
    run(dsn, "update illumina.facts set lifecycle = 'fresh', accessed_at = null, first_accessed_at = null")

    def at(minute: int) -> Lifecycle:
        return Lifecycle(database, ManualClock(NOON + timedelta(minutes=minute)), name)

    def check(now: int) -> None:
        stage = {public_id(FACT_PREFIX, fact): s for fact, s in rows(dsn, "select fact, lifecycle from illumina.facts")}
        assert [stage[fact] for fact in ids] == [reference(n, hits.get(n, ()), now) for n in range(len(ids))]

    hits: dict[int, set[int]] = {}
    for minute, accessed in events:
        if accessed:
            at(minute).accessed(ids[number] for number in accessed)
            for number in accessed:
                hits.setdefault(number, set()).add(minute)
            continue
        at(minute).apply()
        if minute >= max((hit for each in hits.values() for hit in each), default=0):
            check(minute)
    at(end).apply()
    check(end)
    assert at(end).apply() == 0
    assert rows(dsn, "select fact from illumina.accesses") == []
