"""Times of day: on the clock, in parts of the day, with zones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import Final

from illumina.retain.dates.reader import Reader
from illumina.retain.dates.units import Precision, Whole
from illumina.retain.dates.vocabulary import PARTS, ZONES

_NAMED: Final = {"noon": 12, "midday": 12, "midnight": 0}
_BEFORE_CLOCK: Final = frozenset(("about", "around", "approximately", "exactly", "ca", "~"))


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the day, from and to hours, the second up to 24."""

    start: int
    end: int

    def shaded(self, word: str) -> Part:
        """Only the early or the late part of it."""
        if word == "early":
            return Part(self.start, {12: 9, 19: 15, 24: 21}.get(self.end, self.end))
        return Part({0: 9, 12: 16, 18: 21}.get(self.start, self.start), self.end)


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day.

    Attributes:
        hour: 0 to 24.
        minute: 0 to 59.
        second: 0 to 59.
        precision: How finely it is written.
        sure: Whether morning and afternoon are told apart.
        weak: Whether it is a bare number, which is a time only beside a date or a part of the day.
        zone: Minutes east of Greenwich, if it is written.
    """

    hour: int
    minute: int
    second: int
    precision: Precision
    sure: bool = False
    weak: bool = False
    zone: int | None = None

    def later(self) -> Clock:
        """It in the afternoon."""
        return replace(self, hour=self.hour + 12, sure=True) if self.hour < 12 else replace(self, sure=True)

    def within(self, part: Part | None) -> Clock:
        """It in a part of the day: a small hour in the afternoon or the evening is one behind noon."""
        if part is None or self.sure:
            return self
        if part.start >= 18 and self.hour == 12:
            return replace(self, hour=24, sure=True)
        return self.later() if part.start >= 12 and self.hour else replace(self, sure=True)

    def on(self, day: datetime, reader: Reader) -> Whole:
        """It on a day, in the reader's zone."""
        start = day + timedelta(hours=self.hour, minutes=self.minute, seconds=self.second)
        if self.zone is not None:
            there = start.replace(tzinfo=timezone(timedelta(minutes=self.zone)))
            start = there.astimezone(reader.zone).replace(tzinfo=None)
        return Whole(start, start + timedelta(**{f"{self.precision}s": 1}), self.precision)

    def coming(self, reader: Reader) -> Whole:
        """It at its next turn; the hour that runs counts as to come."""
        if reader.lean in ("past", "done"):
            today = self.on(reader.today, reader)
            return today if today.start <= reader.now else self.on(reader.today - timedelta(days=1), reader)
        # In running text figures with minutes are of the 24-hour clock.
        sure = self.sure or self.hour >= 12 or (reader.lean != "alone" and self.precision != "hour")
        hours = [self.hour] if sure else [self.hour, self.hour + 12]
        for hour in hours:
            if hour >= reader.now.hour or self.zone is not None or reader.lean == "open":
                return replace(self, hour=hour).on(reader.today, reader)
        return self.on(reader.today + timedelta(days=1), reader)


def clock(reader: Reader, at: int, *, weak: bool = False) -> tuple[Clock, int] | None:
    """A time of day; a bare number only if `weak`."""
    start = at + 1 if reader.low(at) in _BEFORE_CLOCK else at
    found = _relative(reader, start) or _plain(reader, start)
    if found is None:
        return None
    time, at = found
    if time.weak and not weak:
        return None
    if reader.low(at) in ("approximately", "sharp", "exactly"):
        at += 1
    if (offset := ZONES.get(reader.low(at))) is not None and (
        reader.written(at).isupper() or reader.low(at) in ("gmt", "utc", "pst", "est", "cet", "ist")
    ):
        finer: Precision = "minute" if time.precision == "hour" else time.precision
        time, at = replace(time, zone=offset, precision=finer, weak=False), at + 1
    return time, at


