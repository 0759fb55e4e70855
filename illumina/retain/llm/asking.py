"""Ask a language model, and once more where its answer cannot be used."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, TypeVar

from illumina.retain.llm.forms import violations

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from illumina.models.llm.base import Reply, Tool
    from illumina.models.llm.prompt import Prompt
    from illumina.models.llm.recorder import Recorder
    from illumina.store.calls import PairUse, Use

MAX_PROBLEMS: Final = 10
"""Problems named to the model at once."""

_T = TypeVar("_T")


class UnusableAnswerError(Exception):
    """The answer breaks the rules; the message says which, exactly and for the model."""


def ask(
    recorder: Recorder,
    prompt: Prompt,
    tool: Tool,
    fields: Mapping[str, str],
    used_for: Use | PairUse,
    read: Callable[[Reply], _T],
) -> _T:
    """What is read of the model's answer, after one correction at most.

    Args:
        recorder: Asks, and records or replays.
        prompt: What the model is told.
        tool: What it must call.
        fields: What the prompt's message is filled with.
        used_for: What the answer is for.
        read: Reads an answer, or raises `UnusableAnswerError`.

    Raises:
        UnusableAnswerError: Also the corrected answer cannot be used.
        ModelError: See `Recorder.ask`.
    """
    reply = recorder.ask(prompt, tool, fields, used_for)
    try:
        return read(reply)
    except UnusableAnswerError as error:
        correction = {"problem": str(error), "answer": reply.arguments or reply.text}
    return read(recorder.ask(prompt, tool, fields, used_for, correction))


def arguments(reply: Reply, tool: Tool, *, shorter: str) -> dict[str, Any]:
    """The tool's input if it is what the tool's schema asks for.

    Args:
        reply: The answer.
        tool: What the model was to call.
        shorter: What to do about an answer that was cut off.

    Raises:
        UnusableAnswerError: It is not.
    """
    if reply.stop == "length":
        raise UnusableAnswerError(f"it was cut off at the limit of its length. {shorter}")
    if reply.arguments is None:
        what = "a refusal" if reply.stop == "refused" else "no single call of the tool with a JSON object as its input"
        raise UnusableAnswerError(f"it is {what}. Answer by one call of {tool.name} and nothing else")
    answer: dict[str, Any] = json.loads(reply.arguments)
    if problems := violations(answer, dict(tool.schema), "answer"):
        raise UnusableAnswerError(summary(problems))
    return answer


def summary(problems: list[str]) -> str:
    """Problems in one line, up to `MAX_PROBLEMS`."""
    more = len(problems) - MAX_PROBLEMS
    lines = [line.removeprefix("answer.") for line in problems[:MAX_PROBLEMS]]
    return "; ".join(lines) + (f"; and {more} more problems" if more > 0 else "")
