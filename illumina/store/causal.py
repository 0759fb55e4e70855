"""Causal relations as texts state them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection
    from uuid import UUID

    from illumina.retain.extract import CausalFact
    from illumina.store.database import Session


def replace(session: Session, documents: Collection[UUID], stated: Collection[CausalFact]) -> None:
    """Store what the newest versions of some documents state, and nothing that only older ones did."""
    # Why: both ends are facts of one document, so its facts' rows are all its rows.
    session.execute(
        "delete from illumina.causal c using illumina.facts f where c.namespace = %(namespace)s "
        "and f.namespace = %(namespace)s and f.fact = c.cause and f.document = any(%(documents)s)",
        {"documents": list(documents)},
    )
    with session.connection.cursor() as cursor:
        # Why: few, and only new ones.
        cursor.executemany(
            "insert into illumina.causal (namespace, cause, effect, kind, cue) values (%s, %s, %s, %s, %s)",
            [(session.namespace, link.cause, link.effect, link.kind, link.cue) for link in stated],
        )
