"""Which facts are nearest to which by their vectors: all of a namespace against some, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from uuid import UUID

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray
    from pgvector import HalfVector

    from illumina.store.database import Session

PAGE: Final = 4096
"""Vectors read at once."""

Vectors = tuple[list[UUID], "NDArray[np.float32]", "NDArray[np.float64]"]
"""Facts, their integer vectors as rows, and their lengths."""


def read(session: Session, facts: Collection[UUID]) -> Vectors:
    """The vectors of those of `facts` that are live, in the order of their ids."""
    # Why: what is compared with all others.
    rows = session.execute(
        "select fact, embedding, norm from illumina.embeddings "
        "where namespace = %(namespace)s and fact = any(%(facts)s) and not superseded order by fact",
        {"facts": list(facts)},
        raw=True,
    ).fetchall()
    return _vectors(rows)


def pages(session: Session) -> Iterator[Vectors]:
    """The vectors of all live facts."""
    with session.connection.cursor(name="vectors", binary=True) as cursor:
        # Why: one pass over the namespace, some thousand vectors in memory at a time.
        cursor.execute(
            b"select fact, embedding, norm from illumina.embeddings where namespace = %(namespace)s and not superseded",
            {"namespace": session.namespace},
        )
        while rows := cursor.fetchmany(PAGE):
            yield _vectors(rows)


def _vectors(rows: list[tuple[bytes, HalfVector, float]]) -> Vectors:
    facts = [UUID(bytes=fact) for fact, _, _ in rows]
    if not rows:
        return facts, np.zeros((0, 1), np.float32), np.zeros(0)
    matrix = np.stack([vector.to_numpy() for _, vector, _ in rows]).astype(np.float32)
    return facts, matrix, np.array([norm for _, _, norm in rows])
