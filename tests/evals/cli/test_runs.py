from __future__ import annotations

import errno
import json
import os
import re
import socket
from typing import TYPE_CHECKING

import pytest

from evals.errors import CorpusError, OutputError
from evals.rundir import read_run
from evals.track import TrackingError
from illumina.errors import IlluminaError
from tests.evals.cli.support import SUITE, invoke

if TYPE_CHECKING:
    from pathlib import Path

    from illumina.store.embedded import EmbeddedServer


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

    result = invoke("run", str(suite), "--out", str(out), "--postgres", server.dsn("postgres"), "--no-track")
    assert result.exit_code == 0, result.output
    assert result.output.count("made by the run of") == 1
    assert read_run(directory).checks == run.checks
    assert read_run(directory).environment["checked_by_run_of"] == run.environment["started"]

    before = (directory / "report.md").read_bytes()
    (directory / "report.md").unlink()
    assert invoke("report", str(directory)).exit_code == 0
    assert (directory / "report.md").read_bytes() == before

    first, second = invoke("log", str(directory)), invoke("log", str(directory))
    assert first.exit_code == second.exit_code == 0
    assert first.output == second.output


def test_a_tracking_server_that_is_down_costs_nothing(
    suite: Path, tmp_path: Path, server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # bound and not listening: whoever connects is refused
        monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://127.0.0.1:{nobody.getsockname()[1]}")
        result = invoke("run", str(suite), "--out", str(tmp_path / "runs"), "--postgres", server.dsn("postgres"))
        (directory,) = (tmp_path / "runs").glob("mini-*")
        assert result.exit_code == 0, result.output
        assert f"later with `illumina-eval log {directory}`" in result.output
        assert read_run(directory).summary.systems["lexical"].headline.queries == 2
        assert (directory / "report.html").is_file()
        again = invoke("log", str(directory))
    assert isinstance(again.exception, TrackingError), "to log was all that was asked for"


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


def test_an_unknown_suite_is_an_error_that_names_the_known_ones() -> None:
    result = invoke("run", "cores")
    assert isinstance(result.exception, IlluminaError)
    assert "causes, core-read, core, dates, locomo, names, " in str(result.exception)


def test_an_out_that_cannot_be_written_is_an_error_with_the_mend(suite: Path, tmp_path: Path, server: EmbeddedServer) -> None:
    (tmp_path / "file").write_text("precious")
    for out, why in ((tmp_path / "file", "a file is in the way"), ("/proc/x", ".*")):
        for command in (["run", str(suite)], ["run", "names"], ["ablate", str(suite)]):
            database = [] if "names" in command else ["--postgres", server.dsn("postgres")]
            result = invoke(*command, "--no-track", "--out", str(out), *database)
            assert isinstance(result.exception, OutputError), result.output
            assert re.fullmatch(rf"{out}\S* cannot be written \({why}\): pass another --out\.", str(result.exception))
    assert (tmp_path / "file").read_text() == "precious"


def test_a_disk_that_fills_during_a_run_leaves_what_was_answered(
    suite: Path, tmp_path: Path, server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "runs"
    command = ["run", str(suite), "--no-track", "--out", str(out), "--postgres", server.dsn("postgres")]

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("evals.rundir.write_json", full)
        result = invoke(*command)
    assert isinstance(result.exception, OutputError)
    assert str(result.exception) == f"No space is left to write {out}: free space and run the same command again."
    assert [path.name.startswith(".partial-mini-") for path in out.iterdir()] == [True]
    result = invoke(*command)
    assert result.exit_code == 0, result.output
    (directory,) = out.iterdir()
    assert read_run(directory).environment["taken_up"] == 9, "three questions in three systems"


@pytest.mark.parametrize("command", ["plan", "run"])
def test_a_corpus_without_parts(command: str, suite: Path) -> None:
    for name, corpus in (("skerrow", "skerrow"), (str(suite), "mini")):
        result = invoke(command, name, "--part", "zzz")
        assert isinstance(result.exception, CorpusError)
        assert str(result.exception) == f"{corpus} has no parts: leave out --part."
