"""`illumina-eval`: run suites, judge changes, check determinism, validate corpora, render and log runs."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from illumina.errors import IlluminaError

if TYPE_CHECKING:
    from evals.baseline import Record
    from evals.compare import Comparison
    from evals.gate import Judgement
    from evals.labels.rundir import LabelRun
    from evals.policy import GatePolicy
    from evals.rundir import Floor, Run

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)

Data = Annotated[Path | None, typer.Option(help="The folder of the public corpora, such as ../shared/data.")]
Out = Annotated[Path, typer.Option(help="Where run directories are written.")]
Postgres = Annotated[str, typer.Option(help="auto, embedded, testcontainers, or the DSN of a server to make databases on.")]
Dialogue = Annotated[
    str | None, typer.Option("--part", help="Only this part of the corpus: a LoCoMo dialogue (conv-26), a RealMem person.")
]
Reports = Annotated[Path, typer.Option("--out", help="Where the reports of the comparison are written.")]
SuiteOption = Annotated[
    str | None, typer.Option("--suite", help="The suite that judges, by name or TOML file; default: the one the run is of.")
]
MEASURE_NAMES = {"recall_at_": "recall@", "ndcg_at_": "nDCG@"}


@app.command(name="list")
def list_suites() -> None:
    """List the suites that come with the harness."""
    from evals.labels import suite as labelling
    from evals.suite import find_suites

    found = [(suite.name, suite.description) for suite in find_suites()]
    found += [(suite.name, suite.description) for suite in labelling.find_suites()]
    for name, description in found:
        typer.echo(f"{name:12} {description}")


@app.command()
def run(
    suite: Annotated[str, typer.Argument(help="A suite's name, or the path of its TOML file.")],
    *,
    data: Data = None,
    out: Out = Path("runs"),
    postgres: Postgres = "auto",
    part: Dialogue = None,
    determinism: Annotated[bool, typer.Option("--determinism", help="Check the suite's levels of determinism too.")] = False,
    track: Annotated[bool, typer.Option(help="Log the finished run to MLflow.")] = True,
) -> None:
    """Replay a suite's corpus, score the rankings, write a report, and log the run; or judge a labelling suite's systems."""
    from evals import runner
    from evals.errors import SuiteError
    from evals.rundir import read_run
    from evals.suite import RETRIEVAL, kind_of, load_suite

    if kind_of(suite) != RETRIEVAL:
        if part is not None or determinism:
            raise SuiteError(f"The suite {suite!r} is no retrieval suite: it has no parts and no levels of determinism.")
        _run_labels(suite, data=data, out=out, track=track)
        return
    chosen = load_suite(suite).part(part)
    directory = runner.run(chosen, data=data, out=out, postgres=postgres, levels=chosen.determinism if determinism else ())
    finished = read_run(directory)
    _headline(finished)
    typer.echo(f"\nreport  {directory / 'report.html'}\n        {directory / 'report.md'}")
    if track:
        _log(directory, None)
    missed = _missed(finished)
    if missed or not all(check.passed for check in finished.checks):
        raise typer.Exit(1)


@app.command()
def report(directory: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")]) -> None:
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
        _headline(finished)
    typer.echo(f"\nreport  {directory / 'report.html'}\n        {directory / 'report.md'}")


@app.command()
def log(
    directory: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")],
    *,
    tracking_uri: Annotated[
        str | None, typer.Option(envvar="MLFLOW_TRACKING_URI", help="Default: SQLite beside the run directories.")
    ] = None,
) -> None:
    """Log a run directory to MLflow; doing it again doubles nothing."""
    _log(directory, tracking_uri)


@app.command()
def determinism(
    suite: Annotated[str, typer.Argument(help="A suite's name, or the path of its TOML file.")],
    *,
    data: Data = None,
    postgres: Postgres = "auto",
    part: Dialogue = None,
) -> None:
    """Prove that the same memory gives the same bytes, or show the first query for which it does not."""
    from evals import runner
    from evals.determinism import LEVELS, MEANING
    from evals.suite import load_suite

    chosen = load_suite(suite).part(part)
    corpus, outcomes = runner.check_determinism(chosen, data=data, postgres=postgres, levels=chosen.determinism or LEVELS)
    for outcome in outcomes:
        verdict = "identical" if outcome.identical else "DIFFERENT"
        typer.echo(f"{outcome.level} {MEANING[outcome.level]:48} {verdict}  {outcome.queries} responses  {outcome.digest[:12]}")
    different = next((outcome.difference for outcome in outcomes if outcome.difference is not None), None)
    if different is not None:
        query_id, first, second = different
        text = next(query.text for query in corpus.queries if query.id == query_id)
        typer.echo(f"\nThe first differing query is {query_id}: {text}", err=True)
        typer.echo(_side_by_side(first, second), err=True)
        raise typer.Exit(1)


@app.command()
def compare(
    old: Annotated[Path, typer.Argument(help="A run directory or a baseline file.")],
    new: Annotated[Path, typer.Argument(help="The run directory or baseline file to compare with it.")],
    *,
    suite: SuiteOption = None,
    out: Reports = Path("reports"),
) -> None:
    """Compare two runs query by query; by the suite's gate if it has one. Never fails for a loss: `gate` does."""
    from evals.baseline import read_record
    from evals.compare import compare as compare_records
    from evals.suite import load_suite, suite_names

    before, after = read_record(old), read_record(new)
    name = suite or (after.suite if after.suite in suite_names() else None)
    policy = None if name is None else load_suite(name).gate
    if policy is None:
        _show(compare_records(before, after), out)
    else:
        _judged(before, after, policy, out)


