"""What every kind of labelling suite is made of: labelled sets, systems, judged cases, and measures as ratios of counts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from illumina.canonical import dumps

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

CaseT = TypeVar("CaseT", bound="DataclassInstance")
SystemT = TypeVar("SystemT")


@dataclass(frozen=True, slots=True)
class LabelledSet(Generic[CaseT]):
    """Labelled cases from one source.

    Attributes:
        name: The set's name, such as `duckling`.
        cases: In the order of the source.
        counts: What the loader saw and what it did about the source's traps.
        digest: SHA-256 in hexadecimal over all cases.
    """

    name: str
    cases: Sequence[CaseT]
    counts: Mapping[str, int] = field(default_factory=dict)
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        digest = hashlib.sha256(dumps([asdict(case) for case in self.cases])).hexdigest()
        object.__setattr__(self, "digest", digest)


@dataclass(frozen=True, slots=True)
class Judged:
    """What one system's answer to one case is worth.

    Attributes:
        case: The case's id, unique in its set.
        group: Its class.
        cluster: What it was sampled with; intervals resample clusters.
        counts: A number for each of the kind's columns that is not 0.
        shown: The case, for reading.
        gold: What was expected, for reading.
        answer: What the system said, for reading.
        apart: Whether it is reported by class only and left out of the set's own figures.
    """

    case: str
    group: str
    cluster: str
    counts: Mapping[str, int]
    shown: str
    gold: str
    answer: str
    apart: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """A ratio of two sums of columns over cases; a column may count twice.

    Attributes:
        name: Such as `precision`.
        above: The columns of the numerator.
        below: The columns of the denominator.
        meaning: What is divided by what, for the report.
    """

    name: str
    above: tuple[str, ...]
    below: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class Kind(Generic[CaseT, SystemT]):
    """One kind of labelling suite.

    Attributes:
        name: Its name, which a suite gives as `kind`.
        sets: Set name to its loader, which takes the data folder.
        systems: Name to what is measured. Trivial ones stand here for a floor; an engine's own joins them.
        judge: The worth of a system's answers to a set, a row a case.
        columns: What a row counts.
        measures: In report order; the first is the one to look at.
        own: The sets that come with the project and need no data folder.
    """

    name: str
    sets: Mapping[str, Callable[[Path | None], LabelledSet[CaseT]]]
    systems: Mapping[str, SystemT]
    judge: Callable[[LabelledSet[CaseT], SystemT], Iterable[Judged]]
    columns: tuple[str, ...]
    measures: tuple[Measure, ...]
    own: tuple[str, ...] = ()


AnyKind = Kind[Any, Any]


def precision_recall_f1(what: str) -> tuple[Measure, Measure, Measure]:
    """The three measures over the columns `right`, `predicted` and `gold`."""
    return (
        Measure("precision", ("right",), ("predicted",), f"{what} that are right, of those predicted"),
        Measure("recall", ("right",), ("gold",), f"{what} that are found, of those labelled"),
        Measure("f1", ("right", "right"), ("predicted", "gold"), "the harmonic mean of precision and recall"),
    )
