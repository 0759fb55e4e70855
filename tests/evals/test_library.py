from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import evals
from evals import library
from evals.baseline import Record, record_of, write_baseline
from evals.comparison import Comparison
from evals.errors import SuiteError
from evals.labels.rundir import LabelRun, read_any_run
from evals.labels.suite import LabelSuite
from evals.rundir import Run, RunDirectoryError
from evals.skeleton import write_skeleton
from evals.suite import Suite
from tests.evals.cli.support import SUITE
from tests.test_packaging import HEAVY

if TYPE_CHECKING:
    from illumina.store.embedded import EmbeddedServer

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def suite(mini_directory: Path) -> Path:
    path = mini_directory.parent / "mini.toml"
    path.write_text(SUITE)
    return path


def test_importing_the_package_is_cheap() -> None:
    script = "import sys, json, evals; print(json.dumps([*sys.modules])); from evals import compare; assert callable(compare)"
    output = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    loaded = {name.partition(".")[0] for name in json.loads(output)}
    assert not loaded & {*HEAVY, "illumina", "numpy"}


def test_what_the_package_offers_is_there() -> None:
    for name in evals.__all__:
        assert getattr(evals, name) is getattr(library, name)
    with pytest.raises(AttributeError, match="'evals' has no attribute 'runs'"):
        _ = evals.runs  # type: ignore[attr-defined]


def test_suites_of_every_kind_are_loaded_by_name_or_path(suite: Path) -> None:
    assert isinstance(evals.load("core"), Suite)
    assert isinstance(evals.load("dates"), LabelSuite)
    assert evals.load(suite) == evals.load(str(suite))


def test_run_and_compare(suite: Path, tmp_path: Path, server: EmbeddedServer) -> None:
    where: dict[str, Any] = {"out": tmp_path / "runs", "postgres": server.dsn("postgres")}
    before = evals.run(suite, **where, determinism=True)
    chosen = evals.load(suite)
    assert isinstance(before, Run)
    assert isinstance(chosen, Suite)
    assert [check.passed for check in before.checks] == [True] * 3
    assert before.per_query.filter(system="lexical", query_id="q2")["mrr"].to_list() == [1.0]
    after = evals.run(chosen.tuned(arm_depth=1), **where)
    assert isinstance(after, Run)
    assert after.identity["engine"]["ranking"]["arm_depth"] == 1

    compared = evals.compare(before, after)
    assert isinstance(compared, Comparison)
    assert [change[0] for change in compared.changes] == ["engine.ranking.arm_depth"]
    frame = compared.frame
    assert frame.height == 2 * len(compared.family)
    row = frame.filter(query_id="q1", measure="recall_at_10").row(0, named=True)
    # Of two relevant turns one arm's single candidate can hold but one.
    assert row == {
        "query_id": "q1",
        "query_class": "why",
        "cluster": "move",
        "headline": True,
        "measure": "recall_at_10",
        "old": 1.0,
        "new": row["new"],
        "difference": row["new"] - 1.0,
    }
    assert compared.systems["fusion"].headline["recall_at_10"].paired.difference == pytest.approx(
        frame.filter(measure="recall_at_10")["difference"].mean()
    )

    write_baseline(record_of(before), tmp_path / "b.json")
    sources: list[tuple[Path, str | Record]] = [(before.path, str(after.path)), (tmp_path / "b.json", record_of(after))]
    for old, new in sources:
        assert evals.compare(old, new).frame.drop("query_id").equals(frame.drop("query_id"))
    with suite.open("a") as file:
        file.write('[gate]\nbaseline = "b.json"\n[gate.measures.mrr]\ntolerance = 0.1\n')
    assert evals.compare(before, after, suite=suite).family == ("mrr",)


def test_ablate(suite: Path, server: EmbeddedServer) -> None:
    finished = evals.ablate(suite, postgres=server.dsn("postgres"))
    assert finished.suite == "mini"
    assert finished.frame.height
    assert {variant.kind for variant in finished.variants} == {"full", "leave-one-out", "leave-one-in"}
    chosen = evals.load(suite)
    assert isinstance(chosen, Suite)
    tuned = evals.ablate(chosen.tuned(rrf_k=10), postgres=server.dsn("postgres"))
    assert {variant.ranking.rrf_k for variant in tuned.variants} == {10}


def test_incomparable_runs_have_an_empty_frame(suite: Path, tmp_path: Path, server: EmbeddedServer) -> None:
    chosen = evals.load(suite)
    assert isinstance(chosen, Suite)
    one, other = (evals.run(replace(chosen, seed=seed), out=tmp_path, postgres=server.dsn("postgres")) for seed in (1, 2))
    assert isinstance(one, Run)
    assert isinstance(other, Run)
    compared = evals.compare(one, other)
    assert compared.incomparable
    assert compared.frame.height == 0
    assert compared.frame.schema["difference"] == pl.Float64


def test_a_labelling_suite_runs_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nkind = "dates"\ndescription = "d"\nsets = ["skerrow"]\nsystems = ["iso"]\n')
    finished = evals.run(path, out=str(tmp_path / "runs"))
    assert isinstance(finished, LabelRun)
    assert finished.per_case.height
    assert read_any_run(finished.path).digest == finished.digest
    with pytest.raises(SuiteError, match="'mine' is no retrieval suite"):
        evals.run(path, determinism=True)
    with pytest.raises(RunDirectoryError, match="no rankings to compare"):
        evals.compare(finished.path, finished.path)


def test_the_five_lines_of_the_documentation_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: EmbeddedServer
) -> None:
    """On a corpus of three documents, and on the test run's server."""
    monkeypatch.setattr("evals.postgres._choose", lambda: server.dsn("postgres"))
    texts = [(ROOT / "README.md").read_text(), library.__doc__ or ""]
    snippets = [body for text in texts for body in re.findall(r"```python\n(from evals .*?)```", text, re.DOTALL)]
    assert len(snippets) == 2
    monkeypatch.chdir(tmp_path)
    write_skeleton(tmp_path / "small")
    (tmp_path / "skerrow.toml").write_text('name = "skerrow"\ncorpus = "./small"\n')
    for snippet in snippets:
        assert '"skerrow"' in snippet
        exec(compile(snippet.replace('"skerrow"', '"skerrow.toml"'), "documentation", "exec"), {})
    assert len([*tmp_path.glob("runs/skerrow-*")]) == 2
