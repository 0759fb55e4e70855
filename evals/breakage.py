"""What broke a query: which arm lost the relevant unit whose fall cost the most.

A fused ranking falls for two reasons: an arm ranks the unit lower than it did, or no arm does and the fusion itself, or
what it now ranks above the unit, pushes it down. Ranks are known as deep as the suite records them, so a fall below that
depth in an arm shows as the fusion's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from evals.comparison import GoldMove, QueryDelta

FUSION_ONLY: Final = "fusion only"
"""Said where no arm ranks the unit lower than before."""


@dataclass(frozen=True, slots=True)
class Breakage:
    """The relevant unit that fell furthest, and the arms that let it fall.

    Attributes:
        gold: The unit, with its old and new rank in the lead system and in each arm.
        arms: The arms that rank it lower than before, the greatest loss of reciprocal rank first.
    """

    gold: GoldMove
    arms: tuple[str, ...]

    @property
    def culprit(self) -> str:
        """The arm that lost most, or that it was none."""
        return self.arms[0] if self.arms else FUSION_ONLY

    def __str__(self) -> str:
        if not self.arms:
            return FUSION_ONLY
        return ", ".join(f"{arm} {move(*self.gold.arms[arm])}" for arm in self.arms)


def breakage(query: QueryDelta) -> Breakage | None:
    """What broke a query; None if none of its relevant units fell, or the runs have no arms to tell apart."""
    gold = max((gold for gold in query.gold if gold.arms), key=cost, default=None)
    if gold is None or cost(gold) <= 0:
        return None
    losses = {arm: _reciprocal(old) - _reciprocal(new) for arm, (old, new) in gold.arms.items()}
    return Breakage(gold, tuple(sorted((arm for arm, loss in losses.items() if loss > 0), key=lambda arm: -losses[arm])))


def cost(gold: GoldMove) -> float:
    """What a unit's fall costs as nDCG weighs it, the grade over the logarithm of the rank; below 0 if it rose."""
    return gold.grade * (_gain(gold.old) - _gain(gold.new))


def move(old: int, new: int) -> str:
    """Two ranks for a reader, a unit that was not retrieved having none."""
    return f"{old or '–'} → {new or '–'}"


def _gain(rank: int) -> float:
    return 1 / math.log2(1 + rank) if rank else 0.0


def _reciprocal(rank: int) -> float:
    return 1 / rank if rank else 0.0
