from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tests.evals.cli.support import invoke

if TYPE_CHECKING:
    from pathlib import Path

    from illumina.store.embedded import EmbeddedServer


def test_ablate_prints_a_table_and_writes_a_directory(suite: Path, server: EmbeddedServer, tmp_path: Path) -> None:
    where = ["--postgres", server.dsn("postgres"), "--out", str(tmp_path / "runs")]
    result = invoke("ablate", str(suite), *where, "--no-track")
    assert result.exit_code == 0, result.output
    (directory,) = (tmp_path / "runs").glob("mini-ablation-*")
    lines = [line.split() for line in result.output.splitlines()]
    assert ["fusion"] in lines
    assert sorted(line[:2] for line in lines if line and line[0].startswith("leave-one")) == [
        ["leave-one-in", "lexical"],
        ["leave-one-in", "semantic"],
        ["leave-one-out", "lexical"],
        ["leave-one-out", "semantic"],
    ]
    assert str(directory / "report.md") in result.output


def test_sweep_tries_every_combination(suite: Path, server: EmbeddedServer, tmp_path: Path) -> None:
    where = ["--postgres", server.dsn("postgres"), "--out", str(tmp_path / "runs")]
    result = invoke("sweep", str(suite), "--set", "rrf_k=1,60", "--set", "bm25_b=0", *where, "--no-track")
    assert result.exit_code == 0, result.output
    (directory,) = (tmp_path / "runs").glob("mini-sweep-*")
    frame = pl.read_parquet(directory / "ablation.parquet")
    assert frame["variant"].unique(maintain_order=True).to_list() == [
        "rrf_k=60, bm25_b=0.75",
        "rrf_k=1, bm25_b=0.0",
        "rrf_k=60, bm25_b=0.0",
    ]
    assert frame["system"].unique(maintain_order=True).to_list() == ["fusion", "semantic", "lexical"]


def test_a_setting_that_cannot_be_swept_is_one_clear_line(suite: Path) -> None:
    result = invoke("sweep", str(suite), "--set", "rrf=1")
    assert result.exit_code != 0
    assert "There is no setting 'rrf'. Known are bm25_k1" in str(result.exception)
