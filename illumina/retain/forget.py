"""Forget: afterwards the database is one that never saw it, and a receipt says what was looked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from illumina.errors import InvalidInputError
from illumina.ids import DOCUMENT_PREFIX, FACT_PREFIX, content_key
from illumina.retain import mentions
from illumina.retain.chunk import described
from illumina.retain.settle import affected, settle_here
from illumina.store import chunks, lifecycle
from illumina.store import documents as ledger
from illumina.store import forget as store

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from uuid import UUID

    from illumina.store.database import Database, Session


@dataclass(frozen=True, slots=True)
class ForgetReceipt:
    """What was forgotten.

    Attributes:
        documents: How many documents.
        facts: How many facts, superseded and retired ones too.
        removed: Rows removed, by table.
        left: Rows of each table in which an id of what was forgotten still stands: none, and looked for in every table.
    """

    documents: int
    facts: int
    removed: Mapping[str, int]
    left: Mapping[str, int]


def forget(
    database: Database,
    namespace: str,
    *,
    document: str | None,
    source: str | None,
    fact: str | None,
    everything: bool,
    ask_at: datetime | None = None,
) -> ForgetReceipt:
    """Forget one of the four; see `Memory.forget`. All in one transaction; for `ask_at` see `settle`."""
    given = [document is not None, source is not None, fact is not None, everything]
    if sum(given) != 1:
        raise InvalidInputError("Say what to forget: one of a document, a source, a fact, or everything.")
    with database.write(namespace) as session:
        ledger.lock_namespace(session)
        if fact is not None:
            facts = {_known(session, fact)}
            removed, changed = store.redact(session, *facts)
            _describe(session, changed)
            documents: set[UUID] = set()
        else:
            if document is not None:
                documents = {content_key(DOCUMENT_PREFIX, document)}
            elif source is not None:
                documents = store.documents_of(session, source)
            else:
                documents = store.all_documents(session)
                lifecycle.switch(session, on=False)
            facts = store.facts_of(session, documents)
            if not documents & store.all_documents(session):
                raise InvalidInputError(f"{namespace} holds no such document. It may have been forgotten already.")
            removed = Counter()
        neighbours = affected(session, facts)
        removed["mentions"] += mentions.remove(session, facts)
        removed += store.forget_facts(session, facts)
        settle_here(session, neighbours, ask_at)
        if documents:
            removed += store.forget_documents(session, documents)
        return ForgetReceipt(
            documents=len(documents),
            facts=removed["facts"],
            removed={table: count for table, count in sorted(removed.items()) if count},
            left=store.left(session, facts | documents),
        )


def _describe(session: Session, versions: Iterable[tuple[UUID, int]]) -> None:
    """Let the chunks of some texts say nothing any more that these do not say."""
    for document, version in versions:
        text = ledger.read(session, document, version)
        assert text is not None, "it was just changed"
        chunks.describe(session, text, described(text, [row.chunk for row in chunks.read(session, document, version)]))


def _known(session: Session, fact: str) -> UUID:
    key = content_key(FACT_PREFIX, fact)
    # Why: a receipt for nothing would be taken for a deletion.
    if not store.exists(session, key):
        raise InvalidInputError(f"There is no fact {fact} in {session.name}. It may have been forgotten already.")
    return key
