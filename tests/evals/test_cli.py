from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from evals.cli import app
from evals.rundir import read_run
from illumina.errors import IlluminaError

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result

    from illumina.store.embedded import EmbeddedServer

SUITE = """
name = "mini"
description = "Three documents."
corpus = "./mini"
measures = ["recall_at_5", "recall_at_10", "ndcg_at_10", "mrr"]
depth = 50
systems = ["fusion", "semantic", "lexical"]
seed = 1
determinism = ["L1", "L2", "L3"]
"""


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


@pytest.fixture
def suite(tmp_path: Path, mini_directory: Path) -> Path:
    path = mini_directory.parent / "mini.toml"
    path.write_text(SUITE)
    return path


def test_list_names_the_suites() -> None:
    result = invoke("list")
    assert result.exit_code == 0
    assert re.findall(r"^(\w+)", result.output, re.MULTILINE) == [
        *("core", "locomo", "qmsum", "realmem", "skerrow", "strategyqa", "timeqa"),
        *("causes", "dates", "names", "supersession"),
    ]


def test_run_report_and_log(suite: Path, tmp_path: Path, server: EmbeddedServer) -> None:
    out = tmp_path / "runs"
    result = invoke("run", str(suite), "--out", str(out), "--postgres", server.dsn("postgres"), "--determinism")
    assert result.exit_code == 0, result.output
    assert re.search(r"^lexical +2 +0\.750", result.output, re.MULTILINE)
    (directory,) = out.glob("mini-*")
    run = read_run(directory)
    assert run.qrels == {"q1": {"move#1": 1, "move#2": 3}, "q2": {"retries#1": 3}}
    assert run.rankings["lexical"]["q2"].units[0] == "retries#1"
    assert run.summary.systems["lexical"].headline.queries == 2
    assert [check.passed for check in run.checks] == [True, True, True]
    assert (out / "mlflow.db").is_file()

    before = (directory / "report.md").read_bytes()
    (directory / "report.md").unlink()
    assert invoke("report", str(directory)).exit_code == 0
    assert (directory / "report.md").read_bytes() == before

    first, second = invoke("log", str(directory)), invoke("log", str(directory))
    assert first.exit_code == second.exit_code == 0
    assert first.output == second.output


def test_two_runs_of_the_same_have_the_same_result(suite: Path, tmp_path: Path, server: EmbeddedServer) -> None:
    digests = set()
    for out in ("a", "b"):
        result = invoke("run", str(suite), "--out", str(tmp_path / out), "--postgres", server.dsn("postgres"), "--no-track")
        assert result.exit_code == 0, result.output
        (directory,) = (tmp_path / out).glob("mini-*")
        manifest = json.loads((directory / "manifest.json").read_text())
        digests.add((manifest["digest"], manifest["result_digest"], (directory / "run.tsv").read_bytes()))
    assert len(digests) == 1


@pytest.mark.parametrize(("floor", "code"), [(0.75, 0), (0.76, 1)])
def test_a_missed_floor_fails_the_run(floor: float, code: int, suite: Path, tmp_path: Path, server: EmbeddedServer) -> None:
    # q1 shares words with one of its two relevant turns, q2 with its only one: the mean is 0.75.
    suite.write_text(f'{SUITE}\n[floors]\n"lexical/recall_at_10" = {floor}\n')
    result = invoke("run", str(suite), "--out", str(tmp_path / "r"), "--postgres", server.dsn("postgres"), "--no-track")
    assert result.exit_code == code, result.output
    assert ("floor missed: lexical recall_at_10 is 0.750, below 0.76" in result.output) == bool(code)


def test_determinism_prints_a_line_for_each_level(suite: Path, server: EmbeddedServer) -> None:
    result = invoke("determinism", str(suite), "--postgres", server.dsn("postgres"))
    assert result.exit_code == 0, result.output
    assert len(re.findall(r"^L[123] .* identical  3 responses  [0-9a-f]{12}$", result.output, re.MULTILINE)) == 3


