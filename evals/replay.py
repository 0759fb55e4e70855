"""Replay a corpus through the engine: retain its documents, put its questions, write down the rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tqdm import tqdm

from evals.types import FUSION, Ranking, Timing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evals.types import Corpus, Query, Unit
    from illumina import Memory, Result

RESULTS_PER_DOCUMENT: Final = 20
"""Where whole documents are judged, this many facts are fetched for each document wanted, since many facts share one."""


def retain(memory: Memory, corpus: Corpus) -> None:
    """Retain every document of every namespace, in the corpus's order."""
    total = sum(map(len, corpus.documents.values()))
    with tqdm(total=total, desc=f"retain {corpus.name}", unit=" documents", disable=None, leave=False) as bar:
        for namespace, documents in corpus.documents.items():
            memory.retain_many(documents, namespace=namespace, progress=bar.update)


def ask(
    memory: Memory, corpus: Corpus, systems: Sequence[str], depth: int
) -> tuple[list[Ranking], list[Timing]]:
    """Put every question to every system.

    Args:
        memory: Holds the corpus.
        corpus: Its questions.
        systems: `fusion` for the engine's own ranking, or the name of an arm for that arm alone.
        depth: The most units in a ranking.

    Returns:
        A ranking for each system and question, and how long each stage of each took.
    """
    rankings, timings = [], []
    limit = depth if corpus.unit == "segment" else depth * RESULTS_PER_DOCUMENT
    with tqdm(total=len(systems) * len(corpus.queries), desc=f"recall {corpus.name}", disable=None, leave=False) as bar:
        for system in systems:
            arms = None if system == FUSION else [system]
            for query in corpus.queries:
                answer = memory.recall(query.text, namespace=query.namespace, limit=limit, arms=arms)
                rankings.append(to_ranking(query, system, answer.results, corpus.unit, depth))
                timings += [Timing(query.id, system, stage, spent) for stage, spent in answer.timings.items()]
                bar.update()
    return rankings, timings


def to_ranking(query: Query, system: str, results: Sequence[Result], unit: Unit, depth: int) -> Ranking:
    """The judged units behind results: each at its best place, with the score that it has there."""
    scores: dict[str, float] = {}
    for result in results:
        scores.setdefault(unit_of(result, unit), result.score)
    units = tuple(scores)[:depth]
    return Ranking(query.id, system, units, tuple(scores[name] for name in units))


def unit_of(result: Result, unit: Unit) -> str:
    """The name under which a result is judged: `key` or `key#label`."""
    key = result.document or result.document_id
    return key if unit == "document" else f"{key}#{result.segment}"
