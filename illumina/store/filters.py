"""Which facts a question may and wants to find, as conditions on `illumina.facts f`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from illumina.errors import InvalidInputError
from illumina.ids import content_key
from illumina.types import CATEGORIES, Confidence, Filter, Importance

if TYPE_CHECKING:
    from collections.abc import Collection

VISIBLE = (
    "(f.visibility = 'shared' or f.visibility = 'agent' and f.agent = %(asking_agent)s "
    "or f.visibility = 'device' and f.device = %(asking_device)s)"
)
"""What whoever asks may see."""

HIDDEN = (
    "select f.fact from illumina.facts f where f.namespace = %(namespace)s and f.visibility <> 'shared' "
    f"and f.retired_version is null and {VISIBLE} is not true"
)
"""What they may not; in most namespaces nothing, read from a partial index."""

_LIFECYCLE = ("fresh", "stable", "editing")

_COLUMNS = {
    "categories": ("f.category", CATEGORIES),
    "confidence": ("f.confidence", get_args(Confidence)),
    "sources": ("f.source", None),
    "agents": ("f.agent", None),
    "devices": ("f.device", None),
    "lifecycle": ("f.lifecycle", _LIFECYCLE),
}
"""Of each field that lists values: the column, and the values that there are."""


class Condition(NamedTuple):
    """SQL on `illumina.facts f` with its parameters."""

    sql: str
    parameters: dict[str, Any]


def condition(wanted: Filter) -> Condition | None:
    """The condition of a filter; None if it asks for nothing.

    Raises:
        InvalidInputError: A value is none that a fact could have.
    """
    parts: list[str] = []
    parameters: dict[str, Any] = {}

    def add(name: str, sql: str, value: object) -> None:
        parts.append(sql)
        parameters[f"wanted_{name}"] = value

    for name, (column, known) in _COLUMNS.items():
        values = getattr(wanted, name)
        if values is not None:
            add(name, f"{column} = any(%(wanted_{name})s)", _values(name, values, known))
    if wanted.importance is not None:
        add(
            "importance",
            "f.importance = %(wanted_importance)s",
            *_values("importance", [wanted.importance], get_args(Importance)),
        )
    if wanted.pods is not None:
        add("pods", "f.pods && %(wanted_pods)s::text[]", _values("pods", wanted.pods, None))
    if wanted.entities is not None:
        keys = [content_key("ent_", entity) for entity in _values("entities", wanted.entities, None)]
        named = (
            "f.fact in (select m.fact from illumina.resolved r join illumina.mentions m on m.namespace = %(namespace)s "
            "and m.mention = r.mention where r.namespace = %(namespace)s and r.entity = any(%(wanted_entities)s))"
        )
        add("entities", named, keys)
    for name, sql in (
        ("since", "coalesce(f.event_end, f.event_start, f.occurred_at) >= %(wanted_since)s"),
        ("until", "coalesce(f.event_start, f.occurred_at) < %(wanted_until)s"),
    ):
        moment = getattr(wanted, name)
        if moment is not None and moment.utcoffset() is None:
            raise InvalidInputError(f"{name} is {moment.isoformat()}, without a time zone. Pass one, such as UTC.")
        if moment is not None:
            add(name, sql, moment)
    return Condition(" and ".join(parts), parameters) if parts else None


def _values(name: str, values: Collection[str], known: Collection[str] | None) -> list[str]:
    if isinstance(values, str):
        raise InvalidInputError(f"{name} is the string {values!r}. Pass a list.")
    for value in values:
        if known is not None and value not in known:
            raise InvalidInputError(f"{value!r} is none of the {name} that there are: {', '.join(known)}.")
    return list(values)
