"""Compare runs and judge changes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evals.cli import show
from evals.cli.options import Reports, RunDirectory, SuiteOption

if TYPE_CHECKING:
    from evals.baseline import Record
    from evals.comparison import Comparison
    from evals.gate import Judgement
    from evals.policy import GatePolicy


def compare(
    old: Annotated[Path, typer.Argument(help="A run directory or a baseline file.")],
    new: Annotated[Path, typer.Argument(help="The run directory or baseline file to compare with it.")],
    *,
    suite: SuiteOption = None,
    out: Reports = Path("reports"),
) -> None:
    """Compare two runs query by query; by the suite's gate if it has one. Never fails for a loss: `gate` does."""
    from evals.baseline import read_record
    from evals.library import compare as compare_records
    from evals.library import policy_of

    before, after = read_record(old), read_record(new)
    policy = policy_of(after, suite)
    if policy is None:
        _show(compare_records(before, after), out)
    else:
        _judged(before, after, policy, out)


def gate(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="SUITE|RUN",
            help="A run directory or a baseline file to judge; or a suite, to check that its ranking is the recorded one.",
        ),
    ],
    *,
    baseline: Annotated[Path | None, typer.Option(help="What to judge against; default: the suite's baseline.")] = None,
    suite: SuiteOption = None,
    out: Reports = Path("reports"),
) -> None:
    """Judge a run against the committed baseline; the exit code says how, see `evals/gate.py`.

    0 identical, pass or improved; 1 regressed; 2 wrong arguments; 3 needs-ack; 4 incomparable; 5 infra; 6 unrecorded.
    """
    from evals.baseline import is_record, read_baseline, read_record
    from evals.errors import BaselineError, EmbeddingsError
    from evals.gate import Judgement, Verdict, check_tree
    from evals.library import suite_of
    from evals.rundir import RunDirectoryError
    from evals.suite import load_suite

    try:
        if is_record(subject):
            after = read_record(Path(subject))
            chosen = suite_of(after, suite)
            judgement = _judged(read_record(baseline or chosen.policy.baseline), after, chosen.policy, out)
        else:
            chosen = load_suite(subject)
            judgement = check_tree(chosen, read_baseline(baseline or chosen.policy.baseline))
            show.verdict(judgement)
    except (BaselineError, EmbeddingsError, RunDirectoryError) as error:
        judgement = Judgement(Verdict.INFRA, notes=(str(error),))
        show.verdict(judgement)
    raise typer.Exit(judgement.exit_code)


def baseline(
    directory: RunDirectory,
    *,
    suite: SuiteOption = None,
    out: Reports = Path("reports"),
) -> None:
    """Make a run the suite's committed baseline, unless the gate refuses it.

    The first baseline, and one of another suite or corpus, have nothing to be judged by.
    """
    from evals.baseline import read_baseline, record_of, write_baseline
    from evals.gate import Verdict
    from evals.library import suite_of
    from evals.rundir import read_run

    record = record_of(read_run(directory))
    chosen = suite_of(record, suite)
    target = chosen.policy.baseline
    if target.exists():
        judgement = _judged(read_baseline(target), record, chosen.policy, out)
        if judgement.exit_code and judgement.verdict != Verdict.INCOMPARABLE:
            typer.echo(f"{target} stays as it was.", err=True)
            raise typer.Exit(judgement.exit_code)
    write_baseline(record, target)
    typer.echo(f"baseline  {target}")


def _judged(old: "Record", new: "Record", policy: "GatePolicy", out: Path) -> "Judgement":
    from evals.gate import judge, read_acknowledgements
    from evals.library import compare_by

    comparison = compare_by(old, new, policy)
    judgement = judge(comparison, policy, read_acknowledgements(policy.acknowledged))
    _show(comparison, out, judgement, policy)
    return judgement


def _show(
    comparison: "Comparison", out: Path, judgement: "Judgement | None" = None, policy: "GatePolicy | None" = None
) -> None:
    from evals.comparison_report import write_comparison

    path = write_comparison(out, comparison, judgement, policy)
    show.deltas(comparison)
    if judgement is not None:
        show.verdict(judgement)  # its notes say why two runs do not compare
    else:
        for reason in comparison.incomparable:
            typer.echo(f"not comparable: {reason}")
    show.reports(path)
