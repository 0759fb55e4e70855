"""Measured durations by stage: environment, shown and never judged."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True)
class StageLatency:
    """One stage of one system over the queries of a run, in milliseconds.

    Attributes:
        system: Whose answer took that long.
        stage: The part of the answer, or `total`.
        count: How many durations were measured.
        median: Half took no longer.
        p95: 95 % took no longer.
        longest: The longest of all.
    """

    system: str
    stage: str
    count: int
    median: float
    p95: float
    longest: float


def by_stage(timing: pl.DataFrame) -> tuple[StageLatency, ...]:
    """The stages in the order in which they were written down.

    Args:
        timing: Columns query_id, system, stage, milliseconds, as a run directory has them.
    """
    milliseconds = pl.col("milliseconds")
    rows = timing.group_by("system", "stage", maintain_order=True).agg(
        count=pl.len(),
        median=milliseconds.quantile(0.5, "linear"),
        p95=milliseconds.quantile(0.95, "linear"),
        longest=milliseconds.max(),
    )
    return tuple(StageLatency(**row) for row in rows.to_dicts())
