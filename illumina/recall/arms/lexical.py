"""BM25 over the postings table.

score(q, d) = Σ_t∈q idf(t) · tf·(k1 + 1) / (tf + k1·(1 − b + b·|d| / avgdl)), idf(t) = ln(1 + (N − df + 0.5) / (df + 0.5))

(Robertson & Zaragoza 2009, with the non-negative idf of Lucene.) Each distinct term of the question counts once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from illumina.recall.plan import Hit
from illumina.store.filters import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Callable

    from illumina.recall.plan import Plan
    from illumina.store.database import Session

UNIT: Final = 1_000_000_000
"""Contributions are rounded to integers of 10⁻⁹, whose sum is exact below 2^53: the same in every order and plan."""


def search(session: Session, plan: Plan) -> Callable[[], list[Hit]]:
    """Submit the search; what is returned collects the facts that share lexemes with the question, by BM25, then by id."""
    if not plan.lexemes:
        return list
    # Why: one index-only range scan of the postings for each lexeme; the statistics come from the same snapshot. What does
    # not depend on the posting is computed once a lexeme.
    cursor = session.execute(
        "with corpus as materialized ("
        "  select facts::float8 as n, lexemes::float8 / greatest(facts, 1) as mean_length"
        "  from illumina.namespaces where namespace = %(namespace)s"
        "), terms as materialized ("
        "  select l.lexeme, %(unit)s * ln(1 + (c.n - l.facts + 0.5) / (l.facts + 0.5)) * (%(k1)s + 1) as weight,"
        "    %(k1)s * (1 - %(b)s) as flat, %(k1)s * %(b)s / c.mean_length as slope"
        "  from illumina.lexemes l, corpus c where l.namespace = %(namespace)s and l.lexeme = any(%(lexemes)s)"
        ") "
        "select p.fact, sum(round(t.weight * p.frequency / (p.frequency + t.flat + t.slope * p.length))) as score "
        "from terms t join illumina.postings p on p.namespace = %(namespace)s and p.lexeme = t.lexeme "
        f"where p.fact not in ({HIDDEN}) {_wanted(plan)}"
        "group by p.fact order by score desc, p.fact limit %(depth)s",
        {
            "lexemes": list(plan.lexemes),
            "unit": float(UNIT),
            "k1": plan.ranking.bm25_k1,
            "b": plan.ranking.bm25_b,
            "depth": plan.ranking.arm_depth,
            **plan.parameters,
        },
        prepare=True if plan.wanted is None else None,
        raw=True,
    )
    return lambda: [Hit(fact, score / UNIT) for fact, score in cursor.fetchall()]


def _wanted(plan: Plan) -> str:
    """The statistics stay those of the whole namespace, so that a filter takes away and reorders nothing."""
    if plan.wanted is None:
        return ""
    return f"and p.fact in (select f.fact from illumina.facts f where f.namespace = %(namespace)s and {plan.wanted.sql}) "
