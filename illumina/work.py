"""Workers: take jobs, keep their leases while handlers work, and see to what failed.

Any number of workers on any number of machines may serve one database. What keeps a job from being done twice is not the time
but its row: whoever completes it does so in the transaction of its own writes, which fails if the lease is another's by then.
So clocks that differ cost work, never correctness.
"""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final, TypeVar
from uuid import uuid4

from illumina.errors import IlluminaError, InvalidInputError, LeaseLostError, StoreError, StoreUnavailableError
from illumina.ids import JOB_PREFIX, digest, public_id
from illumina.store import jobs as store
from illumina.store.jobs import JOB_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from collections.abc import Set as AbstractSet
    from datetime import datetime
    from uuid import UUID

    from illumina.clock import Clock
    from illumina.store.database import Database, Session
    from illumina.store.jobs import Job, JobKind

LEASE: Final = 60.0
"""Seconds after which a worker that gave no sign of life is taken for dead; it gives three in that time."""

LONGEST_LEASE: Final = 86_400
"""Seconds: a job of a dead worker is to be taken up within a day."""

ATTEMPTS: Final = 10
"""Runs of a job before it becomes a dead letter; with the pauses between them about half an hour."""

FIRST_PAUSE: Final = 2.0
LONGEST_PAUSE: Final = 900.0
"""Seconds before the second run, and between any two."""

DEFERRAL: Final = 3600.0
"""Seconds before a deferred job is looked at again."""

POLL: Final = 1.0
"""Seconds between two looks for work when there was none."""

PATIENCE: Final = 300.0
"""Seconds for which a worker waits for a database that does not answer."""

_log = logging.getLogger(__name__)

_T = TypeVar("_T")


def backoff(job: UUID, attempt: int) -> timedelta:
    """The pause after a job's attempt: it doubles each time, and its second half is spread by the job's id.

    Brooker 2015, "Exponential Backoff and Jitter", there "equal jitter": jobs that failed together do not return together.
    The spread is a function of job and attempt, so that it is the same in every run.

    Args:
        job: Its id.
        attempt: 1 for the first.
    """
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(attempt - 1, 30))
    share = int.from_bytes(digest("jitter", job.hex, attempt)[:8], "big") / 2**64
    return timedelta(seconds=longest * (1 + share) / 2)


class JobLease:
    """A job as its handler has it.

    Attributes:
        job: What is to be done.
        completed: Whether `complete` has succeeded; it counts when its transaction commits.
    """

    def __init__(self, job: Job, worker: str, database: Database, clock: Clock, lease: timedelta) -> None:
        self.job = job
        self.completed = False
        self._worker = worker
        self._database = database
        self._clock = clock
        self._lease = lease

    def heartbeat(self) -> None:
        """Extend the lease; for a handler that wants to know whether going on is of any use.

        The worker extends it by itself too, so that a handler need not.

        Raises:
            LeaseLostError: The job is another worker's by now.
            StoreUnavailableError: The database did not answer.
        """
        with self._database.write(self.job.namespace) as session:
            held = store.heartbeat(session, self.job.id, self._worker, self._clock.now(), self._lease)
        if not held:
            raise LeaseLostError

    def complete(self, session: Session) -> None:
        """Finish the job in the transaction of its own writes: both are kept or neither. Lock the namespace before this.

        Raises:
            LeaseLostError: The job is another worker's by now. Let the transaction roll back.
        """
        store.complete(session, self.job.id, self._worker)
        self.completed = True

    def fail(self, reason: str, due_at: datetime | None, *, counted: bool) -> bool:
        """Give the job back undone, for the worker; see `store.jobs.fail`."""
        with self._database.write(self.job.namespace) as session:
            return store.fail(session, self.job.id, self._worker, reason, due_at, counted=counted)


