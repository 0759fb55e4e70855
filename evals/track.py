"""The tracking store: a run directory logged to MLflow, as often as one likes, always as one MLflow run.

Tracking is the last step and reads only the run directory, so it can be repeated, and its failure costs
nothing.
"""

from __future__ import annotations

import fcntl
import os
import re
import time
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from evals import ablation_dir
from evals.ablation_dir import Ablation
from evals.ablation_frame import ALL, APART
from evals.labels.rundir import read_any_run
from evals.report import flatten
from evals.rundir import identity_digest
from illumina.errors import IlluminaError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mlflow import MlflowClient
    from mlflow.entities import Run as MlflowRun

    from evals.labels.measure import Counted
    from evals.labels.rundir import LabelRun
    from evals.measure import Group
    from evals.rundir import Run

_SQLITE: Final = "sqlite:///"
_LONGEST_KEY: Final = 250
_LONGEST_VALUE: Final = 6000
_BATCH: Final = 100


class TrackingError(IlluminaError):
    """The run could not be logged to MLflow; its directory is complete, so log it again later."""


def log_run(run_dir: Path, tracking_uri: str | None = None) -> str:
    """Log a run directory, or that of an ablation, to MLflow and return the id of its MLflow run.

    The experiment is the suite, the run is found again by its tag `illumina.digest`; metrics are named
    `system/measure`, `system/class/measure` and, for what is reported apart, `system/apart/class/measure`;
    the ends of a headline interval end in `_low` and `_high`. What is too long for a parameter is in the
    artifact `run/manifest.json`. An ablation or a sweep has a child run for each variant, with its means named in the same
    way and their distances from the full engine's ending in `_delta`.

    Args:
        run_dir: What `evals.rundir.write_run` or `evals.ablation_dir.write_ablation` returned.
        tracking_uri: An MLflow tracking URI; if None, what MLFLOW_TRACKING_URI says, or else SQLite in
            `mlflow.db` beside the run directory. With SQLite the artifacts lie in `mlartifacts` beside the
            database.

    Raises:
        RunDirectoryError: The directory is not a complete run.
        TrackingError: MLflow failed. The run directory is unharmed.
    """
    run = _read(run_dir)
    uri = tracking_uri or os.environ.get("MLFLOW_TRACKING_URI") or f"{_SQLITE}{run_dir.resolve().parent / 'mlflow.db'}"
    # Read by MLflow at import and when a client is made: no usage report may leave the machine.
    os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
    os.environ["DO_NOT_TRACK"] = "true"
    # Its own seven retries keep one waiting for minutes before a server that is down is called down.
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "1")
    try:
        with _alone(uri), warnings.catch_warnings():
            # MLflow 3 uses a loader that SQLAlchemy 2.1 deprecates; nothing here can choose another.
            warnings.filterwarnings("ignore", message="The ``noload`` loader strategy is deprecated")
            return _log_ablation(run, run_dir, uri) if isinstance(run, Ablation) else _log(run, uri)
    except Exception as error:  # MLflow lets through whatever its backend raises
        mend = f"its directory is complete, so log it later with `illumina-eval log {run_dir}`"
        reason = str(error).partition("\n")[0]  # a database's goes on with the statement
        raise TrackingError(f"{run_dir.name} could not be logged to {uri} ({reason}); {mend}") from error


