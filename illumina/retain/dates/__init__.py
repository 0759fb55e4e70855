"""Times that an English text mentions, as half-open intervals with a precision: the engine's own grammar.

Only English is read. Nothing is looked up: holidays are computed, no clock is read, and the same text and reference give
the same answer everywhere. Where English itself is of two minds, the rules are these:

- Weeks begin on Monday. A bare weekday is the next one after today; `this Friday` may be today; `next` and `last Friday` are
  those of the next and the last week; `coming Friday` and `past Friday` are the nearest. A weekend is Saturday and Sunday.
- A weekday, a day of the month, a date without its year, a holiday or a time of day is the last one where the clause tells of
  the past ("broke on Friday", and after `since`), else the running or the coming one; but a date of the coming seven days is
  that, whatever the clause tells: texts grow after they are dated. In running text that tells neither, a
  month or a date without its year is the nearer of the two, and a time of day is today's, by the 24-hour clock.
- `3/4` is 4 March; the day comes first only where it must (`23/4`). Two figures of a year: 69 to 99 are of the 1900s.
- `last` and `next 3 weeks` are whole calendar weeks as `last week` is one. `Two years ago` is known to the month, `two weeks
  ago` and `three days ago` to the day, `two hours ago` to the minute.
- A range includes its last unit (`4 to 6 May` ends with the 6th). `After` a day or a time begins with it, `after` a longer
  stretch behind it; `before`, `until` and `by` end where it begins, but where `the end of` it is named, with it.
- Beginning and end are ten days of a month, four months of a year (a beginning three), three days of a week.
- Morning is until noon, afternoon from then to 19, evening and night from 18 to midnight. Fiscal years are calendar years.
- Jewish feasts begin on the eve; Islamic and Hindu ones follow the computed moon, so that a sighted one may be a day off.
- `Every Monday`, `on Mondays`, a bare duration (`for 3 days`) and `two days later` are no intervals of the calendar.
- What is a time only sometimes (`May`, `sun`, `second`, `2000`, `9/10`) is one only beside words that make it one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from illumina.retain.dates import named, nested, periods, relative
from illumina.retain.dates.expressions import expression
from illumina.retain.dates.grammar import Grammar, Rule
from illumina.retain.dates.lexer import glued
from illumina.retain.dates.units import Precision
from illumina.retain.dates.vocabulary import STARTERS

if TYPE_CHECKING:
    from illumina.retain.dates.units import Period

__all__ = ["DatedSpan", "Precision", "find_dates"]

_RULES: Final[tuple[Rule, ...]] = (
    named.figures,
    named.dashed_day,
    named.joined,
    named.month,
    named.day_month,
    named.year_month,
    named.weekday,
    named.feast,
    named.season,
    named.year,
    relative.near_day,
    relative.this_moment,
    relative.this_next_last,
    relative.weekday_of_week,
    relative.away,
    nested.nth,
    nested.several,
    nested.beside,
    periods.quarter,
    periods.decade,
    periods.week,
    nested.edge,
    nested.rest,
)


@dataclass(frozen=True, slots=True)
class DatedSpan:
    """A time expression.

    Attributes:
        begin: Its first character in the text.
        stop: The character behind it.
        start: The first moment of what it means, in the reference's zone; None if that has no beginning.
        end: The first moment behind it; None if it has no end.
        precision: How finely `start` and `end` are known.
    """

    begin: int
    stop: int
    start: datetime | None
    end: datetime | None
    precision: Precision


def find_dates(text: str, reference: datetime) -> list[DatedSpan]:
    """All time expressions of a text, in order and without overlap; never raises, whatever the text.

    Args:
        text: Any text.
        reference: The moment that it was written; relative dates count from it, and its zone (UTC if it has none) is that
            of the answer. Local time is reckoned on the wall clock.
    """
    zone = reference.tzinfo or UTC
    now = reference.replace(tzinfo=None)
    grammar = Grammar(text, now, zone, _RULES)
    found: list[DatedSpan] = []
    at = 0
    while at < len(grammar.tokens):
        read = expression(grammar, at) if grammar.may_begin(at, STARTERS) else None
        if read is None or not read[1] > at:
            at += 1
            continue
        period, behind = read
        begin, stop = grammar.tokens[at].start, grammar.tokens[behind - 1].end
        if glued(text, begin, stop):
            at += 1
            continue
        found.append(_span(begin, stop, period, zone))  # type: ignore[arg-type]
        at = behind
    return found


def _span(begin: int, stop: int, period: Period, zone: datetime) -> DatedSpan:
    start, end = (moment.replace(tzinfo=zone) if moment else None for moment in (period.start, period.end))  # type: ignore[arg-type]
    return DatedSpan(begin, stop, start, end, period.precision)
