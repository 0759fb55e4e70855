"""Names: which mentions are one entity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from evals.labels.kinds import Judged, precision_recall_f1
from illumina.retain import entities

if TYPE_CHECKING:
    from evals.labels.kinds import LabelledSet


@dataclass(frozen=True, slots=True)
class Mention:
    """One mention of an entity.

    Attributes:
        id: Unique in its set; says nothing about the entity.
        name: The surface form.
        nearby: The entities that are mentioned with it.
        moment: When it was mentioned, if known.
        passing: Whether what is nearby was just mentioned in the same breath, and is nothing that the entity belongs to or is.
    """

    id: str
    name: str
    nearby: tuple[str, ...]
    moment: datetime | None
    passing: bool = False


EntityResolver = Callable[[Sequence[Mention]], Mapping[str, str]]
"""From all mentions to each one's entity, under any name; a mention without one is an entity of its own."""


@dataclass(frozen=True, slots=True)
class MentionCase:
    """A mention and what is known of it.

    Attributes:
        mention: What the resolver sees.
        entity: The entity that it is of.
        group: Class of the case.
        judged_with: The mentions against which it is judged; None for all of the set.
    """

    mention: Mention
    entity: str
    group: str
    judged_with: tuple[str, ...] | None = None


COLUMNS: Final = ("gold", "predicted", "right")
MEASURES: Final = precision_recall_f1("pairs of mentions of one entity")


def judge(cases: LabelledSet[MentionCase], system: EntityResolver) -> Iterator[Judged]:
    """Count for each mention its true, its predicted, and its rightly predicted partners.

    A pair so counts twice, once for each of its mentions, which leaves every ratio as it is and gives a wrong pair half to
    each of the two entities, by which intervals are resampled.
    """
    by_id = {case.mention.id: case for case in cases.cases}
    resolved = system([case.mention for case in cases.cases])
    # The second field keeps a mention without an entity apart from an entity that has its id for a name.
    answer = {key: (resolved[key], True) if key in resolved else (key, False) for key in by_id}
    gold = Counter(case.entity for case in cases.cases)
    predicted = Counter(answer.values())
    both = Counter((case.entity, answer[key]) for key, case in by_id.items())
    for key, case in by_id.items():
        entity = answer[key]
        if case.judged_with is None:
            counts = (gold[case.entity] - 1, predicted[entity] - 1, both[case.entity, entity] - 1)
        else:
            same = [(by_id[other].entity == case.entity, answer[other] == entity) for other in case.judged_with]
            counts = (sum(true for true, _ in same), sum(said for _, said in same), sum(true and said for true, said in same))
        yield Judged(
            key,
            case.group,
            case.entity,
            dict(zip(COLUMNS, counts, strict=True)),
            shown=f"{case.mention.name} ({', '.join(case.mention.nearby)}; {case.mention.moment or 'no time'})",
            gold=case.entity,
            answer=entity[0],
        )


def exact(mentions: Sequence[Mention]) -> dict[str, str]:
    """The trivial resolver: one entity for each name, case and white space aside."""
    return {mention.id: " ".join(mention.name.casefold().split()) for mention in mentions}


def engine(mentions: Sequence[Mention]) -> dict[str, str]:
    """The engine's resolver: what belongs to an entity (its place, trade, address) is its home, the rest is nearby."""
    found = entities.resolve(
        entities.Mention(
            mention.id,
            mention.name,
            homes=frozenset(() if mention.passing else mention.nearby),
            nearby=frozenset(mention.nearby if mention.passing else ()),
            moment=mention.moment,
        )
        for mention in mentions
    )
    return dict(found.entity_of)
