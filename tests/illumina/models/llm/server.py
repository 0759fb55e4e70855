"""Both APIs on loopback, as strict as the real ones: paths, keys, versions, models, schemas, errors, and what a model does."""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = "test-key-0123456789"
MODELS = {"model-a", "model-b"}


@dataclass(frozen=True)
class Call:
    """The model calls the tool. `raw` is the text of a call that is no JSON, `cut` whether the limit of tokens ended it."""

    arguments: Any = None
    raw: str | None = None
    cut: bool = False
    times: int = 1
    prose: str = ""


@dataclass(frozen=True)
class Prose:
    """The model answers in prose."""

    text: str = "Here are the facts: there are none."
    refused: bool = False
    cut: bool = False


@dataclass(frozen=True)
class Status:
    """The server answers with an error."""

    code: int
    kind: str = "api_error"
    message: str = "Internal server error"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Slow:
    """The answer comes late, or byte by byte."""

    seconds: float
    then: Call
    trickle: bool = False


@dataclass(frozen=True)
class Raw:
    """Bytes that no such server sends."""

    body: bytes
    content_type: str = "application/json"


class Reset:
    """The connection is reset."""


Behaviour = Call | Prose | Status | Slow | Raw | Reset


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def system(self) -> str:
        return str(self.body["system"] if "system" in self.body else self.body["messages"][0]["content"])

    @property
    def message(self) -> str:
        return str(self.body["messages"][-1]["content"])


class ModelServer:
    """A server of both APIs.

    Attributes:
        requests: What was asked, in order.
        script: What is done next, in order; a function decides by the request. When it has ended, its last item goes on.
        clients: Closed with the server.
        known: Clients by what they are made with; making one takes a while.
    """

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.script: list[Behaviour | Callable[[Request], Behaviour]] = []
        self.clients = ExitStack()
        self.known: dict[object, Any] = {}
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"owner": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    @contextmanager
    def running(self) -> Iterator[ModelServer]:
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.clients.close()
            self._server.shutdown()
            self._server.server_close()
            thread.join()

    def clear(self) -> None:
        with self._lock:
            self.requests, self.script = [], []

    def next(self, request: Request) -> Behaviour:
        with self._lock:
            self.requests.append(request)
            assert self.script, "nothing was to be asked"
            chosen = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return chosen if isinstance(chosen, Behaviour) else chosen(request)


