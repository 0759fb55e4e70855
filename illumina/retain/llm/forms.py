"""JSON Schema within what both providers enforce, and a check that names everything that is wrong with an answer."""

from __future__ import annotations

import json
from typing import Any, Final

_TYPES: Final[dict[str, type]] = {"object": dict, "array": list, "string": str, "integer": int}
_MAX_SHOWN: Final = 80


def object_of(**properties: dict[str, Any]) -> dict[str, Any]:
    """An object with just these fields, none of them optional."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def array_of(items: dict[str, Any]) -> dict[str, Any]:
    """A list of items of one kind."""
    return {"type": "array", "items": items}


def one_of(*values: str) -> dict[str, Any]:
    """One of these words."""
    return {"type": "string", "enum": list(values)}


def or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """That, or nothing."""
    return {"anyOf": [schema, {"type": "null"}]}


def text(description: str) -> dict[str, Any]:
    """Free text."""
    return {"type": "string", "description": description}


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
    found = json.dumps(value)
    return found if len(found) <= _MAX_SHOWN else f"{found[:_MAX_SHOWN]}…"
