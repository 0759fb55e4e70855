"""What this machine can do, and how fast."""

import typer

from evals.cli.options import Data, Postgres


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


def doctor() -> None:
    """Say which PostgreSQL providers are available, and why not."""
    from evals import postgres

    for name, state in postgres.doctor().items():
        typer.echo(f"{name:15} {state}")
