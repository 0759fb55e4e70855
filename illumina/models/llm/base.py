"""What the engine asks of a language model: to call one tool with one message, and nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, Protocol

import regex

from illumina.canonical import dumps
from illumina.ids import content_uuid

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

Stop = Literal["tool", "end", "length", "refused"]
"""It called a tool; it ended in prose; it reached its limit of tokens; it or a filter refused."""

MAX_TOKENS: Final = 8192
"""Tokens of one answer at most. A chunk of 512 tokens gives some fifteen facts of about 150 tokens each."""

_UNSTORABLE: Final = regex.compile("[\0\ud800-\udfff]")
_BYTES_A_TOKEN: Final = 4


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a model is made to call.

    Attributes:
        name: Letters, digits and underscores.
        description: What the model is told about it.
        schema: JSON Schema of its input, within what both providers enforce: every property required, none additional.
    """

    name: str
    description: str
    schema: Mapping[str, Any]

    @property
    def digest(self) -> UUID:
        """Names everything of the tool that a model sees."""
        return content_uuid("tool", self.name, self.description, dumps(self.schema).decode())


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    Attributes:
        arguments: The tool's input as canonical JSON of an object, in ASCII; None if it called no tool, several, or with
            something that is no JSON object.
        text: What it wrote instead of or beside that.
        stop: Why it stopped.
        input_tokens: Tokens that it read.
        output_tokens: Tokens that it wrote.
    """

    arguments: str | None
    text: str
    stop: Stop
    input_tokens: int
    output_tokens: int


class LanguageModel(Protocol):
    """Answers by calling a tool. Holds no connection; may be called from several threads."""

    @property
    def name(self) -> str:
        """Provider and model, such as `anthropic:claude-sonnet-4-5`."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes with everything of the request but its contents: provider, model, limits."""
        ...

    def call(self, system: str, message: str, tool: Tool) -> Reply:
        """Ask once, the tool forced.

        Args:
            system: The system prompt.
            message: The one message of the user.
            tool: The tool that it must call.

        Raises:
            ModelUnavailableError: It did not answer, also after waiting; the same call may succeed later.
            ModelRefusedError: The same call will never succeed; the message names the mend.
        """
        ...


def reply(arguments: object, text: str, stop: Stop, input_tokens: int, output_tokens: int) -> Reply:
    """A reply in the one form that is recorded, whatever the provider.

    Args:
        arguments: The tool's input, parsed or as JSON text; None without a call.
        text: Prose.
        stop: Why the model stopped.
        input_tokens: As the provider counts.
        output_tokens: As the provider counts.
    """
    canonical, rest = _canonical(arguments)
    return Reply(canonical, clean(text or rest), stop, input_tokens, output_tokens)


def clean(text: str) -> str:
    """Replace what PostgreSQL cannot store, each by U+FFFD."""
    return str(_UNSTORABLE.sub("\ufffd", text))


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, for servers that do not count: a token for four bytes, rounded up."""
    return -(-len(text.encode(errors="replace")) // _BYTES_A_TOKEN)


def _canonical(arguments: object) -> tuple[str | None, str]:
    """The tool's input as canonical JSON; or None and what came instead."""
    if arguments is None:
        return None, ""
    rest = arguments if isinstance(arguments, str) else repr(arguments)
    try:
        value = json.loads(arguments, parse_constant=_refuse) if isinstance(arguments, str) else arguments
        if not isinstance(value, dict):
            return None, rest
        # ASCII, so that also a NUL or half a surrogate pair that a model wrote can be stored as it is.
        return json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":")), ""
    except (ValueError, TypeError, RecursionError):  # also integers of thousands of digits and endless nesting
        return None, rest


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON.")
