"""Retain: accept (the text is safe), extract and embed (may fail, holds no connection), then index in one transaction."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import numpy as np

from illumina.errors import InvalidInputError, ModelError, ModelUnavailableError, StoreError
from illumina.ids import DOCUMENT_PREFIX, public_id
from illumina.retain import mentions
from illumina.retain.chunk import chunk
from illumina.retain.extract import extract
from illumina.retain.prepare import prepare
from illumina.retain.settle import affected
from illumina.store import causal, chunks, jobs, stale
from illumina.store import documents as ledger
from illumina.store import facts as store
from illumina.types import RetainReceipt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from uuid import UUID

    from illumina.clock import Clock
    from illumina.models.base import Embedder, IntegerVectors
    from illumina.retain.extract import Extracted
    from illumina.retain.extraction import Extractor
    from illumina.store.database import Database, Session
    from illumina.types import Chunk, Document, Fact, LedgerDocument

BATCH_FACTS: Final = 256
"""About how many facts are embedded and written at once. A document is never split over transactions."""

FACT_LENGTH: Final = 200
"""Characters of running text that are reckoned as one fact when a batch is filled."""

HEAD_START: Final = timedelta(seconds=60)
"""How long the process that accepts a text has for its facts before a worker takes the job up."""


@dataclass(frozen=True, slots=True)
class Completion:
    """How the jobs around a document's facts are seen to, in the transaction that holds these.

    Attributes:
        done: Completes the document's job.
        settle_at: From when a worker may settle what is derived.
    """

    done: Callable[[Session, LedgerDocument], None]
    settle_at: datetime


@dataclass(frozen=True, slots=True)
class Retainer:
    """What retaining into one namespace needs."""

    database: Database
    embedder: Embedder
    extractor: Extractor
    clock: Clock
    namespace: str

    def retain(
        self,
        documents: Iterable[Document],
        *,
        later: bool,
        progress: Callable[[int], object] | None,
        refused: Callable[[int, InvalidInputError], object] | None,
    ) -> list[RetainReceipt]:
        """Retain documents in batches; each is wholly retained or, after a failure, wholly accepted and a job.

        For the arguments see `Memory.retain_many`.
        """
        receipts: list[RetainReceipt] = []
        for batch in _batches(documents, self.namespace, refused):
            cut = [(document, chunk(document)) for document in batch]
            taken = self._accept(cut, later=later)
            unfinished = {
                item.document.id: (item.document, found)
                for item, (_, found) in zip(taken, cut, strict=True)
                if item.state == "accepted"
            }
            retired = {} if later else self._finish_here(list(unfinished.values()))
            receipts += self._receipts(taken, retired)
            if progress is not None:
                progress(len(batch))
        return receipts

    def _accept(self, cut: Sequence[tuple[LedgerDocument, tuple[Chunk, ...]]], *, later: bool) -> list[ledger.Acceptance]:
        now = self.clock.now()
        with self.database.write(self.namespace) as session:
            ledger.lock_namespace(session)
            taken = ledger.accept(session, [document for document, _ in cut], now)
            created = [(item.document, found) for item, (_, found) in zip(taken, cut, strict=True) if item.created]
            chunks.insert(session, created)
            for document, _ in created:
                due = now if later else now + HEAD_START
                jobs.enqueue(session, "extract", document.id, document.version, due)
        return taken

    def _finish_here(self, documents: Sequence[tuple[LedgerDocument, Sequence[Chunk]]]) -> dict[tuple[UUID, int], int]:
        try:
            return self.finish(documents, Completion(_remove_job, self.clock.now() + HEAD_START))
        except BaseException:
            versions = [(document.id, document.version) for document, _ in documents]
            # If the database is what failed, the jobs come due by themselves.
            with suppress(StoreError), self.database.write(self.namespace) as session:
                jobs.hasten(session, "extract", versions, self.clock.now())
            raise

    def finish(
        self, documents: Sequence[tuple[LedgerDocument, Sequence[Chunk]]], completion: Completion
    ) -> dict[tuple[UUID, int], int]:
        """Make the facts of accepted documents, of each document one version.

        Args:
            documents: With their chunks.
            completion: How jobs are seen to.

        Returns:
            For each document and version: how many facts only its predecessor had.

        Raises:
            ModelError: A model did not answer or refused. The documents before that one are retained, it and the others stay
                accepted.
        """
        while True:
            extracted, failure = self._read(documents)
            retired = self._embed_and_index(extracted, completion)
            if retired is not None:
                break
            documents = self._as_they_are_now(documents)
        if isinstance(failure, ModelUnavailableError):
            raise _kept(self.extractor.name, failure) from failure
        if failure is not None:
            raise failure
        return retired

    def _read(self, documents: Sequence[tuple[LedgerDocument, Sequence[Chunk]]]) -> tuple[list[Extracted], ModelError | None]:
        extracted: list[Extracted] = []
        for document, found in documents:
            try:
                extracted.append(extract(document, found, self.extractor))
            except ModelError as error:
                return extracted, error
        return extracted, None

    def _as_they_are_now(
        self, documents: Sequence[tuple[LedgerDocument, Sequence[Chunk]]]
    ) -> list[tuple[LedgerDocument, Sequence[Chunk]]]:
        with self.database.read(self.namespace) as session:
            return [(ledger.read(session, document.id, document.version) or document, cut) for document, cut in documents]

    def _embed_and_index(self, extracted: Sequence[Extracted], completion: Completion) -> dict[tuple[UUID, int], int] | None:
        """See `finish`; None if what was read is not what the ledger holds by now: a fact in it was forgotten."""
        facts = {fact.id: fact for found in extracted for fact in found.facts}
        vectors: dict[UUID, IntegerVectors] = {}
        while True:
            with self.database.read(self.namespace) as session:
                known = store.embedded(session, facts.keys())
            self._embed([fact for fact in facts.values() if fact.id not in known and fact.id not in vectors], vectors)
            with self.database.write(self.namespace) as session:
                if not ledger.lock_known_namespace(session):
                    # All of it was forgotten meanwhile; whoever waits for the job is told so.
                    for found in extracted:
                        completion.done(session, found.document)
                    return {}
                if ledger.any_redacted(session, [found.document for found in extracted]):
                    return None
                # A fact that had a vector may just have been forgotten: then embed it after all.
                if store.embedded(session, facts.keys()) | vectors.keys() >= facts.keys():
                    return self._index(session, extracted, vectors, completion)

    def _embed(self, facts: Sequence[Fact], vectors: dict[UUID, IntegerVectors]) -> None:
        if not facts:
            return
        try:
            rows = self.embedder.embed_documents([fact.indexed_text for fact in facts])
        except ModelUnavailableError as error:
            raise _kept(self.embedder.name, error) from error
        wanted = (len(facts), self.embedder.dimension)
        if rows.shape != wanted or rows.dtype != np.int8:
            raise ModelError(
                f"{self.embedder.name} gave {rows.dtype} vectors of shape {rows.shape}, not int8 of {wanted}. Mend the model. "
                "Nothing is lost: the texts are stored. Call work() then."
            )
        vectors.update(zip((fact.id for fact in facts), rows, strict=True))

    def _index(
        self, session: Session, extracted: Sequence[Extracted], vectors: dict[UUID, IntegerVectors], completion: Completion
    ) -> dict[tuple[UUID, int], int]:
        current: list[tuple[Extracted, set[UUID]]] = []
        new: list[Fact] = []
        kept: list[Fact] = []
        for found in extracted:
            document = found.document
            completion.done(session, document)
            if ledger.state(session, document) in {"superseded", None}:
                continue
            live = store.live_of(session, document.id)
            kept += [fact for fact in found.facts if fact.id in live]
            new += [fact for fact in found.facts if fact.id not in live]
            current.append((found, live - {fact.id for fact in found.facts}))
        changed = {fact.id for fact in kept}.union(*(gone for _, gone in current))
        if changed:
            stale.mark(session, changed | affected(session, changed))
        for found, gone in current:
            store.retire(session, gone, found.document.version)
            chunks.settle(session, found.document, found.outcomes)
            ledger.mark_retained(session, found.document, found.extractor)
        store.keep(session, kept)
        store.add(session, new, vectors)
        if current:
            self._name_and_relate(session, [found for found, _ in current])
            stale.mark(session, {fact.id for fact in new})
            jobs.enqueue(session, "settle", None, None, completion.settle_at)
        return {(found.document.id, found.document.version): len(gone) for found, gone in current}

    @staticmethod
    def _name_and_relate(session: Session, extracted: Sequence[Extracted]) -> None:
        facts = [fact.id for found in extracted for fact in found.facts]
        named = {fact: drafts for found in extracted for fact, drafts in found.mentions.items()}
        stated = {fact: drafts for found in extracted for fact, drafts in found.relations.items()}
        mentions.replace(session, facts, named, stated)
        causal.replace(
            session, [found.document.id for found in extracted], [link for found in extracted for link in found.causal]
        )

    def take_up(self, document: UUID, version: int, done: Callable[[Session, LedgerDocument], None]) -> None:
        """Make the facts of one version that was accepted, or of which a chunk had failed: a job's work.

        Raises:
            ModelError: See `finish`.
        """
        with self.database.read(self.namespace) as session:
            found = ledger.read(session, document, version)
            cut = [row.chunk for row in chunks.read(session, document, version)]
        assert found is not None, "a document goes together with its jobs"
        self.finish([(found, cut)], Completion(done, self.clock.now()))

    def _receipts(self, taken: Sequence[ledger.Acceptance], retired: dict[tuple[UUID, int], int]) -> Iterator[RetainReceipt]:
        with self.database.read(self.namespace) as session:
            facts = store.counts(session, {item.document.id for item in taken})
        for item in taken:
            version = item.document.id, item.document.version
            yield RetainReceipt(
                document_id=public_id(DOCUMENT_PREFIX, item.document.id),
                version=item.document.version,
                created=item.created,
                facts=facts.get(version, 0),
                retired=retired.pop(version, 0),
            )


def _remove_job(session: Session, document: LedgerDocument) -> None:
    jobs.remove(session, "extract", document.id, document.version)


def _kept(name: str, error: ModelUnavailableError) -> ModelUnavailableError:
    return ModelUnavailableError(
        f"{name} did not answer: {error} Nothing is lost: the texts are stored. Call work() once it is back."
    )


def _batches(
    documents: Iterable[Document], namespace: str, refused: Callable[[int, InvalidInputError], object] | None
) -> Iterator[list[LedgerDocument]]:
    """Prepared documents, until a batch has about `BATCH_FACTS` facts.

    A batch never holds two versions of one document: the later one is compared with what the earlier one left. Where an
    error ends the documents, it is raised only after those before it were yielded.
    """
    batch: list[LedgerDocument] = []
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
            facts = 1 + len(prepared.body) // FACT_LENGTH if prepared.segments is None else len(prepared.segments)
            changed = digests.get(prepared.id, prepared.digest) != prepared.digest
            if batch and (changed or size + facts > BATCH_FACTS):
                yield batch
                batch, digests, size = [], {}, 0
            batch.append(prepared)
            digests[prepared.id] = prepared.digest
            size += facts
    except Exception:
        if batch:
            yield batch
        raise
    if batch:
        yield batch
