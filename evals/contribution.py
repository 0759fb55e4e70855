"""What each arm contributes to the fusion: relevant units that it found, that only it found, that the fusion lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evals.types import FUSION

if TYPE_CHECKING:
    from evals.rundir import Run

DEPTH: Final = 10
"""Ranks that count as found, as in nDCG@10 and recall@10."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """One arm's part, counted in relevant units of the headline queries.

    Attributes:
        arm: The arm.
        found: Relevant units among the arm's own first `DEPTH`.
        shared: Those of the fusion's first `DEPTH` that this arm found as well.
        alone: Those of the fusion's first `DEPTH` that no other arm found.
        dropped: Those that this arm found and the fusion has not among its first `DEPTH`.
    """

    arm: str
    found: int
    shared: int
    alone: int
    dropped: int


def contributions(run: Run) -> tuple[Contribution, ...]:
    """Each arm's part in the fusion, in report order; nothing where a run has no fusion or no arms."""
    arms = [system for system in run.rankings if system != FUSION]
    if FUSION not in run.rankings:
        return ()
    found: dict[str, set[tuple[str, str]]] = {system: set() for system in run.rankings}
    headline = {query.id for query in run.queries if query.headline}
    for system, answers in run.rankings.items():
        for query_id, ranking in answers.items():
            if query_id in headline:
                gold = run.qrels.get(query_id, {})
                found[system].update((query_id, unit) for unit in ranking.units[:DEPTH] if gold.get(unit, 0) >= 1)
    fused = found[FUSION]
    return tuple(
        Contribution(
            arm=arm,
            found=len(found[arm]),
            shared=len(fused & found[arm]),
            alone=len((fused & found[arm]).difference(*(found[other] for other in arms if other != arm))),
            dropped=len(found[arm] - fused),
        )
        for arm in arms
    )
