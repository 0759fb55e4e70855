"""What is told to people about entities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class EntitySummary:
    """An entity at a glance: `ent_…`, its fullest name, its type, by how many mentions it is named."""

    id: str
    name: str
    kind: str | None
    mentions: int


@dataclass(frozen=True, slots=True)
class RulingView:
    """A ruling: `rul_…`, `same` or `different`, two mentions (`men_…`), why, when, and when it was undone."""

    id: str
    kind: str
    one: str
    other: str
    reason: str
    recorded_at: datetime
    undone_at: datetime | None


@dataclass(frozen=True, slots=True)
class MentionView:
    """Where an entity is named: `men_…`, the surface form, and the fact (`fct_…`)."""

    id: str
    name: str
    fact: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an entity is one.

    Attributes:
        entity: The entity.
        aliases: All its surface forms.
        mentions: All its mentions.
        merges: How they were joined, in the order of the decisions: `left`, `right`, `pair` (mention ids), `score` (null for a
            ruling), and `evidence`: reasons with their weights.
        rulings: Those that hold and name one of its mentions.
    """

    entity: EntitySummary
    aliases: tuple[str, ...]
    mentions: tuple[MentionView, ...]
    merges: tuple[Mapping[str, Any], ...]
    rulings: tuple[RulingView, ...]


@dataclass(frozen=True, slots=True)
class FactView:
    """A live fact: `fct_…`, what it says, when, and from where."""

    id: str
    content: str
    at: datetime | None
    source: str


@dataclass(frozen=True, slots=True)
class RelationView:
    """A relation of an entity: `out` or `in`, its name, the other one, and the fact that states it."""

    direction: str
    name: str
    other: EntitySummary
    fact: str


@dataclass(frozen=True, slots=True)
class EntityContext:
    """What is known about an entity: its names, its live facts (newest first), its relations."""

    entity: EntitySummary
    aliases: tuple[str, ...]
    facts: tuple[FactView, ...]
    relations: tuple[RelationView, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """What a traversal came upon.

    Attributes:
        entity: The entity.
        hops: How far it is.
        via: The entity from which it was reached (`ent_…`); None for the first.
        how: The relation's name, `←` before it if it is stated of the new one; `mentioned with` where none is stated.
    """

    entity: EntitySummary
    hops: int
    via: str | None
    how: str | None
