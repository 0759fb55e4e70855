from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evals.intervals import cluster_bootstrap, ratio_bootstrap

if TYPE_CHECKING:
    import random


def test_fewer_than_two_clusters_have_no_interval() -> None:
    assert cluster_bootstrap(np.array([[0.1], [0.9]]), ["a", "a"], seed="s") is None
    assert cluster_bootstrap(np.empty((0, 1)), [], seed="s") is None


def test_rows_and_clusters_must_match() -> None:
    with pytest.raises(ValueError, match="2 rows of values but 1 clusters"):
        cluster_bootstrap(np.zeros((2, 1)), ["a"], seed="s")


def test_agrees_with_scipy_when_each_cluster_has_one_query() -> None:
    values = np.random.default_rng(3).beta(2, 3, size=150)
    ours = cluster_bootstrap(values[:, None], [f"q{number:03}" for number in range(150)], seed="s", resamples=20_000)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(5)
    ).confidence_interval
    assert ours is not None
    assert ours[:, 0] == pytest.approx([theirs.low, theirs.high], abs=0.002)


def test_two_clusters_by_hand() -> None:
    # Three outcomes: both draws a (mean 0), both b (mean 1), one of each (mean 1/4, since a has three rows).
    interval = cluster_bootstrap(np.array([[0.0], [0.0], [0.0], [1.0]]), ["a", "a", "a", "b"], seed="s")
    assert interval is not None
    assert interval.tolist() == [[0.0], [1.0]]
    middle = cluster_bootstrap(np.array([[0.0], [0.0], [0.0], [1.0]]), ["a", "a", "a", "b"], seed="s", confidence=0.2)
    assert middle is not None
    assert middle.tolist() == [[0.25], [0.25]]


@pytest.mark.parametrize(("clusters", "least", "most"), [(10, 0.86, 0.94), (40, 0.92, 0.97)])
def test_covers_the_true_mean_about_as_often_as_it_says(clusters: int, least: float, most: float) -> None:
    """400 simulated corpora with a strong cluster effect; treating queries as independent covers far less."""
    generator = np.random.default_rng(11)
    labels = [f"c{cluster}" for cluster in range(clusters) for _ in range(15)]
    covered = naive = 0
    for trial in range(400):
        effect = generator.normal(0.5, 0.15, size=clusters).repeat(15)
        values = effect + generator.normal(0, 0.2, size=len(labels))
        interval = cluster_bootstrap(values[:, None], labels, seed=str(trial), resamples=600)
        assert interval is not None
        covered += interval[0, 0] <= 0.5 <= interval[1, 0]
        error = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
        naive += abs(values.mean() - 0.5) <= error
    assert least <= covered / 400 <= most
    assert naive / 400 < 0.75


@given(st.randoms(use_true_random=False))
def test_row_order_and_global_state_do_not_matter(shuffler: random.Random) -> None:
    generator = np.random.default_rng(2)
    values = generator.random((60, 3))
    clusters = [f"c{number % 7}" for number in range(60)]
    first = cluster_bootstrap(values, clusters, seed="s", resamples=200)
    order = list(range(60))
    shuffler.shuffle(order)
    again = cluster_bootstrap(values[order], [clusters[row] for row in order], seed="s", resamples=200)
    assert first is not None
    assert again is not None
    assert first.tobytes() == again.tobytes()


def test_the_seed_and_the_clusters_choose_the_resamples() -> None:
    values = np.random.default_rng(2).random((60, 1))
    clusters = [f"c{number % 7}" for number in range(60)]
    first = cluster_bootstrap(values, clusters, seed="s")
    other_seed = cluster_bootstrap(values, clusters, seed="t")
    other_names = cluster_bootstrap(values, [f"d{number % 7}" for number in range(60)], seed="s")
    assert first is not None
    assert other_seed is not None
    assert other_names is not None
    assert not np.array_equal(first, other_seed)
    assert not np.array_equal(first, other_names)


def test_columns_share_the_resamples() -> None:
    column = np.random.default_rng(2).random(60)
    clusters = [f"c{number % 7}" for number in range(60)]
    both = cluster_bootstrap(np.column_stack([column, column]), clusters, seed="s")
    assert both is not None
    assert np.array_equal(both[:, 0], both[:, 1])


def test_ratios_by_hand() -> None:
    # Both draws a: 1/2; both b: 3/3; one of each: 4/5. The second column counts in b only, the third nowhere.
    above = np.array([[1.0, 0.0, 0.0], [3.0, 1.0, 0.0]])
    below = np.array([[2.0, 0.0, 0.0], [3.0, 2.0, 0.0]])
    interval = ratio_bootstrap(above, below, ["a", "b"], seed="s")
    assert interval is not None
    assert interval[:, 0].tolist() == [0.5, 1.0]
    assert interval[:, 1].tolist() == [0.5, 0.5]
    assert np.isnan(interval[:, 2]).all()


def test_a_mean_is_a_ratio_over_ones() -> None:
    values = np.random.default_rng(3).random((90, 2))
    clusters = [f"c{number % 30}" for number in range(90)]
    means = cluster_bootstrap(values, clusters, seed="s")
    ratios = ratio_bootstrap(values * 2, np.full_like(values, 2.0), clusters, seed="s")
    assert means is not None
    assert ratios is not None
    assert ratios == pytest.approx(means, abs=1e-12)
