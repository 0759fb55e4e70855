"""`illumina work`, `retry` and `jobs`."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID

import pytest
import typer
from typer.testing import CliRunner

from illumina.errors import ExtractionError, InvalidInputError
from illumina.ids import JOB_PREFIX, content_key, public_id
from illumina.interfaces.cli_work import mount
from illumina.store import jobs
from illumina.store.database import Database
from illumina.store.documents import lock_namespace
from illumina.work import JobLease, Worker
from tests.clock import ManualClock
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from typer.testing import Result

DOCUMENT = UUID(int=7)


class Place:
    """A workplace on a real database; `handler` does every kind of job."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.clock = ManualClock()
        self.handler: Callable[[JobLease], object] = self.finish

    def finish(self, lease: JobLease) -> None:
        with self.database.write(lease.job.namespace) as session:
            lease.complete(session)

    def enqueue(self, namespace: str = "default", count: int = 1) -> None:
        with self.database.write(namespace) as session:
            lock_namespace(session)
            for version in range(1, count + 1):
                jobs.enqueue(session, "extract", DOCUMENT, version, self.clock.now())

    def worker(self, *, lease: float) -> Worker:
        handlers: dict[jobs.JobKind, Callable[[JobLease], object]] = {"extract": self.handler, "settle": self.handler}
        return Worker(self.database, handlers, self.clock, "w", lease=lease, permanent={ExtractionError})

    def jobs(self, *, namespace: str) -> list[jobs.Job]:
        with self.database.read(namespace) as session:
            return jobs.outstanding(session)

    def retry(self, names: Iterable[str] | None, *, namespace: str) -> list[str]:
        keys = None if names is None else [content_key(JOB_PREFIX, name) for name in names]
        with self.database.write(namespace) as session:
            return [public_id(JOB_PREFIX, job) for job in jobs.revive(session, keys, self.clock.now())]


@pytest.fixture
def place(dsn: str, embedder: HashingEmbedder) -> Iterator[Place]:
    with Database(dsn, embedder) as database:
        yield Place(database)


@pytest.fixture
def command(place: Place) -> Callable[..., Result]:
    app = typer.Typer()

    @contextmanager
    def opening(*_: object) -> Iterator[Place]:
        yield place

    mount(app, opening)
    return lambda *arguments: CliRunner().invoke(app, arguments)


def give_up(place: Place, reason: str) -> None:
    def refuse(_: JobLease) -> None:
        raise ExtractionError(reason)

    place.handler = refuse
    place.worker(lease=60).drain()
    place.handler = place.finish


def test_work_drains_all_namespaces(place: Place, command: Callable[..., Result]) -> None:
    place.enqueue(count=2)
    place.enqueue("other")
    done = command("work", "--drain")
    assert (done.exit_code, done.stdout) == (
        0,
        "3 jobs done, 0 to be tried again, 0 put off, 0 given up, 0 taken over by others.\n",
    )
    assert command("jobs").stdout == "default: 0 queued, 0 being worked on, 0 given up.\n"


def test_the_lease_is_in_seconds(place: Place, command: Callable[..., Result]) -> None:
    ends = []

    def handler(lease: JobLease) -> None:
        ends.append(lease.job.due_at - place.clock.now())
        place.finish(lease)

    place.handler = handler
    place.enqueue()
    assert command("work", "--drain", "--lease", "7.5").exit_code == 0
    assert ends == [timedelta(seconds=7.5)]


def test_what_is_given_up_says_why_and_can_be_taken_up(place: Place, command: Callable[..., Result]) -> None:
    place.enqueue(count=2)
    given_up = [public_id(JOB_PREFIX, job.id) for job in place.jobs(namespace="default")]

    def refuse(_: JobLease) -> None:
        raise ExtractionError("prose,\nnot JSON")

    place.handler = refuse
    done = command("work", "--drain")
    assert done.exit_code == 1
    assert "2 given up" in done.stdout
    assert "illumina retry" in done.stderr
    listed = command("jobs").stdout.splitlines()
    document = f"doc_{DOCUMENT.hex}"
    assert listed[0].startswith(f"{given_up[0]}  extract {document} version ")
    assert listed[0].endswith("given up, due 2026-03-02 09:01:00Z · 1 attempts · prose, not JSON")
    assert listed[2:] == ["default: 0 queued, 0 being worked on, 2 given up."]

    place.handler = place.finish
    assert command("retry", given_up[1]).stdout == "1 jobs are queued again.\n"
    again = command("retry", *given_up)
    assert again.exit_code == 1
    assert again.stdout == "1 jobs are queued again.\n"
    assert again.stderr == f"{given_up[1]} is none of the jobs given up in default.\n"
    assert command("jobs").stdout.splitlines()[-1] == "default: 2 queued, 0 being worked on, 0 given up."
    assert command("work", "--drain").stdout.startswith("2 jobs done")


def test_retry_all_keeps_to_its_namespace(place: Place, command: Callable[..., Result]) -> None:
    place.enqueue(count=2)
    place.enqueue("other")
    give_up(place, "no")
    assert command("retry", "--all", "-n", "other").stdout == "1 jobs are queued again.\n"
    assert command("jobs").stdout.splitlines()[-1] == "default: 0 queued, 0 being worked on, 2 given up."


@pytest.mark.parametrize("arguments", [(), ("--all", "job_" + "0" * 32), ("job_7",), ("fct_" + "0" * 32,)])
def test_retry_wants_to_know_which(command: Callable[..., Result], arguments: tuple[str, ...]) -> None:
    assert isinstance(command("retry", *arguments).exception, InvalidInputError)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_work_goes_on_until_it_is_told_to_stop(place: Place, command: Callable[..., Result], number: signal.Signals) -> None:
    before = signal.getsignal(number)
    threads = set(threading.enumerate())

    def handler(lease: JobLease) -> None:
        signal.raise_signal(number)
        place.finish(lease)

    place.handler = handler
    place.enqueue(count=2)
    done = command("work")
    assert (done.exit_code, done.stderr) == (0, "Finishing the job in hand.\n")
    assert done.stdout.startswith("1 jobs done")
    assert len(place.jobs(namespace="default")) == 1
    assert signal.getsignal(number) == before
    assert set(threading.enumerate()) <= threads
