"""The half of the facade that takes texts in, and sees to the work that this leaves."""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING, Any, Final

from illumina.errors import (
    BudgetError,
    ExtractionError,
    InvalidInputError,
    ModelRefusedError,
    ModelUnavailableError,
    ReconciliationError,
    ReplayError,
)
from illumina.ids import DOCUMENT_PREFIX, JOB_PREFIX, content_key, public_id
from illumina.retain import account as accounting
from illumina.retain.pipeline import Retainer
from illumina.retain.prepare import check_namespace
from illumina.retain.settle import remove_job, settle
from illumina.store import calls, chunks, jobs
from illumina.store import documents as ledger
from illumina.types import Document, RetainReceipt, Utterance, Visibility
from illumina.work import LEASE, Tally, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from contextlib import ExitStack
    from datetime import datetime

    from illumina.clock import Clock
    from illumina.models.base import Embedder
    from illumina.reconciling import Reconciling
    from illumina.retain.account import Accounted
    from illumina.retain.extraction import Extractor
    from illumina.retain.extractors import Reading
    from illumina.settings import Ranking
    from illumina.store.database import Database
    from illumina.store.jobs import Job, JobKind
    from illumina.work import JobLease

DEFAULT_NAMESPACE: Final = "default"

HALTING: Final = frozenset({BudgetError, ModelRefusedError, ModelUnavailableError, ReplayError})
"""Errors of models that whoever retains is told of at once; the work they interrupt is left as jobs."""


class Intake:
    """What a memory does until the facts of a text are there. Use `illumina.Memory`, which is one."""

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        reading: Reading,
        ranking: Ranking,
        clock: Clock,
        resources: ExitStack,
        reconciling: Reconciling | None = None,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._reading = reading
        self._ranking = ranking
        self._clock = clock
        self._resources = resources
        self._reconciling = reconciling

    @property
    def extractor(self) -> Extractor:
        """What makes facts of texts, in the default namespace if that is a language model."""
        return self._reading.extractor(self._database, DEFAULT_NAMESPACE, self._clock)

    def retain(
        self,
        text: str | Sequence[Utterance],
        *,
        namespace: str = DEFAULT_NAMESPACE,
        source: str = "",
        key: str | None = None,
        occurred_at: datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        agent: str | None = None,
        device: str | None = None,
        visibility: Visibility = "shared",
        pods: Sequence[str] = (),
        later: bool = False,
    ) -> RetainReceipt:
        """Remember one text or dialogue; see `Document` and `retain_many` for the arguments. Doing it again changes nothing.

        Raises:
            InvalidInputError: It cannot be stored; the message names the mend. Nothing of it was stored.
            ModelError: A model did not answer or refused. The text is stored, and a job; `work` finishes it.
        """
        document = Document(text, source, key, occurred_at, metadata or {}, agent, device, visibility, pods)
        return self.retain_many([document], namespace=namespace, later=later)[0]

    def retain_many(
        self,
        documents: Iterable[Document],
        *,
        namespace: str = DEFAULT_NAMESPACE,
        later: bool = False,
        progress: Callable[[int], object] | None = None,
        refused: Callable[[int, InvalidInputError], object] | None = None,
    ) -> list[RetainReceipt]:
        """Remember many documents, in batches; each is retained wholly or a job is left that finishes it.

        Args:
            documents: May be a generator.
            namespace: Where to.
            later: Only store the texts; `work`, here or on another machine, makes facts of them.
            progress: Called with the number of documents that each batch added.
            refused: Called with the position and the error of each document that cannot be stored; the others are retained.

        Returns:
            One receipt for each retained document, in order.

        Raises:
            InvalidInputError: A document cannot be stored and `refused` is None; those before it are retained.
            ModelError: A model did not answer or refused; `work` finishes what was accepted.
        """
        check_namespace(namespace)
        receipts = self._retainer(namespace).retain(documents, later=later, progress=progress, refused=refused)
        if not later:
            self._settle(namespace)
        return receipts

    def _settle(self, namespace: str) -> None:
        """Settle what is stale, and have judged here and now what the rules leave open."""
        settle(self._database, namespace, remove_job, self._ask_at())
        if self._reconciling is not None:
            self._worker(halting=HALTING).drain(namespace, kinds={"reconcile", "settle"})

    def _ask_at(self) -> datetime | None:
        return None if self._reconciling is None else self._clock.now()

    def work(self, *, namespace: str | None = None) -> Tally:
        """Run jobs until none is due: texts that are still to be read, derived rows that are still to be settled.

        Args:
            namespace: Serve this one only; all if None.
        """
        if namespace is not None:
            check_namespace(namespace)
        return self.worker().drain(namespace)

    def _retainer(self, namespace: str) -> Retainer:
        extractor = self._reading.extractor(self._database, namespace, self._clock)
        return Retainer(self._database, self._embedder, extractor, self._clock, namespace)

    def worker(self, *, lease: float = LEASE) -> Worker:
        """A worker that knows what each kind of job takes.

        Args:
            lease: Seconds after which another worker takes over from one that gave no sign of life.
        """
        return self._worker(lease=lease)

    def _worker(self, *, lease: float = LEASE, halting: AbstractSet[type[Exception]] = frozenset()) -> Worker:
        def read(job: JobLease) -> None:
            assert job.job.document is not None
            assert job.job.version is not None
            retainer = self._retainer(job.job.namespace)
            retainer.take_up(job.job.document, job.job.version, lambda session, _: job.complete(session))

        handlers: dict[JobKind, Callable[[JobLease], object]] = {
            "extract": read,
            "settle": lambda job: settle(self._database, job.job.namespace, job.complete, self._ask_at()),
        }
        if self._reconciling is not None:
            handlers["reconcile"] = self._reconciling.work
        name = f"{platform.node()}:{os.getpid()}"
        return Worker(
            self._database,
            handlers,
            self._clock,
            name,
            lease=lease,
            permanent={ExtractionError, ModelRefusedError, ReconciliationError, ReplayError},
            deferred={BudgetError},
            halting=halting,
        )

    def jobs(self, *, namespace: str = DEFAULT_NAMESPACE) -> list[Job]:
        """What is still to do, dead letters first."""
        check_namespace(namespace)
        with self._database.read(namespace) as session:
            return jobs.outstanding(session)

    def retry(self, wanted: Iterable[str] | None = None, *, namespace: str = DEFAULT_NAMESPACE) -> list[str]:
        """Queue what failed anew: the named dead jobs, or all of them and all documents of which a chunk failed.

        Returns:
            The ids (`job_…`) of the jobs queued.

        Raises:
            InvalidInputError: One is no id of a job; nothing is queued.
        """
        check_namespace(namespace)
        now = self._clock.now()
        ids = None if wanted is None else [content_key(JOB_PREFIX, job) for job in wanted]
        with self._database.write(namespace) as session:
            ledger.lock_known_namespace(session)
            queued = set(jobs.revive(session, ids, now))
            calls.release_unjudged(session, queued)
            if ids is None:
                for version in chunks.failed(session):
                    calls.release_failed(session, *version)
                    queued.add(jobs.enqueue(session, "extract", *version, now))
        return [public_id(JOB_PREFIX, job) for job in sorted(queued)]

    def account(self, document_id: str, *, namespace: str = DEFAULT_NAMESPACE) -> list[Accounted]:
        """What became of every character of a document's newest version.

        Raises:
            InvalidInputError: There is no such document.
        """
        check_namespace(namespace)
        with self._database.read(namespace) as session:
            return accounting.of(session, content_key(DOCUMENT_PREFIX, document_id))
