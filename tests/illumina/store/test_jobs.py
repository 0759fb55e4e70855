"""Jobs, by themselves: leases, wake-ups and what a worker may see."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

import psycopg
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from illumina.errors import LeaseLostError, StoreUnavailableError
from illumina.store import jobs
from illumina.store.database import Database, Session
from illumina.store.documents import lock_namespace
from tests.support import HashingEmbedder, rows, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
LEASE = timedelta(seconds=60)
DOCUMENT = UUID(int=7)


def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


@pytest.fixture
def store(dsn: str, embedder: HashingEmbedder) -> Iterator[Database]:
    """A database in which the namespaces `a` and `b` are registered."""
    with Database(dsn, embedder) as opened:
        for name in ("a", "b"):
            with opened.write(name) as session:
                lock_namespace(session)
        yield opened


def enqueue(store: Database, namespace: str = "a", version: int = 1, due: float = 0) -> UUID:
    with store.write(namespace) as session:
        return jobs.enqueue(session, "extract", DOCUMENT, version, at(due))


def claim(store: Database, worker: str = "w", now: float = 0, namespace: str = "a") -> jobs.Job | None:
    with store.write(namespace) as session:
        return jobs.claim(session, worker, at(now), LEASE)


def complete(store: Database, job: UUID, worker: str = "w", *statements: str) -> None:
    with store.write("a") as session:
        for statement in statements:
            session.execute(statement)
        jobs.complete(session, job, worker)


def undone(store: Database, action: Callable[[Session], object]) -> None:
    """Do something in a transaction that is rolled back."""
    with suppress(KeyboardInterrupt), store.write("a") as session:
        action(session)
        raise KeyboardInterrupt


def outstanding(store: Database, namespace: str = "a") -> list[jobs.Job]:
    with store.read(namespace) as session:
        return jobs.outstanding(session)


def test_a_job_is_named_by_its_work(store: Database) -> None:
    first = enqueue(store)
    assert enqueue(store, due=5) == first
    assert enqueue(store, "b") == first
    assert enqueue(store, version=2) != first
    assert {(job.id, job.state, job.attempts, job.due_at) for job in outstanding(store)} == {
        (first, "queued", 0, NOW),
        (jobs.job_id("extract", DOCUMENT, 2), "queued", 0, NOW),
    }
    with store.write("a") as session:
        settle = jobs.enqueue(session, "settle", None, None, NOW)
        assert jobs.enqueue(session, "settle", None, None, NOW) == settle


def test_the_longest_waiting_is_taken_and_nothing_before_it_is_due(store: Database) -> None:
    late, early = enqueue(store, version=1, due=20), enqueue(store, version=2, due=10)
    assert claim(store, now=9.999) is None
    taken = claim(store, now=30)
    assert taken is not None
    assert (taken.id, taken.state, taken.attempts, taken.due_at) == (early, "leased", 1, at(90))
    second = claim(store, "v", now=30)
    assert second is not None
    assert second.id == late
    assert claim(store, "u", now=30) is None


def test_a_lease_ends_unless_it_is_extended(store: Database) -> None:
    job = enqueue(store)
    assert claim(store, "w") is not None
    with store.write("a") as session:
        assert jobs.heartbeat(session, job, "w", at(50), LEASE)
        assert not jobs.heartbeat(session, job, "v", at(50), LEASE)
    assert claim(store, "v", now=109.9) is None
    taken = claim(store, "v", now=110)
    assert taken is not None
    assert taken.attempts == 2
    with store.write("a") as session:
        assert not jobs.heartbeat(session, job, "w", at(110), LEASE)


def test_who_lost_the_lease_can_neither_complete_nor_fail(store: Database, dsn: str) -> None:
    job = enqueue(store)
    claim(store, "w")
    claim(store, "v", now=60)
    with pytest.raises(LeaseLostError):
        complete(store, job, "w", "insert into illumina.spending (namespace, calls) values (%(namespace)s, 1)")
    assert rows(dsn, "select * from illumina.spending") == []
    with store.write("a") as session:
        assert not jobs.fail(session, job, "w", "mine", None)
    assert outstanding(store)[0].state == "leased"
    complete(store, job, "v")
    assert outstanding(store) == []
    with pytest.raises(LeaseLostError):
        complete(store, job, "v")


def test_a_job_that_is_removed_meanwhile_cannot_be_completed(store: Database, dsn: str) -> None:
    job = enqueue(store)
    claim(store)
    run(dsn, "delete from illumina.jobs")
    with pytest.raises(LeaseLostError):
        complete(store, job)


def test_completing_waits_for_its_transaction(store: Database) -> None:
    job = enqueue(store)
    claim(store)
    undone(store, lambda session: jobs.complete(session, job, "w"))
    assert [found.state for found in outstanding(store)] == ["leased"]
    complete(store, job)


def test_failing_sets_a_time_or_makes_a_dead_letter(store: Database) -> None:
    job = enqueue(store)
    claim(store)
    with store.write("a") as session:
        assert jobs.fail(session, job, "w", "the model\0is \ud800 down", at(5))
        assert jobs.dead(session) == []
    (waiting,) = outstanding(store)
    assert (waiting.state, waiting.attempts, waiting.due_at, waiting.reason) == (
        "queued",
        1,
        at(5),
        "the model\ufffdis ? down",
    )
    assert claim(store, now=4) is None
    again = claim(store, now=5)
    assert again is not None
    assert again.attempts == 2
    with store.write("a") as session:
        assert jobs.fail(session, job, "w", "capped", at(100), counted=False)
    (waiting,) = outstanding(store)
    assert waiting.attempts == 1
    claim(store, now=100)
    with store.write("a") as session:
        assert jobs.fail(session, job, "w", "wrong for good", None)
        (letter,) = jobs.dead(session)
    assert (letter.id, letter.state, letter.reason) == (job, "dead", "wrong for good")


def test_a_dead_letter_stays_dead_until_it_is_revived(store: Database) -> None:
    ids = [enqueue(store, version=version) for version in (1, 2)]
    for _ in ids:
        taken = claim(store)
        assert taken is not None
        with store.write("a") as session:
            jobs.fail(session, taken.id, "w", "no", None)
    enqueue(store, version=1)
    assert claim(store, now=1e6) is None
    assert jobs.due_namespaces(store, at(1e6)) == []
    with store.write("b") as session:
        assert jobs.revive(session, None, NOW) == []
    with store.write("a") as session:
        assert jobs.revive(session, ids[:1], at(3)) == ids[:1]
        assert jobs.revive(session, ids[:1], at(3)) == []
        assert [letter.id for letter in jobs.dead(session)] == ids[1:]
        assert jobs.revive(session, None, at(4)) == ids[1:]
    assert [(job.state, job.attempts, job.due_at, job.reason) for job in outstanding(store)] == [
        ("queued", 0, at(3), "no"),
        ("queued", 0, at(4), "no"),
    ]


def test_asked_for_while_it_runs_it_runs_again(store: Database) -> None:
    job = enqueue(store)
    claim(store)
    enqueue(store, due=20)
    enqueue(store, due=10)
    enqueue(store, due=15)
    assert claim(store, "v", now=59) is None
    complete(store, job)
    (waiting,) = outstanding(store)
    assert (waiting.state, waiting.attempts, waiting.due_at) == ("queued", 0, at(10))
    claim(store, now=10)
    complete(store, job)
    assert outstanding(store) == []


def test_a_wake_up_outlives_failure_and_takeover(store: Database) -> None:
    job = enqueue(store)
    claim(store)
    enqueue(store, due=1)
    claim(store, "v", now=60)  # begins after the wake-up, so it serves it
    complete(store, job, "v")
    assert outstanding(store) == []
    enqueue(store)
    claim(store)
    enqueue(store, due=1)
    with store.write("a") as session:
        jobs.fail(session, job, "w", "no", None)
    assert [found.state for found in outstanding(store)] == ["dead"]


def test_a_run_does_not_begin_before_what_it_is_for_is_committed(store: Database) -> None:
    """The queued job is there already, so nothing is inserted; yet it must not be taken meanwhile."""
    enqueue(store)
    with store.write("a") as session:
        jobs.enqueue(session, "extract", DOCUMENT, 1, NOW)
        assert claim(store, now=10) is None
    assert claim(store, now=10) is not None


def test_what_is_rolled_back_was_never_asked_for(store: Database) -> None:
    undone(store, lambda session: jobs.enqueue(session, "settle", None, None, NOW))
    assert outstanding(store) == []


def test_a_job_needs_a_namespace_that_is_registered(store: Database) -> None:
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        enqueue(store, "nobody knows this one")


def test_due_namespaces_come_the_longest_waiting_first(store: Database) -> None:
    for number in range(30):
        name = f"n{number:02}"
        with store.write(name) as session:
            lock_namespace(session)
            for version in range(3):
                jobs.enqueue(session, "extract", DOCUMENT, version, at((number * 7) % 30 + 100 * version))
    expected = sorted((f"n{number:02}" for number in range(30)), key=lambda name: int(name[1:]) * 7 % 30)
    assert jobs.due_namespaces(store, at(-1)) == []
    assert jobs.due_namespaces(store, at(9)) == expected[:10]
    assert jobs.due_namespaces(store, at(1000)) == expected
    assert claim(store, now=0, namespace="n00") is not None
    assert jobs.due_namespaces(store, at(0)) == []
    # A lease that has ended is due too, at the time when it ended.
    assert jobs.due_namespaces(store, at(1000))[-1] == "n00"


def test_looking_for_work_does_not_read_the_backlog(store: Database, dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run(
        dsn,
        "insert into illumina.jobs (namespace, job, kind, state, due_at) select n.namespace, gen_random_uuid(), 'extract', "
        "'queued', '2026-03-02 09:00Z'::timestamptz + i * interval '1 ms' from illumina.namespaces n, "
        "generate_series(1, 5000) i; analyze illumina.jobs",
    )
    execute = psycopg.Connection.execute
    read: list[int] = []

    def explained(connection: psycopg.Connection, query: Any, parameters: Any = None, **options: Any) -> Any:
        if b"recursive" in (query if isinstance(query, bytes) else query.encode()):
            explain = "explain (analyze, format json, buffers off) " + query
            read.append(_rows_read(execute(connection, explain, parameters).fetchall()[0][0][0]["Plan"], "jobs"))
        return execute(connection, query, parameters, **options)

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Connection, "execute", explained)
        assert set(jobs.due_namespaces(store, at(100))) == {"a", "b"}
    assert read == [2]


def _rows_read(plan: dict[str, Any], table: str) -> int:
    own = plan["Actual Rows"] * plan["Actual Loops"] + plan.get("Rows Removed by Filter", 0) * plan["Actual Loops"]
    rest = sum(_rows_read(child, table) for child in plan.get("Plans", []))
    return int(own) * (plan.get("Relation Name") == table) + rest


def test_a_worker_sees_jobs_and_names_of_all_namespaces_and_nothing_else(store: Database, dsn: str) -> None:
    for name in ("a", "b"):
        enqueue(store, name)
        with store.write(name) as session:
            session.execute(
                "insert into illumina.documents (namespace, document, version, source, body, metadata, digest, state) "
                "values (%(namespace)s, %(document)s, 1, '', 'secret', '{}', %(document)s, 'accepted')",
                {"document": DOCUMENT},
            )
            session.execute("insert into illumina.spending (namespace, calls) values (%(namespace)s, 1)")
    tables = [
        name
        for (name,) in rows(
            dsn,
            "select relname from pg_class where relnamespace = 'illumina'::regnamespace and relrowsecurity order by 1",
        )
    ]
    assert {"documents", "facts", "calls", "jobs", "namespaces"} <= set(tables)
    for table in tables:
        with store.survey() as connection:
            (count,) = connection.execute(f"select count(*) from illumina.{table}".encode()).fetchone() or (None,)
        assert count == (2 if table in {"jobs", "namespaces"} else 0), table
        # It may look only: another transaction of its kind that is allowed to write changes nothing either.
        with store._connection() as connection:
            connection.execute(b"begin; set local illumina.namespace = '0'; set local illumina.worker = 'on'")
            assert connection.execute(f"delete from illumina.{table}".encode()).rowcount == 0
            connection.execute("commit")
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction), store.survey() as connection:
        connection.execute("delete from illumina.jobs")
    # What a worker may see ends with its transaction.
    with store.write("a") as session:
        assert session.execute("select count(*) from illumina.jobs").fetchone() == (1,)


class Interleaving:
    """Two writers and two workers whose steps come in any order, without any lock but those of the jobs.

    A writer records something to do and enqueues, in one transaction. A run is: claim; read what there is to do; in one
    transaction do just that and complete. A step that would have to wait is undone instead.
    """

    def __init__(self, store: Database) -> None:
        self.store = store
        self.now = 0.0
        self.number = 0
        self.writers: dict[str, ExitStack] = {}
        self.runs: list[tuple[UUID, str, list[UUID]]] = []
        self.claimed: list[tuple[UUID, str]] = []

    @contextmanager
    def impatient(self) -> Iterator[Session]:
        try:
            with self.store.write("a") as session:
                session.execute("set local lock_timeout = '3ms'")
                yield session
        except StoreUnavailableError as error:
            if not isinstance(error.__cause__, psycopg.errors.LockNotAvailable):
                raise

    def open(self, who: str) -> None:
        if who in self.writers:
            return
        with ExitStack() as stack:
            try:
                session = stack.enter_context(self.impatient())
                fact = uuid5(DOCUMENT, str(self.number))
                session.execute("insert into illumina.stale values (%(namespace)s, %(fact)s)", {"fact": fact})
                jobs.enqueue(session, "settle", None, None, at(self.now))
            except psycopg.errors.LockNotAvailable as error:
                stack.__exit__(type(error), error, None)
                return
            self.writers[who] = stack.pop_all()

    def commit(self, who: str) -> None:
        if who in self.writers:
            self.writers.pop(who).close()

    def abort(self, who: str) -> None:
        if who in self.writers:
            error = KeyboardInterrupt()
            with suppress(KeyboardInterrupt):
                self.writers.pop(who).__exit__(type(error), error, None)

    def claim(self, _: str) -> None:
        worker = f"w{self.number}"
        with self.impatient() as session:
            taken = jobs.claim(session, worker, at(self.now), LEASE)
        if taken is not None:
            self.claimed.append((taken.id, worker))

    def read(self, _: str) -> None:
        if self.claimed:
            job, worker = self.claimed.pop(0)
            with self.store.read("a") as session:
                seen = session.execute("select fact from illumina.stale").fetchall()
            self.runs.append((job, worker, [fact for (fact,) in seen]))

    def complete(self, _: str) -> None:
        if self.runs:
            job, worker, seen = self.runs.pop(0)
            with suppress(LeaseLostError), self.impatient() as session:
                session.execute("delete from illumina.stale where fact = any(%(seen)s)", {"seen": seen})
                jobs.complete(session, job, worker)

    def fail(self, _: str) -> None:
        if self.runs:
            job, worker, _seen = self.runs.pop(0)
            with self.impatient() as session:
                jobs.fail(session, job, worker, "no", at(self.now + 1))

    def die(self, _: str) -> None:
        (self.runs or self.claimed or [None]).pop(0)

    def expire(self, _: str) -> None:
        self.now += 61

    def step(self, name: str) -> None:
        self.number += 1
        action, _, who = name.partition(" ")
        getattr(self, action)(who)


STEPS = ["open 0", "open 1", "commit 0", "commit 1", "abort 1", "claim", "read", "complete", "fail", "die", "expire"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(STEPS), max_size=25))
@example(["open 0", "commit 0", "open 0", "claim", "read", "complete", "commit 0"])
@example(["open 0", "commit 0", "claim", "read", "open 0", "commit 0", "complete"])
@example(["open 0", "commit 0", "claim", "open 0", "expire", "claim", "commit 0", "read", "complete", "read", "complete"])
def test_no_wake_up_is_lost(store: Database, dsn: str, steps: list[str]) -> None:
    """Whatever is committed and not yet done has a job that is still to run, at every moment; and in the end all is done."""
    run(dsn, "truncate illumina.jobs, illumina.stale")
    world = Interleaving(store)

    def check() -> None:
        with store.read("a") as session:
            found = session.execute(
                "select (select count(*) from illumina.stale), (select count(*) from illumina.jobs where state <> 'dead')"
            ).fetchall()
        ((todo, waiting),) = found
        assert waiting <= 1
        assert todo == 0 or waiting == 1

    try:
        for name in steps:
            world.step(name)
            check()
    finally:
        for who in list(world.writers):
            world.commit(who)
    check()
    world.runs.clear()
    world.claimed.clear()
    for _ in range(2):
        for name in ("expire", "claim", "read", "complete"):
            world.step(name)
    assert rows(dsn, "select (select count(*) from illumina.stale), (select count(*) from illumina.jobs)") == [(0, 0)]
