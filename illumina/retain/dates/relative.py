"""Dates by their distance from now: `tomorrow`, `next week`, `the last 3 months`, `two weeks ago`, `3 days after Easter`."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from illumina.retain.dates.named import figures, month_number
from illumina.retain.dates.recurring import SEASONS, Recurring, month, season, weekday
from illumina.retain.dates.units import Unit, Whole, floor, period
from illumina.retain.dates.vocabulary import FORTNIGHT, LAST, MONTHS, NEXT, THIS, UNITS, WEEKDAYS

if TYPE_CHECKING:
    from illumina.retain.dates.grammar import Found, Grammar
    from illumina.retain.dates.reader import Duration

_DAYS: Final = {
    **dict.fromkeys(("today", "today's"), 0),
    **dict.fromkeys(("tomorrow", "tomorrow's", "tomorrows", "tmr", "tmrw", "tomorow"), 1),
    **dict.fromkeys(("yesterday", "yesterday's"), -1),
}
_WHOLE_UNITS: Final = frozenset(("day", "week", "month", "quarter", "year"))


def near_day(g: Grammar, at: int) -> Found:
    """`today`, `the day after tomorrow`, `day before yesterday`."""
    if (offset := _DAYS.get(g.low(at))) is not None:
        return period(g.today, "day", offset), at + 1
    start = g.skip(at, "the")
    words = tuple(g.low(start + step) for step in range(3))
    if words in (("day", "after", "tomorrow"), ("day", "before", "yesterday")):
        return period(g.today, "day", 2 if words[1] == "after" else -2), start + 3
    if words[:2] == ("current", "date"):
        return period(g.today, "day"), start + 2
    return None


def this_moment(g: Grammar, at: int) -> Found:
    """`right now`, `at the moment`; a bare `now` only where a time must be."""
    words = tuple(g.low(at + step) for step in range(3))
    behind = at
    if words[:2] in (("right", "now"), ("just", "now")):
        behind = at + 2
    elif words == ("at", "the", "moment"):
        behind = at + 3
    elif (
        words[0] == "now"
        and (
            g.alone(at, at + 1)
            or g.low(at - 1) in ("from", "until", "till", "between", "to", "since", "by", "of", "before", "-")
            or (g.low(at - 1) == "and" and any(g.low(at - step) == "between" for step in range(2, 9)))
        )
    ) or (words[0] == "atm" and g.low(at - 1) not in ("the", "an", "a")):
        behind = at + 1
    return (period(g.now, "second"), behind) if behind > at else None


def _direction(g: Grammar, at: int) -> tuple[int, str, int] | None:
    """-1, 0 or 1, the word that says so, and the index behind."""
    low = g.low(at)
    if low == "this" and g.low(at + 1) in (LAST | NEXT):
        at, low = at + 1, f"this {g.low(at + 1)}"
    bare = low.removeprefix("this ")
    for words, direction in ((THIS, 0), (NEXT, 1), (LAST, -1)):
        if bare in words:
            return direction, low, at + 1
    return None


def this_next_last(g: Grammar, at: int) -> Found:
    """`this week`, `next Friday`, `the last two months`, `3 next weeks`, `this past weekend`, `week after next`."""
    start = g.skip(g.skip(at, "around"), "the", "my")
    count = g.quantity(start) if g.low(start) not in ("a", "an", "half", "quarter") else None
    told = _direction(g, count[1] if count else start)
    if told is None:
        return _after_next(g, start) or _bare(g, at)
    direction, word, behind = told
    if count is not None and count[0] > 1 and not g.low(behind).endswith("s"):
        return None  # "only 3 next week"
    count = count or (g.quantity(behind) if g.low(behind) not in ("a", "an", "half", "quarter") else None)
    if count is not None:
        behind = max(count[1], behind)
        return _counted(g, direction, int(count[0]), behind) if direction and 1 <= count[0] <= 9999 else None
    low = g.low(behind)
    if low.removesuffix("'s") in WEEKDAYS:
        exact = g.date(behind)
        if exact is not None and isinstance(exact[0], Whole):
            return exact
        return _weekday(g, direction, word, weekday(WEEKDAYS[low.removesuffix("'s")])), behind + 1
    if (end := weekend(g, behind)) is not None:
        return _weekend(g, direction, word), end
    if low in ("business", "working") and g.low(behind + 1) == "day" and direction:
        return _counted(g, direction, 1, behind)
    if low in FORTNIGHT:
        return period(g.now, "week", min(2 * direction, 1), 2), behind + 1
    return _unit(g, at, direction, word, behind) or _named(g, direction, behind)


def _unit(g: Grammar, at: int, direction: int, word: str, behind: int) -> Found:
    """`last year`; a day only where it is counted from now and not from another in a story."""
    behind = g.skip(behind, "fiscal", "calendar", "financial")
    unit = UNITS.get(g.low(behind))
    if unit not in _WHOLE_UNITS and unit not in ("decade", "century") and not (unit == "hour" and direction):
        return None
    if unit == "day" and not g.alone(at, behind + 1):
        of_story = word in ("following", "previous", "preceding", "same") or g.low(at) == "the"
        if word == "last" or (of_story and g.lean != "ahead"):
            return None
    return period(g.now, unit, direction), behind + 1


def _counted(g: Grammar, direction: int, count: int, at: int) -> Found:
    working = g.low(at) in ("business", "working") and g.low(at + 1) in ("day", "days")
    if working:
        end = floor(g.now, "day")
        first, left = (end if direction < 0 else end + timedelta(days=1)), count
        edge = first
        while left:
            edge += timedelta(days=direction)
            left -= (edge if direction < 0 else edge - timedelta(days=1)).weekday() < 5
        return Whole(min(first, edge), max(first, edge), "day"), at + 2
    low = g.low(at)
    unit: Unit | None = UNITS.get(low)
    if low in FORTNIGHT:
        unit, count = "week", count * 2
    if unit is None:
        return None
    return period(g.now, unit, -count if direction < 0 else 1, count), at + 1


def _weekday(g: Grammar, direction: int, word: str, date: Recurring) -> Whole:
    """`next` and `last` are of the weeks next and last; `coming` and `past` are the nearest; `this` may be today."""
    if direction == 0:
        return date.coming(g.today)
    if word in ("past", "this past", "this last"):
        return date.last(g.today)
    if word in ("coming", "upcoming", "this coming", "this upcoming", "this next"):
        return date.next(g.today)
    found = date.at(period(g.today, "week", direction).start)
    if found is None:
        raise ValueError
    return found


def weekend(g: Grammar, at: int) -> int | None:
    """The index behind `weekend`, `week-end` or `week end`."""
    if g.low(at).removesuffix("'s") in ("weekend", "weekends"):
        return at + 1
    if g.low(at) == "week" and g.low(g.skip(at + 1, "-")) == "end":
        return g.skip(at + 1, "-") + 1
    return None


def weekend_of(week: Whole) -> Whole:
    """Saturday and Sunday of a week."""
    return Whole(week.start + timedelta(days=5), week.end, "day")


def _weekend(g: Grammar, direction: int, word: str) -> Whole:
    if word in ("coming", "upcoming", "this coming", "this upcoming"):
        direction = 0 if g.today.weekday() < 5 else 1
    return weekend_of(period(g.today, "week", direction))


def _named(g: Grammar, direction: int, at: int) -> Found:
    """`next March`, `last summer`, `this Easter`, `next 5/12`."""
    number = month_number(g, at)
    found: Found = None
    if g.low(at).removesuffix("'s") in SEASONS:
        found = season(g.low(at).removesuffix("'s")), at + 1
    elif number and (g.low(at) not in ("may", "march") or g.written(at).istitle() or g.ends(number[1])):
        found = month(number[0]), at + 1
        numbered = g.date(at)
        if numbered and isinstance(numbered[0], Recurring):
            found = numbered
    elif g.kind(at) == "md":
        found = figures(g, at)
    else:
        found = g.date(at)
    if found is None or not isinstance(found[0], Recurring) or found[0].cycle != "year":
        return None
    date = found[0]
    if direction == 0:
        return date.coming(g.today), found[1]
    if direction > 0:
        return date.next(g.today), found[1]
    return date.last(g.today), found[1]


def _after_next(g: Grammar, at: int) -> Found:
    """`the week after next`, `month before last`, `Friday after next`."""
    name = weekend(g, at) or at + 1
    behind = g.skip(name + 1, "the")
    words = (g.low(name), g.low(behind))
    if words not in (("after", "next"), ("before", "last")):
        return None
    sign, behind = (1 if words[0] == "after" else -1), behind + 1
    if weekend(g, at):
        return weekend_of(period(g.today, "week", 2 * sign)), behind
    if (unit := UNITS.get(g.low(at))) in _WHOLE_UNITS:
        return period(g.now, unit, 2 * sign), behind
    if g.low(at) not in WEEKDAYS and g.low(at) not in MONTHS:
        return None
    date = weekday(WEEKDAYS[g.low(at)]) if g.low(at) in WEEKDAYS else month(MONTHS[g.low(at)])
    return (date.next(g.today, 2) if sign > 0 else date.last(g.today, 2)), behind


def _bare(g: Grammar, at: int) -> Found:
    """`the month` or `my week` for this one, where it stands by itself."""
    low = g.low(at)
    if low not in ("the", "my") and g.low(at - 1) not in ("on", "of"):
        return None
    start = at + 1 if low in ("the", "my") else at
    end = weekend(g, start)
    behind = end or start + 1
    unit = UNITS.get(g.low(start))
    if low == "my":
        free = unit in ("day", "week") or end is not None
    else:
        free = (end is not None or start > at) and g.closes(behind)
        free = free and (end is not None or g.alone(at, behind) or g.low(at - 1) in ("for", "in", "during", "of", "back"))
        free = free and not (unit == "day" and g.low(at - 1) in ("of", "in", "during"))
    if not free:
        return None
    if end is not None:
        return weekend_of(period(g.today, "week", -1 if g.lean == "past" and g.today.weekday() < 5 else 0)), end
    if g.low(start) in FORTNIGHT:
        return period(g.now, "week", 0, 2), behind
    return (period(g.now, unit), behind) if unit in _WHOLE_UNITS and not g.low(start).endswith("s") else None


def weekday_of_week(g: Grammar, at: int) -> Found:
    """`Wednesday of next week`, `next week's Monday`, `next week on Tuesday`."""
    if g.low(at) in WEEKDAYS:
        start = g.skip(g.skip(at + 1, "of", "from", "in", ","), "the")
        week = told_week(g, start)
        return _day_of(week[0], WEEKDAYS[g.low(at)], week[1]) if week else None
    week = told_week(g, g.skip(at, "the"))
    if week is None:
        return None
    start = g.skip(week[1], "on", ",")
    number = WEEKDAYS.get(g.low(start).removesuffix("'s"))
    return _day_of(week[0], number, start + 1) if number is not None else None


def told_week(g: Grammar, at: int) -> tuple[Whole, int] | None:
    """`this`, `next` or `last week`."""
    told = _direction(g, at)
    if told is None or g.low(told[2]) not in ("week", "week's", "weeks"):
        return None
    return period(g.now, "week", told[0]), told[2] + 1


def _day_of(week: Whole, number: int, behind: int) -> Found:
    return period(week.start + timedelta(days=number), "day"), behind


def away(g: Grammar, at: int) -> Found:
    """`in two weeks`, `3 days ago`, `an hour from now`, `2 weeks before May 13`, `within 9 months`."""
    inside = g.low(at) in ("in", "within")
    start = at + 1 if inside else at
    start = g.skip(start, "about", "around", "roughly", "approximately", "exactly")
    if g.low(at) == "within":
        start = g.skip(g.skip(start, "the"), "next", "coming")
    length = g.duration(start)
    if length is None:
        return _weekdays_away(g, at)
    span, behind = length
    word, after = g.low(behind), g.low(behind + 1)
    if g.low(at) == "within":
        if span.unit not in ("day", "week", "month", "year") or word in ("of", "before", "after", "from"):
            return None
        return Whole(g.today, span.move(g.today, 1), span.unit), behind
    if word in ("ago", "back") and (word == "ago" or (g.ends(behind + 1) and after not in ("to", "in", "and"))):
        return _at(span, span.move(g.now, -1)), behind + 1
    if word == "hence" or (word, after) == ("from", "now"):
        return _at(span, span.move(g.now, 1)), behind + (1 if word == "hence" else 2)
    if word in ("from", "after", "before", "since", "prior"):
        return _from(g, span, -1 if word in ("before", "prior") else 1, g.skip(behind + 1, "to"))
    if g.low(at) == "in" and not (g.low(behind) == "-" and g.touches(behind)) and word not in ("of", "or") and _is_ahead(g, at):
        return _at(span, span.move(g.now, 1)), g.skip(behind, "time") if word == "time" else behind
    return None


def _is_ahead(g: Grammar, at: int) -> bool:
    """Whether `in two weeks` is not how long something took: `built in two weeks`."""
    return g.lean not in ("past", "done") and g.low(at - 1) not in ("done", "times", "once", "twice", "time", "took")


def _at(span: Duration, moment: datetime) -> Whole:
    return period(moment, "day" if span.working else span.step)


def _from(g: Grammar, span: Duration, sign: int, at: int) -> Found:
    """Counted from a date or a moment."""
    found = g.date(at)
    if found is None:
        return None
    base = g.settle(found[0])
    moved = span.move(base.start, sign)
    if base.precision == "second":
        return period(moved, "second"), found[1]
    return (period(moved, "day"), found[1]) if span.unit not in ("hour", "minute", "second") else None


def _weekdays_away(g: Grammar, at: int) -> Found:
    """`two Sundays from now`, `3 Fridays ago`."""
    count = g.cardinal(at)
    number = WEEKDAYS.get(g.low(count[1])) if count and 1 <= count[0] <= 999 else None
    if count is None or number is None:
        return None
    word, behind = g.low(count[1] + 1), count[1] + 2
    if word in ("ago", "back"):
        return weekday(number).last(g.today, count[0]), behind
    if word == "hence" or (word == "from" and g.low(behind) in ("now", "today")):
        return weekday(number).next(g.today, count[0]), behind + (word == "from")
    return None
