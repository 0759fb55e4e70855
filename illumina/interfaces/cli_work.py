"""The commands around jobs: `work`, `retry` and `jobs`."""

import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Annotated, Protocol

import typer

from illumina.errors import InvalidInputError
from illumina.ids import DOCUMENT_PREFIX, FACT_PREFIX, JOB_PREFIX, public_id
from illumina.intake import DEFAULT_NAMESPACE
from illumina.interfaces.options import Dsn, Extractor, Llm, Model, Namespace, Reconciler, ReplayMode
from illumina.store.jobs import Job
from illumina.work import LEASE, Worker


class Workplace(Protocol):
    """What the commands ask of a memory."""

    def worker(self, *, lease: float) -> Worker:
        """A worker that knows what each kind of job takes."""
        ...

    def jobs(self, *, namespace: str) -> list[Job]:
        """All jobs of a namespace, dead letters first."""
        ...

    def retry(self, jobs: Iterable[str] | None, *, namespace: str) -> list[str]:
        """Queue dead letters anew, all if None; returns the ids (`job_…`) of those that were dead.

        Raises:
            InvalidInputError: One is no id of a job; nothing is queued.
        """
        ...


Opening = Callable[..., AbstractContextManager[Workplace]]
"""Opens a memory; takes what `options.open_memory` takes."""


def mount(app: typer.Typer, opening: Opening) -> None:
    """Add the commands to an application."""

    @app.command()
    def work(
        *,
        drain: Annotated[bool, typer.Option("--drain", help="End when nothing is due. Default: wait for more.")] = False,
        lease: Annotated[
            float, typer.Option(help="Seconds without a sign of life after which other workers take a job over.")
        ] = LEASE,
        dsn: Dsn = None,
        embedder: Model = None,
        extractor: Extractor = None,
        llm: Llm = None,
        reconciler: Reconciler = None,
        replay: ReplayMode = "record",
    ) -> None:
        """Do the jobs of all namespaces. Run as many at once, on as many machines, as you like."""
        with opening(dsn, embedder, extractor, llm, replay, reconciler) as memory, _stopped_by_signals() as stop:
            worker = memory.worker(lease=lease)
            tally = worker.drain(stop=stop) if drain else worker.run(stop)
        typer.echo(
            f"{tally.done} jobs done, {tally.failed} to be tried again, {tally.deferred} put off, {tally.dead} given up, "
            f"{tally.lost} taken over by others."
        )
        if tally.dead:
            typer.echo("`illumina jobs` shows why; `illumina retry` takes them up again.", err=True)
            raise typer.Exit(1)

    @app.command()
    def retry(
        jobs: Annotated[list[str] | None, typer.Argument(help="Jobs that were given up (job_…).")] = None,
        *,
        everything: Annotated[bool, typer.Option("--all", help="All of the namespace.")] = False,
        namespace: Namespace = DEFAULT_NAMESPACE,
        dsn: Dsn = None,
        embedder: Model = None,
    ) -> None:
        """Queue jobs that were given up once more; `illumina work` does them."""
        wanted = jobs or []
        if bool(wanted) == everything:
            raise InvalidInputError("Name the jobs to retry, or pass --all.")
        with opening(dsn, embedder) as memory:
            revived = memory.retry(wanted or None, namespace=namespace)
        typer.echo(f"{len(revived)} jobs are queued again.")
        missing = [job for job in wanted if job not in revived]
        for job in missing:
            typer.echo(f"{job} is none of the jobs given up in {namespace}.", err=True)
        if missing:
            raise typer.Exit(1)

    @app.command("jobs")
    def list_jobs(*, namespace: Namespace = DEFAULT_NAMESPACE, dsn: Dsn = None, embedder: Model = None) -> None:
        """What is still to do, what is being done, and what was given up and why."""
        with opening(dsn, embedder) as memory:
            found = memory.jobs(namespace=namespace)
        for job in found:
            typer.echo(_line(job))
        counts = Counter(job.state for job in found)
        typer.echo(f"{namespace}: {counts['queued']} queued, {counts['leased']} being worked on, {counts['dead']} given up.")


def _line(job: Job) -> str:
    about = "" if job.document is None else f" {public_id(DOCUMENT_PREFIX, job.document)} version {job.version}"
    about = about if job.fact is None else f" {public_id(FACT_PREFIX, job.fact)}"
    moment = {"queued": "due", "leased": "leased until", "dead": "given up, due"}[job.state]
    tries = f" · {job.attempts} attempts" if job.attempts else ""
    reason = f" · {' '.join(job.reason.split())}" if job.reason else ""
    return f"{public_id(JOB_PREFIX, job.id)}  {job.kind}{about} · {moment} {job.due_at:%Y-%m-%d %H:%M:%S}Z{tries}{reason}"


@contextmanager
def _stopped_by_signals() -> Iterator[threading.Event]:
    """An event that the first SIGINT or SIGTERM sets; a second one ends the process as usual."""
    stop = threading.Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stopping(number: int, _: object) -> None:
        typer.echo("Finishing the job in hand.", err=True)
        stop.set()
        signal.signal(number, before[signal.Signals(number)])

    for number in before:
        signal.signal(number, stopping)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
