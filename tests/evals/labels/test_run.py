"""From a suite's TOML to a run directory, its reports and MLflow, on a kind of the tests' own."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from evals.cli.commands import app
from evals.errors import SuiteError
from evals.labels import KINDS, rundir, runner
from evals.labels.causes import COLUMNS, MEASURES, CauseCase, cues, judge
from evals.labels.kinds import AnyKind, Kind, LabelledSet
from evals.labels.suite import LabelSuite, find_suites, load_suite
from evals.rundir import RunDirectoryError
from evals.track import log_run

if TYPE_CHECKING:
    from pathlib import Path

TOML = """
name = "mine"
kind = "causes"
description = "Ours."
sets = ["second", "first"]
systems = ["cues", "silent"]
"""
TEXTS = {
    "Floods <caused by> rain": "second",
    "Floods caused by rain": "second",
    "Rain | causes floods": "first",
    "Rain, floods": "first",
}


def cases(_data: Path | None) -> LabelledSet[CauseCase]:
    found = [
        CauseCase(
            f"c{number}",
            text,
            (0, 4),
            (len(text) - 4, len(text)),
            "second" if side == "second" else "first",
            f"g{number % 2}",
            text,
        )
        for number, (text, side) in enumerate(TEXTS.items())
    ]
    return LabelledSet("any", found, {"texts": len(found)})


@pytest.fixture
def suite_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def named(name: str) -> Any:
        return lambda data: LabelledSet(name, cases(data).cases, cases(data).counts)

    kind: AnyKind = Kind(
        "causes",
        sets={"first": named("first"), "second": named("second")},
        systems={"cues": cues, "silent": lambda _text: []},
        judge=judge,
        columns=COLUMNS,
        measures=MEASURES,
    )
    monkeypatch.setitem(KINDS, "causes", kind)
    path = tmp_path / "mine.toml"
    path.write_text(TOML)
    return path


def test_our_suites_take_every_set_and_system_of_their_kind() -> None:
    found = {suite.name: suite for suite in find_suites()}
    assert found.keys() == KINDS.keys()
    for name, suite in found.items():
        assert suite == load_suite(name)
        assert (suite.kind, suite.sets, suite.systems) == (name, tuple(KINDS[name].sets), tuple(KINDS[name].systems))


def test_a_suite_of_ones_own(suite_path: Path) -> None:
    suite_path.write_text(TOML + '[floors]\n"cues/first/recall" = 1\n')
    floors = {"cues/first/recall": 1.0}
    assert load_suite(suite_path) == LabelSuite("mine", "causes", "Ours.", ("second", "first"), ("cues", "silent"), floors)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "causes"', 'kind = "effects"', r"The kind is 'effects'\. Known are retrieval, dates, names, "),
        ('kind = "causes"', 'kind = "causes"\ndepth = 3', r"The key 'depth' is unknown\. Known are name, kind, "),
        ('name = "mine"', "", r"The key 'name' is missing"),
        ('name = "mine"', 'name = "a/b"', r"The name is 'a/b'; it names directories"),
        ('name = "mine"', "name = 3", r"name is 3; it must be a string"),
        ('["second", "first"]', "[]", r"sets is \[\]\. Name at least one of first, second, each once"),
        ('["second", "first"]', '["first", "first"]', r"each once"),
        ('["second", "first"]', '["third"]', r"each once"),
        ('["cues", "silent"]', '["loud"]', r"systems is \['loud'\]"),
        ('["cues", "silent"]', '["cues"]\n[floors]\n"cues/recall" = 1', r"floor 'cues/recall' is not of a system, a set and"),
        ('["cues", "silent"]', '["cues"]\n[floors]\n"silent/first/recall" = 1', r"is not of a system, a set and a measure"),
        ('["cues", "silent"]', '["cues"]\n[floors]\n"cues/first/recall" = 2', r"must be a number from 0 to 1"),
    ],
)
def test_a_wrong_suite_names_the_mend(suite_path: Path, old: str, new: str, message: str) -> None:
    assert old in TOML
    suite_path.write_text(TOML.replace(old, new))
    with pytest.raises(SuiteError, match=rf"mine\.toml: .*{message}"):
        load_suite(suite_path)


@pytest.fixture
def run(suite_path: Path, tmp_path: Path) -> rundir.LabelRun:
    return rundir.read_run(runner.run(load_suite(suite_path), data=None, out=tmp_path / "runs"))


def test_figures(run: rundir.LabelRun) -> None:
    assert list(run.summary.systems) == ["cues/second", "cues/first", "silent/second", "silent/first"]
    found = run.summary.systems["cues/first"]
    assert found.headline.counts == {"gold": 4, "predicted": 3, "right": 3, "found": 3, "elsewhere": 0}
    means = {name: estimate.mean for name, estimate in found.headline.measures.items()}
    assert means == {"precision": 1.0, "recall": 0.75, "f1": pytest.approx(6 / 7), "direction_accuracy": 1.0}
    recall = found.headline.measures["recall"]
    assert recall.low is not None
    assert recall.high is not None
    assert recall.low < 0.75 < recall.high
    assert {name: (group.cases, group.counts["right"]) for name, group in found.classes.items()} == {"g0": (2, 2), "g1": (2, 1)}
    silent = run.summary.systems["silent/first"].headline.measures
    assert (silent["precision"].mean, silent["recall"].mean) == (None, 0.0)
    assert run.cases["first", "c0"] == ("Floods <caused by> rain", "rain → Floo")
    assert run.answers["cues", "first", "c1"] == " rain → Floods "


def test_the_same_suite_gives_the_same_run(run: rundir.LabelRun, suite_path: Path, tmp_path: Path) -> None:
    again = runner.run(load_suite(suite_path), data=None, out=tmp_path / "other")
    for name in ("summary.json", "cases.jsonl", "answers-cues.jsonl", "answers-silent.jsonl", "per_case.parquet"):
        assert (again / name).read_bytes() == (run.path / name).read_bytes()
    assert again.name == run.path.name
    one, other = (json.loads((path / "manifest.json").read_text()) for path in (again, run.path))
    assert (one["identity"], one["result_digest"]) == (other["identity"], other["result_digest"])
    assert [path.name for path in run.path.parent.iterdir()] == [run.path.name]


def test_reports(run: rundir.LabelRun) -> None:
    markdown, html = ((run.path / f"report.{suffix}").read_text(encoding="utf-8") for suffix in ("md", "html"))
    assert markdown.index("## second") < markdown.index("## first")
    row = next(line for line in markdown.splitlines() if line.startswith("| all | cues "))
    assert row.startswith("| all | cues | 4 | 4 | 1.000 (1.000–1.000) | 0.750 (")
    assert row.endswith(" | 4 | 3 | 3 | 3 | 0 |")
    assert "measured, not judged" in markdown
    assert "Floods &lt;caused by&gt; rain" in html
    assert "<caused" not in html
    assert "://" not in html


@pytest.mark.parametrize("file", ["summary.json", "cases.jsonl", "answers-cues.jsonl"])
def test_a_damaged_directory(run: rundir.LabelRun, file: str) -> None:
    (run.path / file).write_text("x\n")
    with pytest.raises(RunDirectoryError, match="is not a complete run"):
        rundir.read_run(run.path)


def test_the_command(suite_path: Path, tmp_path: Path) -> None:
    suite_path.write_text(TOML + '[floors]\n"cues/first/recall" = 0.7\n"silent/first/precision" = 0.5\n')
    out = tmp_path / "runs"
    result = CliRunner().invoke(app, ["run", str(suite_path), "--out", str(out), "--no-track"])
    assert result.exit_code == 1
    assert "floor missed: silent first/precision is without a value, below 0.5" in result.output
    assert "cues/first" in result.output
    (directory,) = out.iterdir()
    assert "1 of 2 floors met" in (directory / "report.html").read_text(encoding="utf-8")
    (directory / "report.md").unlink()
    result = CliRunner().invoke(app, ["report", str(directory)])
    assert result.exit_code == 0
    assert "**Missed** `silent/first/precision`: –, floor 0.500" in (directory / "report.md").read_text(encoding="utf-8")


def test_a_part_is_for_retrieval(suite_path: Path) -> None:
    result = CliRunner().invoke(app, ["run", str(suite_path), "--part", "first"])
    assert isinstance(result.exception, SuiteError)
    assert "has no parts" in str(result.exception)


def test_tracking(run: rundir.LabelRun) -> None:
    run_id = log_run(run.path)
    with warnings.catch_warnings():
        # The same warning of MLflow's that evals.track explains.
        warnings.filterwarnings("ignore", message="The ``noload`` loader strategy is deprecated")
        from mlflow import MlflowClient  # noqa: PLC0415 - after the filter above

        tracked = MlflowClient(tracking_uri=f"sqlite:///{run.path.parent / 'mlflow.db'}").get_run(run_id)
    assert tracked.data.metrics["cues/first/recall"] == 0.75
    assert tracked.data.metrics["cues/first/g1/recall"] == 0.5
    assert tracked.data.tags["illumina.digest"] == run.digest
