"""BM25 in SQL: what scoring facts and scoring chunks have in common.

score(q, d) = Σ_t∈q idf(t) · tf·(k1 + 1) / (tf + k1·(1 − b + b·|d| / avgdl)), idf(t) = ln(1 + (N − df + 0.5) / (df + 0.5))

(Robertson & Zaragoza 2009, with the non-negative idf of Lucene.) Each distinct term of the question counts once.
"""

from __future__ import annotations

from typing import Final

UNIT: Final = 1_000_000_000
"""Contributions are rounded to integers of 10⁻⁹, whose sum is exact below 2^53: the same in every order and plan."""

WEIGHTS: Final = (
    "%(unit)s * ln(1 + (c.n - l.facts + 0.5) / (l.facts + 0.5)) * (%(k1)s + 1) as weight, "
    "%(k1)s * (1 - %(b)s) as flat, %(k1)s * %(b)s / c.mean_length as slope"
)
"""What does not depend on the posting is computed once a lexeme, of document frequencies `l` in a corpus `c`."""

SCORE: Final = "sum(round(t.weight * p.frequency / (p.frequency + t.flat + t.slope * p.length))) as score"
"""Of the terms `t` with their weights and the postings `p`."""
