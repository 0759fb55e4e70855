"""A language model at work in the whole of retaining: nothing is lost, nothing is doubled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from illumina import Memory
from illumina.errors import BudgetError, ModelRefusedError, ModelUnavailableError, ReplayError
from illumina.types import Document
from tests.clock import ManualClock
from tests.illumina.models.llm.clients import client
from tests.illumina.models.llm.server import Call, ModelServer, Prose, Status
from tests.illumina.retain.llm.answers import NOON, answer, causes, entity, fact, relation
from tests.support import HashingEmbedder, dump, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

BODY = "# Search\n\nSearch moved to its own cluster, because backfills starved it.\n\nAna knows Bo."
GOOD = Call(
    answer(
        fact("Search moved to its own cluster", entities=[entity("Search", "service")]),
        fact("backfills starved it", "Backfills starved search.", category="issue", importance="vital"),
        fact(
            "Ana knows Bo.",
            category="personal",
            entities=[entity("Ana", "person"), entity("Bo", "person")],
            relations=[relation(0, "knows", 1)],
        ),
        causal=[causes(1, 0, "because")],
    )
)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
def reading(dsn: str, model_server: ModelServer, clock: ManualClock) -> Iterator[Memory]:
    """A memory whose texts a language model reads."""
    with Memory.open(dsn, embedder=HashingEmbedder(), llm=client("anthropic", model_server), clock=clock) as memory:
        yield memory


def accounted(memory: Memory, document: str) -> dict[str, str]:
    """What became of each piece of a document, white space left out; all of it is accounted for."""
    spans = memory.account(document, namespace="acme")
    assert [span.start for span in spans] == [0, *(span.end for span in spans[:-1])]
    assert spans[-1].end == len(BODY)
    return {BODY[span.start : span.end]: span.outcome for span in spans if BODY[span.start : span.end].strip()}


def test_facts_entities_relations_and_causes_are_stored(reading: Memory, dsn: str, model_server: ModelServer) -> None:
    model_server.script = [GOOD]
    receipt = reading.retain(BODY, namespace="acme", source="notes", key="search")
    assert receipt.facts == 3
    assert rows(dsn, "select content, category, importance, section from illumina.facts order by span_start") == [
        ("Search moved to its own cluster", "architecture", "supplementary", "Search"),
        ("Backfills starved search.", "issue", "vital", "Search"),
        ("Ana knows Bo.", "personal", "supplementary", "Search"),
    ]
    assert rows(dsn, "select name from illumina.relations") == [("knows",)]
    assert rows(dsn, "select kind, cue from illumina.causal") == [("causes", "because")]
    assert accounted(reading, receipt.document_id)["# Search"] == "rejected"
    assert reading.calls(namespace="acme").usage(receipt.document_id, 1) == (1, 100, 20)

    assert reading.retain(BODY, namespace="acme", source="notes", key="search").facts == 3
    assert len(model_server.requests) == 1


def test_an_answer_that_cannot_be_used_fails_its_chunk_and_retrying_asks_anew(
    reading: Memory, dsn: str, model_server: ModelServer, clock: ManualClock
) -> None:
    model_server.script = [Prose()]
    receipt = reading.retain(BODY, namespace="acme")
    assert receipt.facts == 0
    assert set(accounted(reading, receipt.document_id).values()) == {"failed"}
    assert len(model_server.requests) == 2

    model_server.script = [Prose(), GOOD]
    assert len(reading.retry(namespace="acme")) == 1
    clock.advance(120)
    reading.worker().drain()
    assert len(model_server.requests) == 4
    assert reading.count(namespace="acme") == 3
    assert "failed" not in accounted(reading, receipt.document_id).values()
    # What was of no use is dropped, what it cost is not.
    assert reading.calls(namespace="acme").usage(receipt.document_id, 1).calls == 2
    assert reading.calls(namespace="acme").spending().calls == 4


def test_retrying_asks_anew_for_the_failed_chunks_only(reading: Memory, model_server: ModelServer, clock: ManualClock) -> None:
    first, second = "Ana knows Bo. " * 100, "Search moved. " * 100
    model_server.script = [lambda it: Prose() if "Search moved." in it.message else Call(answer(fact("Ana knows Bo.")))]
    reading.retain(f"{first}\n\n{second}", namespace="acme")
    found = reading.count(namespace="acme")
    asked = len(model_server.requests)
    assert found > 0

    model_server.script = [Call(answer(fact("Search moved.")))]
    reading.retry(namespace="acme")
    reading.worker().drain()
    again = model_server.requests[asked:]
    assert reading.count(namespace="acme") > found
    assert again
    assert all("Search moved." in request.message for request in again)


def test_a_cap_stops_with_the_text_kept(reading: Memory, model_server: ModelServer, clock: ManualClock) -> None:
    model_server.script = [GOOD]
    reading.calls(namespace="acme").set_cap(0)
    with pytest.raises(BudgetError, match="has spent 0 tokens and may spend 0"):
        reading.retain(BODY, namespace="acme", source="notes", key="search")
    assert model_server.requests == []
    assert [job.kind for job in reading.jobs(namespace="acme")] == ["extract"]

    reading.calls(namespace="acme").set_cap(1000)
    clock.advance(120)
    reading.worker().drain()
    assert reading.count(namespace="acme") == 3


def test_what_was_read_before_a_cap_was_reached_is_retained(
    reading: Memory, model_server: ModelServer, clock: ManualClock
) -> None:
    model_server.script = [GOOD, Call(answer(fact("Lunch is at noon.")))]
    reading.calls(namespace="acme").set_cap(100)
    with pytest.raises(BudgetError, match="has spent 120 tokens"):
        reading.retain_many([Document(BODY), Document("Lunch is at noon.")], namespace="acme")
    assert reading.count(namespace="acme") == 3
    reading.calls(namespace="acme").set_cap(None)
    clock.advance(120)
    reading.worker().drain()
    assert reading.count(namespace="acme") == 4
    assert len(model_server.requests) == 2


def test_a_worker_puts_a_reached_cap_off_and_gives_up_what_is_refused(
    reading: Memory, model_server: ModelServer, clock: ManualClock
) -> None:
    model_server.script = [Status(401, "authentication_error", "invalid x-api-key")]
    reading.calls(namespace="acme").set_cap(0)
    reading.retain_many([Document(BODY)], namespace="acme", later=True)
    assert reading.worker().drain().deferred == 1
    assert model_server.requests == []

    reading.calls(namespace="acme").set_cap(None)
    clock.advance(4000)
    assert reading.worker().drain().dead == 1
    assert len(model_server.requests) == 1
    (job,) = reading.jobs(namespace="acme")
    assert "Check the API key (ANTHROPIC_API_KEY)" in str(job.reason)

    model_server.script = [GOOD]
    assert len(reading.retry(namespace="acme")) == 1
    reading.worker().drain()
    assert reading.count(namespace="acme") == 3


@pytest.mark.parametrize(
    ("failure", "error"),
    [(Status(503), ModelUnavailableError), (Status(401, "authentication_error", "invalid x-api-key"), ModelRefusedError)],
)
def test_a_model_that_is_down_or_refuses_loses_nothing(
    failure: Status, error: type[Exception], reading: Memory, model_server: ModelServer, clock: ManualClock
) -> None:
    model_server.script = [failure]
    with pytest.raises(error):
        reading.retain(BODY, namespace="acme")
    assert reading.count(namespace="acme") == 0
    model_server.script = [GOOD]
    clock.advance(120)
    reading.worker().drain()
    assert reading.count(namespace="acme") == 3


def test_replaying_elsewhere_makes_the_same_database_without_the_model(
    reading: Memory, dsn: str, other_dsn: str, model_server: ModelServer, clock: ManualClock
) -> None:
    model_server.script = [Prose(), GOOD]
    reading.retain(BODY, namespace="acme", source="notes")
    calls = list(reading.calls(namespace="acme").export())
    model_server.script = []  # it fails whoever asks it

    model = client("anthropic", model_server)
    with Memory.open(other_dsn, embedder=HashingEmbedder(), llm=model, replay="only", clock=clock) as replaying:
        with pytest.raises(ReplayError, match="No call is recorded"):
            replaying.retain(BODY, namespace="acme", source="notes")
        assert replaying.calls(namespace="acme").load(calls) == 2
        for _ in ("extract", "settle"):
            clock.advance(120)
            replaying.worker().drain()
            reading.worker().drain()
        assert replaying.recall("Search", namespace="acme").to_json() == reading.recall("Search", namespace="acme").to_json()
    mine, theirs = dump(dsn), dump(other_dsn)
    assert mine.pop("spending") != theirs.pop("spending"), "replaying costs nothing"
    assert theirs == mine


def test_forgetting_takes_the_calls_along(reading: Memory, dsn: str, model_server: ModelServer) -> None:
    model_server.script = [Call(answer(fact("Lunch is at noon."))), GOOD]
    reading.retain("Lunch is at noon.", namespace="acme")
    before = dump(dsn)
    receipt = reading.retain(BODY, namespace="acme")
    assert len(dump(dsn)["calls"]) == len(dump(dsn)["call_uses"]) == 2
    reading.forget(document=receipt.document_id, namespace="acme")
    after = dump(dsn)
    assert before.pop("spending") != after.pop("spending"), "money spent stays spent"
    assert after == before
