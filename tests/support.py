"""What the engine's tests share: an embedder for thousands of calls, and looks at a database as a whole."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg

from illumina.errors import ModelUnavailableError
from illumina.ids import namespace_key
from illumina.store import blocks
from illumina.store.database import Session
from illumina.text import lexemes
from illumina.types import indexed_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from illumina.models.base import IntegerVectors

TABLES = (
    "accesses", "blocks", "call_uses", "calls", "causal", "chunks", "claims", "documents", "embeddings", "entities", "facts",
    "jobs", "judgements", "lexemes", "links", "mentions", "name_keys", "name_pairs", "namespaces", "pair_uses", "postings",
    "relations", "resolved", "rulings", "spending", "stale", "supersessions", "suspects",
)  # fmt: skip
"""Every table that holds something of a namespace."""

Dump = dict[str, list[tuple[Any, ...]]]


class HashingEmbedder:
    """A real embedder in all but understanding: words that two texts share make their vectors alike.

    Args:
        dimension: How many components a vector has.
        salt: Another one makes another model.

    Attributes:
        available: Whether it answers.
        embedded: Every document text it was given, in order.
    """

    def __init__(self, dimension: int = 64, salt: str = "") -> None:
        self._dimension = dimension
        self._salt = salt
        self.available = True
        self.embedded: list[str] = []

    @property
    def name(self) -> str:
        return f"hashing-{self._dimension}{self._salt}"

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(f"hashing/1 {self._dimension} {self._salt}".encode()).hexdigest()

    def embed_documents(self, texts: Sequence[str]) -> IntegerVectors:
        if not self.available:
            raise ModelUnavailableError("The hashing embedder is switched off.")
        self.embedded += texts
        return np.array([self._embed(text) for text in texts], np.int8).reshape(len(texts), self._dimension)

    def embed_query(self, text: str) -> IntegerVectors:
        if not self.available:
            raise ModelUnavailableError("The hashing embedder is switched off.")
        return self._embed(text)

    def _embed(self, text: str) -> IntegerVectors:
        sums = np.zeros(self._dimension, np.int64)
        sums[0] = 1  # never a zero vector
        for word in re.findall(r"\w+", text.casefold()):
            for place, step in _steps(f"{self._salt}{word}"):
                sums[place % self._dimension] += step
        vector: IntegerVectors = np.clip(sums, -127, 127).astype(np.int8)
        return vector


@lru_cache(maxsize=1 << 14)
def _steps(word: str) -> tuple[tuple[int, int], ...]:
    digest = hashlib.sha256(word.encode()).digest()
    return tuple((int.from_bytes(digest[i : i + 2], "big"), 9 if digest[i + 2] & 1 else -9) for i in range(0, 12, 3))


def rows(dsn: str, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """What a query answers, as the DSN's own user: a superuser sees everything."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        return connection.execute(query.encode(), parameters).fetchall()


