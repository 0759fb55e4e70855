"""The plans of the hot queries, as the application runs them: its role, its policies, its prepared statements."""

from __future__ import annotations

import random
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from illumina import Memory, Ranking
from illumina.recall.arms import lexical, semantic
from illumina.recall.plan import Plan, query_lexemes
from illumina.store import documents, facts, links, recalled
from illumina.store.database import APPLICATION_ROLE
from illumina.types import Document
from tests.support import Explaining, HashingEmbedder, run

if TYPE_CHECKING:
    from collections.abc import Iterator

SPACES = ["small", "one", "two", "three", "four"]
DAY = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture(scope="module")
def filled(module_dsn: str) -> Iterator[Memory]:
    """Four namespaces of 600 facts and one of 60."""
    chance = random.Random(3)
    words = [f"word{n}" for n in range(600)]
    weights = [1 / (n + 1) for n in range(600)]
    with Memory.open(
        module_dsn, embedder=HashingEmbedder(), ranking=Ranking(exact_scan_limit=100), extractor="verbatim"
    ) as memory:
        for name in SPACES:
            count = 60 if name == "small" else 600
            texts = [" ".join(chance.choices(words, weights, k=12)) for _ in range(count)]
            memory.retain_many(
                [Document(text, key=str(n), occurred_at=DAY + timedelta(minutes=n)) for n, text in enumerate(texts)],
                namespace=name,
            )
        run(module_dsn, "vacuum analyze")
        yield memory


@pytest.fixture(params=["force_custom_plan", "force_generic_plan", "auto"])
def mode(request: pytest.FixtureRequest) -> str:
    """What PostgreSQL may know of the parameters; `auto` is what it runs with."""
    return str(request.param)


@contextmanager
def explained(memory: Memory, namespace: str, mode: str) -> Iterator[Explaining]:
    with memory._database.read(namespace) as session:
        assert session.connection.execute("select current_user").fetchone() == (APPLICATION_ROLE,)
        session.connection.execute(f"set local plan_cache_mode = {mode}".encode())
        yield Explaining(session)


@pytest.mark.parametrize("namespace", ["small", "two"])
@pytest.mark.parametrize("query", ["word3", "word3 word17 word200 word411", "word0 nothing"])
def test_postings_are_found_by_namespace_and_lexeme(filled: Memory, namespace: str, query: str, mode: str) -> None:
    with explained(filled, namespace, mode) as session:
        lexical.search(session, Plan(query, query_lexemes(query), None, exact=False, ranking=Ranking()))()
        for scan in session.of("postings"):
            assert scan.index == "postings_pkey"
            assert "namespace = " in scan.condition
            assert "lexeme = " in scan.condition
            assert scan.removed == 0
        for scan in session.of("lexemes"):
            assert scan.index == "lexemes_pkey"
            assert "namespace = " in scan.condition


@pytest.mark.parametrize("namespace", ["small", "two"])
def test_the_exact_scan_reads_the_vectors_of_its_namespace_only(filled: Memory, namespace: str, mode: str) -> None:
    vector = filled.embedder.embed_query("word3 word17")
    with explained(filled, namespace, mode) as session:
        semantic.search(session, Plan("", (), vector, exact=True, ranking=Ranking()))()
        for scan in session.of("blocks"):
            assert scan.removed == 0
            assert "namespace = " in scan.condition


def test_results_are_fetched_by_key(filled: Memory, mode: str) -> None:
    answer = filled.recall("word3 word17", namespace="two")
    with filled._database.read("two") as session:
        found = [row[0] for row in session.connection.execute("select fact from illumina.facts limit 10").fetchall()]
    assert answer.results
    with explained(filled, "two", mode) as session:
        assert len(recalled.fetch(session, found, {"asking_agent": None, "asking_device": None}, None)()) == len(found)
        assert all("namespace = " in s.condition and s.removed == 0 for s in session.of("facts") if s.index)
        assert {scan.index for scan in session.of("facts")} <= {"facts_pkey", "facts_content"}
        assert {scan.index for scan in session.of("documents")} <= {"documents_pkey"}


def test_retaining_again_reads_by_key(filled: Memory, mode: str) -> None:
    with filled._database.read("two") as session:
        some = session.connection.execute("select fact, document from illumina.facts limit 20").fetchall()
    with explained(filled, "two", mode) as session:
        assert len(facts.embedded(session, [fact for fact, _ in some])) == len(some)
        assert {scan.index for scan in session.of("embeddings")} == {"embeddings_pkey"}
        assert len(facts.live_of(session, some[0][1])) == 1
        assert {scan.index for scan in session.of("facts")} == {"facts_document"}
        assert len(documents._latest(session, {document for _, document in some})) == len(some)
        assert {scan.index for scan in session.of("documents")} == {"documents_pkey"}


@pytest.mark.parametrize("namespace", ["small", "two"])
def test_neighbours_in_time_are_found_on_the_timeline(filled: Memory, namespace: str, mode: str) -> None:
    """A few steps in the index for each fact, as its condition may reach it before the policy's own."""
    with filled._database.read(namespace) as session:
        some = [row[0] for row in session.connection.execute("select fact from illumina.facts limit 10").fetchall()]
    with explained(filled, namespace, mode) as session:
        assert len({fact for fact, _, _ in links.later(session, some)}) >= 9
        assert len(links.earlier(session, some)) > 9
        steps = [scan for scan in session.of("facts") if "ROW(" in scan.condition]
        assert [scan.index for scan in steps] == ["facts_timeline", "facts_timeline"]
        for scan in steps:
            assert "namespace = " in scan.condition
            assert scan.removed == 0


def test_above_the_threshold_the_graph_is_walked(filled: Memory, module_dsn: str, mode: str) -> None:
    """Last: it changes what the namespace is searched by."""
    assert not filled.build_index(namespace="small")
    assert filled.build_index(namespace="four")
    run(module_dsn, "vacuum analyze illumina.embeddings")
    vector = filled.embedder.embed_query("word3 word17")
    ranking = Ranking(arm_depth=20)
    with explained(filled, "four", mode) as session:
        assert len(semantic.search(session, Plan("", (), vector, exact=False, ranking=ranking))()) == 20
        assert [scan.index for scan in session.of("embeddings")] == ["embeddings_hnsw"]
