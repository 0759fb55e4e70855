"""From chunks to facts with ids, and an outcome for every character of the document."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from illumina.canonical import timestamp
from illumina.errors import ExtractionError
from illumina.ids import content_uuid
from illumina.retain.chunk import chunk
from illumina.retain.extraction import Extraction, Rejection
from illumina.types import Fact, Segment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from uuid import UUID

    from illumina.retain.extraction import CausalKind, Extractor, FactDraft, MentionDraft, RelationDraft
    from illumina.types import Chunk, LedgerDocument

SPEAKER = "speaker"
"""Reason for a speaker's name in front of an utterance: it is kept as the fact's speaker."""

UNUSED = "no statement"
"""Reason for what an extractor left without a word."""


@dataclass(frozen=True, slots=True)
class CausalFact:
    """A stated causal relation between two facts."""

    cause: UUID
    effect: UUID
    kind: CausalKind
    cue: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one chunk.

    Attributes:
        chunk: The chunk.
        rejections: Spans that yield no fact.
        failure: Why nothing could be extracted, if so; it can be retried.
    """

    chunk: Chunk
    rejections: tuple[Rejection, ...] = ()
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a document yielded.

    Attributes:
        document: The document.
        extractor: Name and fingerprint of what made it.
        facts: In the order of their spans.
        mentions: Of each fact that names entities.
        relations: Of each fact that states some.
        causal: Between facts.
        outcomes: One for each chunk.
    """

    document: LedgerDocument
    extractor: str
    facts: tuple[Fact, ...]
    outcomes: tuple[Outcome, ...]
    mentions: Mapping[UUID, tuple[MentionDraft, ...]] = field(default_factory=dict)
    relations: Mapping[UUID, tuple[RelationDraft, ...]] = field(default_factory=dict)
    causal: tuple[CausalFact, ...] = ()


def extract(document: LedgerDocument, chunks: Sequence[Chunk], extractor: Extractor) -> Extracted:
    """Read every chunk; one whose answer cannot be used fails alone.

    A fact's id comes from the document, the words, who said them and when, so a statement that a new version keeps is the same
    fact wherever it now stands; equal ones within a document are told apart by their count.

    Raises:
        ModelUnavailableError: The model did not answer; the whole document is to be tried again later.
    """
    facts: list[Fact] = []
    causal: dict[tuple[UUID, str, UUID], CausalFact] = {}
    mentions: dict[UUID, tuple[MentionDraft, ...]] = {}
    relations: dict[UUID, tuple[RelationDraft, ...]] = {}
    outcomes: list[Outcome] = []
    seen: Counter[tuple[str, str | None, str | None]] = Counter()
    covered = 0
    for part in chunks:
        try:
            found = extractor.extract(document, part)
        except ExtractionError as error:
            outcomes.append(Outcome(part, failure=str(error)))
            continue
        made: list[Fact] = []
        for draft in found.facts:
            moment = None if draft.mentioned_at is None else timestamp(draft.mentioned_at)
            same = (draft.statement, draft.speaker, moment)
            fact = content_uuid("fact", document.id.hex, *same, seen[same])
            seen[same] += 1
            made.append(_fact(document, part, draft, fact, len(facts) + len(made)))
            if draft.mentions:
                mentions[fact] = draft.mentions
            if draft.relations:
                relations[fact] = draft.relations
        for stated in found.causal:
            cause, effect = made[stated.cause].id, made[stated.effect].id
            causal.setdefault((cause, stated.kind, effect), CausalFact(cause, effect, stated.kind, stated.cue))
        facts += made
        outcomes.append(Outcome(part, tuple(_rejections(document, part, found, covered))))
        covered = max(covered, part.end, *(draft.end for draft in found.facts))
    return Extracted(
        document,
        f"{extractor.name} {extractor.fingerprint}",
        tuple(facts),
        tuple(outcomes),
        mentions,
        relations,
        tuple(causal.values()),
    )


def facts_of(document: LedgerDocument, extractor: Extractor) -> tuple[Fact, ...]:
    """The facts that a prepared document would have; nothing is stored."""
    return extract(document, chunk(document), extractor).facts


def _fact(document: LedgerDocument, part: Chunk, draft: FactDraft, fact: UUID, ordinal: int) -> Fact:
    return Fact(
        id=fact,
        document=document.id,
        version=document.version,
        ordinal=ordinal,
        segment=Segment(draft.start, draft.end, draft.label, draft.speaker, draft.mentioned_at),
        source=document.source,
        content=draft.statement,
        chunk=part.ordinal,
        section=draft.section,
        category=draft.category,
        confidence=draft.confidence,
        importance=draft.importance,
        event=draft.event,
    )


def _rejections(document: LedgerDocument, part: Chunk, found: Extraction, covered: int) -> Iterator[Rejection]:
    """The extractor's rejections, and one for whatever else no fact covers but white space.

    Args:
        document: Whose body it is.
        part: The chunk.
        found: What it yielded.
        covered: Offset up to which a fact of an earlier chunk reaches.
    """
    spans = sorted(
        [(draft.start, draft.end, "") for draft in found.facts]
        + [(rejection.start, rejection.end, rejection.reason) for rejection in found.rejections]
    )
    place = max(part.start, min(covered, part.end))
    for start, end, reason in [*spans, (part.end, part.end, "")]:
        if start > place:
            yield from _left(document, place, start)
        if reason and end > max(start, place):
            yield Rejection(max(start, place), end, reason)
        place = max(place, end)


def _left(document: LedgerDocument, start: int, end: int) -> Iterator[Rejection]:
    piece = document.body[start:end]
    if stripped := piece.strip():
        first = start + piece.index(stripped)
        yield Rejection(first, first + len(stripped), UNUSED if _spoken(document, first, end) else SPEAKER)


def _spoken(document: LedgerDocument, start: int, end: int) -> bool:
    """Whether a span touches what somebody says, not only the names in front of it."""
    if document.segments is None:
        return True
    place = bisect_right(document.segments, start, key=lambda segment: segment.end)
    return place < len(document.segments) and document.segments[place].start < end
