"""Ratios of counts over sets and classes, with intervals that resample clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from evals.intervals import CONFIDENCE, RESAMPLES, ratio_bootstrap
from evals.measure import Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evals.labels.kinds import AnyKind, Judged, Measure


@dataclass(frozen=True, slots=True)
class Counted:
    """One system over one group of cases.

    Attributes:
        cases: How many cases.
        clusters: Clusters among them.
        counts: The sum of each column.
        measures: Measure to its estimate; without a mean where its denominator is 0.
    """

    cases: int
    clusters: int
    counts: Mapping[str, int]
    measures: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class SetSummary:
    """One system over a set, over each class of it, and over each class that is reported apart."""

    headline: Counted
    classes: Mapping[str, Counted]
    apart: Mapping[str, Counted]


@dataclass(frozen=True, slots=True)
class LabelSummary:
    """`system/set` to its figures, in report order, and how the intervals were made."""

    systems: Mapping[str, SetSummary]
    resamples: int
    confidence: float


def frame(kind: AnyKind, judged: Mapping[tuple[str, str], Sequence[Judged]]) -> pl.DataFrame:
    """One row for each set, system and case.

    Args:
        kind: Names the columns.
        judged: System and set to the judged cases.

    Returns:
        Columns system, set, case, group, cluster, apart, and one for each of the kind's columns.
    """
    rows = [
        (
            system,
            set_name,
            case.case,
            case.group,
            case.cluster,
            case.apart,
            *(case.counts.get(name, 0) for name in kind.columns),
        )
        for (system, set_name), cases in judged.items()
        for case in cases
    ]
    texts = dict.fromkeys(("system", "set", "case", "group", "cluster"), pl.String)
    schema = {**texts, "apart": pl.Boolean, **dict.fromkeys(kind.columns, pl.Int64)}
    return pl.DataFrame(rows, schema=schema, orient="row")


def summarise(kind: AnyKind, per_case: pl.DataFrame, digests: Mapping[str, str]) -> LabelSummary:
    """The figures of every system on every set.

    Args:
        kind: Its measures are taken.
        per_case: What `frame` returned.
        digests: Each set's digest, which seeds its resamples: runs over the same set share them.
    """
    systems = {}
    for system, set_name in per_case.select("system", "set").unique(maintain_order=True).rows():
        rows = per_case.filter(pl.col("system") == system, pl.col("set") == set_name)
        seed = digests[set_name]
        systems[f"{system}/{set_name}"] = SetSummary(
            headline=_counted(kind, rows.filter(~pl.col("apart")), seed),
            classes=_by_class(kind, rows.filter(~pl.col("apart")), seed),
            apart=_by_class(kind, rows.filter(pl.col("apart")), seed),
        )
    return LabelSummary(systems, RESAMPLES, CONFIDENCE)


def _by_class(kind: AnyKind, rows: pl.DataFrame, seed: str) -> dict[str, Counted]:
    names = sorted(rows["group"].unique().to_list())
    return {name: _counted(kind, rows.filter(pl.col("group") == name), seed) for name in names}


def _counted(kind: AnyKind, rows: pl.DataFrame, seed: str) -> Counted:
    clusters = rows["cluster"].to_list()
    above, below = (_terms(rows, [getattr(measure, side) for measure in kind.measures]) for side in ("above", "below"))
    interval = ratio_bootstrap(above, below, clusters, seed=seed)
    measures = {}
    for number, measure in enumerate(kind.measures):
        ends = None if interval is None else interval[:, number]
        measures[measure.name] = _estimate(math.fsum(above[:, number]), math.fsum(below[:, number]), ends)
    counts = {name: int(rows[name].sum()) for name in kind.columns}
    return Counted(rows.height, len(set(clusters)), counts, measures)


def _terms(rows: pl.DataFrame, sides: Sequence[Sequence[str]]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """One column a measure: the sum of the columns that one side of its ratio names."""
    return np.column_stack([sum(rows[name].to_numpy().astype(np.float64) for name in side) for side in sides])


def _estimate(
    above: float, below: float, ends: Sequence[float] | np.ndarray[tuple[int], np.dtype[np.float64]] | None
) -> Estimate:
    """Nine decimals, as of every figure: what differs below them is the machine's linear algebra."""
    if not below:
        return Estimate(None, None, None)
    if ends is None or math.isnan(ends[0]):
        return Estimate(round(above / below, 9), None, None)
    return Estimate(round(above / below, 9), round(float(ends[0]), 9), round(float(ends[1]), 9))


def complete(measures: Sequence[Measure], counts: Mapping[str, int]) -> bool:
    """Whether no measure of a case could be better."""
    return all(sum(counts[name] for name in it.above) >= sum(counts[name] for name in it.below) for it in measures)
