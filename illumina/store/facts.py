"""Facts with everything that is derived from them alone: vectors, postings, statistics."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import numpy as np
from pgvector import HalfVector

from illumina.models.base import euclidean_length
from illumina.store import blocks
from illumina.text import lexemes
from illumina.types import Fact, indexed_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from illumina.models.base import IntegerVectors
    from illumina.store.database import Session


def live_of(session: Session, document: UUID) -> set[UUID]:
    """The facts of one document that its newest version supports."""
    # Why: a new version keeps what it still supports and retires the rest.
    rows = session.execute(
        "select fact from illumina.facts "
        "where namespace = %(namespace)s and document = %(document)s and retired_version is null",
        {"document": document},
    )
    return {row[0] for row in rows}


def spans(session: Session, document: UUID, version: int) -> list[tuple[UUID, int, int]]:
    """The facts of one version that is not superseded, and where they stand in it."""
    # Why: the account of a document.
    rows = session.execute(
        "select fact, span_start, span_end from illumina.facts where namespace = %(namespace)s "
        "and document = %(document)s and version = %(version)s and retired_version is null order by span_start, span_end, fact",
        {"document": document, "version": version},
    )
    return rows.fetchall()


def counts(session: Session, documents: Collection[UUID]) -> dict[tuple[UUID, int], int]:
    """How many facts each document's newest version supports, by document and version; none where there are none."""
    # Why: what a receipt tells.
    rows = session.execute(
        "select document, version, count(*) from illumina.facts "
        "where namespace = %(namespace)s and document = any(%(documents)s) and retired_version is null group by 1, 2",
        {"documents": list(documents)},
    )
    return {(document, version): count for document, version, count in rows}


def embedded(session: Session, facts: Collection[UUID]) -> set[UUID]:
    """Those of `facts` that have a vector."""
    # Why: embedding is what retaining costs; never do it twice.
    rows = session.execute(
        "select fact from illumina.embeddings where namespace = %(namespace)s and fact = any(%(facts)s)",
        {"facts": list(facts)},
    )
    return {row[0] for row in rows}


def add(session: Session, facts: Sequence[Fact], vectors: Mapping[UUID, IntegerVectors]) -> None:
    """Store facts, or revive retired ones, and index them. The namespace must be locked; none may be live already.

    Args:
        session: A writing one.
        facts: New or retired.
        vectors: Of those that have none yet.
    """
    if not facts:
        return
    _copy_facts(session, facts)
    _copy_embeddings(session, [(fact.id, vectors[fact.id]) for fact in facts if fact.id in vectors])
    # Why: what was retired is found again.
    session.execute(
        "update illumina.embeddings set superseded = false "
        "where namespace = %(namespace)s and fact = any(%(facts)s) and superseded",
        {"facts": [fact.id for fact in facts]},
    )
    blocks.change(session, added=[fact.id for fact in facts])
    _add_postings(session, {fact.id: fact.indexed_text for fact in facts})


def keep(session: Session, facts: Sequence[Fact]) -> None:
    """Give facts that a new version still supports their place in it, and what it says of them."""
    if facts:
        _copy_facts(session, facts)


def retire(session: Session, facts: Collection[UUID], version: int) -> None:
    """Take facts out of what a recall finds; they stay readable as history. The namespace must be locked."""
    if not facts:
        return
    # Why: a superseded fact is in no index any more.
    indexed = _texts(session, facts, superseded=False)
    # Why: the statement stays, its liveness ends.
    session.execute(
        "update illumina.facts set retired_version = %(version)s, superseded = false "
        "where namespace = %(namespace)s and fact = any(%(facts)s)",
        {"facts": list(facts), "version": version},
    )
    # Why: a question about the past still finds them, and a later version may bring them back.
    session.execute(
        "update illumina.embeddings set superseded = true where namespace = %(namespace)s and fact = any(%(facts)s)",
        {"facts": list(facts)},
    )
    blocks.change(session, removed=facts)
    _remove_postings(session, indexed)


def remove(session: Session, facts: Collection[UUID]) -> dict[str, int]:
    """Take facts that are to be deleted out of every index; returns the rows removed, by table. The namespace is locked."""
    # Why: neither retired nor superseded facts are in the postings.
    postings = _remove_postings(session, _texts(session, facts, superseded=False))
    # Why: retired and superseded ones have one too.
    embeddings = session.execute(
        "delete from illumina.embeddings where namespace = %(namespace)s and fact = any(%(facts)s)",
        {"facts": list(facts)},
    ).rowcount
    blocks.change(session, removed=facts)
    return {"postings": postings, "embeddings": embeddings}


def bury(session: Session, facts: Collection[UUID]) -> None:
    """Take superseded facts out of what a recall finds. The namespace must be locked; none may be buried already."""
    _remove_postings(session, _texts(session, facts, superseded=False))
    _mark_superseded(session, facts, superseded=True)
    blocks.change(session, removed=facts)


def revive(session: Session, facts: Collection[UUID]) -> None:
    """Let facts be found again that nothing supersedes any more. The namespace must be locked; all must be buried."""
    _add_postings(session, _texts(session, facts, superseded=True))
    _mark_superseded(session, facts, superseded=False)
    blocks.change(session, added=facts)


