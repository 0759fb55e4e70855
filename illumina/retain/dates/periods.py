"""Weeks by number or by a day in them, quarters, halves, decades and centuries."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from illumina.retain.dates.nested import container, half
from illumina.retain.dates.reader import century_of
from illumina.retain.dates.recurring import monthday
from illumina.retain.dates.relative import weekend, weekend_of
from illumina.retain.dates.units import Unit, Whole, local, period
from illumina.retain.dates.vocabulary import DECADES, TOLD

if TYPE_CHECKING:
    from illumina.retain.dates.grammar import Found, Grammar

_STARTING: Final = frozenset(("starting", "commencing", "beginning", "ending"))


def quarter(g: Grammar, at: int) -> Found:
    """`Q3`, `2018Q4`, `FY26 Q2`, `h2 2019`, `q1 of 2017`, `third quarter 2018`, `the first half of next year`."""
    figure = g.figure(at)
    if figure is not None and 1 <= figure <= 4 and g.low(at + 1) in ("q", "h") and g.touches(at + 1):
        return _turned(g, figure, at)
    year, start = _year_before(g, at)
    if g.low(start) not in ("q", "h") or not g.touches(start + 1):
        worded = _worded(g, start) if year else None
        if worded and year and isinstance(worded[0], Whole) and worded[0].start.year == g.now.year:
            return period(worded[0].start.replace(year=year), "quarter"), worded[1]
        return _worded(g, at)
    unit: Unit = "quarter" if g.low(start) == "q" else "half"
    low, behind = g.low(start + 1), start + 2
    if g.kind(start + 1) == "my" and year is None:
        low, _, four = low.replace("/", "-").partition("-")
        year = int(four)
    if low not in ("1", "2", "3", "4")[: 4 if unit == "quarter" else 2]:
        return None
    if year is None:
        year, behind = _year_behind(g, behind)
    if year is None and unit == "half":
        return None
    return period(local(year or g.now.year), unit, int(low) - 1), behind


def _year_before(g: Grammar, at: int) -> tuple[int | None, int]:
    """The year that a quarter follows: `2018`, `18` if it touches, `FY26`."""
    start = at + 1 if g.low(at) == "fy" else at
    figure, width = g.figure(start), len(g.low(start))
    if figure is None or width not in (2, 4):
        return None, at
    behind = g.skip(start + 1, "-", ",")
    if width == 2 and start == at and not (behind == at + 1 and g.touches(behind)):
        return None, at
    return (figure if width == 4 else century_of(figure)), behind


def _turned(g: Grammar, number: int, at: int) -> Found:
    """`1Q 2020`, `2H19`."""
    year, behind = _year_behind(g, at + 2)
    unit: Unit = "quarter" if g.low(at + 1) == "q" else "half"
    return (period(local(year), unit, number - 1), behind) if year and (unit == "quarter" or number < 3) else None


def _year_behind(g: Grammar, at: int) -> tuple[int | None, int]:
    """The year that follows a quarter, as itself, as `FY25` or as `last year`."""
    inner = g.skip(at, "of", "-", ",", "in")
    if (dated := g.year(inner)) is not None:
        return dated
    if g.low(inner) == "fy" and (short := g.figure(inner + 1)) is not None and short < 3000:
        return (century_of(short) if short < 100 else short), inner + 2
    outer = g.date(inner)
    if outer and isinstance(outer[0], Whole) and outer[0].precision == "year":
        return outer[0].start.year, outer[1]
    return None, at


def _worded(g: Grammar, at: int) -> Found:
    start = g.skip(at, "the")
    outer = g.date(start) if g.low(start) in TOLD else None
    possessive = outer is not None and g.low(outer[1] - 1).endswith("'s") and outer[1] > start
    found = g.ordinal(outer[1] if possessive and outer else start) if start >= at else None
    if g.low(start) == "last" and g.low(start + 1) in ("half", "quarter", "qtr") and not possessive:
        found = (2 if g.low(start + 1) == "half" else 4), start + 1
        if g.low(start + 2) not in ("of", "in"):
            return None
    if found is None or g.low(found[1]) not in ("quarter", "qtr", "half") or found[0] > 4:
        return None
    unit: Unit = "half" if g.low(found[1]) == "half" else "quarter"
    if possessive and outer and isinstance(outer[0], Whole):
        return period(outer[0].start, unit, found[0] - 1), found[1] + 1
    within = container(g, found[1] + 1)
    if within is None:
        if unit == "half" or not (g.ends(found[1] + 1)):
            return None
        return period(period(g.now, "year").start, unit, found[0] - 1), found[1] + 1
    whole = g.settle(within[0])
    if unit == "half":
        return half(whole, found[0]), within[1]
    return period(whole.start, unit, found[0] - 1), within[1]


def decade(g: Grammar, at: int) -> Found:
    """`the 1990s`, `1970's`, `the 90s`, `the seventies`, `21st century`."""
    start = g.skip(at, "the")
    start = g.skip(start, "'")
    figure = g.figure(start)
    behind = start + 1
    if figure is not None and g.low(behind) in ("s", "'") and (g.touches(behind) or g.closes(behind + 1)):
        behind = behind + 1 if g.low(behind) == "s" else g.skip(behind + 1, "s")
        told = start > at or figure >= 1000 or g.low(at - 1) in ("early", "mid", "late", "-")
        if g.low(behind - 1) != "s" or figure % 10 or not told:
            return None
        if figure < 100:
            figure += 2000 if figure < 30 else 1900
        return period(local(figure, 1, 1), "decade"), behind
    if g.low(start) in DECADES and start > at:
        return period(local(DECADES[g.low(start)], 1, 1), "decade"), behind
    if g.low(start) == "two" and g.low(start + 1) in ("thousands", "thousand"):
        if g.low(start + 1) == "thousands":
            return period(local(2000, 1, 1), "decade"), start + 2
        tens = {"tens": 10, "twenties": 20}.get(g.low(g.skip(start + 2, "and")))
        return (period(local(2000 + tens, 1, 1), "decade"), g.skip(start + 2, "and") + 1) if tens else None
    numbered = g.ordinal(start)
    if numbered and g.low(g.skip(numbered[1], "-")) == "century" and numbered[0] >= 2:
        return period(local((numbered[0] - 1) * 100, 1, 1), "century"), g.skip(numbered[1], "-") + 1
    return None


def week(g: Grammar, at: int) -> Found:
    """`week 31`, `2016-W45`, `the week of April 10th`, `w/c Feb 4`, `the week commencing Monday`."""
    dated = g.year(at) if g.kind(at) == "num" else None
    if dated and g.low(g.skip(dated[1], "-")) == "w" and (number := g.figure(g.skip(dated[1], "-") + 1)):
        return period(datetime.fromisocalendar(dated[0], number, 1), "week"), g.skip(dated[1], "-") + 2
    start = g.skip(at, "the")
    start = g.skip(start, "calendar", "iso")
    if g.low(start) in ("week", "wk", "w", "cw", "kw"):
        number = g.figure(g.skip(start + 1, "#", "number"))
        touching = g.low(start) in ("week", "wk") or (g.touches(start + 1) and g.written(start).isupper())
        if number and 1 <= number <= 53 and touching:
            behind = g.skip(start + 1, "#", "number") + 1
            year = g.year(g.skip(behind, "of", "in", ",", "/"))
            first = datetime.fromisocalendar(year[0] if year else g.now.isocalendar().year, number, 1)
            return period(first, "week"), year[1] if year else behind
    words = (g.low(start), g.low(start + 1), g.low(start + 2))
    exact = words == ("w", "/", "c") or (words[0] in ("week", "weeks") and words[1] in _STARTING)
    ends = weekend(g, start)
    if not exact and words[:2] != ("week", "of") and (ends is None or g.low(ends) != "of"):
        return None
    inner = ends + 1 if ends is not None else start + (3 if words[0] == "w" else 2)
    inner = g.skip(g.skip(inner, "on", "from"), "the")
    found = g.date(inner)
    if found is None and (numbered := g.ordinal(inner)) and numbered[0] <= 31:
        found = monthday(numbered[0]), numbered[1]
    if found is None:
        return None
    day = g.settle(found[0])
    if not day.is_day:
        return None
    if ends is not None:
        return weekend_of(period(day.start, "week")), found[1]
    monday = period(day.start, "week")
    return Whole(monday.start, monday.end, "day" if exact else "week"), found[1]
