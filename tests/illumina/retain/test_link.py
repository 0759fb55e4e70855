"""Edges: few a fact, found again from the set of facts whatever the order, the batches or what has gone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from illumina.models.base import euclidean_length
from illumina.retain import link
from illumina.retain.neighbours import Neighbours
from illumina.types import Document, Utterance
from tests.support import dump, rows, wipe

if TYPE_CHECKING:
    from illumina import Memory
    from illumina.store.nearest import Vectors

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)
WORDS = ["queue", "moved", "deploy", "train", "Thursday", "approval", "ingestion", "漢字"]


def at(minutes: int) -> datetime:
    return NINE + timedelta(minutes=minutes)


def edges(dsn: str, kind: str) -> set[tuple[str, str]]:
    return {
        (source, target)
        for source, target in rows(
            dsn,
            "select a.content, b.content from illumina.links l join illumina.facts a on a.fact = l.source "
            "join illumina.facts b on b.fact = l.target where l.kind = %s",
            [kind],
        )
    }


def test_facts_are_linked_to_those_that_come_next_within_a_day(memory: Memory, dsn: str) -> None:
    for name, minutes in (("first", 0), ("second", 10), ("fourth", 30), ("next week", 10_000)):
        memory.retain(name, occurred_at=at(minutes))
    memory.retain("never")
    assert edges(dsn, "temporal") == {("first", "second"), ("first", "fourth"), ("second", "fourth")}
    memory.retain("third", occurred_at=at(20))
    assert edges(dsn, "temporal") == {
        ("first", "second"), ("first", "third"), ("second", "third"), ("second", "fourth"), ("third", "fourth"),
    }  # fmt: skip
    weights = rows(dsn, "select weight, evidence from illumina.links where kind = 'temporal' order by weight desc")
    assert weights[0] == (round(1 / (1 + 600 / 3600), 9), {"seconds": 600})


def test_a_new_fact_takes_the_place_of_a_farther_neighbour_and_gives_it_back(memory: Memory, dsn: str) -> None:
    for n in range(link.SEMANTIC_LINKS):
        memory.retain(f"queue moved deploy train other{n}")
    memory.retain("queue moved deploy train", key="centre")
    before = dump(dsn)
    receipt = memory.retain("queue moved deploy train", key="copy", source="mail")
    centre = "queue moved deploy train"
    assert (centre, centre) in edges(dsn, "semantic")
    counts = rows(dsn, "select count(*) from illumina.links where kind = 'semantic' group by source")
    assert max(count for (count,) in counts) == link.SEMANTIC_LINKS
    memory.forget(document=receipt.document_id)
    assert dump(dsn) == before


def test_causes_and_caused_by_are_two_views_of_one_edge(memory: Memory, dsn: str) -> None:
    memory.retain([Utterance("The disk filled."), Utterance("The service stopped.")], key="k")
    (cause, effect) = (fact for (fact,) in rows(dsn, "select fact from illumina.facts order by ordinal"))
    with memory._database.write("default") as session:
        session.execute(
            "insert into illumina.causal values (%(namespace)s, %(cause)s, %(effect)s, 'causes', 'so')",
            {"cause": cause, "effect": effect},
        )
    memory.rebuild()
    views = [[(edge.kind, edge.target, edge.weight) for edge in memory.links(f"fct_{fact.hex}")] for fact in (cause, effect)]
    assert views == [[("causes", effect, 1.0)], [("caused_by", cause, 1.0)]]


@given(
    facts=st.lists(
        st.tuples(st.lists(st.sampled_from(WORDS), min_size=2, max_size=5), st.integers(0, 400)), min_size=1, max_size=24
    ),
    data=st.data(),
)
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_order_and_any_batches_and_what_has_gone_leave_no_trace(
    facts: list[tuple[list[str], int]], data: st.DataObject, shared: Memory, module_dsn: str
) -> None:
    documents = [Document(f"{' '.join(words)} {n}", key=str(n), occurred_at=at(when)) for n, (words, when) in enumerate(facts)]
    gone = [
        Document(f"{' '.join(words)} gone", key=f"gone {n}", occurred_at=at(when)) for n, (words, when) in enumerate(facts[:5])
    ]
    wipe(module_dsn)
    shared.retain_many(documents)
    expected = dump(module_dsn)
    shared.rebuild()
    assert dump(module_dsn) == expected

    wipe(module_dsn)
    shuffled = data.draw(st.permutations([*documents, *gone]))
    receipts = {}
    while shuffled:
        size = data.draw(st.integers(1, len(shuffled)))
        for document, receipt in zip(shuffled[:size], shared.retain_many(shuffled[:size]), strict=True):
            receipts[document.key] = receipt.document_id
        shuffled = shuffled[size:]
    for document in data.draw(st.permutations(gone)):
        shared.forget(document=receipts[document.key])
    assert dump(module_dsn) == expected


def vectors(facts: list[UUID], matrix: Any) -> Vectors:
    return facts, matrix.astype(np.float32), np.array([euclidean_length(row) for row in matrix])


@given(st.lists(st.lists(st.integers(-3, 3), min_size=4, max_size=4).filter(any), min_size=2, max_size=40), st.data())
def test_neighbours_are_those_of_a_sort(grid: list[list[int]], data: st.DataObject) -> None:
    facts = sorted(UUID(int=data.draw(st.integers(0, 2**128 - 1))) for _ in grid)
    if len(set(facts)) < len(facts):
        return
    matrix = np.array(grid, dtype=np.int8)
    split = data.draw(st.integers(1, len(facts)))
    ours = vectors(facts[:split], matrix[:split])
    new = set(data.draw(st.lists(st.sampled_from(facts[:split]), max_size=4)))
    near = Neighbours(ours, new, most=2, least=0.5)
    page = data.draw(st.integers(1, len(facts)))
    for start in range(0, len(facts), page):
        near.compare(vectors(facts[start : start + page], matrix[start : start + page]))

    def best(place: int, among: list[int]) -> dict[UUID, float]:
        wide = matrix.astype(np.int64)
        found = []
        for other in among:
            length = euclidean_length(matrix[place]) * euclidean_length(matrix[other])
            cosine = min(float(np.round(int(wide[place] @ wide[other]) / length, 9)), 1.0)
            if other != place and cosine >= 0.5:
                found.append((-cosine, facts[other]))
        return {fact: -cosine for cosine, fact in sorted(found)[:2]}

    everyone = list(range(len(facts)))
    expected = [(facts[place], other, weight) for place in range(split) for other, weight in best(place, everyone).items()]
    assert sorted(near.found()) == sorted(expected)
    offered = near.offered()
    for place in range(split, len(facts)):
        wanted = best(place, [other for other in range(split) if facts[other] in new])
        found = sorted(offered.get(facts[place], {}).items(), key=lambda pair: (-pair[1], pair[0]))[:2]
        assert dict(found) == wanted
