"""Dates that name themselves: in figures, by month, weekday, holiday, season or year."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from illumina.retain.dates import recurring
from illumina.retain.dates.holidays import AMBIGUOUS, FIRST_WORDS, MOST_WORDS, holiday, plain
from illumina.retain.dates.reader import century_of
from illumina.retain.dates.recurring import SEASONS, Recurring
from illumina.retain.dates.units import Whole, day, local, period
from illumina.retain.dates.vocabulary import AMBIGUOUS_MONTHS, AMBIGUOUS_WEEKDAYS, MONTHS, TOLD, WEEKDAYS

if TYPE_CHECKING:
    from illumina.retain.dates.grammar import Found, Grammar

_FRACTIONS: Final = frozenset(("24/7", "1/2", "1/3", "2/3", "1/4", "3/4", "1/1", "50/50"))


def _split(low: str) -> list[str]:
    for mark in "/.-":
        low = low.replace(mark, " ")
    return low.split()


def figures(g: Grammar, at: int) -> Found:
    """Year, month and day in figures. Month before day where both could be; day before month only where it must."""
    kind, low = g.kind(at), g.low(at)
    if kind not in ("ymd", "dmy", "ym", "my", "md"):
        return None
    parts = _split(low)
    numbers = [int(part) for part in parts]
    if kind == "ymd":
        return day(*numbers), at + 1
    if kind == "dmy":
        if "." in low and len(parts[2]) == 2 and not g.introduced(at):
            return None  # rather a version
        year = numbers[2] if len(parts[2]) == 4 else century_of(numbers[2])
        month, number = _month_first(numbers[0], numbers[1])
        return day(year, month, number), at + 1
    if kind == "ym":
        if "." in low and not g.alone(at, at + 1):
            return None
        return period(local(numbers[0], numbers[1], 1), "month"), at + 1
    if kind == "my":
        return period(local(numbers[1], numbers[0], 1), "month"), at + 1
    if not _is_day(g, at, low.replace(" ", ""), *numbers):
        return None
    return recurring.date(*_month_first(*numbers)), at + 1


def _month_first(one: int, other: int) -> tuple[int, int]:
    return (other, one) if one > 12 >= other else (one, other)


def _is_day(g: Grammar, at: int, low: str, one: int, other: int) -> bool:
    """Whether `9/10` is a day rather than a fraction, a score or a ratio."""
    if not ((1 <= one <= 12 and 1 <= other <= 31) or (1 <= other <= 12 and 1 <= one <= 31)):
        return False
    if low in _FRACTIONS and g.low(at - 1) not in ("on", "next", "from", *WEEKDAYS):
        return False
    if g.introduced(at) or g.low(at - 1) in WEEKDAYS:
        return True
    ratio = one <= other and other <= 10 and not low.startswith("0")
    return not ratio and (g.ends(at + 1) or g.low(at + 1) in ("meeting", "release", "deadline"))


def dashed_day(g: Grammar, at: int) -> Found:
    """`on 2-15`, `on 4.22`, `Friday 7.6`: only where a day must follow."""
    if g.low(at - 1) != "on" and g.low(at - 1) not in WEEKDAYS:
        return None
    low = g.low(at)
    if g.kind(at) == "num" and "." in low:
        parts, behind = low.split("."), at + 1
    elif g.low(at - 1) == "on" and g.low(at + 1) == "-" and g.touches(at + 1) and g.touches(at + 2):
        parts, behind = [low, g.low(at + 2)], at + 3
    else:
        return None
    if not all(part.isdecimal() and 1 <= len(part) <= 2 for part in parts):
        return None
    month, number = _month_first(int(parts[0]), int(parts[1]))
    day(2000, month, number)
    return recurring.date(month, number), behind


def month_number(g: Grammar, at: int) -> tuple[int, int] | None:
    """A month's name and the index behind it and its full stop."""
    low = g.low(at).removesuffix("'s")
    number = MONTHS.get(low)
    if number is None or g.kind(at) != "word":
        return None
    behind = at + 1
    short = len(low) < 5 and low not in ("may", "june", "july")
    if g.low(behind) == "." and g.touches(behind) and (short or g.kind(behind + 1) in ("num", "ord")):
        behind += 1
    return number, behind


