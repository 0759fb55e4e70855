"""The nouns of the engine, frozen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Utterance:
    """One turn of a dialogue, or one passage that its author keeps apart.

    Attributes:
        text: What was said or written.
        speaker: Who said it, if known.
        occurred_at: When it was said; the document's time if None. Must carry a time zone.
        label: The caller's own name for it, unique in its document (a message id, `D1:3`); its 1-based position if None.
    """

    text: str
    speaker: str | None = None
    occurred_at: datetime | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A text to be retained.

    Attributes:
        body: The full text, or the utterances of a dialogue in their order.
        source: Its origin, such as `slack:#incidents`. Copies of one origin do not corroborate one another.
        key: The caller's stable name for this document within its source (a path, a thread id). Retaining the same key
            again with another body makes a new version. Without a key the content names the document.
        occurred_at: When it was written. Must carry a time zone.
        metadata: Anything else that is JSON; kept, not searched.
    """

    body: str | Sequence[Utterance]
    source: str = ""
    key: str | None = None
    occurred_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RetainReceipt:
    """What became of one document.

    Attributes:
        document_id: `doc_…`, derived from the content.
        version: 1 for a new document, one more for each change of content.
        created: False if exactly this was already retained.
        facts: How many live facts the version has.
        retired: How many facts only the previous version supported.
    """

    document_id: str
    version: int
    created: bool
    facts: int
    retired: int


@dataclass(frozen=True, slots=True)
class Result:
    """One recalled fact.

    Attributes:
        id: `fct_…`.
        content: The fact's text.
        score: Final score in (0, 1], rounded to 9 decimals; the ranking is by this, then by `id`.
        corroboration: How many independent origins state this.
        arms: The arms that found it, in the locked order.
        source: The origin.
        document_id: `doc_…`.
        document: The caller's key of the document, if it has one.
        segment: The label of the utterance or paragraph in its document.
        speaker: Who said it, if known.
        occurred_at: When it was said, if known.
        explain: With `explain=True`: each arm's rank and score, and the fused score.
    """

    id: str
    content: str
    score: float
    corroboration: int
    arms: tuple[str, ...]
    source: str
    document_id: str
    document: str | None
    segment: str
    speaker: str | None
    occurred_at: datetime | None
    explain: Mapping[str, Any] | None = None
