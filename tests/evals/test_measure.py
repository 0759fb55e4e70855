from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.measure import MEASURES, Estimate, detie, score, summarise
from evals.types import Corpus, Query, Ranking
from illumina.errors import InvalidInputError

TREC_EVAL = {
    "recall_at_5": "recall_5",
    "recall_at_10": "recall_10",
    "recall_at_20": "recall_20",
    "recall_at_50": "recall_50",
    "ndcg_at_10": "ndcg_cut_10",
    "mrr": "recip_rank",
}


def query(name: str, *, query_class: str = "plain", cluster: str = "c0", headline: bool = True) -> Query:
    return Query(name, f"text of {name}", query_class, "ns", cluster, headline)


def corpus(queries: list[Query], qrels: dict[str, dict[str, int]]) -> Corpus:
    return Corpus("toy", "segment", {}, queries, qrels)


def ranking(name: str, units: list[str], scores: list[float] | None = None, system: str = "fusion") -> Ranking:
    values = scores if scores is not None else [1.0 / rank for rank in range(1, len(units) + 1)]
    return Ranking(name, system, tuple(units), tuple(values))


class TestDetie:
    def test_falling_scores_stay(self) -> None:
        assert detie([3.0, 2.5, -1.0]) == (3.0, 2.5, -1.0)

    def test_ties_and_rises_fall_in_the_given_order(self) -> None:
        first, second, third = detie([0.5, 0.5, 0.75])
        assert first == 0.5
        assert np.float32(first) > np.float32(second) > np.float32(third)
        assert third == pytest.approx(0.5, abs=1e-6)

    def test_doubles_that_single_precision_cannot_tell_apart_fall(self) -> None:
        first, second = detie([0.5 + 1e-10, 0.5])
        assert np.float32(first) > np.float32(second)

    @given(st.lists(st.sampled_from([0.0, -0.0, 1e-44, 0.1, 0.1 + 1e-12, 1.0, -3.0]), max_size=60))
    def test_strictly_falling_in_single_precision(self, scores: list[float]) -> None:
        out = detie(scores)
        assert len(out) == len(scores)
        assert all(np.float32(high) > np.float32(low) for high, low in itertools.pairwise(out))
        assert all(float(np.float32(value)) == value for value in out)

    @pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e39])
    def test_what_single_precision_cannot_hold_is_refused(self, bad: float) -> None:
        with pytest.raises(InvalidInputError, match="finite"):
            detie([bad])


Case = tuple[dict[str, int], list[str], list[float]]

