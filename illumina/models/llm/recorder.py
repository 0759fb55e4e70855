"""Every call of a language model is recorded under what its answer depends on, and replayed from there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from illumina.canonical import dumps
from illumina.errors import BudgetError, ReplayError
from illumina.ids import content_uuid
from illumina.models.llm.base import Reply
from illumina.store import calls as store
from illumina.store.calls import Call, Key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from illumina.clock import Clock
    from illumina.models.llm.base import LanguageModel, Tool
    from illumina.models.llm.prompt import Prompt
    from illumina.store.calls import PairUse, Use
    from illumina.store.database import Database

Replay = Literal["record", "only"]
"""`record`: ask the model what is not recorded yet, and record it. `only`: never ask it."""

_FINGERPRINT_DIGITS: Final = 16


def model_key(model: LanguageModel) -> str:
    """How a model is named in the records."""
    return f"{model.name} {model.fingerprint[:_FINGERPRINT_DIGITS]}"


class Recorder:
    """Asks a language model for one namespace. May be used from several threads; holds no connection while the model answers.

    Args:
        database: Where calls are recorded.
        namespace: Which partition.
        model: Whom to ask.
        clock: Says when a call was recorded.
        replay: Whether to ask at all.
    """

    def __init__(
        self,
        database: Database,
        namespace: str,
        model: LanguageModel,
        *,
        clock: Clock,
        replay: Replay = "record",
    ) -> None:
        self._database = database
        self._namespace = namespace
        self._clock = clock
        self._replay = replay
        self.model = model

    def ask(
        self,
        prompt: Prompt,
        tool: Tool,
        fields: Mapping[str, str],
        used_for: Use | PairUse,
        correction: Mapping[str, str] | None = None,
    ) -> Reply:
        """The recorded answer, or the model's, which is recorded before anything is made of it.

        Args:
            prompt: What the model is told.
            tool: What it must call.
            fields: What the prompt's message is filled with.
            used_for: What the answer is for.
            correction: What the prompt's correction is filled with, where an answer could not be used.

        Raises:
            ReplayError: Nothing is recorded, and the model may not be asked.
            BudgetError: The namespace has spent its tokens.
            ModelUnavailableError: The model did not answer.
            ModelRefusedError: The model's server refuses the call for good.
        """
        content = dumps({"fields": fields, "correction": correction}).decode()
        key = Key(model_key(self.model), prompt.digest, tool.digest, content_uuid("input", content))
        with self._database.read(self._namespace) as session:
            found = store.find(session, key)
            closest = store.closest(session, key) if found is None and self._replay == "only" else None
            spent = store.spending(session)
        if found is not None:
            with self._database.write(self._namespace) as session:
                store.use(session, key.call, used_for)
            return _reply(found)
        if self._replay == "only":
            raise ReplayError(_missing(self.model.name, closest))
        if spent.token_cap is not None and spent.tokens >= spent.token_cap:
            raise BudgetError(
                f"The namespace {self._namespace!r} has spent {spent.tokens:,} tokens and may spend {spent.token_cap:,}. "
                "The text is kept. Raise the cap with `illumina budget`, then `illumina retry`."
            )
        answer = self.model.call(prompt.system, prompt.render(fields, correction), tool)
        response = {"arguments": answer.arguments, "text": answer.text, "stop": answer.stop}
        with self._database.write(self._namespace) as session:
            call = Call(key, response, answer.input_tokens, answer.output_tokens)
            return _reply(store.record(session, call, used_for, self._clock.now()))


def _reply(call: Call) -> Reply:
    return Reply(**call.response, input_tokens=call.input_tokens, output_tokens=call.output_tokens)


def _missing(model: str, closest: tuple[frozenset[str], int] | None) -> str:
    mend = "Record it: run once without `--replay only`, or import the recorded calls (`illumina calls import`)."
    if closest is None:
        return f"No call is recorded in this namespace, and {model} may not be asked. {mend}"
    differing, count = closest
    parts = " and ".join(part for part in store.KEY_PARTS if part in differing)
    return (
        f"No recorded call has this key, and {model} may not be asked. {parts.capitalize()} changed: {count} recorded calls "
        f"have another {parts} and are the same otherwise. {mend}"
    )
