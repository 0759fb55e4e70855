"""The ledger of documents: accepted before anything can fail, never changed afterwards."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from illumina.canonical import dumps
from illumina.errors import StoreError
from illumina.types import LedgerDocument, Segment, segments_to_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from illumina.store.database import Session

State = Literal["accepted", "retained", "superseded"]


@dataclass(frozen=True, slots=True)
class Acceptance:
    """How the ledger took one document: under which version, and whether that is new."""

    document: LedgerDocument
    created: bool
    state: State


def lock_namespace(session: Session) -> None:
    """Make other writers of this namespace wait until this transaction ends; registers the namespace if need be.

    Every writer takes this lock first, so writers cannot deadlock and document frequencies stay exact.
    """
    while True:
        # Why: the row must exist before it can be locked.
        session.execute(
            "insert into illumina.namespaces (namespace, name) values (%(namespace)s, %(name)s) on conflict do nothing",
            {"name": session.name},
        )
        # Whoever forgets all of a namespace may have removed the row between the two statements.
        if lock_known_namespace(session):
            return


def lock_known_namespace(session: Session) -> bool:
    """Make other writers wait as `lock_namespace` does, but do not register the namespace; returns whether it was known."""
    # Why: serialises writers of one namespace for the short time from here to their commit.
    row = session.execute("select name from illumina.namespaces where namespace = %(namespace)s for update").fetchone()
    if row is not None and row != (session.name,):
        raise StoreError(f"The namespace {session.name!r} has the 64-bit key of another one. Choose another name.")
    return row is not None


def accept(session: Session, documents: Sequence[LedgerDocument], recorded_at: datetime) -> list[Acceptance]:
    """Store each document unless its newest version has the same content. The namespace must be locked."""
    latest = _latest(session, {document.id for document in documents})
    taken = []
    for document in documents:
        version, digest, state = latest.get(document.id, (0, None, "accepted"))
        created = digest != document.digest
        if created:
            version, state = version + 1, "accepted"
            latest[document.id] = (version, document.digest, state)
            _insert(session, replace(document, version=version), recorded_at)
        taken.append(Acceptance(replace(document, version=version), created, state))
    return taken


def _latest(session: Session, ids: Iterable[UUID]) -> dict[UUID, tuple[int, UUID | None, State]]:
    # Why: what re-retaining is compared with.
    rows = session.execute(
        "select distinct on (document) document, version, digest, state from illumina.documents "
        "where namespace = %(namespace)s and document = any(%(ids)s) order by document, version desc",
        {"ids": list(ids)},
    )
    return {document: (version, digest, state) for document, version, digest, state in rows}


def _insert(session: Session, document: LedgerDocument, recorded_at: datetime) -> None:
    # Why: the text is safe from here on, whatever happens to its facts.
    session.execute(
        "insert into illumina.documents (namespace, document, version, source, key, occurred_at, body, segments, metadata, "
        "digest, agent, device, visibility, pods, recorded_at, state) values "
        "(%(namespace)s, %(document)s, %(version)s, %(source)s, %(key)s, %(occurred_at)s, %(body)s, %(segments)s::jsonb, "
        "%(metadata)s::jsonb, %(digest)s, %(agent)s, %(device)s, %(visibility)s, %(pods)s, %(recorded_at)s, 'accepted')",
        {
            "document": document.id,
            "version": document.version,
            "source": document.source,
            "key": document.key,
            "occurred_at": document.occurred_at,
            "body": document.body,
            "segments": None if document.segments is None else segments_to_json(document.segments),
            "metadata": document.metadata,
            "digest": document.digest,
            "agent": document.agent,
            "device": document.device,
            "visibility": document.visibility,
            "pods": list(document.pods),
            "recorded_at": recorded_at,
        },
    )


def state(session: Session, document: LedgerDocument) -> State | None:
    """The state of one version, None if it was forgotten. The namespace must be locked for the answer to stay true."""
    # Why: another worker may have finished, superseded or forgotten it while its facts were embedded.
    row = session.execute(
        "select state from illumina.documents "
        "where namespace = %(namespace)s and document = %(document)s and version = %(version)s",
        {"document": document.id, "version": document.version},
    ).fetchone()
    return None if row is None else row[0]


def any_redacted(session: Session, documents: Sequence[LedgerDocument]) -> bool:
    """Whether a text is no longer what was read of it, since a fact was taken out. The namespace must be locked."""
    # Why: what was forgotten while its text was read must not come back with it. Digests, since texts are long.
    row = session.execute(
        "select 1 from unnest(%(ids)s::uuid[], %(versions)s::int[], %(texts)s::bytea[]) r (document, version, text) "
        "join illumina.documents d on d.namespace = %(namespace)s and d.document = r.document and d.version = r.version "
        "where sha256(convert_to(d.body, 'UTF8')) <> r.text limit 1",
        {
            "ids": [document.id for document in documents],
            "versions": [document.version for document in documents],
            "texts": [hashlib.sha256(document.body.encode()).digest() for document in documents],
        },
    ).fetchone()
    return row is not None


def mark_retained(session: Session, document: LedgerDocument, extractor: str) -> None:
    """This version's facts are live; older versions are superseded."""
    # Why: one statement, so that no moment has two live versions.
    session.execute(
        "update illumina.documents set state = case when version = %(version)s then 'retained' else 'superseded' end, "
        "extractor = case when version = %(version)s then %(extractor)s else extractor end "
        "where namespace = %(namespace)s and document = %(document)s and version <= %(version)s",
        {"document": document.id, "version": document.version, "extractor": extractor},
    )


_COLUMNS = "document, version, source, key, occurred_at, body, segments, metadata, digest, agent, device, visibility, pods"


def read(session: Session, document: UUID, version: int | None = None) -> LedgerDocument | None:
    """One version of a document, the newest by default; None if there is no such document in this namespace."""
    # Why: the full text, byte for byte.
    row = session.execute(
        f"select {_COLUMNS} from illumina.documents where namespace = %(namespace)s and document = %(document)s "
        "and (%(version)s::numeric is null or version = %(version)s) order by version desc limit 1",
        {"document": document, "version": version},
    ).fetchone()
    return None if row is None else _from_row(row)


def _from_row(row: tuple[Any, ...]) -> LedgerDocument:
    document, version, source, key, occurred_at, body, segments, metadata, digest, agent, device, visibility, pods = row
    return LedgerDocument(
        id=document,
        version=version,
        source=source,
        key=key,
        occurred_at=occurred_at,
        body=body,
        segments=None if segments is None else tuple(map(_segment_from_json, segments)),
        metadata=dumps(metadata, decimals=None).decode(),
        digest=digest,
        agent=agent,
        device=device,
        visibility=visibility,
        pods=tuple(pods),
    )


def _segment_from_json(value: list[Any]) -> Segment:
    start, end, label, speaker, occurred_at = value
    return Segment(start, end, label, speaker, None if occurred_at is None else datetime.fromisoformat(occurred_at))
