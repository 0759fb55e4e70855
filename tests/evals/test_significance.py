from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evals.significance import DRAWS, EXACT_BELOW, holm, minimum_detectable, paired, sign_flip

if TYPE_CHECKING:
    import random

VALUES = st.sampled_from([0.0, 1.0, -1.0, 0.5, -0.5, 1 / 3, -2 / 3, 0.123456789])
PAIRS = st.lists(st.tuples(VALUES, st.sampled_from("abcdefghijklmnopqrstuvwxyz")), min_size=1, max_size=60)


def alone(count: int) -> list[str]:
    return [f"q{number:04}" for number in range(count)]


class TestSignFlip:
    def test_by_hand(self) -> None:
        # |±1 ±2 ±4| reaches 7 by all plus or all minus only: 2 of 8.
        found = sign_flip([1.0, 2.0, 4.0], ["a", "b", "c"], seed="s")
        assert (found.p, found.exact, found.attainable) == (0.25, True, 0.25)
        # 1 + 2 − 4 = −1: 6 of 8 vectors reach 1 (all do), since |±1±2±4| is 7, 5, 3, 1.
        assert sign_flip([1.0, 2.0, -4.0], ["a", "b", "c"], seed="s").p == 1.0
        # As one cluster and another: 3 and −4.
        assert sign_flip([1.0, 2.0, -4.0], ["a", "a", "b"], seed="s").p == 1.0
        assert sign_flip([1.0, 2.0, 4.0], ["a", "a", "b"], seed="s").p == 0.5

    def test_all_tied_is_one(self) -> None:
        assert sign_flip([0.0] * 40, alone(40), seed="s").p == 1.0

    def test_a_cluster_that_cancels_out_is_a_tie(self) -> None:
        assert sign_flip([0.1, 0.2, -0.3], ["a", "a", "a"], seed="s").p == 1.0

    def test_thirds_that_tie_in_truth_tie_here(self) -> None:
        # 1/3 + 1/3 − 2/3 is zero only up to rounding; T = 2/3 ties with the vectors that give ±2/3.
        values = [1 / 3, 1 / 3, 2 / 3, -2 / 3]
        exact = np.array([1, 1, 2, -2])
        reached = [abs(np.dot(signs, exact)) >= abs(exact.sum()) for signs in product((1, -1), repeat=4)]
        assert sign_flip(values, alone(4), seed="s").p == np.mean(reached)

    @pytest.mark.parametrize("count", [5, EXACT_BELOW - 1])
    def test_exact_agrees_with_scipy(self, count: int) -> None:
        values = np.random.default_rng(count).normal(0.2, 1, size=count)
        ours = sign_flip(values.tolist(), alone(count), seed="s")
        theirs = stats.permutation_test((values,), np.sum, permutation_type="samples", n_resamples=100_000)
        assert ours.exact
        assert ours.p == pytest.approx(theirs.pvalue, abs=1e-12)

    def test_drawn_agrees_with_scipy_and_with_t_in_the_limit(self) -> None:
        values = np.random.default_rng(8).normal(0.12, 1, size=200)
        ours = sign_flip(values.tolist(), alone(200), seed="s")
        theirs = stats.permutation_test(
            (values,), np.sum, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(5)
        )
        assert not ours.exact
        assert 0.02 < ours.p < 0.5
        assert ours.p == pytest.approx(theirs.pvalue, abs=0.015)
        assert ours.p == pytest.approx(stats.ttest_1samp(values, 0.0).pvalue, abs=0.015)

    def test_the_draws_are_of_the_seed(self) -> None:
        values = np.random.default_rng(8).normal(0.12, 1, size=50).tolist()
        assert sign_flip(values, alone(50), seed="s") == sign_flip(values, alone(50), seed="s")
        assert sign_flip(values, alone(50), seed="s") != sign_flip(values, alone(50), seed="t")

    def test_the_draws_stay_as_they_are(self) -> None:
        """A numpy that draws otherwise would change the p of every report: that should be seen, not found out."""
        values = np.random.default_rng(8).normal(0.12, 1, size=50).tolist()
        assert sign_flip(values, alone(50), seed="s").p == 7740 / 10_001

    def test_the_least_p_is_reached(self) -> None:
        found = sign_flip([1.0] * 40, alone(40), seed="s")
        assert found.p == found.attainable == 1 / (DRAWS + 1)

    @settings(deadline=None, max_examples=60)
    @given(PAIRS, st.randoms(use_true_random=False))
    def test_order_and_direction_do_not_matter(self, pairs: list[tuple[float, str]], shuffler: random.Random) -> None:
        values, clusters = [value for value, _ in pairs], [name for _, name in pairs]
        found = paired(values, clusters, seed="s")
        assert 0 < found.test.attainable <= found.test.p <= 1
        assert found.wins + found.losses + found.ties == found.queries == len(pairs)
        shuffled = list(pairs)
        shuffler.shuffle(shuffled)
        assert paired([value for value, _ in shuffled], [name for _, name in shuffled], seed="s") == found
        swapped = paired([-value for value in values], clusters, seed="s")
        assert swapped.test == found.test
        assert swapped.difference == -found.difference
        assert (swapped.wins, swapped.losses) == (found.losses, found.wins)
        assert swapped.detectable == found.detectable
        if found.low is not None and found.high is not None:
            assert [swapped.low, swapped.high] == pytest.approx([-found.high, -found.low], abs=2e-9)

    @pytest.mark.parametrize("size", [1, 6])
    def test_p_is_uniform_where_there_is_no_difference(self, size: int) -> None:
        """400 null comparisons of 30 clusters, whose effect is as strong as the queries' own."""
        generator = np.random.default_rng(12)
        clusters = [f"c{number:02}" for number in range(30) for _ in range(size)]
        found = []
        for trial in range(400):
            values = generator.normal(0, 1, size=30).repeat(size) + generator.normal(0, 1, size=30 * size)
            found.append(sign_flip(values.tolist(), clusters, seed=str(trial)).p)
        assert stats.kstest(found, "uniform").pvalue > 0.05
        assert np.mean(np.array(found) < 0.05) <= 0.075


