"""Pairs of facts that a language model is asked about, what it is asked, and what follows from what it says.

A pair is asked about if the two are about the same thing, one is newer by what they tell of, and the rules find nothing.
All of it is a function of these two alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from illumina.canonical import dumps
from illumina.ids import content_uuid
from illumina.retain.reconcile.judge import may_supersede, supersedes
from illumina.retain.reconcile.reading import MAX_LENGTH, topics
from illumina.retain.reconcile.statements import Verdict, is_newer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from illumina.retain.reconcile.statements import Statement
    from illumina.store.judgements import Judgement


def in_order(one: Statement, other: Statement) -> tuple[Statement, Statement] | None:
    """The newer of two statements and the older one; None if neither is newer by what they tell of, or when that was said."""
    if one.rank == other.rank:
        return None
    if is_newer(one, other):
        return one, other
    return (other, one) if is_newer(other, one) else None


def may_be_asked(newer: Statement, older: Statement) -> bool:
    """Whether a model may say that one statement supersedes another. Pure."""
    return (
        may_supersede(newer, older)
        and newer.rank != older.rank
        and is_newer(newer, older)
        and max(len(newer.content), len(older.content)) <= MAX_LENGTH
        and bool(topics(newer) & topics(older))
    )


def is_open(newer: Statement, older: Statement) -> bool:
    """Whether a model is to be asked about a pair, if it was not yet: it may be, and the rules find nothing. Pure."""
    return may_be_asked(newer, older) and supersedes(newer, older) is None


def fields(newer: Statement, older: Statement) -> Mapping[str, str]:
    """What a model is shown of a pair, as canonical JSON: written by others, so it is data."""
    return {"earlier": _shown(older), "later": _shown(newer)}


def question(newer: Statement, older: Statement) -> UUID:
    """Digest of what a model is shown of a pair."""
    shown = fields(newer, older)
    return content_uuid("question", shown["earlier"], shown["later"])


def _shown(statement: Statement) -> str:
    told = {
        "statement": statement.content,
        "speaker": statement.speaker,
        "tells_of": statement.moment,
        "said_at": statement.said,
        "names": sorted({named.name for named in statement.names}),
    }
    return dumps(told).decode()


def judged(said: Judgement, newer: Statement, older: Statement) -> Verdict | None:
    """What follows from what a model said of two statements, as they are now. Pure.

    `update` and `supersede` retire the older, or the part of it that is named; `add` and `merge` leave both, the latter as one
    thing said twice. What the model is not sure of retires nothing.
    """
    if said.decision not in {"update", "supersede"} or said.confidence == "low":
        return None
    if said.question != question(newer, older) or not may_be_asked(newer, older):
        return None
    evidence = {
        "kind": "model",
        "decision": said.decision,
        "reason": said.reason,
        "model": said.model,
        "confidence": said.confidence,
    }
    return Verdict("whole" if said.part is None else "part", said.part, evidence)
