"""Feasts that follow the moon itself: Islamic, Chinese, Hindu and Buddhist ones, from the positions of sun and moon.

Sources: Meeus, *Astronomical Algorithms*, chapters 25, 47 and 49, the largest terms only: a new moon within some minutes, a
longitude within 0.1 degrees. Where a feast hangs on less than that, or is fixed by sight or decree, it may be a day off.
Days are proleptic Gregorian day numbers, moments are such numbers with a fraction, in UTC.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from math import floor, radians, sin
from typing import Final

from illumina.retain.dates.calendars import islamic_estimate

_JULIAN: Final = 1_721_424.5
"""The Julian date of the day number 0."""
_LUNATION: Final = 29.530588861
_MECCA: Final = 0.63
"""UTC of sunset there, about 15:10: a conjunction before it begins the month on the next day."""
_INDIA: Final = 5.5 / 24
_CHINA: Final = 8 / 24


def _terms(table: tuple[tuple[float, float], ...]) -> float:
    return sum(size * sin(radians(angle)) for size, angle in table)


@lru_cache(maxsize=4096)
def new_moon(number: int) -> float:
    """The moment of a new moon; 0 is that of 6 January 2000."""
    t = number / 1236.85
    sun = 2.5534 + 29.1053567 * number
    moon = 201.5643 + 385.81693528 * number + 0.0107582 * t * t
    node = 160.7108 + 390.67050284 * number - 0.0016118 * t * t
    shift = _terms(
        (
            (-0.4072, moon),
            (0.17241, sun),
            (0.01608, 2 * moon),
            (0.01039, 2 * node),
            (0.00739, moon - sun),
            (-0.00514, moon + sun),
            (0.00208, 2 * sun),
            (-0.00111, moon - 2 * node),
            (-0.00057, moon + 2 * node),
        )
    )
    return 2451550.09766 + _LUNATION * number + 0.00015437 * t * t + shift - _JULIAN


def _nearest(moment: float) -> int:
    """The number of the new moon nearest to a moment."""
    return round((moment + _JULIAN - 2451550.1) / _LUNATION)


def _sun(moment: float) -> float:
    """Its longitude in degrees."""
    t = (moment + _JULIAN - 2451545) / 36525
    anomaly = 357.52911 + 35999.05029 * t
    return (280.46646 + 36000.76983 * t + _terms(((1.914602, anomaly), (0.019993, 2 * anomaly)))) % 360


def _moon(moment: float) -> float:
    """Its longitude in degrees."""
    t = (moment + _JULIAN - 2451545) / 36525
    elongation = 297.8501921 + 445267.1114034 * t
    sun = 357.5291092 + 35999.0502909 * t
    moon = 134.9633964 + 477198.8675055 * t
    node = 93.272095 + 483202.0175233 * t
    return (
        218.3164477
        + 481267.88123421 * t
        + _terms(
            (
                (6.288774, moon),
                (1.274027, 2 * elongation - moon),
                (0.658314, 2 * elongation),
                (0.213618, 2 * moon),
                (-0.185116, sun),
                (-0.114332, 2 * node),
                (0.058793, 2 * elongation - 2 * moon),
                (0.057066, 2 * elongation - sun - moon),
                (0.053322, 2 * elongation + moon),
                (0.045758, 2 * elongation - sun),
                (-0.040923, sun - moon),
                (-0.03472, elongation),
                (-0.030383, sun + moon),
            )
        )
    ) % 360


def islamic(year: int, month: int, day: int) -> int:
    """The first such day of the Islamic calendar in a Gregorian year, a month beginning the day after its new moon.

    Raises:
        ValueError: There is none in it.
    """
    for estimate in islamic_estimate(year, month):
        first = floor(new_moon(_nearest(estimate - 1)) - _MECCA) + 2
        if date.fromordinal(first + day - 1).year == year:
            return first + day - 1
    raise ValueError


def chinese_new_year(year: int) -> int:
    """The new moon in China between 21 January and 20 February."""
    return floor(new_moon(_nearest(date(year, 2, 4).toordinal())) + _CHINA)


_CHAITRA: Final = ("chaitra", "vaishakha", "jyeshtha", "ashadha", "shravana", "bhadrapada", "ashvina", "kartika")
HINDU_MONTHS: Final = (*_CHAITRA, "margashirsha", "pausha", "magha", "phalguna")


def _sign(number: int) -> int:
    """The sidereal sign that the sun is in at a new moon."""
    moment = new_moon(number)
    return floor((_sun(moment) - 23.85 - 0.01397 * (moment - 730120) / 365.25) % 360 / 30)


@lru_cache(maxsize=1024)
def hindu(year: int, month: str, lunar_day: int, hour: float = 6) -> int:
    """The day of a Gregorian year on which a lunar day of a month (from new moon to new moon) lasts at an hour in India.

    Raises:
        ValueError: There is none in it.
    """
    wanted = (HINDU_MONTHS.index(month) - 1) % 12
    first = _nearest(date(year, 1, 1).toordinal())
    for number in range(first - 2, first + 14):
        # A month in which the sun enters no new sign is a leap month; the feast is in the next.
        if _sign(number) != wanted or _sign(number + 1) == wanted:
            continue
        day = floor(new_moon(number) + _INDIA) + lunar_day - 3
        while _lunar_day(day + hour / 24 - _INDIA, new_moon(number)) < lunar_day:
            day += 1
        if _lunar_day(day + hour / 24 - _INDIA, new_moon(number)) > lunar_day:
            day -= 1  # the lunar day has none to itself
        if date.fromordinal(day).year == year:
            return day
    raise ValueError


def _lunar_day(moment: float, new: float) -> int:
    """The number, from 1, of a lunar day since a new moon; 0 and 31 are those before and after the month."""
    turned = (_moon(moment) - _sun(moment)) % 360
    age = moment - new
    if age < 2 and turned > 300:
        return 0
    if age > 27 and turned < 60:
        return 31
    return floor(turned / 12) + 1
