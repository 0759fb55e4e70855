"""Recorded answers of language models, what they were asked for, and what they cost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

from illumina.canonical import dumps
from illumina.ids import content_uuid
from illumina.store.documents import lock_namespace

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from illumina.store.database import Session

KEY_PARTS = ("model", "prompt", "schema", "input")


@dataclass(frozen=True, slots=True)
class Key:
    """What an answer depends on.

    Attributes:
        model: Its name and fingerprint.
        prompt: Digest of everything that it is told but the input.
        schema: Digest of the tool.
        input: Digest of the input.
    """

    model: str
    prompt: UUID
    schema: UUID
    input: UUID

    @property
    def call(self) -> UUID:
        """The call's id."""
        return content_uuid("call", self.model, self.prompt.hex, self.schema.hex, self.input.hex)


class Use(NamedTuple):
    """What a call is made for: one chunk of one version of a document."""

    document: UUID
    version: int
    chunk: int


class PairUse(NamedTuple):
    """What a call is made for: whether one fact supersedes another."""

    old: UUID
    new: UUID


class Call(NamedTuple):
    """A recorded call; `response` is JSON."""

    key: Key
    response: Mapping[str, Any]
    input_tokens: int
    output_tokens: int


class Spending(NamedTuple):
    """What a namespace has asked of language models, replayed answers not counted; `token_cap` is None without one."""

    calls: int
    input_tokens: int
    output_tokens: int
    token_cap: int | None

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.input_tokens + self.output_tokens


class Usage(NamedTuple):
    """How many recorded calls a document rests on, and their tokens."""

    calls: int
    input_tokens: int
    output_tokens: int


def find(session: Session, key: Key) -> Call | None:
    """The recorded answer, if there is one."""
    # Why: a call that was made is never made again.
    row = session.execute(
        "select response, input_tokens, output_tokens from illumina.calls where namespace = %(namespace)s and call = %(call)s",
        {"call": key.call},
    ).fetchone()
    return None if row is None else Call(key, *row)


_STANDS: Final[dict[type, str]] = {
    Use: "exists (select from illumina.documents "
    "where namespace = %(namespace)s and document = %(document)s and version = %(version)s)",
    PairUse: "exists (select from illumina.facts where namespace = %(namespace)s and fact = %(old)s) "
    "and exists (select from illumina.facts where namespace = %(namespace)s and fact = %(new)s)",
}
"""Whether what a call is made for is still there."""

_USES: Final[dict[type, str]] = {
    Use: "call_uses (namespace, call, document, version, chunk) "
    "select %(namespace)s, %(call)s, %(document)s, %(version)s, %(chunk)s",
    PairUse: "pair_uses (namespace, call, old, new) select %(namespace)s, %(call)s, %(old)s, %(new)s",
}


def use(session: Session, call: UUID, used_for: Use | PairUse) -> None:
    """Note what a recorded call is used for, unless that or the call is gone by now."""
    lock_namespace(session)
    # Why: a call stays as long as something rests on it; under the lock, no forgetting can come in between.
    session.execute(
        f"insert into illumina.{_USES[type(used_for)]} where {_STANDS[type(used_for)]} "
        "and exists (select from illumina.calls where namespace = %(namespace)s and call = %(call)s) on conflict do nothing",
        {"call": call, **used_for._asdict()},
    )


def record(session: Session, call: Call, used_for: Use | PairUse, moment: datetime) -> Call:
    """Keep an answer and what it cost; returns the answer that stands, which is that of whoever was first.

    What was asked for a document or fact that is forgotten by now is paid for, but leaves nothing else.
    """
    lock_namespace(session)
    # Why: money spent is counted, whatever becomes of the answer, and adding is safe with any number of workers.
    session.execute(
        "insert into illumina.spending as s (namespace, calls, input_tokens, output_tokens) "
        "values (%(namespace)s, 1, %(read)s, %(written)s) on conflict (namespace) do update set "
        "calls = s.calls + 1, input_tokens = s.input_tokens + %(read)s, output_tokens = s.output_tokens + %(written)s",
        {"read": call.input_tokens, "written": call.output_tokens},
    )
    # Why: the first answer stands, so that two workers who asked the same at once go on with the same.
    session.execute(
        "insert into illumina.calls "
        "(namespace, call, model, prompt, schema, input, response, input_tokens, output_tokens, recorded_at) "
        "select %(namespace)s, %(call)s, %(model)s, %(prompt)s, %(schema)s, %(input)s, %(response)s::jsonb, %(input_tokens)s, "
        f"%(output_tokens)s, %(moment)s where {_STANDS[type(used_for)]} on conflict do nothing",
        {**_row(call), "moment": moment, **used_for._asdict()},
    )
    use(session, call.key.call, used_for)
    return find(session, call.key) or call


