"""What a fact replaced and what replaced it, what rests on something that no longer holds, and what people decide about it.

Whoever asks sees what is shared and what is visible to the agent and on the device that ask, and no trace of anything else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from illumina.canonical import dumps
from illumina.errors import InvalidInputError
from illumina.ids import DOCUMENT_PREFIX, FACT_PREFIX, RULING_PREFIX, content_key, public_id
from illumina.retain import reconcile
from illumina.store import documents as ledger
from illumina.store import history as store
from illumina.store import jobs

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from uuid import UUID

    from illumina.store.database import Database, Session
    from illumina.store.history import Edge, Known

State = Literal["live", "superseded", "retired"]


@dataclass(frozen=True, slots=True)
class Remembered:
    """A fact, live or not.

    Attributes:
        id: `fct_…`.
        content: The statement.
        source: Its origin.
        document_id: `doc_…`.
        occurred_at: When it was said, if known.
        state: `live`; `superseded`: another one says what holds instead; `retired`: its document does not support it any more.
    """

    id: str
    content: str
    source: str
    document_id: str
    occurred_at: datetime | None
    state: State


@dataclass(frozen=True, slots=True)
class Replacement:
    """One fact that supersedes another.

    Attributes:
        new: `fct_…`, what holds instead.
        old: `fct_…`, what does not hold any more.
        extent: Whether all of it or a part.
        part: Which words of it, if a part.
        since: From when, if known.
        evidence: Why; `kind` is `value`, `opposite`, `cue`, `document`, `ruling`, or `model`: then `reason`, `model`,
            `decision` and `confidence` are a language model's.
        ruling: `rul_…` if people decided it.
    """

    new: str
    old: str
    extent: Literal["whole", "part"]
    part: str | None
    since: datetime | None
    evidence: Mapping[str, Any]
    ruling: str | None


@dataclass(frozen=True, slots=True)
class History:
    """All that a fact replaced and that replaced it, through any number of others.

    Attributes:
        fact: The one that was asked for.
        replaced: What it superseded, the nearest first.
        replaced_by: What supersedes it, the nearest first.
        facts: Every fact that those name, by id.
    """

    fact: Remembered
    replaced: tuple[Replacement, ...]
    replaced_by: tuple[Replacement, ...]
    facts: Mapping[str, Remembered]

    def to_json(self) -> bytes:
        """Canonical bytes."""
        return dumps(asdict(self))


@dataclass(frozen=True, slots=True)
class Suspect:
    """A live fact that rests on one that no longer holds.

    Attributes:
        fact: The one to look at.
        because: What it rests on, directly or through facts that hold.
        replaced_by: Ids of what supersedes that; none if it was retired.
        why: For each of these the evidence; see `Replacement`.
    """

    fact: Remembered
    because: Remembered
    replaced_by: tuple[str, ...]
    why: tuple[Mapping[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values but for times."""
        return asdict(self)


def history(database: Database, namespace: str, fact: str, *, agent: str | None = None, device: str | None = None) -> History:
    """A fact's history; see `History`.

    Raises:
        InvalidInputError: There is no such fact, or none that whoever asks may see.
    """
    key = content_key(FACT_PREFIX, fact)
    with database.read(namespace) as session:
        seen = _Seen(session, agent, device)
        if not seen.read([key]):
            raise InvalidInputError(f"There is no fact {fact} in {namespace}. It may have been forgotten.")
        later = _walk(seen, key, lambda facts: store.replaced_by(session, facts), towards="new")
        earlier = _walk(seen, key, lambda facts: store.replaced(session, facts), towards="old")
    named = {it for edge in (*earlier, *later) for it in (edge.old, edge.new)} - {key}
    return History(
        _remembered(seen.known[key]),
        tuple(map(_replacement, earlier)),
        tuple(map(_replacement, later)),
        {public_id(FACT_PREFIX, it): _remembered(seen.known[it]) for it in sorted(named)},
    )


