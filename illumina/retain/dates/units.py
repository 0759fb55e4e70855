"""Calendar arithmetic on naive local times: units, their periods, and how finely an end is known."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

Precision = Literal["second", "minute", "hour", "day", "week", "month", "quarter", "year"]
Unit = Literal["second", "minute", "hour", "day", "week", "month", "quarter", "half", "year", "decade", "century"]

PRECISIONS: Final[tuple[Precision, ...]] = ("second", "minute", "hour", "day", "week", "month", "quarter", "year")
_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_MONTHS: Final = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}
_PRECISION: Final[dict[Unit, Precision]] = {"half": "month", "decade": "year", "century": "year"}


@dataclass(frozen=True, slots=True)
class Period:
    """A half-open stretch of local time; an open side is None."""

    start: datetime | None
    end: datetime | None
    precision: Precision


@dataclass(frozen=True, slots=True)
class Whole(Period):
    """A stretch with both ends."""

    start: datetime
    end: datetime

    @property
    def is_day(self) -> bool:
        """Whether it is one calendar day, so that a time of day can be put into it."""
        return self.precision == "day" and self.end - self.start == timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Edge(Whole):
    """The beginning, middle or end of a stretch; "before the end of May" is bounded by May, not by its last days."""

    of: Whole


def local(year: int, month: int = 1, day: int = 1, hour: int = 0, minute: int = 0, second: int = 0) -> datetime:
    """A moment of local time; all of this package reckons without zones, and the answer gets the reference's.

    Raises:
        ValueError: There is no such moment.
    """
    return datetime(year, month, day, hour, minute, second)  # noqa: DTZ001 - see above


def finer(one: Precision, other: Precision) -> Precision:
    """The finer of two precisions."""
    return min(one, other, key=PRECISIONS.index)


def floor(moment: datetime, unit: Unit) -> datetime:
    """The beginning of the unit that `moment` lies in; weeks begin on Monday."""
    if unit == "second":
        return moment.replace(microsecond=0)
    if unit == "minute":
        return moment.replace(second=0, microsecond=0)
    if unit == "hour":
        return moment.replace(minute=0, second=0, microsecond=0)
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "day":
        return day
    if unit == "week":
        return day - timedelta(days=day.weekday())
    if unit in ("decade", "century"):
        return day.replace(year=day.year - day.year % (_MONTHS[unit] // 12), month=1, day=1)
    return day.replace(month=(day.month - 1) // _MONTHS[unit] * _MONTHS[unit] + 1, day=1)


def shift(moment: datetime, unit: Unit, count: int) -> datetime:
    """`moment` moved by units; a day that its new month lacks becomes the month's last.

    Raises:
        OverflowError: The result is outside the years 1 to 9999.
        ValueError: The same.
    """
    if unit in _SECONDS:
        return moment + timedelta(seconds=_SECONDS[unit] * count)
    year, month = divmod(moment.year * 12 + moment.month - 1 + _MONTHS[unit] * count, 12)
    first = moment.replace(year=year, month=month + 1, day=1)
    return first.replace(day=min(moment.day, days_in_month(first)))


def days_in_month(moment: datetime) -> int:
    """How many days the month of `moment` has."""
    if moment.month == 12:
        return 31
    return (moment.replace(month=moment.month + 1, day=1) - moment.replace(day=1)).days


def period(moment: datetime, unit: Unit, offset: int = 0, count: int = 1) -> Whole:
    """`count` whole units, the first of them `offset` units from the one that `moment` lies in."""
    start = shift(floor(moment, unit), unit, offset)
    return Whole(start, shift(start, unit, count), _PRECISION.get(unit, unit))  # type: ignore[arg-type]


def day(year: int, month: int, number: int) -> Whole:
    """A calendar day.

    Raises:
        ValueError: There is no such day.
    """
    return period(local(year, month, number), "day")


def nth_weekday(within: Whole, weekday: int, nth: int) -> Whole | None:
    """The `nth` such weekday of a period, from its end if `nth` is negative; None if it has not so many."""
    if nth > 0:
        start = within.start + timedelta(days=(weekday - within.start.weekday()) % 7 + 7 * (nth - 1))
    else:
        last = within.end - timedelta(days=1)
        start = last - timedelta(days=(last.weekday() - weekday) % 7 + 7 * (-nth - 1))
    return period(start, "day") if within.start <= start < within.end else None


def nth_unit(within: Whole, unit: Unit, nth: int) -> Whole | None:
    """The `nth` unit of a period, from its end if negative. A week belongs where its Thursday lies, as in ISO 8601."""
    if unit == "week":
        thursday = nth_weekday(within, 3, nth)
        return period(thursday.start, "week") if thursday else None
    anchor, offset = (within.start, nth - 1) if nth > 0 else (within.end - timedelta(seconds=1), nth + 1)
    found = period(anchor, unit, offset)
    return found if within.start <= found.start and found.end <= within.end else None
