"""The tokens of a text with a cursor-free reading of numbers, years, durations: what all rules of the grammar build on.

A rule is a method that takes the index of a token and returns what begins there and the index behind it, or None.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from illumina.retain.dates.lexer import MAX_DIGITS, Token, lex
from illumina.retain.dates.tense import Lean
from illumina.retain.dates.units import Precision, Unit, floor, shift
from illumina.retain.dates.vocabulary import CARDINALS, FORTNIGHT, FUNCTION_WORDS, ORDINALS, TENS, UNITS

if TYPE_CHECKING:
    from datetime import tzinfo

_STEP: Final[dict[Unit, Precision]] = {
    # "Two years ago" is known to the month, "two weeks ago" and "three days ago" to the day.
    "century": "year",
    "decade": "year",
    "year": "month",
    "quarter": "month",
    "month": "day",
    "week": "day",
    "day": "day",
    "hour": "minute",
    "minute": "second",
    "second": "second",
}
_ORDER: Final = tuple(_STEP)
_LARGE: Final = {"hundred": 100, "thousand": 1000}
_PER_UNIT: Final = {"day": 86_400, "week": 604_800, "hour": 3600, "minute": 60, "second": 1}
_MONTHS: Final = {"century": 1200, "decade": 120, "year": 12, "quarter": 3, "month": 1}


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time.

    Attributes:
        months: Its calendar part.
        seconds: Its clock part.
        unit: Its finest unit.
        working: Working days, which `seconds` then counts as days.
    """

    months: int
    seconds: int
    unit: Unit
    working: bool = False

    @property
    def step(self) -> Precision:
        """How finely a moment that is this far away is known."""
        return _STEP[self.unit]

    def move(self, moment: datetime, sign: int) -> datetime:
        """The moment that is this far behind (1) or before (-1) `moment`; raises OverflowError or ValueError."""
        if self.working:
            left = self.seconds // 86_400
            while left:
                moment += timedelta(days=sign)
                left -= moment.weekday() < 5
            return moment
        return shift(moment, "month", sign * self.months) + timedelta(seconds=sign * self.seconds)