def suspects(database: Database, namespace: str, *, agent: str | None = None, device: str | None = None) -> list[Suspect]:
    """All live facts that rest on one that no longer holds, in the order of their ids."""
    with database.read(namespace) as session:
        seen = _Seen(session, agent, device)
        pairs = store.suspects(session)
        visible = seen.read({fact for pair in pairs for fact in pair})
        pairs = [pair for pair in pairs if visible.issuperset(pair)]
        edges = store.replaced_by(session, {because for _, because in pairs})
        visible = seen.read({edge.new for edge in edges})
    over: defaultdict[UUID, dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for edge in sorted(edges, key=lambda it: (it.new, str(it.ruling))):
        if edge.new in visible and edge.extent == "whole":
            over[edge.old].setdefault(public_id(FACT_PREFIX, edge.new), edge.evidence)
    return [
        Suspect(
            _remembered(seen.known[fact]),
            _remembered(seen.known[because]),
            tuple(over[because]),
            tuple(over[because].values()),
        )
        for fact, because in pairs
    ]


def rule(database: Database, namespace: str, new: str, old: str, reason: str, now: datetime) -> str:
    """Record that a fact supersedes another, and leave a job that settles what follows; see `illumina.retain.reconcile.rule`.

    Returns:
        `rul_…`, for `undo`.

    Raises:
        InvalidInputError: It cannot be so; nothing is recorded.
    """
    keys = content_key(FACT_PREFIX, new), content_key(FACT_PREFIX, old)
    with database.write(namespace) as session:
        ledger.lock_namespace(session)
        ruling = reconcile.rule(session, *keys, reason, now)
        jobs.enqueue(session, "settle", None, None, now)
    return public_id(RULING_PREFIX, ruling)


def undo(database: Database, namespace: str, ruling: str, now: datetime) -> None:
    """Take a ruling back, and leave a job that settles what follows.

    Raises:
        InvalidInputError: There is no such ruling in force.
    """
    key = content_key(RULING_PREFIX, ruling)
    with database.write(namespace) as session:
        ledger.lock_namespace(session)
        reconcile.undo(session, key, now)
        jobs.enqueue(session, "settle", None, None, now)


class _Seen:
    """Facts as whoever asks sees them."""

    def __init__(self, session: Session, agent: str | None, device: str | None) -> None:
        self._session = session
        self._owners = {"agent": agent, "device": device}
        self.known: dict[UUID, Known] = {}

    def read(self, facts: Collection[UUID]) -> set[UUID]:
        """Those of `facts` that are visible."""
        missing = [fact for fact in facts if fact not in self.known]
        if missing:
            self.known |= store.read(self._session, missing)
        return {fact for fact in facts if fact in self.known and self._visible(self.known[fact])}

    def _visible(self, fact: Known) -> bool:
        if fact.visibility == "shared":
            return True
        owner = fact.agent if fact.visibility == "agent" else fact.device
        return owner is not None and owner == self._owners[fact.visibility]


def _walk(
    seen: _Seen, start: UUID, step: Callable[[Collection[UUID]], list[Edge]], *, towards: Literal["old", "new"]
) -> list[Edge]:
    """The edges reached from a fact in one direction, nearest first, through visible facts alone."""
    found: list[Edge] = []
    reached, front = {start}, {start}
    while front:
        edges = step(front)
        visible = seen.read({getattr(edge, towards) for edge in edges})
        edges = [edge for edge in edges if getattr(edge, towards) in visible]
        found += sorted(
            edges, key=lambda it: (it.since is None, it.since and it.since.timestamp(), it.old, it.new, str(it.ruling))
        )
        front = {getattr(edge, towards) for edge in edges} - reached
        reached |= front
    return found


def _remembered(fact: Known) -> Remembered:
    return Remembered(
        public_id(FACT_PREFIX, fact.fact),
        fact.content,
        fact.source,
        public_id(DOCUMENT_PREFIX, fact.document),
        fact.occurred_at,
        fact.state,
    )


def _replacement(edge: Edge) -> Replacement:
    return Replacement(
        public_id(FACT_PREFIX, edge.new),
        public_id(FACT_PREFIX, edge.old),
        edge.extent,
        edge.part,
        edge.since,
        edge.evidence,
        None if edge.ruling is None else public_id(RULING_PREFIX, edge.ruling),
    )
