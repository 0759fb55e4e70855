from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from illumina.errors import BudgetError, IlluminaError, ModelRefusedError, ModelUnavailableError, ReplayError
from illumina.models.llm.base import Tool
from illumina.models.llm.prompt import Prompt
from illumina.models.llm.recorder import Recorder
from illumina.store import calls as store
from illumina.store import documents as ledger
from illumina.store.calls import Use
from tests.clock import ManualClock
from tests.illumina.models.llm.clients import PROVIDERS, client
from tests.illumina.models.llm.server import Call, ModelServer, Request, Slow, Status
from tests.illumina.retain.llm.answers import NOON, accept, document
from tests.support import rows

if TYPE_CHECKING:
    from illumina import Memory
    from illumina.models.llm.recorder import Replay

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": False}
TOOL = Tool("note", "Takes a note.", SCHEMA)
PROMPT = Prompt(1, "Be brief.", "Note $text, $mark.", " Not $answer: $problem, $mark.")
GONE = Use(UUID(int=1), 1, 0)


def recorder(
    memory: Memory, server: ModelServer, provider: str = "openai", *, replay: Replay = "record", model: str = "model-a"
) -> Recorder:
    asked = client(provider, server, model=model)
    return Recorder(memory._database, "acme", asked, clock=ManualClock(NOON), replay=replay)


def use(memory: Memory, body: str = "A text.", chunk: int = 0) -> Use:
    (made,) = accept(memory, "acme", document(body))
    return Use(made.id, made.version, chunk)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_call_is_made_once_and_replayed_byte_for_byte(provider: str, memory: Memory, model_server: ModelServer) -> None:
    here = use(memory)
    model_server.script = [Call({"text": "a \0 \ud83d \u00e9", "b": 1e-7}, prose="a \0 b")]
    first = recorder(memory, model_server, provider).ask(PROMPT, TOOL, {"text": "x"}, here)
    model_server.script = []
    again = recorder(memory, model_server, provider).ask(PROMPT, TOOL, {"text": "x"}, here)
    only = recorder(memory, model_server, provider, replay="only").ask(PROMPT, TOOL, {"text": "x"}, here)
    assert first == again == only
    assert first.arguments == '{"b":1e-07,"text":"a \\u0000 \\ud83d \\u00e9"}'
    assert len(model_server.requests) == 1
    assert memory.calls(namespace="acme").spending() == (1, 100, 20, None), "replayed answers cost nothing"


def test_what_differs_in_any_part_is_another_call(memory: Memory, model_server: ModelServer) -> None:
    here = use(memory)
    model_server.script = [Call({"text": "y"})]
    asker = recorder(memory, model_server)
    asker.ask(PROMPT, TOOL, {"text": "x"}, here)
    asker.ask(PROMPT, TOOL, {"text": "z"}, here)
    asker.ask(PROMPT, TOOL, {"text": "x"}, here, {"problem": "p", "answer": "a"})
    asker.ask(replace(PROMPT, system="Be verbose."), TOOL, {"text": "x"}, here)
    asker.ask(PROMPT, replace(TOOL, description="Takes notes."), {"text": "x"}, here)
    recorder(memory, model_server, model="model-b").ask(PROMPT, TOOL, {"text": "x"}, here)
    recorder(memory, model_server, "anthropic").ask(PROMPT, TOOL, {"text": "x"}, here)
    assert len(model_server.requests) == len(memory.calls(namespace="acme").all()) == 7