@contextmanager
def _alone(uri: str) -> Iterator[None]:
    """Nobody else logs into a local database meanwhile: MLflow makes its tables without looking who else does."""
    if not uri.startswith(_SQLITE):
        yield
        return
    with Path(f"{uri.removeprefix(_SQLITE)}.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _read(path: Path) -> Run | LabelRun | Ablation:
    if ablation_dir.holds(path):
        return ablation_dir.read_ablation(path)
    return read_any_run(path)


def _log(run: Run | LabelRun, uri: str) -> str:
    # Three seconds of import that only tracking needs.
    from mlflow import MlflowClient  # noqa: PLC0415

    client = MlflowClient(tracking_uri=uri)
    experiment_id = _experiment(client, run.suite, uri)
    mlflow_run = _found_or_made(client, experiment_id, run.digest, run.path.resolve().name)
    _send(client, mlflow_run, _metrics(run), run.identity, _tags(run))
    client.log_artifacts(mlflow_run.info.run_id, str(run.path), artifact_path="run")
    client.set_terminated(mlflow_run.info.run_id)
    return str(mlflow_run.info.run_id)


def _log_ablation(ablation: Ablation, path: Path, uri: str) -> str:
    from mlflow import MlflowClient  # noqa: PLC0415

    client = MlflowClient(tracking_uri=uri)
    experiment_id = _experiment(client, ablation.suite, uri)
    digest = identity_digest(ablation.identity)
    name = path.resolve().name
    parent = _found_or_made(client, experiment_id, digest, name)
    shared = {key: value for key, value in ablation.identity.items() if key != "variants"}
    _send(client, parent, {}, shared, {"illumina.digest": digest})
    for number, variant in enumerate(ablation.variants):
        child = _found_or_made(client, experiment_id, f"{digest}/{number}", f"{variant.kind} {variant.name}")
        tags = {"mlflow.parentRunId": parent.info.run_id, "illumina.digest": f"{digest}/{number}"}
        metrics: dict[str, float] = {}
        of_variant = (pl.col("kind") == variant.kind) & (pl.col("variant") == variant.name)
        for row in ablation.frame.filter(of_variant).iter_rows(named=True):
            name = row["query_class"].removeprefix(APART)
            prefix = APART if name != row["query_class"] else ""
            key = f"{row['system']}/{'' if name == ALL else f'{prefix}{_name(name)}/'}{row['measure']}"
            metrics |= {key: row["value"], f"{key}_delta": row["delta"]}
        _send(client, child, metrics, variant.describe(), tags)
        client.set_terminated(child.info.run_id)
    client.log_artifacts(parent.info.run_id, str(path), artifact_path="run")
    client.set_terminated(parent.info.run_id)
    return str(parent.info.run_id)


def _found_or_made(client: MlflowClient, experiment_id: str, digest: str, name: str) -> MlflowRun:
    found = client.search_runs([experiment_id], filter_string=f"tags.`illumina.digest` = '{digest}'")
    return found[0] if found else client.create_run(experiment_id, run_name=name)


def _send(
    client: MlflowClient, to: MlflowRun, values: Mapping[str, float], named: Mapping[str, Any], tagged: Mapping[str, str]
) -> None:
    from mlflow.entities import Metric, Param, RunTag  # noqa: PLC0415

    now = time.time_ns() // 1_000_000
    # A metric is a series in MLflow: only a changed value is news.
    metrics = [Metric(key, value, now, 0) for key, value in values.items() if to.data.metrics.get(key) != value]
    params = [
        Param(_name(key), text) for key, text in flatten(named) if len(key) <= _LONGEST_KEY and len(text) <= _LONGEST_VALUE
    ]
    tags = [RunTag(key, value) for key, value in tagged.items()]
    for start in range(0, max(len(metrics), len(params), len(tags)), _BATCH):
        part = slice(start, start + _BATCH)
        client.log_batch(to.info.run_id, metrics=metrics[part], params=params[part], tags=tags[part])


def _experiment(client: MlflowClient, suite: str, uri: str) -> str:
    experiment = client.get_experiment_by_name(suite)
    if experiment is not None:
        return str(experiment.experiment_id)
    # Left to itself MLflow would put the artifacts of a local database into the working directory.
    beside = Path(uri.removeprefix(_SQLITE)).resolve().parent / "mlartifacts"
    location = beside.as_uri() if uri.startswith(_SQLITE) else None
    return str(client.create_experiment(suite, artifact_location=location))


def _tags(run: Run | LabelRun) -> dict[str, str]:
    fingerprints = {f"illumina.{_name(key)}": text for key, text in flatten(run.identity) if "fingerprint" in key}
    return {
        "illumina.digest": run.digest,
        "illumina.result_digest": run.result_digest,
        "illumina.corpus_digest": run.corpus_digest,
        "illumina.floors_met": str(all(floor.met for floor in run.floors)).lower(),
        "illumina.checks_passed": str(not any(check.failed for check in run.checks)).lower(),
        **fingerprints,
    }


def _metrics(run: Run | LabelRun) -> dict[str, float]:
    out: dict[str, float] = {}

    def add(prefix: str, group: Group | Counted) -> None:
        for measure, estimate in group.measures.items():
            if estimate.mean is not None:
                out[f"{prefix}/{measure}"] = estimate.mean

    for system, found in run.summary.systems.items():
        add(system, found.headline)
        for measure, estimate in found.headline.measures.items():
            if estimate.low is not None and estimate.high is not None:
                out[f"{system}/{measure}_low"] = estimate.low
                out[f"{system}/{measure}_high"] = estimate.high
        classes: Mapping[str, Mapping[str, Group] | Mapping[str, Counted]] = {"": found.classes, APART: found.apart}
        for prefix, groups in classes.items():
            for name, group in groups.items():
                add(f"{system}/{prefix}{_name(name)}", group)
    return out


def _name(text: str) -> str:
    """A name that MLflow accepts within a key."""
    return re.sub(r"[^\w.\- ]", "_", text)
