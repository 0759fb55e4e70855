"""The vectors of a namespace as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from illumina.store import blocks
from illumina.store.documents import lock_known_namespace

if TYPE_CHECKING:
    from illumina.store.database import Session


def count(session: Session) -> int:
    """Live facts of the namespace."""
    # Why: kept with every write, so that it costs nothing to ask.
    row = session.execute("select facts from illumina.namespaces where namespace = %(namespace)s").fetchone()
    return 0 if row is None else int(row[0])


def build_index(session: Session, threshold: int) -> bool:
    """Put the vectors of a namespace above the threshold into the HNSW index; returns whether they are in it."""
    if not lock_known_namespace(session):
        return False
    # Why: decides and marks in one statement; later writers see the mark and add to the index themselves.
    session.execute(
        "update illumina.namespaces set approximate = true "
        "where namespace = %(namespace)s and facts > %(threshold)s and not approximate",
        {"threshold": threshold},
    )
    # Why: the index is partial on this column.
    session.execute(
        "update illumina.embeddings e set approximate = true from illumina.namespaces n "
        "where n.namespace = %(namespace)s and n.approximate and e.namespace = %(namespace)s and not e.approximate"
    )
    row = session.execute("select approximate from illumina.namespaces where namespace = %(namespace)s").fetchone()
    indexed = row is not None and bool(row[0])
    if indexed:
        blocks.rebuild(session)
    return indexed