def meridian(reader: Reader, at: int, *, short: bool) -> tuple[int, int] | None:
    """0 or 12 for am or pm; also `a` and `p` if `short`."""
    if reader.low(at) == "in" and reader.low(at + 1) == "the" and reader.low(at + 2) in ("am", "pm"):
        at += 2
    low = reader.low(at)
    if low in ("am", "pm"):
        return (0 if low == "am" else 12), at + 1
    if low in ("a", "p"):
        hours, behind = (0 if low == "a" else 12), reader.skip(at + 1, ".")
        if reader.low(behind) == "m":
            return hours, (behind + 2 if reader.low(behind + 1) == "." and behind > at + 1 else behind + 1)
        if short and reader.touches(at):
            return hours, at + 1
    return None


def _plain(reader: Reader, at: int) -> tuple[Clock, int] | None:
    low = reader.low(at)
    if low in _NAMED:
        return Clock(_NAMED[low], 0, 0, "hour", sure=True), at + 1
    if low == "mid" and reader.low(reader.skip(at + 1, "-")) == "day":
        return Clock(12, 0, 0, "hour", sure=True), reader.skip(at + 1, "-") + 1
    if low == "half" and (hour := reader.cardinal(at + 1)) and 1 <= hour[0] <= 12 and reader.kind(at + 1) == "word":
        return (Clock(hour[0], 30, 0, "minute"), hour[1]) if reader.closes(hour[1]) else None
    if reader.kind(at) == "clock":
        return _written(reader, at)
    if reader.kind(at) == "num" and low.isdecimal():
        return _figures(reader, at)
    hour = reader.cardinal(at)
    if hour is None or not 1 <= hour[0] <= 24:
        return None
    time, behind = Clock(hour[0], 0, 0, "hour", weak=True), hour[1]
    behind = reader.skip(behind, "-")
    if (reader.low(behind) in ("zero", "oh", "o", "ou") and (minute := reader.cardinal(behind + 1)) and minute[0] < 10) or (
        (minute := reader.cardinal(behind)) and 10 <= minute[0] <= 59 and reader.kind(behind) == "word"
    ):
        time, behind = replace(time, minute=minute[0], precision="minute"), minute[1]
    else:
        behind = hour[1]
    return _suffixed(reader, time, behind)


def _written(reader: Reader, at: int) -> tuple[Clock, int] | None:
    """`15:30`, `3:30:05 pm`, `15h30`."""
    numbers = [int(number) for number in reader.low(at).replace("h", ":").replace(",", ".").split(".")[0].split(":")]
    if numbers[0] > 24 or (numbers[0] == 24 and any(numbers[1:])):
        return None
    precision: Precision = "second" if len(numbers) == 3 else "minute"
    hour, minute, second = (*numbers, 0)[:3]
    sure = hour > 12 or hour == 0 or "h" in reader.low(at) or reader.low(at).startswith("0")
    return _suffixed(reader, Clock(hour, minute, second, precision, sure=sure), at + 1, short=True)


