"""Ask a language model about a pair of facts by the tool `reconcile`, and read what it answers."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Final, get_args

from illumina.errors import InvalidTextError, ReconciliationError
from illumina.ids import FACT_PREFIX, public_id
from illumina.models.llm.base import Tool
from illumina.models.llm.prompt import Prompt
from illumina.retain.llm.asking import UnusableAnswerError, arguments, ask, summary
from illumina.retain.llm.forms import object_of, one_of, or_null, shown, text
from illumina.retain.llm.quotes import Quotations
from illumina.retain.reconcile.pairs import fields, question
from illumina.store.calls import PairUse
from illumina.store.judgements import Decision, Judgement
from illumina.text import validate_text
from illumina.types import Confidence

if TYPE_CHECKING:
    from illumina.models.llm.base import Reply
    from illumina.models.llm.recorder import Recorder
    from illumina.retain.reconcile.statements import Statement

TOOL: Final = Tool(
    "reconcile",
    "Record what the later statement does to the earlier one.",
    object_of(
        decision=one_of(*get_args(Decision)),
        part=or_null(text("The words of the earlier statement that no longer hold, letter for letter; null if all or none.")),
        confidence=one_of(*get_args(Confidence)),
        reason=text("Why, in one short sentence."),
    ),
)

PROMPT: Final = Prompt.load(resources.files("illumina.retain.llm").joinpath("reconcile.toml"))

MAX_REASON: Final = 500
"""Characters of a reason."""

_ENDS: Final = " \t\n.!;,"


def judge(recorder: Recorder, newer: Statement, older: Statement) -> Judgement:
    """What a language model says of two facts, after one correction at most. It is shown these two and nothing else.

    Raises:
        ReconciliationError: Its answer cannot be used, also after one correction.
        ModelError: See `Recorder.ask`.
    """
    try:
        return ask(
            recorder,
            PROMPT,
            TOOL,
            fields(newer, older),
            PairUse(older.id, newer.id),
            lambda reply: read(reply, newer, older, recorder.model.name),
        )
    except UnusableAnswerError as error:
        names = public_id(FACT_PREFIX, newer.id), public_id(FACT_PREFIX, older.id)
        raise ReconciliationError(
            f"{recorder.model.name} answered about {names[0]} and {names[1]} what cannot be used, also after one correction: "
            f"{error}. Both hold until `illumina retry` asks again."
        ) from error


def read(reply: Reply, newer: Statement, older: Statement, model: str) -> Judgement:
    """What an answer says of two facts. Pure.

    Raises:
        UnusableAnswerError: Naming everything that is wrong.
    """
    answer = arguments(reply, TOOL, shorter="Use a shorter reason")
    decision, part, reason = answer["decision"], answer["part"], " ".join(answer["reason"].split())
    problems = []
    try:
        validate_text(reason, "reason")
    except InvalidTextError:
        problems.append("reason holds a character that is no text (NUL or half a surrogate pair)")
    if not 0 < len(reason) <= MAX_REASON:
        problems.append(f"reason has {len(reason)} characters; it must have 1 to {MAX_REASON}")
    if part is not None:
        if decision not in {"update", "supersede"}:
            problems.append(f"part is {shown(part)}, but {decision} leaves all of the earlier statement; it must be null")
        elif (span := Quotations(older.content).locate(part)) is None:
            problems.append(f"part is {shown(part)}, which does not occur in the earlier statement; copy it, or null for all")
        else:
            part = older.content[slice(*span)]
    if problems:
        raise UnusableAnswerError(summary(problems))
    if part is not None and part.strip(_ENDS) == older.content.strip(_ENDS):
        part = None
    return Judgement(older.id, newer.id, question(newer, older), decision, part, answer["confidence"], reason, model)
