"""A date with a time of day, in whatever order they are written, and stretches of days and hours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final

from illumina.retain.dates import recurring
from illumina.retain.dates.clocks import Clock, Part, clock, part_of_day
from illumina.retain.dates.named import month_number
from illumina.retain.dates.recurring import Recurring
from illumina.retain.dates.units import Edge, Period, Whole, day, finer, floor, local, period

if TYPE_CHECKING:
    from illumina.retain.dates.grammar import Date, Grammar

_LINKS: Final = frozenset(("at", "@", "on", "for", "in", "of", "the", "around", "about", ","))
JUST_OVER: Final = timedelta(days=61)
"""A stretch that is over for longer is rather the coming one, where the text does not tell."""
_TONIGHT: Final = frozenset(("tonight", "tonite"))


@dataclass(frozen=True, slots=True)
class Moment:
    """What of a date and a time of day is written."""

    date: Date | None = None
    clock: Clock | None = None
    part: Part | None = None

    def settle(self, g: Grammar, since: datetime | None = None) -> Whole:
        """It as a stretch of time; raises ValueError or OverflowError if there is none."""
        if self.date is None and self.clock is not None and self.part is None:
            if since is None:
                return self.clock.coming(g)
            return self.clock.on(floor(since, "day"), g)
        if self.date is None and self.clock is not None:
            time = self.clock.within(self.part)
            return time.coming(g)
        whole = period(g.today, "day") if self.date is None else g.settle(self.date, since)
        if self.clock is not None:
            return self.clock.within(self.part).on(whole.start, g)
        if self.part is not None:
            return Whole(_hour(whole.start, self.part.start), _hour(whole.start, self.part.end), "hour")
        return whole

    @property
    def holds_time(self) -> bool:
        """Whether a time of day is written."""
        return self.clock is not None or self.part is not None


def _hour(day: datetime, hour: int) -> datetime:
    return day + timedelta(hours=hour)


def iso(g: Grammar, at: int) -> tuple[Whole, int] | None:
    """`2015-03-28T17:00:00Z` and the like."""
    if g.kind(at) != "iso":
        return None
    low = g.low(at).replace("t", " ", 1).replace(",", ".").replace("z", "+00:00")
    date, time = low.split(" ", 1)
    offset = None
    for sign in "+-":
        if sign in time:
            time, zone = time.split(sign)
            minutes = int(zone[:2]) * 60 + int(zone[-2:])
            offset = timezone(timedelta(minutes=minutes if sign == "+" else -minutes))
    year, month, number = (int(part) for part in date.split("-"))
    hours = [int(part) for part in time.strip().split(".")[0].split(":")]
    start = local(year, month, number, *hours)
    if offset is not None:
        start = start.replace(tzinfo=offset).astimezone(g.zone).replace(tzinfo=None)
    return period(start, "second" if len(hours) == 3 else "minute"), at + 1


def moment(g: Grammar, at: int) -> tuple[Moment, int] | None:
    """A date, a time of day, or both."""
    if (stamp := iso(g, at)) is not None:
        return Moment(stamp[0]), stamp[1]
    found, behind = Moment(), at
    if g.low(at) == "on" and (numbered := numbered_day(g, at + 1)) is not None:
        found, behind = numbered
    if g.low(at) in ("early", "late") and (shaded := _shaded(g, at)) is not None:
        return shaded
    for _ in range(5):
        more = _more(g, found, behind)
        if more is None:
            break
        found, behind = more
    if behind == at:
        return _bare_hour(g, at)
    if found.clock is None and found.date is None and not _free_part(g, at, behind):
        return None
    return found, behind


def _shaded(g: Grammar, at: int) -> tuple[Moment, int] | None:
    """`early tomorrow morning`, `late Friday evening`."""
    if g.low(at + 1) == "this" and (named := part_of_day(g, at + 2)) is not None:
        return Moment(period(g.today, "day"), part=named[0].shaded(g.low(at))), named[1]
    found = g.date(at + 1)
    part = part_of_day(g, found[1]) if found else None
    if found is None or part is None or not _is_day(g, found[0]):
        return None
    return Moment(found[0], part=part[0].shaded(g.low(at))), part[1]


def _bare_hour(g: Grammar, at: int) -> tuple[Moment, int] | None:
    """`8 tonight`, `9 tomorrow morning`."""
    hour = g.cardinal(at)
    if hour is None or not 1 <= hour[0] <= 12 or (g.low(hour[1]) == "in" and g.low(hour[1] + 1) != "the"):
        return None
    found = moment(g, hour[1]) if g.low(hour[1]) in (*_TONIGHT, "tomorrow", "yesterday", "this", "today") else None
    if found is None and g.low(hour[1]) == "in" and (part := part_of_day(g, hour[1] + 2)):
        found = Moment(part=part[0]), part[1]
    if found is None or found[0].part is None or found[0].clock is not None:
        return None
    return replace(found[0], clock=Clock(hour[0], 0, 0, "hour")), found[1]


def _more(g: Grammar, found: Moment, at: int) -> tuple[Moment, int] | None:
    """The moment with what follows."""
    empty = found == Moment()
    starts = [at]
    while len(starts) < 4 and g.low(starts[-1]) in _LINKS and not (empty and g.low(at) in (",", "for", "of", "the")):
        starts.append(starts[-1] + 1)
    for start in starts:
        linked = g.low(start - 1) if start > at else ""
        if found.part is None and (dated := _dated_part(g, found, start, linked)) is not None:
            return dated
        if found.clock is None and _takes_time(found):
            weak = linked in ("at", "@", "about", "around") and not (empty and not _part_later(g, start))
            weak |= isinstance(found.date, Whole) and g.low(start + 1) == "h" and g.touches(start + 1)
            time = clock(g, start, weak=weak)
            if time is not None and (linked not in ("of", "the", "in") or g.low(start) in ("noon", "midnight", "midday")):
                return replace(found, clock=time[0]), time[1]
        if found.date is None and linked == "on" and found.holds_time and (numbered := numbered_day(g, start)) is not None:
            return replace(found, date=numbered[0].date), numbered[1]
        if found.date is None and (date := g.date(start)) is not None:
            if found.holds_time and not _is_day(g, date[0]):
                continue
            if empty and start > at and linked not in ("on", "@", "at", "in", "around", "about", "the"):
                continue
            return replace(found, date=date[0]), date[1]
    return None


def _part_later(g: Grammar, at: int) -> bool:
    """Whether a part of the day or a date follows a bare hour: `at 3 in the morning`, `at 8 tonight`."""
    time = clock(g, at, weak=True)
    if time is None:
        return False
    behind = time[1]
    if g.low(behind) in _TONIGHT or g.low(behind) in ("tomorrow", "today", "yesterday"):
        return True
    if g.low(behind) == "in":
        return part_of_day(g, g.skip(behind + 1, "the")) is not None
    told = (time[0].precision == "minute" and len(g.low(at)) != 3 and len(g.low(at)) != 4) or g.kind(at) == "word"
    return not time[0].weak or g.low(behind) == "on" or (told and time[0].precision == "minute" and g.closes(behind))


def _takes_time(found: Moment) -> bool:
    date = found.date
    return date is None or isinstance(date, Recurring) or date.is_day


def _is_day(g: Grammar, date: Date) -> bool:
    try:
        return g.settle(date).is_day
    except (ValueError, OverflowError):
        return False


def _dated_part(g: Grammar, found: Moment, at: int, linked: str) -> tuple[Moment, int] | None:
    """A part of the day; those that say which day (`tonight`, `last night`) bring it."""
    start, late = (at + 1, True) if g.low(at) == "late" else (at, False)
    low = g.low(start)
    if low.removesuffix("'s") in _TONIGHT:
        date, part, behind = period(g.today, "day"), Part(18, 24), start + 1
    elif (low, g.low(start + 1)) == ("last", "night"):
        date, part, behind = period(g.today, "day", -1), Part(18, 24), start + 2
    elif low == "this" and g.low(start + 1) not in ("lunch", "after") and (named := part_of_day(g, start + 1)):
        date, (part, behind) = period(g.today, "day"), named
    else:
        named = part_of_day(g, at)
        if named is None or (found.date is None and found.clock is None and linked not in ("", "in", "at", "the")):
            return None
        if found.date is not None and not _is_day(g, found.date):
            return None
        if found.date is None and found.clock is not None and linked != "the":
            return None
        part, behind = named
        if g.low(behind - 1).endswith("ings") or g.low(behind - 1).endswith("noons"):
            return None
        if found.date is None and g.low(behind) == "of":
            return replace(found, part=part), behind
        return replace(found, part=part), behind
    if found.date is not None:
        return None
    return replace(found, date=date, part=Part(21, 24) if late else part), behind


def _free_part(g: Grammar, at: int, behind: int) -> bool:
    """Whether a part of the day without a day may be today's: only where nothing else is said."""
    words = behind - at
    return g.alone(at, behind) and (words > 1 or False)