def load(session: Session, calls: Sequence[Call]) -> int:
    """Add recorded calls from elsewhere; those that are here stay as they are. Returns how many are new."""
    lock_namespace(session)
    added = 0
    for call in calls:
        # Why: they cost nothing here, and nothing rests on them until a document is retained.
        added += session.execute(
            "insert into illumina.calls (namespace, call, model, prompt, schema, input, response, input_tokens, output_tokens) "
            "values (%(namespace)s, %(call)s, %(model)s, %(prompt)s, %(schema)s, %(input)s, %(response)s::jsonb, "
            "%(input_tokens)s, %(output_tokens)s) on conflict do nothing",
            _row(call),
        ).rowcount
    return added


def _row(call: Call) -> dict[str, Any]:
    key = call.key
    return {
        "call": key.call,
        "model": key.model,
        "prompt": key.prompt,
        "schema": key.schema,
        "input": key.input,
        "response": dumps(call.response).decode(),
        "input_tokens": call.input_tokens,
        "output_tokens": call.output_tokens,
    }


def closest(session: Session, key: Key) -> tuple[frozenset[str], int] | None:
    """What the recorded calls that come closest to a key have otherwise, and how many they are; None if there are none.

    Of calls that differ in as many parts, those with the same input come first.
    """
    # Why: says what must be undone or recorded anew where an answer is missing.
    row = session.execute(
        "select model <> %(model)s, prompt <> %(prompt)s, schema <> %(schema)s, input <> %(input)s, count(*) "
        "from illumina.calls where namespace = %(namespace)s group by 1, 2, 3, 4 "
        "order by (model <> %(model)s)::int + (prompt <> %(prompt)s)::int + (schema <> %(schema)s)::int "
        "+ (input <> %(input)s)::int, 4, 1, 2, 3 limit 1",
        {"model": key.model, "prompt": key.prompt, "schema": key.schema, "input": key.input},
    ).fetchone()
    if row is None:
        return None
    return frozenset(part for part, differs in zip(KEY_PARTS, row, strict=False) if differs), row[4]


def every(session: Session, used_by: UUID | None = None) -> list[Call]:
    """All recorded calls in the order of their ids, or those made for a document and its facts."""
    # Why: what is listed, exported and compared with the prompts of this version.
    rows = session.execute(
        "select model, prompt, schema, input, response, input_tokens, output_tokens from illumina.calls c "
        "where namespace = %(namespace)s and (%(document)s::uuid is null or exists (select from illumina.call_uses u "
        "where u.namespace = %(namespace)s and u.call = c.call and u.document = %(document)s) "
        "or exists (select from illumina.pair_uses u join illumina.facts f "
        "on f.namespace = %(namespace)s and f.fact in (u.old, u.new) "
        "where u.namespace = %(namespace)s and u.call = c.call and f.document = %(document)s)) order by call",
        {"document": used_by},
    )
    return [Call(Key(*row[:4]), *row[4:]) for row in rows]


def usage(session: Session, document: UUID, version: int) -> Usage:
    """What one version of a document rests on; a call that several of its chunks share counts once."""
    # Why: what a document costs.
    row = session.execute(
        "select count(*), coalesce(sum(input_tokens), 0)::bigint, coalesce(sum(output_tokens), 0)::bigint "
        "from illumina.calls c where namespace = %(namespace)s and call in (select call from illumina.call_uses "
        "where namespace = %(namespace)s and document = %(document)s and version = %(version)s)",
        {"document": document, "version": version},
    ).fetchone()
    assert row is not None, "an aggregate has one row"
    return Usage(*row)


