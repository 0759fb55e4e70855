"""The ingestion account: what became of every character of a document."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from illumina.errors import InvalidInputError
from illumina.ids import DOCUMENT_PREFIX, FACT_PREFIX, public_id
from illumina.store import chunks, facts, jobs
from illumina.store import documents as ledger

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from uuid import UUID

    from illumina.store.chunks import Row
    from illumina.store.database import Session

OutcomeKind = Literal["extracted", "rejected", "failed", "pending"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Accounted:
    """A span of a document's body with its outcome.

    Attributes:
        start: Offset of its first character.
        end: Offset behind its last.
        outcome: `extracted`: facts rest on it; `rejected`: it yields none, `reason` says why; `failed`: nothing could be made
            of it yet, `reason` says why, and it can be retried; `pending`: it was not read yet.
        reason: See `outcome`; empty for what was extracted or is pending.
        facts: `fct_…` of the facts that rest on it.
    """

    start: int
    end: int
    outcome: OutcomeKind
    reason: str = ""
    facts: tuple[str, ...] = ()


def of(session: Session, document: UUID) -> list[Accounted]:
    """The account of a document's newest version; see `account`.

    Raises:
        InvalidInputError: There is no such document.
    """
    found = ledger.read(session, document)
    if found is None:
        raise InvalidInputError(
            f"There is no document {public_id(DOCUMENT_PREFIX, document)} in {session.name}. It may have been forgotten."
        )
    spans = [(start, end, public_id(FACT_PREFIX, fact)) for fact, start, end in facts.spans(session, document, found.version)]
    rows = chunks.read(session, document, found.version)
    if job := jobs.find(session, "extract", document, found.version):
        # What is pending has failed if nobody is going to read it.
        state = "failed" if job.state == "dead" else "pending"
        rows = [row._replace(state=state, reason=job.reason) if row.state == "pending" else row for row in rows]
    return account(found.body, rows, spans)


def account(body: str, rows: Sequence[Row], spans: Iterable[tuple[int, int, str]]) -> list[Accounted]:
    """Cut a body into spans with one outcome each, in order and without a gap.

    Where facts rest on parts of one another's spans, each part lists all of them.

    Args:
        body: The full text.
        rows: What became of each chunk.
        spans: Start, end and public id of each fact of this version.

    Raises:
        AssertionError: A character that is not white space has no outcome; a defect of the pipeline, never of the input.
    """
    told = list(_extracted(sorted(spans)))
    rejected = [Accounted(start, end, "rejected", why) for row in rows for start, end, why in row.rejected]
    undone = [
        Accounted(row.chunk.start, row.chunk.end, "failed" if row.state == "failed" else "pending", row.reason or "")
        for row in rows
        if row.state != "extracted"
    ]
    for level in (rejected, undone):
        told = sorted([*told, *_within(level, _gaps(told, len(body)))], key=lambda span: span.start)
    for start, end in list(_gaps(told, len(body))):
        assert not body[start:end].strip(), f"characters {start} to {end} have no outcome"
        told.append(Accounted(start, end, "rejected", "white space"))
    return sorted(told, key=lambda span: span.start)


def _extracted(spans: Sequence[tuple[int, int, str]]) -> Iterator[Accounted]:
    """The stretches between all starts and ends, each with the facts that rest on it."""
    places = sorted({place for start, end, _ in spans for place in (start, end)})
    open_facts: dict[str, int] = {}
    following = iter([*spans, None])
    upcoming = next(following)
    for start, end in itertools.pairwise(places):
        open_facts = {fact: stop for fact, stop in open_facts.items() if stop > start}
        while upcoming is not None and upcoming[0] <= start:
            open_facts[upcoming[2]] = upcoming[1]
            upcoming = next(following)
        if open_facts:
            yield Accounted(start, end, "extracted", facts=tuple(open_facts))


def _gaps(told: Sequence[Accounted], length: int) -> Iterator[Span]:
    place = 0
    for span in told:
        if span.start > place:
            yield place, span.start
        place = max(place, span.end)
    if place < length:
        yield place, length


def _within(level: Sequence[Accounted], gaps: Iterator[Span]) -> Iterator[Accounted]:
    """The parts of `level`, in order and without overlap, that lie in `gaps`."""
    pending = iter(sorted(level, key=lambda span: span.start))
    span = next(pending, None)
    for start, end in gaps:
        while span is not None and span.end <= start:
            span = next(pending, None)
        while span is not None and span.start < end:
            yield Accounted(max(span.start, start), min(span.end, end), span.outcome, span.reason)
            if span.end > end:
                break
            span = next(pending, None)
