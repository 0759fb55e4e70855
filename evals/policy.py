"""What a suite's `[gate]` declares: which measures are judged, what is a regression's size, which queries must pass.

```toml
[gate]
baseline = "../../reports/baselines/core.json"   # relative to the suite's file
alpha = 0.05                                     # over the whole family of measures

[gate.measures.ndcg_at_10]                       # the family: each is tested for `fusion`, p adjusted by Holm
tolerance = 0.01                                 # a loss up to this, in the measure's own units, is too small to fail
direction = "higher"                             # which way is better
decimals = 3                                     # as reports show it

[gate.must_pass]                                 # query = the rank its best gold unit must keep, if it had it
q001 = 3
```

None of it is part of a run's identity: it judges results and changes none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from evals.errors import SuiteError
from evals.significance import ALPHA
from evals.types import FUSION

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

Direction = Literal["higher", "lower"]

_KEYS: Final = ("baseline", "alpha", "measures", "must_pass")
_MEASURE_KEYS: Final = ("tolerance", "direction", "decimals")
_MOST_DECIMALS: Final = 9


@dataclass(frozen=True, slots=True)
class GateMeasure:
    """How one measure is judged.

    Attributes:
        name: One of the suite's measures.
        tolerance: The largest loss that is too small to be a regression.
        direction: Which way is better.
        decimals: With how many decimals reports show it.
    """

    name: str
    tolerance: float
    direction: Direction = "higher"
    decimals: int = 3

    def loss(self, difference: float) -> float:
        """How much worse new − old is; negative where it is better."""
        return -difference if self.direction == "higher" else difference


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """How changes to a suite's figures are judged.

    Attributes:
        baseline: Where the committed baseline is.
        measures: The family that is tested, in report order; the first orders lost and won queries.
        alpha: The level of significance over the family.
        must_pass: Query to the rank that its best gold unit must not fall behind.
    """

    baseline: Path
    measures: tuple[GateMeasure, ...]
    alpha: float = ALPHA
    must_pass: Mapping[str, int] = field(default_factory=dict)

    @property
    def acknowledged(self) -> Path:
        """Where acknowledgements are: beside the baseline, one line each."""
        return self.baseline.with_name(f"{self.baseline.stem}.acknowledged.jsonl")


def parse_gate(written: Mapping[str, Any], measures: Collection[str], systems: Collection[str], folder: Path) -> GatePolicy:
    """The policy of a suite's `[gate]` table.

    Args:
        written: The table.
        measures: The suite's measures.
        systems: The suite's systems.
        folder: Where the suite's file is.

    Raises:
        SuiteError: Something in it is unknown, missing or not what it must be.
    """
    _known("gate", written, _KEYS)
    if FUSION not in systems:
        raise SuiteError(f"The gate judges {FUSION!r}, which is not among the systems. Add it, or take out [gate].")
    baseline = written.get("baseline")
    if type(baseline) is not str or not baseline:
        raise SuiteError(f"gate.baseline is {baseline!r}; it must be the path of the committed baseline.")
    alpha = written.get("alpha", ALPHA)
    if type(alpha) is not float or not 0 < alpha < 1:
        raise SuiteError(f"gate.alpha is {alpha!r}; it must be a number between 0 and 1.")
    chosen = written.get("measures")
    if type(chosen) is not dict or not chosen:
        raise SuiteError("gate.measures names no measure. Give at least one table [gate.measures.NAME].")
    must_pass = written.get("must_pass", {})
    if type(must_pass) is not dict:
        raise SuiteError(f"gate.must_pass is {must_pass!r}; it must be a table of queries and ranks.")
    for query, rank in must_pass.items():
        if type(rank) is not int or rank < 1:
            raise SuiteError(f"gate.must_pass.{query} is {rank!r}; it must be a rank of at least 1.")
    return GatePolicy(
        baseline=(folder / baseline).resolve(),
        measures=tuple(_measure(name, table, measures) for name, table in chosen.items()),
        alpha=alpha,
        must_pass=dict(must_pass),
    )


def _measure(name: str, written: object, measures: Collection[str]) -> GateMeasure:
    where = f"gate.measures.{name}"
    if name not in measures:
        raise SuiteError(f"{where} is not among the suite's measures, {', '.join(measures)}.")
    if not isinstance(written, dict):
        raise SuiteError(f"{where} is {written!r}; it must be a table.")
    _known(where, written, _MEASURE_KEYS)
    tolerance = written.get("tolerance")
    if type(tolerance) not in (int, float) or not 0 <= cast("float", tolerance) < math.inf:
        raise SuiteError(f"{where}.tolerance is {tolerance!r}; it must be a number of at least 0.")
    direction = written.get("direction", "higher")
    if direction not in ("higher", "lower"):
        raise SuiteError(f"{where}.direction is {direction!r}; it must be 'higher' or 'lower'.")
    decimals = written.get("decimals", 3)
    if type(decimals) is not int or not 0 <= decimals <= _MOST_DECIMALS:
        raise SuiteError(f"{where}.decimals is {decimals!r}; it must be an integer from 0 to {_MOST_DECIMALS}.")
    return GateMeasure(name, float(cast("float", tolerance)), direction, decimals)


def _known(where: str, written: Mapping[str, Any], known: Collection[str]) -> None:
    for key in written:
        if key not in known:
            raise SuiteError(f"{where} has the unknown key {key!r}. Known are {', '.join(known)}.")
