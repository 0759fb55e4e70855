"""When what a piece tells of happened."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from illumina.retain.dates import find_dates
from illumina.retain.dates.holidays import FIRST_WORDS
from illumina.retain.dates.vocabulary import FORTNIGHT, MONTHS, PARTS, UNITS, WEEKDAYS
from illumina.retain.extraction import EventTime
from illumina.retain.words import words_of

if TYPE_CHECKING:
    from illumina.retain.clauses import Words
    from illumina.retain.dates import DatedSpan

_TELLING: Final = frozenset((*WEEKDAYS, *MONTHS, *UNITS, *FORTNIGHT, *PARTS, *FIRST_WORDS)) | words_of(
    "today yesterday tomorrow tonight tonite tmr tmrw eod eow eom eoq eoy boy noon midnight midday spring summer autumn fall winter quarter "
    "weekend weekends decade century now ago asap"
)
_PRESENT: Final = re.compile(r"(?:right )?now|currently|nowadays|at the moment|just now|asap|these days", re.IGNORECASE)
_FIRST: Final = datetime(1996, 2, 7, 3, 11, tzinfo=UTC)
_SECOND: Final = datetime(2037, 9, 19, 16, 44, tzinfo=UTC)
_WRITTEN: Final = re.compile(r"\b(?:19|20)\d\d\b")


class Dated(NamedTuple):
    """The time of a piece.

    Attributes:
        event: As an interval.
        end: Offset behind the words that tell it.
        shown: How a reader without the reference would write it; None if the words themselves say it.
    """

    event: EventTime
    end: int
    shown: str | None


def dated(text: str, first: int, last: int, words: Words, moment: datetime | None) -> Dated | None:
    """The first time that a stretch tells, read against when it was said; without that, only what needs no reference."""
    if not _may_tell(text, first, last, words):
        return None
    part = text[first:last]
    spans = find_dates(part, moment or _FIRST)
    if moment is None:
        again = find_dates(part, _SECOND)
        spans = [span for span in spans if span in again]
    for span in spans:
        if _PRESENT.fullmatch(part[span.begin : span.stop]):
            continue
        event = EventTime(span.start, span.end, span.precision)
        relative = moment is not None and not _WRITTEN.search(part[span.begin : span.stop])
        return Dated(event, first + span.stop, _shown(span) if relative else None)
    return None


def _may_tell(text: str, first: int, last: int, words: Words) -> bool:
    """Whether any word can be part of a time; most sentences have none, and looking is dear."""
    for place in range(words.index(first), len(words)):
        if words.starts[place] >= last:
            break
        word = words.low[place]
        if word[0].isdigit() or word.removesuffix("'s") in _TELLING or word.split("-")[0] in _TELLING:
            return True
        if not word.isalpha() and any(sign.isdigit() for sign in word):
            return True
    return False


def _shown(span: DatedSpan) -> str | None:
    start, end = span.start, span.end
    if start is None or end is None:
        return None
    match span.precision:
        case "day":
            last = end - timedelta(days=1)
            return f"{start:%Y-%m-%d}" if last <= start else f"{start:%Y-%m-%d} to {last:%Y-%m-%d}"
        case "month":
            return f"{start:%Y-%m}"
        case "week" | "quarter":
            return f"{start:%Y-%m-%d} to {end - timedelta(days=1):%Y-%m-%d}"
        case "year":
            return f"{start:%Y}"
        case "hour" | "minute":
            return f"{start:%Y-%m-%d}"
        case _:
            return None