def span_of_days(g: Grammar, at: int) -> tuple[Period, int] | None:
    """`13 to 15 July`, `the 4th till 23rd of this month`, `July 13-15`, `from 4 to January 22, 1995`."""
    start = g.skip(at, "from", "between")
    named = month_number(g, start)
    first = _number(g, named[1] if named else start)
    if first is None:
        return None
    behind = joint(g, first[1], between=g.low(at) == "between")
    if behind is None:
        return None
    second = _number(g, behind)
    if named is not None:
        if second is None or month_number(g, second[1]) or g.low(second[1]) in (":", "am", "pm", "/"):
            return None
        year = g.year(g.skip(g.skip(second[1], ","), "of"))
        return _days(g, named[0], first[0], second[0], year[0] if year else None, year[1] if year else second[1])
    if second is None:
        last = g.date(behind)
        if last is None or month_number(g, g.skip(behind, "the")) is None:
            return None
        end = g.settle(last[0])
        whole = Whole(end.start.replace(day=first[0]), end.end, "day")
        return (whole, last[1]) if end.is_day and whole.start < end.start else None
    inner = g.skip(g.skip(second[1], "of"), "the")
    month = month_number(g, inner)
    if month is None:
        told = g.date(inner)
        if told is None or not isinstance(told[0], Whole) or told[0].precision != "month" or isinstance(told[0], Edge):
            return None
        return _days(g, told[0].start.month, first[0], second[0], told[0].start.year, told[1])
    year = g.year(g.skip(g.skip(month[1], ","), "of"))
    return _days(g, month[0], first[0], second[0], year[0] if year else None, year[1] if year else month[1])


