"""English words of time and what they stand for."""

from __future__ import annotations

from typing import Final

from illumina.retain.dates.units import Unit


def _numbered(words: str, first: int = 0) -> dict[str, int]:
    return {word: number for number, group in enumerate(words.split(), first) for word in group.split("|")}


WEEKDAYS: Final = _numbered(
    "monday|mondays|mon tuesday|tuesdays|tue|tues wednesday|wednesdays|wed|weds thursday|thursdays|thu|thur|thurs "
    "friday|fridays|fri saturday|saturdays|sat sunday|sundays|sun"
)
MONTHS: Final = _numbered(
    "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sep|sept october|oct "
    "november|nov december|dec",
    1,
)
AMBIGUOUS_WEEKDAYS: Final = frozenset(("mon", "wed", "weds", "sat", "sun"))
AMBIGUOUS_MONTHS: Final = frozenset(("may", "march", "mar", "jan", "apr", "jun", "dec", "sept", "sep"))
"""Also verbs, names and abbreviations of other things: a month only where the context says so."""

_UNITS: Final[dict[Unit, str]] = {
    "second": "second seconds sec secs",
    "minute": "minute minutes min mins",
    "hour": "hour hours hr hrs h",
    "day": "day days",
    "week": "week weeks wk wks",
    "month": "month months mth mths mo",
    "quarter": "quarter quarters qtr qtrs",
    "year": "year years yr yrs",
    "decade": "decade decades",
    "century": "century centuries",
}
UNITS: Final[dict[str, Unit]] = {
    word + mark: unit for unit, words in _UNITS.items() for word in words.split() for mark in ("", "'s", "s'", "'")
}
FORTNIGHT: Final = frozenset(("fortnight", "fortnights", "fortnight's"))

CARDINALS: Final = _numbered(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
TENS: Final = {
    word: 10 * number for word, number in _numbered("twenty thirty forty|fourty fifty sixty seventy eighty ninety", 2).items()
}
ORDINALS: Final = _numbered(
    "first second third fourth|forth fifth sixth seventh eighth ninth tenth eleventh twelfth|twelveth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
    1,
) | {"thirtieth": 30}
DECADES: Final = {f"{word[:-1]}ies": 1900 + number for word, number in TENS.items() if word != "fourty"} | {
    "noughties": 2000,
    "aughts": 2000,
}

THIS: Final = frozenset(("this", "current", "same"))
NEXT: Final = frozenset(("next", "following", "coming", "upcoming"))
LAST: Final = frozenset(("last", "past", "previous", "prior", "preceding"))
TOLD: Final = THIS | NEXT | LAST

PARTS: Final[dict[str, tuple[int, int]]] = {
    # From and to hours; 24 is the midnight that ends the day.
    "morning": (0, 12),
    "afternoon": (12, 19),
    "evening": (18, 24),
    "night": (18, 24),
    "nite": (18, 24),
    "lunch": (12, 14),
    "lunchtime": (12, 14),
}

ZONES: Final[dict[str, int]] = {
    # Minutes east of Greenwich; IST is India's, as CST and the like are America's.
    **dict.fromkeys(("utc", "gmt", "wet", "z"), 0),
    **dict.fromkeys(("cet", "bst", "west"), 60),
    **dict.fromkeys(("cest", "eet", "sast", "cat"), 120),
    **dict.fromkeys(("eest", "msk"), 180),
    "gst": 240,
    "pkt": 300,
    "ist": 330,
    **dict.fromkeys(("hkt", "sgt", "awst"), 480),
    **dict.fromkeys(("jst", "kst"), 540),
    "aest": 600,
    "aedt": 660,
    "nzst": 720,
    "nzdt": 780,
    "brt": -180,
    "art": -180,
    "ast": -240,
    "edt": -240,
    "est": -300,
    "cdt": -300,
    "cst": -360,
    "mdt": -360,
    "mst": -420,
    "pdt": -420,
    "pst": -480,
    "akst": -540,
    "hst": -600,
}

FUNCTION_WORDS: Final = frozenset(
    # May follow an ambiguous expression ("on the 4th we …", "in 2016 the …"); any other word makes it a modifier.
    """a an the and or but nor so yet at in on to for from of with by as if because since until till when while where before
    after between during about around than then there that this these those i we you he she it they our my your his her its
    their is was are were be been has have had will would can could may might must shall should do does did not no please
    let lets who which what how why also only just still already again too very""".split()  # noqa: SIM905 - reads as a list
)

DATE_STARTERS: Final = frozenset(
    # Every word that a date may begin with, besides the first words of holidays: all others are passed over at once.
    """the my a an today today's tomorrow tomorrows tmr tmrw tomorow yesterday current right just now at atm few couple half
    in within around iso calendar fiscal year cy fy q h w cw kw wk month week weekend weekends day rest remainder remaining
    beginning beginnings start begin early mid middle end late ending earlier later eod eow eom eoq eoy bom boq boy cob eob
    spring summer autumn fall winter quarter ' ’""".split()  # noqa: SIM905 - reads as a list
) | frozenset((*WEEKDAYS, *MONTHS, *UNITS, *FORTNIGHT, *CARDINALS, *TENS, *ORDINALS, *DECADES, *TOLD))
STARTERS: Final = (
    DATE_STARTERS
    | frozenset(
        [
            "@",
            "'",
            "’",
            "~",
            "on",
            "from",
            "between",
            "during",
            "since",
            "after",
            "before",
            "until",
            "till",
            "by",
            "through",
            "as",
            "no",
            "not",
            "up",
            "prior",
            "starting",
            "effective",
            "anytime",
            "any",
            "sometime",
            "asap",
            "noon",
            "midday",
            "midnight",
            "tonight",
            "tonite",
            "about",
            "approximately",
            "exactly",
            "ca",
            "for",
            "of",
        ]
    )
    | frozenset(PARTS)
)
