"""The embedding contract: one dimension, one model, one analyser a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from psycopg import sql

from illumina.errors import ContractError
from illumina.store.migrate import ADVISORY_LOCK
from illumina.text import ANALYSER_FINGERPRINT

if TYPE_CHECKING:
    import psycopg

    from illumina.models.base import Embedder

MAX_DIMENSION: Final = 1024
"""Up to here inner products of integer vectors are exact in single precision."""


def pin(connection: psycopg.Connection, embedder: Embedder) -> None:
    """Pin the model at the first opening; afterwards refuse any other.

    Raises:
        ContractError: The database holds vectors or postings made with something else.
    """
    if not 1 <= embedder.dimension <= MAX_DIMENSION:
        raise ContractError(
            f"{embedder.name} emits {embedder.dimension} dimensions; 1 to {MAX_DIMENSION:,} can be stored exactly. Use a model "
            f"that can emit or truncate to {MAX_DIMENSION:,}."
        )
    with connection.transaction():
        connection.execute("select pg_advisory_xact_lock(%s)", [ADVISORY_LOCK])
        row = connection.execute("select dimension, embedder, fingerprint, analyser from illumina.contract").fetchone()
        if row is None:
            _write(connection, embedder)
            return
    dimension, name, fingerprint, analyser = row
    if dimension != embedder.dimension:
        raise ContractError(
            f"This database is pinned to {dimension} dimensions ({name}), but {embedder.name} emits {embedder.dimension}. "
            f"Open it with {name}, with a model that can emit or truncate to {dimension} dimensions, or use a fresh database."
        )
    if fingerprint != embedder.fingerprint:
        raise ContractError(
            f"This database holds vectors of {name} (fingerprint {fingerprint[:12]}), which cannot be compared with those of "
            f"{embedder.name} (fingerprint {embedder.fingerprint[:12]}). Open it with {name}, or retain into a fresh database."
        )
    if analyser != ANALYSER_FINGERPRINT:
        raise ContractError(
            f"This database's postings were made by another text analyser (fingerprint {analyser[:12]}, this version's is "
            f"{ANALYSER_FINGERPRINT[:12]}). Open it with the version that made it, or retain into a fresh database."
        )


def _write(connection: psycopg.Connection, embedder: Embedder) -> None:
    dimension = sql.Literal(embedder.dimension)
    connection.execute(sql.SQL("alter table illumina.embeddings alter column embedding type halfvec({})").format(dimension))
    # Partial: the vectors of small namespaces are scanned exactly and never pay for the graph.
    connection.execute(
        "create index embeddings_hnsw on illumina.embeddings using hnsw (embedding halfvec_ip_ops) "
        "where approximate and not superseded"
    )
    connection.execute(
        "insert into illumina.contract (dimension, embedder, fingerprint, analyser) values (%s, %s, %s, %s)",
        [embedder.dimension, embedder.name, embedder.fingerprint, ANALYSER_FINGERPRINT],
    )
