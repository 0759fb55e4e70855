"""Check determinism."""

import json
from pathlib import Path

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
    from evals.determinism import LEVELS, MEANING, RECORDED_LEVEL
    from evals.suite import load_suite

    chosen = load_suite(suite).part(part)
    levels = chosen.determinism or [level for level in LEVELS if level != RECORDED_LEVEL]
    corpus, outcomes = runner.check_determinism(chosen, data=data, postgres=postgres, levels=levels)
    for outcome in outcomes:
        verdict = "identical" if outcome.identical else "NOT COMPARABLE" if outcome.incomparable else "DIFFERENT"
        typer.echo(f"{outcome.level} {MEANING[outcome.level]:48} {verdict}  {outcome.queries} responses  {outcome.digest[:12]}")
        if outcome.incomparable:
            typer.echo(f"   {outcome.incomparable}")
    different = next((outcome for outcome in outcomes if outcome.difference is not None), None)
    if different is not None and different.difference is not None:
        query_id, first, second = different.difference
        text = next(query.text for query in corpus.queries if query.id == query_id)
        typer.echo(f"\nThe first differing query is {query_id}: {text}", err=True)
        if different.level == RECORDED_LEVEL:
            typer.echo(_recorded_and_here(chosen.policy.baseline, query_id, first.decode(), second), err=True)
        else:
            typer.echo(_side_by_side(first, second), err=True)
        raise typer.Exit(1)


def _recorded_and_here(baseline: Path, query_id: str, recorded: str, here: bytes) -> str:
    """A response beside what a baseline keeps of the recorded one: its SHA-256, and where the gold stood."""
    from evals.baseline import read_baseline
    from evals.replay import response_digest
    from evals.types import FUSION

    record = read_baseline(baseline)
    column = record.systems.index(FUSION)
    gold = next((query.gold for query in record.queries if query.id == query_id), ())
    then = {unit.ranks[column]: unit.unit for unit in gold if unit.ranks[column]}
    lines = [f"      {'recorded: SHA-256 ' + (recorded[:12] or 'none'):50}  here: SHA-256 {response_digest(here)[:12]}"]
    results = json.loads(here)["results"]
    for rank in range(1, max([len(results), *then]) + 1):
        found = results[rank - 1] if rank <= len(results) else None
        unit = "" if found is None else f"{found['document']}#{found['segment']}"
        known = then.get(rank, "")
        mark = "!" if known and known != unit else " "
        lines.append(f"{mark} {rank:3}  {known or '(not kept: no gold)':50}  {unit}")
    return "\n".join(lines)


def _side_by_side(first: bytes, second: bytes) -> str:
    left, right = (
        [f"{result['id']} {result['score']:.9f}" for result in json.loads(body)["results"]] for body in (first, second)
    )
    length = max(len(left), len(right))
    rows = zip(left + [""] * (length - len(left)), right + [""] * (length - len(right)), strict=True)
    return "\n".join(f"{' ' if a == b else '!'} {rank:3}  {a:50}  {b}" for rank, (a, b) in enumerate(rows, start=1))
