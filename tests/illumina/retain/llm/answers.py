"""Answers of a model, and documents that it answers for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from illumina.retain.llm.extractor import LlmExtractor
from illumina.retain.prepare import prepare
from illumina.store import documents as ledger
from illumina.types import Chunk, Document, Utterance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from illumina import Memory
    from illumina.types import LedgerDocument

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
Extract = Callable[..., LlmExtractor]


def accept(memory: Memory, namespace: str, *documents: LedgerDocument) -> list[LedgerDocument]:
    """Put documents into the ledger; returns them with their versions."""
    with memory._database.write(namespace) as session:
        ledger.lock_namespace(session)
        return [taken.document for taken in ledger.accept(session, documents, NOON)]


def fact(quote: str, statement: str | None = None, /, **fields: Any) -> dict[str, Any]:
    return {
        "statement": statement or quote,
        "quote": quote,
        "category": "architecture",
        "event": None,
        "mentioned_at": None,
        "entities": [],
        "relations": [],
        "confidence": "high",
        "importance": "supplementary",
        **fields,
    }


def entity(name: str, kind: str | None = None, *homes: str) -> dict[str, Any]:
    return {"name": name, "kind": kind, "homes": list(homes)}


def relation(subject: Any, name: Any, object_: Any) -> dict[str, Any]:
    return {"subject": subject, "name": name, "object": object_}


def causes(cause: Any, effect: Any, cue: str, kind: str = "causes") -> dict[str, Any]:
    return {"kind": kind, "cause": cause, "effect": effect, "cue": cue}


def answer(*facts: dict[str, Any], causal: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    return {"facts": list(facts), "causal": list(causal)}


def document(
    body: str | Sequence[Utterance], *, source: str = "notes", key: str | None = None, occurred_at: datetime | None = None
) -> LedgerDocument:
    return prepare(Document(body, source=source, key=key, occurred_at=occurred_at), "acme")


def whole(made: LedgerDocument) -> Chunk:
    return Chunk(0, 0, len(made.body), 0, "A text.")
