from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

from evals.corpora.pins import fingerprint
from evals.errors import CorpusError
from evals.labels.dates import DateCase, Expected, Interval, engine_dates, following, iso_dates, judge
from evals.labels.kinds import LabelledSet
from evals.labels.sources import duckling, recognizers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evals.labels.dates import Precision

BEHIND = timezone(timedelta(hours=-2))
NOW = datetime(2020, 2, 12, tzinfo=UTC)


def day(month: int, number: int, year: int = 2020, *, days: int = 1) -> Interval:
    start = datetime(year, month, number, tzinfo=UTC)
    return Interval(start, start + timedelta(days=days), "day")


HASKELL = """
defaultCorpus :: Corpus
defaultCorpus = (testContext, testOptions, allExamples ++ custom)
  where
    custom = concat
      [ examples (datetime (2013, 2, 15, 0, 0, 0) Day)
                 [ "2/15"
                 , "on \\"2/15\\""
                 ]
      ]

negativeCorpus :: NegativeCorpus
negativeCorpus = (testContext, testOptions, examples)
  where
    examples =
      [ "palm"
      ]

latentCorpus :: Corpus
latentCorpus = (testContext, testOptions {withLatent = True}, xs)
  where
    xs = concat
      [ examples (datetime (2013, 5, 1, 0, 0, 0) Month)
                 [ "May" ]
      ]

diffCorpus :: Corpus
diffCorpus = (diffContext, testOptions, diffExamples)
  where
    diffExamples =
      examples (datetime (2013, 3, 8, 0, 0, 0) Day)
               [ "3 fridays from now" ]

allExamples :: [Example]
allExamples = concat
  [ examples (datetimeInterval
      ((2013, 2, 12, 18, 0, 0), (2013, 2, 13, 00, 0, 0)) Hour)
             [ "tonight"
             , "tonight"
             ]
    -- yes, "a comment"
  , examples (datetimeHoliday (2013, 12, 25, 0, 0, 0) Day "Christmas")
             [ "xmas" ]
  , examples (datetimeOpenInterval Before (2014, 1, 1, 0, 0, 0) Year)
             [ "before 2014" ]
  , examples (datetimeOpenInterval After (2014, 1, 1, 0, 0, 0) Year)
             [ "after 2014" ]
  , examples (datetime (2013, 10, 1, 0, 0, 0) Quarter)
             [ "q4" ]
  , examples (datetime (2013, 12, 25, 0, 0, 0) Day)
             [ "q4" ]
  , examples (datetime (-2014, 1, 1, 0, 0, 0) Year)
             [ "in 2014 B.C.",
               "in 2014 BC"
             ]
  ]
"""


def pin_duckling(data: Path, text: str, patch: pytest.MonkeyPatch) -> None:
    (data / "dates").mkdir(exist_ok=True)
    (data / "dates" / duckling.FILE).write_text(text, encoding="utf-8")
    patch.setattr(duckling, "PIN", fingerprint({duckling.FILE: text.encode()}))


def test_duckling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pin_duckling(tmp_path, HASKELL, monkeypatch)
    found = duckling.load(tmp_path)
    assert found.counts == {
        "cases": 9,
        "cases_latent": 1,
        "cases_negative": 1,
        "strings": 11,
        "strings_before_christ": 2,
        "strings_repeated": 1,
        "strings_with_other_value": 1,
    }
    by_text = {case.text: case for case in found.cases}

    def at(year: int, month: int, number: int, hour: int = 0) -> datetime:
        return datetime(year, month, number, hour, tzinfo=BEHIND)

    values = {text: case.expected[0].accepted for text, case in by_text.items() if case.expected}
    assert values == {
        "2/15": (Interval(at(2013, 2, 15), at(2013, 2, 16), "day"),),
        'on "2/15"': (Interval(at(2013, 2, 15), at(2013, 2, 16), "day"),),
        "May": (Interval(at(2013, 5, 1), at(2013, 6, 1), "month"),),
        "3 fridays from now": (Interval(at(2013, 3, 8), at(2013, 3, 9), "day"),),
        "tonight": (Interval(at(2013, 2, 12, 18), at(2013, 2, 13), "hour"),),
        "xmas": (Interval(at(2013, 12, 25), at(2013, 12, 26), "day"),),
        "before 2014": (Interval(None, at(2014, 1, 1), "year"),),
        "after 2014": (Interval(at(2014, 1, 1), None, "year"),),
        "q4": (
            Interval(at(2013, 10, 1), at(2014, 1, 1), "quarter"),
            Interval(at(2013, 12, 25), at(2013, 12, 26), "day"),
        ),
    }
    assert (by_text["palm"].expected, by_text["palm"].group) == ((), "negative")
    assert {text for text, case in by_text.items() if case.apart} == {"May"}
    assert {text: case.group for text, case in by_text.items() if text in ("tonight", "q4")} == {
        "tonight": "time",
        "q4": "quarter",
    }
    assert by_text["2/15"].cluster == by_text['on "2/15"'].cluster != by_text["xmas"].cluster
    assert by_text["3 fridays from now"].reference == datetime(2013, 2, 15, 4, 30, tzinfo=BEHIND)
    assert by_text["xmas"].reference == datetime(2013, 2, 12, 4, 30, tzinfo=BEHIND)


