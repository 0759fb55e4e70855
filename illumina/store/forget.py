"""Deletion: every row of some documents or facts, in an order that the foreign keys allow, counted by table."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING, Final
from uuid import UUID

from illumina.canonical import dumps
from illumina.store.calls import release, release_pairs
from illumina.store.facts import remove as remove_from_indexes
from illumina.types import PATH_SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from illumina.store.database import Session

REDACTED: Final = "█"
"""Stands for every character of a forgotten statement, so that all other offsets stay true."""

FORGOTTEN: Final = "forgotten"
"""Reason of a rejected span whose fact was forgotten."""

_BY_FACT: Final = (
    ("links", "source"),
    ("links", "target"),
    ("suspects", "fact"),
    ("suspects", "because"),
    ("supersessions", "old"),
    ("supersessions", "new"),
    ("claims", "fact"),
    ("causal", "cause"),
    ("causal", "effect"),
    ("accesses", "fact"),
    ("stale", "fact"),
    ("rulings", "one"),
    ("rulings", "other"),
    ("judgements", "old"),
    ("judgements", "new"),
    ("jobs", "fact"),
)
"""Tables and columns that name a fact."""

_BY_DOCUMENT: Final = ("jobs", "chunks", "documents")


def documents_of(session: Session, source: str) -> set[UUID]:
    """All documents of one origin."""
    # Why: an origin is forgotten document by document.
    rows = session.execute(
        "select distinct document from illumina.documents where namespace = %(namespace)s and source = %(source)s",
        {"source": source},
    )
    return {document for (document,) in rows}


def all_documents(session: Session) -> set[UUID]:
    """All documents of the namespace."""
    # Why: a namespace is forgotten document by document too, in one transaction.
    rows = session.execute("select distinct document from illumina.documents where namespace = %(namespace)s")
    return {document for (document,) in rows}


def facts_of(session: Session, documents: Collection[UUID]) -> set[UUID]:
    """All facts of some documents, retired ones too."""
    # Why: history goes as well.
    rows = session.execute(
        "select fact from illumina.facts where namespace = %(namespace)s and document = any(%(documents)s)",
        {"documents": list(documents)},
    )
    return {fact for (fact,) in rows}


def exists(session: Session, fact: UUID) -> bool:
    """Whether the namespace has this fact, live or not."""
    # Why: by primary key.
    return bool(
        session.execute(
            "select 1 from illumina.facts where namespace = %(namespace)s and fact = %(fact)s", {"fact": fact}
        ).fetchone()
    )


def forget_facts(session: Session, facts: Collection[UUID]) -> Counter[str]:
    """Delete facts and every row that names one of them; their mentions must be gone."""
    removed = release_pairs(session, facts)
    for table, column in _BY_FACT:
        removed[table] += _delete(session, table, column, facts)
    removed.update(remove_from_indexes(session, facts))
    removed["facts"] += _delete(session, "facts", "fact", facts)
    return removed


def forget_documents(session: Session, documents: Collection[UUID]) -> Counter[str]:
    """Delete documents whose facts are gone, in all versions, with their jobs and the model calls made for them alone."""
    removed = release(session, documents)
    for table in _BY_DOCUMENT:
        removed[table] += _delete(session, table, "document", documents)
    # Why: a namespace of which nothing is left was never there, but for its policy.
    for table, condition in (("stale", ""), ("jobs", ""), ("spending", ""), ("namespaces", "and not lifecycle ")):
        removed[table] += session.execute(
            f"delete from illumina.{table} where namespace = %(namespace)s {condition}and not exists ("
            "  select from illumina.documents where namespace = %(namespace)s)"
        ).rowcount
    # Why: the policy does not keep a namespace large that is empty.
    session.execute(
        "update illumina.namespaces set approximate = false where namespace = %(namespace)s and approximate and not exists ("
        "  select from illumina.documents where namespace = %(namespace)s)"
    )
    return removed


def redact(session: Session, fact: UUID) -> tuple[Counter[str], list[tuple[UUID, int]]]:
    """Make a fact's words unreadable in every version of its document, but for characters on which another fact rests.

    In another version, or elsewhere in the same, the words go where they stand by themselves. The document's digest stays, so
    that retaining the same text again is still the same version and brings nothing back. Model calls for its chunk go, since
    they quote it.

    Returns:
        The rows removed, by table, and the documents and versions whose text is not what it was.
    """
    # Why: where it stands.
    document, version, chunk, start, end = session.execute(
        "select document, version, chunk, span_start, span_end from illumina.facts "
        "where namespace = %(namespace)s and fact = %(fact)s",
        {"fact": fact},
    ).fetchone()  # type: ignore[misc]
    # Why: what the other facts of the document rest on, in each version.
    others: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for other, first, behind in session.execute(
        "select version, span_start, span_end from illumina.facts "
        "where namespace = %(namespace)s and document = %(document)s and fact <> %(fact)s",
        {"document": document, "fact": fact},
    ):
        others[other].append((first, behind))
    # Why: other versions have the same words.
    bodies = dict(
        session.execute(
            "select version, body from illumina.documents where namespace = %(namespace)s and document = %(document)s",
            {"document": document},
        ).fetchall()
    )
    overlapping = [(first, behind) for first, behind in others[version] if first < end and behind > start]
    pieces = _free(start, end, overlapping)
    words = {bodies[version][first:behind].strip() for first, behind in pieces} - {""}
    changed: list[tuple[UUID, int]] = []
    for number, body in bodies.items():
        places = [*_places(body, words, others[number]), *(pieces if number == version else [])]
        if places:
            changed.append((document, number))
            # Why: the text is kept but for these characters.
            session.execute(
                "update illumina.documents set body = %(body)s "
                "where namespace = %(namespace)s and document = %(document)s and version = %(version)s",
                {"body": _covered(body, places), "document": document, "version": number},
            )
    _cover_sections(session, document, words)
    # Why: the account says what became of the span.
    session.execute(
        "update illumina.chunks set rejected = rejected || %(spans)s::jsonb where namespace = %(namespace)s "
        "and document = %(document)s and version = %(version)s and ordinal = %(chunk)s",
        {
            "spans": dumps([[first, behind, FORGOTTEN] for first, behind in pieces]).decode(),
            "document": document,
            "version": version,
            "chunk": chunk,
        },
    )
    # An answer of a model quotes what it was asked about.
    return release(session, [document]), changed


def _cover_sections(session: Session, document: UUID, words: Collection[str]) -> None:
    """Make a forgotten heading unreadable in the sections of the facts below it too."""
    titles = {" ".join(text.lstrip("# ").split()) for text in words}
    # Why: a section is a path of headings.
    sections = session.execute(
        "select distinct section from illumina.facts "
        "where namespace = %(namespace)s and document = %(document)s and section is not null",
        {"document": document},
    ).fetchall()
    covered = {
        section: PATH_SEPARATOR.join(REDACTED * len(part) if part in titles else part for part in section.split(PATH_SEPARATOR))
        for (section,) in sections
    }
    changed = {section: shown for section, shown in covered.items() if shown != section}
    # Why: whichever version of the document has the fact.
    session.execute(
        "update illumina.facts f set section = new.shown from unnest(%(old)s::text[], %(new)s::text[]) as new (section, shown) "
        "where f.namespace = %(namespace)s and f.document = %(document)s and f.section = new.section",
        {"document": document, "old": list(changed), "new": list(changed.values())},
    )


def left(session: Session, ids: Collection[UUID]) -> dict[str, int]:
    """Rows of the namespace in which any of some ids still stands, by table; read from the catalogue, so none is overlooked."""
    # Why: whatever table will ever be added is looked at too.
    columns = session.execute(
        "select c.relname, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid "
        "where c.relnamespace = 'illumina'::regnamespace and c.relrowsecurity and a.attnum > 0 and not a.attisdropped "
        "and a.atttypid = 'uuid'::regtype and %(namespace)s is not null order by 1, 2"
    ).fetchall()
    found: Counter[str] = Counter()
    for table, column in columns:
        # Why: the receipt states what was looked for and not found.
        row = session.execute(
            f"select count(*) from illumina.{table} where namespace = %(namespace)s and {column} = any(%(ids)s)",
            {"ids": list(ids)},
            prepare=None,
        ).fetchone()
        found[table] += 0 if row is None else row[0]
    return dict(found)


def _delete(session: Session, table: str, column: str, ids: Collection[UUID]) -> int:
    # Why: every table that names one has an index for it.
    return session.execute(
        f"delete from illumina.{table} where namespace = %(namespace)s and {column} = any(%(ids)s)",
        {"ids": list(ids)},
        prepare=None,
    ).rowcount


def _places(body: str, words: Collection[str], taken: Collection[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Where some words stand by themselves, and no other fact rests on any of it."""
    starts = [first for first, _ in sorted(taken)]
    reach = list(accumulate((behind for _, behind in sorted(taken)), max))
    for text in words:
        before, after = (r"(?<!\w)" if text[0].isalnum() else ""), (r"(?!\w)" if text[-1].isalnum() else "")
        for match in re.finditer(f"{before}{re.escape(text)}{after}", body):
            before_end = bisect_left(starts, match.end())
            if before_end == 0 or reach[before_end - 1] <= match.start():
                yield match.span()


def _covered(body: str, places: Collection[tuple[int, int]]) -> str:
    characters = list(body)
    for first, behind in places:
        characters[first:behind] = REDACTED * (behind - first)
    return "".join(characters)


def _free(start: int, end: int, taken: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
    """The parts of a span that none of the others covers."""
    free = []
    for first, behind in [*sorted(taken), (end, end)]:
        if first > start:
            free.append((start, min(first, end)))
        start = max(start, behind)
    return free
