"""Entities in the database are what resolving everything gives, however they came about."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from illumina import Memory
from illumina.ids import content_uuid
from illumina.retain import resolve
from illumina.retain.entities import nodes
from illumina.retain.extraction import MentionDraft
from illumina.store import rulings, stale
from illumina.store.rulings import Ruling
from tests.illumina.retain import entity_scene as scene
from tests.illumina.retain.entity_scene import Told
from tests.support import HashingEmbedder, dump

if TYPE_CHECKING:
    from collections.abc import Iterator
    from uuid import UUID

    from illumina.store.database import Database, Session

DAY = datetime(2025, 3, 11, tzinfo=UTC)
NAMES = (
    *("Sarah Chen", "S. Chen", "schen", "Sarah", "Sarah Chan", "Chen, Sarah", "Sara Chen", "Sally Chen", "Sarah Okafor"),
    *("Bob Hill", "Robert Hill", "R. Hill", "Hill", "Robert Hill Jr.", "v1", "v2", "checkout-service", "Checkout Service"),
    *("ILLUM-1", "ILLUM-2", "\N{ROCKET}", "Acme"),
)
_numbers = itertools.count()


@pytest.fixture(scope="module")
def database(module_dsn: str) -> Iterator[Database]:
    with Memory.open(module_dsn, embedder=HashingEmbedder(), extractor="verbatim") as memory:
        yield memory._database


def drafts() -> st.SearchStrategy[tuple[MentionDraft, ...]]:
    homes = st.sampled_from(((), (), (), ("Acme",), ("Globex",), ("Lisbon, Portugal",)))
    draft = st.builds(
        MentionDraft, name=st.sampled_from(NAMES), kind=st.sampled_from((None, None, "person", "service")), homes=homes
    )
    return st.lists(draft, max_size=3).map(tuple)


MOMENTS = st.one_of(
    st.sampled_from((None, None, DAY, DAY, datetime(1890, 3, 11, tzinfo=UTC))),
    st.integers(0, 4000).map(lambda days: DAY + timedelta(days=days)),
)
FACTS = st.lists(st.builds(Told, number=st.integers(0, 11), mentions=drafts(), moment=MOMENTS), min_size=1, max_size=4)
STEPS = st.one_of(
    FACTS.map(lambda facts: ("tell", tuple({fact.number: fact for fact in facts}.values()))),
    FACTS.map(lambda facts: ("tell", tuple({fact.number: fact for fact in facts}.values()))),
    st.tuples(st.just("retire"), st.sets(st.integers(0, 11), min_size=1, max_size=3)),
    st.tuples(st.just("forget"), st.sets(st.integers(0, 11), min_size=1, max_size=3)),
    st.tuples(st.sampled_from(("same", "different")), st.tuples(st.integers(0, 40), st.integers(0, 40))),
    st.tuples(st.just("undo"), st.integers(0, 10)),
    st.just(("settle", None)),
)


def known(session: Session, query: str) -> list[UUID]:
    return [row[0] for row in session.execute(f"{query} where namespace = %(namespace)s order by 1")]


def rule(session: Session, kind: rulings.Kind, one: UUID, other: UUID) -> None:
    ruling = Ruling(content_uuid(kind, one.hex, other.hex), kind, one, other, content_uuid("act"), "", DAY)
    stale.mark(session, resolve.affected_by_pin(session, kind, one, other))
    rulings.insert(session, ruling)


def step(session: Session, kind: str, what: object) -> None:
    if kind == "tell":
        scene.tell(session, what)  # type: ignore[arg-type]
    elif kind in {"retire", "forget"}:
        {"retire": scene.retire, "forget": scene.forget}[kind](session, [content_uuid("told", n) for n in what])  # type: ignore[attr-defined]
    elif kind in {"same", "different"}:
        found = known(session, "select mention from illumina.mentions")
        pair = [found[n % len(found)] for n in what] if found else []  # type: ignore[attr-defined]
        if len(set(pair)) == 2:
            rule(session, kind, *pair)  # type: ignore[arg-type]
    elif kind == "undo":
        holding = [ruling for ruling in rulings.everything(session) if ruling.undone_at is None]
        if holding:
            ruling = holding[what % len(holding)]  # type: ignore[operator]
            stale.mark(session, resolve.affected_by_pin(session, ruling.kind, ruling.one, ruling.other))
            rulings.undo(session, ruling.id, DAY)
    else:
        scene.settle(session)


@pytest.mark.parametrize("few", [False, True])
def test_settling_gives_what_resolving_everything_gives(
    database: Database, module_dsn: str, monkeypatch: pytest.MonkeyPatch, few: bool
) -> None:
    if few:  # so that a handful of contexts are many
        monkeypatch.setattr(nodes, "FINE", 2)
        monkeypatch.setattr(nodes, "ALL_PAIRS", 2)
        monkeypatch.setattr(nodes, "NEIGHBOURS", 1)

    @settings(max_examples=150, deadline=None)
    @given(st.lists(STEPS, min_size=1, max_size=14))
    def check(steps: list[tuple[str, object]]) -> None:
        namespace = f"settling-{next(_numbers)}"
        with database.write(namespace) as session:
            for kind, what in steps:
                step(session, kind, what)
            scene.settle(session)
        settled = dump(module_dsn, namespace)
        with database.write(namespace) as session:
            resolve.rebuild(session)
        rebuilt = dump(module_dsn, namespace)
        assert {table for table in settled if settled[table] != rebuilt[table]} == set()

    check()