def month(g: Grammar, at: int) -> Found:
    """`May 3rd`, `March twenty one`, `Oct/2`, `May 2015`, `dec, 2018`, `may` where it can be no other word."""
    start = g.skip(at + 1, "of") if g.low(at) == "month" else at
    found = month_number(g, start)
    if found is None:
        return None
    number, behind = found
    after = behind
    for mark in (",", "-", "/"):
        if g.low(after) == mark and (mark == "," or (g.touches(after) and g.touches(after + 1))):
            after += 1
    after = g.skip(after, "the") if after == behind else after
    if (year := g.year(g.skip(after, "of"))) and year[0] > 1000:
        return period(local(year[0], number, 1), "month"), year[1]
    numbered = g.ordinal(after) or (g.cardinal(after) if after == behind or g.low(after - 1) in ("-", "/", "the") else None)
    if numbered and 1 <= numbered[0] <= 31 and _no_clock(g, numbered[1]):
        return _before_weekday(g, recurring.date(number, numbered[0]), numbered[1])
    if g.low(at) == "month" or _surely_month(g, start, behind):
        return recurring.month(number), (behind if g.kind(behind) in ("num", "ord") else start + 1)
    return None


def _no_clock(g: Grammar, at: int) -> bool:
    """Whether a number before is not rather an hour or an amount: `May 3 pm`, `May 3%`."""
    return g.low(at) not in (":", "%", "am", "pm", "o'clock", "oclock", "x")


def _before_weekday(g: Grammar, date: Recurring, at: int) -> Found:
    """With a weekday behind it: `Jul 18, Fri`."""
    number = WEEKDAYS.get(g.low(at + 1)) if g.low(at) == "," and g.closes(at + 2) else None
    return (date, at) if number is None else (_on_weekday(g, date, number), at + 2)


def _listed(g: Grammar, at: int, step: int) -> bool:
    """Whether another month stands beyond a comma or a conjunction."""
    return g.low(at) in (",", "and", "or", "&", "/") and g.low(at + step) in MONTHS


def _surely_month(g: Grammar, at: int, behind: int) -> bool:
    """Whether a month's name without day and year is no verb or abbreviation."""
    low = g.low(at)
    told = g.skip(behind, "of", "in")
    if g.low(told) in TOLD and g.low(told + 1) == "year":
        return True
    if g.written(at).istitle() and (_listed(g, behind, 1) or _listed(g, at - 1, -1)):
        return True
    if low not in AMBIGUOUS_MONTHS or (g.written(at).isupper() and len(low) > 3):
        return low not in AMBIGUOUS_MONTHS or g.introduced(at)
    if low == "may":
        return (g.introduced(at) and g.low(at - 1) not in ("this", "that", "or", "back", "out", "each", "about", "than")) or (
            g.low(at - 1) == "this" and g.ends(behind)
        )
    if g.introduced(at):
        return g.written(at).istitle() or g.ends(behind)
    return (g.written(at).istitle() and g.alone(at, behind)) or (
        low == "march" and g.written(at).istitle() and at > 0 and g.kind(at - 1) == "word" and g.closes(behind)
    )


def day_month(g: Grammar, at: int) -> Found:
    """`15th of February`, `the 3rd day of May`, `22 Jan`, `14april`, `16. Nov.`, each with a year if it follows."""
    start = g.skip(at, "the")
    numbered = g.ordinal(start) or g.cardinal(start)
    if numbered is None or not 1 <= numbered[0] <= 31:
        return None
    behind = numbered[1]
    if g.low(behind) == "day" and g.low(behind + 1) in ("of", "in"):
        behind += 1
    if g.low(behind) in ("-", "/", ".") and g.touches(behind) and (g.touches(behind + 1) or g.low(behind) == "."):
        behind += 1
    of = g.skip(behind, "of", "in", ",")
    found = month_number(g, g.skip(of, "the") if of > behind else of)
    if found is None:
        return None
    number, after = found
    counted = g.kind(start) == "word" and g.ordinal(start) is None
    if of == behind and (counted or (g.low(behind) == "may" and g.kind(start) == "word" and not g.closes(after))):
        return None  # "two march battalions", "the first may …"
    mark = after + 1 if g.low(after) in ("-", "/", ",") and g.touches(after) else after
    if (year := g.year(g.skip(mark, "of", "in"))) is not None:
        return day(year[0], number, numbered[0]), year[1]
    short = g.figure(mark)
    if short is not None and len(g.low(mark)) == 2 and (g.touches(mark) or g.closes(mark + 1)) and g.low(mark + 1) != ":":
        return day(century_of(short), number, numbered[0]), mark + 1
    return recurring.date(number, numbered[0]), after if g.low(after - 1) != "." or not g.closes(after) else after - 1


