"""From what a caller hands in to a document that can be stored, or a clear refusal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, get_args

from illumina.canonical import dumps, timestamp
from illumina.errors import InvalidInputError
from illumina.ids import content_uuid
from illumina.text import validate_text
from illumina.types import Document, LedgerDocument, Segment, Utterance, Visibility, segments_to_json

if TYPE_CHECKING:
    from datetime import datetime

MAX_NAME_BYTES: Final = 2_000
"""A namespace, source, key, label or speaker must fit an index entry (PostgreSQL takes 2,704 bytes)."""

MAX_METADATA_DEPTH: Final = 64
"""Python and PostgreSQL both recurse into JSON, and their stacks end somewhere."""

MAX_METADATA_INTEGER: Final = 10**1000
"""PostgreSQL and Python's own reader of JSON end a little later."""


def check_namespace(namespace: str) -> None:
    """Refuse a namespace without a name or with one that cannot be stored.

    Raises:
        InvalidInputError: Naming the mend.
    """
    _check_text(namespace, "The namespace")
    if not namespace.strip():
        raise InvalidInputError("The namespace has no name. Pass one, such as 'default'.")


def prepare(document: Document, namespace: str) -> LedgerDocument:
    """Validate a document, render its body, and derive its id. Pure.

    Raises:
        InvalidInputError: Naming what cannot be stored and the mend.
    """
    _check_text(document.source, "The source")
    if document.key is not None:
        _check_text(document.key, "The key")
    _check_time(document.occurred_at, "The document's time")
    given: object = document.body
    if not isinstance(given, str | Sequence) or not (
        isinstance(given, str) or all(isinstance(turn, Utterance) for turn in given)
    ):
        raise InvalidInputError(f"The body is of the type {type(given).__name__}. Pass a string, or a list of Utterance.")
    if isinstance(document.body, str):
        body, segments = document.body, None
        validate_text(body, "The text")
    else:
        body, segments = _render(document.body, document.occurred_at)
    if not body.strip():
        raise InvalidInputError("The text is empty. Pass a text with at least one character that is not white space.")
    metadata = _metadata(document.metadata)
    moment = None if document.occurred_at is None else timestamp(document.occurred_at)
    spans = None if segments is None else segments_to_json(segments)
    provenance = _provenance(document)
    digest = content_uuid("content", document.source, moment, body, spans, metadata, *provenance)
    identity = ("keyed", document.key) if document.key is not None else ("unkeyed", digest.hex)
    # What only one may see is a document of its own: nobody else's of that name can replace it.
    owner = {"agent": document.agent, "device": document.device}.get(document.visibility)
    private = () if owner is None else (document.visibility, owner)
    return LedgerDocument(
        id=content_uuid("document", namespace, document.source, *identity, *private),
        source=document.source,
        key=document.key,
        occurred_at=document.occurred_at,
        body=body,
        segments=segments,
        metadata=metadata,
        digest=digest,
        agent=document.agent,
        device=document.device,
        visibility=document.visibility,
        pods=tuple(sorted(set(document.pods))),
    )


def _provenance(document: Document) -> tuple[str, ...]:
    """What a document says of who may see it and where from, in canonical JSON; nothing if it says nothing."""
    for value, what in ((document.agent, "The agent"), (document.device, "The device")):
        if value is not None:
            _check_text(value, what)
    if document.visibility not in get_args(Visibility):
        raise InvalidInputError(f"The visibility is {document.visibility!r}. Choose one of {', '.join(get_args(Visibility))}.")
    if (document.visibility == "agent" and document.agent is None) or (
        document.visibility == "device" and document.device is None
    ):
        raise InvalidInputError(f"Only its {document.visibility} may see this document, and it names none. Pass one.")
    if isinstance(document.pods, str):
        raise InvalidInputError("The pods are one string. Pass a list of names.")
    for pod in document.pods:
        _check_text(pod, "A pod")
        if not pod.strip():
            raise InvalidInputError("A pod has no name. Leave it out.")
    said = {
        name: value
        for name, value in (
            ("agent", document.agent),
            ("device", document.device),
            ("visibility", document.visibility if document.visibility != "shared" else None),
            ("pods", sorted(set(document.pods)) or None),
        )
        if value is not None
    }
    return (dumps(said).decode(),) if said else ()


