"""The nouns of the engine, frozen."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, get_args
from uuid import UUID

from illumina.canonical import dumps
from illumina.ids import content_uuid

Category = Literal[
    "preference", "opinion", "personal", "experience",
    "business_rule", "workflow", "architecture", "convention", "decision", "domain_knowledge", "key_insight", "metric", "issue",
    "action_item",
]  # fmt: skip
"""The fourteen: four of people, ten of work."""

CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)

Confidence = Literal["high", "medium", "low"]
Importance = Literal["vital", "supplementary"]
Visibility = Literal["shared", "agent", "device"]
"""Who may see it: everybody of the namespace, only its agent, only its device."""

PATH_SEPARATOR: Final = " > "
"""Between the headings of a section."""

LinkKind = Literal["temporal", "semantic", "entity", "causes", "caused_by", "enables", "prevents", "supersedes"]


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
        agent: Who brought it.
        device: Where from.
        visibility: Who may see its facts; `agent` needs an agent, `device` a device.
        pods: Soft groups that steer ranking; none, one or several.
    """

    body: str | Sequence[Utterance]
    source: str = ""
    key: str | None = None
    occurred_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    agent: str | None = None
    device: str | None = None
    visibility: Visibility = "shared"
    pods: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Segment:
    """A span of a document's body that becomes one verbatim fact.

    Attributes:
        start: Offset of its first character in the body.
        end: Offset behind its last character.
        label: Its name within the document.
        speaker: Who said it, if known.
        occurred_at: When it was said, if known.
    """

    start: int
    end: int
    label: str
    speaker: str | None = None
    occurred_at: datetime | None = None


def segments_to_json(segments: Sequence[Segment]) -> str:
    """Canonical JSON: a list of start, end, label, speaker and time for each segment."""
    return dumps([[s.start, s.end, s.label, s.speaker, s.occurred_at] for s in segments]).decode()


@dataclass(frozen=True, slots=True)
class LedgerDocument:
    """One version of a document as it stands in the ledger.

    Attributes:
        id: Derived from namespace, source and key, or from the content where there is no key.
        source: Its origin.
        key: The caller's name for it, if any.
        occurred_at: When it was written, if known.
        body: The full text.
        segments: The utterances of a dialogue as spans of the body; None for running text.
        metadata: Canonical JSON.
        digest: Names this content: another digest under the same id is another version.
        version: Its number; 0 until the ledger has given one.
        agent: Who brought it.
        device: Where from.
        visibility: Who may see its facts.
        pods: Sorted, each once.
    """

    id: UUID
    source: str
    key: str | None
    occurred_at: datetime | None
    body: str
    segments: tuple[Segment, ...] | None
    metadata: str
    digest: UUID
    version: int = 0
    agent: str | None = None
    device: str | None = None
    visibility: Visibility = "shared"
    pods: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a document of about 512 tokens.

    Attributes:
        ordinal: 0-based position in the document.
        start: Offset of its own span; the own spans of all chunks are the body, cut without a gap.
        end: Offset behind its own span.
        context_start: Where its text begins: it reaches back over the seam, so that nothing is read out of context.
        preamble: One line that says where in which document it stands.
    """

    ordinal: int
    start: int
    end: int
    context_start: int
    preamble: str


@dataclass(frozen=True, slots=True)
class EventTime:
    """When what a fact tells of happened: a half-open interval.

    Attributes:
        start: Its first moment; None if it has no beginning.
        end: The first moment behind it; None if it has no end.
        precision: How finely both are known (`illumina.retain.dates.Precision`).
    """

    start: datetime | None
    end: datetime | None
    precision: str


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement with its provenance.

    Attributes:
        id: Derived from the document and the content, so that it survives versions that keep the statement.
        document: The document it was taken from.
        version: The newest version of that document which supports it.
        ordinal: Its 0-based position among the facts of that version.
        segment: Where in the body it stands, who said it and when.
        source: The document's origin.
        content: The statement.
        chunk: Ordinal of the chunk it was taken from.
        section: Path of the headings above it, if any.
        category: None for what is kept verbatim.
        confidence: How sure it is that the text states this.
        importance: Whether it must surface everywhere.
        event: When it happened, if the text says so.
    """

    id: UUID
    document: UUID
    version: int
    ordinal: int
    segment: Segment
    source: str
    content: str
    chunk: int = 0
    section: str | None = None
    category: Category | None = None
    confidence: Confidence = "high"
    importance: Importance = "supplementary"
    event: EventTime | None = None

    @property
    def indexed_text(self) -> str:
        """What is embedded and what lexemes are made of: who says it is part of what can be asked for."""
        return indexed_text(self.segment.speaker, self.content)

    @property
    def content_digest(self) -> UUID:
        """Equal for facts that say the same up to case and white space; independent origins of one digest corroborate it."""
        return content_uuid("content", " ".join(self.content.split()).casefold())


