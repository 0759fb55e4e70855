"""Run a suite: from a corpus to a run directory."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING

from evals import determinism
from evals.baseline import expected_responses
from evals.identity import environment, identity
from evals.journal import open_journal
from evals.postgres import open_provider
from evals.recorded import open_embedder
from evals.replay import replay
from evals.rundir import Check, write_run
from evals.suite import load_corpus
from evals.types import RunData
from illumina import Memory

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evals.determinism import Expected, Level, Outcome
    from evals.postgres import PostgresProvider
    from evals.suite import Suite
    from evals.types import Corpus
    from illumina.models.base import Embedder

_log = logging.getLogger(__name__)


def run(suite: Suite, *, data: Path | None, out: Path, postgres: str, levels: Sequence[Level] = ()) -> Path:
    """Replay a suite's corpus on a fresh database, score the rankings and write the run directory.

    A run that is interrupted leaves its answers below `out`, and the next one of the same identity in the same environment
    takes them up: see `evals.journal`.

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
        Interrupted: Ctrl-C or a kill; the message says how to resume.
    """
    corpus = load_corpus(suite, data=data)
    embedder = open_embedder(suite)
    started, clock = datetime.now(UTC), perf_counter()
    with ExitStack() as kept:
        with open_provider(postgres) as provider:
            where = environment(provider.describe())
            with provider.fresh_database() as dsn, open_memory(dsn, suite, embedder) as memory:
                named = identity(suite, corpus, memory)
                journal = kept.enter_context(open_journal(out, suite.name, named, where))
                if journal.taken:
                    where["taken_up"] = len(journal.taken)
                    _log.warning("%d answers are taken up from an interrupted run.", len(journal.taken))
                with journal.guard():
                    # By their responses L4 tells other machines, where the vectors are the same everywhere.
                    responses = suite.engine.embeddings == "recorded"
                    rankings, timings = replay(memory, corpus, suite.systems, suite.depth, journal=journal, responses=responses)
            checks = [_to_check(outcome) for outcome in _check(provider, embedder, corpus, suite, levels)] if levels else []
        where |= {"started": started.isoformat(timespec="seconds"), "seconds": round(perf_counter() - clock, 1)}
        run_data = RunData(suite.name, corpus, rankings, timings, named, where)
        directory = write_run(out, run_data, floors=suite.floors, checks=checks)
        journal.remove()
    return directory


def check_determinism(
    suite: Suite, *, data: Path | None, postgres: str, levels: Sequence[Level]
) -> tuple[Corpus, list[Outcome]]:
    """Check levels of determinism on a suite's corpus, without scoring it."""
    corpus = load_corpus(suite, data=data)
    with open_provider(postgres) as provider:
        return corpus, _check(provider, open_embedder(suite), corpus, suite, levels)


def open_memory(dsn: str, suite: Suite, embedder: Embedder) -> Memory:
    """A memory as the suite configures it."""
    return Memory.open(dsn, embedder=embedder, extractor=suite.engine.extractor, ranking=suite.engine.ranking)


def _check(
    provider: PostgresProvider, embedder: Embedder, corpus: Corpus, suite: Suite, levels: Sequence[Level]
) -> list[Outcome]:
    def expected(memory: Memory) -> Expected:
        return expected_responses(suite.policy.baseline, identity(suite, corpus, memory))

    return determinism.check(
        provider,
        lambda dsn: open_memory(dsn, suite, embedder),
        corpus,
        levels,
        depth=suite.depth,
        seed=suite.seed,
        expected=expected,
    )


def _to_check(outcome: Outcome) -> Check:
    name = f"{outcome.level} {determinism.MEANING[outcome.level]}"
    if outcome.incomparable:
        return Check(name, None, outcome.incomparable)
    if outcome.difference is not None:
        return Check(name, passed=False, detail=f"first difference at {outcome.difference[0]}")
    return Check(name, passed=True, detail=f"{outcome.queries} responses, SHA-256 {outcome.digest[:12]}…")
