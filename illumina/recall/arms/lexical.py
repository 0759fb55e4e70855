"""BM25 over the postings table; see `illumina.store.bm25`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from illumina.recall.plan import Hit
from illumina.store.believed import BELIEVED, SAID, texts
from illumina.store.bm25 import SCORE, UNIT, WEIGHTS
from illumina.store.filters import HIDDEN, VISIBLE
from illumina.text import lexemes
from illumina.types import indexed_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from psycopg import Cursor

    from illumina.recall.plan import Plan
    from illumina.store.believed import Belief
    from illumina.store.database import Session

_BEST: Final = "group by p.fact order by score desc, p.fact limit %(depth)s"


def search(session: Session, plan: Plan) -> Callable[[], list[Hit]]:
    """Submit the search; what is returned collects the facts that share lexemes with the question, by BM25, then by id."""
    if not plan.lexemes:
        return list
    parameters = {
        "lexemes": list(plan.lexemes),
        "unit": float(UNIT),
        "k1": plan.ranking.bm25_k1,
        "b": plan.ranking.bm25_b,
        "depth": plan.ranking.arm_depth,
        **plan.parameters,
    }
    cursor = _now(session, plan, parameters) if plan.belief is None else _then(session, plan, plan.belief, parameters)
    return lambda: [Hit(fact, score / UNIT) for fact, score in cursor.fetchall()]


def _now(session: Session, plan: Plan, parameters: dict[str, Any]) -> Cursor[tuple[Any, ...]]:
    # The statistics stay those of the whole namespace, so that a filter takes away and reorders nothing.
    wanted = ""
    if plan.wanted is not None:
        wanted = f"and p.fact in (select f.fact from illumina.facts f where f.namespace = %(namespace)s and {plan.wanted.sql}) "
    # Why: one index-only range scan of the postings for each lexeme; the statistics come from the same snapshot.
    return session.execute(
        "with corpus as materialized ("
        "  select facts::float8 as n, lexemes::float8 / greatest(facts, 1) as mean_length"
        "  from illumina.namespaces where namespace = %(namespace)s"
        "), terms as materialized ("
        f"  select l.lexeme, {WEIGHTS} from illumina.lexemes l, corpus c"
        "  where l.namespace = %(namespace)s and l.lexeme = any(%(lexemes)s)"
        ") "
        f"select p.fact, {SCORE} "
        "from terms t join illumina.postings p on p.namespace = %(namespace)s and p.lexeme = t.lexeme "
        f"where p.fact not in ({HIDDEN}) {wanted}"
        f"{_BEST}",
        parameters,
        prepare=True if plan.wanted is None else None,
        raw=True,
    )


def _then(session: Session, plan: Plan, belief: Belief, parameters: dict[str, Any]) -> Cursor[tuple[Any, ...]]:
    terms = {fact: lexemes(indexed_text(speaker, content)) for fact, speaker, content in texts(session, belief.believed)}
    past = [
        (lexeme, fact, frequency, len(found)) for fact, found in terms.items() for lexeme, frequency in Counter(found).items()
    ]
    wanted = f"and {plan.wanted.sql} " if plan.wanted is not None else ""
    # Why: what was believed then has statistics of its own, which nothing keeps, so that all its postings are read.
    return session.execute(
        "with found as materialized ("
        "  select p.lexeme, p.fact, p.frequency, p.length from illumina.postings p join illumina.facts f"
        "  on f.namespace = %(namespace)s and f.fact = p.fact"
        f" where p.namespace = %(namespace)s and {SAID}"
        "  union all select * from unnest("
        "    %(past_lexemes)s::text[], %(past_facts)s::uuid[], %(past_frequencies)s::int[], %(past_lengths)s::int[])"
        "), corpus as materialized ("
        "  select n::float8 as n, lexemes::float8 / greatest(n, 1) as mean_length from ("
        f"   select (select count(*) from illumina.facts f where f.namespace = %(namespace)s and {BELIEVED}) as n,"
        "      (select sum(frequency) from found) as lexemes) counted"
        "), terms as materialized ("
        f"  select l.lexeme, {WEIGHTS} from corpus c, ("
        "    select lexeme, count(*) as facts from found where lexeme = any(%(lexemes)s) group by lexeme) l"
        ") "
        f"select p.fact, {SCORE} from terms t join found p on p.lexeme = t.lexeme "
        f"where p.fact in (select f.fact from illumina.facts f where f.namespace = %(namespace)s and {VISIBLE} {wanted}) "
        f"{_BEST}",
        {
            **parameters,
            "past_lexemes": [row[0] for row in past],
            "past_facts": [row[1] for row in past],
            "past_frequencies": [row[2] for row in past],
            "past_lengths": [row[3] for row in past],
        },
        prepare=None,
        raw=True,
    )
