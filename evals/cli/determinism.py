"""Check determinism."""

import json

import typer

from evals.cli.options import Data, Part, Postgres, SuiteArgument


def determinism(
    suite: SuiteArgument,
    *,
    data: Data = None,
    postgres: Postgres = "auto",
    part: Part = None,
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


def _side_by_side(first: bytes, second: bytes) -> str:
    left, right = (
        [f"{result['id']} {result['score']:.9f}" for result in json.loads(body)["results"]] for body in (first, second)
    )
    length = max(len(left), len(right))
    rows = zip(left + [""] * (length - len(left)), right + [""] * (length - len(right)), strict=True)
    return "\n".join(f"{' ' if a == b else '!'} {rank:3}  {a:50}  {b}" for rank, (a, b) in enumerate(rows, start=1))
