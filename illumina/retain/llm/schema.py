"""The tool `extract_facts`: what a model may answer, and a check that names everything that is wrong with what it did."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, Final, get_args

from illumina.models.llm.base import Tool
from illumina.models.llm.prompt import Prompt
from illumina.retain.dates.units import PRECISIONS
from illumina.retain.extraction import CausalKind
from illumina.types import CATEGORIES, Confidence, Importance

KINDS: Final = ("person", "organisation", "team", "service", "project", "product", "ticket", "channel", "place")
"""Types of entities; null for any other."""

_TYPES: Final[dict[str, type]] = {"object": dict, "array": list, "string": str, "integer": int}
_MAX_SHOWN: Final = 80


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _enum(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


_POSITION: Final = {"type": "integer", "description": "Counted from 0."}

_FACT: Final = _object(
    statement=_text("One atomic statement that stands by itself."),
    quote=_text("The words of the passage that say so, letter for letter."),
    category=_enum(*CATEGORIES),
    event=_or_null(
        _object(
            start=_or_null(_text("ISO 8601: its first moment; null if open.")),
            end=_or_null(_text("ISO 8601: the first moment behind it; null if open.")),
            precision=_enum(*PRECISIONS),
        )
    ),
    mentioned_at=_or_null(_text("ISO 8601: when it was said, where the passage says so.")),
    entities=_array(
        _object(
            name=_text("As the passage has it."), kind=_or_null(_enum(*KINDS)), homes=_array(_text("What it belongs to or is."))
        )
    ),
    relations=_array(_object(subject=_POSITION, name=_text("A verb in snake case."), object=_POSITION)),
    confidence=_enum(*get_args(Confidence)),
    importance=_enum(*get_args(Importance)),
)

TOOL: Final = Tool(
    "extract_facts",
    "Record the facts that the passage states.",
    _object(
        facts=_array(_FACT),
        causal=_array(
            _object(
                kind=_enum(*get_args(CausalKind)),
                cause=_POSITION,
                effect=_POSITION,
                cue=_text("The words of the passage that state it, letter for letter."),
            )
        ),
    ),
)

PROMPT: Final = Prompt.load(resources.files("illumina.retain.llm").joinpath("extract_facts.toml"))


def violations(value: Any, schema: dict[str, Any], path: str) -> list[str]:  # noqa: ANN401 - any JSON value
    """Where a value is not what its schema asks for, in the order of the schema; for the part of JSON Schema used here."""
    if "anyOf" in schema:
        inner, _ = schema["anyOf"]
        return [] if value is None else [f"{line} or null" for line in violations(value, inner, path)]
    kind = schema["type"]
    if not _is(value, kind):
        return [f"{path} is {shown(value)}; it must be {'an' if kind[0] in 'aeiou' else 'a'} {kind}"]
    if kind == "object":
        return _object_violations(value, schema, path)
    if kind == "array":
        return [line for place, item in enumerate(value) for line in violations(item, schema["items"], f"{path}[{place}]")]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{path} is {shown(value)}; it must be one of {', '.join(schema['enum'])}"]
    return []


def _is(value: Any, kind: str) -> bool:  # noqa: ANN401 - any JSON value
    return type(value) is _TYPES[kind]  # exactly: to Python, true is an integer too


def _object_violations(value: dict[str, Any], schema: dict[str, Any], path: str) -> list[str]:
    found = []
    for name, inner in schema["properties"].items():
        if name not in value:
            found.append(f"{path}.{name} is missing")
        else:
            found += violations(value[name], inner, f"{path}.{name}")
    found += [
        f"{path} has {shown(name)}, which is no field of it" for name in sorted(value.keys() - schema["properties"].keys())
    ]
    return found


def shown(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A value as JSON in ASCII, cut where it is long."""
    text = json.dumps(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