@app.command()
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
    from evals.errors import BaselineError
    from evals.gate import Judgement, Verdict, check_tree
    from evals.rundir import RunDirectoryError
    from evals.suite import load_suite

    try:
        if is_record(Path(subject)):
            after = read_record(Path(subject))
            chosen = load_suite(suite or after.suite)
            judgement = _judged(read_record(baseline or chosen.policy.baseline), after, chosen.policy, out)
        else:
            chosen = load_suite(subject)
            judgement = check_tree(chosen, read_baseline(baseline or chosen.policy.baseline))
            _say(judgement)
    except (BaselineError, RunDirectoryError) as error:
        judgement = Judgement(Verdict.INFRA, notes=(str(error),))
        _say(judgement)
    raise typer.Exit(judgement.exit_code)


@app.command()
def baseline(
    directory: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")],
    *,
    suite: SuiteOption = None,
    out: Reports = Path("reports"),
) -> None:
    """Make a run the suite's committed baseline, unless the gate refuses it.

    The first baseline, and one of another suite or corpus, have nothing to be judged by.
    """
    from evals.baseline import read_baseline, record_of, write_baseline
    from evals.gate import Verdict
    from evals.rundir import read_run
    from evals.suite import load_suite

    record = record_of(read_run(directory))
    chosen = load_suite(suite or record.suite)
    target = chosen.policy.baseline
    if target.exists():
        judgement = _judged(read_baseline(target), record, chosen.policy, out)
        if judgement.exit_code and judgement.verdict != Verdict.INCOMPARABLE:
            typer.echo(f"{target} stays as it was.", err=True)
            raise typer.Exit(judgement.exit_code)
    write_baseline(record, target)
    typer.echo(f"baseline  {target}")


@app.command()
def validate_corpus(
    directory: Annotated[Path, typer.Argument(help="A corpus in the format of datasets/README.md.")],
    *,
    write_checksums: Annotated[bool, typer.Option("--write-checksums", help="Write SHA256SUMS anew first.")] = False,
) -> None:
    """Check a labelled corpus and list every problem with its place and mend."""
    from evals import corpora

    if write_checksums:
        corpora.write_checksums(directory)
    problems = corpora.validate(directory)
    for problem in problems:
        typer.echo(str(problem), err=True)
    if problems:
        typer.echo(f"{len(problems)} problems.", err=True)
        raise typer.Exit(1)
    corpus = corpora.load(directory.resolve(), data=None)
    typer.echo(f"{corpus.name} is valid: " + ", ".join(f"{count:,} {name}" for name, count in corpus.counts.items()) + ".")


@app.command()
def bench(*, data: Data = None, postgres: Postgres = "auto") -> None:
    """Measure retain against the embedder alone, and a recall's time in PostgreSQL against embedding its question."""
    from evals import bench as benchmark

    retain, recall = benchmark.measure(postgres=postgres, data=data)
    typer.echo(
        f"retain    {retain.facts:,} facts: {retain.retain:.0f} facts/s; the embedder alone {retain.embedder:.0f}/s; "
        f"share {retain.share:.0%}"
    )
    for stage, (middle, high) in recall.stages.items():
        typer.echo(f"recall    at {recall.facts:,} facts, {stage:9} median {middle:.2f} ms, 95th percentile {high:.2f} ms")


