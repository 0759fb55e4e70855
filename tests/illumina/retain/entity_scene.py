"""Facts that name entities, put straight into a database, and what becomes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from illumina.ids import content_uuid
from illumina.retain import mentions as naming
from illumina.retain import resolve
from illumina.retain.extraction import MentionDraft, RelationDraft
from illumina.store import documents, stale

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from uuid import UUID

    from illumina.store.database import Session


@dataclass(frozen=True)
class Told:
    """A fact by its number, what it names, when, and who is related to whom."""

    number: int
    mentions: tuple[MentionDraft, ...]
    moment: datetime | None = None
    relations: tuple[RelationDraft, ...] = ()
    content: str = "Somebody did something."

    @property
    def id(self) -> UUID:
        return content_uuid("told", self.number)


def tell(session: Session, facts: Sequence[Told]) -> None:
    """Retain facts, new ones or ones that were retired; nothing is settled."""
    documents.lock_namespace(session)
    known = [fact.id for fact in facts]
    stale.mark(session, resolve.affected(session, set(known)))
    with session.connection.cursor() as cursor:
        cursor.executemany(
            "insert into illumina.documents (namespace, document, version, source, body, metadata, digest, state) "
            "values (%s, %s, 1, 'test', %s, '{}', %s, 'retained') on conflict do nothing",
            [(session.namespace, fact.id, fact.content, fact.id) for fact in facts],
        )
        cursor.executemany(
            "insert into illumina.facts (namespace, fact, document, version, ordinal, label, span_start, span_end, source, "
            "occurred_at, content, content_digest) values (%s, %s, %s, 1, 0, '1', 0, 1, 'test', %s, %s, %s) "
            "on conflict (namespace, fact) do update set retired_version = null, occurred_at = excluded.occurred_at",
            [(session.namespace, fact.id, fact.id, fact.moment, fact.content, fact.id) for fact in facts],
        )
    naming.replace(
        session,
        known,
        {fact.id: fact.mentions for fact in facts},
        {fact.id: fact.relations for fact in facts if fact.relations},
    )
    stale.mark(session, known)


def retire(session: Session, facts: Sequence[UUID]) -> None:
    stale.mark(session, resolve.affected(session, set(facts)) | set(facts))
    session.execute(
        "update illumina.facts set retired_version = 2 where namespace = %(namespace)s and fact = any(%(facts)s)",
        {"facts": list(facts)},
    )


def forget(session: Session, facts: Sequence[UUID]) -> None:
    stale.mark(session, resolve.affected(session, set(facts)) | set(facts))
    naming.remove(session, facts)
    session.execute(
        "delete from illumina.links where namespace = %(namespace)s and (source = any(%(facts)s) or target = any(%(facts)s))",
        {"facts": list(facts)},
    )
    for table, column in (("facts", "fact"), ("documents", "document")):
        session.execute(
            f"delete from illumina.{table} where namespace = %(namespace)s and {column} = any(%(facts)s)",
            {"facts": list(facts)},
        )


def settle(session: Session) -> set[UUID]:
    documents.lock_namespace(session)
    return resolve.settle(session, stale.take(session))
