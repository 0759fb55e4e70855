"""Canonical JSON: equal values have equal bytes, and they mean what was put in."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.canonical import dumps, timestamp

if TYPE_CHECKING:
    from random import Random

TEXT = st.text(st.characters(codec="utf-8"))
EXACT = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


@given(EXACT)
def test_it_is_sorted_compact_utf8_json(value: object) -> None:
    expected = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert dumps(value) == expected.encode()
    assert json.loads(dumps(value)) == value


@given(st.dictionaries(TEXT, st.integers(), min_size=2), st.randoms())
def test_the_order_of_insertion_does_not_show(value: dict[str, int], random: Random) -> None:
    items = list(value.items())
    random.shuffle(items)
    assert dumps(dict(items)) == dumps(value)


@given(st.floats(-1e6, 1e6))
def test_floats_have_nine_decimals(value: float) -> None:
    text = dumps(value).decode()
    assert abs(float(text) - value) <= 0.5e-9 + abs(value) * 2**-52
    assert len(text.partition(".")[2]) == 9
    assert "e" not in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.000000000"),
        (0.1, "0.100000000"),
        (-0.0, "0.000000000"),
        (-1e-12, "0.000000000"),
        (1e22, "10000000000000000000000.000000000"),
        (True, "true"),
        (1, "1"),
        ({"b": [1, None], "a": "ä\n"}, '{"a":"ä\\n","b":[1,null]}'),
        ((), "[]"),
        (datetime(2026, 3, 2, 9, 0, tzinfo=UTC), '"2026-03-02T09:00:00Z"'),
    ],
)
def test_each_value_has_one_form(value: object, text: str) -> None:
    assert dumps(value).decode() == text


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, {"deep": [math.nan]}])
def test_what_is_not_finite_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="cannot be written as JSON"):
        dumps(value)


@pytest.mark.parametrize("value", [{1: 2}, {None: 1}, {1, 2}, b"bytes", bytearray(b"b"), memoryview(b"m"), object()])
def test_what_is_not_json_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        dumps([value])


ZONES = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(timezones=ZONES).filter(lambda moment: 2 <= moment.year <= 9998))
def test_a_moment_has_one_form_in_every_zone(moment: datetime) -> None:
    assert timestamp(moment) == timestamp(moment.astimezone(UTC))
    assert datetime.fromisoformat(timestamp(moment)) == moment


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        dumps(datetime.fromisoformat("2026-03-02"))


def test_without_decimals_every_float_reads_back() -> None:
    assert dumps({"a": 1e-12, "b": 0.1, "c": -0.0}, decimals=None) == b'{"a":1e-12,"b":0.1,"c":0.0}'
