"""Recognizers-Text's English date and date-range specifications (MIT).

Of its 31 files, ten give values under a reference time; extractors' files give spans only. Times are without a zone and
taken as UTC. A text is a case with all its `date` and `daterange` expressions; a text with neither, but with some other
expression, is no case. The precision is that of TIMEX's finest unit: `2016-W45` is a week, `(2016-11-04,…,P18D)` days.

Traps, and what is done about them (each is counted):

- Files begin with a byte order mark, and repeat texts. The same text with the same reference is one case. Files of the
  default mode come first; where they differ, either value is right, and where a file of an optional mode differs from
  them, it is left out.
- Cases marked `NotSupported` (or `…ByDesign`) by some port are hard, not wrong: apart, with classes of their own.
- A yearless date has a past and a future reading; either is right.
- "From 4 to 22 May" ends before the 22nd here and after it in Duckling, and so do months and years; either is right where
  the text states both ends.
- A quarter is three months here and a quarter in Duckling; where the text says so, it is a quarter.
- Some expressions have no value ("not resolved", the first day of the year 1, an empty stretch): their text is left out.
- In a text that has other expressions too (a time, a duration), or that a partial parser reads, intervals besides the
  labelled ones are not counted as wrong.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from evals.corpora import public_folder
from evals.corpora.pins import read_pinned
from evals.labels.dates import DateCase, Expected, Interval, Precision, following
from evals.labels.kinds import LabelledSet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

FILES: Final = "recognizers-english/*.json"
PIN = "bf736ab7eb3c14b0ce44aea84079fc95db2f44eab157d2450f49c62c572c8622"

DEFAULT_MODE: Final = ("DateTimeModel", "MergedParser", "DateParser", "DatePeriodParser", "HolidayParser")
OPTIONAL_MODES: Final = tuple(
    f"DateTimeModel{mode}"
    for mode in ("CalendarMode", "ComplexCalendar", "ExperimentalMode", "ExtendedTypes", "SplitDateAndTime")
)

_TYPES: Final = ("date", "daterange")
_UNITS: Final[Mapping[str, Precision]] = {"D": "day", "W": "week", "M": "month", "Y": "year"}
_PERIOD: Final = re.compile(r",P[^,()]*?([DWMY])\)")
_BOTH_ENDS: Final = re.compile(r"\w[.)]?(?:\s*[-–~]\s*|\s+(?:to|till|until|til|thru|through|and)\s+)\w", re.IGNORECASE)
_QUARTER: Final = re.compile(r"quarter|\bq\d|\dq\b", re.IGNORECASE)


def load(data: Path | None) -> LabelledSet[DateCase]:
    """Load the cases.

    Raises:
        CorpusError: The files are absent, or not those that this loader is for.
    """
    files = read_pinned(public_folder("dates", data), FILES, PIN)
    counts: Counter[str] = Counter()
    cases: dict[tuple[str, str], DateCase] = {}
    for name in (*DEFAULT_MODE, *OPTIONAL_MODES):
        for row in json.loads(files[f"recognizers-english/{name}.json"]):
            counts["rows"] += 1
            case = _case(name, row, counts)
            if case is None:
                continue
            key = (case.text, case.reference.isoformat())
            known = cases.get(key)
            if known is None:
                cases[key] = case
            elif known.expected == case.expected:
                counts["rows_repeated"] += 1
            elif name in OPTIONAL_MODES:
                counts["rows_contradicted_by_default_mode"] += 1
            else:
                counts["rows_with_other_values"] += 1
                cases[key] = _merged(known, case)
    counts["cases"] = len(cases)
    counts["cases_unsupported"] = sum(case.apart for case in cases.values())
    counts["expressions"] = sum(len(case.expected) for case in cases.values())
    counts["expressions_supported"] = sum(len(case.expected) for case in cases.values() if not case.apart)
    return LabelledSet("recognizers", tuple(cases.values()), dict(sorted(counts.items())))


def _case(file: str, row: Mapping[str, Any], counts: Counter[str]) -> DateCase | None:
    written = row.get("Context", {}).get("ReferenceDateTime")
    types = [_type(result) for result in row["Results"]]
    if written is None or (types and not any(kind in _TYPES for kind in types)):
        counts["rows_without_reference" if written is None else "rows_of_other_types"] += 1
        return None
    expected = []
    for kind, result in zip(types, row["Results"], strict=True):
        if kind not in _TYPES:
            continue
        accepted = tuple(dict.fromkeys(_intervals(kind, result, counts)))
        if not accepted:
            counts["rows_without_value"] += 1
            return None
        expected.append(Expected(result["Text"], accepted))
    unsupported = any(key.startswith("NotSupported") for key in row)
    group = "+".join(sorted({kind for kind in types if kind in _TYPES})) or "negative"
    return DateCase(
        id=f"{file}/{row['Input']} @{written}",
        text=row["Input"],
        reference=_moment(written),
        expected=tuple(expected),
        group=f"{group}-unsupported" if unsupported else group,
        cluster=re.sub(r"\d+", "0", " ".join(row["Input"].casefold().split())),
        exhaustive=file.startswith(("DateTimeModel", "MergedParser")) and all(kind in _TYPES for kind in types),
        apart=unsupported,
    )


def _merged(known: DateCase, other: DateCase) -> DateCase:
    """The known case, also with the values that another file of the default mode gives for the same expressions."""
    more = {label.expression.casefold(): label.accepted for label in other.expected}
    expected = tuple(
        replace(label, accepted=tuple(dict.fromkeys((*label.accepted, *more.get(label.expression.casefold(), ())))))
        for label in known.expected
    )
    return replace(known, expected=expected)


def _type(result: Mapping[str, Any]) -> str:
    name = result.get("TypeName") or result.get("Typename") or result.get("Type")
    return str(name).removeprefix("datetimeV2.")


def _intervals(kind: str, result: Mapping[str, Any], counts: Counter[str]) -> Iterator[Interval]:
    """Every reading that has a value."""
    text = result["Text"]
    for timex, value in _values(result):
        if kind == "date":
            day = _resolved(value.get("date") or value.get("value"))
            if day is not None:
                yield Interval(day, following(day, "day"), "day")
            continue
        start, end = (_resolved(value.get(side) or value.get(f"{side}Date")) for side in ("start", "end"))
        grain: Precision = "quarter" if ",P3M)" in timex and _QUARTER.search(text) else _precision(timex)
        if start is None or end is None:
            if start != end:
                yield Interval(start, end, grain)
        elif start < end:
            yield Interval(start, end, grain)
            if timex.startswith("(") and _BOTH_ENDS.search(text):
                counts["ranges_with_stated_ends"] += 1
                yield Interval(start, following(end, grain), grain)


def _values(result: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """TIMEX and value of each reading, in the two shapes that the files have."""
    if "Value" in result:
        value = result["Value"]
        readings = [value.get("FutureResolution"), value.get("PastResolution"), *value.get("values", ())]
        for reading in readings:
            if reading:
                yield value.get("Timex") or value.get("timex") or reading.get("timex", ""), reading
        return
    for reading in (result["Resolution"] or {}).get("values", ()):
        yield reading.get("timex", ""), reading


def _precision(timex: str) -> Precision:
    if match := _PERIOD.search(timex):
        return _UNITS[match[1]]
    if timex.endswith("-WE") or re.search(r"-\d\d-\d\d$|-XX-\d\d$|-WXX-\d|-W\d\d-\d$", timex):
        return "day"
    if re.search(r"-W(?:\d\d|XX)$", timex):
        return "week"
    # A season is known to the month.
    return "month" if re.search(r"-(?:\d\d|XX)$|(?:^|-)(?:SP|SU|FA|WI)$", timex) else "year"


def _resolved(written: str | None) -> datetime | None:
    """A moment; None for what has no value, which some files write as the first day of all."""
    if not written or not written[0].isdigit():
        return None
    moment = _moment(written)
    return None if moment.year == 1 else moment


def _moment(written: str) -> datetime:
    return datetime.fromisoformat(written).replace(tzinfo=UTC)
