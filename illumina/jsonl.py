"""Documents as JSON Lines: chat exports, and the corpora of the harness.

One object a line. Either a text or one message:

    {"text": "…", "id"?: "…", "source"?: "slack:#ops", "speaker"?: "Ana", "occurred_at"?: "2026-03-02T09:00:00Z"}

or a dialogue:

    {"turns": [{"text": "…", "speaker"?: "…", "occurred_at"?: "…", "label"?: "…"}], "id"?: …, "source"?: …, "occurred_at"?: …}

Both may say who brought it and who may see it, as `illumina.types.Document` does:

    {…, "agent"?: "…", "device"?: "…", "visibility"?: "shared" | "agent" | "device", "pods"?: ["…"]}

Any other field is kept as metadata.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, cast, get_args

from illumina.errors import InvalidInputError
from illumina.strict_json import DuplicateKeyError, parse_json
from illumina.types import Document, Utterance, Visibility

_TURN_FIELDS: Final = frozenset({"text", "speaker", "occurred_at", "label"})
_FIELDS: Final = frozenset({"id", "source", "occurred_at", "text", "turns", "speaker", "agent", "device", "visibility", "pods"})


def parse_document(line: str, *, source: str = "") -> Document:
    """One line as a document; `id` becomes its key, `source` the origin where the line names none.

    Raises:
        InvalidInputError: Naming what is wrong and the mend.
    """
    try:
        value = parse_json(line)
    except DuplicateKeyError as error:
        raise InvalidInputError(f'The key "{error.key}" is there twice. Keep one of them.') from error
    except (ValueError, RecursionError) as error:  # also integers of thousands of digits and endless nesting
        raise InvalidInputError(f"Not JSON: {error}. Write one JSON object a line.") from error
    if not isinstance(value, dict):
        raise InvalidInputError(f"A {type(value).__name__} instead of an object. Write one JSON object a line.")
    return to_document(value, source=source)


def to_document(value: Mapping[str, Any], *, source: str = "") -> Document:
    """A parsed line as a document; see `parse_document`.

    Raises:
        InvalidInputError: Naming what is wrong and the mend.
    """
    if ("text" in value) == ("turns" in value):
        raise InvalidInputError('Either "text" or "turns" is needed, and not both.')
    occurred_at = _moment(value, "occurred_at")
    speaker = _optional_text(value, "speaker")
    body: str | tuple[Utterance, ...]
    if "turns" in value:
        if not isinstance(value["turns"], list) or not value["turns"]:
            raise InvalidInputError('"turns" must be a list of at least one object.')
        body = tuple(_utterance(turn) for turn in value["turns"])
    elif speaker is not None:
        body = (Utterance(_text(value, "text"), speaker, occurred_at),)
    else:
        body = _text(value, "text")
    return Document(
        body,
        source=_optional_text(value, "source") or source,
        key=_optional_text(value, "id"),
        occurred_at=occurred_at,
        metadata={key: inner for key, inner in value.items() if key not in _FIELDS},
        agent=_optional_text(value, "agent"),
        device=_optional_text(value, "device"),
        visibility=_visibility(value),
        pods=_pods(value),
    )


def _visibility(value: Mapping[str, Any]) -> Visibility:
    found = _optional_text(value, "visibility") or "shared"
    for known in get_args(Visibility):
        if found == known:
            return cast("Visibility", known)
    raise InvalidInputError(f'"visibility" is {found!r}. Choose one of {", ".join(get_args(Visibility))}.')


def _pods(value: Mapping[str, Any]) -> tuple[str, ...]:
    pods = value.get("pods") or []
    if not isinstance(pods, list) or not all(isinstance(pod, str) for pod in pods):
        raise InvalidInputError('"pods" must be a list of strings.')
    return tuple(pods)


def _utterance(turn: Any) -> Utterance:  # noqa: ANN401 - whatever the JSON holds
    if not isinstance(turn, dict) or "text" not in turn:
        raise InvalidInputError('Each of "turns" must be an object with "text".')
    if unknown := turn.keys() - _TURN_FIELDS:
        raise InvalidInputError(f"A turn has the unknown field {min(unknown)!r}. Known are {', '.join(sorted(_TURN_FIELDS))}.")
    return Utterance(
        _text(turn, "text"), _optional_text(turn, "speaker"), _moment(turn, "occurred_at"), _optional_text(turn, "label")
    )


def _text(value: Mapping[str, Any], field: str) -> str:
    if not isinstance(value[field], str):
        raise InvalidInputError(f'"{field}" must be a string, not {type(value[field]).__name__}.')
    return str(value[field])


def _optional_text(value: Mapping[str, Any], field: str) -> str | None:
    return None if value.get(field) is None else _text(value, field)


def _moment(value: Mapping[str, Any], field: str) -> datetime | None:
    text = _optional_text(value, field)
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInputError(f'"{field}" is {text!r}. Write ISO 8601, such as 2026-03-02T09:00:00Z.') from error
    if moment.utcoffset() is None:
        raise InvalidInputError(f'"{field}" is {text!r}, without a time zone. Add one, such as {text + "Z"!r} for UTC.')
    return moment
