"""The grammar's frame: dates found by whichever rule reads furthest, then moved by what follows ("… of next year")."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from illumina.retain.dates.holidays import FIRST_WORDS, plain
from illumina.retain.dates.reader import Reader
from illumina.retain.dates.recurring import Recurring
from illumina.retain.dates.units import Whole, local, period
from illumina.retain.dates.vocabulary import DATE_STARTERS, LAST, NEXT, THIS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import tzinfo

    from illumina.retain.dates.tense import Lean

Date = Whole | Recurring
Found = tuple[Date, int] | None
Rule = Callable[["Grammar", int], Found]

MAX_DEPTH: Final = 6
"""Of dates within dates: "the end of the last week of next month" has three."""

ADDED: Final = timedelta(days=7)
"""How long after its date a text may grow: a comment on a ticket, the last lines of a minute."""

_BEFORE: Final = frozenset(
    """in on since until till til by from to before after during through throughout thru between of for at around about early
    late mid next last this past end starting beginning ending begins starts ends due sometime circa back out or than within
    via""".split()  # noqa: SIM905 - reads as a list
)


class Grammar(Reader):
    """A text under all rules for dates."""

    def __init__(self, text: str, now: datetime, zone: tzinfo, rules: Sequence[Rule]) -> None:
        super().__init__(text, now, zone)
        self._rules = rules
        self._known: dict[tuple[int, Lean], Found] = {}
        self._depth = 0

    def date(self, at: int) -> Found:
        """The longest date that begins at a token."""
        key = at, self.lean
        if key in self._known:
            return self._known[key]
        if self._depth >= MAX_DEPTH or not self.may_begin(at, DATE_STARTERS):
            return None
        self._depth += 1
        best: Found = None
        for rule in self._rules:
            try:
                found = rule(self, at)
            except (ValueError, OverflowError):
                continue
            if found is not None and (best is None or found[1] > best[1]):
                best = found
        if best is not None:
            best = self._moved(*best)
        self._depth -= 1
        self._known[key] = best
        return best

    def may_begin(self, at: int, words: Collection[str]) -> bool:
        """Whether the token is a figure, one of `words`, or the beginning of a holiday's name."""
        kind = self.kind(at)
        if kind not in ("word", "mark"):
            return kind not in ("", "gap", "opaque")
        low = self.low(at)
        return low in words or (kind == "word" and (low.removesuffix("'s") in words or plain(low) in FIRST_WORDS))

    def settle(self, date: Date, since: datetime | None = None) -> Whole:
        """The date itself, or of a recurring one that which comes next: a weekday after today, all else today or later.

        Where the clause tells of the past, it is the last one, but for a date of the next days: what is added to a text
        is later than the text. In running text that does not tell, a time of the year is the nearer of the two.

        Raises:
            ValueError: It does not occur.
        """
        if isinstance(date, Whole):
            return date
        if since is not None:
            return date.coming(since)
        day = date.name in ("weekday", "monthday")
        coming = date.next(self.today) if date.name == "weekday" else date.coming(self.today)
        if self.lean in ("ahead", "alone") or (self.lean == "open" and day) or (coming.start <= self.now and not day):
            return coming
        last = date.last(self.today)
        nearer = date.name in ("date", "month") and self.now - last.end < coming.start - self.now
        added = date.name == "date" and coming.start - self.today <= ADDED
        past = self.lean == "past" and not added
        return last if past or (self.lean == "done" and day) or nearer else coming

    def introduced(self, at: int) -> bool:
        """Whether a preposition or the like stands before, so that an ambiguous word is a time."""
        if self.low(at - 1) in ("the", "~", "@"):
            at -= 1
        return self.low(at - 1) in _BEFORE

    def _moved(self, date: Date, at: int) -> tuple[Date, int]:
        """A yearly date with its year: `2016`, `of next year`, `in 3 years`, `2 months ago`."""
        if isinstance(date, Whole) or date.cycle != "year":
            return date, at
        start = at
        for word in (",", "of", "in", "for"):
            start = self.skip(start, word)
        try:
            if (year := self.year(start)) and not self._counts(year[1], start):
                return self._of_year(date, year[0]), year[1]
            start = self.skip(self.skip(at, "of", "in"), "the")
            word, unit = self.low(start), self.low(start + 1)
            if unit in ("year", "yr") and (word in THIS or word in NEXT or word in LAST):
                offset = 0 if word in THIS else 1 if word in NEXT else -1
                return self._of_year(date, self.now.year + offset), start + 2
            if (self.low(at), self.low(at + 1)) == ("after", "next"):
                return date.next(self.today, 2), at + 2
            away = self.duration(self.skip(at, "in"))
            if away:
                sign = {"ago": -1, "hence": 1}.get(self.low(away[1]), 1 if self.low(at) == "in" else 0)
                behind = away[1] + (self.low(away[1]) in ("ago", "hence"))
                if (self.low(away[1]), self.low(away[1] + 1)) == ("from", "now"):
                    sign, behind = 1, away[1] + 2
                if sign:
                    return date.coming(away[0].move(self.today, sign)), behind
        except (ValueError, OverflowError):
            pass
        return date, at

    def _counts(self, at: int, figure: int) -> bool:
        """Whether what looks like a year counts something that follows, or is the beginning of a time."""
        return self.kind(figure) == "num" and self.low(at) in (":", "%")

    @staticmethod
    def _of_year(date: Recurring, year: int) -> Whole:
        found = date.within(period(local(year, 1, 1), "year"))
        if found is None:
            raise ValueError
        return found
