"""Jobs: work that outlives the process which asked for it. A job is run by whoever holds its lease.

A job's row is its lock. Who enqueues holds it until that transaction ends, so that no run can begin before it sees what the
job is for; who enqueues while the job is leased has it run once more. So work that was recorded together with its job is
always followed by a whole run of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args
from uuid import UUID

from illumina.errors import LeaseLostError
from illumina.ids import content_uuid

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime, timedelta

    from illumina.store.database import Database, Session

JobKind = Literal["extract", "settle", "reconcile"]
"""Make the facts of one version of a document; settle what is derived from the facts of a namespace; ask a language model
whether one fact and those about the same things supersede one another."""

JOB_KINDS: Final[tuple[JobKind, ...]] = get_args(JobKind)

JobState = Literal["queued", "leased", "dead"]

REASON_LIMIT: Final = 2000
"""Characters of a reason that are kept."""


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work in one namespace.

    Attributes:
        namespace: Its name.
        id: Derived from kind, document and version, or kind and fact.
        kind: What is to be done.
        document: What it is about; None where it is about the namespace.
        version: The version of that document.
        fact: The fact that it is about, if it is about one.
        state: Waiting, being worked on, or given up.
        attempts: How often it was begun without success, this time included.
        due_at: From when it may be taken; of a leased job, when its lease ends.
        reason: Why it failed the last time, if it did.
    """

    namespace: str
    id: UUID
    kind: JobKind
    document: UUID | None
    version: int | None
    fact: UUID | None
    state: JobState
    attempts: int
    due_at: datetime
    reason: str | None


_COLUMNS = "job, kind, document, version, fact, state, attempts, due_at, reason"


def job_id(kind: JobKind, document: UUID | None = None, version: int | None = None, fact: UUID | None = None) -> UUID:
    """The id of a job: within a namespace the same work is the same job."""
    about = None if document is None else document.hex
    return content_uuid("job", kind, about, version) if fact is None else content_uuid("job", kind, fact.hex)


def enqueue(
    session: Session,
    kind: JobKind,
    document: UUID | None,
    version: int | None,
    due_at: datetime,
    *,
    fact: UUID | None = None,
) -> UUID:
    """Ask for a job within the transaction that records what it is for; asking again changes nothing.

    If it is being worked on, it runs once more afterwards. A dead one stays dead until it is revived. The namespace must be
    registered, and who locks it does so before this.
    """
    job = job_id(kind, document, version, fact)
    # Why: the update locks the row in every state, also where its condition does not hold; `do nothing` would not, and a run
    # could begin and end before this transaction's writes are seen.
    session.execute(
        "insert into illumina.jobs as j (namespace, job, kind, document, version, fact, state, due_at) "
        "values (%(namespace)s, %(job)s, %(kind)s, %(document)s, %(version)s, %(fact)s, 'queued', %(due_at)s) "
        "on conflict (namespace, job) do update set again_at = least(j.again_at, excluded.due_at) where j.state = 'leased'",
        {"job": job, "kind": kind, "document": document, "version": version, "fact": fact, "due_at": due_at},
    )
    return job


def due_namespaces(database: Database, now: datetime) -> list[str]:
    """The namespaces with a job that may be taken now, the longest waiting first."""
    with database.survey() as connection:
        # Why: a worker serves all namespaces. Jumping from namespace to namespace in the index reads one entry of each,
        # however many jobs wait there.
        rows = connection.execute(
            "with recursive first as ("
            "  (select namespace, due_at from illumina.jobs where state <> 'dead' order by namespace, due_at limit 1) "
            "  union all "
            "  select j.namespace, j.due_at from first f cross join lateral ("
            "    select namespace, due_at from illumina.jobs where state <> 'dead' and namespace > f.namespace "
            "    order by namespace, due_at limit 1) j) "
            "select n.name from first f join illumina.namespaces n on n.namespace = f.namespace "
            "where f.due_at <= %(now)s order by f.due_at, n.name",
            {"now": now},
            prepare=True,
        ).fetchall()
    return [name for (name,) in rows]


def claim(session: Session, worker: str, now: datetime, lease: timedelta, kinds: Collection[JobKind] = JOB_KINDS) -> Job | None:
    """Take the job that has been due the longest, or one whose lease has ended; None if there is none.

    Args:
        session: A transaction that commits at once: the lease counts from then on.
        worker: Names this very lease: no two claims may share it.
        now: By the worker's clock.
        lease: How long nobody else may take it unless it is extended.
        kinds: What the worker can do.
    """
    # Why: `skip locked` lets workers pass one another; a run that begins now sees all that was asked for so far.
    row = session.execute(
        "update illumina.jobs set state = 'leased', leased_to = %(worker)s, attempts = attempts + 1, due_at = %(ends)s, "
        "again_at = null where namespace = %(namespace)s and job = ("
        "  select job from illumina.jobs where namespace = %(namespace)s and state <> 'dead' and due_at <= %(now)s "
        "  and kind = any(%(kinds)s) order by due_at, job limit 1 for update skip locked) "
        f"returning {_COLUMNS}",
        {"worker": worker, "now": now, "ends": now + lease, "kinds": list(kinds)},
    ).fetchone()
    return None if row is None else _job(session, row)