def test_a_list_that_cannot_be_read_is_no_small_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pin_duckling(
        tmp_path, HASKELL.replace("datetimeHoliday (2013, 12, 25, 0, 0, 0) Day", "datetimeHoliday christmas"), monkeypatch
    )
    with pytest.raises(CorpusError, match="9 can be read"):
        duckling.load(tmp_path)
    pin_duckling(tmp_path, HASKELL.replace("datetimeHoliday", "datetimeFeast"), monkeypatch)
    with pytest.raises(CorpusError, match="the form datetimeFeast is unknown"):
        duckling.load(tmp_path)


def row(text: str, *results: dict[str, Any], reference: str | None = "2016-11-07T00:00:00", **more: str) -> dict[str, Any]:
    context = {"Context": {"ReferenceDateTime": reference}} if reference else {}
    return {"Input": text, **context, "Results": list(results), **more}


def model(text: str, kind: str, *values: dict[str, Any]) -> dict[str, Any]:
    return {"Text": text, "TypeName": f"datetimeV2.{kind}", "Resolution": {"values": list(values)}}


def parsed(text: str, kind: str, timex: str, future: dict[str, str], past: dict[str, str]) -> dict[str, Any]:
    return {"Text": text, "Type": kind, "Value": {"Timex": timex, "FutureResolution": future, "PastResolution": past}}


OCTOBER = model("oct 2", "date", *({"timex": "XXXX-10-02", "value": f"{year}-10-02"} for year in (2016, 2017)))
RANGE = "(2016-05-04,2016-05-22,P18D)"
FILES: dict[str, list[dict[str, Any]]] = {
    "DateTimeModel": [
        row("Back Oct 2", OCTOBER),
        row("Back Oct 2", OCTOBER),
        row(
            "Out from 4 to 22 May",
            model("from 4 to 22 may", "daterange", {"timex": RANGE, "start": "2016-05-04", "end": "2016-05-22"}),
        ),
        row("Since 2010", model("since 2010", "daterange", {"timex": "2010", "Mod": "since", "start": "2010-01-01"})),
        row("In week 45", model("week 45", "daterange", {"timex": "2016-W45", "start": "2016-11-07", "end": "2016-11-14"})),
        row(
            "In q2",
            model("q2", "daterange", {"timex": "(2016-04-01,2016-07-01,P3M)", "start": "2016-04-01", "end": "2016-07-01"}),
        ),
        row("Summer", model("summer", "daterange", {"timex": "SU", "value": "not resolved"})),
        row("The third class"),
        row("Noon", model("noon", "time", {"timex": "T12", "value": "12:00:00"})),
        row("Oct 2 for 3 days", OCTOBER, model("3 days", "duration", {"timex": "P3D", "value": "259200"})),
        row("Back Oct. 2", OCTOBER, NotSupported="python"),
        row("Tomorrow", model("tomorrow", "date", {"timex": "x", "value": "2016-11-08"}), reference=None),
    ],
    "MergedParser": [],
    "DateParser": [
        row("Back Oct 2", parsed("Oct 2", "date", "XXXX-10-02", {"date": "2018-10-02"}, {"date": "2016-10-02"})),
        row("On the 0th", parsed("0th", "date", "XXXX-XX-00", {"date": "0001-01-01"}, {"date": "0001-01-01"})),
    ],
    "DatePeriodParser": [
        row("Rest of it", parsed("rest", "daterange", "x", *({"startDate": "2016-11-07", "endDate": "2016-11-07"},) * 2))
    ],
    "HolidayParser": [],
    **{name: [] for name in recognizers.OPTIONAL_MODES},
    "DateTimeModelCalendarMode": [
        row("In week 45", model("week 45", "daterange", {"timex": "2016-W45", "start": "2016-11-06", "end": "2016-11-13"}))
    ],
}


