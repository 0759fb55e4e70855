from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from time import perf_counter
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from illumina.retain.dates import find_dates
from illumina.retain.dates.units import PRECISIONS
from illumina.retain.dates.vocabulary import STARTERS, UNITS, WEEKDAYS, ZONES

NOW = datetime(2026, 3, 18, 14, 30, tzinfo=UTC)  # a Wednesday

WORDS = sorted(
    {
        *STARTERS,
        *WEEKDAYS,
        *UNITS,
        *ZONES,
        "ago",
        "hence",
        "back",
        "easter",
        "ramadan",
        "diwali",
        "purim",
        "closest",
        "st",
        "o'clock",
    }
    | {
        "15th",
        "31st",
        "2015",
        "9999",
        "0001",
        "12:30",
        "24:00",
        "3pm",
        "16h30",
        "99/99/9999",
        "2/29",
        "29.02.2024",
        "w53",
        "q3",
    }
    | {
        "-",
        "/",
        "–",
        ".",
        ",",
        ":",
        "(",
        ")",
        "\n\n",
        "2015-03-28T17:00:00Z",
        "9999-12-31 23:59:59-12:00",
        "٣",
        "1/2",
        "99999999999",
    }
)
REFERENCES = st.one_of(
    st.datetimes(timezones=st.timezones()),
    st.sampled_from(
        [
            datetime(1, 1, 1, tzinfo=UTC),
            datetime(1, 1, 1, 3, tzinfo=timezone(timedelta(hours=14))),
            datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
            datetime(9999, 12, 31, tzinfo=timezone(timedelta(hours=-12))),
            datetime(2024, 2, 29, 12, tzinfo=ZoneInfo("America/New_York")),
        ]
    ),
)


def check(text: str, reference: datetime) -> None:
    behind = 0
    for span in find_dates(text, reference):
        assert behind <= span.begin < span.stop <= len(text)
        behind = span.stop
        assert span.start is not None or span.end is not None
        assert all(moment.tzinfo is reference.tzinfo for moment in (span.start, span.end) if moment)
        if span.start is not None and span.end is not None:
            assert span.start.replace(tzinfo=None) < span.end.replace(tzinfo=None)
        assert span.precision in PRECISIONS


@given(st.text(max_size=200), REFERENCES)
def test_never_raises_on_any_text(text: str, reference: datetime) -> None:
    check(text, reference)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=12), st.sampled_from([" ", ""]), REFERENCES)
def test_never_raises_on_words_of_time(words: list[str], between: str, reference: datetime) -> None:
    check(between.join(words), reference)


@pytest.mark.parametrize(
    "unit", ["the end of ", "first of the ", "1 - ", "next ", "monday ", "1 day ", "quarter of a ", "in ", "x_9-/."]
)
def test_time_is_linear(unit: str) -> None:
    """Four times the text takes about four times as long: rules nest to a fixed depth and are read once a token."""

    def seconds(size: int) -> float:
        text = (unit * size)[:size]
        began = perf_counter()
        find_dates(text, NOW)
        return perf_counter() - began

    assert seconds(4_000) < 4 * 3 * seconds(1_000) + 0.1


def test_spans_and_the_reference_zone() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    text = "Shipped yesterday; the next release is on 3 April at 18:00 UTC."
    first, second = find_dates(text, datetime(2026, 3, 18, 9, tzinfo=berlin))
    assert [text[span.begin : span.stop] for span in (first, second)] == ["yesterday", "on 3 April at 18:00 UTC"]
    assert (first.start, first.end) == (datetime(2026, 3, 17, tzinfo=berlin), datetime(2026, 3, 18, tzinfo=berlin))
    assert second.start == datetime(2026, 4, 3, 20, tzinfo=berlin)
    assert second.start.tzinfo is berlin


def test_a_reference_without_a_zone_is_of_utc() -> None:
    (span,) = find_dates("today", datetime(2026, 3, 18, 9))  # noqa: DTZ001 - what is tested
    assert span.start == datetime(2026, 3, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("It broke on Friday", "2026-03-13"),
        ("It will break on Friday", "2026-03-20"),
        ("Friday", "2026-03-20"),
        ("It will be deleted on Friday", "2026-03-20"),
        ("Merged on Friday", "2026-03-13"),
        ("She left in June", "2025-06-01"),
        ("We move in June", "2026-06-01"),
        ("Errors doubled on 2 January", "2026-01-02"),
        ("two more than in January", "2026-01-01"),
        ("It failed at 09:15", "2026-03-18T09:15"),
        ("It failed at 21:15", "2026-03-17T21:15"),
        ("The demo is at 21:15", "2026-03-18T21:15"),
        ("Orders failed from 12 March 10:06 to 13 March 09:58", "2026-03-12T10:06"),
        ("It rained from January to February", "2026-01-01"),
        ("It broke. We fix it on Friday", "2026-03-20"),
    ],
)
def test_the_clause_tells_past_from_future(text: str, start: str) -> None:
    (span,) = find_dates(text, NOW)
    assert span.start == datetime.fromisoformat(start).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    ["The month of Mayhem", "2015-13-12", "2015-1-32", "Feb 30", "13/13/2026", "24:30", "25:00", "week 54", "Q5 2025"],
)
def test_what_no_calendar_has_is_no_date(text: str) -> None:
    assert find_dates(text, NOW) == []


def test_an_end_outside_the_calendar_is_no_date() -> None:
    assert find_dates("next year, tomorrow", datetime(9999, 12, 31, 12, tzinfo=UTC)) == []
    assert find_dates("yesterday", datetime(1, 1, 1, 12, tzinfo=UTC)) == []


def test_paragraphs_are_apart() -> None:
    assert [span.precision for span in find_dates("until\n\nMonday\n\n3 pm", NOW)] == ["day", "hour"]
    assert [span.precision for span in find_dates("until\nMonday\n3 pm", NOW)] == ["hour"]