def run(dsn: str, statement: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(statement.encode())


def dump(dsn: str, namespace: str | None = None) -> Dump:
    """All rows of all tables in the order of their text, of one namespace or of all; without when they were recorded."""
    where = "" if namespace is None else f"where namespace = {namespace_key(namespace)}"
    with psycopg.connect(dsn, autocommit=True) as connection:
        found: Dump = {}
        for table in TABLES:
            columns = connection.execute(
                "select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute "
                "where attrelid = %s::regclass and attnum > 0 and not attisdropped and attname <> 'recorded_at'",
                [f"illumina.{table}"],
            ).fetchone()
            assert columns is not None
            query = f'select {columns[0]} from illumina.{table} t {where} order by t::text collate "C"'
            if table == "blocks":  # which vector is in which is up to the order of writing
                places = "unnest(norms), unnest(facts), unnest(vectors)::text"
                query = f"select namespace, {places} from illumina.blocks {where} order by 1, 3"
            found[table] = connection.execute(query.encode()).fetchall()
        return found


def wipe(dsn: str) -> None:
    """Leave the database as it was when it was first opened."""
    ((tables,),) = rows(
        dsn,
        "select string_agg(oid::regclass::text, ', ') from pg_class "
        "where relnamespace = 'illumina'::regnamespace and relrowsecurity",
    )
    run(dsn, f"set lock_timeout = '5s'; truncate {tables}")


def fill(dsn: str, names: Sequence[str]) -> None:
    """Put a row into every table that holds nothing of a namespace yet, whatever it means: to see who sees it."""
    values = {
        "uuid": "md5('{0}')::uuid", "text": "'{1}'", "int4": "1", "int8": "1", "bool": "false", "jsonb": "'[]'",
        "_text": "'{{}}'", "_int4": "'{{}}'", "timestamptz": "'2026-03-02T09:00:00Z'", "float8": "0.5",
    }  # fmt: skip
    allowed = {"chunks.state": "pending", "causal.kind": "causes", "jobs.kind": "settle", "jobs.state": "queued",
               "links.kind": "temporal", "rulings.kind": "same", "judgements.decision": "update",
               "judgements.confidence": "high", "supersessions.extent": "whole"}  # fmt: skip
    nothing = {("jobs", "leased_to"), ("jobs", "fact"), ("jobs", "again_at")}
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("set session_replication_role = replica")  # foreign keys are not what is looked at
        for table in TABLES:
            columns = connection.execute(
                "select attname, typname from pg_attribute a join pg_type t on t.oid = a.atttypid "
                "where attrelid = %s::regclass and attnum > 0 and not attisdropped",
                [f"illumina.{table}"],
            ).fetchall()
            for key in map(namespace_key, names):
                if connection.execute(f"select 1 from illumina.{table} where namespace = {key}".encode()).fetchone():
                    continue
                row = {
                    name: values[kind].format(name, allowed.get(f"{table}.{name}", "x"))
                    for name, kind in columns
                    if (table, name) not in nothing
                } | {"namespace": f"{key}", "span_start": "0", "context_start": "0"}
                row = {name: value for name, value in row.items() if name in dict(columns)}
                statement = f"insert into illumina.{table} ({', '.join(row)}) values ({', '.join(row.values())})"
                connection.execute(statement.encode())


def check_derived(dsn: str, embedder: HashingEmbedder) -> None:
    """Everything derived equals what the live facts alone give, but for vectors of those that were; there is nothing else."""
    facts = rows(dsn, "select namespace, fact, speaker, content, retired_version is null from illumina.facts")
    every = {(space, fact): indexed_text(speaker, content) for space, fact, speaker, content, _ in facts}
    texts = {(space, fact): every[space, fact] for space, fact, _, _, live in facts if live}
    terms = {key: lexemes(text) for key, text in texts.items()}

    postings = rows(dsn, "select namespace, lexeme, fact, frequency, length from illumina.postings")
    assert sorted(postings) == sorted(
        (space, lexeme, fact, frequency, len(found))
        for (space, fact), found in terms.items()
        for lexeme, frequency in Counter(found).items()
    )

    frequencies = Counter((space, lexeme) for (space, _), found in terms.items() for lexeme in set(found))
    assert dict(frequencies) == {
        (space, lexeme): facts for space, lexeme, facts in rows(dsn, "select namespace, lexeme, facts from illumina.lexemes")
    }

    counts = Counter(space for space, _ in texts)
    lengths: Counter[int] = Counter()
    for (space, _), found in terms.items():
        lengths[space] += len(found)
    for space, facts, length in rows(dsn, "select namespace, facts, lexemes from illumina.namespaces"):
        assert (facts, length) == (counts[space], lengths[space])

    stored = rows(dsn, "select namespace, fact, superseded, norm, embedding::text from illumina.embeddings")
    vectors = {key: embedder._embed(text).astype(np.int64) for key, text in every.items()}
    assert {(space, fact): (*others,) for space, fact, *others in stored} == {
        key: (key not in texts, math.sqrt(int(vector @ vector)), f"[{','.join(map(str, vector))}]")
        for key, vector in vectors.items()
    }
    check_blocks(dsn)


def check_blocks(dsn: str) -> None:
    """Blocks hold the vectors that a scan is to find, each once, and all but the last of a namespace are full."""
    found = "select namespace, norm, fact, embedding::text from illumina.embeddings where not approximate and not superseded"
    assert sorted(dump(dsn)["blocks"]) == sorted(rows(dsn, found))
    most = blocks.capacity(rows(dsn, "select dimension from illumina.contract")[0][0])
    sizes: dict[int, list[int]] = {}
    for space, *counts in rows(
        dsn,
        "select namespace, cardinality(norms), cardinality(facts), cardinality(vectors) from illumina.blocks "
        "order by namespace, block",
    ):
        assert len(set(counts)) == 1
        sizes.setdefault(space, []).append(counts[0])
    assert all({*counts[:-1]} <= {most} and 1 <= counts[-1] <= most for counts in sizes.values())


@dataclass(frozen=True)
class Node:
    """A scan in a plan, with what it really did."""

    kind: str
    index: str | None
    table: str
    condition: str
    removed: int


class Explaining(Session):
    """Keeps the scans of every query it runs."""

    def __init__(self, session: Session) -> None:
        super().__init__(session.connection, session.name)
        self.scans: list[Node] = []

    def execute(
        self, query: str, parameters: dict[str, Any] | None = None, *, prepare: bool | None = True, raw: bool = False
    ) -> psycopg.Cursor[tuple[Any, ...]]:
        if query.startswith("set "):  # has no plan
            return super().execute(query, parameters, prepare=prepare, raw=raw)
        explain = f"explain (format json, analyze, buffers off) {query}"
        explained = super().execute(explain, parameters, prepare=prepare).fetchone()
        assert explained is not None
        plan = explained[0] if isinstance(explained[0], list) else json.loads(explained[0])
        self._collect(plan[0]["Plan"])
        return super().execute(query, parameters, prepare=prepare, raw=raw)

    def _collect(self, plan: dict[str, Any]) -> None:
        children = plan.get("Plans", [])
        if plan.get("Relation Name") and plan["Actual Loops"]:
            # A bitmap's heap scan names the table and its child the index: one scan of both.
            bitmap = next((child for child in children if child["Node Type"] == "Bitmap Index Scan"), plan)
            self.scans.append(
                Node(
                    plan["Node Type"],
                    bitmap.get("Index Name"),
                    plan["Relation Name"],
                    f"{bitmap.get('Index Cond', '')}{plan.get('Order By', '')}",
                    plan.get("Rows Removed by Filter", 0),
                )
            )
        for child in children:
            self._collect(child)

    def of(self, table: str) -> list[Node]:
        found = [node for node in self.scans if node.table == table]
        assert found, f"{table} is not read at all"
        return found
