"""A test of the harness: it catches what is broken on purpose in a copy of the engine, and says which query shows it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import illumina
from evals import rundir
from evals.baseline import read_baseline, record_of, write_baseline
from evals.comparison import compare
from evals.gate import Verdict, judge
from evals.rundir import read_run, write_run
from evals.types import Ranking, RunData
from tests.evals.seeded import harness
from tests.evals.seeded.corpus import SUITE, seeded_corpus
from tests.evals.seeded.faults import FAULTS, Edit, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evals.gate import Judgement
    from illumina.store.embedded import EmbeddedServer

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Bench:
    """Copies the engine, breaks the copy, and runs the harness on it."""

    folder: Path
    dsn: str
    baseline: Path

    def run(self, name: str, edits: tuple[Edit, ...] = ()) -> dict[str, Any]:
        """What `harness` found, in a process that imports the copy."""
        root = self.folder / name
        shutil.copytree(Path(illumina.__file__).parent, root / "illumina", ignore=shutil.ignore_patterns("__pycache__"))
        for edit in edits:
            path = root / "illumina" / edit.path
            source = path.read_text(encoding="utf-8")
            count = source.count(edit.old)
            assert count == 1, (
                f"{name}: illumina/{edit.path} has this text {count} times, not once; the engine moved on, so bring the fault "
                f"in tests/evals/seeded/faults.py up to date:\n{edit.old}"
            )
            path.write_text(source.replace(edit.old, edit.new), encoding="utf-8")
        output = root / "found.json"
        done = subprocess.run(
            [sys.executable, harness.__file__, self.dsn, str(root / "illumina"), str(output)],
            env={**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{ROOT}", "PYTHONSAFEPATH": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(output.read_text())
        return found

    def run_directory(self, name: str, found: dict[str, Any], identity: dict[str, Any]) -> Path:
        """The run of what was found, under an identity."""
        rankings = [
            Ranking(**{**row, "units": tuple(row["units"]), "scores": tuple(row["scores"])}) for row in found["rankings"]
        ]
        return write_run(self.folder / "runs" / name, RunData("seeded", seeded_corpus(), rankings, [], identity, {}))

    def judge(self, name: str, found: dict[str, Any]) -> Judgement:
        """The gate's judgement, the fingerprint of the changed source ignored: by what the engine does."""
        baseline = read_baseline(self.baseline)
        run = self.run_directory(name, found, dict(baseline.identity))
        return judge(compare(baseline, record_of(read_run(run)), family=["ndcg_at_10", "mrr"]), SUITE.policy)


@pytest.fixture(scope="module")
def bench(server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """With the baseline of the engine as it is."""
    made = tmp_path_factory.mktemp("seeded")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rundir, "write_reports", lambda _: None)  # nobody reads them, and they take longer than the rest
        bench = Bench(made, server.dsn("postgres"), made / "baseline.json")
        found = bench.run("baseline")
        run = bench.run_directory("baseline", found, found["identity"])
        write_baseline(record_of(read_run(run)), bench.baseline)
        yield bench


@pytest.fixture(scope="module")
def broken(bench: Bench, request: pytest.FixtureRequest) -> Iterator[dict[Fault, Future[dict[str, Any]]]]:
    """What the harness finds on the copy of each fault that is tested; two at a time, as the engine waits for the database."""
    calls = [getattr(item, "callspec", None) for item in request.session.items if item.path == request.path]
    faults = [call.params["fault"] for call in calls if call is not None]
    with ThreadPoolExecutor(2) as pool:
        yield {fault: pool.submit(bench.run, str(fault), fault.edits) for fault in faults}


def caught(bench: Bench, name: str, found: dict[str, Any]) -> dict[str, str | None]:
    """Each check that complains, and the query that it names, if it does."""
    known = "|".join(query.id for query in seeded_corpus().queries)

    def query_in(text: str) -> str | None:
        named = re.search(rf"\b({known})\b", text)
        return None if named is None else named[0]

    complaints = {level: query_in(query) for level, query in found["levels"] if query is not None}
    if found["errors"]:
        complaints["error"] = query_in(found["errors"][0])
    if found["rankings"]:
        judgement = bench.judge(name, found)
        if judgement.verdict != Verdict.IDENTICAL:
            assert judgement.exit_code
            complaints["gate"] = query_in("\n".join(finding.reason for finding in judgement.findings))
    return complaints


def test_the_engine_as_it_is_raises_no_alarm(bench: Bench) -> None:
    found = bench.run("control")
    assert found["levels"] == [[level, None] for level in harness.LEVELS]
    assert caught(bench, "control", found) == {}


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_the_harness_catches(fault: Fault, bench: Bench, broken: dict[Fault, Future[dict[str, Any]]]) -> None:
    complaints = caught(bench, str(fault), broken[fault].result())
    assert {check for check, query in complaints.items() if query is not None} >= fault.caught_by
    assert bool(complaints) == bool(fault.caught_by)


def test_a_fault_whose_place_is_gone_says_so(bench: Bench) -> None:
    with pytest.raises(AssertionError, match=r"settings\.py has this text 0 times, not once; the engine moved on"):
        bench.run("stale", (Edit("settings.py", "rrf_k: int = 61", "rrf_k: int = 10"),))
