from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.comparison import compare
from evals.significance import holm
from tests.evals.records import MEASURES, identity, record

VALUES = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0]), st.sampled_from([0.0, 0.25, 0.5, 1.0])), min_size=1)


def test_means_differences_and_counts() -> None:
    old = record([0.5, 0.5, 1.0, 0.0])
    new = record([1.0, 0.25, 1.0, 0.5], named=identity(code="2"), result="r2")
    delta = compare(old, new).systems["fusion"].headline["ndcg_at_10"]
    assert (delta.old, delta.new, delta.paired.difference) == (0.5, 0.6875, 0.1875)
    assert (delta.paired.wins, delta.paired.losses, delta.paired.ties) == (2, 1, 1)
    classes = compare(old, new).systems["fusion"].classes
    assert {name: group["mrr"].paired.difference for name, group in classes.items()} == {"a": 0.25, "b": 0.125}
    assert all(delta.adjusted is None for group in classes.values() for delta in group.values())


def test_p_is_adjusted_over_the_declared_family_only() -> None:
    values = np.random.default_rng(2).random((4, 60)).round(3).tolist()
    old = record(values[0], mrr=values[1])
    new = record(values[2], mrr=values[3], named=identity(code="2"), result="r2")
    both = compare(old, new).systems["fusion"].headline
    assert {name: delta.adjusted for name, delta in both.items()} == holm({name: both[name].paired.test.p for name in MEASURES})
    one = compare(old, new, family=["mrr"]).systems["fusion"].headline
    assert one["mrr"].adjusted == one["mrr"].paired.test.p == both["mrr"].paired.test.p
    assert one["ndcg_at_10"].adjusted is None
    # A family of one is tested at the whole of alpha, so a smaller effect is found.
    assert one["mrr"].paired.detectable is not None
    assert both["mrr"].paired.detectable is not None
    assert one["mrr"].paired.detectable < both["mrr"].paired.detectable


@pytest.mark.parametrize(
    ("part", "value", "reason"),
    [
        (
            "suite",
            {"name": "toy", "measures": list(MEASURES), "depth": 51},
            "suite.depth is 50 in the old run and 51 in the new",
        ),
        ("corpus", {"name": "toy", "digest": "d" * 64}, "corpus.digest is c"),
        ("measure_version", 2, "measure_version is 1 in the old run and 2 in the new one"),
    ],
)
def test_other_suites_corpora_and_measures_are_not_comparable(part: str, value: object, reason: str) -> None:
    compared = compare(record([0.5]), record([0.0], named={**identity(), part: value}, result="r2"))
    assert len(compared.incomparable) == 1
    assert compared.incomparable[0].startswith(reason)
    assert compared.systems == {}


def test_runs_of_questions_without_an_answer_have_nothing_to_compare() -> None:
    compared = compare(record([]), record([], result="r2"))
    assert compared.incomparable == ("no headline query has a relevant unit, so there is no figure to compare",)
    assert compared.systems == {}


def test_a_corpus_may_have_been_renamed() -> None:
    named = {**identity(), "corpus": {"name": "moved", "digest": "c" * 64}}
    compared = compare(record([0.5]), record([0.5], named=named))
    assert not compared.incomparable
    assert compared.changes == (("corpus.name", "toy", "moved"),)


def test_the_changes_of_the_identity_are_named() -> None:
    new = record([0.5], named=identity(code="2", ranking={"rrf_k": 10}, extra="x"), result="r2")
    assert compare(record([0.5]), new).changes == (
        ("engine.code", "1", "2"),
        ("engine.extra", None, "x"),
        ("engine.ranking.rrf_k", "60", "10"),
    )


def test_lost_and_won_queries_come_with_the_ranks_of_their_gold() -> None:
    old = record([1.0, 0.5, 0.5, 0.0], ranks={"q001": 2, "q003": 0})
    new = record([0.0, 0.25, 0.5, 1.0], named=identity(code="2"), result="r2", ranks={"q000": 0, "q001": 5})
    lost, won = compare(old, new).moved("ndcg_at_10")
    assert [(query.id, query.difference("ndcg_at_10"), query.best_ranks()) for query in lost] == [
        ("q000", -1.0, (1, 0)),
        ("q001", -0.25, (2, 5)),
    ]
    assert [(query.id, query.best_ranks()) for query in won] == [("q003", (0, 1))]
    assert [(gold.unit, gold.old, gold.new) for gold in won[0].gold] == [("doc#3", 0, 1)]


@settings(deadline=None, max_examples=30)
@given(VALUES, st.randoms(use_true_random=False))
def test_swapped_runs_negate_and_order_does_not_matter(pairs: list[tuple[float, float]], shuffler: object) -> None:
    old = record([value for value, _ in pairs])
    new = record([value for _, value in pairs], named=identity(code="2"), result="r2")
    forth, back = (compare(*sides).systems["fusion"].headline["mrr"] for sides in ((old, new), (new, old)))
    assert forth.paired.difference == -back.paired.difference
    assert (forth.paired.test, forth.adjusted) == (back.paired.test, back.adjusted)
    order = list(new.queries)
    shuffler.shuffle(order)  # type: ignore[attr-defined]
    assert compare(old, replace(new, queries=tuple(order))).systems["fusion"].headline["mrr"] == forth


def test_false_alarms_are_no_more_than_nominal() -> None:
    """200 changes that change nothing: each query's two rankings come from one distribution, in clusters of three."""
    generator = np.random.default_rng(20260302)
    clusters = [f"c{number // 3:02}" for number in range(60)]
    alarms = 0
    for trial in range(200):
        level = generator.normal(0, 0.15, size=(2, 20)).repeat(3, axis=1)  # a cluster's queries move together
        sides = np.clip(generator.beta(2, 2, size=60) + level + generator.normal(0, 0.1, size=(2, 60)), 0, 1)
        reciprocal = 1 / np.ceil(10 * (1.05 - sides))
        old, new = (
            record(
                values.tolist(),
                mrr=other.tolist(),
                clusters=clusters,
                named=identity(code=f"{trial}/{side}"),
                result=f"{trial}/{side}",
            )
            for side, (values, other) in enumerate(zip(sides, reciprocal, strict=True))
        )
        found = compare(old, new).systems["fusion"].headline
        alarms += any(delta.adjusted is not None and delta.adjusted < 0.05 for delta in found.values())
    assert alarms <= math.floor(0.05 * 200)