class Reader:
    """A text's tokens, and the moment it is read at."""

    def __init__(self, text: str, now: datetime, zone: tzinfo) -> None:
        self.text = text
        self.tokens: list[Token] = lex(text)
        self.now = now
        self.today = floor(now, "day")
        self.zone = zone
        self.lean: Lean = "alone"

    def low(self, at: int) -> str:
        """The token in lower case; empty outside the text."""
        return self.tokens[at].low if 0 <= at < len(self.tokens) else ""

    def kind(self, at: int) -> str:
        """The token's kind; empty outside the text."""
        return self.tokens[at].kind if 0 <= at < len(self.tokens) else ""

    def written(self, at: int) -> str:
        """The token as it is written."""
        return self.text[self.tokens[at].start : self.tokens[at].end] if 0 <= at < len(self.tokens) else ""

    def touches(self, at: int) -> bool:
        """Whether the token follows the one before without a space."""
        return 0 < at < len(self.tokens) and self.tokens[at].start == self.tokens[at - 1].end

    def skip(self, at: int, *words: str) -> int:
        """The index behind the token if it is one of `words`, else its own."""
        return at + 1 if self.low(at) in words else at

    def ends(self, at: int) -> bool:
        """Whether an ambiguous expression may end before the token: text or clause ends, or a function word follows."""
        return self.kind(at) != "word" or self.low(at) in FUNCTION_WORDS

    def closes(self, at: int) -> bool:
        """Whether text or clause ends before the token."""
        return self.kind(at) not in ("word", "num", "ord", "clock") and self.low(at) not in ("-", "/", "'", "(")

    def alone(self, start: int, end: int) -> bool:
        """Whether nothing but marks is around the tokens."""
        return not any(token.kind != "mark" for token in (*self.tokens[max(start - 4, 0) : start], *self.tokens[end : end + 4]))

    def figure(self, at: int) -> int | None:
        """The value of a whole number in figures."""
        low = self.low(at)
        return int(low) if self.kind(at) == "num" and low.isdecimal() and len(low) <= MAX_DIGITS else None

    def cardinal(self, at: int) -> tuple[int, int] | None:
        """A whole number in figures or words, up to thousands."""
        if (value := self.figure(at)) is not None:
            return value, at + 1
        found = self._small(at)
        if found is None:
            return None
        total, at = found
        while (size := _LARGE.get(self.low(at))) and total < 1000:
            total, at = total * size, at + 1
            more = self._small(self.skip(at, "and"))
            if more and more[0] < size:
                total, at = total + more[0], more[1]
        return total, at

    def _small(self, at: int) -> tuple[int, int] | None:
        """Zero to ninety-nine in words."""
        low = self.low(at)
        if low in CARDINALS:
            return CARDINALS[low], at + 1
        if low not in TENS:
            return None
        more = CARDINALS.get(self.low(self.skip(at + 1, "-")), 0)
        return (TENS[low] + more, self.skip(at + 1, "-") + 1) if 0 < more < 10 else (TENS[low], at + 1)

    def ordinal(self, at: int) -> tuple[int, int] | None:
        """First to thirty-first, in figures or words."""
        low = self.low(at)
        if self.kind(at) == "ord":
            value = int(low[:-2])
            return (value, at + 1) if 1 <= value <= 99 else None
        if low in ORDINALS:
            return ORDINALS[low], at + 1
        if low in ("twenty", "thirty"):
            after = self.skip(at + 1, "-")
            if (units := ORDINALS.get(self.low(after), 10)) < 10:
                return TENS[low] + units, after + 1
        return None

    def year(self, at: int) -> tuple[int, int] | None:
        """A year in four figures, with an apostrophe and two, or in words."""
        low = self.low(at)
        if (value := self.figure(at)) is not None and len(low) == 4 and 1000 <= value <= 2999 and not self._amount(at):
            return value, self.era(at + 1)
        if low in ("'", "’") and self.touches(at + 1) and len(self.low(at + 1)) == 2 and self.figure(at + 1) is not None:
            return century_of(int(self.low(at + 1))), at + 2
        if low == "two" and self.low(at + 1) == "thousand":
            found = self.cardinal(at)
            return found if found and found[0] < 3000 else None
        first = self._small(at) if low in CARDINALS or low in TENS else None
        if first and 11 <= first[0] <= 20:
            second = self._small(first[1])
            if self.low(first[1]) in ("zero", "oh", "o") and (second := self._small(first[1] + 1)) and second[0] > 9:
                second = None
            if self.low(first[1]) == "zero" and second and second[0] == 0:
                second = self._small(first[1] + 1)
            if second and (second[0] > 9 or self.low(first[1]) in ("zero", "oh", "o")):
                return first[0] * 100 + second[0], second[1]
        return None

    def era(self, at: int) -> int:
        """Behind AD or CE, if that follows."""
        if self.low(at) in ("ad", "ce"):
            return at + 1
        if (self.low(at), self.low(at + 1), self.low(at + 2)) in (("a", ".", "d"), ("c", ".", "e")):
            return self.skip(at + 3, ".")
        return at

    def _amount(self, at: int) -> bool:
        """Whether a figure counts money or is part of a decimal number."""
        return self.low(at - 1) in ("$", "€", "£", "¥") or (self.low(at + 1) in ("%", "€") and self.touches(at + 1))

    def quantity(self, at: int) -> tuple[float, int] | None:
        """How many: a number, `a`, `a couple of`, `a few`, a fraction."""
        low, after = self.low(at), self.low(at + 1)
        if low in ("a", "an") and after in ("couple", "pair", "few"):
            return (3 if after == "few" else 2), self.skip(at + 2, "of")
        if low in ("few", "couple"):
            return (3 if low == "few" else 2), self.skip(at + 1, "of")
        if low in ("a", "an", "one"):
            start = at + 1
            if self.low(start) in ("half", "quarter") and self.low(start + 1) in ("of", "an"):
                return self._fraction(start)
            return (1.5, start + 3) if self._and_a_half(start) else (1, start)
        fraction = self._fraction(at)
        if fraction is not None:
            return fraction
        found = self.cardinal(at)
        return (found[0] + 0.5, found[1] + 3) if found and self._and_a_half(found[1]) else found

    def _and_a_half(self, at: int) -> bool:
        return self.low(at) == "and" and self.low(at + 1) in ("a", "an") and self.low(at + 2) == "half"

    def _fraction(self, at: int) -> tuple[float, int] | None:
        """`half an`, `quarter of an`, `three-quarters of an`, `1/2`, `2.5`."""
        low, after = self.low(at), self.low(at + 1)
        if low in ("half", "quarter") and after in ("a", "an", "of"):
            return (0.5 if low == "half" else 0.25), self.skip(self.skip(at + 1, "of"), "a", "an")
        rest = self.skip(at + 1, "-") + 1
        if low == "three" and self.low(rest - 1) in ("quarters", "quarter") and self.low(rest) == "of":
            return 0.75, self.skip(self.skip(rest, "of"), "a", "an")
        if self.kind(at) == "md" and low.replace(" ", "") in ("1/2", "1/4", "3/4"):
            return int(low[0]) / int(low[-1]), self.skip(self.skip(at + 1, "of"), "an")
        if self.kind(at) == "num" and "." in low and len(low) <= MAX_DIGITS:
            return float(low), at + 1
        return None

    def duration(self, at: int) -> tuple[Duration, int] | None:
        """One to four quantities of units: `2 years, 1 month and 21 days`."""
        months, seconds, finest = 0, 0.0, "century"
        end = at
        for _ in range(4):
            start = at if end == at else self.skip(end, "and", ",")
            part = self._length(start)
            if part is None:
                break
            count, unit, working, behind = part
            if working:
                return (Duration(0, int(count) * 86_400, "day", working=True), behind) if end == at else None
            if unit in _MONTHS and count == int(count):
                months += int(count) * _MONTHS[unit]
            elif unit in _MONTHS:
                months, unit = months + int(count * _MONTHS[unit]), "month"
            else:
                seconds += count * _PER_UNIT[unit]
                if count != int(count):
                    unit = "minute" if unit == "hour" else "hour"
            finest = max(finest, unit, key=_ORDER.index)
            end = behind
        if end == at or months > 12 * 20_000 or seconds > 86_400 * 366 * 20_000:
            return None
        return Duration(months, int(seconds), finest), end  # type: ignore[arg-type]

    def _length(self, at: int) -> tuple[float, Unit, bool, int] | None:
        """A quantity and its unit."""
        found = self.quantity(at)
        if found is None:
            return None
        count, at = found[0], self.skip(found[1], "more", "full", "whole", "-")
        working = self.low(at) in ("business", "working", "work") and self.low(at + 1) in ("day", "days")
        at += working
        low = self.low(at)
        if low in ("'", '"') and self.touches(at) and self.figure(at - 1) is not None:
            return count, "minute" if low == "'" else "second", False, at + 1
        if low in FORTNIGHT:
            return count * 2, "week", False, at + 1
        unit = UNITS.get(low)
        if unit and self._and_a_half(at + 1):
            return count + 0.5, unit, working, at + 4
        return (count, unit, working, at + 1) if unit else None


def century_of(number: int) -> int:
    """The year that two figures stand for: 69 to 99 in the last century, as POSIX has it."""
    return number + (1900 if number >= 69 else 2000)