def _render(utterances: Sequence[Utterance], default: datetime | None) -> tuple[str, tuple[Segment, ...]]:
    """One line `speaker: text` an utterance; spans cover the text only, so that it can be read back exactly."""
    parts: list[str] = []
    segments: list[Segment] = []
    offset = 0
    for position, utterance in enumerate(utterances, start=1):
        label = utterance.label if utterance.label is not None else str(position)
        _check_text(label, f"The label of utterance {position}")
        validate_text(utterance.text, f"Utterance {label}")
        _check_time(utterance.occurred_at, f"The time of utterance {label}")
        if utterance.speaker is not None:
            _check_text(utterance.speaker, f"The speaker of utterance {label}")
        if not utterance.text.strip():
            raise InvalidInputError(f"Utterance {label} is empty. Leave it out.")
        prefix = f"{utterance.speaker}: " if utterance.speaker else ""
        start = offset + len(prefix)
        end = start + len(utterance.text)
        segments.append(Segment(start, end, label, utterance.speaker, utterance.occurred_at or default))
        parts.append(prefix + utterance.text)
        offset = end + 1
    labels = [segment.label for segment in segments]
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise InvalidInputError(f"The label {twice!r} stands on two utterances of one document. Make labels unique.")
    return "\n".join(parts), tuple(segments)


def _check_text(value: str, what: str) -> None:
    validate_text(value, what)
    if len(value.encode()) > MAX_NAME_BYTES:
        raise InvalidInputError(f"{what} is longer than {MAX_NAME_BYTES:,} bytes. Put long text into the body.")


def _check_time(moment: datetime | None, what: str) -> None:
    if moment is not None and moment.utcoffset() is None:
        raise InvalidInputError(
            f"{what} ({moment.isoformat()}) has no time zone. Pass one, for instance `.replace(tzinfo=UTC)`."
        )
    if moment is not None:
        try:
            timestamp(moment)
        except OverflowError as error:
            raise InvalidInputError(
                f"{what} ({moment.isoformat()}) is outside the years 1 to 9999 in UTC. Leave it out."
            ) from error


def _metadata(metadata: Mapping[str, Any]) -> str:
    _check_json(metadata, "metadata")
    return dumps(metadata, decimals=None).decode()


def _check_json(value: Any, path: str, depth: int = 0) -> None:  # noqa: ANN401 - any JSON value
    if depth > MAX_METADATA_DEPTH:
        raise InvalidInputError(f"The metadata is nested deeper than {MAX_METADATA_DEPTH} levels. Flatten it.")
    if isinstance(value, str):
        validate_text(value, f"The text at {path}")
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise InvalidInputError(f"The key {key!r} at {path} is not a string. JSON keys are strings.")
            validate_text(key, f"A key at {path}")
            _check_json(inner, f"{path}.{key}", depth + 1)
    elif isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        for index, inner in enumerate(value):
            _check_json(inner, f"{path}[{index}]", depth + 1)
    elif isinstance(value, int | float):
        _check_number(value, path)
    elif value is not None:
        raise InvalidInputError(f"The value at {path} is a {type(value).__name__}, which is not JSON. Pass a string.")


def _check_number(value: int | float, path: str) -> None:  # noqa: PYI041 - the two are told apart
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInputError(f"The number at {path} is {value}, which is not JSON. Leave it out or pass a string.")
    if abs(value) >= MAX_METADATA_INTEGER:
        raise InvalidInputError(f"The number at {path} has more than 1,000 digits. Pass a string.")