def test_replay_only_says_what_changed(memory: Memory, model_server: ModelServer) -> None:
    here = use(memory)
    only = recorder(memory, model_server, replay="only")
    with pytest.raises(ReplayError, match="No call is recorded in this namespace"):
        only.ask(PROMPT, TOOL, {"text": "0"}, here)
    model_server.script = [Call({"text": "y"})]
    asker = recorder(memory, model_server)
    for number in range(3):
        asker.ask(PROMPT, TOOL, {"text": str(number)}, here)
    other_prompt, other_tool = replace(PROMPT, version=2), replace(TOOL, name="jot")
    other_model = recorder(memory, model_server, replay="only", model="model-b")
    for asked, prompt, tool, text, said in (
        (only, other_prompt, TOOL, "1", "Prompt changed: 1 recorded calls have another prompt and"),
        (only, PROMPT, other_tool, "1", "Schema changed: 1 recorded calls have another schema and"),
        (other_model, PROMPT, TOOL, "1", "Model changed: 1 recorded calls have another model and"),
        (only, PROMPT, TOOL, "9", "Input changed: 3 recorded calls have another input and"),
        (only, other_prompt, other_tool, "1", "Prompt and schema changed: 1 recorded calls"),
        (other_model, other_prompt, TOOL, "9", "Model and prompt and input changed: 3 recorded"),
    ):
        with pytest.raises(ReplayError, match=rf"{said}.*illumina calls import"):
            asked.ask(prompt, tool, {"text": text}, here)
    assert len(model_server.requests) == 3


def test_no_connection_is_held_while_the_model_answers(memory: Memory, dsn: str, model_server: ModelServer) -> None:
    busy: list[object] = []

    def look(_: Request) -> Call:
        busy.extend(
            rows(dsn, "select state from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() "
                      "and backend_type = 'client backend' and state <> 'idle'")
        )  # fmt: skip
        stats = memory._database._pool.get_stats()
        busy.extend([] if stats["pool_available"] == stats["pool_size"] else [stats])
        return Call({"text": "y"})

    model_server.script = [look]
    recorder(memory, model_server).ask(PROMPT, TOOL, {"text": "x"}, use(memory))
    assert len(model_server.requests) == 1
    assert busy == []


def test_of_answers_that_race_the_first_stands_and_all_are_paid_for(memory: Memory, model_server: ModelServer) -> None:
    here = use(memory)
    numbers = count()
    model_server.script = [lambda _: Slow(0.2, Call({"text": str(next(numbers))}))]
    asker = recorder(memory, model_server)
    with ThreadPoolExecutor(6) as pool:
        replies = list(pool.map(lambda _: asker.ask(PROMPT, TOOL, {"text": "x"}, here), range(6)))
    assert len({reply.arguments for reply in replies}) == 1
    spent = memory.calls(namespace="acme").spending()
    assert spent.calls == len(model_server.requests) >= 2
    assert (spent.input_tokens, spent.output_tokens) == (100 * spent.calls, 20 * spent.calls)


def test_many_workers_count_exactly(memory: Memory, model_server: ModelServer) -> None:
    here = use(memory)
    model_server.script = [Call({"text": "y"})]
    askers = [recorder(memory, model_server), recorder(memory, model_server, "anthropic")]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda n: askers[n % 2].ask(PROMPT, TOOL, {"text": f"{n}"}, here._replace(chunk=n % 5)), range(40)))
    assert memory.calls(namespace="acme").spending() == (40, 4000, 800, None)
    with memory._database.read("acme") as session:
        assert store.usage(session, here.document, here.version) == (40, 4000, 800)


def test_a_cap_stops_before_a_call_begins_beyond_it(memory: Memory, model_server: ModelServer) -> None:
    here = use(memory)
    calls = memory.calls(namespace="acme")
    calls.set_cap(240)
    model_server.script = [Call({"text": "y"})]
    asker = recorder(memory, model_server)
    asker.ask(PROMPT, TOOL, {"text": "1"}, here)
    asker.ask(PROMPT, TOOL, {"text": "2"}, here)
    with pytest.raises(BudgetError, match=r"'acme' has spent 240 tokens and may spend 240.*illumina budget"):
        asker.ask(PROMPT, TOOL, {"text": "3"}, here)
    assert len(model_server.requests) == 2
    asker.ask(PROMPT, TOOL, {"text": "1"}, here)  # what is recorded costs nothing
    calls.set_cap(None)
    asker.ask(PROMPT, TOOL, {"text": "3"}, here)
    assert calls.spending() == (3, 300, 60, None)
    calls.set_cap(0)
    with pytest.raises(BudgetError):
        asker.ask(PROMPT, TOOL, {"text": "4"}, here)
    other = Recorder(memory._database, "other", asker.model, clock=ManualClock(NOON))
    assert other.ask(PROMPT, TOOL, {"text": "4"}, GONE).stop == "tool", "a cap is its namespace's own"


