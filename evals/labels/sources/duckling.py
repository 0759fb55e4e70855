"""Duckling's English time corpus (BSD): expressions in Haskell syntax, each list under its value.

All values are in the zone of the reference time, two hours behind UTC. A `datetime` is the whole unit of its grain, a
`datetimeInterval` is half-open, and its grain is its precision.

Traps, and what is done about them (each is counted):

- The latent corpus ("7", "May") is read only where a parser is told to expect a time: class `latent`, apart.
- The negative corpus has nothing to find: any answer lowers precision.
- One value is before Christ, which neither PostgreSQL's nor Python's dates share: left out.
- An expression that stands under the same value twice is one case. One under two values has two readings, and either is right.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final, cast

from evals.corpora import public_folder
from evals.corpora.pins import read_pinned
from evals.errors import CorpusError
from evals.labels.dates import DateCase, Expected, Interval, Precision, following
from evals.labels.kinds import LabelledSet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE: Final = "duckling-Time-EN-Corpus.hs"
PIN = "3101d4a9ff023a99f1f9fa88101fa8ce259bb8e699e07ba41bc95eb527fba171"

_ZONE: Final = timezone(timedelta(hours=-2))
_REFERENCE: Final = datetime(2013, 2, 12, 4, 30, tzinfo=_ZONE)
_DIFFERENT: Final = datetime(2013, 2, 15, 4, 30, tzinfo=_ZONE)

_SECTION: Final = re.compile(r"^([a-z]\w*) =", re.MULTILINE)
_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_TUPLE: Final = r"\((-?\d+), (\d+), (\d+), (\d+), (\d+), (\d+)\)"
_TIME: Final = re.compile(_TUPLE)
_EXAMPLES: Final = re.compile(
    r"examples\s*\(datetime(?P<form>\w*)\s*(?P<side>After|Before)?\s*"
    r"(?P<value>\(\(.*?\)\s*,\s*\(.*?\)\)|\(.*?\))\s*(?P<grain>[A-Z]\w+)(?:\s*\"[^\"]*\")?\)\s*\[(?P<texts>.*?)\n?\s*\]",
    re.DOTALL,
)
_FORMS: Final = {"", "Holiday", "Interval", "IntervalHoliday", "OpenInterval"}


def load(data: Path | None) -> LabelledSet[DateCase]:
    """Load the corpus.

    Raises:
        CorpusError: The file is absent, or not the one that this loader is for.
    """
    text = read_pinned(public_folder("dates", data), FILE, PIN)[FILE]
    text = re.sub(r"^\s*--.*$", "", text, flags=re.MULTILINE)
    counts: Counter[str] = Counter()
    found: dict[tuple[str, str], list[Interval]] = {}
    clusters: dict[tuple[str, str], str] = {}
    for section, block, expression, interval in _examples(text, counts):
        readings = found.setdefault((section, expression), [])
        clusters.setdefault((section, expression), f"{section}/{block}")
        counts["strings_repeated"] += interval in readings
        counts["strings_with_other_value"] += bool(readings) and interval not in readings
        if interval not in readings:
            readings.append(interval)
    cases = [
        DateCase(
            id=f"{section}/{expression}",
            text=expression,
            reference=_DIFFERENT if section == "diffCorpus" else _REFERENCE,
            expected=(Expected(expression, tuple(readings)),),
            group="latent" if section == "latentCorpus" else _group(readings[0]),
            cluster=clusters[section, expression],
            apart=section == "latentCorpus",
        )
        for (section, expression), readings in found.items()
    ]
    negatives = [
        DateCase(f"negativeCorpus/{expression}", expression, _REFERENCE, (), "negative", f"negativeCorpus/{expression}")
        for expression in dict.fromkeys(_negatives(text))
    ]
    counts["cases"] = len(cases)
    counts["cases_latent"] = sum(case.apart for case in cases)
    counts["cases_negative"] = len(negatives)
    return LabelledSet("duckling", (*cases, *negatives), dict(sorted(counts.items())))


def _examples(text: str, counts: Counter[str]) -> Iterator[tuple[str, int, str, Interval]]:
    """Section, number of the list, expression and value; each list of the file must be read."""
    starts = [(match.start(), match[1]) for match in _SECTION.finditer(text)]
    blocks = list(_EXAMPLES.finditer(text))
    written = len(re.findall(r"\bexamples\s*\(datetime", text))
    if len(blocks) != written:
        raise CorpusError(
            f"{FILE}: {written} lists of examples, of which {len(blocks)} can be read. Fetch Duckling's corpus again."
        )
    for number, block in enumerate(blocks):
        section = [name for start, name in starts if start <= block.start()][-1]
        expressions = [re.sub(r"\\(.)", r"\1", string) for string in _STRING.findall(block["texts"])]
        interval = _interval(block)
        if interval is None:
            counts["strings_before_christ"] += len(expressions)
            continue
        counts["strings"] += len(expressions)
        for expression in expressions:
            yield section, number, expression, interval


def _interval(block: re.Match[str]) -> Interval | None:
    if block["form"] not in _FORMS:
        raise CorpusError(f"{FILE}: the form datetime{block['form']} is unknown. Fetch Duckling's corpus again.")
    times = [[int(number) for number in match.groups()] for match in _TIME.finditer(block["value"])]
    grain = cast("Precision", block["grain"].lower())
    if any(year < 1 for year, *_ in times):
        return None
    start, *rest = (
        datetime(year, month, day, hour, minute, second, tzinfo=_ZONE) for year, month, day, hour, minute, second in times
    )
    if block["form"] == "OpenInterval":
        return Interval(start, None, grain) if block["side"] == "After" else Interval(None, start, grain)
    return Interval(start, rest[0] if rest else following(start, grain), grain)


def _group(interval: Interval) -> str:
    """The grain; what is finer than a day is the class `time`."""
    return interval.precision if interval.precision in {"day", "week", "month", "quarter", "year"} else "time"


def _negatives(text: str) -> list[str]:
    start = text.index("negativeCorpus =")
    return _STRING.findall(text[start : text.index("]", start)])
