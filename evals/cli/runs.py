"""Run suites; render and log what they wrote."""

from pathlib import Path
from typing import Annotated

import typer

from evals.cli import show
from evals.cli.options import Data, Out, Part, Postgres, RunDirectory, SuiteArgument


def run(
    suite: SuiteArgument,
    *,
    data: Data = None,
    out: Out = Path("runs"),
    postgres: Postgres = "auto",
    part: Part = None,
    determinism: Annotated[bool, typer.Option("--determinism", help="Check the suite's levels of determinism too.")] = False,
    track: Annotated[bool, typer.Option(help="Log the finished run to MLflow.")] = True,
) -> None:
    """Replay a suite's corpus, score the rankings, write a report, and log the run; or judge a labelling suite's systems."""
    from evals import runner
    from evals.errors import SuiteError
    from evals.journal import Interrupted
    from evals.rundir import read_run
    from evals.suite import RETRIEVAL, kind_of, load_suite

    if kind_of(suite) != RETRIEVAL:
        if part is not None or determinism:
            raise SuiteError(f"The suite {suite!r} is no retrieval suite: it has no parts and no levels of determinism.")
        _run_labels(suite, data=data, out=out, track=track)
        return
    chosen = load_suite(suite).part(part)
    levels = chosen.determinism if determinism else ()
    try:
        directory = runner.run(chosen, data=data, out=out, postgres=postgres, levels=levels)
    except Interrupted as stopped:
        typer.echo(stopped, err=True)
        raise
    finished = read_run(directory)
    show.headline(finished)
    show.reports(directory / "report.md")
    if track:
        _log(directory, None)
    missed = show.missed_floors(finished)
    if missed or any(check.failed for check in finished.checks):
        raise typer.Exit(1)


def report(directory: RunDirectory) -> None:
    """Render the reports of a run directory again, without engine or corpus."""
    from evals.labels import report as labels
    from evals.labels import rundir
    from evals.report import write_reports
    from evals.rundir import read_run

    if rundir.holds(directory):
        labelled = rundir.read_run(directory)
        labels.write_reports(labelled)
        typer.echo("\n".join(labels.headline(labelled)))
    else:
        finished = read_run(directory)
        write_reports(finished)
        show.headline(finished)
    show.reports(directory / "report.md")


def log(
    directory: RunDirectory,
    *,
    tracking_uri: Annotated[
        str | None, typer.Option(envvar="MLFLOW_TRACKING_URI", help="Default: SQLite beside the run directories.")
    ] = None,
) -> None:
    """Log a run directory to MLflow; doing it again doubles nothing."""
    _log(directory, tracking_uri)


def _run_labels(suite: str, *, data: Path | None, out: Path, track: bool) -> None:
    from evals.labels import report, rundir, runner
    from evals.labels.suite import load_suite

    directory = runner.run(load_suite(suite), data=data, out=out)
    finished = rundir.read_run(directory)
    typer.echo("\n".join(report.headline(finished)))
    show.reports(directory / "report.md")
    if track:
        _log(directory, None)
    if show.missed_floors(finished):
        raise typer.Exit(1)


def _log(directory: Path, tracking_uri: str | None) -> None:
    from evals.track import log_run

    typer.echo(f"mlflow  run {log_run(directory, tracking_uri)}")
