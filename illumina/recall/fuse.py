"""Reciprocal rank fusion and the final order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from illumina.canonical import DECIMALS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from uuid import UUID

    from illumina.recall.plan import Hit


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


def fuse(rankings: Mapping[str, Sequence[Hit]], k: int) -> list[Candidate]:
    """Merge rankings: RRF(d) = Σ_arms 1 / (k + rank), as a share of what first place in every arm would give.

    An arm that did not run is not among `rankings` and so is neutral: the share is of the arms that ran.

    Args:
        rankings: Arm to its hits, best first; arms in the locked order, so that sums are formed in it.
        k: Damping of the ranks (Cormack, Clarke & Büttcher 2009).

    Returns:
        Candidates by falling score, then by id.
    """
    best = sum(1 / (k + 1) for _ in rankings)
    ranks: dict[UUID, dict[str, int]] = {}
    scores: dict[UUID, dict[str, float]] = {}
    for arm, hits in rankings.items():
        for rank, hit in enumerate(hits, start=1):
            ranks.setdefault(hit.fact, {})[arm] = rank
            scores.setdefault(hit.fact, {})[arm] = hit.score
    candidates = [
        Candidate(fact, round(sum(1 / (k + rank) for rank in found.values()) / best, DECIMALS), found, scores[fact])
        for fact, found in ranks.items()
    ]
    return sorted(candidates, key=order)


def order(candidate: Candidate) -> tuple[float, bytes]:
    """The total order of every ranking: falling score as rounded, then rising id as bytes."""
    return -candidate.score, candidate.fact.bytes
