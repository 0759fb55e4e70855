from __future__ import annotations

import dataclasses
import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from evals.ablation_dir import Ablation, write_ablation
from evals.ablation_frame import SCHEMA
from evals.rundir import Check, read_run, write_run
from evals.track import TrackingError, log_run
from evals.types import Corpus, Query, Ranking, RunData
from evals.variants import grid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mlflow.entities import Run as MlflowRun


def data(depth: int = 50, *, hit: bool = True) -> RunData:
    queries = [
        Query(f"q{number}", "text", "apart: a/b" if number == 3 else "temporal", "ns", f"c{number}", number != 3)
        for number in range(4)
    ]
    rankings = [
        Ranking(query.id, system, ("u",) if hit else ("v",), (1.0,)) for system in ("fusion", "lexical") for query in queries
    ]
    corpus = Corpus("toy", "segment", {}, queries, {query.id: {"u": 1} for query in queries}, {}, "c0ffee")
    identity = {"embedder": {"fingerprint": "f00d"}, "depth": depth, "long": "x" * 7000}
    return RunData("toy", corpus, rankings, [], identity, {})


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One directory, and so one store, for all tests: making a store's tables takes ten seconds."""
    return tmp_path_factory.mktemp("out")


def runs(out: Path) -> list[MlflowRun]:
    return runs_at(f"sqlite:///{out / 'mlflow.db'}")


def runs_at(uri: str) -> list[MlflowRun]:
    with warnings.catch_warnings():
        # The same warning of MLflow's that evals.track explains.
        warnings.filterwarnings("ignore", message="The ``noload`` loader strategy is deprecated")
        from mlflow import MlflowClient  # noqa: PLC0415 - after the filter above

        client = MlflowClient(tracking_uri=uri)
        experiment = client.get_experiment_by_name("toy")
        assert experiment is not None
        return list(client.search_runs([experiment.experiment_id]))


def test_a_run_is_read_back_as_it_was_written(out: Path) -> None:
    path = write_run(out, data(), checks=[Check("L1", passed=True)], floors={"fusion/mrr": 2.0})
    run_id = log_run(path)
    (logged,) = [item for item in runs(out) if item.info.run_id == run_id]
    run = read_run(path)
    assert logged.info.run_name == path.name
    assert logged.info.status == "FINISHED"
    tags = logged.data.tags
    assert tags["illumina.digest"] == run.digest
    assert tags["illumina.result_digest"] == run.result_digest
    assert tags["illumina.embedder.fingerprint"] == "f00d"
    assert (tags["illumina.floors_met"], tags["illumina.checks_passed"]) == ("false", "true")
    assert logged.data.params == {"depth": "50", "embedder.fingerprint": "f00d"}
    metrics = logged.data.metrics
    assert metrics["fusion/ndcg_at_10"] == 1.0
    assert metrics["fusion/ndcg_at_10_low"] == 1.0
    assert metrics["lexical/temporal/recall_at_5"] == 1.0
    assert metrics["fusion/apart/apart_ a_b/mrr"] == 1.0
    artifacts = out / "mlartifacts" / run_id / "artifacts" / "run"
    assert (artifacts / "manifest.json").read_bytes() == (path / "manifest.json").read_bytes()
    assert {file.name for file in artifacts.iterdir()} == {file.name for file in path.iterdir()}


def test_logging_again_updates_the_same_run(out: Path) -> None:
    first = log_run(write_run(out, data(51)))
    before = len(runs(out))
    again = log_run(write_run(out, data(51, hit=False)))
    assert again == first
    assert len(runs(out)) == before
    (logged,) = [item for item in runs(out) if item.info.run_id == first]
    assert logged.data.metrics["fusion/mrr"] == 0.0
    other = log_run(write_run(out, data(52)))
    assert other != first
    assert len(runs(out)) == before + 1


def test_two_at_once_log_one_after_the_other(out: Path) -> None:
    """MLflow makes its tables without looking who else does: the second of two first runs failed."""
    path = write_run(out, data(54))
    with (out / "mlflow.db.lock").open("w", encoding="utf-8") as other, ThreadPoolExecutor(1) as pool:
        fcntl.flock(other, fcntl.LOCK_EX)
        waiting = pool.submit(log_run, path)
        with pytest.raises(TimeoutError):
            waiting.result(0.5)
        fcntl.flock(other, fcntl.LOCK_UN)
        assert waiting.result(60) in {run.info.run_id for run in runs(out)}


@pytest.mark.parametrize("uri", ["sqlite:////proc/nowhere/mlflow.db", "nonsense://x"])
def test_an_unusable_store_is_one_clear_error_and_the_run_is_unharmed(out: Path, uri: str) -> None:
    path = write_run(out, dataclasses.replace(data(53), suite="other"))
    before = {file.name: file.read_bytes() for file in path.iterdir()}
    with pytest.raises(TrackingError, match="complete, so log it later with `illumina-eval log "):
        log_run(path, uri)
    assert {file.name: file.read_bytes() for file in path.iterdir()} == before


def toy_sweep(out: Path) -> Path:
    """The directory of a sweep of three variants."""
    variants = grid({"rrf_k": [10, 30]})
    rows = [
        {
            **dict.fromkeys(SCHEMA),
            "kind": variant.kind,
            "variant": variant.name,
            "system": "fusion",
            "measure": "mrr",
            "query_class": query_class,
            "queries": 4,
            "value": 0.5 + number / 10,
            "delta": number / 10,
            **({} if variant.kind == "full" else {"p": 0.5, "adjusted_p": 0.5}),
        }
        for number, variant in enumerate(variants)
        for query_class in ("all", "why", "apart/a/b")
    ]
    identity = {"engine": {"ranking": {"rrf_k": 60}}, "variants": [variant.describe() for variant in variants]}
    ablation = Ablation("toy", "sweep", "mrr", variants, identity, {}, pl.DataFrame(rows, schema=dict(SCHEMA)))
    return write_ablation(out, ablation)


