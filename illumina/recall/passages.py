"""The fallback layer: stretches of the documents themselves, for what no fact says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from illumina.ids import DOCUMENT_PREFIX, public_id
from illumina.recall.fuse import reciprocal_ranks
from illumina.store import passages as store
from illumina.types import Passage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from illumina.recall.plan import Plan
    from illumina.store.database import Session


def passages(session: Session, plan: Plan, facts: Sequence[UUID], limit: int) -> tuple[Passage, ...]:
    """The best chunks by reciprocal rank fusion of two rankings, then by document and position.

    One ranking is BM25 over the chunks' own words and statistics. In the other a chunk stands where the first of the facts
    stands that were taken from it.

    Args:
        session: Of the namespace.
        plan: The question.
        facts: What the recall found, best first.
        limit: The most chunks.
    """
    scope = store.Scope(plan.parameters, plan.wanted, plan.belief is not None)
    rankings = {
        "lexical": [place for place, _ in store.by_words(session, scope, plan.lexemes, plan.ranking)],
        "facts": store.by_facts(session, scope, facts),
    }
    scores = reciprocal_ranks(list(rankings.values()), plan.ranking.rrf_k)
    chosen = sorted(scores, key=lambda place: (-scores[place], place))[:limit]
    found = {name: set(places) for name, places in rankings.items()}
    shown = store.fetch(session, chosen)
    return tuple(
        Passage(
            document_id=public_id(DOCUMENT_PREFIX, place.document),
            document=shown[place].key,
            version=place.version,
            ordinal=place.ordinal,
            start=shown[place].start,
            end=shown[place].end,
            preamble=shown[place].preamble,
            text=shown[place].text,
            score=scores[place],
            arms=tuple(name for name, places in found.items() if place in places),
            source=shown[place].source,
            occurred_at=shown[place].occurred_at,
        )
        for place in chosen
    )