def test_recognizers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "dates" / "recognizers-english"
    folder.mkdir(parents=True)
    content = {f"recognizers-english/{name}.json": ("\ufeff" + json.dumps(rows)).encode() for name, rows in FILES.items()}
    for name, body in content.items():
        (tmp_path / "dates" / name).write_bytes(body)
    monkeypatch.setattr(recognizers, "PIN", fingerprint(content))
    found = recognizers.load(tmp_path)
    by_text = {case.text: case for case in found.cases}
    accepted: dict[str, Sequence[Interval]] = {
        text: case.expected[0].accepted for text, case in by_text.items() if case.expected
    }

    def interval(start: tuple[int, ...], end: tuple[int, ...] | None, grain: Precision) -> Interval:
        first, last = (
            datetime.fromisoformat("{}-{:02}-{:02}".format(*it)).replace(tzinfo=UTC) if it else None for it in (start, end)
        )
        return Interval(first, last, grain)

    assert accepted == {
        "Back Oct 2": (day(10, 2, 2016), day(10, 2, 2017), day(10, 2, 2018)),
        "Out from 4 to 22 May": (day(5, 4, 2016, days=18), day(5, 4, 2016, days=19)),
        "Since 2010": (interval((2010, 1, 1), None, "year"),),
        "In week 45": (interval((2016, 11, 7), (2016, 11, 14), "week"),),
        "In q2": (interval((2016, 4, 1), (2016, 7, 1), "quarter"),),
        "Oct 2 for 3 days": (day(10, 2, 2016), day(10, 2, 2017)),
        "Back Oct. 2": (day(10, 2, 2016), day(10, 2, 2017)),
    }
    assert {text for text, case in by_text.items() if case.apart} == {"Back Oct. 2"}
    assert {text for text, case in by_text.items() if not case.exhaustive} == {"Oct 2 for 3 days"}
    assert (by_text["The third class"].expected, by_text["The third class"].group) == ((), "negative")
    assert by_text["Back Oct. 2"].group == "date-unsupported"
    assert found.counts == {
        "cases": 8,
        "cases_unsupported": 1,
        "expressions": 7,
        "expressions_supported": 6,
        "ranges_with_stated_ends": 1,
        "rows": 16,
        "rows_contradicted_by_default_mode": 1,
        "rows_of_other_types": 1,
        "rows_repeated": 1,
        "rows_with_other_values": 1,
        "rows_without_reference": 1,
        "rows_without_value": 3,
    }


def judged(case: DateCase, *answer: Interval) -> dict[str, int]:
    (row,) = judge(LabelledSet("mini", [case]), lambda _text, _reference: answer)
    return dict(row.counts)


def test_each_interval_answers_one_expression() -> None:
    twice = (Expected("the 3rd", (day(3, 3),)), Expected("3 March or 4 April", (day(3, 3), day(4, 4))))
    case = DateCase("c", "x", NOW, twice, "date", "c")
    assert judged(case) == {"expected": 2, "right": 0, "interval_right": 0, "returned": 0, "matched": 0}
    assert judged(case, day(3, 3))["right"] == 1
    assert judged(case, day(3, 3), day(4, 4))["right"] == 2
    assert judged(case, day(3, 3), day(3, 3), day(5, 5)) == {
        "expected": 2,
        "right": 2,
        "interval_right": 2,
        "returned": 3,
        "matched": 2,
    }
    same = day(3, 3)
    coarse = Interval(same.start, same.end, "week")
    assert judged(case, coarse) == {"expected": 2, "right": 0, "interval_right": 1, "returned": 1, "matched": 0}


def test_what_was_not_labelled_is_not_wrong() -> None:
    case = DateCase("c", "x", NOW, (Expected("the 3rd", (day(3, 3),)),), "date", "c", exhaustive=False)
    assert judged(case, day(3, 3), day(5, 5)) == {"expected": 1, "right": 1, "interval_right": 1, "returned": 0, "matched": 0}


def test_the_trivial_normaliser_reads_iso_only() -> None:
    found = iso_dates("On 2020-03-03, in 2021-12, in 1999; not 2020-13, 2020-02-30, v2020, 12-2020 or 20201.", NOW)
    assert [str(interval) for interval in found] == [
        "[2020-03-03T00:00:00+00:00, 2020-03-04T00:00:00+00:00) day",
        "[2021-12-01T00:00:00+00:00, 2022-01-01T00:00:00+00:00) month",
        "[1999-01-01T00:00:00+00:00, 2000-01-01T00:00:00+00:00) year",
    ]
    assert str(Interval(None, NOW, "day")) == "[…, 2020-02-12T00:00:00+00:00) day"


def test_the_end_of_a_unit() -> None:
    october = datetime(2020, 10, 1, tzinfo=UTC)
    ends: dict[Precision, str] = {"week": "2020-10-08", "month": "2020-11-01", "quarter": "2021-01-01", "year": "2021-10-01"}
    assert {grain: following(october, grain).date().isoformat() for grain in ends} == ends


def test_the_engine_answers_with_intervals() -> None:
    assert engine_dates("It broke yesterday and was mended at 9:30 today.", NOW) == [
        day(2, 11),
        Interval(NOW.replace(hour=9, minute=30), NOW.replace(hour=9, minute=31), "minute"),
    ]