def joined(g: Grammar, at: int) -> Found:
    """`05-Aug-2016`, `2019/aug/01`, `Sep-23-2020`: three parts joined by the same mark, one of them a month's name."""
    parts: list[tuple[str, str]] = []
    index, mark = at, ""
    while len(parts) < 3:
        kind, low = g.kind(index), g.low(index)
        pieces = _split(low) if kind in ("my", "ym", "md") and " " not in low else [low]
        if kind not in ("num", "word", "my", "ym", "md", "ord") or (parts and not g.touches(index)):
            return None
        parts += [("month" if piece in MONTHS else "num", piece) for piece in pieces]
        index += 1
        if len(parts) < 3:
            if g.low(index) not in ("-", "/") or (mark and g.low(index) != mark) or not g.touches(index):
                return None
            mark, index = g.low(index), index + 1
    names = [piece for kind, piece in parts if kind == "month"]
    numbers = [piece for kind, piece in parts if kind == "num" and piece.isdecimal()]
    if len(names) != 1 or len(numbers) != 2:
        return None
    years = [piece for piece in numbers if len(piece) == 4]
    if len(years) > 1 or (not years and parts[2][1] not in numbers):
        return None
    year = years[0] if years else numbers[1]
    numbers.remove(year)
    return day(int(year) if years else century_of(int(year)), MONTHS[names[0]], int(numbers[0])), index


def year_month(g: Grammar, at: int) -> Found:
    """`2016 November`, `1996, march`, `2025 Dec 31`."""
    year = g.year(at)
    if year is None:
        return None
    found = month_number(g, g.skip(year[1], ",", "-"))
    if found is None:
        return None
    numbered = g.ordinal(found[1]) or g.cardinal(found[1])
    if numbered and 1 <= numbered[0] <= 31 and _no_clock(g, numbered[1]):
        return day(year[0], found[0], numbered[0]), numbered[1]
    return period(local(year[0], found[0], 1), "month"), found[1]


def weekday(g: Grammar, at: int) -> Found:
    """`Friday`, `Mon, February 18`, `Tuesday the 19th`, `Fri (jun-15)`."""
    low = g.low(at).removesuffix("'s")
    number = WEEKDAYS.get(low)
    if number is None or g.kind(at) != "word" or low.endswith("days") or g.low(at - 1) in ("a", "an", "no"):
        return None  # "on Fridays" and "a Friday" are no day of the calendar
    if g.low(at + 1) in ("mornings", "afternoons", "evenings", "nights") or g.low(at + 2) in ("every", "each"):
        return None
    behind = g.skip(at + 1, ".") if len(low) < 6 and g.touches(at + 1) else at + 1
    inner = g.skip(g.skip(g.skip(behind, ","), "(", "on"), "the")
    exact = g.date(inner)
    if exact and isinstance(exact[0], Recurring) and exact[0].name == "date":
        return _on_weekday(g, exact[0], number), _closed(g, inner, exact[1])
    if exact and isinstance(exact[0], Whole) and exact[0].is_day and g.kind(inner) in _FIGURES:
        return exact[0], _closed(g, inner, exact[1])
    numbered = g.ordinal(inner) or (g.cardinal(inner) if g.low(inner - 1) == "the" or g.closes(inner + 1) else None)
    if numbered and 1 <= numbered[0] <= 31 and (g.ends(numbered[1]) or g.kind(inner) == "ord"):
        return _on_weekday(g, recurring.monthday(numbered[0]), number), numbered[1]
    if low in AMBIGUOUS_WEEKDAYS and not _surely_weekday(g, at, behind):
        return None
    if low in ("fri", "thu", "tue") and not g.written(at)[0].isupper() and not g.alone(at, behind) and not g.introduced(at):
        return None
    closed = behind - 1 if g.low(behind - 1) == "." and not g.alone(at, behind) and g.closes(behind) else behind
    return recurring.weekday(number), closed


_FIGURES: Final = frozenset(("ymd", "dmy", "num", "word", "ord", "iso"))


def _closed(g: Grammar, inner: int, behind: int) -> int:
    return g.skip(behind, ")") if g.low(inner - 1) == "(" else behind


def _on_weekday(g: Grammar, date: Recurring, number: int) -> Whole:
    """The occurrence that falls on the weekday: of this, the next or the last year, or the first month that has it.

    If a yearly one does not, the weekday is wrong and does not count. Raises ValueError if there is no such day.
    """
    fitting = Recurring(date.cycle, lambda start: _if_on(date, start, number), date.name)
    if date.cycle != "year":
        return fitting.within(period(g.today, date.cycle)) or fitting.coming(g.today)
    for offset in (0, 1, -1):
        found = fitting.within(period(g.today, "year", offset))
        if found is not None:
            return found
    return g.settle(date)