def test_errors_that_a_job_must_not_retry_are_no_passing_ones() -> None:
    for error in (BudgetError, ReplayError, ModelRefusedError):
        assert issubclass(error, IlluminaError)
        assert not issubclass(error, ModelUnavailableError)


def test_what_fails_leaves_no_record(memory: Memory, model_server: ModelServer) -> None:
    here = use(memory)
    model_server.script = [Status(400, "invalid_request_error", "No.")]
    with pytest.raises(ModelRefusedError):
        recorder(memory, model_server).ask(PROMPT, TOOL, {"text": "x"}, here)
    assert memory.calls(namespace="acme").all() == []
    assert memory.calls(namespace="acme").spending() == (0, 0, 0, None)


def test_a_document_that_is_forgotten_meanwhile_leaves_only_what_it_cost(
    memory: Memory, dsn: str, model_server: ModelServer
) -> None:
    model_server.script = [Call({"text": "y"})]
    assert recorder(memory, model_server).ask(PROMPT, TOOL, {"text": "x"}, GONE).arguments == '{"text":"y"}'
    assert memory.calls(namespace="acme").all() == []
    assert rows(dsn, "select count(*) from illumina.call_uses") == [(0,)]
    assert memory.calls(namespace="acme").spending() == (1, 100, 20, None)


def test_a_call_goes_with_its_last_use(memory: Memory, dsn: str, model_server: ModelServer) -> None:
    one, other = use(memory, "One text."), use(memory, "Another text.")
    model_server.script = [Call({"text": "y"})]
    asker = recorder(memory, model_server)
    for where in (one, one._replace(chunk=1), other):
        asker.ask(PROMPT, TOOL, {"text": "shared"}, where)
    asker.ask(PROMPT, TOOL, {"text": "own"}, one._replace(chunk=1))
    lines = list(memory.calls(namespace="acme").export())
    unused = json.loads(lines[0]) | {"model": "openai:other 0"}
    memory.calls(namespace="acme").load([json.dumps(unused)])

    def release(documents: list[UUID]) -> dict[str, int]:
        with memory._database.write("acme") as session:
            ledger.lock_namespace(session)
            return dict(store.release(session, documents))

    assert release([one.document]) == {"call_uses": 3, "calls": 1}, "the other document's call stays"
    assert release([one.document]) == {"call_uses": 0, "calls": 0}
    assert release([other.document]) == {"call_uses": 1, "calls": 1}
    assert rows(dsn, "select model from illumina.calls") == [("openai:other 0",)], "what is imported waits for its use"
    assert memory.calls(namespace="acme").spending().calls == 2, "money spent stays spent"


def test_namespaces_do_not_see_each_others_calls(memory: Memory, model_server: ModelServer) -> None:
    model_server.script = [Call({"text": "y"})]
    recorder(memory, model_server).ask(PROMPT, TOOL, {"text": "x"}, use(memory))
    assert memory.calls(namespace="other").all() == []
    assert memory.calls(namespace="other").spending() == (0, 0, 0, None)
    model = client("openai", model_server)
    with pytest.raises(ReplayError, match="No call is recorded"):
        Recorder(memory._database, "other", model, clock=ManualClock(NOON), replay="only").ask(
            PROMPT, TOOL, {"text": "x"}, GONE
        )
