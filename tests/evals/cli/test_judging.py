from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING

import pytest

from evals.errors import OutputError, SuiteError
from evals.rundir import RunDirectoryError, read_run, write_run
from tests.evals.cli.support import SUITE, invoke
from tests.evals.test_rundir import data

if TYPE_CHECKING:
    from pathlib import Path

    from evals.types import RunData
    from illumina.store.embedded import EmbeddedServer

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


def test_what_is_no_run_directory_is_said_to_be_none(tmp_path: Path) -> None:
    nowhere = tmp_path / "runs" / "nowhere"
    result = invoke("gate", str(nowhere))
    assert (result.exit_code, result.output) == (5, f"\ninfra\n  There is no run directory {nowhere}.\n")
    for command in (["report", str(nowhere)], ["compare", str(nowhere), "x"], ["baseline", "nowhere"], ["log", "nowhere"]):
        result = invoke(*command)
        assert isinstance(result.exception, RunDirectoryError)
        assert str(result.exception) == f"There is no run directory {command[1]}."
    for suite in ("nowhere", str(tmp_path / "nowhere.toml")):
        assert str(invoke("gate", suite).exception).startswith(f"There is no suite {suite!r}. ")


@pytest.mark.parametrize("command", ["gate", "baseline"])
def test_a_run_of_a_suite_of_ones_own_needs_it_named(command: str, tmp_path: Path) -> None:
    run = write_run(tmp_path, retrieval("notes"))
    result = invoke(command, str(run))
    assert isinstance(result.exception, SuiteError)
    assert str(result.exception) == "The run is of the suite 'notes', which is none of ours: pass --suite FILE.toml."


def test_runs_of_two_suites_are_told_apart_and_each_reason_is_given_once(tmp_path: Path) -> None:
    old, new = (write_run(tmp_path / "runs", retrieval(name)) for name in ("notes", "skerrow"))
    digests = " → ".join(read_run(path).digest[:12] for path in (old, new))
    reason = "suite.name is notes in the old run and skerrow in the new one"
    about = f"corpus.digest is {'a' * 12} in the old run and {'b' * 12} in the new one"
    for command in (["compare", str(old), str(new)], ["compare", str(new), str(new)]):
        out = tmp_path / "reports" / command[1].rpartition("/")[2]
        result = invoke(*command, "--out", str(out))
        assert result.exit_code == 0, result.output
        markdown, html = (next(out.glob(f"*{suffix}")).read_text(encoding="utf-8") for suffix in (".md", ".html"))
        if command[1] == command[2]:
            assert "Latency by stage" in markdown, "as it does where the runs compare"
            continue
        assert result.output.startswith(f"notes → skerrow: {digests}\n")
        assert markdown.startswith("# notes → skerrow · ")
        assert "<h1>notes → skerrow <code>" in html
        for text in (result.output, markdown, html):
            assert text.count(reason) == text.count(about) == 1
        assert "Latency" not in markdown
        assert 'id="latency"' not in html


def test_reports_that_cannot_be_written(tmp_path: Path) -> None:
    run = write_run(tmp_path, retrieval("notes"))
    (tmp_path / "file").touch()
    result = invoke("compare", str(run), str(run), "--out", str(tmp_path / "file"))
    assert isinstance(result.exception, OutputError)
    assert str(result.exception).endswith("file cannot be written (a file is in the way): pass another --out.")


def retrieval(name: str) -> RunData:
    """A run of a suite with a corpus of its own."""
    digest = ("a" if name == "notes" else "b") * 64
    made = data()
    identity = {"suite": {"name": name}, "corpus": {"digest": digest}, "measure_version": 1}
    return dataclasses.replace(made, suite=name, identity=identity, corpus=dataclasses.replace(made.corpus, digest=digest))
