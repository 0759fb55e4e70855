"""Confidence intervals for means over queries that were sampled in clusters.

Questions about one dialogue share its difficulty, so they are not independent, and an interval that treats
them so is too narrow. The bootstrap below draws whole clusters with replacement and takes percentiles of the
resampled means (Efron & Tibshirani, *An Introduction to the Bootstrap*, 1993, chapters 6 and 13; Field &
Welsh, "Bootstrapping clustered data", JRSS B 69, 2007; for retrieval measures Sakai, "Evaluating evaluation
metrics based on the bootstrap", SIGIR 2006). Percentile intervals over few clusters are still too narrow: see
`FEW_CLUSTERS`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from illumina.ids import digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

RESAMPLES: Final = 2000
"""Resamples of an interval; Efron & Tibshirani (1993, section 13.3) ask for 1,000 or more for percentiles."""

CONFIDENCE: Final = 0.95
"""The share of repetitions whose interval should contain the true mean."""

FEW_CLUSTERS: Final = 20
"""Below this many clusters a report warns: with 10 the tests' simulation covers about 90 %, not 95 %."""

_AT_ONCE: Final = 250
"""Resamples that are drawn at once: the draws stay the same, and thousands of clusters fit into memory."""


def cluster_bootstrap(
    values: NDArray[np.float64],
    clusters: Sequence[str],
    *,
    seed: str,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> NDArray[np.float64] | None:
    """Percentile interval of the mean of each column, resampling clusters.

    With cluster sums s_c and sizes n_c, one resample draws C of the C clusters with replacement, and its
    statistic is the pooled mean Σ s_c / Σ n_c over the draws (a ratio, since clusters differ in size). All
    columns share the draws, so intervals of several systems over the same queries are paired. The interval
    depends on the set of rows and on `seed`, not on the order of the rows nor on anything global.

    Args:
        values: One row a query, one column a statistic.
        clusters: Each row's cluster.
        seed: Part of what the generator is seeded with; the names of the clusters are the other part.
        resamples: How many resamples.
        confidence: Two-sided level.

    Returns:
        Two rows, the lower and the upper ends, or None with fewer than two clusters: one cluster says nothing
        about how clusters differ.
    """
    rows = np.asarray(values, dtype=np.float64)
    return ratio_bootstrap(rows, np.ones_like(rows), clusters, seed=seed, resamples=resamples, confidence=confidence)


def ratio_bootstrap(
    above: NDArray[np.float64],
    below: NDArray[np.float64],
    clusters: Sequence[str],
    *,
    seed: str,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> NDArray[np.float64] | None:
    """Percentile interval of each column's Σ above / Σ below, resampling clusters as `cluster_bootstrap` does.

    Precision, recall and F1 are such ratios of counts. Resamples in which a column's denominator is 0 say nothing of it and
    are left out; where that is all of them, the ends are NaN.

    Args:
        above: The numerators' terms: one row a case, one column a statistic.
        below: The denominators' terms, of the same shape.
        clusters: Each row's cluster.
        seed: As in `cluster_bootstrap`.
        resamples: How many resamples.
        confidence: Two-sided level.

    Returns:
        Two rows, the lower and the upper ends, or None with fewer than two clusters.
    """
    if len(clusters) != above.shape[0]:
        raise ValueError(f"{above.shape[0]} rows of values but {len(clusters)} clusters")
    members: dict[str, list[int]] = {}
    for row, cluster in enumerate(clusters):
        members.setdefault(cluster, []).append(row)
    names = sorted(members)
    if len(names) < 2:
        return None
    # fsum rounds once, so a cluster's sum is the same in every order of its rows.
    sums, sizes = (
        np.array([[math.fsum(column) for column in terms[members[name]].T] for name in names]) for terms in (above, below)
    )
    generator = np.random.default_rng(int.from_bytes(digest("bootstrap", seed, *names), "big"))
    count = len(names)
    ratios = np.empty((resamples, above.shape[1]))
    for start in range(0, resamples, _AT_ONCE):
        part = ratios[start : start + _AT_ONCE]
        draws = generator.integers(0, count, size=(len(part), count))
        flat = (draws + count * np.arange(len(part))[:, None]).ravel()
        weights = np.bincount(flat, minlength=len(part) * count).reshape(len(part), count).astype(np.float64)
        denominators = weights @ sizes
        np.divide(weights @ sums, denominators, out=part, where=denominators > 0)
        part[denominators <= 0] = np.nan
    tail = (1.0 - confidence) / 2.0
    interval = np.full((2, ratios.shape[1]), np.nan)
    said = ~np.isnan(ratios).all(axis=0)
    interval[:, said] = np.nanquantile(ratios[:, said], [tail, 1.0 - tail], axis=0)
    return interval
