"""What is wanted, and what may be seen: the same in every arm, and no trace of the rest."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from illumina import Document, Filter, Memory, Utterance
from illumina.errors import InvalidInputError
from illumina.settings import Ranking
from illumina.types import Answer
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator


def day(number: int) -> datetime:
    return datetime(2026, 3, number, 9, tzinfo=UTC)


DOCUMENTS = [
    Document("We decided to move the queue to Kafka.", "adr", "1", day(1), pods=["platform", "ingest"], agent="scribe"),
    Document("Maybe the queue will be replaced.", "chat", "2", day(2), pods=["ingest"], device="laptop"),
    Document([Utterance("The queue failed on 1 March 2026.", "Ana")], "chat", "3", day(9)),
    Document("The queue owner is Sarah Chen.", "chat", "4"),
    Document("The queue password hint is blue.", "chat", "5", day(3), agent="scribe", visibility="agent"),
    Document("The queue of my laptop is full.", "chat", "6", day(3), device="laptop", visibility="device"),
    Document("We decided to move the queue to Kafka.", "private", "7", day(1), agent="scribe", visibility="agent"),
]


@pytest.fixture(params=[100_000, 1], ids=["scanned", "indexed"])
def memory(request: pytest.FixtureRequest, dsn: str, embedder: HashingEmbedder) -> Iterator[Memory]:
    ranking = Ranking(exact_scan_limit=request.param)
    with Memory.open(dsn, embedder=embedder, extractor="builtin", ranking=ranking) as opened:
        opened.retain_many(DOCUMENTS)
        opened.build_index()
        yield opened


def keys(answer: Answer) -> set[str | None]:
    return {result.document for result in answer.results}


@pytest.mark.parametrize("arm", ["semantic", "lexical"])
@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, {"1", "2", "3", "4"}),
        ({"categories": ["decision"]}, {"1"}),
        ({"confidence": ["low", "medium"]}, {"2"}),
        ({"importance": "vital"}, {"1"}),
        ({"sources": ["adr", "mail"]}, {"1"}),
        ({"agents": ["scribe"]}, {"1"}),
        ({"devices": ["laptop"]}, {"2"}),
        ({"pods": ["ingest"]}, {"1", "2"}),
        ({"pods": []}, set()),
        ({"lifecycle": ["stable"]}, set()),
        ({"since": day(2)}, {"2"}),
        ({"until": day(2)}, {"1", "3"}),
        ({"since": day(1), "until": day(2), "sources": ["chat"]}, {"3"}),
    ],
)
def test_only_what_is_wanted_is_found(memory: Memory, arm: str, wanted: dict[str, Any], expected: set[str]) -> None:
    assert keys(memory.recall("queue", components=[arm], wanted=Filter(**wanted))) == expected


def test_facts_about_an_entity(memory: Memory, dsn: str) -> None:
    with memory._database.read("default") as session:
        found = session.execute(
            "select entity from illumina.entities where namespace = %(namespace)s and name = 'Sarah Chen'"
        ).fetchone()
    assert found is not None
    assert keys(memory.recall("queue", wanted=Filter(entities=[f"ent_{found[0].hex}"]))) == {"4"}


@pytest.mark.parametrize("arm", ["semantic", "lexical"])
def test_what_is_not_shared_is_seen_by_its_agent_or_device_only(memory: Memory, arm: str) -> None:
    assert keys(memory.recall("queue", components=[arm], agent="scribe")) == {"1", "2", "3", "4", "5", "7"}
    assert keys(memory.recall("queue", components=[arm], device="laptop")) == {"1", "2", "3", "4", "6"}
    assert keys(memory.recall("queue", components=[arm], agent="other", device="phone")) == {"1", "2", "3", "4"}


def test_an_unseen_origin_does_not_corroborate(memory: Memory) -> None:
    def best(agent: str | None) -> int:
        return memory.recall("decided to move the queue to Kafka", agent=agent).results[0].corroboration

    assert best(None) == 1
    assert best("scribe") == 2


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"categories": ["gossip"]}, "none of the categories that there are: preference"),
        ({"confidence": "low"}, "confidence is the string 'low'. Pass a list"),
        ({"since": datetime(2026, 3, 1)}, "since is .* without a time zone"),  # noqa: DTZ001
        ({"entities": ["Sarah"]}, "no id of the form ent_"),
    ],
)
def test_a_filter_that_can_match_nothing_is_refused(memory: Memory, wanted: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        memory.recall("queue", wanted=Filter(**wanted))