def _if_on(date: Recurring, start: datetime, number: int) -> Whole | None:
    found = date.at(start)
    return found if found is not None and found.start.weekday() == number else None


def _surely_weekday(g: Grammar, at: int, behind: int) -> bool:
    """Whether `sat`, `sun`, `wed` or `mon` is a day: alone, or beside what only a day can be beside."""
    if g.alone(at, behind):
        return True
    around = g.kind(behind) == "clock" or (g.low(behind) in ("at", "from", "-", "to", "and") and g.written(at).istitle())
    return g.written(at).istitle() and (
        around or g.low(at - 1) in ("on", "next", "last", "by", "until", "since", "and", "to", "-", "this")
    )


def feast(g: Grammar, at: int) -> Found:
    """A holiday by its name."""
    start = at
    if plain(g.low(start)) not in FIRST_WORDS:
        start = g.skip(at, "the")
        if start == at or plain(g.low(start)) not in FIRST_WORDS:
            return None
    words: list[str] = []
    index, best = start, None
    while len(words) < MOST_WORDS:
        if g.kind(index) == "word":
            words.append(plain(g.low(index)))
        elif not words or g.low(index) not in ("-", "."):
            break
        index += 1
        found = holiday(" ".join(words))
        if found is not None and g.kind(index - 1) == "word":
            best = (found, index, " ".join(words))
    if best is None:
        return None
    if best[2] in AMBIGUOUS and not (g.year(g.skip(best[1], "of", "in")) or g.alone(at, best[1]) or g.introduced(start)):
        return None
    return best[0], best[1]


def season(g: Grammar, at: int) -> Found:
    """`summer 2015`, `in the fall`."""
    start = g.skip(at, "the")
    low = g.low(start).removesuffix("'s")
    if low not in SEASONS:
        return None
    dated = g.year(g.skip(start + 1, "of"))
    plural = low in ("spring", "fall") and (not g.ends(start + 1) or g.low(at - 1) == "from" or g.low(start - 2) == "from")
    if dated or (g.introduced(start) and g.ends(start + 1) and not plural) or g.alone(at, start + 1):
        return recurring.season(low), start + 1
    return None


def year(g: Grammar, at: int) -> Found:
    """`in 2016`, `the year 2008`, `cy18`, `FY 2019`: a bare number only where a year must be."""
    low, start = g.low(at), g.skip(at, "the")
    if g.low(start) in ("year", "cy", "fy", "fiscal", "calendar"):
        start += g.low(start) in ("fiscal", "calendar")
        inner = g.skip(start + 1, "of") if g.low(start) in ("year", "cy", "fy") else start
        value = g.figure(inner)
        if value is None or inner == at or (value < 100 and g.low(inner - 1) == "year" and len(g.low(inner)) < 3):
            return None
        return period(local(century_of(value) if value < 100 else value, 1, 1), "year"), inner + 1
    found = g.year(at)
    if found is None:
        small = g.figure(at)
        if small and small < 1000 and g.low(at - 1) == "in" and g.era(at + 1) > at + 1:
            return period(local(small, 1, 1), "year"), g.era(at + 1)
        return None
    if low == "two" and found[0] == 2000:
        return None
    if found[1] > at + 1 and g.kind(at) == "num":
        return period(local(found[0], 1, 1), "year"), found[1]
    open_ended = g.low(found[1]) in ("or", "and") and g.low(found[1] + 1) in ("later", "after", "earlier", "before")
    open_ended |= g.low(found[1]) in ("onwards", "onward") or (g.low(at - 1) == "from" and g.low(found[1]) == "on")
    if not 1800 <= found[0] <= 2199 or not (open_ended or g.introduced(at) or g.low(at - 1) in ("and", "–", "-", "or", "not")):
        return None
    if g.low(at - 1) in ("of", "from") and not 1900 <= found[0] <= g.now.year + 10:
        return None
    if (
        g.low(at - 1)
        in ("for", "at", "to", "about", "around", "than", "or", "and", "next", "this", "end", "back", "out", "not")
        and not open_ended
        and not g.closes(found[1])
    ):
        return None
    return (period(local(found[0], 1, 1), "year"), found[1]) if not _counted(g, found[1]) else None


def _counted(g: Grammar, at: int) -> bool:
    """Whether the noun behind is counted by what looks like a year: `in 2000 cases`, `of 1974 users`."""
    low = g.low(at)
    return g.kind(at) == "word" and not g.ends(at) and (low.endswith("s") or low in ("people", "more", "lines", "of"))
