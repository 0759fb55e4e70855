"""What a recalled fact is shown with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from illumina.store.believed import SAID, STATED
from illumina.store.filters import VISIBLE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from illumina.store.believed import Belief
    from illumina.store.database import Session
    from illumina.types import Category, Confidence, Importance


class Row(NamedTuple):
    """A live fact with its provenance.

    Attributes are those of `illumina.types.Result`; `corroboration` counts the distinct origins that say the same, as far as
    who asks may see them, and `replaces` has the facts that it supersedes, which they may see too.
    """

    content: str
    source: str
    document: UUID
    key: str | None
    label: str
    speaker: str | None
    occurred_at: datetime | None
    category: Category | None
    confidence: Confidence
    importance: Importance
    event_start: datetime | None
    event_end: datetime | None
    event_precision: str | None
    corroboration: int
    replaces: list[UUID]


def fetch(
    session: Session, facts: Sequence[UUID], parameters: Mapping[str, Any], belief: Belief | None
) -> Callable[[], dict[UUID, Row]]:
    """Submit the reading of `facts`, all of which must be believed in this snapshot; what is returned collects their rows.

    Args:
        session: Of the namespace.
        facts: What was found.
        parameters: Who asks (`Plan.parameters`).
        belief: Of which time; now if None.
    """
    stated, then, replaced = "f.retired_version is null", "", ""
    values: dict[str, Any] = {"facts": list(facts), **parameters}
    if belief is not None:
        stated = STATED
        then = f"and f.fact <> all(%(reconsidered)s::uuid[]) and {SAID} "
        replaced = (
            "union select f.fact from unnest(%(news)s::uuid[], %(olds)s::uuid[]) as ends (new, old) join illumina.facts f "
            f"on f.namespace = %(namespace)s and f.fact = ends.old where ends.new = r.fact and {VISIBLE} "
        )
        values["reconsidered"] = list(belief.reconsidered)
        values["news"] = [new for new, _ in belief.replaced]
        values["olds"] = [old for _, old in belief.replaced]
    # Why: only the few results that are shown are read in full width.
    cursor = session.execute(
        "select r.fact, r.content, r.source, r.document, d.key, r.label, r.speaker, r.occurred_at, "
        "  r.category, r.confidence, r.importance, r.event_start, r.event_end, r.event_precision, "
        "  (select count(distinct f.source) from illumina.facts f where f.namespace = %(namespace)s "
        f"   and f.content_digest = r.content_digest and {stated} and {VISIBLE}), "
        "  array(select f.fact from illumina.facts f where f.namespace = %(namespace)s and f.fact in ("
        "    select old from illumina.supersessions where namespace = %(namespace)s and new = r.fact union all "
        "    select other from illumina.rulings where namespace = %(namespace)s and one = r.fact and kind = 'supersedes' "
        f"    and undone_at is null) and {VISIBLE} {then}{replaced}order by fact) "
        "from illumina.facts r join illumina.documents d "
        "on d.namespace = %(namespace)s and d.document = r.document and d.version = r.version "
        "where r.namespace = %(namespace)s and r.fact = any(%(facts)s)",
        values,
    )
    return lambda: {fact: Row(*row) for fact, *row in cursor.fetchall()}