@app.command()
def doctor() -> None:
    """Say which PostgreSQL providers are available, and why not."""
    from evals import postgres

    for name, state in postgres.doctor().items():
        typer.echo(f"{name:15} {state}")


def main() -> None:
    """Run the command; an error of ours is one line, not a traceback."""
    try:
        app()
    except IlluminaError as error:
        typer.echo(f"illumina-eval: {error}", err=True)
        sys.exit(2)


def _judged(old: "Record", new: "Record", policy: "GatePolicy", out: Path) -> "Judgement":
    from evals.compare import compare as compare_records
    from evals.gate import judge, read_acknowledgements

    family = [measure.name for measure in policy.measures]
    comparison = compare_records(old, new, family=family, alpha=policy.alpha)
    judgement = judge(comparison, policy, read_acknowledgements(policy.acknowledged))
    _show(comparison, out, judgement, policy)
    return judgement


def _show(
    comparison: "Comparison", out: Path, judgement: "Judgement | None" = None, policy: "GatePolicy | None" = None
) -> None:
    from evals.comparison_report import write_comparison

    path = write_comparison(out, comparison, judgement, policy)
    _deltas(comparison)
    if judgement is not None:
        _say(judgement)
    typer.echo(f"\nreport  {path.with_suffix('.html')}\n        {path}")


def _deltas(comparison: "Comparison") -> None:
    typer.echo(f"{comparison.new.suite}: {comparison.old.digest[:12]} → {comparison.new.digest[:12]}\n")
    for reason in comparison.incomparable:
        typer.echo(f"not comparable: {reason}")
    if comparison.systems:
        typer.echo(f"{comparison.lead:10} {'old':>8} {'new':>8} {'new − old':>10} {'adjusted p':>11}")
        for name in comparison.family:
            delta = comparison.systems[comparison.lead].headline[name]
            adjusted = "–" if delta.adjusted is None else f"{delta.adjusted:.4f}"
            figures = f"{delta.old:8.3f} {delta.new:8.3f} {delta.paired.difference:+10.3f}"
            typer.echo(f"{_measure_name(name):10} {figures} {adjusted:>11}")


def _say(judgement: "Judgement") -> None:
    typer.echo(f"\n{judgement.verdict}")
    for finding in judgement.findings:
        typer.echo(f"  {finding.kind}: {finding.subject}: {finding.reason}")
    for note in judgement.notes:
        typer.echo(f"  {note}")


def _run_labels(suite: str, *, data: Path | None, out: Path, track: bool) -> None:
    from evals.labels import report, rundir, runner
    from evals.labels.suite import load_suite

    directory = runner.run(load_suite(suite), data=data, out=out)
    finished = rundir.read_run(directory)
    typer.echo("\n".join(report.headline(finished)))
    typer.echo(f"\nreport  {directory / 'report.html'}\n        {directory / 'report.md'}")
    if track:
        _log(directory, None)
    if _missed(finished):
        raise typer.Exit(1)


def _missed(finished: "Run | LabelRun") -> list["Floor"]:
    """The floors that a run misses, each said on a line of its own."""
    missed = [floor for floor in finished.floors if not floor.met]
    for floor in missed:
        shown = "without a value" if floor.value is None else f"{floor.value:.3f}"
        typer.echo(f"floor missed: {floor.system} {floor.measure} is {shown}, below {floor.minimum}", err=True)
    return missed


def _log(directory: Path, tracking_uri: str | None) -> None:
    from evals.track import log_run

    typer.echo(f"mlflow  run {log_run(directory, tracking_uri)}")


def _headline(finished: "Run") -> None:
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
        typer.echo(f"{'passed' if check.passed else 'FAILED'}  {check.name} ({check.detail})")


def _measure_name(name: str) -> str:
    for prefix, shown in MEASURE_NAMES.items():
        name = name.replace(prefix, shown)
    return name.replace("mrr", "MRR")


def _side_by_side(first: bytes, second: bytes) -> str:
    left, right = (
        [f"{result['id']} {result['score']:.9f}" for result in json.loads(body)["results"]] for body in (first, second)
    )
    length = max(len(left), len(right))
    rows = zip(left + [""] * (length - len(left)), right + [""] * (length - len(right)), strict=True)
    return "\n".join(f"{' ' if a == b else '!'} {rank:3}  {a:50}  {b}" for rank, (a, b) in enumerate(rows, start=1))
