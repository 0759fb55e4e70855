"""Edges between facts: temporal, semantic, entity, causal and supersedes.

Every edge is a function of the set of live facts: a fact is linked to those next after it in time, to those next after it
among the facts about each of its entities, and to those nearest to it in meaning. So no fact has more than a few edges of a
kind, however large its neighbourhood, and a new fact changes only its neighbours' edges.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from illumina.ids import public_id
from illumina.retain.neighbours import Neighbours
from illumina.store import links, nearest
from illumina.store.links import Link

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet
    from uuid import UUID

    from illumina.store.database import Session

SEMANTIC_LINKS: Final = 5
"""Facts nearest in meaning that a fact is linked to at most."""

SEMANTIC_COSINE: Final = 0.6
"""Least cosine of an edge of meaning; `all-MiniLM-L6-v2` gives unrelated sentences about 0 to 0.3."""

CONFIDENCE: Final = {"high": 1.0, "medium": 0.7, "low": 0.4}
"""Weight of a stated cause by the lesser confidence of its two facts."""


def affected(session: Session, gone: AbstractSet[UUID]) -> set[UUID]:
    """Facts whose edges reach the given ones."""
    return links.sources_of(session, gone)


def settle(session: Session, given: AbstractSet[UUID]) -> None:
    """Bring the edges of the given facts, some of which may be gone, and of their neighbours up to date."""
    rows = given | links.sources_of(session, given, "semantic")
    moved = given | links.sources_of(session, given) | links.earlier(session, given)
    moved |= {fact for fact, later, _ in links.about_the_same(session, given) if later in given}
    links.remove(session, given, ("causes", "enables", "prevents", "supersedes"), inward=True)
    links.remove(session, moved, ("temporal", "entity"), inward=False)
    links.insert(session, [*_temporal(session, moved), *_entity(session, moved), *_causal(session, given)])
    links.remove(session, rows, ("semantic",), inward=False)
    _semantic(session, given, rows)


def _temporal(session: Session, facts: AbstractSet[UUID]) -> Iterator[Link]:
    for source, target, seconds in links.later(session, facts):
        yield Link(source, "temporal", target, round(1 / (1 + seconds / 3600), 9), {"seconds": int(seconds)})


def _entity(session: Session, facts: AbstractSet[UUID]) -> Iterator[Link]:
    shared: defaultdict[tuple[UUID, UUID], set[UUID]] = defaultdict(set)
    for source, target, entity in links.about_the_same(session, facts):
        if source in facts:
            shared[source, target].add(entity)
    for (source, target), entities in shared.items():
        names = sorted(public_id("ent_", entity) for entity in entities)
        yield Link(source, "entity", target, 1 - 0.5 ** len(names), {"entities": names})


def _causal(session: Session, facts: AbstractSet[UUID]) -> Iterator[Link]:
    for cause, kind, effect, cue, one, other in links.causal(session, facts):
        weight = min(CONFIDENCE[one], CONFIDENCE[other])
        yield Link(cause, kind, effect, weight, {"cue": cue})  # type: ignore[arg-type]
    # A ruling for the whole comes behind a rule for a part.
    for (new, old), extent in {(new, old): extent for new, old, extent in links.superseding(session, facts)}.items():
        yield Link(new, "supersedes", old, 1.0 if extent == "whole" else 0.5, {"extent": extent})


def _semantic(session: Session, given: AbstractSet[UUID], rows: AbstractSet[UUID]) -> None:
    """Link `rows` anew, and offer the given ones to all others.

    Args:
        session: Of the namespace.
        given: Facts that may have come.
        rows: These, and the facts that were linked to one of them.
    """
    near = Neighbours(nearest.read(session, rows), given, most=SEMANTIC_LINKS, least=SEMANTIC_COSINE)
    for page in nearest.pages(session):
        near.compare(page)
    links.insert(session, (_nearest(*pair) for pair in near.found()))
    offered = near.offered()
    for source, targets in links.outward(session, offered, "semantic").items():
        best = sorted([*targets.items(), *offered[source].items()], key=lambda pair: (-pair[1], pair[0]))
        offered[source] = dict(best[:SEMANTIC_LINKS])
    links.remove(session, offered, ("semantic",), inward=False)
    links.insert(
        session, (_nearest(source, target, weight) for source, best in offered.items() for target, weight in best.items())
    )


def _nearest(source: UUID, target: UUID, weight: float) -> Link:
    return Link(source, "semantic", target, weight, {})
