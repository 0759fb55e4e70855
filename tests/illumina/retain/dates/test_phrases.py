"""Phrases of our own, in none of the public sets, with what the documented rules make of them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from illumina.retain.dates import DatedSpan, find_dates

NOW = datetime(2026, 3, 18, 14, 30, tzinfo=UTC)  # a Wednesday


def shown(span: DatedSpan) -> str:
    def side(moment: datetime | None) -> str:
        if moment is None:
            return "…"
        plain = moment.strftime("%Y-%m-%dT%H:%M:%S")
        return plain.removesuffix("T00:00:00").removesuffix(":00") if plain.endswith("T00:00:00") else plain.removesuffix(":00")

    return f"{side(span.start)} {side(span.end)} {span.precision}"


PHRASES = {
    # In the talk of engineers.
    "We rolled back the deploy yesterday": "2026-03-17 2026-03-18 day",
    "the outage started Monday at 09:40": "2026-03-16T09:40 2026-03-16T09:41 minute",
    "standup moves to 9:15 tomorrow": "2026-03-19T09:15 2026-03-19T09:16 minute",
    "Postgres 17 goes live on the 27th of March": "2026-03-27 2026-03-28 day",
    "code freeze from 20 December to 3 January": "2026-12-20 2027-01-04 day",
    "Nina joined in September 2023": "2023-09-01 2023-10-01 month",
    "Jonas, 20 March: the image lost the font": "2026-03-20 2026-03-21 day",
    "it was lost on 2 April": "2025-04-02 2025-04-03 day",
    "the old header stays until 1 October since I refuse a list": "… 2026-10-01 day",
    "he has refused it since the review of 1 October": "2025-10-01 2025-10-02 day",
    "We shipped v2.3.1 on 4 Feb": "2026-02-04 2026-02-05 day",
    "the migration ran between 02:00 and 04:30": "2026-03-18T02:00 2026-03-18T04:31 minute",
    "retro is next Thursday at 3 pm": "2026-03-26T15:00 2026-03-26T16:00 hour",
    "he has been on call since Friday": "2026-03-13 … day",
    "the cert expires in three weeks": "2026-04-08 2026-04-09 day",
    "We hired two people last quarter": "2025-10-01 2026-01-01 quarter",
    "roadmap for Q3 2026": "2026-07-01 2026-10-01 quarter",
    "the budget of FY2025": "2025-01-01 2026-01-01 year",
    "the incident of 2026-02-11T23:05:10Z": "2026-02-11T23:05:10 2026-02-11T23:05:11 second",
    "please review before Tuesday": "… 2026-03-24 day",
    "will be done by the end of next week": "2026-03-18T14:30 2026-03-30 second",
    "the second Tuesday of every month": None,
    "the patch day is the second Tuesday of April": "2026-04-14 2026-04-15 day",
    "the last Friday of June 2027": "2027-06-25 2027-06-26 day",
    "that was two sprints, 28 days ago": "2026-02-18 2026-02-19 day",
    "an hour ago the queue was empty": "2026-03-18T13:30 2026-03-18T13:31 minute",
    "45 minutes ago": "2026-03-18T13:45 2026-03-18T13:45:01 second",
    "the old API was deprecated in early 2024": "2024-01-01 2024-04-01 month",
    "since mid-January the cache has been cold": "2026-01-11 … month",
    "it was slow over the last 5 days": "2026-03-13 2026-03-18 day",
    "the next two months are packed": "2026-04-01 2026-06-01 month",
    "this afternoon we pair": "2026-03-18T12:00 2026-03-18T19:00 hour",
    "last night the backup failed": "2026-03-17T18:00 2026-03-18 hour",
    "we meet on Friday from 10 to 11:30 am": "2026-03-20T10:00 2026-03-20T11:31 minute",
    "call at 16:00 CET": "2026-03-18T15:00 2026-03-18T15:01 minute",
    "8 am PST tomorrow works": "2026-03-19T16:00 2026-03-19T16:01 minute",
    "out from the 24th to the 27th": "2026-03-24 2026-03-28 day",
    "the first two months of 2025": "2025-01-01 2025-03-01 month",
    "the Friday before Christmas": "2026-12-18 2026-12-19 day",
    "EOD Friday": "2026-03-20T17:00 2026-03-21 hour",
    "FY26 Q2": "2026-04-01 2026-07-01 quarter",
    "1Q 2025": "2025-01-01 2025-04-01 quarter",
    "from 2019 on": "2019-01-01 … year",
    "at 5:30am on the 3rd": "2026-04-03T05:30 2026-04-03T05:31 minute",
    "w/c 6 April": "2026-04-06 2026-04-13 day",
    "this week from Tue to Thu": "2026-03-17 2026-03-20 day",
    "offsite 12-14 October": "2026-10-12 2026-10-15 day",
    "offsite October 12–14, 2027": "2027-10-12 2027-10-15 day",
    "the week of 13 April is a holiday week": "2026-04-13 2026-04-20 week",
    "in week 20 nobody works": "2026-05-11 2026-05-18 week",
    "2026-W09 report": "2026-02-23 2026-03-02 week",
    "in the 2010s we used SVN": "2010-01-01 2020-01-01 year",
    "since the late 1990s": "1997-01-01 … year",
    "in the first half of 2025": "2025-01-01 2025-07-01 month",
    "H2 2025 numbers": "2025-07-01 2026-01-01 month",
    "the day before yesterday it passed": "2026-03-16 2026-03-17 day",
    "the day after tomorrow at noon": "2026-03-20T12:00 2026-03-20T13:00 hour",
    "two days before Christmas": "2026-12-23 2026-12-24 day",
    "a week after Easter 2026": "2026-04-12 2026-04-13 day",
    "by 5pm": "2026-03-18T14:30 2026-03-18T17:00 second",
    "no later than 30 April": "… 2026-04-30 day",
    "from May until August": "2026-05-01 2026-09-01 month",
    "between Tuesday and Thursday of next week": "2026-03-24 2026-03-27 day",
    "sometime this summer": "2026-06-21 2026-09-24 day",
    "in the winter of 2024": "2024-12-21 2025-03-21 day",
    "on 03/05/2026": "2026-03-05 2026-03-06 day",
    "on 25/12/2025": "2025-12-25 2025-12-26 day",
    "due 2026/04/01": "2026-04-01 2026-04-02 day",
    "started 7-Nov-2025": "2025-11-07 2025-11-08 day",
    "Thursday evening": "2026-03-19T18:00 2026-03-20 hour",
    "early tomorrow morning": "2026-03-19 2026-03-19T09:00 hour",
    "midnight on New Year's Eve": "2026-12-31 2026-12-31T01:00 hour",
    "this Friday": "2026-03-20 2026-03-21 day",
    "past Monday": "2026-03-16 2026-03-17 day",
    "last Monday": "2026-03-09 2026-03-10 day",
    "the coming Monday": "2026-03-23 2026-03-24 day",
    "the weekend after next": "2026-04-04 2026-04-06 day",
    "last weekend we moved": "2026-03-14 2026-03-16 day",
    "rest of the month": "2026-03-18 2026-04-01 day",
    "end of May": "2026-05-21 2026-06-01 day",
    "beginning of Q2": "2026-04-01 2026-05-01 month",
    "EOQ": "2026-03-01 2026-04-01 month",
    "three working days from now": "2026-03-23 2026-03-24 day",
    "within 6 weeks": "2026-03-18 2026-04-29 week",
    "as of 1 March": "2026-03-01 … day",
    "starting Monday": "2026-03-23 … day",
    "from tomorrow onwards": "2026-03-19 … day",
    "up to June": "… 2026-06-01 month",
    "the 21st century": "2000-01-01 2100-01-01 year",
    "nineteen eighty four": None,
    "in nineteen eighty four": "1984-01-01 1985-01-01 year",
    "on the ninth of August, two thousand and five": "2005-08-09 2005-08-10 day",
    "twenty past four in the afternoon": "2026-03-18T16:20 2026-03-18T16:21 minute",
    "quarter to nine tonight": "2026-03-18T20:45 2026-03-18T20:46 minute",
    "6:30 am on Labor Day": "2026-09-07T06:30 2026-09-07T06:31 minute",
    "Diwali 2026": "2026-11-08 2026-11-09 day",
    "Good Friday": "2026-04-03 2026-04-04 day",
    "Hanukkah 2025": "2025-12-14 2025-12-22 day",
    "the third quarter of last year": "2025-07-01 2025-10-01 quarter",
    "next year's second quarter": "2027-04-01 2027-07-01 quarter",
    "half an hour from now": "2026-03-18T15:00 2026-03-18T15:00:01 second",
    "one and a half hours ago": "2026-03-18T13:00 2026-03-18T13:00:01 second",
    "ten years ago": "2016-03-01 2016-04-01 month",
    "4 months from 15 May": "2026-09-15 2026-09-16 day",
    "10 am - 2 pm on 1 April": "2026-04-01T10:00 2026-04-01T15:00 hour",
    "Sun, 5 Apr 2026 18:00 +0200": "2026-04-05T18:00 2026-04-05T18:01 minute",
}

NOTHING = (
    "we may march on and sat in the sun for a second",
    "bump torch to 2.13.0 and node to 22.4",
    "see ILLUM-2024, PR #1999 and RFC 2119",
    "it takes 30 days, retries every 5 minutes",
    "1,024 rows of 2048 and 3/4 of them were NULL",
    "May I ask who wed whom?",
    "spring boot, fall back, march madness",
    "port 8080, 10:1 odds, 16:9 screen",
    "the 2nd attempt and the 3rd node failed",
    "call 555-1234 or +49 170 2015 334",
    "10.0.2.15 and fe80::1",
    "page 12-14 of chapter 7",
    "one of the two, the first one, at most five",
    "99.95 percent at 4.20 dollars",
    "he ran 5 to 10 of them, in order",
    "it sat on the mon itor; a dec oder; jan itor",
    "second to none, a quarter of users, half of it",
    "https://example.org/2024/05/06/post and 2015-05-06.log",
    "every day, each week, per month, once a year",
    "sha 20240506 build 19990101",
    "version 2023.2 of the IDE",
    "we are a day late and a dollar short",
    "the time of day and the day of reckoning",
    "two march battalions found it 800,000 years ago in ten minutes",
    "bruised from the fall",
    "24/7 support, a 9/10 rating",
)


@pytest.mark.parametrize("text", PHRASES)
def test_phrase(text: str) -> None:
    found = [shown(span) for span in find_dates(text, NOW)]
    assert found == ([] if PHRASES[text] is None else [PHRASES[text]])


@pytest.mark.parametrize("text", NOTHING)
def test_no_time(text: str) -> None:
    assert [text[span.begin : span.stop] for span in find_dates(text, NOW)] == []
