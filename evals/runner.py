"""Run a suite: from a corpus to a run directory."""

from __future__ import annotations

from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING

from evals import determinism
from evals.identity import environment, identity
from evals.postgres import open_provider
from evals.replay import replay
from evals.rundir import Check, write_run
from evals.suite import load_corpus
from evals.types import RunData

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evals.determinism import Level, Outcome
    from evals.postgres import PostgresProvider
    from evals.suite import Suite
    from evals.types import Corpus


def run(suite: Suite, *, data: Path | None, out: Path, postgres: str, levels: Sequence[Level] = ()) -> Path:
    """Replay a suite's corpus on a fresh database, score the rankings and write the run directory.

    Args:
        suite: What to run.
        data: The folder of the public corpora.
        out: Where run directories live.
        postgres: `auto`, `embedded`, `testcontainers` or a DSN.
        levels: Levels of determinism to check as well; their outcomes stand in the report.

    Returns:
        The run directory.

    Raises:
        IlluminaError: The corpus, the database or the model cannot be used; the message names the mend.
    """
    corpus = load_corpus(suite, data=data)
    started, clock = datetime.now(UTC), perf_counter()
    with open_provider(postgres) as provider:
        with provider.fresh_database() as dsn, suite.engine.open(dsn) as memory:
            rankings, timings = replay(memory, corpus, suite.systems, suite.depth)
            named = identity(suite, corpus, memory)
        checks = [_to_check(outcome) for outcome in _check(provider, corpus, suite, levels)] if levels else []
        where = environment(provider.describe())
    where |= {"started": started.isoformat(timespec="seconds"), "seconds": round(perf_counter() - clock, 1)}
    run_data = RunData(suite.name, corpus, rankings, timings, named, where)
    return write_run(out, run_data, floors=suite.floors, checks=checks)


def check_determinism(
    suite: Suite, *, data: Path | None, postgres: str, levels: Sequence[Level]
) -> tuple[Corpus, list[Outcome]]:
    """Check levels of determinism on a suite's corpus, without scoring it."""
    corpus = load_corpus(suite, data=data)
    with open_provider(postgres) as provider:
        return corpus, _check(provider, corpus, suite, levels)


def _check(provider: PostgresProvider, corpus: Corpus, suite: Suite, levels: Sequence[Level]) -> list[Outcome]:
    return determinism.check(provider, suite.engine.open, corpus, levels, depth=suite.depth, seed=suite.seed)


def _to_check(outcome: Outcome) -> Check:
    detail = f"{outcome.queries} responses, SHA-256 {outcome.digest[:12]}…"
    if outcome.difference is not None:
        detail = f"first difference at {outcome.difference[0]}"
    return Check(f"{outcome.level} {determinism.MEANING[outcome.level]}", outcome.identical, detail)
