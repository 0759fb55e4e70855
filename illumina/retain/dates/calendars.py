"""Church and Jewish calendars, and the tabular Islamic one, as arithmetic on proleptic Gregorian day numbers (`toordinal`).

Sources: Meeus, *Astronomical Algorithms* (Easter); Reingold and Dershowitz, *Calendrical Calculations*.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEBREW_EPOCH: Final = -1_373_427
_ISLAMIC_EPOCH: Final = 227_015


def easter(year: int) -> int:
    """Easter Sunday of the western churches."""
    century, golden = year // 100, year % 19
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    to_sunday = (32 + 2 * (century % 4) + 2 * (year % 100 // 4) - moon - year % 100 % 4) % 7
    late = (golden + 11 * moon + 22 * to_sunday) // 451
    month, day = divmod(moon + to_sunday - 7 * late + 114, 31)
    return date(year, month, day + 1).toordinal()


def orthodox_easter(year: int) -> int:
    """Easter Sunday of the eastern churches."""
    moon = (19 * (year % 19) + 15) % 30
    month, day = divmod(moon + (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7 + 114, 31)
    return date(year, month, day + 1).toordinal() + year // 100 - year // 400 - 2


def _hebrew_elapsed(year: int) -> int:
    months = (235 * year - 234) // 19
    days = 29 * months + (12_084 + 13_753 * months) // 25_920
    return days + 1 if 3 * (days + 1) % 7 < 3 else days


def _hebrew_new_year(year: int) -> int:
    before, here, after = (_hebrew_elapsed(one) for one in (year - 1, year, year + 1))
    delay = 2 if after - here == 356 else 1 if here - before == 382 else 0
    return _HEBREW_EPOCH + here + delay


HEBREW_MONTHS: Final = (
    *("tishri", "heshvan", "kislev", "tevet", "shevat", "adar i", "adar", "nisan", "iyar", "sivan", "tammuz", "av", "elul"),
)


def hebrew(gregorian_year: int, month: str, day: int) -> int:
    """The day of the Jewish calendar that falls in a Gregorian year."""
    for year in (gregorian_year + 3760, gregorian_year + 3761):
        start = _hebrew_new_year(year)
        length = _hebrew_new_year(year + 1) - start
        leap = length > 380
        lengths = (30, 29 + (length % 10 == 5), 30 - (length % 10 == 3), 29, 30, 30 * leap, 29, 30, 29, 30, 29, 30, 29)
        number = start + sum(lengths[: HEBREW_MONTHS.index(month)]) + day - 1
        if date.fromordinal(number).year == gregorian_year:
            return number
    raise ValueError


def islamic_estimate(gregorian_year: int, month: int) -> Iterator[int]:
    """First days of a month of the tabular Islamic calendar around a Gregorian year; the moon's may differ by two days."""
    first = (date(gregorian_year, 1, 1).toordinal() - _ISLAMIC_EPOCH) * 30 // 10_631
    for year in range(first, first + 3):
        yield _ISLAMIC_EPOCH + (year - 1) * 354 + (3 + 11 * year) // 30 + 29 * (month - 1) + month // 2
