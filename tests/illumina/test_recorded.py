from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

from illumina import Memory
from illumina.errors import InvalidInputError, ModelError, ReplayError
from illumina.ids import DOCUMENT_PREFIX, public_id
from illumina.models.llm.anthropic import AnthropicModel
from illumina.models.llm.openai import OpenAIModel
from illumina.models.registry import load_language_model
from illumina.recorded import stale
from illumina.types import Chunk
from tests.illumina.models.llm.clients import PROVIDERS, client
from tests.illumina.models.llm.server import Call, ModelServer, Prose
from tests.illumina.retain.llm.answers import accept, answer, document, fact, whole
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from tests.illumina.retain.llm.answers import Extract

BODY = "We moved. They stayed."
GOOD = Call(answer(fact("We moved."), fact("They stayed.")))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_exported_calls_replay_byte_for_byte_in_a_fresh_database(
    provider: str,
    memory: Memory,
    other_dsn: str,
    extractor: Extract,
    model_server: ModelServer,
) -> None:
    (made,) = accept(memory, "acme", document(BODY))
    model_server.script = [Prose("Facts: \0 none."), GOOD]
    found = extractor("acme", provider).extract(made, whole(made))
    lines = list(memory.calls(namespace="acme").export())
    assert len(lines) == 2
    model_server.script = []  # it fails whoever asks it

    with Memory.open(other_dsn, embedder=HashingEmbedder(), extractor="verbatim") as fresh:
        (there,) = accept(fresh, "elsewhere", document(BODY))
        calls = fresh.calls(namespace="elsewhere")
        assert calls.load([*lines, ""]) == 2
        assert calls.load(lines) == 0
        only = extractor("elsewhere", provider, replay="only", database=fresh._database)
        assert only.extract(there, whole(there)) == found
        assert list(calls.export()) == lines
        assert calls.spending().calls == 0, "what is imported and replayed costs nothing"
        with pytest.raises(ReplayError, match="Input changed"):
            only.extract(there, Chunk(0, 0, 9, 0, "A text."))
    assert len(model_server.requests) == 2


def test_a_changed_prompt_shows_which_calls_it_makes_stale(
    memory: Memory,
    extractor: Extract,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (made,) = accept(memory, "acme", document(BODY))
    model_server.script = [GOOD]
    extractor("acme").extract(made, whole(made))
    extractor("acme", "openai").extract(made, whole(made))
    calls = memory.calls(namespace="acme").all()
    current = client("openai", model_server)
    assert sorted(stale(call, current) for call in calls) == [(), ("model",)]
    assert [stale(call) for call in calls] == [(), ()]
    monkeypatch.setattr("illumina.recorded.PROMPTS", frozenset({UUID(int=1)}))
    assert [stale(call) for call in calls] == [("prompt",), ("prompt",)]
    other = replace(calls[0].key, schema=UUID(int=2))
    assert stale(calls[0]._replace(key=other)) == ("prompt", "schema")


def test_a_document_knows_its_calls_and_tokens(memory: Memory, extractor: Extract, model_server: ModelServer) -> None:
    one, other = accept(memory, "acme", document(BODY), document("We moved. They stayed. Again."))
    model_server.script = [Prose(), GOOD]
    extractor("acme").extract(one, whole(one))
    extractor("acme").extract(other, whole(other))
    calls = memory.calls(namespace="acme")
    found = public_id(DOCUMENT_PREFIX, one.id)
    assert calls.usage(found, 1) == (2, 200, 40)
    assert calls.usage(found, 2) == (0, 0, 0)
    assert len(calls.all(found)) == 2
    assert len(calls.all()) == 3
    with pytest.raises(InvalidInputError):
        calls.all("fct_1")


def line(**changes: Any) -> str:
    value = {
        "model": "openai:m 0", "prompt": "0" * 32, "schema": "1" * 32, "input": "2" * 32,
        "response": {"arguments": None, "text": "", "stop": "end"}, "input_tokens": 1, "output_tokens": 1,
    }  # fmt: skip
    return json.dumps({**value, **changes})


@pytest.mark.parametrize(
    "wrong",
    [
        "{",
        "[]",
        "[" * 100_000,
        line(extra=1),
        line(prompt="xyz"),
        line(model=7),
        line(model="a\0"),
        line(input_tokens=-1),
        line(input_tokens=True),
        line(output_tokens=2**70),
        line(response={"text": ""}),
        line(response={"arguments": 7, "text": "", "stop": "end"}),
        line(response={"arguments": None, "text": "\ud800", "stop": "end"}),
        line(response={"arguments": None, "text": "", "stop": "now"}),
        line(response={"arguments": None, "text": "", "stop": ["end"]}),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_imported(memory: Memory, wrong: str) -> None:
    calls = memory.calls(namespace="acme")
    with pytest.raises(InvalidInputError, match="Line 2 is no exported call"):
        calls.load([line(), wrong])
    assert calls.all() == []
    assert calls.load([line()]) == 1


@pytest.mark.parametrize("tokens", [-1, 2**63])
def test_a_cap_that_is_none_is_refused(memory: Memory, tokens: int) -> None:
    with pytest.raises(InvalidInputError, match="cap"):
        memory.calls(namespace="acme").set_cap(tokens)


def test_a_name_stands_for_a_language_model() -> None:
    assert isinstance(load_language_model("anthropic:claude-x"), AnthropicModel)
    found = load_language_model("openai:org/model:7b")
    assert isinstance(found, OpenAIModel)
    assert found.name == "openai:org/model:7b"
    for wrong in ("", "openai", "openai:", "mistral:7b"):
        with pytest.raises(ModelError, match="names no language model"):
            load_language_model(wrong)
