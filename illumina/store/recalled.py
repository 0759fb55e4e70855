"""What a recalled fact is shown with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from illumina.store.database import Session


class Row(NamedTuple):
    """A live fact with its provenance; `corroboration` counts the distinct origins that say the same."""

    content: str
    source: str
    document: UUID
    key: str | None
    label: str
    speaker: str | None
    occurred_at: datetime | None
    corroboration: int


def fetch(session: Session, facts: Sequence[UUID]) -> Callable[[], dict[UUID, Row]]:
    """Submit the reading of `facts`, all of which must be live in this snapshot; what is returned collects their rows."""
    # Why: only the few results that are shown are read in full width.
    cursor = session.execute(
        "select f.fact, f.content, f.source, f.document, d.key, f.label, f.speaker, f.occurred_at, "
        "  (select count(distinct o.source) from illumina.facts o where o.namespace = %(namespace)s "
        "   and o.content_digest = f.content_digest and o.retired_version is null) "
        "from illumina.facts f join illumina.documents d "
        "on d.namespace = %(namespace)s and d.document = f.document and d.version = f.version "
        "where f.namespace = %(namespace)s and f.fact = any(%(facts)s)",
        {"facts": list(facts)},
    )
    return lambda: {fact: Row(*row) for fact, *row in cursor.fetchall()}