def _number(g: Grammar, at: int) -> tuple[int, int] | None:
    start = g.skip(at, "the")
    found = g.ordinal(start) or g.cardinal(start)
    return found if found and 1 <= found[0] <= 31 else None


def joint(g: Grammar, at: int, *, between: bool) -> int | None:
    """The index behind what joins the two ends of a stretch."""
    low = g.low(at)
    if low in ("to", "until", "till", "til", "through", "thru", "-", "–", "—", "~") or (between and low == "and"):
        return at + 1
    return None


def _days(g: Grammar, month: int, first: int, last: int, year: int | None, behind: int) -> tuple[Period, int] | None:
    if first >= last:
        return None
    if year is None:
        day(2000, month, last)
        end = g.settle(recurring.date(month, last))
        if g.lean == "open" and g.today - end.end > JUST_OVER:
            end = recurring.date(month, last).coming(g.today)
    else:
        end = day(year, month, last)
    return Whole(end.start.replace(day=first), end.end, "day"), behind


def span_of_hours(g: Grammar, at: int) -> tuple[Clock, Clock, int] | None:
    """`3-4pm`, `from 9:30 to 11:00`, `8am until 6`: two clock times, the first in the half of the day that the second tells."""
    told = g.low(at) in ("from", "between", "at", "around", "about")
    start = at + 1 if told else at
    first = clock(g, start, weak=True)
    if first is None:
        return None
    behind = joint(g, first[1], between=g.low(at) == "between")
    if behind is None:
        return None
    second = clock(g, behind, weak=True)
    if second is None or (first[0].weak and second[0].weak):
        return None
    one, two = first[0], second[0]
    if (one.weak or two.weak) and not (one.sure or two.sure or told):
        return None
    if two.sure and not one.sure and one.hour + 12 <= two.hour:
        one = one.later()
    elif one.sure and not two.sure and two.hour <= one.hour:
        two = two.later()
    if one.zone is None:
        one = replace(one, zone=two.zone)
    return one, two, second[1]


def hours_on(g: Grammar, date: Whole | None, one: Clock, two: Clock) -> Whole:
    """The stretch on a day, or the coming one; an end before its start is on the next day."""
    start = one.on(date.start, g) if date else one.coming(g)
    base = start.start.replace(hour=0, minute=0, second=0)
    end = two.on(date.start if date else base, g)
    if end.end <= start.start:
        later = two.later() if not two.sure else two
        end = later.on(base if later != two else base + timedelta(days=1), g)
    precision = finer(start.precision, end.precision)
    return Whole(start.start, period(end.start, precision).end, precision)


def numbered_day(g: Grammar, at: int) -> tuple[Moment, int] | None:
    """`the 4th`, after what only a day can follow."""
    start = g.skip(at, "the")
    found = g.ordinal(start)
    if g.kind(start) != "ord" and (found is None or found[0] < 10 or start == at or not g.closes(found[1])):
        return None  # "on the second" is of many things
    if found is None or not 1 <= found[0] <= 31 or not g.ends(found[1]) or g.low(found[1]) in ("/", "of"):
        return None
    return Moment(recurring.monthday(found[0])), found[1]
