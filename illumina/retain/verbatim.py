"""The extractor that changes nothing: each utterance or paragraph is one fact."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from illumina.retain.extraction import Extraction, FactDraft
from illumina.retain.sections import section_at
from illumina.text import paragraphs
from illumina.types import Segment

if TYPE_CHECKING:
    from illumina.types import Chunk, LedgerDocument


class VerbatimExtractor:
    """Names no entities, so that what it stores is linked by time and meaning only."""

    name: Final = "verbatim"
    fingerprint: Final = "verbatim/1"

    def extract(self, document: LedgerDocument, chunk: Chunk) -> Extraction:
        """One fact for each utterance or paragraph that begins in the chunk; it may end in a later one."""
        segments = document.segments
        if segments is None:
            segments = _paragraphs(document.body)
        first, behind = (bisect_left(segments, place, key=lambda segment: segment.start) for place in (chunk.start, chunk.end))
        moment = document.occurred_at
        return Extraction(
            tuple(
                FactDraft(
                    statement=document.body[segment.start : segment.end],
                    start=segment.start,
                    end=segment.end,
                    label=segment.label,
                    mentioned_at=segment.occurred_at or moment,
                    speaker=segment.speaker,
                    section=section_at(document.body, segment.start),
                )
                for segment in segments[first:behind]
            )
        )


@lru_cache(maxsize=8)
def _paragraphs(body: str) -> tuple[Segment, ...]:
    return tuple(Segment(start, end, str(position)) for position, (start, end) in enumerate(paragraphs(body), start=1))
