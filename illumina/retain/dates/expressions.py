"""Whole expressions: stretches between two moments, open ones, and single moments."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Literal

from illumina.retain.dates.moments import JUST_OVER, Moment, hours_on, joint, moment, numbered_day, span_of_days, span_of_hours
from illumina.retain.dates.recurring import Recurring
from illumina.retain.dates.relative import told_week
from illumina.retain.dates.tense import lean
from illumina.retain.dates.units import Edge, Period, Precision, Whole, day, finer, period
from illumina.retain.dates.vocabulary import WEEKDAYS

if TYPE_CHECKING:
    from illumina.retain.dates.grammar import Grammar

Expression = tuple[Period, int]

_OPENERS: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (("no", "later", "than"), "before"),
    (("not", "later", "than"), "before"),
    (("no", "earlier", "than"), "from"),
    (("on", "or", "before"), "before"),
    (("on", "or", "after"), "from"),
    (("earlier", "than"), "before"),
    (("later", "than"), "after"),
    (("as", "early", "as"), "from"),
    (("prior", "to"), "before"),
    (("up", "to"), "before"),
    (("ending", "with"), "before"),
    (("ending", "on"), "before"),
    (("starting", "from"), "from"),
    (("starting", "with"), "from"),
    (("starting", "on"), "from"),
    (("beginning", "on"), "from"),
    (("effective", "from"), "from"),
    (("anytime", "after"), "after"),
    (("any", "time", "after"), "after"),
    (("sometime", "after"), "after"),
    (("as", "of"), "since"),
    (("starting",), "from"),
    (("since",), "since"),
    (("after",), "after"),
    (("before",), "before"),
    (("until",), "before"),
    (("till",), "before"),
    (("through",), "through"),
    (("by",), "by"),
    (("from",), "maybe"),
)
_EVERY: Final = frozenset(("every", "each", "per", "any", "usual", "regular", "normal", "typical"))
_FIRST: Final = frozenset(words[0] for words, _ in _OPENERS)
_BEHIND: Final = (
    (("or", "later"), "from"),
    (("or", "after"), "from"),
    (("and", "after"), "from"),
    (("and", "later"), "from"),
    (("onwards",), "from"),
    (("onward",), "from"),
    (("or", "earlier"), "through"),
    (("or", "before"), "through"),
    (("and", "before"), "through"),
)


def expression(g: Grammar, at: int) -> Expression | None:
    """The time expression that begins at a token."""
    if g.low(at - 1) in _EVERY:
        return None
    g.lean = lean(g.tokens, at)
    for rule in (_stretch, _opened, _single):
        try:
            found = rule(g, at)
        except (ValueError, OverflowError):
            continue
        if found is not None:
            return found
    return None


def _opened(g: Grammar, at: int) -> Expression | None:
    """`since 2010`, `before Friday`, `by the end of the month`, `from 2 pm`; `as soon as possible`."""
    if g.low(at) == "asap":
        return Period(g.now, None, "second"), at + 1
    if all(g.low(at + step) == word for step, word in enumerate(("as", "soon", "as", "possible"))):
        return Period(g.now, None, "second"), at + 4
    if g.low(at) not in _FIRST:
        return None
    for words, side in _OPENERS:
        if all(g.low(at + step) == word for step, word in enumerate(words)):
            start = at + len(words)
            if g.lean in ("open", "done") and side not in ("since", "after"):
                g.lean = "ahead"
            found = moment(g, start) or numbered_day(g, start)
            if found is None:
                return None
            if side == "through" and not g.alone(at, found[1]):
                return None  # "waved it through last week"
            opened = _open(g, side, found[0], found[1])
            behind = g.skip(found[1], "on", "onwards", "onward") if side in ("maybe", "from", "since") else found[1]
            return (opened, behind) if opened is not None else None
    return None


def _open(g: Grammar, side: str, found: Moment, behind: int) -> Period | None:
    if side == "since":
        whole = _past(g, found)
        return Period(whole.start, None, _known(whole))
    whole = found.settle(g)
    if side == "maybe":
        begins = (
            whole.start > g.now
            or (whole.precision == "year" and g.low(behind) in ("on", "onwards", "onward"))
            or (whole.start == g.today and whole.is_day)
            or whole.precision == "second"
        )
        return Period(whole.start, None, _known(whole)) if begins else None
    if side == "from":
        return Period(whole.start, None, _known(whole))
    if side == "after":
        coarse = whole.precision in ("week", "month", "quarter", "year")
        if isinstance(whole, Edge):
            coarse = whole.start != whole.of.start
        return Period(whole.end if coarse else whole.start, None, _known(whole))
    if side == "through":
        return Period(None, whole.end, _known(whole))
    last = isinstance(whole, Edge) and whole.end == whole.of.end
    end = whole.end if last else whole.start
    if side == "by" and end > g.now and (last or found.clock is not None):
        return Whole(g.now.replace(microsecond=0), end, "second")
    return Period(None, end, _known(whole))


def _known(whole: Whole) -> Precision:
    return whole.of.precision if isinstance(whole, Edge) else whole.precision


def _past(g: Grammar, found: Moment) -> Whole:
    """The latest that has begun."""
    if isinstance(found.date, Recurring):
        running = found.date.coming(g.today)
        date = running if running.start <= g.today and found.date.name != "weekday" else found.date.last(g.today)
        return Moment(date, found.clock, found.part).settle(g)
    whole = found.settle(g)
    if found.date is None and whole.start > g.now:
        back = timedelta(days=1)
        return Whole(whole.start - back, whole.end - back, whole.precision)
    return whole


def _stretch(g: Grammar, at: int) -> Expression | None:
    days = span_of_days(g, at) or _week_span(g, at) or _numbered_days(g, at)
    if days is not None:
        return days
    hours = span_of_hours(g, at)
    if hours is not None:
        one, two, behind = hours
        date = g.date(g.skip(behind, "on", ","))
        if date is not None and g.settle(date[0]).is_day:
            return hours_on(g, g.settle(date[0]), one, two), date[1]
        return hours_on(g, None, one, two), behind
    years = _years(g, at)
    if years is not None:
        return years
    told = g.low(at) in ("from", "between", "during")
    start = g.skip(at + 1, "from") if told else at
    first = moment(g, start)
    if first is None:
        return None
    if first[0].clock is None and first[0].part is None and (daily := _hours_behind(g, first)) is not None:
        return daily
    long = _lasting(g, first)
    if long is not None:
        return long
    low, behind = g.low(first[1]), first[1] + 1
    joins = low in ("to", "until", "till", "til", "through", "thru", "-", "–", "—", "~", "/") or (
        low == "and" and g.low(at) == "between"
    )
    if not joins or (low == "/" and g.kind(start) not in ("iso", "ymd")):
        return None
    second = moment(g, behind) or numbered_day(g, behind)
    if second is None and (low != "-" or told) and (year := g.year(g.skip(behind, "the"))):
        second = Moment(period(day(year[0], 1, 1).start, "year")), year[1]
    return _between(g, first[0], second) if second is not None else None


_SHORT: Final = ("second", "minute", "hour")


def _between(g: Grammar, first: Moment, second: tuple[Moment, int]) -> Expression | None:
    last, behind = second
    if first.holds_time and last.date is None and not last.holds_time:
        return None
    if isinstance(first.date, Recurring) and isinstance(last.date, Whole):
        start, end = _up_to(g, first, first.date, last)
    elif isinstance(first.date, Recurring) and isinstance(last.date, Recurring) and first.date.cycle == "year":
        start, end = _yearly(g, first, first.date, last)
    else:
        start = first.settle(g)
        end = last.settle(g, start.start)
    if start.precision == "second" and end.precision not in _SHORT:
        start = period(g.now, "day")
    if end.precision == "second" and start.precision not in _SHORT:
        end = period(end.start, "day")
    if end.end <= start.end:
        return None
    return Whole(start.start, end.end, finer(start.precision, end.precision)), behind


def _up_to(g: Grammar, first: Moment, date: Recurring, last: Moment) -> tuple[Whole, Whole]:
    """From a time that recurs to one that does not: the last before that, or the coming weekday if that is ahead."""
    end = last.settle(g)
    ahead = date.cycle == "week" and end.start > g.today
    nearest = date.coming(end.start)
    chosen = g.settle(date) if ahead else nearest if nearest.start <= end.start else date.last(end.start)
    return replace(first, date=chosen).settle(g), end


def _yearly(g: Grammar, first: Moment, date: Recurring, last: Moment) -> tuple[Whole, Whole]:
    """Between two times of the year: the stretch that runs, else the one that its beginning tells."""
    start = first.settle(g)
    end = last.settle(g, start.start)
    if g.lean == "open" and g.today - end.end > JUST_OVER:
        start = replace(first, date=date.coming(g.today)).settle(g)
        end = last.settle(g, start.start)
    if start.start <= g.now:
        return start, end
    running = replace(first, date=date.last(g.now)).settle(g)
    its_end = last.settle(g, running.start)
    over = its_end.end <= g.now and g.lean not in ("past", "done")
    return (start, end) if over else (running, its_end)


def _numbered_days(g: Grammar, at: int) -> Expression | None:
    """`from the 10th to the 14th`, of the same month."""
    start = g.skip(at, "from", "between")
    first = numbered_day(g, start)
    behind = joint(g, first[1], between=g.low(at) == "between") if first else None
    last = numbered_day(g, behind) if behind else None
    if first is None or last is None or not isinstance(first[0].date, Recurring) or not isinstance(last[0].date, Recurring):
        return None
    begins = first[0].settle(g)
    ends = last[0].date.at(period(begins.start, "month").start)
    return (Whole(begins.start, ends.end, "day"), last[1]) if ends and ends.start > begins.start else None


def _years(g: Grammar, at: int) -> Expression | None:
    """`between 2007 and 2009`, `2014 to 2018`, `in 2014 through 2018`."""
    told = g.low(at) in ("from", "between", "in", "during")
    start = g.skip(at + 1, "from") if told else at
    first = g.year(g.skip(start, "the"))
    if first is None:
        return None
    low = g.low(first[1])
    if low not in ("to", "-", "–", "—", "~", "through", "until", "till") and not (low == "and" and g.low(at) == "between"):
        return None
    second = g.year(first[1] + 1)
    sure = told or low in ("through", "until", "till") or g.low(at - 1) in ("is", "years", "year", "in", "during", "of")
    sure = sure or (second is not None and g.alone(at, second[1]))
    if second is None or not first[0] < second[0] or not sure or not 1500 <= first[0] <= 2199:
        return None
    if g.low(second[1]) == "-" and g.touches(second[1]):
        return None
    return Whole(day(first[0], 1, 1).start, day(second[0] + 1, 1, 1).start, "year"), second[1]


def _hours_behind(g: Grammar, first: tuple[Moment, int]) -> Expression | None:
    """`Thursday from 9:30 to 11:00`, `this Thu 9-11am`."""
    date = first[0].date
    if date is None:
        return None
    hours = span_of_hours(g, g.skip(first[1], ","))
    if hours is None:
        return None
    day = g.settle(date)
    return (hours_on(g, day, hours[0], hours[1]), hours[2]) if day.is_day else None


def _lasting(g: Grammar, first: tuple[Moment, int]) -> Expression | None:
    """`18th Dec for 10 days`, `4pm for 30 mins`: to the end of the last day or minute."""
    if g.low(first[1]) != "for":
        return None
    span = g.duration(first[1] + 1)
    if span is None or span[0].working:
        return None
    start = first[0].settle(g)
    coarse = span[0].unit in ("day", "week", "month", "year")
    precision: Literal["day", "minute"] = "day" if coarse else "minute"
    if coarse != start.is_day or (coarse and first[0].holds_time):
        return None
    return Whole(start.start, period(span[0].move(start.start, 1), precision).end, precision), span[1]


def _single(g: Grammar, at: int) -> Expression | None:
    found = moment(g, at)
    if g.low(at) == "for":
        g.lean = "ahead" if g.lean in ("open", "done") else g.lean
    if found is None and (g.low(at) in ("on", "for") or g.alone(at, g.skip(at, "the") + 1)):
        found = numbered_day(g, g.skip(at, "on", "for"))
        found = None if found is not None and g.low(at) not in ("on", "for", "the") else found
    if found is None:
        return None
    whole = found[0].settle(g)
    for words, side in _BEHIND:
        if all(g.low(found[1] + step) == word for step, word in enumerate(words)) and g.closes(found[1] + len(words)):
            opened = _open(g, side, found[0], found[1])
            return (opened, found[1] + len(words)) if opened is not None else None
    return whole, found[1]


def _week_span(g: Grammar, at: int) -> Expression | None:
    """`this week from Tue to Thu`, `Monday to Wednesday of next week`."""
    week = told_week(g, at)
    start = g.skip(week[1], "from", ",") if week else g.skip(at, "from")
    first, joint = WEEKDAYS.get(g.low(start)), g.low(start + 1)
    last = WEEKDAYS.get(g.low(start + 2))
    if first is None or last is None or last <= first or joint not in ("to", "-", "–", "through", "thru", "until", "till"):
        return None
    behind = start + 3
    if week is None:
        week = told_week(g, g.skip(behind, "of", "in", ","))
        if week is None:
            return None
        behind = week[1]
    monday = week[0].start
    return Whole(monday + timedelta(days=first), monday + timedelta(days=last + 1), "day"), behind
