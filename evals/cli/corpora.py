"""List suites and check corpora."""

from pathlib import Path
from typing import Annotated

import typer

from evals.cli.options import Postgres, SuiteArgument


def list_suites() -> None:
    """List the suites that come with the harness."""
    from evals.labels import suite as labelling
    from evals.suite import find_suites

    found = [(suite.name, suite.description) for suite in find_suites()]
    found += [(suite.name, suite.description) for suite in labelling.find_suites()]
    for name, description in found:
        typer.echo(f"{name:12} {description}")


def new(directory: Annotated[Path, typer.Argument(help="Where to; nothing that is there is overwritten.")]) -> None:
    """Write the beginning of a corpus of your own and a suite on it, which runs as it is."""
    from evals.skeleton import write_skeleton

    suite = write_skeleton(directory)
    typer.echo(f"suite   {suite}\ncorpus  {directory / 'README.md'} says what is what\n\nNow: illumina-eval run {suite}")


def validate_corpus(
    directory: Annotated[Path, typer.Argument(help="A corpus in the format of datasets/README.md.")],
    *,
    write_checksums: Annotated[bool, typer.Option("--write-checksums", help="Write SHA256SUMS anew first.")] = False,
) -> None:
    """Check a labelled corpus, and the embeddings that it carries, and list every problem with its place and mend."""
    from evals import corpora, recorded
    from evals.errors import CorpusError
    from evals.wording import counted

    if not directory.is_dir():
        raise CorpusError(f"There is no directory {directory}.")
    if write_checksums:
        corpora.write_checksums(directory)
    problems = corpora.validate(directory) or recorded.problems_of(directory)
    for problem in problems:
        typer.echo(str(problem), err=True)
    if problems:
        typer.echo(f"{counted(len(problems), 'problems')}.", err=True)
        raise typer.Exit(1)
    corpus = corpora.load(directory.resolve(), data=None)
    typer.echo(f"{corpus.name} is valid: " + ", ".join(counted(count, name) for name, count in corpus.counts.items()) + ".")


def record(suite: SuiteArgument, *, postgres: Postgres = "auto") -> None:
    """Embed the corpus of a suite with the engine's model and keep the vectors beside it, so that runs need no model."""
    from evals import recorded
    from evals.suite import load_suite

    path = recorded.record(load_suite(suite), postgres=postgres)
    typer.echo(f"recorded  {len(recorded.read(path.parent).vectors):,} vectors  {path}")
