"""What was believed at a time: the bytes of a memory to which only that had been said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from illumina import Document, Filter, Memory
from illumina.errors import InvalidInputError
from tests.clock import ManualClock
from tests.support import HashingEmbedder, dump

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from illumina.types import Answer

QUESTIONS = ("Where is the index stored?", "Who owns the queue?", "timeout", "Kafka or RabbitMQ")


def day(number: int) -> datetime:
    return datetime(2026, 3, number, 9, tzinfo=UTC)


@pytest.fixture
def memory(dsn: str, embedder: HashingEmbedder) -> Iterator[Memory]:
    with Memory.open(dsn, embedder=embedder, extractor="builtin", clock=ManualClock()) as opened:
        yield opened


@pytest.fixture
def earlier(other_dsn: str, embedder: HashingEmbedder) -> Iterator[Memory]:
    with Memory.open(other_dsn, embedder=embedder, extractor="builtin", clock=ManualClock()) as opened:
        yield opened


def contents(answer: Answer) -> set[str]:
    return {result.content for result in answer.results}


def test_what_was_superseded_later_was_believed_before(memory: Memory) -> None:
    memory.retain("The timeout is 30 seconds.", key="1", occurred_at=day(1))
    memory.retain("The timeout is 60 seconds.", key="2", occurred_at=day(5))
    assert contents(memory.recall("timeout")) == {"The timeout is 60 seconds."}
    assert contents(memory.recall("timeout", as_of=day(3))) == {"The timeout is 30 seconds."}
    assert contents(memory.recall("timeout", as_of=day(1) - timedelta(seconds=1))) == set()
    now = memory.recall("timeout", as_of=day(5))
    assert now.to_json() == memory.recall("timeout").to_json()
    assert len(now.results[0].replaces) == 1


def test_what_an_older_version_said_was_believed_until_the_newer(memory: Memory) -> None:
    memory.retain("Ana owns the queue. Bo owns the wiki.", key="team", occurred_at=day(1))
    memory.retain("Bo owns the wiki. Mei owns the index.", key="team", occurred_at=day(5))
    assert contents(memory.recall("owns", as_of=day(2))) == {"Ana owns the queue.", "Bo owns the wiki."}
    assert contents(memory.recall("owns", as_of=day(6))) == {"Bo owns the wiki.", "Mei owns the index."}
    assert all(result.arms == ("semantic", "lexical") for result in memory.recall("owns queue", as_of=day(2)).results[:1])


def test_a_fact_that_comes_back_needs_no_vector_again(dsn: str) -> None:
    model = HashingEmbedder()
    with Memory.open(dsn, embedder=model, extractor="builtin", clock=ManualClock()) as memory:
        memory.retain("Ana owns the queue. Bo owns the wiki.", key="team")
        memory.retain("Bo owns the wiki.", key="team")
        before = dump(dsn)
        memory.rebuild()
        assert dump(dsn) == before
        with patch.object(model, "embed_documents", wraps=model.embed_documents) as asked:
            memory.retain("Bo owns the wiki. Ana owns the queue.", key="team")
        assert not asked.called, asked.call_args
        assert memory.recall("queue", limit=1).results[0].content == "Ana owns the queue."


def test_what_bears_no_time_is_believed_from_when_it_was_recorded(dsn: str, embedder: HashingEmbedder) -> None:
    clock = ManualClock()
    with Memory.open(dsn, embedder=embedder, extractor="builtin", clock=clock) as memory:
        memory.retain("Ana owns the queue.")
        assert contents(memory.recall("queue", as_of=clock.now() - timedelta(seconds=1))) == set()
        assert contents(memory.recall("queue", as_of=clock.now())) == {"Ana owns the queue."}


def test_late_history_ends_what_was_said_before_it(memory: Memory) -> None:
    """What is told last may have happened first: then something else had ended the fact in the meantime."""
    memory.retain("The timeout is 30 seconds.", key="1", occurred_at=day(1))
    memory.retain("The timeout is 90 seconds.", key="3", occurred_at=day(8))
    memory.retain("On 4 March 2026 the timeout is 60 seconds.", key="2", occurred_at=day(20))
    assert contents(memory.recall("timeout", as_of=day(9))) == {"The timeout is 90 seconds."}
    assert contents(memory.recall("timeout", as_of=day(2))) == {"The timeout is 30 seconds."}


def test_a_correction_counts_from_when_it_was_made(dsn: str, embedder: HashingEmbedder) -> None:
    clock = ManualClock()
    with Memory.open(dsn, embedder=embedder, extractor="builtin", clock=clock) as memory:
        memory.retain("Ana owns the queue.", key="1", occurred_at=day(1))
        wrong = memory.recall("queue").results[0].id
        memory.correct(wrong, "Bo owns the queue.")
        made = clock.now()
        assert contents(memory.recall("queue", as_of=made - timedelta(seconds=1))) == {"Ana owns the queue."}
        assert contents(memory.recall("queue", as_of=made)) == {"Bo owns the queue."}


def test_filters_and_visibility_hold_in_the_past(memory: Memory) -> None:
    memory.retain("The timeout is 30 seconds.", key="1", source="wiki", occurred_at=day(1))
    memory.retain(
        "The timeout of my agent is 5 seconds.", key="2", source="mine", occurred_at=day(1), agent="a", visibility="agent"
    )
    memory.retain("The timeout is 60 seconds.", key="3", source="chat", occurred_at=day(5))
    assert contents(memory.recall("timeout", as_of=day(2))) == {"The timeout is 30 seconds."}
    assert len(memory.recall("timeout", as_of=day(2), agent="a").results) == 2
    assert memory.recall("timeout", as_of=day(2), wanted=Filter(sources=["chat"])).results == ()


def test_a_time_needs_a_zone(memory: Memory) -> None:
    with pytest.raises(InvalidInputError, match="without a time zone"):
        memory.recall("timeout", as_of=datetime(2026, 3, 1))  # noqa: DTZ001 - what is refused


STATEMENTS = (
    "The timeout is {n} seconds.",
    "Ana owns the queue.",
    "Bo owns the queue.",
    "The index is stored in Redis.",
    "The index is stored in PostgreSQL.",
    "We use RabbitMQ for events.",
    "We no longer use RabbitMQ for events.",
    "The release is on {n} May.",
)
EXAMPLES = count()
histories = st.lists(
    st.tuples(st.sampled_from(STATEMENTS), st.integers(1, 4), st.integers(1, 9), st.sampled_from(["wiki", "chat"])),
    min_size=1,
    max_size=8,
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=histories, then=st.integers(1, 9), order=st.randoms(use_true_random=False))
def test_the_past_is_a_memory_of_what_had_been_said(
    memory: Memory, earlier: Memory, history: list[tuple[str, int, int, str]], then: int, order: Random
) -> None:
    documents = [
        Document(text.format(n=n), source, f"{number}", day(said)) for number, (text, n, said, source) in enumerate(history)
    ]
    order.shuffle(documents)
    name = f"example-{next(EXAMPLES)}"
    memory.retain_many(documents, namespace=name)
    earlier.retain_many([one for one in documents if one.occurred_at and one.occurred_at <= day(then)], namespace=name)
    for question in QUESTIONS:
        past = memory.recall(question, namespace=name, as_of=day(then), explain=True).to_dict()["results"]
        assert past == earlier.recall(question, namespace=name, explain=True).to_dict()["results"]
