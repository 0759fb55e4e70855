"""Labelled sets from our own corpora, whose label files `datasets/README.md` describes: they need no data folder.

What the labels do not say is unknown, so each kind takes what it can be judged by:

- dates: facts whose time neither begins on the day on which their segment was written nor is a span around it (the month
  of a monthly cost). Those need no words, any other time does. A text may mention more times than its facts have, so the
  sets are not exhaustive. A time that is stated in a neighbouring segment only cannot be found, which keeps the best
  possible score below 1.
- names: every mention of every entity, with what else is mentioned in its segment.
- causes: the segments of cause, effect and evidence in the order of their time as one text, cause and effect marked.
  `prevents` is left out. All pairs are related, so precision tells wrong directions, and no false alarms.
- supersession: the segments of the chains, as records without titles or numbers.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, cast

from evals.corpora import DATASETS
from evals.corpora.jsonl import refuse
from evals.corpora.understanding import place, read_understanding
from evals.corpora.validation import read
from evals.labels.causes import CauseCase, Side
from evals.labels.dates import DateCase, Expected, Interval
from evals.labels.kinds import LabelledSet
from evals.labels.names import Mention, MentionCase
from evals.labels.supersession import Extent, Record, RecordCase, Replaced

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from evals.corpora.understanding import Place, Understanding
    from evals.labels.dates import Precision

CORPORA: Final = ("meridian", "skerrow")

_EXTENTS: Final[Mapping[str, Extent]] = {"whole": "whole", "one-replaces-many": "whole", "partial": "part"}


def dates(_data: Path | None, *, corpus: str) -> LabelledSet[DateCase]:
    """Times that facts have and the moments of their segments do not explain.

    Raises:
        CorpusError: The corpus or its labels have problems; so for every set here.
    """
    labels = _labels(corpus)
    expected: defaultdict[Place, list[Expected]] = defaultdict(list)
    counts = {"facts": len(labels.facts), "facts_with_time": 0, "facts_of_another_time": 0}
    for row in labels.facts:
        if "time" not in row:
            continue
        counts["facts_with_time"] += 1
        interval, written = _interval(row["time"]), labels.segments[place(row)].at.astimezone(UTC)
        assert interval.start is not None
        around = interval.end is not None and interval.start <= written < interval.end
        if not around and interval.start.date() != written.date():
            counts["facts_of_another_time"] += 1
            if all(interval not in known.accepted for known in expected[place(row)]):
                expected[place(row)].append(Expected(row["statement"], (interval,)))
    cases = [
        DateCase(
            id=_name(key),
            text=labels.segments[key].text,
            reference=labels.segments[key].at.astimezone(UTC),
            expected=tuple(found),
            group=found[0].accepted[0].precision,
            cluster=key[0],
            exhaustive=False,
        )
        for key, found in expected.items()
        if found
    ]
    return LabelledSet(corpus, cases, counts)


def names(_data: Path | None, *, corpus: str) -> LabelledSet[MentionCase]:
    """Every mention of every entity; its class is the entity's type."""
    labels = _labels(corpus)
    together: defaultdict[Place, list[tuple[str, str]]] = defaultdict(list)
    for entity in labels.entities:
        for mention in entity["mentions"]:
            together[place(mention)].append((entity["id"], mention["surface"]))
    cases = []
    for entity in labels.entities:
        for mention in entity["mentions"]:
            key = place(mention)
            nearby = sorted({surface for other, surface in together[key] if other != entity["id"]})
            name = hashlib.sha256(f"{_name(key)}\0{mention['surface']}\0{mention['field']}".encode()).hexdigest()[:16]
            said = Mention(name, mention["surface"], tuple(nearby), labels.segments[key].at.astimezone(UTC), passing=True)
            cases.append(MentionCase(said, entity["id"], entity["type"]))
    counts = {"entities": len(labels.entities), "mentions": len(cases)}
    return LabelledSet(corpus, sorted(cases, key=lambda case: case.mention.id), counts)


def causes(_data: Path | None, *, corpus: str) -> LabelledSet[CauseCase]:
    """Pairs of segments that tell of a cause and of its effect."""
    labels = _labels(corpus)
    cases = []
    for row in labels.causes:
        if row["relation"] == "prevents":
            continue
        cause, effect = place(row["cause"]), place(row["effect"])
        told = sorted({cause, effect, place(row["evidence"])}, key=lambda key: (labels.segments[key].at, key))
        text, spans = "", {}
        for key in told:
            text += "\n\n" if text else ""
            spans[key] = (len(text), len(text) + len(labels.segments[key].text))
            text += labels.segments[key].text
        first, second = sorted((spans[cause], spans[effect]))
        side: Side = "first" if spans[cause] == first else "second"
        cases.append(CauseCase(row["id"], text, first, second, side, group=row["relation"], cluster=cause[0]))
    counts = {"pairs": len(labels.causes), "pairs_prevented": len(labels.causes) - len(cases)}
    return LabelledSet(corpus, cases, counts)


def supersession(_data: Path | None, *, corpus: str) -> LabelledSet[RecordCase]:
    """The segments that the chains are made of."""
    labels = _labels(corpus)
    replaces: defaultdict[Place, list[Replaced]] = defaultdict(list)
    for row in labels.supersession:
        replaces[place(row["new"])].append(Replaced(_name(place(row["old"])), _EXTENTS[row["kind"]]))
    told = {place(row[side]) for row in labels.supersession for side in ("old", "new")}
    cases = []
    for key in sorted(told, key=lambda key: (labels.segments[key].at, key)):
        said = labels.segments[key]
        record = Record(_name(key), number=0, title="", text=said.text, created=said.at.astimezone(UTC))
        cases.append(RecordCase(record, tuple(replaces[key])))
    return LabelledSet(corpus, cases, {"links": len(labels.supersession), "records": len(cases)})


def _labels(corpus: str) -> Understanding:
    directory = DATASETS / corpus
    rows, problems = read(directory)
    if not problems:
        labels, problems = read_understanding(directory, rows)
    refuse(directory, problems)
    return labels


def _name(key: Place) -> str:
    return "#".join(key)


def _interval(time: Mapping[str, str]) -> Interval:
    end = datetime.fromisoformat(time["end"]).astimezone(UTC) if "end" in time else None
    return Interval(datetime.fromisoformat(time["start"]).astimezone(UTC), end, cast("Precision", time["precision"]))
