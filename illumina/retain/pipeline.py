"""Retain: accept (the text is safe), extract and embed (may fail, holds no connection), then index in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from illumina.errors import InvalidInputError, ModelUnavailableError
from illumina.ids import DOCUMENT_PREFIX, public_id
from illumina.retain.prepare import prepare
from illumina.retain.verbatim import extract
from illumina.store import documents as ledger
from illumina.store import facts as store
from illumina.types import RetainReceipt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from uuid import UUID

    from illumina.models.base import Embedder, IntegerVectors
    from illumina.store.database import Database, Session
    from illumina.types import Document, Fact, LedgerDocument

BATCH_FACTS: Final = 256
"""About how many facts are embedded and written at once. A document is never split over transactions."""


def retain(
    database: Database,
    embedder: Embedder,
    documents: Iterable[Document],
    namespace: str,
    progress: Callable[[int], object] | None,
    refused: Callable[[int, InvalidInputError], object] | None,
) -> list[RetainReceipt]:
    """Retain documents in batches; each is wholly retained or, after a failure, wholly accepted and can be resumed.

    For the arguments see `Memory.retain_many`.
    """
    receipts: list[RetainReceipt] = []
    for batch in _batches(documents, namespace, refused):
        with database.write(namespace) as session:
            ledger.lock_namespace(session)
            taken = ledger.accept(session, [document for document, _ in batch])
        unfinished = list({item.document.id: item.document for item in taken if item.state == "accepted"}.values())
        counts = finish(database, embedder, unfinished, namespace)
        for item, (_, facts) in zip(taken, batch, strict=True):
            live, retired = counts.pop((item.document.id, item.document.version), (facts, 0))
            receipts.append(
                RetainReceipt(
                    document_id=public_id(DOCUMENT_PREFIX, item.document.id),
                    version=item.document.version,
                    created=item.created,
                    facts=live,
                    retired=retired,
                )
            )
        if progress is not None:
            progress(len(batch))
    return receipts


def finish(
    database: Database, embedder: Embedder, documents: Sequence[LedgerDocument], namespace: str
) -> dict[tuple[UUID, int], tuple[int, int]]:
    """Make the facts of accepted documents, of each document one version.

    Returns:
        For each document and version: how many live facts it has, and how many only its predecessor had.
    """
    extracted = [(document, extract(document)) for document in documents]
    facts = {fact.id: fact for _, found in extracted for fact in found}
    vectors: dict[UUID, IntegerVectors] = {}
    while True:
        with database.read(namespace) as session:
            known = store.embedded(session, facts.keys())
        _embed(embedder, [fact for fact in facts.values() if fact.id not in known and fact.id not in vectors], vectors)
        with database.write(namespace) as session:
            ledger.lock_namespace(session)
            # Another writer may just have retired a fact that needed no vector before: then embed it after all.
            if store.embedded(session, facts.keys()) | vectors.keys() >= facts.keys():
                return _index(session, extracted, vectors)


def _embed(embedder: Embedder, facts: Sequence[Fact], vectors: dict[UUID, IntegerVectors]) -> None:
    if not facts:
        return
    try:
        rows = embedder.embed_documents([fact.indexed_text for fact in facts])
    except ModelUnavailableError as error:
        raise ModelUnavailableError(
            f"{embedder.name} did not answer: {error} Nothing is lost: the texts are stored. Call resume() once it is back."
        ) from error
    vectors.update(zip((fact.id for fact in facts), rows, strict=True))


def _index(
    session: Session, extracted: Sequence[tuple[LedgerDocument, list[Fact]]], vectors: dict[UUID, IntegerVectors]
) -> dict[tuple[UUID, int], tuple[int, int]]:
    counts: dict[tuple[UUID, int], tuple[int, int]] = {}
    new: list[Fact] = []
    for document, facts in extracted:
        state = ledger.state(session, document)
        if state != "accepted":
            counts[document.id, document.version] = (len(facts) if state == "retained" else 0), 0
            continue
        live = store.live_of(session, document.id)
        gone = live - {fact.id for fact in facts}
        store.retire(session, gone, document.version)
        store.keep(session, [fact for fact in facts if fact.id in live])
        new += [fact for fact in facts if fact.id not in live]
        ledger.mark_retained(session, document)
        counts[document.id, document.version] = len(facts), len(gone)
    store.add(session, new, vectors)
    return counts


def _batches(
    documents: Iterable[Document], namespace: str, refused: Callable[[int, InvalidInputError], object] | None
) -> Iterator[list[tuple[LedgerDocument, int]]]:
    """Prepared documents with the number of their facts, until a batch has about `BATCH_FACTS`.

    A batch never holds two versions of one document: the later one is compared with what the earlier one left. Where an
    error ends the documents, it is raised only after those before it were yielded.
    """
    batch: list[tuple[LedgerDocument, int]] = []
    digests: dict[UUID, UUID] = {}
    size = 0
    try:
        for position, document in enumerate(documents):
            try:
                prepared = prepare(document, namespace)
            except InvalidInputError as error:
                if refused is None:
                    raise
                refused(position, error)
                continue
            facts = len(extract(prepared))
            changed = digests.get(prepared.id, prepared.digest) != prepared.digest
            if batch and (changed or size + facts > BATCH_FACTS):
                yield batch
                batch, digests, size = [], {}, 0
            batch.append((prepared, facts))
            digests[prepared.id] = prepared.digest
            size += facts
    except Exception:
        if batch:
            yield batch
        raise
    if batch:
        yield batch
