"""Dates within dates: the n-th weekday of a month, the end of a year, the rest of a week."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from illumina.retain.dates.named import month_number
from illumina.retain.dates.recurring import Recurring, month
from illumina.retain.dates.relative import weekend, weekend_of
from illumina.retain.dates.units import Edge, Precision, Unit, Whole, local, nth_unit, nth_weekday, period, shift
from illumina.retain.dates.vocabulary import LAST, NEXT, TOLD, UNITS, WEEKDAYS

if TYPE_CHECKING:
    from illumina.retain.dates.grammar import Date, Found, Grammar

_Pick = Callable[[Whole], Whole | None]
_INNER: Final = frozenset(("day", "week", "month", "quarter"))


def _inside(date: Date, pick: _Pick) -> Date | None:
    """What `pick` takes out of a date; of a recurring one, a recurring one."""
    if isinstance(date, Whole):
        return pick(date)

    def at(cycle: datetime) -> Whole | None:
        outer = date.at(cycle)
        return pick(outer) if outer else None

    return Recurring(date.cycle, at, "date")


def nth(g: Grammar, at: int) -> Found:
    """`third Tuesday of May`, `last day of October 2015`, `2nd last week of 2018`, `20th of next month`, `first Sunday`."""
    start = g.skip(at, "the")
    number, behind = -1, g.skip(start, "last")
    if behind == start:
        found = g.ordinal(start)
        if found is None and (figure := g.figure(start)) and g.low(start + 1) == "of" and figure <= 31:
            found = figure, start + 1
        if found is None:
            return None
        number, behind = found
        to_last = g.skip(behind, "to") if g.low(behind + 1) == "last" else behind
        if g.low(to_last) == "last":
            number, behind = -number, to_last + 1
    pick, after = _picker(g, number, behind)
    if pick is None:
        return None
    if after > behind and g.low(after) in ("after", "following") and number > 0 and g.low(behind) in WEEKDAYS:
        return _after(g, number, WEEKDAYS[g.low(behind)], after + 1)
    outer = container(g, after, needs_word=after == behind)
    if outer is not None and not (after == behind and g.settle(outer[0]).precision != "month"):
        date = _inside(outer[0], pick)
        return (date, outer[1]) if date is not None else None
    bare = g.ends(after) and g.low(after) not in ("of", "in")
    if g.low(behind) in WEEKDAYS and bare and behind > start and number > 0:
        date = pick(period(g.today, "month"))
        return (date, after) if date is not None else None
    return None


def several(g: Grammar, at: int) -> Found:
    """`the first two weeks of May`, `last 10 days of 2015`."""
    start = g.skip(at, "the")
    if g.low(start) not in ("first", "last", "final"):
        return None
    count = g.cardinal(start + 1)
    unit = UNITS.get(g.low(count[1])) if count else None
    if count is None or unit not in ("day", "week", "month", "quarter", "year") or not 1 <= count[0] <= 999:
        return None
    outer = container(g, count[1] + 1) if g.low(count[1] + 1) in ("of", "in") else None
    if outer is None:
        return None
    edges = (1, count[0]) if g.low(start) == "first" else (-count[0], -1)

    def pick(whole: Whole) -> Whole | None:
        first, last = (nth_unit(whole, unit, number) for number in edges)
        return Whole(first.start, last.end, first.precision) if first and last else None

    date = _inside(outer[0], pick)
    return (date, outer[1]) if date is not None else None


def _picker(g: Grammar, number: int, at: int) -> tuple[_Pick | None, int]:
    """What is counted, and the index behind its name; days if nothing is named."""
    low = g.low(at)
    if low in WEEKDAYS:
        return (lambda outer: nth_weekday(outer, WEEKDAYS[low], number)), at + 1
    if (end := weekend(g, at)) is not None:
        return (lambda outer: _nth_weekend(outer, number)), end
    unit = UNITS.get(low, "day")
    if unit not in _INNER or low.endswith("s") or (low not in UNITS and low not in ("of", *TOLD)):
        return None, at
    return (lambda outer: nth_unit(outer, unit, number)), at + (low in UNITS)


def _nth_weekend(outer: Whole, number: int) -> Whole | None:
    saturday = nth_weekday(outer, 5, number)
    return weekend_of(period(saturday.start, "week")) if saturday else None


def container(g: Grammar, at: int, *, needs_word: bool = False) -> Found:
    """What something is in: a date after `of` or `in`, or `the month` and the like."""
    start = g.skip(at, "of", "in", "for")
    inner = g.skip(g.skip(start, "around"), "the")
    unit = UNITS.get(g.low(inner))
    if start > at and unit in ("week", "month", "quarter", "year", "day") and not g.low(inner).endswith("s"):
        return period(g.now, unit), inner + 1
    if needs_word and start == at and g.low(at) not in TOLD:
        return None
    if start == at and g.low(at) not in TOLD and g.low(at) == "":
        return None
    found = g.date(start) or g.date(inner)
    if found is None and start > at and (year := g.year(inner)):
        return period(local(year[0], 1, 1), "year"), year[1]
    if found is None and start == at and (year := g.year(at)) and g.kind(at) == "num":
        return period(local(year[0], 1, 1), "year"), year[1]
    return found


def _after(g: Grammar, number: int, weekday: int, at: int) -> Found:
    """`third Tuesday after Christmas 2014`."""
    found = g.date(at)
    if found is None:
        return None
    base = g.settle(found[0])
    day = base.start + timedelta(days=(weekday - base.start.weekday() - 1) % 7 + 1 + 7 * (number - 1))
    return period(day, "day"), found[1]


def beside(g: Grammar, at: int) -> Found:
    """`the Friday before Christmas`, `Monday after Easter`."""
    start = g.skip(at, "the")
    number, word = WEEKDAYS.get(g.low(start)), g.low(start + 1)
    if number is None or word not in ("before", "after", "following", "preceding"):
        return None
    if word in ("after", "following"):
        return _after(g, 1, number, start + 2)
    found = g.date(start + 2)
    if found is None:
        return None
    base = g.settle(found[0]).start
    return period(base - timedelta(days=(base.weekday() - number - 1) % 7 + 1), "day"), found[1]


def middle(whole: Whole) -> datetime:
    """Where the second half begins: July, the 16th, Thursday."""
    if whole.precision == "month":
        return whole.start.replace(day=16)
    if whole.precision in ("year", "quarter"):
        months = (whole.end.year - whole.start.year) * 12 + whole.end.month - whole.start.month
        return shift(whole.start, "month", months // 2)
    return whole.start + timedelta(days=(whole.end - whole.start).days // 2)


def half(whole: Whole, number: int) -> Whole:
    """The first or the second half."""
    precision: Precision = "month" if whole.precision in ("year", "quarter") else "day"
    start, end = (whole.start, middle(whole)) if number == 1 else (middle(whole), whole.end)
    return Whole(start, end, precision)


_SIDES: Final = {
    **dict.fromkeys(("beginning", "start", "begin", "early", "beginnings"), 0),
    **dict.fromkeys(("mid", "middle"), 1),
    **dict.fromkeys(("end", "late", "ending"), 2),
}
_SHORT: Final[dict[str, tuple[Unit, int]]] = {
    f"{letter}o{unit[0]}": (unit, side)
    for letter, side in (("b", 0), ("e", 2))
    for unit in ("day", "week", "month", "quarter", "year")
    if letter + unit not in ("bday", "bweek")
} | {"cob": ("day", 2), "eob": ("day", 2)}


def edge(g: Grammar, at: int) -> Found:
    """`end of April`, `early March`, `mid-2015`, `the beginning of next week`, `EOM`, `later this year`."""
    start = g.skip(at, "the")
    low = g.low(start)
    if low in _SHORT and (low[0] != "b" or g.written(start) == low.upper()):
        unit, side = _SHORT[low]
        day = g.date(g.skip(start + 1, "on", "of", ",")) if unit == "day" else None
        if day and g.settle(day[0]).is_day:
            return _third(g.settle(day[0]), side), day[1]
        return _third(period(g.now, unit), side), start + 1
    if low in ("earlier", "later", "early", "late") and (found := _told_half(g, start)) is not None:
        return found
    if low not in _SIDES:
        return None
    side = _SIDES[low]
    behind = g.skip(start + 1, "-")
    if low in ("early", "late", "mid"):
        behind = behind + 1 if g.low(behind) == "in" and g.year(behind + 1) else behind
        outer = g.date(behind) or g.date(g.skip(behind, "the")) or _year(g, behind) or _month(g, behind)
    else:
        if g.low(behind) != "of":
            return None
        unit_at = g.skip(behind + 1, "the", "this")
        if (
            UNITS.get(g.low(unit_at)) == "day"
            and not g.alone(at, unit_at + 1)
            and g.low(at - 1) not in ("by", "before", "until")
        ):
            return None  # "at the end of the day" is a phrase
        outer = container(g, behind)
    if outer is None:
        return None
    date = _inside(outer[0], lambda whole: _third(whole, side))
    return (date, outer[1]) if date is not None else None


def _year(g: Grammar, at: int) -> Found:
    found = g.year(at)
    return (period(local(found[0], 1, 1), "year"), found[1]) if found and found[0] >= 1800 else None


def _month(g: Grammar, at: int) -> Found:
    found = month_number(g, at)
    return (month(found[0]), found[1]) if found and g.written(at).istitle() else None


def _third(whole: Whole, side: int) -> Whole:
    """The beginning, middle or end: ten days of a month, a month of a quarter, four of a year, Friday to Sunday of a week."""
    start, end = whole.start, whole.end
    days = (end - start).days
    precision: Precision = "day"
    if whole.precision == "day" and days <= 1:
        cuts = (start, start + timedelta(hours=12), start + timedelta(hours=17), end)
        precision = "hour"
    elif whole.precision in ("week", "day") and days <= 7:
        wednesday = start + timedelta(days=2)
        first, second = (
            (wednesday, wednesday + timedelta(days=1)) if side == 1 else (start + timedelta(days=3), end - timedelta(days=3))
        )
        cuts = (start, first, second, end)
    elif days <= 31:
        cuts = (start, start.replace(day=11), start.replace(day=21), end)
    elif days <= 92:
        cuts, precision = (start, shift(start, "month", 1), shift(start, "month", 2), end), "month"
    elif days <= 366:
        middle = shift(start, "month", 3) if side == 0 else shift(start, "month", 4)
        cuts, precision = (start, middle, shift(start, "month", 8), end), "month"
    else:
        tenth = max((end.year - start.year) // 10, 1)
        cuts, precision = (start, shift(start, "year", 4 * tenth), shift(start, "year", 7 * tenth), end), "year"
    return Edge(cuts[side], cuts[side + 1], precision, whole)


def _told_half(g: Grammar, at: int) -> Found:
    """`late this month`, `earlier this year`, `later in the week`: halves; `earlier` and `later` do not cross today."""
    low = g.low(at)
    behind = g.skip(g.skip(at + 1, "in"), "the")
    if g.low(at + 1) not in TOLD and not (behind > at + 2 and low in ("earlier", "later")):
        return None
    unit_at = behind if behind > at + 1 else at + 2
    unit = UNITS.get(g.low(unit_at))
    if unit not in ("week", "month", "quarter", "year"):
        return None
    word = g.low(at + 1)
    whole = period(g.now, unit, 1 if word in NEXT else -1 if word in LAST else 0)
    halfway = middle(whole)
    if low in ("early", "earlier"):
        end = min(halfway, g.today) if low == "earlier" and whole.start < g.today else halfway
        return Whole(whole.start, end, whole.precision), unit_at + 1
    start = max(halfway, g.today) if low == "later" and g.today < whole.end else halfway
    return Whole(start, whole.end, whole.precision), unit_at + 1


def rest(g: Grammar, at: int) -> Found:
    """`the rest of the week`, which ends before Sunday, `remainder of the month`."""
    start = g.skip(at, "the")
    if g.low(start) not in ("rest", "remainder", "remaining"):
        return None
    inner = g.skip(g.skip(start + 1, "of"), "the", "this", "my", "current")
    unit = UNITS.get(g.low(inner))
    if unit not in ("day", "week", "month", "quarter", "year") or g.low(inner).endswith("s"):
        return None
    whole = period(g.now, unit)
    end = whole.end - timedelta(days=1) if unit == "week" and g.today + timedelta(days=1) < whole.end else whole.end
    if unit == "day":
        return Whole(g.now.replace(microsecond=0), end, "second"), inner + 1
    return Whole(g.today, end, "day"), inner + 1
