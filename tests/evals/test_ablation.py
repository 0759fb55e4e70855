from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from evals import corpora
from evals.ablation import RememberingEmbedder, ablate, sweep
from evals.ablation_dir import read_ablation, tables, write_ablation
from evals.ablation_frame import SCHEMA
from evals.comparison import compare
from evals.errors import SuiteError
from evals.postgres import open_provider
from evals.replay import replay
from evals.rundir import RunDirectoryError, read_run, write_run
from evals.significance import holm
from evals.suite import Suite
from evals.types import RunData
from illumina import Memory, Ranking
from illumina.errors import InvalidInputError
from illumina.recall import components
from illumina.recall.arms import Arm
from illumina.recall.components import register
from illumina.recall.plan import Hit
from tests.evals.conftest import write_lines
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from evals.ablation_dir import Ablation
    from illumina.models.base import IntegerVectors
    from illumina.recall.plan import Plan
    from illumina.store.database import Session
    from illumina.store.embedded import EmbeddedServer


class Counting(HashingEmbedder):
    """Counts the questions, too."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def embed_query(self, text: str) -> IntegerVectors:
        self.asked.append(text)
        return super().embed_query(text)


@pytest.fixture
def suite(mini_directory: Path) -> Suite:
    return Suite(
        name="mini",
        description="Three documents.",
        corpus=str(mini_directory),
        measures=("recall_at_10", "ndcg_at_10"),
        depth=10,
        systems=("fusion", "lexical"),
        seed=1,
    )


@pytest.fixture
def dsn(server: EmbeddedServer) -> str:
    return server.dsn("postgres")


def rows(ablation: Ablation, **where: str) -> list[dict[str, Any]]:
    frame = ablation.frame
    for column, value in where.items():
        frame = frame.filter(pl.col(column) == value)
    return frame.to_dicts()


def test_a_component_that_registers_itself_is_ablated(suite: Suite, dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components, "_REGISTERED", dict(components._REGISTERED))

    def by_id(session: Session, plan: Plan) -> Callable[[], list[Hit]]:
        cursor = session.execute("select fact from illumina.facts where namespace = %(namespace)s order by fact", raw=True)
        return lambda: [Hit(fact, 1.0) for (fact,) in cursor.fetchall()]

    before = ablate(suite, postgres=dsn, embedder=HashingEmbedder())
    register(Arm("by-id", by_id))
    found = ablate(suite, postgres=dsn, embedder=HashingEmbedder())

    assert [(variant.kind, variant.name) for variant in found.variants] == [
        ("full", "full"),
        *(("leave-one-out", name) for name in ("semantic", "lexical", "by-id")),
        *(("leave-one-in", name) for name in ("semantic", "lexical", "by-id")),
    ]
    (without,) = rows(found, kind="leave-one-out", variant="by-id", measure="ndcg_at_10", query_class="all")
    (full,) = rows(found, kind="full", measure="ndcg_at_10", query_class="all")
    (old,) = rows(before, kind="full", measure="ndcg_at_10", query_class="all")
    assert without["value"] == old["value"]
    assert without["delta"] == pytest.approx(old["value"] - full["value"]) != 0
    assert found.identity != before.identity


def test_documents_and_questions_are_embedded_once_whatever_the_variants(suite: Suite, dsn: str) -> None:
    embedder = Counting()
    ablate(suite, postgres=dsn, embedder=embedder)
    assert len(embedder.embedded) == 7
    assert len(embedder.asked) == 3

    embedder = Counting()
    found = sweep(suite, {"rrf_k": [1, 10], "bm25_b": [0.0, 0.5], "arm_depth": [1, 300]}, postgres=dsn, embedder=embedder)
    assert len(found.variants) == 9
    assert len(embedder.embedded) == 7
    assert len(embedder.asked) == 3


def test_documents_are_retained_once_and_again_only_where_retained_state_differs(
    suite: Suite, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    retained: list[Ranking] = []
    original = Memory.retain_many

    def counted(memory: Memory, documents: Any, **options: Any) -> Any:
        retained.append(memory.ranking)
        return original(memory, documents, **options)

    monkeypatch.setattr(Memory, "retain_many", counted)
    ablate(suite, postgres=dsn, embedder=HashingEmbedder())
    assert retained == [Ranking()]
    retained.clear()
    embedder = HashingEmbedder()
    sweep(suite, {"rrf_k": [1, 60], "exact_scan_limit": [5, 100_000]}, postgres=dsn, embedder=embedder)
    assert retained == [Ranking(), Ranking(exact_scan_limit=5)]
    assert len(embedder.embedded) == 7


def test_a_question_is_asked_before_what_is_hidden_from_it_is_retained(
    suite: Suite, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = corpora.load(suite.corpus, data=None)
    asked = tuple(replace(query, hidden=frozenset({"move"}) if query.id == "q1" else frozenset()) for query in corpus.queries)
    monkeypatch.setattr("evals.ablation.load_corpus", lambda *_, **__: replace(corpus, queries=asked))
    found = ablate(suite, postgres=dsn, embedder=HashingEmbedder())
    assert {row["value"] for row in rows(found, query_class="why")} == {0.0}
    assert all(row["value"] > 0 for row in rows(found, query_class="exact-identifier", kind="full"))


def test_the_figures_are_those_of_the_projects_own_statistics(suite: Suite, dsn: str, mini_directory: Path) -> None:
    """On a corpus of a dozen questions a sweep says what two runs of the same constants, compared, say."""
    questions = ["queue", "ingestion", "backfills", "soup", "retry backoff", "Ana", "queues writes", "bar", "old", "today"]
    names = [f"q{number}" for number in range(len(questions))]
    queries = [
        {"id": name, "namespace": "mini", "class": "ab"[number % 2], "text": text}
        for number, (name, text) in enumerate(zip(names, questions, strict=True))
    ]
    write_lines(mini_directory / "queries.jsonl", queries)
    gold = [("move", "1"), ("move", "2"), ("retries", "1"), ("retries", "3"), ("lunch", "1"), ("lunch", "2")]
    judged = [
        {"query": name, "document": document, "segment": segment, "grade": 1 + (number + place) % 3}
        for number, name in enumerate(names)
        for place, (document, segment) in enumerate(gold[number % 3 :: 2])
    ]
    write_lines(mini_directory / "qrels.jsonl", judged)
    corpora.write_checksums(mini_directory)
    corpus = corpora.load(suite.corpus, data=None)

    found = sweep(suite, {"bm25_b": [0.0], "arm_depth": [3]}, postgres=dsn, embedder=HashingEmbedder())

    runs = []
    for ranking in (Ranking(), Ranking(bm25_b=0.0, arm_depth=3)):
        with (
            open_provider(dsn) as provider,
            provider.fresh_database() as database,
            Memory.open(database, embedder=HashingEmbedder(), ranking=ranking, extractor="verbatim") as memory,
        ):
            rankings, timings = replay(memory, corpus, suite.systems, suite.depth)
        named = {"suite": {}, "corpus": {"digest": corpus.digest}, "measure_version": 1, "ranking": ranking.bm25_b}
        data = RunData("mini", corpus, rankings, timings, named, {})
        runs.append(read_run(write_run(mini_directory.parent, data)))
    comparison = compare(*runs)
    assert any(delta.paired.difference for delta in comparison.systems["fusion"].headline.values())
    for system in suite.systems:
        for measure in suite.measures:
            for name, group in {"all": comparison.systems[system].headline, **comparison.systems[system].classes}.items():
                (row,) = rows(found, kind="sweep", system=system, measure=measure, query_class=name)
                (full,) = rows(found, kind="full", system=system, measure=measure, query_class=name)
                delta = group[measure]
                assert (full["value"], row["value"]) == (delta.old, delta.new)
                assert row["delta"] == delta.paired.difference
                assert row["queries"] == delta.paired.queries
                assert row["p"] == delta.paired.test.p  # exact with so few queries: no seed is in it
                assert row["adjusted_p"] == row["p"]  # a family of one
                assert row["low"] <= row["delta"] <= row["high"]
                assert (full["delta"], full["low"], full["p"], full["adjusted_p"]) == (0.0, None, None, None)


def test_p_is_adjusted_over_the_variants_that_rank_otherwise(suite: Suite, dsn: str) -> None:
    found = sweep(suite, {"arm_depth": [1, 2, 3, 300], "rrf_k": [60, 61]}, postgres=dsn, embedder=HashingEmbedder())
    raw = {row["variant"]: row for row in rows(found, kind="sweep", system="lexical", measure="ndcg_at_10", query_class="all")}
    assert len(raw) == 7
    # k does nothing to one arm alone: depth 300 with k = 61 ranks as the full engine does, and the others are pairs.
    for depth in (1, 2, 3):
        one, two = (raw[f"arm_depth={depth}, rrf_k={k}"] for k in (60, 61))
        assert {key: one[key] for key in SCHEMA if key != "variant"} == {key: two[key] for key in SCHEMA if key != "variant"}
    assert raw["arm_depth=300, rrf_k=61"]["adjusted_p"] == 1.0
    family = {depth: raw[f"arm_depth={depth}, rrf_k=60"]["p"] for depth in (1, 2, 3)}
    assert {depth: raw[f"arm_depth={depth}, rrf_k=60"]["adjusted_p"] for depth in family} == holm(family)


def test_the_frame_has_the_documented_columns_and_order(suite: Suite, dsn: str) -> None:
    found = sweep(suite, {"rrf_k": [10]}, postgres=dsn, embedder=HashingEmbedder())
    assert found.frame.schema == pl.Schema(SCHEMA)
    assert found.frame.height == 2 * 2 * 2 * 3
    assert found.frame["kind"].unique(maintain_order=True).to_list() == ["full", "sweep"]
    assert found.frame["variant"].unique(maintain_order=True).to_list() == ["rrf_k=60", "rrf_k=10"]
    assert found.frame["system"].unique(maintain_order=True).to_list() == ["fusion", "lexical"]
    assert found.frame["query_class"].unique(maintain_order=True).to_list() == ["all", "exact-identifier", "why"]
    assert found.frame.filter(pl.col("query_class") == "all")["queries"].unique().to_list() == [2]


def test_the_same_ablation_is_the_same_bytes_but_for_where_it_was_made(suite: Suite, dsn: str, tmp_path: Path) -> None:
    one, two = (
        write_ablation(tmp_path / name, ablate(suite, postgres=dsn, embedder=HashingEmbedder())) for name in ("one", "two")
    )
    assert one.name == two.name
    assert one.name.startswith("mini-ablation-")
    where = {"manifest.json", "report.html"}
    same = [path.name for path in sorted(one.iterdir()) if path.name not in where]
    assert same == ["ablation.json", "ablation.parquet", "report.md"]
    for name in same:
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_a_directory_is_read_back_and_its_changes_are_noticed(suite: Suite, dsn: str, tmp_path: Path) -> None:
    found = sweep(suite, {"rrf_k": [10], "bm25_b": [0]}, postgres=dsn, embedder=HashingEmbedder())
    directory = write_ablation(tmp_path, found)
    again = read_ablation(directory)
    assert again.frame.equals(found.frame)
    assert (again.suite, again.purpose, again.lead, again.variants) == ("mini", "sweep", "ndcg_at_10", found.variants)
    assert write_ablation(tmp_path, again) == directory
    assert list(tmp_path.glob("mini-sweep-*")) == [directory]
    found.frame.with_columns(value=pl.lit(1.0)).write_parquet(directory / "ablation.parquet")
    with pytest.raises(RunDirectoryError, match="the figures are not those of manifest"):
        read_ablation(directory)
    (directory / "ablation.json").unlink()
    with pytest.raises(RunDirectoryError, match="not a complete ablation"):
        read_ablation(directory)


def test_the_report_has_the_largest_loss_first(suite: Suite, dsn: str, tmp_path: Path) -> None:
    found = sweep(suite, {"arm_depth": [300, 2, 1]}, postgres=dsn, embedder=HashingEmbedder())
    head, full, *others = tables(found)["lexical"]
    assert head == ["kind", "variant", "ndcg_at_10", "delta", "95 % interval", "adjusted p", "recall_at_10"]
    assert full[:2] == ["full", "arm_depth=300"]
    assert [float(row[3]) for row in others] == sorted(float(row[3]) for row in others)
    text = (write_ablation(tmp_path, found) / "report.md").read_text()
    assert text.startswith("# mini: sweep ")
    assert "| full | arm_depth=300 |" in text
    assert "2 headline queries with gold" in text


def test_what_cannot_be_measured_is_refused(suite: Suite, dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInputError, match="no setting 'k'"):
        sweep(suite, {"k": [1]}, postgres=dsn)
    with pytest.raises(SuiteError, match="is for a corpus with the digest"):
        ablate(replace(suite, corpus_sha256="0" * 64), postgres=dsn)
    corpus = corpora.load(suite.corpus, data=None)
    monkeypatch.setattr("evals.ablation.load_corpus", lambda *_, **__: replace(corpus, qrels={}))
    with pytest.raises(InvalidInputError, match="mini has no headline query with a relevant unit"):
        ablate(suite, postgres=dsn, embedder=HashingEmbedder())


@pytest.mark.parametrize("texts", [[], ["a", "b", "a"], ["c"]])
def test_a_text_is_embedded_once_and_to_the_same_vector(texts: Sequence[str]) -> None:
    inner = Counting()
    remembering = RememberingEmbedder(inner)
    assert (remembering.name, remembering.dimension, remembering.fingerprint) == (inner.name, 64, inner.fingerprint)
    for _ in range(2):
        assert remembering.embed_documents(texts).tolist() == HashingEmbedder().embed_documents(texts).tolist()
        assert remembering.embed_query("why").tolist() == HashingEmbedder().embed_query("why").tolist()
    assert sorted(inner.embedded) == sorted(set(texts))
    assert inner.asked == ["why"]
