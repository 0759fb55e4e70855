"""Recall: plan, run the arms over one snapshot, fuse, order, and say what each result rests on."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from illumina.errors import InvalidInputError, ModelUnavailableError
from illumina.ids import DOCUMENT_PREFIX, FACT_PREFIX, public_id
from illumina.recall.arms import Arm
from illumina.recall.belief import believed, check_as_of
from illumina.recall.components import Component, registered
from illumina.recall.fuse import Candidate, fuse
from illumina.recall.passages import passages
from illumina.recall.plan import Plan, query_lexemes
from illumina.store import filters, recalled
from illumina.types import Answer, EventTime, Result

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from illumina.models.base import Embedder, IntegerVectors
    from illumina.settings import Ranking
    from illumina.store.database import Database
    from illumina.types import Filter


def recall(
    database: Database,
    embedder: Embedder,
    ranking: Ranking,
    query: str,
    namespace: str,
    *,
    limit: int,
    components: Sequence[str] | None,
    exact: bool,
    explain: bool,
    wanted: Filter | None,
    agent: str | None,
    device: str | None,
    as_of: datetime | None,
    include_chunks: bool,
) -> Answer:
    """Answer one question from one namespace; see `Memory.recall`."""
    chosen = _choose(components)
    arms = [arm for arm in registered(Arm) if arm.name in chosen]
    if type(limit) is not int or limit < 1:
        raise InvalidInputError(f"limit is {limit!r}; pass a whole number, 1 or more.")
    check_as_of(as_of)
    terms = query_lexemes(query)
    condition = None if wanted is None else filters.condition(wanted)
    started = perf_counter()
    reasons: list[str] = []
    vector: IntegerVectors | None = None
    if "semantic" in chosen and query.strip():
        try:
            vector = embedder.embed_query(query)
        except ModelUnavailableError as error:
            reasons.append(f"embedder unavailable: {error}")
            arms = [arm for arm in arms if arm.name != "semantic"]
    embedded = perf_counter()
    with database.read(namespace) as session:
        belief = None if as_of is None else believed(session, as_of)
        plan = Plan(query, terms, vector, exact, ranking, agent, device, condition, belief)
        # The semantic arm, which takes longest, is submitted last: the others run while its question is encoded.
        submitted = {arm.name: arm.search(session, plan) for arm in reversed(arms)}
        hits = {name: collect() for name, collect in submitted.items()}
        rankings = {arm.name: hits[arm.name] for arm in arms}
        searched = perf_counter()
        ranked = fuse(rankings, ranking.rrf_k, None if include_chunks else limit)
        candidates = ranked[:limit]
        fused = perf_counter()
        fetch = recalled.fetch(session, [candidate.fact for candidate in candidates], plan.parameters, belief)
        chunks = passages(session, plan, [candidate.fact for candidate in ranked], limit) if include_chunks else None
    rows = fetch()
    fetched = perf_counter()
    return Answer(
        query=query,
        namespace=namespace,
        results=tuple(_result(candidate, rows[candidate.fact], explain=explain) for candidate in candidates),
        degraded=bool(reasons),
        degraded_reasons=tuple(reasons),
        chunks=chunks,
        timings={
            "embed": 1000 * (embedded - started),
            "postgres": 1000 * (searched - embedded + fetched - fused),
            "fuse": 1000 * (fused - searched),
        },
    )


def _choose(names: Sequence[str] | None) -> set[str]:
    known = [component.name for component in registered(Component)]
    for name in names or ():
        if name not in known:
            raise InvalidInputError(f"There is no component {name!r}. Choose among {', '.join(known)}.")
    return set(known if names is None else names)


def _result(candidate: Candidate, row: recalled.Row, *, explain: bool) -> Result:
    return Result(
        id=public_id(FACT_PREFIX, candidate.fact),
        content=row.content,
        score=candidate.score,
        corroboration=row.corroboration,
        arms=tuple(candidate.ranks),
        source=row.source,
        document_id=public_id(DOCUMENT_PREFIX, row.document),
        document=row.key,
        segment=row.label,
        speaker=row.speaker,
        occurred_at=row.occurred_at,
        category=row.category,
        confidence=row.confidence,
        importance=row.importance,
        event=None if row.event_precision is None else EventTime(row.event_start, row.event_end, row.event_precision),
        replaces=tuple(public_id(FACT_PREFIX, fact) for fact in row.replaces),
        explain=_explanation(candidate) if explain else None,
    )


def _explanation(candidate: Candidate) -> dict[str, object]:
    arms = {arm: {"rank": rank, "score": candidate.scores[arm]} for arm, rank in candidate.ranks.items()}
    return {"arms": arms, "fused": candidate.score}