UNITS = [f"doc/{number}#D1:{number}" for number in range(30)]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Judgements (graded, with judged zeros) and one ranking, tied in places, with unjudged units."""
    qrels = draw(st.dictionaries(st.sampled_from(UNITS[:20]), st.integers(0, 3), max_size=15))
    units = draw(st.lists(st.sampled_from(UNITS), unique=True))
    scores = draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.5 + 1e-12]), min_size=len(units), max_size=len(units)))
    return qrels, units, sorted(scores, reverse=True)


@given(st.lists(cases(), min_size=1, max_size=12))
@settings(deadline=None)  # the first example on a machine compiles ranx
def test_each_measure_is_trec_evals(drawn: list[Case]) -> None:
    queries = [query(f"q{number}") for number in range(len(drawn))]
    qrels = {f"q{number}": gold for number, (gold, _, _) in enumerate(drawn)}
    rankings = [ranking(f"q{number}", units, scores) for number, (_, units, scores) in enumerate(drawn)]
    rows = score(corpus(queries, qrels), rankings).to_dicts()

    run = {item.query_id: dict(zip(item.units, detie(item.scores), strict=True)) for item in rankings}
    theirs = pytrec_eval.RelevanceEvaluator(
        {name: gold for name, gold in qrels.items() if gold},
        {"recall.5,10,20,50", "ndcg_cut.10", "recip_rank"},
    ).evaluate({name: units for name, units in run.items() if units})
    for row in rows:
        gold = [grade for grade in qrels[row["query_id"]].values() if grade >= 1]
        assert row["relevant"] == len(gold)
        assert row["retrieved"] == len(run[row["query_id"]])
        for ours, their_name in TREC_EVAL.items():
            if not gold:
                assert row[ours] is None
                continue
            # trec_eval leaves out queries without a retrieved document; its -c counts them as 0.
            expected = theirs[row["query_id"]][their_name] if row["retrieved"] else 0.0
            assert row[ours] == pytest.approx(expected, abs=1e-9), (ours, row["query_id"])


def test_by_hand() -> None:
    queries = [query("q1")]
    units = ["x", "a", "y", "z", "w", "b", *[f"n{number}" for number in range(10)], "c"]
    frame = score(corpus(queries, {"q1": {"a": 1, "b": 3, "c": 2, "x": 0}}), [ranking("q1", units)])
    row = frame.row(0, named=True)
    gain = 1 / math.log2(3) + 3 / math.log2(7)
    ideal = 3 / math.log2(2) + 2 / math.log2(3) + 1 / math.log2(4)
    assert row["ndcg_at_10"] == pytest.approx(gain / ideal, abs=1e-12)
    assert row["mrr"] == 0.5
    assert [row[f"recall_at_{k}"] for k in (5, 10, 20, 50)] == pytest.approx([1 / 3, 2 / 3, 1, 1])
    assert (row["relevant"], row["retrieved"]) == (3, 17)


def test_a_query_that_a_system_did_not_answer_counts_as_empty() -> None:
    frame = score(
        corpus([query("q1"), query("q2")], {"q1": {"a": 1}, "q2": {"b": 1}}),
        [ranking("q1", ["a"]), ranking("q2", ["b"]), ranking("q1", ["a"], system="lexical")],
    )
    assert frame.select("system", "query_id", "retrieved", "mrr").rows() == [
        ("fusion", "q1", 1, 1.0),
        ("fusion", "q2", 1, 1.0),
        ("lexical", "q1", 1, 1.0),
        ("lexical", "q2", 0, 0.0),
    ]


def test_no_gold_anywhere() -> None:
    frame = score(corpus([query("q1")], {"q1": {"a": 0}}), [ranking("q1", ["a"])])
    assert frame["mrr"].to_list() == [None]
    group = summarise(frame, "s").systems["fusion"].headline
    assert (group.queries, group.without_gold, group.clusters) == (0, 1, 0)
    assert group.measures["mrr"] == Estimate(None, None, None)


@pytest.mark.parametrize(
    ("rankings", "message"),
    [
        ([ranking("q9", ["a"])], "no such query"),
        ([ranking("q1", ["a"]), ranking("q1", ["b"])], "ranked twice"),
        ([ranking("q1", ["a", "b", "a"])], "stands in the ranking twice"),
    ],
)
def test_rankings_that_would_be_scored_wrongly_are_refused(rankings: list[Ranking], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        score(corpus([query("q1")], {"q1": {"a": 1}}), rankings)


@pytest.fixture
def scored() -> pl.DataFrame:
    queries, qrels, rankings = [], {}, []
    for number in range(24):
        name = f"q{number:02}"
        query_class = "apart" if number % 4 == 3 else ("one" if number % 2 else "two")
        queries.append(query(name, query_class=query_class, cluster=f"c{number % 3}", headline=query_class != "apart"))
        qrels[name] = {} if number == 0 else {"a": 1}
        position = number % 5
        rankings += [
            ranking(name, [*[f"n{rank}" for rank in range(position)], "a"]),
            ranking(name, ["a"] if number % 2 else [], system="lexical"),
        ]
    return score(corpus(queries, qrels), rankings)


def test_means_count_queries_with_gold_only_and_keep_apart_classes_out(scored: pl.DataFrame) -> None:
    summary = summarise(scored, "s")
    assert list(summary.systems) == ["fusion", "lexical"]
    fusion = summary.systems["fusion"]
    assert (fusion.headline.queries, fusion.headline.without_gold, fusion.headline.clusters) == (17, 1, 3)
    assert set(fusion.classes) == {"one", "two"}
    assert set(fusion.apart) == {"apart"}
    assert fusion.classes["one"].queries + fusion.classes["two"].queries == 17
    expected = scored.filter(pl.col("headline") & (pl.col("system") == "fusion"))["mrr"].mean()
    mrr = fusion.headline.measures["mrr"]
    assert mrr.mean == pytest.approx(expected, abs=1e-9)
    assert mrr.low is not None
    assert mrr.high is not None
    assert mrr.mean is not None
    assert mrr.low < mrr.mean < mrr.high
    assert list(fusion.headline.measures) == list(MEASURES)


def test_a_class_of_one_cluster_has_a_mean_and_no_interval(scored: pl.DataFrame) -> None:
    one = scored.with_columns(cluster=pl.when(pl.col("query_class") == "one").then(pl.lit("c0")).otherwise("cluster"))
    group = summarise(one, "s").systems["fusion"].classes["one"]
    assert group.clusters == 1
    assert group.measures["mrr"].mean is not None
    assert group.measures["mrr"].low is None
    assert group.measures["mrr"].high is None


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=20)
def test_the_summary_is_the_same_in_every_row_order(seed: int) -> None:
    frame = score(
        corpus(
            [query(f"q{number}", cluster=f"c{number % 4}") for number in range(20)],
            {f"q{number}": {"a": 1} for number in range(20)},
        ),
        [ranking(f"q{number}", [*(["n"] * (number % 2)), "a"]) for number in range(20)],
    )
    assert summarise(frame, "s") == summarise(frame.sample(fraction=1, shuffle=True, seed=seed), "s")


def test_importing_the_module_does_not_import_ranx() -> None:
    code = "import sys, evals.measure; print(sorted({'ranx', 'numba'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