def test_validate_corpus_lists_every_problem(mini_directory: Path) -> None:
    assert "3 documents" in invoke("validate-corpus", str(mini_directory)).output
    queries = (mini_directory / "queries.jsonl").read_text()
    (mini_directory / "queries.jsonl").write_text(queries + '{"id": "q 4", "class": "why"}\n')
    result = invoke("validate-corpus", str(mini_directory), "--write-checksums")
    assert result.exit_code == 1
    assert "queries.jsonl:4" in result.output


def test_doctor_names_every_provider() -> None:
    result = invoke("doctor")
    assert result.exit_code == 0
    assert re.search(r"^embedded +available", result.output, re.MULTILINE)
    assert re.search(r"^testcontainers +(not )?available", result.output, re.MULTILINE)


def test_an_unknown_suite_is_an_error_that_names_the_known_ones() -> None:
    result = invoke("run", "cores")
    assert isinstance(result.exception, IlluminaError)
    assert "causes, core, dates, locomo, names, " in str(result.exception)


GATE = """
[gate]
baseline = "./baselines/mini.json"
[gate.measures.ndcg_at_10]
tolerance = 0.01
"""


def test_a_ranking_is_recorded_changed_refused_and_recorded_again(
    suite: Path, tmp_path: Path, server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.write_text(SUITE + GATE)
    out = ["--out", str(tmp_path / "reports")]
    result = invoke("gate", str(suite))
    assert result.exit_code == 5, result.output
    assert "infra" in result.output

    runs = tmp_path / "runs"
    assert invoke("run", str(suite), "--out", str(runs), "--postgres", server.dsn("postgres"), "--no-track").exit_code == 0
    (first,) = runs.glob("mini-*")
    result = invoke("baseline", str(first), "--suite", str(suite), *out)
    assert result.exit_code == 0, result.output
    committed = suite.parent / "baselines" / "mini.json"
    before = committed.read_bytes()
    assert invoke("gate", str(suite)).exit_code == 0
    result = invoke("gate", str(first), "--suite", str(suite), *out)
    assert (result.exit_code, "\nidentical\n" in result.output) == (0, True), result.output

    monkeypatch.setattr("evals.identity.code_fingerprint", lambda: "0" * 64)
    result = invoke("gate", str(suite))
    assert result.exit_code == 6
    assert "ranking changed without a recorded run (engine.code): run `illumina-eval run mini`" in result.output
    # The changed ranking answers q1 from the wrong document only.
    monkeypatch.setattr("evals.replay.unit_of", lambda result, _: f"{result.document}#{result.segment}".replace("move#", "x#"))
    assert invoke("run", str(suite), "--out", str(runs), "--postgres", server.dsn("postgres"), "--no-track").exit_code == 0
    (second,) = set(runs.glob("mini-*")) - {first}
    result = invoke("gate", str(second), "--suite", str(suite), *out)
    assert result.exit_code == 3, result.output
    assert "needs-ack: ndcg_at_10" in result.output
    result = invoke("baseline", str(second), "--suite", str(suite), *out)
    assert result.exit_code == 3, result.output
    assert committed.read_bytes() == before

    report = next((tmp_path / "reports").glob(f"mini-*-{read_run(second).digest[:12]}.md")).read_text()
    line = next(json.loads(line) for line in report.splitlines() if line.startswith("{"))
    (committed.parent / "mini.acknowledged.jsonl").write_text(json.dumps({**line, "reason": "Nobody asks that."}) + "\n")
    result = invoke("baseline", str(second), "--suite", str(suite), *out)
    assert result.exit_code == 0, result.output
    assert "acknowledged: ndcg_at_10" in result.output
    assert committed.read_bytes() != before
    assert invoke("gate", str(suite)).exit_code == 0

    result = invoke("compare", str(first), str(committed), *out)
    assert result.exit_code == 0, result.output
    assert re.search(r"^nDCG@10 +[\d.]+ +[\d.]+ +-0\.\d+ ", result.output, re.MULTILINE)
    (second / "manifest.json").unlink()
    assert invoke("gate", str(second), "--suite", str(suite), *out).exit_code == 5