@dataclass(slots=True)
class Tally:
    """What became of the jobs that a worker took.

    Attributes:
        done: Completed.
        failed: To be tried again.
        dead: Given up; `illumina retry` takes them up.
        deferred: Put off without counting as an attempt.
        lost: Taken over by another worker, or removed, before they were completed.
    """

    done: int = 0
    failed: int = 0
    dead: int = 0
    deferred: int = 0
    lost: int = 0


class Worker:
    """Runs jobs one after another; for more at once use more workers, each in its own thread or process.

    Args:
        database: Where the jobs are.
        handlers: One for each kind of job that it takes, which only `reconcile` may be missing from: workers that can ask no
            language model leave it to those that can. A handler holds no connection while it waits for a model, and calls
            `complete` in its last transaction. It must bear being run again: a run that did not complete leaves nothing behind
            but what it recorded by itself.
        clock: Every time that is written to a job comes from it.
        name: For people, such as `host:pid`.
        lease: Seconds; see `LEASE`.
        attempts: Runs before a job becomes a dead letter.
        permanent: Errors after which trying again is of no use: a dead letter at once.
        deferred: Errors that say when, not whether, such as a cap that is reached: tried again later, as often as need be.
        halting: Errors that concern whoever waits for the work: the job is given back, and the error raised.

    Raises:
        InvalidInputError: A kind has no handler, or a number is out of its range.
    """

    def __init__(
        self,
        database: Database,
        handlers: Mapping[JobKind, Callable[[JobLease], object]],
        clock: Clock,
        name: str,
        *,
        lease: float = LEASE,
        attempts: int = ATTEMPTS,
        permanent: AbstractSet[type[Exception]] = frozenset(),
        deferred: AbstractSet[type[Exception]] = frozenset(),
        halting: AbstractSet[type[Exception]] = frozenset(),
    ) -> None:
        if missing := [kind for kind in JOB_KINDS if kind not in handlers and kind != "reconcile"]:
            raise InvalidInputError(f"There is no handler for {', '.join(missing)}. Every worker takes these kinds of jobs.")
        if not 0 < lease <= LONGEST_LEASE or attempts < 1:
            raise InvalidInputError(
                f"A lease of {lease:g} s and {attempts} attempts are of no use. Give up to {LONGEST_LEASE:,} s and at least 1."
            )
        self._database = database
        self._handlers = handlers
        self._clock = clock
        self._name = name
        self._lease = timedelta(seconds=lease)
        self._attempts = attempts
        self._permanent = tuple(permanent)
        self._deferred = tuple(deferred)
        self._halting = tuple(halting)

    def drain(
        self,
        namespace: str | None = None,
        *,
        stop: threading.Event | None = None,
        kinds: AbstractSet[JobKind] = frozenset(JOB_KINDS),
    ) -> Tally:
        """Run jobs until none is due; those that failed and those of other workers may be left.

        Args:
            namespace: Serve this one only; all if None.
            stop: Ends it early, when the job in hand is finished.
            kinds: Run these kinds of jobs only.

        Raises:
            StoreUnavailableError: The database did not answer for `PATIENCE` seconds. Nothing is lost.
        """
        tally = Tally()
        stop = stop or threading.Event()
        while not stop.is_set() and self._round(tally, stop, namespace, kinds):
            pass
        return tally

    def run(self, stop: threading.Event) -> Tally:
        """Run jobs as they come, until `stop` is set; a job that is being worked on is finished first.

        Raises:
            StoreUnavailableError: The database did not answer for `PATIENCE` seconds. Nothing is lost.
        """
        tally = Tally()
        while not stop.is_set():
            if not self._round(tally, stop):
                self._clock.sleep(POLL, until=stop)
        return tally

    def _round(
        self,
        tally: Tally,
        stop: threading.Event,
        namespace: str | None = None,
        kinds: AbstractSet[JobKind] = frozenset(JOB_KINDS),
    ) -> bool:
        """One job of each namespace that has one, so that none waits for another's backlog; whether there was any."""
        if namespace is None:
            names = self._patiently(lambda: store.due_namespaces(self._database, self._clock.now()), stop)
        else:
            names = [namespace]
        worked = False
        for name in names:
            if stop.is_set():
                break
            lease = self._patiently(lambda name=name: self._claim(name, kinds), stop)  # type: ignore[misc]
            if lease is not None:
                self._work(lease, tally, stop)
                worked = True
        return worked

    def _claim(self, namespace: str, kinds: AbstractSet[JobKind]) -> JobLease | None:
        # A lease of its own for every claim: a worker may meet a job again whose lease it lost.
        worker = f"{self._name}/{uuid4().hex}"
        with self._database.write(namespace) as session:
            job = store.claim(session, worker, self._clock.now(), self._lease, self._handlers.keys() & kinds)
        return None if job is None else JobLease(job, worker, self._database, self._clock, self._lease)

    def _work(self, lease: JobLease, tally: Tally, stop: threading.Event) -> None:
        try:
            self._handle(lease)
        except LeaseLostError:
            tally.lost += 1
        except Exception as error:  # whatever it was, it stands in the job's reason
            self._failed(lease, error, tally, stop)
            if isinstance(error, self._halting):
                raise
        except BaseException:
            # Interrupted: somebody else may take it at once.
            with suppress(StoreError):
                lease.fail("Its worker was stopped.", self._clock.now(), counted=False)
            raise
        else:
            tally.done += 1

    def _handle(self, lease: JobLease) -> None:
        job = lease.job
        if job.attempts > self._attempts:
            raise IlluminaError(f"Its workers ended {self._attempts} times without a word. {job.reason or ''}".strip())
        with self._kept(lease):
            self._handlers[job.kind](lease)
        if not lease.completed:
            raise IlluminaError(f"The handler of {job.kind} came back without having completed the job.")

    def _failed(self, lease: JobLease, error: Exception, tally: Tally, stop: threading.Event) -> None:
        job = lease.job
        ours = isinstance(error, IlluminaError)
        reason = str(error) if ours else f"{type(error).__name__}: {error}"
        label = f"{job.kind} {public_id(JOB_PREFIX, job.id)} of {job.namespace}"
        _log.warning("%s failed, attempt %d: %s", label, job.attempts, reason, exc_info=None if ours else error)
        deferred = isinstance(error, self._deferred)
        hopeless = isinstance(error, self._permanent) or job.attempts >= self._attempts
        due_at = None
        if deferred:
            due_at = self._clock.now() + timedelta(seconds=DEFERRAL)
        elif not hopeless:
            due_at = self._clock.now() + backoff(job.id, job.attempts)
        if self._patiently(lambda: lease.fail(reason, due_at, counted=not deferred), stop):
            tally.deferred += deferred
            tally.failed += not deferred and due_at is not None
            tally.dead += due_at is None
        elif lease.completed:
            # The answer to the commit was lost with the connection, the commit itself was not.
            tally.done += 1
        else:
            tally.lost += 1

    @contextmanager
    def _kept(self, lease: JobLease) -> Iterator[None]:
        """Extend the lease every third of it while the block runs."""
        over = threading.Event()

        def beat() -> None:
            while not self._clock.sleep(self._lease.total_seconds() / 3, until=over):
                try:
                    lease.heartbeat()
                except LeaseLostError:
                    return  # completing will tell the handler
                except StoreError as error:
                    _log.warning("The lease of %s was not extended: %s", public_id(JOB_PREFIX, lease.job.id), error)

        keeper = threading.Thread(target=beat, name=f"lease of {lease.job.id}", daemon=True)
        keeper.start()
        try:
            yield
        finally:
            over.set()
            keeper.join()

    def _patiently(self, operation: Callable[[], _T], stop: threading.Event) -> _T:
        """Bear a database that restarts."""
        deadline = self._clock.now() + timedelta(seconds=PATIENCE)
        pause = 0.1
        while True:
            try:
                return operation()
            except StoreUnavailableError:
                if self._clock.now() + timedelta(seconds=pause) > deadline or self._clock.sleep(pause, until=stop):
                    raise
                pause = min(2 * pause, 5.0)
