from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from time import monotonic
from typing import Any

import pytest

from illumina.errors import ModelError, ModelRefusedError, ModelUnavailableError
from illumina.models.llm.anthropic import AnthropicModel
from illumina.models.llm.base import Tool, clean, estimate_tokens, reply
from illumina.models.llm.openai import OpenAIModel
from illumina.models.llm.perseverance import Patience
from tests.illumina.models.llm.clients import HASTY, PROVIDERS, client
from tests.illumina.models.llm.server import Call, ModelServer, Prose, Raw, Reset, Slow, Status

TOOL = Tool(
    "note",
    "Takes a note.",
    {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": False},
)
each = pytest.mark.parametrize("provider", PROVIDERS)


@each
def test_the_tool_is_forced_and_its_input_comes_back(provider: str, model_server: ModelServer) -> None:
    model_server.script = [Call({"text": "héllo", "also": [1, None]}, prose="Gladly.")]
    answer = client(provider, model_server).call("Be brief.", "Note hello.", TOOL)
    assert answer == reply({"also": [1, None], "text": "héllo"}, "Gladly.", "tool", 100, 20)
    assert answer.arguments == '{"also":[1,null],"text":"h\\u00e9llo"}'
    (request,) = model_server.requests
    assert (request.system, request.message) == ("Be brief.", "Note hello.")
    assert "note" in str(request.body["tool_choice"])


def test_both_providers_give_the_same_reply_for_the_same_answer(model_server: ModelServer) -> None:
    answers: list[Call | Prose] = [
        Call({"text": "a \0 and \ud800", "z": 1.5, "a": {"c": True, "b": []}}),
        Call({"text": "x"}, times=2),
        Call(raw='{"text": "x', cut=True),
        Prose("No."),
        Prose("I cannot help with that.", refused=True),
        Prose("Well, the", cut=True),
    ]
    replies: dict[str, list[Any]] = {}
    for provider in PROVIDERS:
        for answer in answers:
            model_server.script = [answer]
            found = client(provider, model_server).call("s", "m", TOOL)
            cut = isinstance(answer, Call) and answer.cut
            replies.setdefault(provider, []).append(found.stop if cut else found)
    assert replies["anthropic"] == replies["openai"]
    assert [getattr(found, "stop", found) for found in replies["openai"]] == [
        "tool",
        "tool",
        "length",
        "end",
        "refused",
        "length",
    ]
    assert replies["openai"][1].arguments is None, "two calls are none"


@each
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_passes_is_tried_again(provider: str, status: int, model_server: ModelServer) -> None:
    model_server.script = [Status(status, "overloaded_error", "Overloaded"), Status(status), Call({"text": "x"})]
    assert client(provider, model_server).call("s", "m", TOOL).stop == "tool"
    assert len(model_server.requests) == 3


@each
def test_what_does_not_pass_in_time_is_unavailable(provider: str, model_server: ModelServer) -> None:
    model_server.script = [Status(529, "overloaded_error", "Overloaded")]
    with pytest.raises(ModelUnavailableError, match=r"model-a did not answer in 3 attempts: .*Overloaded.*may succeed later"):
        client(provider, model_server).call("s", "m", TOOL)
    assert len(model_server.requests) == 3


@each
@pytest.mark.parametrize(
    ("status", "mend"), [(400, "Mend the request"), (403, "API_KEY"), (404, "Name a model"), (413, "too long"), (422, "Mend")]
)
def test_what_is_refused_for_good_is_asked_once(provider: str, status: int, mend: str, model_server: ModelServer) -> None:
    model_server.script = [Status(status, "invalid_request_error", "That is not possible.")]
    with pytest.raises(ModelRefusedError, match=rf"That is not possible.*{mend}"):
        client(provider, model_server).call("s", "m", TOOL)
    assert len(model_server.requests) == 1


@each
def test_a_wrong_model_is_refused_by_the_server(provider: str, model_server: ModelServer) -> None:
    with pytest.raises(ModelRefusedError, match=r"404.*no-such-model.*Name a model that this server has"):
        client(provider, model_server, model="no-such-model").call("s", "m", TOOL)


@each
def test_a_wrong_key_is_refused_by_the_server_and_not_shown(provider: str, model_server: ModelServer) -> None:
    with pytest.raises(ModelRefusedError, match=rf"401.*{provider.upper()}_API_KEY") as caught:
        client(provider, model_server, key="sk-secret-key").call("s", "m", TOOL)
    assert "sk-secret-key" not in str(caught.value)


@each
def test_key_and_address_come_from_the_environment(
    provider: str, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", "test-key-0123456789")
    monkeypatch.setenv(f"{provider.upper()}_BASE_URL", model_server.url + ("/v1" if provider == "openai" else ""))
    model_server.script = [Call({"text": "x"})]
    with (AnthropicModel if provider == "anthropic" else OpenAIModel)("model-a", patience=HASTY) as model:
        assert model.call("s", "m", TOOL).stop == "tool"
        model.close()
        assert model.call("s", "m", TOOL).stop == "tool", "it can be asked again"


@pytest.mark.parametrize("make", [AnthropicModel, OpenAIModel])
def test_without_a_key_nothing_is_asked_and_the_mend_is_named(
    make: type[AnthropicModel | OpenAIModel], model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    model = make("model-a")
    assert model.name.endswith(":model-a"), "neither name nor fingerprint needs a key"
    assert len(model.fingerprint) == 32
    with pytest.raises(ModelRefusedError, match=r"needs an API key\. Set [A-Z]+_API_KEY"):
        model.call("s", "m", TOOL)


def test_a_server_of_ones_own_may_ask_for_no_key(model_server: ModelServer) -> None:
    with pytest.raises(ModelRefusedError, match="401"):  # this one does ask
        client("openai", model_server, key=None).call("s", "m", TOOL)


@each
@pytest.mark.parametrize("value", ["0.3", "date"])
def test_the_server_says_how_long_to_wait(provider: str, value: str, model_server: ModelServer) -> None:
    headers = {"retry-after": value}
    if value == "date":
        headers = {"retry-after": "Mon, 02 Mar 2026 09:00:01 GMT", "date": "Mon, 02 Mar 2026 09:00:00 GMT"}
    model_server.script = [Status(429, "rate_limit_error", "Slow down.", headers), Call({"text": "x"})]
    started = monotonic()
    assert client(provider, model_server).call("s", "m", TOOL).stop == "tool"
    assert 0.3 <= monotonic() - started < 4


@each
def test_a_wait_beyond_the_deadline_is_not_waited(provider: str, model_server: ModelServer) -> None:
    model_server.script = [Status(429, "rate_limit_error", "Slow down.", {"retry-after": "60"})]
    started = monotonic()
    with pytest.raises(ModelUnavailableError, match="asks to wait 60 s"):
        client(provider, model_server).call("s", "m", TOOL)
    assert monotonic() - started < 4
    assert len(model_server.requests) == 1


@each
def test_a_slow_answer_is_given_up_and_asked_again(provider: str, model_server: ModelServer) -> None:
    model_server.script = [Slow(1.0, Call({"text": "late"})), Call({"text": "x"})]
    answer = client(provider, model_server, patience=replace(HASTY, timeout=0.2)).call("s", "m", TOOL)
    assert answer.arguments == '{"text":"x"}'


@each
def test_an_answer_that_comes_byte_by_byte_is_given_up_too(provider: str, model_server: ModelServer) -> None:
    model_server.script = [Slow(0.01, Call({"text": "late" * 200}), trickle=True)]
    started = monotonic()
    with pytest.raises(ModelUnavailableError, match=r"no answer within 0\.3 s"):
        client(provider, model_server, patience=replace(HASTY, timeout=0.3, attempts=2)).call("s", "m", TOOL)
    assert monotonic() - started < 4


@each
def test_the_deadline_ends_all_attempts(provider: str, model_server: ModelServer) -> None:
    model_server.script = [Slow(2.0, Call({"text": "late"}))]
    patience = Patience(attempts=100, deadline=1.2, timeout=0.5, wait_initial=0.01, wait_max=0.02, wait_jitter=0)
    started = monotonic()
    with pytest.raises(ModelUnavailableError):
        client(provider, model_server, patience=patience).call("s", "m", TOOL)
    assert 1.0 < monotonic() - started < 3
    assert 2 <= len(model_server.requests) <= 3


@each
def test_a_reset_connection_is_tried_again(provider: str, model_server: ModelServer) -> None:
    model_server.script = [Reset(), Reset(), Call({"text": "x"})]
    assert client(provider, model_server).call("s", "m", TOOL).stop == "tool"


@each
@pytest.mark.parametrize(
    "raw",
    [
        Raw(b"<html>Bad gateway</html>", "text/html"),
        Raw(b'{"id": "msg'),
        Raw(b'{"unexpected": true}'),
        Raw(b"[]"),
        Raw(b'{"choices": [], "content": null, "usage": null}'),
    ],
)
def test_an_answer_of_no_such_api_passes(provider: str, raw: Raw, model_server: ModelServer) -> None:
    model_server.script = [raw]
    with pytest.raises(ModelUnavailableError):
        client(provider, model_server).call("s", "m", TOOL)
    assert len(model_server.requests) == 3


@each
def test_nobody_listens(provider: str) -> None:
    server = ModelServer()
    server._server.server_close()
    with server.clients, pytest.raises(ModelUnavailableError, match="the connection failed"):
        client(provider, server).call("s", "m", TOOL)


def test_a_server_that_does_not_count_tokens_is_estimated(model_server: ModelServer) -> None:
    body = (
        b'{"id": "x", "object": "chat.completion", "created": 1, "model": "model-a", "choices": [{"index": 0, "finish_reason":'
        b' "tool_calls", "message": {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function",'
        b' "function": {"name": "note", "arguments": "{\\"text\\": \\"x\\"}"}}]}}]}'
    )
    model_server.script = [Raw(body)]
    answer = client("openai", model_server).call("s" * 20, "m" * 20, TOOL)
    assert (answer.arguments, answer.input_tokens, answer.output_tokens) == ('{"text":"x"}', 10, 4)


def test_names_and_fingerprints_tell_models_apart_and_not_servers() -> None:
    models: list[AnthropicModel | OpenAIModel] = [
        AnthropicModel("model-a"),
        AnthropicModel("model-b"),
        AnthropicModel("model-a", max_tokens=100),
        OpenAIModel("model-a"),
    ]
    assert len({model.fingerprint for model in models}) == 4
    assert OpenAIModel("model-a", base_url="http://127.0.0.1:1").fingerprint == OpenAIModel("model-a").fingerprint


@pytest.mark.parametrize(
    "arguments",
    ["", "{", "[1]", "7", "null", '{"a": NaN}', '{"a": 1e999}', '{"a": ' + "9" * 5000 + "}", "[" * 100_000, [1], float("inf")],
)
def test_what_is_no_json_object_is_kept_as_text(arguments: object) -> None:
    found = reply(arguments, "", "tool", 1, 1)
    assert found.arguments is None
    assert "\0" not in found.text


def test_text_is_made_storable() -> None:
    assert clean("a\0b\ud800c\U0001f600") == "a\ufffdb\ufffdc\U0001f600"
    assert estimate_tokens("four" * 3 + "x") == 4


MISSING = """
import sys
import illumina
from illumina.models.llm.anthropic import AnthropicModel
from illumina.models.llm.base import Tool
from illumina.models.llm.openai import OpenAIModel
for missing, model in (("anthropic", AnthropicModel), ("openai", OpenAIModel), ("stamina", OpenAIModel)):
    sys.modules[missing] = None
    try:
        model("m", api_key="k").call("s", "m", Tool("t", "", {}))
    except illumina.errors.ModelError as error:
        print(error)
    del sys.modules[missing]
"""


def test_without_the_extra_the_engine_works_and_names_it() -> None:
    done = subprocess.run([sys.executable, "-c", MISSING], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["anthropic:m", "openai:m", "openai:m"]
    assert all("pip install 'illumina[llm]'" in line for line in lines)


def test_model_errors_are_of_one_family() -> None:
    assert issubclass(ModelRefusedError, ModelError)
    assert not issubclass(ModelRefusedError, ModelUnavailableError)
