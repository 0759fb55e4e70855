"""The published formula for entity resolution, to compare with.

A mention joins the best entity whose score exceeds 0.6, and otherwise founds one:

    score = 0.5 × string ratio + 0.3 × co-occurrence + 0.2 × recency

- string ratio: `difflib`'s ratio of the mention and the entity's first name, in lower case;
- co-occurrence: the share of what is mentioned nearby that was mentioned with the entity before;
- recency: falls linearly from 1 to 0 as the mention and the entity's last one come to lie a week apart.

Mentions are taken in the order given: the formula is greedy, and another order gives other entities. Candidates are
entities whose name has a trigram similarity of at least 0.3, PostgreSQL's own threshold.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from evals.labels.names import Mention

RATIO: Final = 0.5
CO_OCCURRENCE: Final = 0.3
RECENCY: Final = 0.2
ACCEPT: Final = 0.6
WINDOW_DAYS: Final = 7
SIMILAR: Final = 0.3


@dataclass(slots=True)
class _Entity:
    id: str
    name: str
    trigrams: int
    nearby: set[str]
    last: datetime | None


def published(mentions: Sequence[Mention]) -> dict[str, str]:
    """Resolve mentions one after the other by the published formula."""
    entities: list[_Entity] = []
    holders: defaultdict[str, list[int]] = defaultdict(list)
    answer = {}
    for mention in mentions:
        name = mention.name.lower()
        trigrams = _trigrams(name)
        shared: Counter[int] = Counter()
        for trigram in trigrams:
            shared.update(holders[trigram])
        best, most = None, ACCEPT
        for number in sorted(shared):
            entity = entities[number]
            if shared[number] < SIMILAR * (len(trigrams) + entity.trigrams - shared[number]):
                continue
            score = _score(mention, name, entity, most)
            if score > most:
                best, most = entity, score
        if best is None:
            best = _Entity(mention.id, name, len(trigrams), set(), None)
            for trigram in trigrams:
                holders[trigram].append(len(entities))
            entities.append(best)
        best.nearby.update(mention.nearby)
        best.last = mention.moment or best.last
        answer[mention.id] = best.id
    return answer


def _score(mention: Mention, name: str, entity: _Entity, least: float) -> float:
    """The formula's value, or something below `least` where it cannot exceed it."""
    known = len(entity.nearby.intersection(mention.nearby)) / len(set(mention.nearby)) if mention.nearby else 0.0
    score = CO_OCCURRENCE * known
    if mention.moment is not None and entity.last is not None:
        apart = abs((mention.moment - entity.last).total_seconds()) / 86_400
        score += RECENCY * max(0.0, 1 - apart / WINDOW_DAYS)
    if score + RATIO <= least:
        return 0.0
    return score + RATIO * SequenceMatcher(None, name, entity.name).ratio()


def _trigrams(name: str) -> set[str]:
    """As pg_trgm takes them: of each word with two blanks before and one behind."""
    padded = [f"  {word} " for word in name.split()]
    return {word[start : start + 3] for word in padded for start in range(len(word) - 2)}