def heartbeat(session: Session, job: UUID, worker: str, now: datetime, lease: timedelta) -> bool:
    """Extend a lease; returns whether it was still held."""
    # Why: a model may take longer than any lease.
    return bool(
        session.execute(
            "update illumina.jobs set due_at = %(ends)s "
            "where namespace = %(namespace)s and job = %(job)s and leased_to = %(worker)s",
            {"job": job, "worker": worker, "ends": now + lease},
        ).rowcount
    )


def complete(session: Session, job: UUID, worker: str) -> None:
    """The job is done when this transaction commits, which holds what it has written too.

    Raises:
        LeaseLostError: The lease is another worker's by now, or the job is gone. Let the transaction roll back.
    """
    # Why: from here to the commit nobody can take the job over or ask for it again.
    row = session.execute(
        "select again_at from illumina.jobs "
        "where namespace = %(namespace)s and job = %(job)s and leased_to = %(worker)s for update",
        {"job": job, "worker": worker},
    ).fetchone()
    if row is None:
        raise LeaseLostError
    if row[0] is None:
        # Why: what is done leaves nothing behind.
        session.execute("delete from illumina.jobs where namespace = %(namespace)s and job = %(job)s", {"job": job})
    else:
        # Why: it was asked for during this run, which may have begun too early to see what for.
        session.execute(
            "update illumina.jobs set state = 'queued', leased_to = null, due_at = again_at, again_at = null, attempts = 0, "
            "reason = null where namespace = %(namespace)s and job = %(job)s",
            {"job": job},
        )


def fail(session: Session, job: UUID, worker: str, reason: str, due_at: datetime | None, *, counted: bool = True) -> bool:
    """Give a job back undone; returns whether it was still held.

    Args:
        session: Another transaction than the one that failed.
        job: Which.
        worker: As claimed.
        reason: For people.
        due_at: When it may be tried again; None makes it a dead letter.
        counted: Whether this run was one of its attempts.
    """
    # Why: a dead letter keeps its reason until it is revived. Whatever it was asked for meanwhile, its next run sees.
    return bool(
        session.execute(
            "update illumina.jobs set state = case when %(due_at)s::timestamptz is null then 'dead' else 'queued' end, "
            "due_at = coalesce(%(due_at)s, due_at), leased_to = null, again_at = null, "
            "attempts = attempts - %(uncounted)s::integer, reason = %(reason)s "
            "where namespace = %(namespace)s and job = %(job)s and leased_to = %(worker)s",
            {
                "job": job,
                "worker": worker,
                "due_at": due_at,
                "uncounted": int(not counted),
                "reason": _storable(reason),
            },
        ).rowcount
    )


def remove(session: Session, kind: JobKind, document: UUID | None, version: int | None) -> None:
    """The job is done by another than a worker, in this transaction; a worker that has it will find its lease lost.

    Lock the namespace before this.
    """
    # Why: what is done leaves nothing behind.
    session.execute(
        "delete from illumina.jobs where namespace = %(namespace)s and job = %(job)s", {"job": job_id(kind, document, version)}
    )


def hasten(session: Session, kind: JobKind, versions: Collection[tuple[UUID, int]], now: datetime) -> None:
    """Let a worker take jobs at once that were left to whoever accepted the documents; those that are gone stay gone."""
    # Why: whoever had a head start has given up.
    session.execute(
        "update illumina.jobs set due_at = %(now)s where namespace = %(namespace)s and job = any(%(jobs)s) "
        "and state = 'queued' and due_at > %(now)s",
        {"jobs": [job_id(kind, *version) for version in versions], "now": now},
    )


def find(session: Session, kind: JobKind, document: UUID | None, version: int | None) -> Job | None:
    """One job, if it is still to do."""
    # Why: the account of a document says why it was not read yet.
    row = session.execute(
        f"select {_COLUMNS} from illumina.jobs where namespace = %(namespace)s and job = %(job)s",
        {"job": job_id(kind, document, version)},
    ).fetchone()
    return None if row is None else _job(session, row)


def outstanding(session: Session) -> list[Job]:
    """All jobs of the namespace: dead, then leased, then queued, each in the order in which they are or were due."""
    # Why: for people; the states happen to be in the order of their alphabet.
    rows = session.execute(f"select {_COLUMNS} from illumina.jobs where namespace = %(namespace)s order by state, due_at, job")
    return [_job(session, row) for row in rows]


def dead(session: Session) -> list[Job]:
    """The dead letters of the namespace."""
    # Why: they wait for somebody to mend their reason.
    rows = session.execute(
        f"select {_COLUMNS} from illumina.jobs where namespace = %(namespace)s and state = 'dead' order by due_at, job"
    )
    return [_job(session, row) for row in rows]


def revive(session: Session, jobs: Collection[UUID] | None, now: datetime) -> list[UUID]:
    """Queue dead letters anew, all of the namespace if None; returns those that were dead."""
    # Why: what made them fail has been mended, so they have all their attempts again.
    rows = session.execute(
        "update illumina.jobs set state = 'queued', attempts = 0, due_at = %(now)s "
        "where namespace = %(namespace)s and state = 'dead' and (%(jobs)s::uuid[] is null or job = any(%(jobs)s)) "
        "returning job",
        {"jobs": None if jobs is None else list(jobs), "now": now},
    )
    return sorted(job for (job,) in rows)


def _job(session: Session, row: tuple[Any, ...]) -> Job:
    return Job(session.name, *row)


def _storable(reason: str) -> str:
    """PostgreSQL stores neither NUL nor lone surrogates, and an error's text may quote either."""
    return reason[:REASON_LIMIT].replace("\0", "\ufffd").encode("utf-8", "replace").decode()