def test_an_ablation_is_a_run_with_a_child_for_each_variant(out: Path) -> None:
    path = toy_sweep(out)
    before = len(runs(out))
    parent = log_run(path)
    assert log_run(path) == parent
    assert len(runs(out)) == before + 4
    children = [item for item in runs(out) if item.data.tags.get("mlflow.parentRunId") == parent]
    named = {item.info.run_name: item.data for item in children}
    assert sorted(named) == ["full rrf_k=60", "sweep rrf_k=10", "sweep rrf_k=30"]
    assert {item.info.status for item in children} == {"FINISHED"}
    assert named["sweep rrf_k=30"].params["ranking.rrf_k"] == "30"
    figures = {"fusion/mrr": 0.7, "fusion/why/mrr": 0.7, "fusion/apart/a_b/mrr": 0.7}
    assert named["sweep rrf_k=30"].metrics == figures | {f"{key}_delta": 0.2 for key in figures}
    (logged,) = [item for item in runs(out) if item.info.run_id == parent]
    assert logged.data.params == {"engine.ranking.rrf_k": "60"}
    artifacts = Path(logged.info.artifact_uri.removeprefix("file://")) / "run"
    assert {file.name for file in artifacts.iterdir()} == {file.name for file in path.iterdir()}


def test_nothing_is_reported_home(out: Path) -> None:
    path = write_run(out, data(54))
    code = (
        "import sys; from pathlib import Path; from evals.track import log_run; log_run(Path(sys.argv[1]));"
        "from mlflow.telemetry.utils import is_telemetry_disabled; print(is_telemetry_disabled())"
    )
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MLFLOW", "DO_NOT"))}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert done.stdout.strip() == "True"


@pytest.fixture(scope="module")
def tracking_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real `mlflow server` of this module's own: its database and its artifacts are files that go with it."""
    home = tmp_path_factory.mktemp("server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    uri = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    stores = ["--backend-store-uri", f"sqlite:///{home / 'mlflow.db'}", "--artifacts-destination", str(home / "artifacts")]
    quiet = {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, *stores], cwd=home, env=os.environ | quiet, stdout=log, stderr=log, start_new_session=True
        )
        try:
            wait_until_healthy(process, uri, home / "log")
            yield uri
        finally:
            # A session of its own: whatever the server started goes with it.
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def wait_until_healthy(process: subprocess.Popen[bytes], uri: str, log: Path) -> None:
    deadline = time.monotonic() + 180
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{uri}/health", timeout=5) as answer:
                assert answer.read() == b"OK"
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"mlflow server did not start:\n{log.read_text()[-3000:]}")


class TestServer:
    def test_runs_are_read_back_through_a_real_server_and_nothing_is_doubled(
        self, out: Path, tracking_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from mlflow import MlflowClient  # noqa: PLC0415 - three seconds that only these tests need

        path = write_run(out, data(60), checks=[Check("L1", passed=True)], floors={"fusion/mrr": 0.5})
        first = log_run(path, tracking_server)
        monkeypatch.setenv("MLFLOW_TRACKING_URI", tracking_server)
        assert log_run(path) == first, "the environment names the server as well"
        second = log_run(write_run(out, data(61, hit=False)))
        found = {item.info.run_id: item for item in runs_at(tracking_server)}
        assert set(found) == {first, second}

        logged, run = found[first], read_run(path)
        assert logged.info.run_name == path.name
        assert logged.info.status == "FINISHED"
        tags = {key: value for key, value in logged.data.tags.items() if key.startswith("illumina.")}
        assert tags == {
            "illumina.digest": run.digest,
            "illumina.result_digest": run.result_digest,
            "illumina.corpus_digest": run.corpus_digest,
            "illumina.embedder.fingerprint": "f00d",
            "illumina.floors_met": "true",
            "illumina.checks_passed": "true",
        }
        assert logged.data.metrics["fusion/temporal/ndcg_at_10"] == 1.0
        assert logged.data.metrics["fusion/ndcg_at_10_low"] == 1.0
        assert found[second].data.metrics["fusion/temporal/ndcg_at_10"] == 0.0
        client = MlflowClient(tracking_uri=tracking_server)
        assert [experiment.name for experiment in client.search_experiments(filter_string="name = 'toy'")] == ["toy"]
        assert len(client.get_metric_history(first, "fusion/mrr")) == 1
        kept = Path(client.download_artifacts(first, "run", str(tmp_path)))
        assert {file.name: file.read_bytes() for file in kept.iterdir()} == {
            file.name: file.read_bytes() for file in path.iterdir()
        }

    def test_a_sweep_is_a_parent_with_its_variants_below_it(self, out: Path, tracking_server: str) -> None:
        path = toy_sweep(out)
        parent = log_run(path, tracking_server)
        before = len(runs_at(tracking_server))
        assert log_run(path, tracking_server) == parent
        found = runs_at(tracking_server)
        assert len(found) == before
        children = {item.info.run_name: item for item in found if item.data.tags.get("mlflow.parentRunId") == parent}
        assert sorted(children) == ["full rrf_k=60", "sweep rrf_k=10", "sweep rrf_k=30"]
        assert children["sweep rrf_k=30"].data.metrics["fusion/why/mrr_delta"] == 0.2
