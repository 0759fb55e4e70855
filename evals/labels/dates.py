"""Dates: from an expression and a reference time to a half-open interval with a precision."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal

from evals.labels.kinds import Judged, Measure
from illumina.retain.dates import find_dates

if TYPE_CHECKING:
    from evals.labels.kinds import LabelledSet

Precision = Literal["second", "minute", "hour", "day", "week", "month", "quarter", "year"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A half-open stretch of time; a side without an end is None.

    Attributes:
        start: Its first moment, with a zone.
        end: The first moment behind it, with a zone.
        precision: How finely its ends are known: `day` for "from 3 to 5 May", `month` for "in May".
    """

    start: datetime | None
    end: datetime | None
    precision: Precision

    def __str__(self) -> str:
        ends = (moment.isoformat(timespec="seconds") if moment else "…" for moment in (self.start, self.end))
        return f"[{', '.join(ends)}) {self.precision}"


DateNormaliser = Callable[[str, datetime], Sequence[Interval]]
"""All times that a text mentions, given the moment that its relative dates refer to, whose zone is that of the answers."""


@dataclass(frozen=True, slots=True)
class Expected:
    """One expression of a text and the intervals that are right for it; several where it has several readings."""

    expression: str
    accepted: tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class DateCase:
    """A text whose time expressions are known.

    Attributes:
        id: Unique in its set.
        text: What is read.
        reference: The moment that relative dates refer to.
        expected: The labelled expressions; none if there is nothing to find.
        group: Class of the case.
        cluster: Near copies of one another.
        exhaustive: Whether `expected` is all there is, so that any other interval is wrong.
        apart: Whether the case is reported apart.
    """

    id: str
    text: str
    reference: datetime
    expected: tuple[Expected, ...]
    group: str
    cluster: str
    exhaustive: bool = True
    apart: bool = False


COLUMNS: Final = ("expected", "right", "interval_right", "returned", "matched")
MEASURES: Final = (
    Measure("accuracy", ("right",), ("expected",), "expressions whose interval and precision were found, of those labelled"),
    Measure("interval_accuracy", ("interval_right",), ("expected",), "expressions whose interval was found, of those labelled"),
    Measure("precision", ("matched",), ("returned",), "intervals that some label accepts, of those returned"),
)


def judge(cases: LabelledSet[DateCase], system: DateNormaliser) -> Iterator[Judged]:
    """Hold every text's intervals against its labels; each returned interval answers one expression at most."""
    for case in cases.cases:
        answer = list(system(case.text, case.reference))
        counts = dict.fromkeys(COLUMNS, 0)
        counts["expected"] = len(case.expected)
        counts["right"], counts["interval_right"] = _matched(case, answer, exact=True), _matched(case, answer, exact=False)
        if case.exhaustive:
            counts["returned"], counts["matched"] = len(answer), counts["right"]
        yield Judged(
            case.id,
            case.group,
            case.cluster,
            counts,
            shown=f"{case.text} (at {case.reference.isoformat()})",
            gold="; ".join(f"{label.expression}: {' or '.join(map(str, label.accepted))}" for label in case.expected),
            answer="; ".join(map(str, answer)),
            apart=case.apart,
        )


def _matched(case: DateCase, answer: Sequence[Interval], *, exact: bool) -> int:
    """How many expressions are answered, each by an interval of its own."""
    left = list(answer)
    found = 0
    for label in case.expected:
        for interval in left:
            if any(_same(interval, accepted, exact=exact) for accepted in label.accepted):
                left.remove(interval)
                found += 1
                break
    return found


def _same(one: Interval, other: Interval, *, exact: bool) -> bool:
    return (one.start, one.end) == (other.start, other.end) and (not exact or one.precision == other.precision)


def following(start: datetime, grain: Precision) -> datetime:
    """The end of the unit that begins at `start`."""
    months = {"month": 1, "quarter": 3, "year": 12}.get(grain)
    if months is None:
        return start + timedelta(**{f"{grain}s": 1})
    years, month = divmod(start.month - 1 + months, 12)
    return start.replace(year=start.year + years, month=month + 1)


_ISO: Final = re.compile(r"(?<![\w-])(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?![\w-])")


def iso_dates(text: str, reference: datetime) -> list[Interval]:
    """The trivial normaliser: years, months and days as ISO 8601 writes them, and nothing else."""
    found = []
    for year, month, day in _ISO.findall(text):
        grain: Precision = "day" if day else "month" if month else "year"
        try:
            start = datetime(int(year), int(month or 1), int(day or 1), tzinfo=reference.tzinfo or UTC)
            found.append(Interval(start, following(start, grain), grain))
        except (ValueError, OverflowError):
            continue
    return found


def engine_dates(text: str, reference: datetime) -> list[Interval]:
    """The engine's own normaliser."""
    return [Interval(span.start, span.end, span.precision) for span in find_dates(text, reference)]
