from __future__ import annotations

import polars as pl

from evals.latency import StageLatency, by_stage


def test_stages_keep_their_order_and_have_quantiles() -> None:
    rows = [("q", "fusion", "total", float(value)) for value in range(101)] + [("q", "fusion", "embed", 2.5)]
    timing = pl.DataFrame(rows, schema=["query_id", "system", "stage", "milliseconds"], orient="row")
    assert by_stage(timing) == (
        StageLatency("fusion", "total", 101, 50.0, 95.0, 100.0),
        StageLatency("fusion", "embed", 1, 2.5, 2.5, 2.5),
    )
    assert by_stage(timing.clear()) == ()
