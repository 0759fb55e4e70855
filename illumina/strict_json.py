"""JSON that people write: a key that stands twice in an object is an error, where `json` silently keeps the last."""

from __future__ import annotations

import json
from typing import Any


class DuplicateKeyError(ValueError):
    """A key stands twice in one object."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key!r} stands twice in one object")
        self.key = key


def parse_json(text: str) -> Any:  # noqa: ANN401 - whatever the JSON holds
    """What a JSON text says.

    Raises:
        DuplicateKeyError: One of its objects has a key twice.
        ValueError: It is not JSON.
        RecursionError: It nests without end.
    """
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in pairs:
        if key in out:
            raise DuplicateKeyError(key)
        out[key] = value
    return out
