"""Canonical JSON: equal values have equal bytes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

DECIMALS: Final = 9
"""Decimals of every float, here and wherever scores are compared."""


def dumps(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """Serialise to UTF-8 with sorted keys, no white space, and floats in fixed notation with 9 decimals.

    Times are written in UTC. Mappings must have string keys.

    Raises:
        TypeError: The value is not JSON.
        ValueError: A float is not finite, or a time has no time zone.
    """
    return _encode(value).encode()


def timestamp(moment: datetime) -> str:
    """ISO 8601 in UTC with a `Z`; fractions of a second only where there are any.

    Raises:
        ValueError: The moment has no time zone, so that it would mean another one on another machine.
    """
    if moment.utcoffset() is None:
        raise ValueError(f"{moment.isoformat()} has no time zone.")
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def _encode(value: Any) -> str:  # noqa: ANN401
    if value is None or isinstance(value, bool | int | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} cannot be written as JSON.")
        return f"{round(value, DECIMALS) + 0.0:.{DECIMALS}f}"  # adding zero turns -0.0 into 0.0
    if isinstance(value, datetime):
        return json.dumps(timestamp(value))
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"JSON keys are strings, not {type(key).__name__}.")
        return "{" + ",".join(f"{_encode(key)}:{_encode(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return "[" + ",".join(map(_encode, value)) + "]"
    raise TypeError(f"{type(value).__name__} is not JSON.")
