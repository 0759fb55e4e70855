"""Workers: every job is done once, whoever dies, however long it takes."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.clock import SystemClock
from illumina.errors import (
    ExtractionError,
    InvalidInputError,
    LeaseLostError,
    ModelUnavailableError,
    StoreUnavailableError,
)
from illumina.store import jobs
from illumina.store.database import Database
from illumina.store.documents import lock_namespace
from illumina.store.embedded import EmbeddedServer
from illumina.work import ATTEMPTS, FIRST_PAUSE, LONGEST_PAUSE, JobLease, Tally, Worker, backoff
from tests.clock import ManualClock
from tests.support import HashingEmbedder, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DOCUMENT = UUID(int=7)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def store(dsn: str, embedder: HashingEmbedder) -> Iterator[Database]:
    with Database(dsn, embedder, connections=12) as opened:
        yield opened


def enqueue(store: Database, clock: ManualClock | SystemClock, namespace: str = "a", count: int = 1) -> None:
    with store.write(namespace) as session:
        lock_namespace(session)
        for version in range(1, count + 1):
            jobs.enqueue(session, "extract", DOCUMENT, version, clock.now())


def left(store: Database, namespace: str = "a") -> list[jobs.Job]:
    with store.read(namespace) as session:
        return jobs.outstanding(session)


def finish(store: Database, lease: JobLease) -> None:
    """Leave a trace and complete, in one transaction. The trace's key is the job's, so that it cannot be left twice unseen."""
    with store.write(lease.job.namespace) as session:
        session.execute("insert into illumina.stale values (%(namespace)s, %(job)s)", {"job": lease.job.id})
        lease.complete(session)


def worker(
    store: Database, clock: ManualClock | SystemClock, handler: Callable[[JobLease], object] | None = None, **options: Any
) -> Worker:
    handle = handler or (lambda lease: finish(store, lease))
    return Worker(store, {"extract": handle, "settle": handle}, clock, "w", **options)


def traces(dsn: str) -> int:
    return int(rows(dsn, "select count(*) from illumina.stale")[0][0])


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_drain_does_all_that_is_due_in_every_namespace(store: Database, clock: ManualClock, dsn: str) -> None:
    order: list[str] = []

    def handler(lease: JobLease) -> None:
        order.append(lease.job.namespace)
        finish(store, lease)

    for name in ("a", "b", "c"):
        enqueue(store, clock, name, count=3)
    with store.write("a") as session:
        jobs.enqueue(session, "settle", None, None, clock.now() + timedelta(seconds=1))
    working = worker(store, clock, handler)
    assert working.drain("b") == Tally(done=3)
    assert set(order) == {"b"}
    assert working.drain() == Tally(done=6)
    # None waits for another's backlog.
    assert order[3:] == ["a", "c"] * 3
    assert traces(dsn) == 9
    assert [job.kind for job in left(store)] == ["settle"]
    assert working.drain() == Tally()
    clock.advance(1)
    assert working.drain() == Tally(done=1)


def test_a_namespace_sees_its_own_jobs_only(store: Database, clock: ManualClock) -> None:
    enqueue(store, clock, "a", 2)
    enqueue(store, clock, "b", 3)
    assert (len(left(store, "a")), len(left(store, "b"))) == (2, 3)
    with store.write("a") as session:
        assert session.execute("delete from illumina.jobs").rowcount == 2
    assert len(left(store, "b")) == 3


def test_temporary_errors_are_tried_again_until_it_is_a_dead_letter(store: Database, clock: ManualClock, dsn: str) -> None:
    enqueue(store, clock)

    def down(lease: JobLease) -> None:
        raise ModelUnavailableError(f"down at attempt {lease.job.attempts}")

    working = worker(store, clock, down, attempts=3)
    (job,) = left(store)
    for attempt in (1, 2):
        assert working.drain() == Tally(failed=1)
        (found,) = left(store)
        assert (found.state, found.attempts, found.reason) == ("queued", attempt, f"down at attempt {attempt}")
        pause = backoff(job.id, attempt)
        assert found.due_at == clock.now() + pause
        clock.advance(pause.total_seconds() - 0.001)
        assert working.drain() == Tally()
        clock.advance(0.001)
    assert working.drain() == Tally(dead=1)
    clock.advance(1e6)
    assert working.drain() == Tally()
    with store.write("a") as session:
        (letter,) = jobs.dead(session)
        assert letter.reason == "down at attempt 3"
        assert jobs.revive(session, [letter.id], clock.now()) == [letter.id]
    assert worker(store, clock).drain() == Tally(done=1)
    assert (left(store), traces(dsn)) == ([], 1)


@given(st.uuids(), st.integers(1, 10_000))
def test_the_pause_doubles_and_is_the_same_every_time(job: UUID, attempt: int) -> None:
    pause = backoff(job, attempt).total_seconds()
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(attempt - 1, 20))
    assert longest / 2 <= pause <= longest
    assert backoff(job, attempt).total_seconds() == pause


def test_jobs_that_failed_together_do_not_return_together() -> None:
    pauses = {backoff(UUID(int=number), 5) for number in range(100)}
    assert len(pauses) == 100
    assert max(pauses) - min(pauses) > timedelta(seconds=FIRST_PAUSE * 2**4 / 2 * 0.8)


def test_permanent_errors_are_dead_at_once_and_caps_are_waited_for(store: Database, clock: ManualClock) -> None:
    class CapReachedError(ModelUnavailableError):
        """The cap is reached."""

    errors: dict[int, Exception] = {1: ExtractionError("prose"), 2: CapReachedError(), 3: KeyError("a bug")}

    def handler(lease: JobLease) -> None:
        assert lease.job.version is not None
        raise errors[lease.job.version]

    enqueue(store, clock, count=3)
    working = worker(store, clock, handler, permanent={ExtractionError}, deferred={CapReachedError}, attempts=2)
    assert working.drain() == Tally(failed=1, dead=1, deferred=1)
    found = {job.version: job for job in left(store)}
    assert (found[1].state, found[1].reason) == ("dead", "prose")
    assert (found[2].state, found[2].attempts, found[2].reason) == ("queued", 0, "The cap is reached.")
    assert (found[3].state, found[3].attempts, found[3].reason) == ("queued", 1, "KeyError: 'a bug'")
    for _ in range(5):
        clock.advance(4000)
        working.drain()
    assert {job.version: job.state for job in left(store)} == {1: "dead", 2: "queued", 3: "dead"}


def test_what_a_failed_run_wrote_is_not_kept(store: Database, clock: ManualClock, dsn: str) -> None:
    def fails_late(lease: JobLease) -> None:
        with store.write("a") as session:
            session.execute("insert into illumina.stale values (%(namespace)s, %(job)s)", {"job": lease.job.id})
            lease.complete(session)
            raise ModelUnavailableError

    enqueue(store, clock)
    assert worker(store, clock, fails_late).drain() == Tally(failed=1)
    assert traces(dsn) == 0
    clock.advance(10)
    assert worker(store, clock).drain() == Tally(done=1)
    assert traces(dsn) == 1


def test_a_handler_that_forgets_to_complete_is_found_out(store: Database, clock: ManualClock) -> None:
    enqueue(store, clock)
    assert worker(store, clock, lambda _: None, attempts=1).drain() == Tally(dead=1)
    assert left(store)[0].reason == "The handler of extract came back without having completed the job."


def test_a_worker_that_is_interrupted_gives_its_job_back(store: Database, clock: ManualClock) -> None:
    def interrupted(lease: JobLease) -> None:
        raise KeyboardInterrupt

    enqueue(store, clock)
    with pytest.raises(KeyboardInterrupt):
        worker(store, clock, interrupted).drain()
    (job,) = left(store)
    assert (job.state, job.attempts, job.due_at) == ("queued", 0, clock.now())
    assert worker(store, clock).drain() == Tally(done=1)


def test_a_slow_handler_keeps_its_lease(store: Database, clock: ManualClock, dsn: str) -> None:
    """Through ten leases; meanwhile another worker finds nothing."""
    enqueue(store, clock)
    started, go = threading.Event(), threading.Event()

    def slow(lease: JobLease) -> None:
        started.set()
        assert go.wait(30)
        finish(store, lease)

    tallies: list[Tally] = []
    thread = threading.Thread(target=lambda: tallies.append(worker(store, clock, slow, lease=30).drain()))
    thread.start()
    assert started.wait(30)
    other = worker(store, clock, lease=30)
    for _ in range(30):
        until(lambda: clock.sleepers == 1)
        before = left(store)[0].due_at
        clock.advance(10)
        until(lambda before=before: left(store)[0].due_at == before + timedelta(seconds=10))  # type: ignore[misc]
        assert other.drain() == Tally()
    go.set()
    thread.join(30)
    assert tallies == [Tally(done=1)]
    assert (left(store), traces(dsn)) == ([], 1)


def test_who_has_lost_its_lease_cannot_commit(store: Database, clock: ManualClock, dsn: str) -> None:
    """A worker sleeps through its lease, as when its machine is suspended; another does the job; then it wakes up."""
    enqueue(store, clock)
    noticed = []

    def overtaken(lease: JobLease) -> None:
        with store.write("a") as session:  # as if the lease had ended
            session.execute("update illumina.jobs set due_at = %(now)s", {"now": clock.now()})
        assert worker(store, clock).drain() == Tally(done=1)
        with pytest.raises(LeaseLostError):
            lease.heartbeat()
        noticed.append(True)
        with store.write("a") as session:
            session.execute("insert into illumina.spending (namespace, calls) values (%(namespace)s, 1)")
            lease.complete(session)

    assert worker(store, clock, overtaken).drain() == Tally(lost=1)
    assert noticed == [True]
    assert (left(store), traces(dsn)) == ([], 1)
    assert rows(dsn, "select * from illumina.spending") == []


def test_a_job_that_kills_its_workers_becomes_a_dead_letter(store: Database, clock: ManualClock) -> None:
    enqueue(store, clock)
    for number in range(3):
        with store.write("a") as session:
            assert jobs.claim(session, f"dies {number}", clock.now(), timedelta(seconds=60)) is not None
        clock.advance(60)
    ran: list[JobLease] = []
    assert worker(store, clock, ran.append, attempts=3).drain() == Tally(dead=1)
    assert ran == []
    assert left(store)[0].reason == "Its workers ended 3 times without a word."


def test_four_workers_share_two_hundred_jobs(store: Database, clock: ManualClock, dsn: str) -> None:
    for name in ("a", "b"):
        enqueue(store, clock, name, count=100)
    ran: Counter[tuple[str, UUID]] = Counter()
    workers: Counter[int] = Counter()
    guard = threading.Lock()
    together = threading.Barrier(4)

    def handler(lease: JobLease) -> None:
        with guard:
            ran[lease.job.namespace, lease.job.id] += 1
            workers[threading.get_ident()] += 1
        finish(store, lease)

    tallies: list[Tally] = []

    def serve() -> None:
        together.wait(30)
        tally, working = Tally(), worker(store, clock, handler)
        while left(store, "a") or left(store, "b"):  # what others hold at that moment is passed over
            tally.done += working.drain().done
        tallies.append(tally)

    threads = [threading.Thread(target=serve) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(ran) == 200
    assert set(ran.values()) == {1}
    assert sum(tally.done for tally in tallies) == 200
    assert len(workers) == 4
    assert traces(dsn) == 200


def test_run_serves_what_comes_and_stops_when_it_is_told(store: Database, clock: ManualClock, dsn: str) -> None:
    stop = threading.Event()
    tallies: list[Tally] = []
    thread = threading.Thread(target=lambda: tallies.append(worker(store, clock).run(stop)))
    thread.start()
    for count in (1, 2, 3):
        until(lambda: clock.sleepers == 1)
        enqueue(store, clock, f"n{count}", count)
        clock.advance(1)
        until(lambda: traces(dsn) == sum(range(4)[: count + 1]))  # noqa: B023 - called at once
    stop.set()
    thread.join(30)
    assert tallies == [Tally(done=6)]


def test_run_finishes_the_job_in_hand_before_it_stops(store: Database, clock: ManualClock) -> None:
    stop = threading.Event()

    def stopping(lease: JobLease) -> None:
        stop.set()
        finish(store, lease)

    enqueue(store, clock, count=2)
    assert worker(store, clock, stopping).run(stop) == Tally(done=1)
    assert [job.state for job in left(store)] == ["queued"]


@pytest.mark.parametrize(
    ("handlers", "options", "message"),
    [
        ({"extract": print}, {}, "no handler for settle"),
        ({"extract": print, "settle": print}, {"lease": 0}, "lease of 0 s"),
        ({"extract": print, "settle": print}, {"lease": float("nan")}, "lease of nan s"),
        ({"extract": print, "settle": print}, {"lease": 1e300}, "lease of 1e\\+300 s"),
        ({"extract": print, "settle": print}, {"attempts": 0}, "0 attempts"),
    ],
)
def test_what_a_worker_cannot_work_with_is_refused(
    store: Database, clock: ManualClock, handlers: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        Worker(store, handlers, clock, "w", **options)


DIES = """
import sys, time
from uuid import UUID
from illumina.clock import SystemClock
from illumina.store.database import Database
from illumina.work import Worker
from tests.support import HashingEmbedder

