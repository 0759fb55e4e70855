"""Is one run better than another on the same queries, or is it chance?

Two rankings of the same queries are compared in pairs: d_q = new(q) − old(q). The test is Fisher's randomisation
test (R. A. Fisher, *The Design of Experiments*, 1935, section 21), which Smucker, Allan & Carterette ("A comparison of
statistical significance tests for information retrieval evaluation", CIKM 2007) recommend for means of retrieval
measures: it assumes no distribution, only that under the null hypothesis the two runs' names could be swapped. Where
queries were sampled in clusters, a cluster is swapped as a whole, since its queries are not independent.

Everything is a function of the set of differences and of the seed, and swapping the runs negates the difference and
leaves p as it was.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from evals.intervals import cluster_bootstrap
from illumina.ids import digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

ALPHA: Final = 0.05
"""The share of null comparisons that may be called significant, over a whole family."""

POWER: Final = 0.8
"""The chance with which the minimum detectable effect is found (Cohen, *Statistical Power Analysis*, 1988, section 2.4)."""

DRAWS: Final = 10_000
"""Random sign vectors: p near 0.05 then has a standard error of 0.002."""

EXACT_BELOW: Final = 17
"""With fewer nonzero differences all sign vectors, at most 65,536, are enumerated instead."""

DECIMALS: Final = 9
"""Values are compared in units of 10⁻⁹, as integers, whose sums are exact in any order."""

_UNIT: Final = 10**DECIMALS
_ROWS: Final = 1_000  # sign vectors at a time: 2,000 queries then take 16 MB

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Randomisation:
    """The outcome of a sign-flip test.

    Attributes:
        p: Two-sided, in (0, 1].
        exact: Whether all sign vectors were enumerated.
        attainable: The least p that any differences of this number of nonzero clusters could have had.
    """

    p: float
    exact: bool
    attainable: float


@dataclass(frozen=True, slots=True)
class Paired:
    """One measure of two runs over the same queries.

    Attributes:
        queries: Queries compared.
        clusters: What is flipped and resampled.
        difference: Mean of new − old.
        low: Lower end of the difference's interval; None with fewer than two clusters.
        high: Its upper end.
        test: The randomisation test of no difference.
        wins: Queries that are higher in the new run.
        losses: Queries that are lower in it.
        ties: Queries that are equal.
        detectable: The least true difference that is found with `POWER`; None where nothing varies.
    """

    queries: int
    clusters: int
    difference: float
    low: float | None
    high: float | None
    test: Randomisation
    wins: int
    losses: int
    ties: int
    detectable: float | None


def paired(differences: Sequence[float], clusters: Sequence[str], *, seed: str, alpha: float = ALPHA) -> Paired:
    """Compare two runs query by query.

    Args:
        differences: new − old of each query, at least one.
        clusters: Each query's cluster.
        seed: The comparison's own name: what was compared, in an order that does not depend on which run is new.
        alpha: The level that `detectable` refers to.
    """
    values = np.asarray(differences, dtype=np.float64).round(DECIMALS)
    interval = cluster_bootstrap(values[:, None], clusters, seed=seed)
    low, high = (None, None) if interval is None else interval[:, 0].round(DECIMALS).tolist()
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    return Paired(
        queries=values.size,
        clusters=len(set(clusters)),
        difference=round(math.fsum(values) / values.size, DECIMALS),
        low=low,
        high=high,
        test=sign_flip(values.tolist(), clusters, seed=seed),
        wins=wins,
        losses=losses,
        ties=values.size - wins - losses,
        detectable=minimum_detectable(values.tolist(), clusters, alpha=alpha),
    )


def sign_flip(differences: Sequence[float], clusters: Sequence[str], *, seed: str) -> Randomisation:
    """Two-sided randomisation test of a zero mean difference.

    With cluster sums s_c the statistic is T = |Σ s_c|. Under the null hypothesis each s_c could as well have had the
    other sign, so p is the share of sign vectors e with |Σ e_c s_c| ≥ T. Sums that are zero change nothing and are left
    out. All vectors are enumerated if fewer than `EXACT_BELOW` sums are left; otherwise B = `DRAWS` are drawn and
    p = (hits + 1) / (B + 1), which counts the observed one and is never zero (Phipson & Smyth, "Permutation p-values
    should never be zero", SAGMB 9(1), 2010). If all differences are zero p is 1.
    """
    sums = _cluster_sums(differences, clusters)
    # Only absolute values matter, so sorting them makes p independent of the order of queries and of which run is new.
    units = np.sort(np.abs(np.rint(sums * _UNIT)))
    units = units[units > 0]
    count = units.size
    if count == 0:
        return Randomisation(p=1.0, exact=True, attainable=1.0)
    # Each sum was rounded once, by half a unit at most, in T as in each flipped sum: what differs by less is a tie.
    least = abs(np.rint(sums * _UNIT).sum()) - count
    if count < EXACT_BELOW:
        flipped = units[:1]  # its other sign would double both counts
        for unit in units[1:]:
            flipped = np.concatenate([flipped + unit, flipped - unit])
        return Randomisation(p=int((np.abs(flipped) >= least).sum()) / flipped.size, exact=True, attainable=2.0 ** (1 - count))
    generator = np.random.default_rng(int.from_bytes(digest("sign-flip", seed), "big"))
    hits = 0
    for start in range(0, DRAWS, _ROWS):
        signs = generator.integers(0, 2, size=(min(_ROWS, DRAWS - start), count), dtype=np.int8) * 2.0 - 1.0
        # Integers below 2^53: this product is exact, whatever order the linear algebra sums in.
        hits += int((np.abs(signs @ units) >= least).sum())
    return Randomisation(p=(hits + 1) / (DRAWS + 1), exact=False, attainable=1 / (DRAWS + 1))


def holm(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """Adjust p over a family of tests, so that the chance of any false alarm stays below alpha.

    Holm's step-down ("A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6,
    1979): with p sorted ascending, the i-th of m becomes max over j ≤ i of min(1, (m − j + 1) · p_j).
    """
    adjusted = {}
    largest = 0.0
    for place, (key, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        largest = max(largest, min(1.0, (len(p_values) - place) * p))
        adjusted[key] = largest
    return {key: adjusted[key] for key in p_values}


def minimum_detectable(differences: Sequence[float], clusters: Sequence[str], *, alpha: float = ALPHA) -> float | None:
    """The least true mean difference that a test at level `alpha` finds with the chance `POWER`.

    (z_{1−α/2} + z_{POWER}) · SE by the normal approximation (Sakai, "Statistical reform in information retrieval?",
    SIGIR Forum 48(1), 2014), where with C clusters of sizes n_c and sums s_c, N = Σ n_c and the mean d the standard
    error is that of a ratio: SE² = C / (C − 1) · Σ (s_c − n_c·d)² / N². With one query a cluster that is the usual
    variance over N. With few clusters it is optimistic, as the intervals are.

    Returns:
        None with fewer than two clusters, or if all differences are equal: there is no variance to go by.
    """
    sums = _cluster_sums(differences, clusters)
    counted = Counter(clusters)
    sizes = np.array([counted[name] for name in sorted(counted)], dtype=np.float64)
    count, total = sums.size, len(clusters)
    if count < 2:
        return None
    spread = math.fsum((sums - sizes * (math.fsum(differences) / total)) ** 2)
    if spread * _UNIT**2 < total:  # no more than rounding
        return None
    error = math.sqrt(count / (count - 1) * spread) / total
    normal = NormalDist()
    return round((normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(POWER)) * error, DECIMALS)


def _cluster_sums(differences: Sequence[float], clusters: Sequence[str]) -> NDArray[np.float64]:
    """Sum of the differences of each cluster, clusters by name; `fsum` rounds once, so the order of queries is nothing."""
    members: dict[str, list[float]] = {}
    for difference, cluster in zip(differences, clusters, strict=True):
        members.setdefault(cluster, []).append(difference)
    return np.array([math.fsum(members[name]) for name in sorted(members)], dtype=np.float64)
