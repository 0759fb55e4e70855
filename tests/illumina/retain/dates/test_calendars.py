"""Feasts against published dates."""

from __future__ import annotations

from datetime import date

import pytest

from illumina.retain.dates.calendars import easter, hebrew, orthodox_easter
from illumina.retain.dates.holidays import holiday
from illumina.retain.dates.moon import chinese_new_year, hindu, islamic
from illumina.retain.dates.units import local


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (easter(1818), "1818-03-22"),
        (easter(2038), "2038-04-25"),
        (easter(2026), "2026-04-05"),
        (orthodox_easter(2024), "2024-05-05"),
        (orthodox_easter(2026), "2026-04-12"),
        (hebrew(2025, "tishri", 1), "2025-09-23"),
        (hebrew(2024, "nisan", 15), "2024-04-23"),
        (hebrew(2024, "adar", 14), "2024-03-24"),
        (hebrew(2025, "adar", 14), "2025-03-14"),
        (islamic(2024, 10, 1), "2024-04-10"),
        (islamic(2025, 1, 1), "2025-06-26"),
        (chinese_new_year(2024), "2024-02-10"),
        (chinese_new_year(2025), "2025-01-29"),
        (chinese_new_year(2026), "2026-02-17"),
        (hindu(2024, "phalguna", 15, 18), "2024-03-24"),
        (hindu(2025, "ashvina", 30, 18), "2025-10-20"),
        (hindu(2023, "ashvina", 30, 18), "2023-11-12"),
    ],
)
def test_days(number: int, expected: str) -> None:
    assert date.fromordinal(number).isoformat() == expected


@pytest.mark.parametrize(
    ("name", "year", "start", "days"),
    [
        ("thanksgiving", 2026, "2026-11-26", 1),
        ("black friday", 2026, "2026-11-27", 1),
        ("memorial day", 2027, "2027-05-31", 1),
        ("passover", 2026, "2026-04-01", 9),
        ("yom haatzmaut", 2025, "2025-04-30", 1),
        ("ramadan", 2024, "2024-03-11", 30),
        ("programmers day", 2024, "2024-09-12", 1),
    ],
)
def test_holidays(name: str, year: int, start: str, days: int) -> None:
    rule = holiday(name)
    assert rule is not None
    found = rule.at(local(year))
    assert found is not None
    assert (found.start.date().isoformat(), (found.end - found.start).days) == (start, days)
