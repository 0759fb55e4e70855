"""What entity resolution takes and gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where an entity is named.

    Attributes:
        key: Derived from content and unique; decides ties, says nothing about the entity.
        name: The surface form, any text.
        kind: Type of the entity (`person`, `service`, …) if the extractor gave one. Two known kinds are never one entity.
        homes: What the entity belongs to or is: employer, team, place, trade, address. A shared one speaks for one entity;
            two mentions that have some and share none are of namesakes, unless others connect them.
        nearby: What else is mentioned there. A shared one speaks for one entity, none in common says nothing.
        moment: When, if known; UTC where it has no zone. Anything that stays with the entity (a date of birth) serves as well.
    """

    key: str
    name: str
    kind: str | None = None
    homes: frozenset[str] = frozenset()
    nearby: frozenset[str] = frozenset()
    moment: datetime | None = None


@dataclass(frozen=True, slots=True)
class Pins:
    """What people have decided; it overrides all evidence.

    Attributes:
        same: Pairs of mention keys that are one entity.
        different: Pairs of mention keys that are two. What is alike one of them, in name and context, is told from the other
            as well; where they are alike each other, it is the first that is another. Where a chain of `same` contradicts,
            `different` holds and the chain is cut: of its links, in sorted order, the first one that would join the two is
            left out.
    """

    same: frozenset[tuple[str, str]] = frozenset()
    different: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason for or against, and its weight; weights of a pair add up."""

    reason: str
    weight: float


@dataclass(frozen=True, slots=True)
class Merge:
    """Two groups of mentions that were joined.

    Attributes:
        left: Smallest mention key of the one group.
        right: Smallest mention key of the other; greater than `left`.
        score: Mean over the pairs of mentions across the groups; infinite for a pin.
        pair: The two mention keys with the strongest evidence across the groups.
        evidence: Why that pair is one entity.
    """

    left: str
    right: str
    score: float
    pair: tuple[str, str]
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Entity:
    """One entity.

    Attributes:
        id: Derived from content; see `illumina.retain.entities.resolver`.
        name: Its fullest surface form.
        aliases: All its surface forms, sorted.
        mentions: Keys of its mentions, sorted.
        merges: How it came about, in the order of the decisions.
    """

    id: str
    name: str
    aliases: tuple[str, ...]
    mentions: tuple[str, ...]
    merges: tuple[Merge, ...]


@dataclass(frozen=True, slots=True)
class Resolution:
    """All entities, by id, and each mention's.

    Attributes:
        entities: Sorted by id.
        entity_of: Mention key to entity id.
    """

    entities: tuple[Entity, ...]
    entity_of: Mapping[str, str]
