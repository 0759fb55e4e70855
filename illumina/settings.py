"""Every knob, its unit and its source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ranking:
    """All constants that can change a ranking; part of every run's identity.

    Attributes:
        bm25_k1: Saturation of term frequency (Robertson & Zaragoza 2009, "The Probabilistic Relevance Framework", section 3.3).
        bm25_b: Strength of length normalisation, 0 to 1 (same source).
        rrf_k: Constant of reciprocal rank fusion (Cormack, Clarke & Büttcher 2009, "Reciprocal Rank Fusion outperforms
            Condorcet and individual Rank Learning Methods").
        arm_depth: Candidates taken from each arm.
        exact_scan_limit: Facts in a namespace above which vectors are searched by HNSW; below, every vector is compared
            (about 35 ms for 100,000 vectors of 384 dimensions on one core).
        overfetch: HNSW candidates taken for each one that is kept after exact scoring.
    """

    bm25_k1: float = 1.2
    bm25_b: float = 0.75
    rrf_k: int = 60
    arm_depth: int = 300
    exact_scan_limit: int = 100_000
    overfetch: int = 4
