"""Causes: which stretch of a text is the cause of which other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from evals.labels.kinds import Judged, Measure, precision_recall_f1
from illumina.retain.causes import find_causes

if TYPE_CHECKING:
    from evals.labels.kinds import LabelledSet

Span = tuple[int, int]
"""Offset of the first character, and offset behind the last."""

Side = Literal["first", "second"]


@dataclass(frozen=True, slots=True)
class Causal:
    """A causal relation that a text states between two of its stretches."""

    cause: Span
    effect: Span


CauseExtractor = Callable[[str], Sequence[Causal]]


@dataclass(frozen=True, slots=True)
class CauseCase:
    """A text with two marked stretches.

    Attributes:
        id: Unique in its set.
        text: What is read, without marks.
        first: The stretch that comes first.
        second: The other.
        cause: Which of the two is the cause of the other; None if they are not related as cause and effect.
        group: Class of the case.
        cluster: What it was sampled with.
    """

    id: str
    text: str
    first: Span
    second: Span
    cause: Side | None
    group: str
    cluster: str


COLUMNS: Final = ("gold", "predicted", "right", "found", "elsewhere")
MEASURES: Final = (
    *precision_recall_f1("relations, with their direction,"),
    Measure("direction_accuracy", ("right",), ("found",), "labelled relations with the right direction, of those found in any"),
)


def judge(cases: LabelledSet[CauseCase], system: CauseExtractor) -> Iterator[Judged]:
    """Hold what a text is said to state against the label of its two marked stretches.

    A relation is about them if its cause overlaps just one of the two and its effect just the other; what it says of other
    stretches was not labelled and is only counted (`elsewhere`). One said in both directions is found, predicted
    twice, and not right.
    """
    for case in cases.cases:
        relations = [(relation, _side(case, relation)) for relation in system(case.text)]
        sides = {side for _, side in relations if side is not None}
        counts = dict.fromkeys(COLUMNS, 0)
        counts["gold"] = int(case.cause is not None)
        counts["predicted"] = len(sides)
        counts["right"] = int(sides == {case.cause})
        counts["found"] = int(case.cause is not None and bool(sides))
        counts["elsewhere"] = sum(side is None for _, side in relations)
        first, second = (case.text[slice(*span)] for span in (case.first, case.second))
        gold = {"first": f"{first} → {second}", "second": f"{second} → {first}", None: "no cause and effect"}[case.cause]
        answer = "; ".join(f"{case.text[slice(*it.cause)]} → {case.text[slice(*it.effect)]}" for it, _ in relations)
        yield Judged(case.id, case.group, case.cluster, counts, case.text, gold, answer)


def _side(case: CauseCase, relation: Causal) -> Side | None:
    """Which of the two marked stretches is named as the cause of the other."""
    cause, effect = ((_overlap(span, case.first), _overlap(span, case.second)) for span in (relation.cause, relation.effect))
    if cause == (True, False) and effect == (False, True):
        return "first"
    if cause == (False, True) and effect == (True, False):
        return "second"
    return None


def _overlap(one: Span, other: Span) -> bool:
    return max(one[0], other[0]) < min(one[1], other[1])


def engine(text: str) -> list[Causal]:
    """The engine's rules: edges of the kind `causes` that are not denied, since the sets label causes and effects only."""
    return [Causal(link.cause, link.effect) for link in find_causes(text) if link.kind == "causes" and not link.negated]


_EFFECT_FIRST: Final = re.compile(r"\b(?:caused by|because of|due to|results? from|resulted from|resulting from)\b")
_CAUSE_FIRST: Final = re.compile(r"\b(?:causes?|caused|leads? to|led to|results? in|resulted in|resulting in)\b")


def cues(text: str) -> list[Causal]:
    """The trivial extractor: the first cue splits the text into a cause and an effect."""
    for cue, effect_first in ((_EFFECT_FIRST, True), (_CAUSE_FIRST, False)):
        if match := cue.search(text):
            before, behind = (0, match.start()), (match.end(), len(text))
            return [Causal(behind, before) if effect_first else Causal(before, behind)]
    return []