def indexed_text(speaker: str | None, content: str) -> str:
    """The text under which a fact is found by both the semantic and the lexical arm."""
    return f"{speaker}: {content}" if speaker else content


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
class Filter:
    """Which facts are wanted; what is None asks for nothing.

    Attributes:
        categories: One of these.
        confidence: One of these.
        importance: This.
        sources: Of one of these origins.
        agents: Brought by one of these.
        devices: From one of these.
        pods: In at least one of these.
        entities: About at least one of these (`ent_…`).
        lifecycle: In one of these states: fresh, stable, editing.
        since: What it tells of, or when it was said, is not wholly before this.
        until: It began before this. Facts without a time match neither.
    """

    categories: Collection[Category] | None = None
    confidence: Collection[Confidence] | None = None
    importance: Importance | None = None
    sources: Collection[str] | None = None
    agents: Collection[str] | None = None
    devices: Collection[str] | None = None
    pods: Collection[str] | None = None
    entities: Collection[str] | None = None
    lifecycle: Collection[str] | None = None
    since: datetime | None = None
    until: datetime | None = None


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
        category: What kind of statement it is; None for what is kept verbatim.
        confidence: How sure the text is of it.
        importance: Whether it must surface everywhere.
        event: When what it tells of happened, if the text says so.
        replaces: Ids of the facts that it supersedes, in whole or in part; `Memory.history` has the chain.
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
    category: Category | None = None
    confidence: Confidence = "high"
    importance: Importance = "supplementary"
    event: EventTime | None = None
    replaces: tuple[str, ...] = ()
    explain: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """One recalled chunk: a stretch of a document as it stands there.

    Attributes:
        document_id: `doc_…`.
        document: The caller's key of the document, if it has one.
        version: Of the document.
        ordinal: 0-based position of the chunk in that version.
        start: Offset of the text in that version's body.
        end: Offset behind it.
        preamble: One line that says where in which document it stands.
        text: The body from `start` to `end`; a chunk reaches back over the seam to the one before.
        score: Fused relevance in (0, 1], rounded to 9 decimals; the ranking is by this, then by document and position.
        arms: What found it: `lexical`, its own words; `facts`, those of the recalled facts that were taken from it.
        source: The document's origin.
        occurred_at: When it was written, if known.
    """

    document_id: str
    document: str | None
    version: int
    ordinal: int
    start: int
    end: int
    preamble: str
    text: str
    score: float
    arms: tuple[str, ...]
    source: str
    occurred_at: datetime | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a recall found.

    Attributes:
        query: The question.
        namespace: Where it was asked.
        results: Best first.
        degraded: Whether a part of the pipeline was missing.
        degraded_reasons: Which, and why.
        chunks: With `include_chunks=True`: stretches of the documents themselves, best first; else None, and not in the body.
        timings: Milliseconds by stage; never part of the body.
    """

    query: str
    namespace: str
    results: tuple[Result, ...]
    degraded: bool
    degraded_reasons: tuple[str, ...]
    chunks: tuple[Passage, ...] | None = None
    timings: Mapping[str, float] = field(default_factory=dict, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The body as plain JSON values; times stay `datetime`."""
        results = [asdict(result) for result in self.results]
        for result in results:
            if result["explain"] is None:
                del result["explain"]
        chunks = {} if self.chunks is None else {"chunks": [asdict(chunk) for chunk in self.chunks]}
        return {
            "query": self.query,
            "namespace": self.namespace,
            "results": results,
            "degraded": self.degraded,
            "degraded_reasons": self.degraded_reasons,
            **chunks,
        }

    def to_json(self) -> bytes:
        """Canonical bytes: the same memory and query give the same ones."""
        return dumps(self.to_dict())
