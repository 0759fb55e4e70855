"""Times that come again: weekdays, days of a month, months, holidays, seasons."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal

from illumina.retain.dates.units import Whole, day, floor, local, period

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Cycle = Literal["week", "month", "year"]

_REACH: Final[dict[Cycle, int]] = {"week": 2, "month": 48, "year": 12}
"""Cycles to look at on either side: 29 February may be 8 years away, and a weekday on it 12 (28 is never asked for)."""


@dataclass(frozen=True, slots=True)
class Recurring:
    """What happens at most once a cycle.

    Attributes:
        cycle: How often.
        at: The occurrence of a cycle, which is named by its first moment; None or ValueError if it has none.
        name: What kind it is, for the grammar's own decisions: `weekday`, `monthday`, `month`, `date`, `holiday` or `season`.
    """

    cycle: Cycle
    at: Callable[[datetime], Whole | None]
    name: str

    def _walk(self, moment: datetime, step: int) -> Iterator[Whole]:
        here = floor(moment, self.cycle)
        for offset in range(-1, _REACH[self.cycle] + 1):
            try:
                found = self.at(period(here, self.cycle, step * offset).start)
            except (ValueError, OverflowError):
                continue
            if found is not None:
                yield found

    def coming(self, moment: datetime) -> Whole:
        """The one that lasts at `moment` or is the next to begin.

        Raises:
            ValueError: There is none near.
        """
        return _first(found for found in self._walk(moment, 1) if found.end > moment)

    def next(self, moment: datetime, nth: int = 1) -> Whole:
        """The `nth` to begin after `moment`; raises ValueError if there is none near."""
        if self.cycle == "week" and nth > 1:
            return self.next(moment + timedelta(days=7), nth - 1)
        after = [found for found in self._walk(moment, 1) if found.start > moment]
        return _first(iter(after[nth - 1 :]))

    def last(self, moment: datetime, nth: int = 1) -> Whole:
        """The `nth`, backwards, that was over at `moment`; raises ValueError if there is none near."""
        if self.cycle == "week" and nth > 1:
            return self.last(moment - timedelta(days=7), nth - 1)
        before = [found for found in self._walk(moment, -1) if found.end <= moment]
        return _first(iter(before[nth - 1 :]))

    def within(self, whole: Whole) -> Whole | None:
        """The first that begins within a period."""
        start = floor(whole.start, self.cycle)
        for offset in range(_REACH[self.cycle] + 2):
            cycle = period(start, self.cycle, offset).start
            if cycle >= whole.end:
                break
            try:
                found = self.at(cycle)
            except ValueError:
                continue
            if found is not None and whole.start <= found.start < whole.end:
                return found
        return None


def _first(found: Iterator[Whole]) -> Whole:
    for one in found:
        return one
    raise ValueError


def weekday(number: int) -> Recurring:
    """A day of the week, Monday 0."""
    return Recurring("week", lambda start: period(start + timedelta(days=number), "day"), "weekday")


def monthday(number: int, on: int | None = None) -> Recurring:
    """A day of the month; if `on` is a weekday, only where it falls on that."""

    def at(start: datetime) -> Whole | None:
        return _on(day(start.year, start.month, number), on)

    return Recurring("month", at, "monthday")


def month(number: int) -> Recurring:
    """A month of the year."""
    return Recurring("year", lambda start: period(start.replace(month=number), "month"), "month")


def date(month_number: int, number: int, on: int | None = None) -> Recurring:
    """A day of the year; if `on` is a weekday, only where it falls on that."""

    def at(start: datetime) -> Whole | None:
        return _on(day(start.year, month_number, number), on)

    return Recurring("year", at, "date")


def _on(found: Whole, weekday_number: int | None) -> Whole | None:
    return found if weekday_number is None or found.start.weekday() == weekday_number else None


_SEASONS: Final = {
    # Astronomical; the day of the change, which varies by a day, belongs to both.
    "spring": ((3, 20), (6, 22)),
    "summer": ((6, 21), (9, 24)),
    "autumn": ((9, 23), (12, 22)),
    "fall": ((9, 23), (12, 22)),
    "winter": ((12, 21), (3, 21)),
}
SEASONS: Final = frozenset(_SEASONS)


def season(name: str) -> Recurring:
    """A season of the northern hemisphere; a winter is of the year it begins in."""
    (month_from, day_from), (month_to, day_to) = _SEASONS[name]

    def at(start: datetime) -> Whole:
        first = local(start.year, month_from, day_from)
        return Whole(first, local(start.year + (month_to < month_from), month_to, day_to), "day")

    return Recurring("year", at, "season")