def _figures(reader: Reader, at: int) -> tuple[Clock, int] | None:
    """`3pm`, `330 p.m.`, `15h`; after `at` also `3`, `3 15` and `730`."""
    low = reader.low(at)
    value = int(low) if len(low) <= 4 else 9999
    if len(low) in (3, 4) and value // 100 <= 24 and value % 100 <= 59:
        time = Clock(value // 100, value % 100, 0, "minute", sure=value >= 1300, weak=True)
        return _suffixed(reader, time, at + 1)
    if value > 24:
        return None
    if reader.low(at + 1) == "h" and reader.touches(at + 1):
        firm = reader.low(at + 2) in (*ZONES, "for") or reader.alone(at, at + 2)
        return Clock(value % 24, 0, 0, "minute", sure=True, weak=not firm), at + 2
    minute = reader.figure(at + 1)
    if minute is not None and len(reader.low(at + 1)) == 2 and minute <= 59 and reader.low(at - 1) in ("at", "@"):
        return _suffixed(reader, Clock(value, minute, 0, "minute", weak=True), at + 2)
    time = Clock(value, 0, 0, "hour", sure=value > 12 or value == 0, weak=True)
    return _suffixed(reader, time, at + 1, short=reader.low(at - 1) in ("at", "@"))


def _suffixed(reader: Reader, time: Clock, at: int, *, short: bool = False) -> tuple[Clock, int] | None:
    """With o'clock, am or pm, and `ish`."""
    at = reader.skip(at, "ish") if reader.touches(at) else at
    if reader.low(at) in ("o'clock", "oclock"):
        time, at = replace(time, weak=False), at + 1
    half = meridian(reader, at, short=short)
    if half is None:
        return time, at
    if not 1 <= time.hour <= 12 and not (time.hour > 12 and half[0]):
        return None
    hour = time.hour % 12 + half[0] if time.hour <= 12 else time.hour
    return replace(time, hour=hour, sure=True, weak=False), half[1]


def _relative(reader: Reader, at: int) -> tuple[Clock, int] | None:
    """`half past three`, `a quarter to noon`, `20 past 3pm`, `15 minutes from 1pm`."""
    start = reader.skip(at, "a")
    if reader.low(start) == "half":
        minutes, behind = 30, start + 1
    elif reader.low(start) == "quarter":
        minutes, behind = 15, start + 1
    elif (count := reader.cardinal(start)) and 1 <= count[0] <= 59:
        minutes, behind = count[0], count[1]
    else:
        return None
    plain = behind
    behind = reader.skip(behind, "minutes", "minute", "mins", "min")
    word = reader.low(behind)
    if word not in ("past", "after", "to", "before", "till", "of", "from"):
        return None
    if word == "from" and behind == plain:
        return None
    if (
        word in ("to", "till", "before")
        and reader.kind(start) == "num"
        and minutes <= 12
        and reader.low(behind + 1) not in _NAMED
    ):
        return None  # "5 to 7pm" is two hours long
    # "5 to 7" and "15 of 20" are no times of day.
    hour = _plain(reader, behind + 1)
    told = hour is not None and minutes in (15, 30) and reader.kind(start) == "word" and word in ("to", "past")
    if told and hour and (reader.low(hour[1]) in ("tonight", "in", "this") or reader.closes(hour[1])):
        hour = replace(hour[0], weak=False), hour[1]
    if hour is None or hour[0].minute or (word in ("to", "of", "before", "till", "after") and hour[0].weak):
        return None
    if hour[0].weak and word == "past" and minutes not in (15, 30) and plain == behind and not reader.ends(hour[1]):
        return None
    sign = 1 if word in ("past", "after", "from") else -1
    total = (hour[0].hour * 60 + sign * minutes) % 1440
    return replace(hour[0], hour=total // 60, minute=total % 60, precision="minute", weak=False), hour[1]


def part_of_day(reader: Reader, at: int) -> tuple[Part, int] | None:
    """`morning`, `early in the morning`, `late evening`, `after lunch`."""
    low, start = reader.low(at), at
    shade = ""
    if low in ("early", "late"):
        shade, at = low, at + 1
        if reader.low(at) == "in" and reader.low(at + 1) == "the":
            at += 2
        elif reader.low(at) == "hours" and reader.low(at + 1) == "of":
            at = reader.skip(at + 2, "the")
    if low in ("after", "before") and reader.low(start + 1) in ("lunch", "work", "school"):
        hours = {"lunch": (13, 17), "work": (17, 21), "school": (15, 21)}[reader.low(start + 1)]
        return (Part(*hours), start + 2) if low == "after" else None
    named = PARTS.get(reader.low(at).removesuffix("'s"))
    if named is None:
        return None
    return Part(*named).shaded(shade) if shade else Part(*named), at + 1
