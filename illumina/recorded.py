"""What a namespace has asked of language models: listed, compared with this version's prompts, exported, imported, capped."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, get_args
from uuid import UUID

from illumina.canonical import dumps
from illumina.errors import InvalidInputError
from illumina.ids import DOCUMENT_PREFIX, content_key
from illumina.models.llm.base import Stop
from illumina.models.llm.recorder import model_key
from illumina.retain.llm import reconciler, schema
from illumina.store import calls as store
from illumina.store.calls import Call, Key
from illumina.text import validate_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from illumina.models.llm.base import LanguageModel
    from illumina.store.calls import Spending, Usage
    from illumina.store.database import Database

PROMPTS: Final = frozenset({schema.PROMPT.digest, reconciler.PROMPT.digest})
"""Digests of the prompts of this version."""

SCHEMAS: Final = frozenset({schema.TOOL.digest, reconciler.TOOL.digest})
"""Digests of the tools of this version."""

_FIELDS: Final = {
    "model": str, "prompt": str, "schema": str, "input": str, "response": dict, "input_tokens": int, "output_tokens": int
}  # fmt: skip
_RESPONSE: Final = frozenset({"arguments", "text", "stop"})
_BATCH: Final = 1000
_MAX_TOKENS: Final = 2**62


@dataclass(frozen=True, slots=True)
class RecordedCalls:
    """The recorded calls of one namespace. Use `Memory.calls`."""

    database: Database
    namespace: str

    def all(self, document_id: str | None = None) -> list[Call]:
        """Every recorded call in the order of their ids, or those that a document rests on.

        Raises:
            InvalidInputError: That is no document's id.
        """
        document = None if document_id is None else content_key(DOCUMENT_PREFIX, document_id)
        with self.database.read(self.namespace) as session:
            return store.every(session, document)

    def usage(self, document_id: str, version: int) -> Usage:
        """How many calls one version of a document rests on, and their tokens."""
        with self.database.read(self.namespace) as session:
            return store.usage(session, content_key(DOCUMENT_PREFIX, document_id), version)

    def spending(self) -> Spending:
        """What was asked so far, replayed answers not counted, and the cap."""
        with self.database.read(self.namespace) as session:
            return store.spending(session)

    def set_cap(self, tokens: int | None) -> None:
        """Let no call begin once so many tokens are spent; None lifts the cap.

        Calls that are under way at that moment are still counted, so what is spent can exceed the cap by theirs.

        Raises:
            InvalidInputError: The number is negative or beyond all measure.
        """
        if tokens is not None and not 0 <= tokens <= _MAX_TOKENS:
            raise InvalidInputError(
                f"A cap of {tokens} tokens is none. Pass a number from 0 to {_MAX_TOKENS:,}, or none at all."
            )
        with self.database.write(self.namespace) as session:
            store.set_cap(session, tokens)

    def export(self) -> Iterator[str]:
        """Every call as a line of canonical JSON: equal records give equal lines, and importing them replays byte for byte."""
        for call in self.all():
            line = {
                "model": call.key.model,
                "prompt": call.key.prompt.hex,
                "schema": call.key.schema.hex,
                "input": call.key.input.hex,
                "response": call.response,
                "input_tokens": call.input_tokens,
                "output_tokens": call.output_tokens,
            }
            yield dumps(line).decode()

    def load(self, lines: Iterable[str]) -> int:
        """Add exported calls; those that are recorded already stay as they are. Nothing is added where a line is wrong.

        Returns:
            How many were new.

        Raises:
            InvalidInputError: A line is no exported call.
        """
        calls = [parse_call(line, number) for number, line in enumerate(lines, start=1) if line.strip()]
        with self.database.write(self.namespace) as session:
            return sum(store.load(session, calls[first : first + _BATCH]) for first in range(0, len(calls), _BATCH))


def stale(call: Call, model: LanguageModel | None = None) -> tuple[str, ...]:
    """Which parts of a call's key this version would no longer ask with, so that its answer is not used any more.

    Args:
        call: A recorded call.
        model: The model in use; any is as good as another if None.
    """
    current = {
        "model": model is None or call.key.model == model_key(model),
        "prompt": call.key.prompt in PROMPTS,
        "schema": call.key.schema in SCHEMAS,
    }
    return tuple(part for part, holds in current.items() if not holds)


def parse_call(line: str, number: int) -> Call:
    """One line of an export.

    Raises:
        InvalidInputError: Naming the line and what is wrong with it.
    """
    try:
        value = json.loads(line)
        _check(value)
        for text in (value["model"], value["response"]["text"], value["response"]["arguments"] or ""):
            validate_text(text, "a text")
        key = Key(value["model"], *(UUID(hex=value[part]) for part in ("prompt", "schema", "input")))
    except (ValueError, RecursionError, InvalidInputError) as error:
        raise InvalidInputError(f"Line {number} is no exported call: {error} Export them again.") from error
    return Call(key, value["response"], value["input_tokens"], value["output_tokens"])


def _check(value: Any) -> None:  # noqa: ANN401 - any JSON value
    if not isinstance(value, dict) or value.keys() != _FIELDS.keys():
        raise InvalidInputError(f"it must be an object with just {', '.join(_FIELDS)}.")
    for name, kind in _FIELDS.items():
        if not isinstance(value[name], kind) or isinstance(value[name], bool):
            raise InvalidInputError(f"{name} must be of type {kind.__name__}.")
    if not all(0 <= value[name] <= _MAX_TOKENS for name in ("input_tokens", "output_tokens")):
        raise InvalidInputError("numbers of tokens are not negative.")
    response = value["response"]
    texts = isinstance(response.get("text"), str) and isinstance(response.get("arguments"), str | None)
    if response.keys() != _RESPONSE or not texts or response["stop"] not in get_args(Stop):
        raise InvalidInputError("response must have text, arguments and stop.")