def hang(lease):
    with store.write("a") as session:
        session.execute("insert into illumina.stale values (%(namespace)s, %(job)s)", {"job": lease.job.id})
        lease.complete(session)
        print("holding", flush=True)
        time.sleep(600)

with Database(sys.argv[1], HashingEmbedder()) as store:
    Worker(store, {"extract": hang, "settle": hang}, SystemClock(), "victim", lease=1.5).drain()
"""


def test_a_killed_worker_is_taken_over(store: Database, dsn: str) -> None:
    """Killed at the worst moment: all written, the job completed, nothing committed."""
    clock = SystemClock()
    enqueue(store, clock)
    with subprocess.Popen([sys.executable, "-c", DIES, dsn], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()) as victim:
        assert victim.stdout is not None
        assert victim.stdout.readline() == "holding\n"
        assert worker(store, clock).drain() == Tally()
        victim.kill()
    until(lambda: worker(store, clock).drain() == Tally(done=1))
    assert (left(store), traces(dsn)) == ([], 1)


def test_a_worker_survives_restarts_of_the_server(
    server_directory: Path, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server is stopped while a handler is at work, while it commits, and while nobody is."""
    monkeypatch.setattr("illumina.work.FIRST_PAUSE", 0.2)
    clock = SystemClock()
    with EmbeddedServer.start(server_directory) as server:
        server.create_database("illumina")
        dsn = server.dsn("illumina")

        def restart() -> None:
            server._cluster.stop()
            threading.Timer(0.3, server._cluster.ensure_running).start()

        restarts = {2: "before", 5: "within", 8: "after"}
        runs: Counter[int] = Counter()

        def handler(lease: JobLease) -> None:
            version = lease.job.version or 0
            runs[version] += 1
            when = restarts.pop(version, None)
            if when == "before":
                restart()
            with base.write("a") as session:
                session.execute("insert into illumina.stale values (%(namespace)s, %(job)s)", {"job": lease.job.id})
                lease.complete(session)
                if when == "within":
                    restart()
            if when == "after":
                restart()

        with Database(dsn, embedder) as base:
            enqueue(base, clock, count=10)
            tally = Tally()
            working = worker(base, clock, handler)
            deadline = time.monotonic() + 60
            while (found := left_patiently(base)) and time.monotonic() < deadline:
                part = working.drain()
                tally.done += part.done
                tally.failed += part.failed
                time.sleep(0.05)
            assert found == []
            assert tally.done == 10
            assert restarts == {}
            assert runs[5] == 2
            assert tally.failed >= 1
            assert traces(dsn) == 10


def left_patiently(store: Database) -> list[jobs.Job]:
    while True:
        try:
            return left(store)
        except StoreUnavailableError:
            time.sleep(0.05)


def test_a_worker_gives_up_on_a_server_that_stays_away(
    store: Database, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def away(*_: object) -> list[str]:
        asked.append(clock.now())
        raise StoreUnavailableError

    def passing(seconds: float, until: threading.Event | None = None) -> bool:
        clock.advance(seconds)
        return until is not None and until.is_set()

    monkeypatch.setattr(jobs, "due_namespaces", away)
    monkeypatch.setattr(clock, "sleep", passing)
    with pytest.raises(StoreUnavailableError):
        worker(store, clock).drain()
    assert timedelta(seconds=290) < asked[-1] - asked[0] <= timedelta(seconds=300)
    assert len(asked) > 50


def test_a_long_outage_of_a_model_is_outlasted() -> None:
    """The attempts of a job reach over a quarter of an hour at least."""
    assert sum((backoff(UUID(int=1), attempt) for attempt in range(1, ATTEMPTS)), timedelta()) > timedelta(minutes=8)