class RefusalError(Exception):
    def __init__(self, code: int, kind: str, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.code, self.kind, self.param = code, kind, param


class _Handler(BaseHTTPRequestHandler):
    owner: ModelServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's
        pass

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        anthropic = self.path == "/v1/messages"
        try:
            body = self._parse(raw)
            check_anthropic(dict(self.headers), body) if anthropic else check_openai(dict(self.headers), body)
            headers = {name.lower(): value for name, value in self.headers.items()}
            self._behave(self.owner.next(Request(self.path, headers, body)), body, anthropic)
        except RefusalError as error:
            self._error(Status(error.code, error.kind, str(error)), anthropic, error.param)

    def _parse(self, raw: bytes) -> dict[str, Any]:
        try:
            body = json.loads(raw)
        except ValueError as error:
            raise RefusalError(400, "invalid_request_error", "We could not parse the JSON body of your request.") from error
        if self.path not in {"/v1/messages", "/v1/chat/completions"}:
            raise RefusalError(404, "not_found_error", f"Unknown request URL: POST {self.path}")
        assert isinstance(body, dict)
        return body

    def _behave(self, what: Behaviour, body: dict[str, Any], anthropic: bool) -> None:
        if isinstance(what, Reset):
            # Without lingering, closing sends a reset.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
            return
        if isinstance(what, Status):
            self._error(what, anthropic)
            return
        if isinstance(what, Raw):
            self._send(200, what.body, {"content-type": what.content_type})
            return
        answer = what.then if isinstance(what, Slow) else what
        if isinstance(what, Slow) and not what.trickle:
            time.sleep(what.seconds)
        content = json.dumps(anthropic_answer(answer, body) if anthropic else openai_answer(answer, body)).encode()
        self._send(200, content, trickle=what.seconds if isinstance(what, Slow) and what.trickle else None)

    def _error(self, error: Status, anthropic: bool, param: str | None = None) -> None:
        detail = {"type": error.kind, "message": error.message}
        if anthropic:
            content: dict[str, Any] = {"type": "error", "error": detail, "request_id": "req_011"}
        else:
            code = "model_not_found" if error.code == 404 else None
            content = {"error": {**detail, "param": param, "code": code}}
        self._send(error.code, json.dumps(content).encode(), error.headers)

    def _send(self, code: int, body: bytes, headers: dict[str, str] | None = None, trickle: float | None = None) -> None:
        try:
            self.send_response_only(code)
            for name, value in {"content-type": "application/json", **(headers or {})}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            if trickle is None:
                self.wfile.write(body)
                return
            for place in range(len(body)):
                self.wfile.write(body[place : place + 1])
                time.sleep(trickle)
        except OSError:  # who asked has given up
            self.close_connection = True


def check_anthropic(headers: dict[str, str], body: dict[str, Any]) -> None:
    headers = {name.lower(): value for name, value in headers.items()}
    bearer = headers.get("authorization", "").removeprefix("Bearer ")
    if KEY not in {headers.get("x-api-key"), bearer}:
        raise RefusalError(401, "authentication_error", "invalid x-api-key")
    if "anthropic-version" not in headers:
        raise RefusalError(400, "invalid_request_error", "anthropic-version: header is required")
    _known(body, {"model", "max_tokens", "messages", "system", "tools", "tool_choice"})
    if body["model"] not in MODELS:
        raise RefusalError(404, "not_found_error", f"model: {body['model']}")
    if not isinstance(body["max_tokens"], int) or body["max_tokens"] < 1:
        raise RefusalError(400, "invalid_request_error", "max_tokens: Input should be greater than or equal to 1")
    _messages(body, {"user", "assistant"})
    for tool in body["tools"]:
        _known(tool, {"name", "description", "input_schema", "strict"})
        _schema(tool["name"], tool["input_schema"], "input_schema")
    choice = body["tool_choice"]
    _known(choice, {"type", "name", "disable_parallel_tool_use"})
    if choice["type"] != "tool" or choice["name"] not in [tool["name"] for tool in body["tools"]]:
        raise RefusalError(400, "invalid_request_error", f"Tool '{choice.get('name')}' not found in provided tools")


def check_openai(headers: dict[str, str], body: dict[str, Any]) -> None:
    headers = {name.lower(): value for name, value in headers.items()}
    if headers.get("authorization") != f"Bearer {KEY}":
        raise RefusalError(401, "invalid_request_error", "Incorrect API key provided: test-***.")
    _known(body, {"model", "max_completion_tokens", "messages", "tools", "tool_choice", "parallel_tool_calls"})
    if body["model"] not in MODELS:
        raise RefusalError(
            404, "invalid_request_error", f"The model `{body['model']}` does not exist or you do not have access."
        )
    if not isinstance(body["max_completion_tokens"], int) or body["max_completion_tokens"] < 1:
        raise RefusalError(400, "invalid_request_error", "Invalid 'max_completion_tokens': integer below minimum value.")
    _messages(body, {"system", "user", "assistant"})
    names = []
    for tool in body["tools"]:
        assert tool["type"] == "function"
        _known(tool["function"], {"name", "description", "parameters", "strict"})
        _schema(tool["function"]["name"], tool["function"]["parameters"], "function.parameters")
        names.append(tool["function"]["name"])
    choice = body["tool_choice"]
    if choice["type"] != "function" or choice["function"]["name"] not in names:
        raise RefusalError(400, "invalid_request_error", "Tool choice must name one of the tools.", "tool_choice")


def _known(value: dict[str, Any], fields: set[str]) -> None:
    if unknown := value.keys() - fields:
        raise RefusalError(400, "invalid_request_error", f"{min(unknown)}: Extra inputs are not permitted")
    if missing := fields - value.keys():
        raise RefusalError(400, "invalid_request_error", f"{min(missing)}: Field required")


def _messages(body: dict[str, Any], roles: set[str]) -> None:
    if not body["messages"]:
        raise RefusalError(400, "invalid_request_error", "messages: at least one message is required")
    for message in body["messages"]:
        if message["role"] not in roles or not message["content"]:
            raise RefusalError(400, "invalid_request_error", "messages: text content blocks must be non-empty")


def _schema(name: str, schema: dict[str, Any], where: str) -> None:
    """What both providers ask of a strict schema."""
    if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name):
        raise RefusalError(400, "invalid_request_error", f"tools.0.name: {name!r} does not match the pattern")
    todo = [schema]
    assert schema.get("type") == "object"
    while todo:
        part = todo.pop()
        if unknown := part.keys() - {
            "type",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "enum",
            "anyOf",
            "description",
        }:
            raise RefusalError(400, "invalid_request_error", f"Invalid schema: {min(unknown)!r} is not permitted", where)
        if part.get("type") == "object":
            if part.get("additionalProperties") is not False or part.get("required") != list(part["properties"]):
                raise RefusalError(400, "invalid_request_error", f"Invalid schema for function '{name}'", where)
            todo += part["properties"].values()
        elif part.get("type") == "array":
            todo.append(part["items"])
        todo += part.get("anyOf", [])


def anthropic_answer(answer: Call | Prose, body: dict[str, Any]) -> dict[str, Any]:
    if isinstance(answer, Prose):
        content: list[dict[str, Any]] = [{"type": "text", "text": answer.text}]
        stop = "max_tokens" if answer.cut else "refusal" if answer.refused else "end_turn"
    else:
        content = [{"type": "text", "text": answer.prose}] if answer.prose else []
        # What is cut off within a call arrives as far as it can be parsed: the whole input is empty then.
        given = {} if answer.raw is not None and answer.cut else answer.raw if answer.raw is not None else answer.arguments
        content += [
            {"type": "tool_use", "id": f"toolu_{number:02}", "name": body["tool_choice"]["name"], "input": given}
            for number in range(answer.times)
        ]
        stop = "max_tokens" if answer.cut else "tool_use"
    return {
        "id": "msg_01", "type": "message", "role": "assistant", "model": body["model"], "content": content,
        "stop_reason": stop, "stop_sequence": None,
        "usage": {"input_tokens": 90, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 0, "output_tokens": 20},
    }  # fmt: skip


def openai_answer(answer: Call | Prose, body: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
    if isinstance(answer, Prose):
        message["refusal" if answer.refused else "content"] = answer.text
        stop = "length" if answer.cut else "stop"
    else:
        text = answer.raw if answer.raw is not None else json.dumps(answer.arguments)
        function = {"name": body["tool_choice"]["function"]["name"], "arguments": text}
        message["content"] = answer.prose or None
        message["tool_calls"] = [
            {"id": f"call_{number:02}", "type": "function", "function": function} for number in range(answer.times)
        ]
        # A forced call really ends with `stop`.
        stop = "length" if answer.cut else "stop"
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1764500000, "model": body["model"],
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": stop}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }  # fmt: skip
