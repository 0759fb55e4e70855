"""Cosine similarity of integer vectors: every one below the threshold, HNSW with exact re-scoring above it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from pgvector import HalfVector

from illumina.models.base import euclidean_length
from illumina.recall.plan import Hit
from illumina.store import blocks
from illumina.store.believed import BELIEVED
from illumina.store.filters import VISIBLE

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
    everything = plan.wanted is None and plan.belief is None
    scan = _scan(session, parameters, blocks.capacity(len(plan.vector))) if everything else None

    def collect() -> list[Hit]:
        rows = scan.fetchall() if scan else []
        if not rows:
            indexed, restricted = _state(session)
            if not everything or restricted:
                rows = _permitted(session, plan, parameters)
            elif indexed:
                if not plan.exact:
                    rows = _approximate(session, parameters, depth * plan.ranking.overfetch)
                if len(rows) < depth:
                    rows = _every(session, parameters)
        return [Hit(fact, -distance / norm) for fact, distance in rows]

    return collect


_RESTRICTED: Final = (
    "exists (select from illumina.facts f where f.namespace = %(namespace)s and f.visibility <> 'shared' "
    "and f.retired_version is null)"
)


def _scan(session: Session, parameters: dict[str, object], places: int) -> Cursor[tuple[Any, ...]]:
    # Why: the scan reads this namespace's blocks only; one in the HNSW index has none. The namespace stands in the text:
    # whether to read by index or in full depends on how large it is, not on how large they are on average. The `depth` blocks
    # with the best nearest vectors hold the nearest `depth` vectors of all; ties at the cut stay in, and what is behind it
    # need not be sorted. `offset 0` keeps each product from being formed twice.
    distances = [f"(vectors[{place}] <#> %(query)b) / norms[{place}]" for place in range(1, places + 1)]
    names = [f"d{place}" for place in range(1, places + 1)]
    scored = ", ".join(f"{distance} as {name}" for distance, name in zip(distances, names, strict=True))
    listed = ", ".join(names)
    return session.execute(
        "with nearest as materialized ("
        f"  select facts, array[{listed}] as distances, least({listed}) as best"
        f"  from (select facts, {scored} from illumina.blocks"
        f"    where namespace = {session.namespace} and not {_RESTRICTED} offset 0) scored"
        "  order by best fetch first %(depth)s rows with ties"
        ") "
        "select fact, distance from (select unnest(facts) as fact, unnest(distances) as distance from nearest) vectors "
        "where distance <= (select case when count(*) < %(depth)s then 'infinity' else max(best) end from nearest) "
        "order by distance, fact limit %(depth)s",
        parameters,
        prepare=None,
        raw=True,
    )


def _every(session: Session, parameters: dict[str, object]) -> list[tuple[bytes, float]]:
    # Why: a namespace in the HNSW index is compared in full if the index is not to answer, or returned too few.
    return session.execute(
        "select fact, (embedding <#> %(query)b) / norm as distance from illumina.embeddings "
        f"where namespace = {session.namespace} and not superseded order by distance, fact limit %(depth)s",
        parameters,
        prepare=None,
        raw=True,
    ).fetchall()


def _permitted(session: Session, plan: Plan, parameters: dict[str, object]) -> list[tuple[bytes, float]]:
    # Why: where not everything may or shall be found, every vector of what may is compared, in namespaces of any size: an index
    # would find its nearest first and lose them to the condition.
    wanted = f"and {plan.wanted.sql} " if plan.wanted else ""
    live = BELIEVED if plan.belief else "not e.superseded"
    return session.execute(
        "select e.fact, (e.embedding <#> %(query)b) / e.norm as distance from illumina.embeddings e "
        "join illumina.facts f on f.namespace = %(namespace)s and f.fact = e.fact "
        f"where e.namespace = %(namespace)s and {live} and {VISIBLE} {wanted}"
        "order by distance, e.fact limit %(depth)s",
        {**parameters, **plan.parameters},
        prepare=None,
        raw=True,
    ).fetchall()


def _state(session: Session) -> tuple[bool, bool]:
    """Whether the namespace is in the HNSW index, and whether it holds anything that not everybody may see."""
    # Why: asked only where the scan found nothing.
    row = session.execute(
        f"select approximate, {_RESTRICTED} from illumina.namespaces where namespace = %(namespace)s"
    ).fetchone()
    return (False, False) if row is None else (row[0], row[1])


def _approximate(session: Session, parameters: dict[str, object], candidates: int) -> list[tuple[bytes, float]]:
    # Why: a filtered HNSW scan otherwise stops at ef_search candidates of all namespaces together; and whether the graph is
    # walked must not depend on the planner's statistics.
    for setting in ("hnsw.iterative_scan = 'relaxed_order'", "hnsw.ef_search = 400", "enable_sort = off"):
        session.connection.execute(f"set local {setting}".encode())
    # Why: over-fetch by inner product, then order exactly by cosine.
    rows = session.execute(
        "with candidates as materialized ("
        "  select fact, embedding <#> %(query)s as product, norm from illumina.embeddings"
        "  where namespace = %(namespace)s and approximate and not superseded"
        "  order by embedding <#> %(query)s limit %(candidates)s"
        ") "
        "select fact, product / norm as distance from candidates "
        "order by distance, fact limit %(depth)s",
        {**parameters, "candidates": candidates},
        raw=True,
    ).fetchall()
    session.connection.execute("set local enable_sort = on")
    return rows
