"""Canonical JSON: equal values have equal bytes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

DECIMALS: Final = 9
"""Decimals of every float, here and wherever scores are compared."""


def dumps(value: Any, *, decimals: int | None = DECIMALS) -> bytes:  # noqa: ANN401 - any JSON value
    """Serialise to UTF-8 with sorted keys, no white space, and floats in fixed notation.

    Times are written in UTC. Mappings must have string keys.

    Args:
        value: What to serialise.
        decimals: Of every float; None writes the shortest text that reads back as the same float.

    Raises:
        TypeError: The value is not JSON.
        ValueError: A float is not finite, or a time has no time zone.
    """
    return _encode(value, decimals).encode()


def timestamp(moment: datetime) -> str:
    """ISO 8601 in UTC with a `Z`; fractions of a second only where there are any.

    Raises:
        ValueError: The moment has no time zone, so that it would mean another one on another machine.
    """
    if moment.utcoffset() is None:
        raise ValueError(f"{moment.isoformat()} has no time zone.")
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def _encode(value: Any, decimals: int | None) -> str:  # noqa: ANN401
    if value is None or isinstance(value, bool | int | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} cannot be written as JSON.")
        # Adding zero turns -0.0 into 0.0.
        return repr(value + 0.0) if decimals is None else f"{round(value, decimals) + 0.0:.{decimals}f}"
    if isinstance(value, datetime):
        return json.dumps(timestamp(value))
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"JSON keys are strings, not {type(key).__name__}.")
        return "{" + ",".join(f"{_encode(key, decimals)}:{_encode(value[key], decimals)}" for key in sorted(value)) + "}"
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return "[" + ",".join(_encode(item, decimals) for item in value) + "]"
    raise TypeError(f"{type(value).__name__} is not JSON.")