def reindex(session: Session, facts: Collection[UUID]) -> None:
    """Make postings, statistics and blocks anew, of the given facts: all that are not retired. None may be superseded."""
    for table in ("postings", "lexemes"):
        # Why: a rebuild believes nothing of what is there.
        session.execute(f"delete from illumina.{table} where namespace = %(namespace)s")
    # Why: counted again with the postings.
    session.execute("update illumina.namespaces set facts = 0, lexemes = 0 where namespace = %(namespace)s")
    _add_postings(session, _texts(session, facts, superseded=False))
    blocks.rebuild(session)


def _texts(session: Session, facts: Collection[UUID], *, superseded: bool) -> dict[UUID, str]:
    # Why: the text says which postings a fact has, so no second index is needed.
    rows = session.execute(
        "select fact, speaker, content from illumina.facts where namespace = %(namespace)s and fact = any(%(facts)s) "
        "and retired_version is null and superseded = %(superseded)s",
        {"facts": list(facts), "superseded": superseded},
    )
    return {fact: indexed_text(speaker, content) for fact, speaker, content in rows}


def _mark_superseded(session: Session, facts: Collection[UUID], *, superseded: bool) -> None:
    for table in ("facts", "embeddings"):
        # Why: kept with the vector too, so that the scan reads nothing else.
        session.execute(
            f"update illumina.{table} set superseded = %(superseded)s "
            "where namespace = %(namespace)s and fact = any(%(facts)s)",
            {"facts": list(facts), "superseded": superseded},
        )


def _copy_facts(session: Session, facts: Sequence[Fact]) -> None:
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
            fact.chunk,
            fact.section,
            fact.category,
            fact.confidence,
            fact.importance,
            fact.event and fact.event.start,
            fact.event and fact.event.end,
            fact.event and fact.event.precision,
        )
        for fact in facts
    )
    columns = ", ".join(_FACT_COLUMNS)
    with _incoming(session, "facts", columns, list(_FACT_COLUMNS.values()), rows):
        # Why: a fact that an older version had keeps its id, its age and its lifecycle, and comes back to life; all else is as
        # the newest version has it.
        session.execute(
            f"insert into illumina.facts as f (namespace, {columns}, agent, device, visibility, pods, recorded_at, said_at) "
            f"select %(namespace)s, {', '.join(f'i.{name}' for name in _FACT_COLUMNS)}, "
            "d.agent, d.device, d.visibility, d.pods, d.recorded_at, i.occurred_at "
            "from incoming_facts i join illumina.documents d "
            "on d.namespace = %(namespace)s and d.document = i.document and d.version = i.version "
            "on conflict (namespace, fact) do update set retired_version = null, said_at = least(f.said_at, excluded.said_at), "
            + ", ".join(f"{name} = excluded.{name}" for name in (*_FACT_COLUMNS, "agent", "device", "visibility", "pods"))
        )


_FACT_COLUMNS: Final = {
    "fact": "uuid",
    "document": "uuid",
    "version": "int4",
    "ordinal": "int4",
    "label": "text",
    "span_start": "int4",
    "span_end": "int4",
    "source": "text",
    "speaker": "text",
    "occurred_at": "timestamptz",
    "content": "text",
    "content_digest": "uuid",
    "chunk": "int4",
    "section": "text",
    "category": "text",
    "confidence": "text",
    "importance": "text",
    "event_start": "timestamptz",
    "event_end": "timestamptz",
    "event_precision": "text",
}
"""What an extraction says of a fact, and the types in which it travels."""


def _copy_embeddings(session: Session, vectors: Sequence[tuple[UUID, IntegerVectors]]) -> None:
    rows = ((fact, euclidean_length(vector), HalfVector(vector.astype(np.float16))) for fact, vector in vectors)
    with _incoming(session, "embeddings", "fact, norm, embedding", ["uuid", "float8", "halfvec"], rows):
        # Why: a namespace above the threshold has its vectors in the HNSW index.
        session.execute(
            "insert into illumina.embeddings (namespace, fact, approximate, norm, embedding) "
            "select n.namespace, i.fact, n.approximate, i.norm, i.embedding "
            "from incoming_embeddings i, illumina.namespaces n where n.namespace = %(namespace)s"
        )


def _add_postings(session: Session, texts: Mapping[UUID, str]) -> None:
    terms = {fact: lexemes(text) for fact, text in texts.items()}
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
    _count(session, len(terms), sum(map(len, terms.values())))


def _remove_postings(session: Session, texts: Mapping[UUID, str]) -> int:
    terms = {fact: lexemes(text) for fact, text in texts.items()}
    pairs = [(lexeme, fact) for fact, found in terms.items() for lexeme in set(found)]
    # Why: by primary key; the lexemes are recomputed, so no second index is needed.
    removed = session.execute(
        "delete from illumina.postings p using unnest(%(lexemes)s::text[], %(facts)s::uuid[]) as gone (lexeme, fact) "
        "where p.namespace = %(namespace)s and p.lexeme = gone.lexeme and p.fact = gone.fact",
        {"lexemes": [lexeme for lexeme, _ in pairs], "facts": [fact for _, fact in pairs]},
    ).rowcount
    _forget_lexemes(session, Counter(lexeme for lexeme, _ in pairs))
    _count(session, -len(terms), -sum(map(len, terms.values())))
    return removed


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
