"""What an extractor takes and gives: one chunk of a document in, drafts of facts with their evidence out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from illumina.types import Category, Chunk, Confidence, EventTime, Importance, LedgerDocument

CausalKind = Literal["causes", "enables", "prevents"]
"""What a text states; `caused_by` is the other view of `causes`."""


@dataclass(frozen=True, slots=True)
class MentionDraft:
    """An entity named by a fact.

    Attributes:
        name: The surface form as the text has it, or what a pronoun stands for.
        kind: person, organisation, team, service, project, ticket, channel, place, product, … in lower case.
        start: Offset in the document's body of where it is named; None where only a pronoun or the speaker label names it.
        end: Offset behind it.
        homes: Names of what it is said to belong to or to be (employer, team, place, trade); see `entities.Mention`.
    """

    name: str
    kind: str | None
    start: int | None = None
    end: int | None = None
    homes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationDraft:
    """A typed relation between two entities that a fact states (`works_on`, `depends_on`, `knows`, …).

    Attributes:
        subject: Position among the fact's mentions.
        name: In snake case.
        object: Position among the fact's mentions.
    """

    subject: int
    name: str
    object: int


@dataclass(frozen=True, slots=True)
class FactDraft:
    """One statement as an extractor gives it.

    Attributes:
        statement: It stands by itself: pronouns and relative times resolved where that is safe.
        start: Offset in the body of the span that supports it; it begins within the chunk's own span.
        end: Offset behind that span.
        category: None for what is kept verbatim.
        confidence: How sure it is that the text states this.
        importance: Whether it must surface everywhere.
        event: When it happened, if the text says so.
        mentioned_at: When it was said.
        speaker: Who said it, if known.
        label: The caller's name of the utterance, or the position of the paragraph.
        section: Path of the headings above it (`Runbook > Restart`), if any.
        mentions: The entities that it names, in the order of their spans.
        relations: Relations between those.
    """

    statement: str
    start: int
    end: int
    label: str
    category: Category | None = None
    confidence: Confidence = "high"
    importance: Importance = "supplementary"
    event: EventTime | None = None
    mentioned_at: datetime | None = None
    speaker: str | None = None
    section: str | None = None
    mentions: tuple[MentionDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()


@dataclass(frozen=True, slots=True)
class CausalDraft:
    """A causal relation between two facts of one extraction.

    Attributes:
        kind: What the text states.
        cause: Position among the facts.
        effect: Position among the facts; another one than `cause`.
        cue: The words that state it.
    """

    kind: CausalKind
    cause: int
    effect: int
    cue: str


@dataclass(frozen=True, slots=True)
class Rejection:
    """A span of the body that yields no fact, and why (`question`, `greeting`, `markup`, `code`, …)."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one chunk yielded. Facts and rejections together cover all of its own span but white space.

    Attributes:
        facts: In the order of their spans.
        causal: Relations between them.
        rejections: In order, without overlap; may leave gaps of white space.
    """

    facts: tuple[FactDraft, ...]
    causal: tuple[CausalDraft, ...] = ()
    rejections: tuple[Rejection, ...] = ()


class Extractor(Protocol):
    """Makes facts of text. Holds no connection; may be called from several threads."""

    @property
    def name(self) -> str:
        """`verbatim`, `builtin`, or a model's name."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same chunk may yield something else (rules, prompt, schema, model)."""
        ...

    def extract(self, document: LedgerDocument, chunk: Chunk) -> Extraction:
        """The facts whose spans begin in the chunk's own span; what stands around it is context only.

        Raises:
            ModelUnavailableError: The model did not answer; the same call may succeed later.
            ExtractionError: It answered, and what it answered cannot be used, also after one correction.
        """
        ...
