"""Facts as reconciliation sees them, and what one of them says of another."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from illumina.types import Confidence, Visibility


@dataclass(frozen=True, slots=True)
class Named:
    """An entity that a fact names: its surface form, and the entity it was resolved to, if it was."""

    name: str
    entity: UUID | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """One fact that is no verbatim text, with all that reconciliation may look at.

    Attributes:
        id: The fact.
        content: The statement.
        digest: Equal for statements that are the same up to case and white space.
        confidence: What is of low confidence retires nothing.
        speaker: Who said it, if known.
        source: The document's origin.
        document: The document.
        key: The caller's name of the document, if any.
        ordinal: Its place in the document.
        moment: When what it tells of began, or else when it was said; None if neither is known.
        said: When it was said, if known.
        visibility: Who may see it.
        agent: Whose it is if only its agent may.
        device: Where it is if only its device may.
        names: The entities that it names.
    """

    id: UUID
    content: str
    digest: UUID
    confidence: Confidence = "high"
    speaker: str | None = None
    source: str = ""
    document: UUID | None = None
    key: str | None = None
    ordinal: int = 0
    moment: datetime | None = None
    said: datetime | None = None
    visibility: Visibility = "shared"
    agent: str | None = None
    device: str | None = None
    names: tuple[Named, ...] = ()

    def __hash__(self) -> int:
        return hash(self.id)  # tells all but versions of one fact apart, at a fraction of the cost of all fields

    @property
    def rank(self) -> tuple[datetime, datetime]:
        """What orders statements from old to new; the undated before all others."""
        return self.moment or UNDATED, self.said or UNDATED

    @property
    def audience(self) -> tuple[Visibility, str | None, str | None]:
        """What `may_retire` needs to know."""
        return self.visibility, self.agent, self.device


UNDATED: Final = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Verdict:
    """That one fact supersedes another.

    Attributes:
        extent: Whether nothing of the older holds any more, or only a part does not.
        part: The words of the older that no longer hold, if not all.
        evidence: Why: `kind` (`value`, `opposite`, `cue`, `document`) and what it rests on; JSON values.
    """

    extent: Literal["whole", "part"]
    part: str | None
    evidence: Mapping[str, Any]


def is_newer(one: Statement, other: Statement, *, cued: bool = False, other_cued: bool = False) -> bool:
    """Whether one statement is newer than another, by when what they tell of happened, never by arrival.

    By moment, then by when it was said; within one document the place decides what is left. What says in so many words that
    something is over may also be as old as the other, or stand against one that has no date, if that one says no such thing.

    So supersession cannot go round in a circle: along it `rank` never grows, and among equals it leads from what bears a cue
    to what bears none, or among those back through one document.

    Args:
        one: The one that would be newer.
        other: The one that would be older.
        cued: Whether `one` says in so many words what is over.
        other_cued: Whether `other` does.
    """
    dated = (one.moment is None) == (other.moment is None)
    if one.rank != other.rank:
        return one.rank > other.rank and (dated or (cued and not other_cued))
    if cued != other_cued:
        return cued
    return one.document == other.document and one.document is not None and one.ordinal > other.ordinal


def may_retire(newer: tuple[Visibility, str | None, str | None], older: tuple[Visibility, str | None, str | None]) -> bool:
    """Whether everybody who may see the older may see the newer as well: else a private fact would make a shared one vanish.

    Args:
        newer: Visibility, agent and device of the newer.
        older: Those of the older.
    """
    owners = [
        (visibility, {"shared": None, "agent": agent, "device": device}[visibility])
        for visibility, agent, device in (newer, older)
    ]
    return newer[0] == "shared" or owners[0] == owners[1]
