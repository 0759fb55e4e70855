"""Run the harness on the engine that is imported, in a process of its own: `python harness.py DSN ENGINE OUTPUT`.

Writes JSON: the rankings and the identity of a run, and what the checks of determinism and isolation found. Scoring and gate
are left to the caller, who imports them once for all engines.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import illumina
from evals.determinism import Level, check
from evals.identity import identity
from evals.postgres import PostgresProvider, open_provider
from evals.replay import replay
from evals.types import Corpus
from tests.evals.seeded.corpus import SUITE, open_memory, seeded_corpus

LEVELS: tuple[Level, ...] = ("L1", "L2", "L3", "neighbours")


def main(dsn: str, engine: Path, output: Path) -> None:
    """Do all of it, whatever a faulty engine raises."""
    loaded = Path(illumina.__file__).parent
    if loaded != engine:
        raise SystemExit(f"{loaded} was imported instead of {engine}")
    corpus = seeded_corpus()
    found: dict[str, Any] = {"errors": [], "rankings": [], "levels": [], "identity": None}
    with open_provider(dsn) as provider:
        for step in (_run, _check):
            try:
                found |= step(provider, corpus)
            except Exception as error:  # noqa: BLE001 - a faulty engine may raise anything, and that is a finding
                found["errors"].append("\n".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", [])]))
    output.write_text(json.dumps(found))


def _run(provider: PostgresProvider, corpus: Corpus) -> dict[str, Any]:
    with provider.fresh_database() as dsn, open_memory(dsn) as memory:
        named = identity(SUITE, corpus, memory)
        rankings, _ = replay(memory, corpus, SUITE.systems, SUITE.depth, responses=True)
    return {"identity": named, "rankings": [asdict(ranking) for ranking in rankings]}


def _check(provider: PostgresProvider, corpus: Corpus) -> dict[str, Any]:
    outcomes = check(provider, open_memory, corpus, LEVELS, depth=SUITE.depth, seed=SUITE.seed)
    return {"levels": [(outcome.level, outcome.difference[0] if outcome.difference else None) for outcome in outcomes]}


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
