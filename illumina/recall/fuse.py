"""Reciprocal rank fusion and the final order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from illumina.canonical import DECIMALS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from illumina.recall.plan import Hit

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact with the 1-based rank that each arm gave it, arms in the locked order.

    Attributes:
        fact: Its id.
        score: Fused relevance in (0, 1], rounded to 9 decimals.
        ranks: Arm to rank.
        scores: Arm to that arm's own score.
    """

    fact: UUID
    score: float
    ranks: Mapping[str, int] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)


def reciprocal_ranks(rankings: Sequence[Sequence[K]], k: int) -> dict[K, float]:
    """RRF of each thing that is ranked, as a share of the best possible, rounded to 9 decimals; see `fuse`."""
    best = sum(1 / (k + 1) for _ in rankings)
    sums: dict[K, float] = {}
    for ranking in rankings:
        for rank, ranked in enumerate(ranking, start=1):
            sums[ranked] = sums.get(ranked, 0.0) + 1 / (k + rank)
    return {ranked: round(total / best, DECIMALS) for ranked, total in sums.items()}


def fuse(rankings: Mapping[str, Sequence[Hit]], k: int, limit: int | None = None) -> list[Candidate]:
    """Merge rankings: RRF(d) = Σ_arms 1 / (k + rank), as a share of what first place in every arm would give.

    An arm that did not run is not among `rankings` and so is neutral: the share is of the arms that ran.

    Args:
        rankings: Arm to its hits, best first; arms in the locked order, so that sums are formed in it.
        k: Damping of the ranks (Cormack, Clarke & Büttcher 2009).
        limit: The most candidates; all if None.

    Returns:
        Candidates in the total order of every ranking: falling score as rounded, then rising id.
    """
    scores = reciprocal_ranks([[hit.fact for hit in hits] for hits in rankings.values()], k)
    chosen = sorted(scores, key=lambda fact: (-scores[fact], fact))[:limit]
    places = {arm: {hit.fact: (rank, hit.score) for rank, hit in enumerate(hits, start=1)} for arm, hits in rankings.items()}
    return [
        Candidate(
            UUID(bytes=fact),
            scores[fact],
            {arm: found[fact][0] for arm, found in places.items() if fact in found},
            {arm: found[fact][1] for arm, found in places.items() if fact in found},
        )
        for fact in chosen
    ]