class TestHolm:
    def test_by_hand(self) -> None:
        # Holm (1979) as statsmodels' multipletests(method="holm") has it: 4·0.01, 3·0.02, then max(0.06, 2·0.03), 1·0.04.
        assert holm({"d": 0.04, "a": 0.01, "c": 0.03, "b": 0.02}) == {
            "d": pytest.approx(0.06),
            "a": pytest.approx(0.04),
            "c": pytest.approx(0.06),
            "b": pytest.approx(0.06),
        }
        assert holm({"a": 0.6, "b": 0.7}) == {"a": 1.0, "b": 1.0}
        assert holm({}) == {}

    @given(st.dictionaries(st.integers(), st.floats(1e-6, 1), max_size=8))
    def test_monotone_and_between_p_and_bonferroni(self, p_values: dict[int, float]) -> None:
        adjusted = holm(p_values)
        assert list(adjusted) == list(p_values)
        for key, p in p_values.items():
            assert p <= adjusted[key] <= min(1.0, len(p_values) * p)
        ascending = sorted(p_values, key=lambda key: p_values[key])
        assert [adjusted[key] for key in ascending] == sorted(adjusted.values())


class TestDetectable:
    def test_is_the_textbook_formula_without_clusters(self) -> None:
        values = np.random.default_rng(1).normal(0, 0.3, size=120)
        expected = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * values.std(ddof=1) / np.sqrt(120)
        assert minimum_detectable(values.tolist(), alone(120)) == pytest.approx(expected, abs=1e-8)

    def test_is_found_about_as_often_as_it_says(self) -> None:
        generator = np.random.default_rng(4)
        effect = minimum_detectable(generator.normal(0, 1, size=20_000).tolist(), alone(20_000))
        assert effect is not None
        effect *= np.sqrt(20_000 / 60)
        found = [
            sign_flip(generator.normal(effect, 1, size=60).tolist(), alone(60), seed=str(trial)).p < 0.05
            for trial in range(300)
        ]
        assert 0.72 < np.mean(found) < 0.87

    def test_clusters_that_agree_within_are_worth_one_query(self) -> None:
        sums = np.random.default_rng(1).normal(0, 0.3, size=40)
        single = minimum_detectable(sums.tolist(), alone(40))
        copied = minimum_detectable(sums.repeat(5).tolist(), [name for name in alone(40) for _ in range(5)])
        assert copied == pytest.approx(single, abs=1e-8)

    @pytest.mark.parametrize(("values", "clusters"), [([0.1, 0.3], ["a", "a"]), ([0.1, 0.1, 0.1], ["a", "b", "c"])])
    def test_no_variance_says_nothing(self, values: list[float], clusters: list[str]) -> None:
        assert minimum_detectable(values, clusters) is None
