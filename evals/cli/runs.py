"""Run suites; render and log what they wrote."""

from pathlib import Path
from typing import Annotated

import typer

from evals.cli import show
from evals.cli.options import Data, Out, Part, Postgres, RunDirectory, SuiteArgument


def plan(suite: SuiteArgument, *, data: Data = None, part: Part = None) -> None:
    """Say what a run would do and be, without a database and without a model."""
    from evals.plan import plan as plan_suite
    from evals.report import flatten
    from evals.suite import load_suite
    from evals.wording import counted

    chosen = load_suite(suite).part(part)
    work = plan_suite(chosen, data=data)
    levels = f"{work.determinism_embeddings:,} texts more are embedded" if work.levels else "none"
    typer.echo(f"{work.suite}: {work.digest[:12]}\n")
    typer.echo(
        f"corpus       {work.corpus}: {counted(work.documents, 'documents')}, {counted(work.facts, 'facts')}, "
        f"{counted(work.queries, 'queries')}"
    )
    typer.echo(f"systems      {', '.join(work.systems)}: {counted(len(work.systems) * work.queries, 'rankings')}")
    typer.echo(f"embeddings   {counted(work.embeddings, 'texts')} ({chosen.engine.embeddings})")
    typer.echo(f"determinism  {', '.join((*work.levels, levels))}\n")
    typer.echo("identity")
    for key, text in flatten(work.identity):
        typer.echo(f"  {key:32} {text}")


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
    from evals import library
    from evals.journal import Interrupted

    try:
        finished = library.run(suite, data=data, out=out, postgres=postgres, part=part, determinism=determinism)
    except Interrupted as stopped:
        typer.echo(stopped, err=True)
        raise
    show.headline(finished)
    show.reports(finished.path / "report.md")
    if track:
        show.tracked(finished.path)
    missed = show.missed_floors(finished)
    if missed or any(check.failed for check in finished.checks):
        raise typer.Exit(1)


def report(directory: RunDirectory) -> None:
    """Render the reports of a run directory, or that of an ablation or a sweep, again, without engine or corpus."""
    from evals import ablation_dir
    from evals.files import writing
    from evals.labels import report as labels
    from evals.labels.rundir import LabelRun, read_any_run
    from evals.report import write_reports

    read_only = "make it writable."
    if ablation_dir.holds(directory):
        found = ablation_dir.read_ablation(directory)
        with writing(directory, read_only):
            ablation_dir.write_reports(directory, found)
    else:
        finished = read_any_run(directory)
        with writing(directory, read_only):
            if isinstance(finished, LabelRun):
                labels.write_reports(finished)
            else:
                write_reports(finished)
        show.headline(finished)
    show.reports(directory / "report.md")


def log(
    directory: RunDirectory,
    *,
    tracking_uri: Annotated[
        str | None, typer.Option(help="Default: MLFLOW_TRACKING_URI, or else SQLite beside the run directories.")
    ] = None,
) -> None:
    """Log a run directory, or that of an ablation or a sweep, to MLflow; doing it again doubles nothing."""
    show.logged(directory, tracking_uri)
