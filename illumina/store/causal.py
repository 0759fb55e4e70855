"""Causal relations as texts state them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from illumina.retain.extract import Extracted
    from illumina.store.database import Session


def replace(session: Session, found: Extracted) -> None:
    """Store what the newest version of a document states, and nothing that only an older one did."""
    # Why: both ends are facts of one document, so its facts' rows are all its rows.
    session.execute(
        "delete from illumina.causal c using illumina.facts f where c.namespace = %(namespace)s "
        "and f.namespace = %(namespace)s and f.fact = c.cause and f.document = %(document)s",
        {"document": found.document.id},
    )
    if not found.causal:
        return
    with session.connection.cursor() as cursor:
        # Why: few, and only new ones.
        cursor.executemany(
            "insert into illumina.causal (namespace, cause, effect, kind, cue) values (%s, %s, %s, %s, %s)",
            [(session.namespace, stated.cause, stated.effect, stated.kind, stated.cue) for stated in found.causal],
        )
