"""When what a piece tells of happened."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from illumina.retain.dates import find_dates
from illumina.retain.dates.holidays import FIRST_WORDS
from illumina.retain.dates.vocabulary import FORTNIGHT, MONTHS, PARTS, UNITS, WEEKDAYS
from illumina.retain.words import words_of
from illumina.types import EventTime

if TYPE_CHECKING:
    from illumina.retain.clauses import Words
    from illumina.retain.dates import DatedSpan

_ORDINARY: Final = words_of(
    "the all early great new good day id system st three night thanks american world flag branch star ash august april "
    "black boss civil clean corpus "
    "earth fat father fathers feast festival giving global ground guy human independence international kings labor labour "
    "lent martin memorial may "
    "mother mothers orthodox palm pancake pi president presidents programmers ram remembrance sacrifice saint singles "
    "trinity veteran veterans "
    "victoria white womens canada australia chinese jewish muslim islamic israeli persian parsi thai lunar indigenous "
    "childrens boxing bonfire "
    "independence prophets eid guru"
)
_FEASTS: Final = FIRST_WORDS - _ORDINARY - frozenset((*WEEKDAYS, *MONTHS))
_FEAST_ENDS: Final = words_of(
    "day eve year years year's friday monday sunday saturday tuesday wednesday thursday week night lent fools new festival"
)
_TELLING: Final = (
    frozenset((*WEEKDAYS, *MONTHS, *FORTNIGHT, *PARTS))
    | _FEASTS
    | words_of(
        "today yesterday tomorrow tonight tonite tmr tmrw eod eow eom eoq eoy boy noon midnight midday spring summer "
        "autumn fall winter quarter "
        "weekend weekends decade century ago asap"
    )
)
_SHIFTING: Final = words_of(
    "last next this past in within coming previous since until till end beginning start over the that following early late "
    "mid same first second third"
)
_FIGURE: Final = re.compile(
    r"(?:1[5-9]|20)\d\d(?!\d)(?:$|\D)|\d{1,2}(?:st|nd|rd|th)$|\d{1,2}:\d\d|\d{1,4}[/-]\d{1,2}(?:[/-]\d{1,4})?$"
    r"|\d{1,2}(?::\d\d)?(?:am|pm|h)$|\d{4}-"
    r"|\d{1,2}\.\d{1,2}\.\d{2,4}$|(?:q[1-4]|h[12]|fy\d\d|cw\d+|kw\d+|w\d\d?)$|'?\d0s$"
)
_PRESENT: Final = re.compile(r"(?:right )?now|currently|nowadays|at the moment|just now|asap|these days", re.IGNORECASE)
_FIRST: Final = datetime(1996, 2, 7, 3, 11, tzinfo=UTC)
_SECOND: Final = datetime(2037, 9, 19, 16, 44, tzinfo=UTC)
_CALENDAR: Final = re.compile(
    rf"\b(?:{'|'.join(sorted((*MONTHS, *WEEKDAYS)))}|to(?:day|morrow|night)|next|last|this)\b|\d{{4}}|\d[/-]\d", re.IGNORECASE
)
_WRITTEN: Final = re.compile(r"\b(?:19|20)\d\d\b")


class Dated(NamedTuple):
    """The time of a piece.

    Attributes:
        event: As an interval.
        end: Offset behind the words that tell it.
        shown: How a reader without the reference would write it; None if the words themselves say it.
        recurs: Whether the words name no day of the calendar, so that a rule tells of it again and again.
    """

    event: EventTime
    end: int
    shown: str | None
    recurs: bool


def dated(text: str, first: int, last: int, words: Words, moment: datetime | None) -> Dated | None:
    """The first time that a stretch tells, read against when it was said; without that, only what needs no reference."""
    if not _may_tell(first, last, words):
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
        said = part[span.begin : span.stop]
        recurs = _CALENDAR.search(said) is None
        # Of a bare time of day, the day is a guess.
        guessed = recurs and span.precision in {"hour", "minute", "second"} and any(sign.isdigit() for sign in said)
        return Dated(event, first + span.stop, _shown(span) if relative and not guessed else None, recurs)
    return None


def _may_tell(first: int, last: int, words: Words) -> bool:
    """Whether any word can be part of a time; most sentences have none, and looking is dear."""
    for place in range(words.index(first), len(words)):
        if words.starts[place] >= last:
            break
        word = words.low[place].removesuffix("'s")
        if word[0].isdigit() or word[-1].isdigit():
            if _FIGURE.match(word) or words.at(place + 1) in {"am", "pm", "a.m", "p.m", "o'clock"}:
                return True
        elif word in _TELLING or ("-" in word and word.split("-")[0] in _TELLING):
            return True
        elif word in UNITS:
            around = {*words.low[max(0, place - 4) : place], *words.low[place + 1 : place + 3]}
            if around & _SHIFTING or "ago" in around or "from" in around or "hence" in around:
                return True
        elif word in FIRST_WORDS and _FEAST_ENDS & {*words.low[place + 1 : place + 4]}:
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
