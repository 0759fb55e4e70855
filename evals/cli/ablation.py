"""Measure what components and constants are worth."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evals.cli import show
from evals.cli.options import Data, Out, Part, Postgres, SuiteArgument

if TYPE_CHECKING:
    from evals.ablation_dir import Ablation

Track = Annotated[bool, typer.Option(help="Log the outcome to MLflow, a child run for each variant.")]


def ablate(
    suite: SuiteArgument,
    *,
    data: Data = None,
    out: Out = Path("runs"),
    postgres: Postgres = "auto",
    part: Part = None,
    track: Track = True,
) -> None:
    """Measure the engine without each of its components, and with each alone, against the full engine."""
    from evals import ablation
    from evals.files import make_directory
    from evals.suite import load_suite

    make_directory(out)  # before the work, not after it
    _finish(ablation.ablate(load_suite(suite).part(part), data=data, postgres=postgres), out, track=track)


def sweep(
    suite: SuiteArgument,
    *,
    settings: Annotated[
        list[str], typer.Option("--set", metavar="NAME=VALUE,…", help="A ranking constant and the values to try; repeatable.")
    ],
    data: Data = None,
    out: Out = Path("runs"),
    postgres: Postgres = "auto",
    part: Part = None,
    track: Track = True,
) -> None:
    """Measure the engine with every combination of the given ranking constants, against the default ones."""
    from evals import ablation
    from evals.files import make_directory
    from evals.suite import load_suite
    from evals.variants import parse_settings

    parsed = parse_settings(settings)
    make_directory(out)  # before the work, not after it
    _finish(ablation.sweep(load_suite(suite).part(part), parsed, data=data, postgres=postgres), out, track=track)


def _finish(finished: "Ablation", out: Path, *, track: bool) -> None:
    from evals.ablation_dir import tables, write_ablation

    directory = write_ablation(out, finished)
    for system, rows in tables(finished).items():
        typer.echo(f"{system}\n")
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        typer.echo()
    show.reports(directory / "report.md")
    if track:
        show.tracked(directory)
