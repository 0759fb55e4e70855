"""What a language model said of two facts, and which facts are about the same things, so that it may be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal
from uuid import UUID

from illumina.store.believed import said_by
from illumina.store.supersessions import Place

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from illumina.store.database import Session
    from illumina.types import Confidence

Decision = Literal["add", "update", "supersede", "merge"]
"""Both hold; the newer says anew what the older says, which holds no more; the newer ends the older; both say the same."""

HUB: Final = 200
"""Facts about one thing beyond which it tells nothing of what to ask: about such a thing nearly everything is."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a language model said of two facts.

    Attributes:
        old: The older one, by the time that they tell of.
        new: The newer one.
        question: Digest of what was asked.
        decision: See `Decision`.
        part: The words of the older that no longer hold, if not all.
        confidence: How sure the model is.
        reason: Why, in its words.
        model: Its name.
    """

    old: UUID
    new: UUID
    question: UUID
    decision: Decision
    part: str | None
    confidence: Confidence
    reason: str
    model: str


_COLUMNS = "j.old, j.new, j.question, j.decision, j.part, j.confidence, j.reason, j.model"


def of(session: Session, facts: Collection[UUID], as_of: datetime | None = None) -> list[tuple[Judgement, Place]]:
    """What was said of any of `facts` and another one, where neither is retired; and where the newer stands in time.

    If a time is given, only where the newer had been said by then.
    """
    # Why: both sides have an index, and what is retired supersedes nothing.
    rows = session.execute(
        f"select {_COLUMNS}, n.fact, n.content_digest, coalesce(n.event_start, n.occurred_at), n.occurred_at, n.ordinal "
        "from illumina.judgements j "
        "join illumina.facts n on n.namespace = %(namespace)s and n.fact = j.new and n.retired_version is null "
        "join illumina.facts o on o.namespace = %(namespace)s and o.fact = j.old and o.retired_version is null "
        "where j.namespace = %(namespace)s and (j.old = any(%(facts)s) or j.new = any(%(facts)s)) "
        f"and (%(as_of)s::timestamptz is null or {said_by('n')}) order by j.old, j.new",
        {"facts": list(facts), "as_of": as_of},
    )
    return [(Judgement(*row[:8]), Place(*row[8:])) for row in rows]


def record(session: Session, judgement: Judgement, moment: datetime) -> bool:
    """Keep what was said, unless one of the two is forgotten; whether it is kept. The namespace must be locked.

    What was said first of the same question stands; what was said of another question of the same two is replaced.
    """
    # Why: two workers who asked the same at once go on with the same answer.
    return bool(
        session.execute(
            "insert into illumina.judgements as j "
            "(namespace, old, new, question, decision, part, confidence, reason, model, recorded_at) "
            "select %(namespace)s, %(old)s, %(new)s, %(question)s, %(decision)s, %(part)s, %(confidence)s, %(reason)s, "
            "%(model)s, %(moment)s "
            "where exists (select from illumina.facts where namespace = %(namespace)s and fact = %(old)s) "
            "and exists (select from illumina.facts where namespace = %(namespace)s and fact = %(new)s) "
            "on conflict (namespace, old, new) do update set question = excluded.question, decision = excluded.decision, "
            "part = excluded.part, confidence = excluded.confidence, reason = excluded.reason, model = excluded.model, "
            "recorded_at = excluded.recorded_at where j.question <> excluded.question",
            {
                "old": judgement.old,
                "new": judgement.new,
                "question": judgement.question,
                "decision": judgement.decision,
                "part": judgement.part,
                "confidence": judgement.confidence,
                "reason": judgement.reason,
                "model": judgement.model,
                "moment": moment,
            },
        ).rowcount
    )


def about(session: Session, keys: Collection[UUID]) -> list[tuple[UUID, UUID]]:
    """The facts that are found under each of `keys`, but for keys under which there are more than `HUB`."""
    # Why: who is about the same things may concern one another in words that no rule reads.
    rows = session.execute(
        "select key, fact from (select key, fact, count(*) over (partition by key) as facts from illumina.claims "
        "where namespace = %(namespace)s and key = any(%(keys)s) and not seeks) found where facts <= %(hub)s",
        {"keys": list(keys), "hub": HUB},
    )
    return [(key, fact) for key, fact in rows]
