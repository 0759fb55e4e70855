"""Cosine similarity of integer vectors: every one below the threshold, HNSW with exact re-scoring above it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pgvector import HalfVector

from illumina.models.base import euclidean_length
from illumina.recall.plan import Hit

if TYPE_CHECKING:
    from collections.abc import Callable

    from psycopg import Cursor

    from illumina.recall.plan import Plan
    from illumina.store.database import Session


def search(session: Session, plan: Plan) -> Callable[[], list[Hit]]:
    """Submit the search; what is returned collects the nearest facts by cosine, then by id.

    Inner products of integer vectors are exact; the cosine is formed from them once, in double precision.
    """
    if plan.vector is None:
        return list
    depth = plan.ranking.arm_depth
    norm = euclidean_length(plan.vector)
    parameters = {"query": HalfVector(plan.vector.astype(np.float16)), "depth": depth}
    scan = _scan(session, parameters, indexed=plan.exact)

    def collect() -> list[Hit]:
        rows = scan.fetchall()
        if not rows and not plan.exact and _has_index(session):
            rows = _approximate(session, parameters, depth * plan.ranking.overfetch)
            if len(rows) < depth:
                rows = _scan(session, parameters, indexed=True).fetchall()
        return [Hit(fact, -distance / norm) for fact, distance in rows]

    return collect


def _scan(session: Session, parameters: dict[str, object], *, indexed: bool) -> Cursor[tuple[Any, ...]]:
    # Why: the scan reads this namespace's vectors only. The namespace stands in the text: whether to read by index or in full
    # depends on how large it is, not on how large they are on average. A namespace in the HNSW index is scanned only if the
    # index is not to answer, or returned too few; asking here saves asking before.
    gate = "" if indexed else "and not (select approximate from illumina.namespaces where namespace = %(namespace)s) "
    return session.execute(
        "select fact, (embedding <#> %(query)b) / norm as distance from illumina.embeddings "
        f"where namespace = {session.namespace} {gate}order by distance, fact limit %(depth)s",
        parameters,
        prepare=None,
        raw=True,
    )


def _has_index(session: Session) -> bool:
    # Why: only a namespace above the threshold is in the HNSW index.
    row = session.execute("select approximate from illumina.namespaces where namespace = %(namespace)s").fetchone()
    return row is not None and bool(row[0])


def _approximate(session: Session, parameters: dict[str, object], candidates: int) -> list[tuple[bytes, float]]:
    # Why: a filtered HNSW scan otherwise stops at ef_search candidates of all namespaces together; and whether the graph is
    # walked must not depend on the planner's statistics.
    for setting in ("hnsw.iterative_scan = 'relaxed_order'", "hnsw.ef_search = 400", "enable_sort = off"):
        session.connection.execute(f"set local {setting}".encode())
    # Why: over-fetch by inner product, then order exactly by cosine.
    rows = session.execute(
        "with candidates as materialized ("
        "  select fact, embedding <#> %(query)s as product, norm from illumina.embeddings"
        "  where namespace = %(namespace)s and approximate order by embedding <#> %(query)s limit %(candidates)s"
        ") "
        "select fact, product / norm as distance from candidates "
        "order by distance, fact limit %(depth)s",
        {**parameters, "candidates": candidates},
        raw=True,
    ).fetchall()
    session.connection.execute("set local enable_sort = on")
    return rows