def release(session: Session, documents: Collection[UUID]) -> Counter[str]:
    """Drop what documents used, and the calls that nothing else uses; counts both. The namespace must be locked."""
    # Why: what rested on it goes with the documents.
    rows = session.execute(
        "delete from illumina.call_uses where namespace = %(namespace)s and document = any(%(documents)s) returning call",
        {"documents": list(documents)},
    ).fetchall()
    return _drop_unused(session, rows)


def release_failed(session: Session, document: UUID, version: int) -> Counter[str]:
    """Drop the answers for failed chunks, so that the model is asked anew. The namespace must be locked."""
    # Why: replaying an answer that cannot be used would only fail again.
    rows = session.execute(
        "delete from illumina.call_uses u using illumina.chunks c where u.namespace = %(namespace)s "
        "and u.document = %(document)s and u.version = %(version)s and c.namespace = %(namespace)s "
        "and c.document = u.document and c.version = u.version and c.ordinal = u.chunk and c.state = 'failed' returning u.call",
        {"document": document, "version": version},
    ).fetchall()
    return _drop_unused(session, rows)


def release_pairs(session: Session, facts: Collection[UUID]) -> Counter[str]:
    """Drop what was asked of pairs with any of some facts, and the calls that nothing else uses; counts both."""
    # Why: an answer about a pair tells of both.
    rows = session.execute(
        "delete from illumina.pair_uses "
        "where namespace = %(namespace)s and (old = any(%(facts)s) or new = any(%(facts)s)) returning call",
        {"facts": list(facts)},
    ).fetchall()
    return _drop_unused(session, rows, "pair_uses")


def release_unjudged(session: Session, jobs: Collection[UUID]) -> None:
    """Drop the answers about pairs that some jobs could not judge by them, so that the model is asked anew."""
    # Why: replaying an answer that cannot be used would only fail again.
    rows = session.execute(
        "delete from illumina.pair_uses u using illumina.jobs b where u.namespace = %(namespace)s "
        "and b.namespace = %(namespace)s and b.job = any(%(jobs)s) and b.fact in (u.old, u.new) and not exists "
        "(select from illumina.judgements j where j.namespace = %(namespace)s and j.old = u.old and j.new = u.new) "
        "returning u.call",
        {"jobs": list(jobs)},
    ).fetchall()
    _drop_unused(session, rows, "pair_uses")


def _drop_unused(session: Session, released: Sequence[tuple[UUID]], table: str = "call_uses") -> Counter[str]:
    # Why: a call goes with its last use; imported ones that were never used stay.
    calls = session.execute(
        "delete from illumina.calls c where c.namespace = %(namespace)s and c.call = any(%(calls)s) and not exists "
        "(select from illumina.call_uses u where u.namespace = %(namespace)s and u.call = c.call) and not exists "
        "(select from illumina.pair_uses u where u.namespace = %(namespace)s and u.call = c.call)",
        {"calls": [call for (call,) in released]},
    ).rowcount
    return Counter({table: len(released), "calls": calls})


def spending(session: Session) -> Spending:
    """What was spent so far, and the cap."""
    # Why: looked at before each call, shown by the command line.
    row = session.execute(
        "select calls, input_tokens, output_tokens, token_cap from illumina.spending where namespace = %(namespace)s"
    ).fetchone()
    return Spending(0, 0, 0, None) if row is None else Spending(*row)


def set_cap(session: Session, tokens: int | None) -> None:
    """Set how many tokens may have been spent when a call begins; None lifts it."""
    lock_namespace(session)
    # Why: the row may not be there before the first call.
    session.execute(
        "insert into illumina.spending (namespace, token_cap) values (%(namespace)s, %(cap)s) "
        "on conflict (namespace) do update set token_cap = excluded.token_cap",
        {"cap": tokens},
    )
