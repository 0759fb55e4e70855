"""Facts with everything that is derived from them alone: vectors, postings, statistics."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
from pgvector import HalfVector

from illumina.models.base import euclidean_length
from illumina.text import lexemes
from illumina.types import Fact, indexed_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from illumina.models.base import IntegerVectors
    from illumina.store.database import Session


def live_of(session: Session, document: UUID) -> set[UUID]:
    """The live facts of one document."""
    # Why: a new version keeps what it still supports and retires the rest.
    rows = session.execute(
        "select fact from illumina.facts "
        "where namespace = %(namespace)s and document = %(document)s and retired_version is null",
        {"document": document},
    )
    return {row[0] for row in rows}


def embedded(session: Session, facts: Collection[UUID]) -> set[UUID]:
    """Those of `facts` that are live and so need no vector."""
    # Why: embedding is what retaining costs; never do it twice.
    rows = session.execute(
        "select fact from illumina.embeddings where namespace = %(namespace)s and fact = any(%(facts)s)",
        {"facts": list(facts)},
    )
    return {row[0] for row in rows}


def add(session: Session, facts: Sequence[Fact], vectors: Mapping[UUID, IntegerVectors]) -> None:
    """Store facts, or revive retired ones, and index them. The namespace must be locked; none may be live already."""
    if not facts:
        return
    _copy_facts(session, facts)
    _copy_embeddings(session, [(fact.id, vectors[fact.id]) for fact in facts])
    terms = {fact.id: lexemes(fact.indexed_text) for fact in facts}
    _copy_postings(session, terms)
    _count(session, len(facts), sum(map(len, terms.values())))


def keep(session: Session, facts: Sequence[Fact]) -> None:
    """Move facts that a new version still supports to their place in it."""
    # Why: spans and positions are those of the newest version, whose text is what a reader is shown.
    with session.connection.cursor() as cursor:
        cursor.executemany(
            "update illumina.facts set version = %(version)s, ordinal = %(ordinal)s, label = %(label)s, "
            "span_start = %(start)s, span_end = %(end)s where namespace = %(namespace)s and fact = %(fact)s",
            [
                {
                    "namespace": session.namespace,
                    "fact": fact.id,
                    "version": fact.version,
                    "ordinal": fact.ordinal,
                    "label": fact.segment.label,
                    "start": fact.segment.start,
                    "end": fact.segment.end,
                }
                for fact in facts
            ],
        )


def retire(session: Session, facts: Collection[UUID], version: int) -> None:
    """Take facts out of every index; they stay readable as history. The namespace must be locked."""
    if not facts:
        return
    # Why: the statement stays, its liveness ends; its text says which postings it had.
    rows = session.execute(
        "update illumina.facts set retired_version = %(version)s where namespace = %(namespace)s and fact = any(%(facts)s) "
        "returning fact, speaker, content",
        {"facts": list(facts), "version": version},
    ).fetchall()
    # Why: embeddings hold live facts only.
    session.execute(
        "delete from illumina.embeddings where namespace = %(namespace)s and fact = any(%(facts)s)",
        {"facts": list(facts)},
    )
    terms = {fact: lexemes(indexed_text(speaker, content)) for fact, speaker, content in rows}
    pairs = [(lexeme, fact) for fact, found in terms.items() for lexeme in set(found)]
    # Why: by primary key; the lexemes are recomputed, so no second index is needed.
    session.execute(
        "delete from illumina.postings p using unnest(%(lexemes)s::text[], %(facts)s::uuid[]) as gone (lexeme, fact) "
        "where p.namespace = %(namespace)s and p.lexeme = gone.lexeme and p.fact = gone.fact",
        {"lexemes": [lexeme for lexeme, _ in pairs], "facts": [fact for _, fact in pairs]},
    )
    _forget_lexemes(session, Counter(lexeme for lexeme, _ in pairs))
    _count(session, -len(rows), -sum(map(len, terms.values())))


def _copy_facts(session: Session, facts: Sequence[Fact]) -> None:
    types = ["uuid", "uuid", "int4", "int4", "text", "int4", "int4", "text", "text", "timestamptz", "text", "uuid"]
    columns = (
        "fact, document, version, ordinal, label, span_start, span_end, source, speaker, occurred_at, content, content_digest"
    )
    rows = (
        (
            fact.id,
            fact.document,
            fact.version,
            fact.ordinal,
            fact.segment.label,
            fact.segment.start,
            fact.segment.end,
            fact.source,
            fact.segment.speaker,
            fact.segment.occurred_at,
            fact.content,
            fact.content_digest,
        )
        for fact in facts
    )
    with _incoming(session, "facts", columns, types, rows):
        # Why: a fact that an older version had comes back to life under its old id.
        session.execute(
            f"insert into illumina.facts (namespace, {columns}) select %(namespace)s, {columns} from incoming_facts "
            "on conflict (namespace, fact) do update set retired_version = null, version = excluded.version, "
            "ordinal = excluded.ordinal, label = excluded.label, "
            "span_start = excluded.span_start, span_end = excluded.span_end"
        )


def _copy_embeddings(session: Session, vectors: Sequence[tuple[UUID, IntegerVectors]]) -> None:
    rows = ((fact, euclidean_length(vector), HalfVector(vector.astype(np.float16))) for fact, vector in vectors)
    with _incoming(session, "embeddings", "fact, norm, embedding", ["uuid", "float8", "halfvec"], rows):
        # Why: a namespace above the threshold has its vectors in the HNSW index.
        session.execute(
            "insert into illumina.embeddings (namespace, fact, approximate, norm, embedding) "
            "select n.namespace, i.fact, n.approximate, i.norm, i.embedding "
            "from incoming_embeddings i, illumina.namespaces n where n.namespace = %(namespace)s"
        )


def _copy_postings(session: Session, terms: Mapping[UUID, Sequence[str]]) -> None:
    rows = (
        (lexeme, fact, frequency, len(found)) for fact, found in terms.items() for lexeme, frequency in Counter(found).items()
    )
    with _incoming(session, "postings", "lexeme, fact, frequency, length", ["text", "uuid", "int4", "int4"], rows):
        # Why: in key order, so that the index is filled page by page.
        session.execute(
            "insert into illumina.postings (namespace, lexeme, fact, frequency, length) "
            "select %(namespace)s, lexeme, fact, frequency, length from incoming_postings order by lexeme, fact"
        )
        # Why: document frequencies are kept, not counted at each recall.
        session.execute(
            "insert into illumina.lexemes as l (namespace, lexeme, facts) "
            "select %(namespace)s, lexeme, count(*) from incoming_postings group by lexeme order by lexeme "
            "on conflict (namespace, lexeme) do update set facts = l.facts + excluded.facts"
        )


def _forget_lexemes(session: Session, gone: Counter[str]) -> None:
    parameters = {"lexemes": list(gone), "counts": list(gone.values())}
    # Why: a lexeme that nobody uses any more leaves no trace.
    session.execute(
        "delete from illumina.lexemes l using unnest(%(lexemes)s::text[], %(counts)s::bigint[]) as gone (lexeme, facts) "
        "where l.namespace = %(namespace)s and l.lexeme = gone.lexeme and l.facts = gone.facts",
        parameters,
    )
    # Why: the others have fewer facts now.
    session.execute(
        "update illumina.lexemes l set facts = l.facts - gone.facts "
        "from unnest(%(lexemes)s::text[], %(counts)s::bigint[]) as gone (lexeme, facts) "
        "where l.namespace = %(namespace)s and l.lexeme = gone.lexeme",
        parameters,
    )


def _count(session: Session, facts: int, length: int) -> None:
    # Why: N and the mean length of BM25, kept with the facts in one transaction.
    session.execute(
        "update illumina.namespaces set facts = facts + %(facts)s, lexemes = lexemes + %(length)s "
        "where namespace = %(namespace)s",
        {"facts": facts, "length": length},
    )


@contextmanager
def _incoming(session: Session, table: str, columns: str, types: list[str], rows: Iterable[tuple[Any, ...]]) -> Iterator[None]:
    """COPY into a temporary table: PostgreSQL refuses to copy straight into a table with row-level security."""
    with session.connection.cursor() as cursor:
        cursor.execute(
            f"create temporary table incoming_{table} on commit drop as "
            f"select {columns} from illumina.{table} with no data".encode()
        )
        with cursor.copy(f"copy incoming_{table} ({columns}) from stdin with (format binary)".encode()) as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)
        yield
        cursor.execute(f"drop table incoming_{table}".encode())
