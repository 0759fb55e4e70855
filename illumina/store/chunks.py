"""Chunks of documents, and what became of each."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from illumina.canonical import dumps
from illumina.text import lexemes
from illumina.types import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from uuid import UUID

    from illumina.retain.extract import Outcome
    from illumina.store.database import Session
    from illumina.types import LedgerDocument


class Row(NamedTuple):
    """A chunk as it stands in the ledger; `rejected` has start, end and reason of each span that yields no fact."""

    chunk: Chunk
    state: str
    rejected: tuple[tuple[int, int, str], ...]
    reason: str | None


def insert(session: Session, chunks: Iterable[tuple[LedgerDocument, Sequence[Chunk]]]) -> None:
    """Store the chunks of new versions; all are pending."""
    # Why: stored with the text, so that every span of it has a state from the first moment on.
    with session.connection.cursor() as cursor:
        cursor.executemany(
            "insert into illumina.chunks "
            "(namespace, document, version, ordinal, span_start, span_end, context_start, preamble, "
            "lexemes, frequencies, length, state) values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 'pending')",
            [
                (
                    session.namespace,
                    document.id,
                    document.version,
                    chunk.ordinal,
                    chunk.start,
                    chunk.end,
                    chunk.context_start,
                    chunk.preamble,
                    *_terms(document, chunk),
                )
                for document, found in chunks
                for chunk in found
            ],
        )


def describe(session: Session, document: LedgerDocument, chunks: Iterable[Chunk]) -> None:
    """Give chunks their preambles and lexemes anew, of a text that is not what it was."""
    # Why: what was forgotten in the text must not be found by its chunks either.
    with session.connection.cursor() as cursor:
        cursor.executemany(
            "update illumina.chunks set preamble = %s, lexemes = %s, frequencies = %s, length = %s "
            "where namespace = %s and document = %s and version = %s and ordinal = %s",
            [
                (
                    chunk.preamble,
                    *_terms(document, chunk),
                    session.namespace,
                    document.id,
                    document.version,
                    chunk.ordinal,
                )
                for chunk in chunks
            ],
        )


def _terms(document: LedgerDocument, chunk: Chunk) -> tuple[list[str], list[int], int]:
    """What a chunk is found by: distinct lexemes in their order, how often each occurs, how many there are in all."""
    found = Counter(lexemes(f"{chunk.preamble} {document.body[chunk.context_start : chunk.end]}"))
    terms = sorted(found)
    return terms, [found[term] for term in terms], found.total()


def read(session: Session, document: UUID, version: int) -> list[Row]:
    """The chunks of one version in their order."""
    # Why: what an extractor is given, and what the account shows.
    rows = session.execute(
        "select ordinal, span_start, span_end, context_start, preamble, state, rejected, reason from illumina.chunks "
        "where namespace = %(namespace)s and document = %(document)s and version = %(version)s order by ordinal",
        {"document": document, "version": version},
    )
    return [
        Row(
            Chunk(ordinal, start, end, context, preamble),
            state,
            tuple((first, behind, why) for first, behind, why in rejected),
            reason,
        )
        for ordinal, start, end, context, preamble, state, rejected, reason in rows
    ]


def settle(session: Session, document: LedgerDocument, outcomes: Sequence[Outcome]) -> None:
    """Write down what became of each chunk."""
    # Why: in the transaction of the facts, so that the account always adds up.
    session.execute(
        "update illumina.chunks c set state = o.state, rejected = o.rejected, reason = o.reason "
        "from unnest(%(ordinals)s::int[], %(states)s::text[], %(rejected)s::jsonb[], %(reasons)s::text[]) "
        "as o (ordinal, state, rejected, reason) "
        "where c.namespace = %(namespace)s and c.document = %(document)s and c.version = %(version)s and c.ordinal = o.ordinal",
        {
            "document": document.id,
            "version": document.version,
            "ordinals": [outcome.chunk.ordinal for outcome in outcomes],
            "states": ["extracted" if outcome.failure is None else "failed" for outcome in outcomes],
            "rejected": [dumps([[r.start, r.end, r.reason] for r in outcome.rejections]).decode() for outcome in outcomes],
            "reasons": [outcome.failure for outcome in outcomes],
        },
    )


def failed(session: Session) -> list[tuple[UUID, int]]:
    """Documents and versions with a failed chunk, in order; superseded versions are let be."""
    # Why: what `retry` takes up.
    rows = session.execute(
        "select distinct c.document, c.version from illumina.chunks c join illumina.documents d on "
        "d.namespace = %(namespace)s and d.document = c.document and d.version = c.version "
        "where c.namespace = %(namespace)s and c.state = 'failed' and d.state <> 'superseded' order by c.document, c.version"
    )
    return [(document, version) for document, version in rows]
