"""What several commands print."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from evals.comparison import Comparison
    from evals.gate import Judgement
    from evals.labels.rundir import LabelRun
    from evals.rundir import Floor, Run

MEASURE_NAMES = {"recall_at_": "recall@", "ndcg_at_": "nDCG@"}


def headline(finished: "Run | LabelRun") -> None:
    """The measures of each system over all queries or cases, and the checks."""
    from evals.labels import report as labels
    from evals.labels.rundir import LabelRun

    if isinstance(finished, LabelRun):
        typer.echo("\n".join(labels.headline(finished)))
        return
    names = list(next(iter(finished.summary.systems.values())).headline.measures)
    typer.echo(f"{finished.suite}: {finished.digest[:12]}\n")
    typer.echo(f"{'system':10} {'queries':>8}  " + "  ".join(f"{_measure_name(name):>10}" for name in names))
    for system, summary in finished.summary.systems.items():
        cells = []
        for name in names:
            mean = summary.headline.measures[name].mean
            cells.append(f"{'–' if mean is None else format(mean, '.3f'):>10}")
        typer.echo(f"{system:10} {summary.headline.queries:>8}  " + "  ".join(cells))
    for check in finished.checks:
        typer.echo(f"{'FAILED' if check.failed else check.verdict}  {check.name} ({check.detail})")
    if (checked := finished.environment.get("checked_by_run_of")) is not None:
        typer.echo(f"        made by the run of {checked}, which gave the same rankings")


def missed_floors(finished: "Run | LabelRun") -> list["Floor"]:
    """The floors that a run misses, each said on a line of its own."""
    missed = [floor for floor in finished.floors if not floor.met]
    for floor in missed:
        shown = "without a value" if floor.value is None else f"{floor.value:.3f}"
        typer.echo(f"floor missed: {floor.system} {floor.measure} is {shown}, below {floor.minimum}", err=True)
    return missed


def logged(directory: Path, tracking_uri: str | None = None) -> None:
    """Log a directory to MLflow, and say where."""
    from evals.track import log_run

    typer.echo(f"mlflow  run {log_run(directory, tracking_uri)}")


def tracked(directory: Path) -> None:
    """Log what has just been run; that this can fail is no reason to lose the result or its verdict."""
    from evals.track import TrackingError

    try:
        logged(directory)
    except TrackingError as error:
        typer.echo(f"not logged: {error}", err=True)


def deltas(comparison: "Comparison") -> None:
    """What a comparison found for the leading system, if they compare."""
    typer.echo(f"{comparison.suite}: {comparison.old.digest[:12]} → {comparison.new.digest[:12]}\n")
    if comparison.systems:
        typer.echo(f"{comparison.lead:10} {'old':>8} {'new':>8} {'new − old':>10} {'adjusted p':>11}")
        for name in comparison.family:
            delta = comparison.systems[comparison.lead].headline[name]
            adjusted = "–" if delta.adjusted is None else f"{delta.adjusted:.4f}"
            figures = f"{delta.old:8.3f} {delta.new:8.3f} {delta.paired.difference:+10.3f}"
            typer.echo(f"{_measure_name(name):10} {figures} {adjusted:>11}")


def verdict(judgement: "Judgement") -> None:
    """The verdict, what led to it, and notes."""
    typer.echo(f"\n{judgement.verdict}")
    for finding in judgement.findings:
        typer.echo(f"  {finding.kind}: {finding.subject}: {finding.reason}")
    for note in judgement.notes:
        typer.echo(f"  {note}")


def reports(markdown: Path) -> None:
    """Where a report lies, as HTML and as Markdown."""
    typer.echo(f"\nreport  {markdown.with_suffix('.html')}\n        {markdown}")


def _measure_name(name: str) -> str:
    for prefix, shown in MEASURE_NAMES.items():
        name = name.replace(prefix, shown)
    return name.replace("mrr", "MRR")
