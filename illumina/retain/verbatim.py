"""The extractor that changes nothing: each utterance or paragraph is one fact."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from illumina.canonical import timestamp
from illumina.ids import content_uuid
from illumina.text import paragraphs
from illumina.types import Fact, Segment

if TYPE_CHECKING:
    from illumina.types import LedgerDocument


def extract(document: LedgerDocument) -> list[Fact]:
    """The document's facts in their order. Pure.

    A fact's id comes from the document, the words, who said them and when, so a paragraph that a new version keeps is the
    same fact wherever it now stands; equal ones within a document are told apart by their count.
    """
    segments = document.segments
    if segments is None:
        segments = tuple(
            Segment(start, end, str(position), occurred_at=document.occurred_at)
            for position, (start, end) in enumerate(paragraphs(document.body), start=1)
        )
    seen: Counter[tuple[str, str | None, str | None]] = Counter()
    facts = []
    for ordinal, segment in enumerate(segments):
        content = document.body[segment.start : segment.end]
        moment = None if segment.occurred_at is None else timestamp(segment.occurred_at)
        same = (content, segment.speaker, moment)
        facts.append(
            Fact(
                id=content_uuid("fact", document.id.hex, content, segment.speaker, moment, seen[same]),
                document=document.id,
                version=document.version,
                ordinal=ordinal,
                segment=segment,
                source=document.source,
                content=content,
            )
        )
        seen[same] += 1
    return facts
