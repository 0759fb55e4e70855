"""Bring supersession and suspicion to what all facts together give, by looking only at what some facts may have changed.

What is stored of an older fact is the first that supersedes it wholly, in the order of time, and those before that which
supersede a part. So a row of values is a chain, each superseded by the next, and history that arrives late takes its place in
it. This is a function of the set of facts: `illumina.retain.reconcile.judge` looks at pairs, and the order is that of time.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING, Final

from illumina.retain.reconcile.known import Judged, Statements, Times, order_of
from illumina.retain.reconcile.reading import keys
from illumina.store import corrections, suspects
from illumina.store import facts as fact_store
from illumina.store import supersessions as store

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from datetime import datetime
    from uuid import UUID

    from illumina.retain.reconcile.known import Order
    from illumina.retain.reconcile.statements import Statement
    from illumina.store.database import Session
    from illumina.store.supersessions import Row

FIRST_LOOK: Final = 4
"""Candidates that are read at first for each fact; twice as many each further time."""


def affected(session: Session, facts: Collection[UUID]) -> set[UUID]:
    """The other facts whose supersession or suspicion may change if `facts` go.

    To be called before they are forgotten or retired, and settled afterwards. The namespace must be locked.
    """
    ruled = {ruling.one for ruling in _ruled_over(session, facts)}
    ruled |= {ruling.other for ruling in corrections.of(session, facts)}
    found = (
        store.superseding(session, facts) | ruled | suspects.because_of(session, facts) | suspects.downstream(session, facts)
    )
    return found - set(facts)


def settle(session: Session, facts: Collection[UUID]) -> set[UUID]:
    """Bring supersession and suspicion up to date with facts that are new, changed or gone. The namespace must be locked.

    Args:
        session: A writing one.
        facts: Those that are new, were retired, revived or moved in their document, or whose names were resolved anew; those
            that a ruling names; and what `affected` said of those that are gone. Ids of facts that are gone do no harm.

    Returns:
        The facts that hold now and did not or the other way round, that are suspect now and were not or the other way round,
        and that something else supersedes, wholly or in part, than before.
    """
    stale = {*facts} | {ruling.one for ruling in _ruled_over(session, facts)}
    changed = _settle_supersession(session, stale)
    return changed | _settle_suspicion(session, stale | changed)


def superseding_then(session: Session, olds: Collection[UUID], as_of: datetime) -> list[Row]:
    """What supersedes each of some facts, wholly or in part, among all that had been said at a time."""
    times = Times(session)
    known = Statements(session, times)
    known.load(olds)
    statements = [statement for fact in olds if (statement := known[fact])]
    said = Judged(session, olds, times, as_of)
    return _decide_anew(session, statements, {one.id: keys(one)[1] for one in statements}, known, times, said, as_of)


def _ruled_over(session: Session, facts: Collection[UUID]) -> list[corrections.Correction]:
    """The rulings whose new fact is as new as it is because of one of `facts`."""
    left, reached, found = [ruling for ruling, _, _ in corrections.in_force(session)], set(facts), []
    while over := [ruling for ruling in left if ruling.other in reached]:
        found += over
        left = [ruling for ruling in left if ruling.other not in reached]
        reached |= {ruling.one for ruling in over}
    return found


def _settle_supersession(session: Session, stale: set[UUID]) -> set[UUID]:
    times = Times(session)
    known = Statements(session, times)
    known.load(stale)
    fresh = [statement for fact in stale if (statement := known[fact])]
    found = {statement.id: keys(statement) for statement in fresh}
    removed = store.remove(session, stale)
    lost = {old for old, new, extent in removed if extent == "whole" and old not in stale}
    rows = [
        (key, seeks, fact)
        for fact, both in found.items()
        for seeks, some in zip((True, False), both, strict=True)
        for key in some
    ]
    store.replace_keys(session, stale, rows)

    known.load(lost)
    anew = [*fresh, *(statement for fact in lost if (statement := known[fact]))]
    offered = {old.id: (found.get(old.id) or keys(old))[1] for old in anew}
    said = Judged(session, stale | lost, times)
    again = _decide_anew(session, anew, offered, known, times, said)
    others = _decide_with(session, fresh, found, {statement.id for statement in anew}, known, times, said)
    store.write(session, others[0], [*again, *others[1]])

    gone = {(row.old, row.new, row.extent) for row in others[0]} | {*removed}
    come = {(row.old, row.new, row.extent) for row in (*again, *others[1])}
    return _mark(session, stale | {old for old, _, _ in gone | come}) | {old for old, _, _ in gone ^ come}


def _mark(session: Session, facts: set[UUID]) -> set[UUID]:
    """Bury what is superseded now, and revive what is so no longer."""
    standing = store.standing(session, facts)
    buried = {fact for fact, marked, is_so in standing if is_so and not marked}
    revived = {fact for fact, marked, is_so in standing if marked and not is_so}
    if buried:
        fact_store.bury(session, buried)
    if revived:
        fact_store.revive(session, revived)
    return buried | revived


def _decide_anew(
    session: Session,
    olds: Collection[Statement],
    offered: Mapping[UUID, frozenset[UUID]],
    known: Statements,
    times: Times,
    said: Judged,
    as_of: datetime | None = None,
) -> list[Row]:
    """All that supersedes each of some facts, found from nothing, by the keys that they offer and by what was said of them.

    Or, if a time is given, all that did then.
    """
    seekers: defaultdict[UUID, list[tuple[Order, UUID, UUID]]] = defaultdict(list)
    for key, place in store.seekers(session, frozenset().union(*offered.values()), as_of):
        seekers[key].append((times.order(place), place.fact, place.digest))
    for found in seekers.values():
        found.sort()
    left = {
        old.id: (old, _newer(old, [*(seekers[key] for key in offered[old.id] if key in seekers), said.newer[old.id]]))
        for old in olds
    }
    rows: list[Row] = []
    look = FIRST_LOOK
    while left:
        batches = {fact: list(islice(candidates, look)) for fact, (_, candidates) in left.items()}
        known.load(candidate for batch in batches.values() for candidate in batch)
        for fact, batch in batches.items():
            more, done = _until_whole(left[fact][0], batch, known, said)
            rows += more
            if done or len(batch) < look:
                del left[fact]
        look *= 2
    return rows


def _newer(old: Statement, lists: list[list[tuple[Order, UUID, UUID]]]) -> Iterator[UUID]:
    """The candidates of one fact from old to new, each once; what is older, or says the same, is passed over."""
    tails = (_tail(old, found) for found in lists)
    last = None
    for _, fact, _ in merge(*tails):
        if fact != last and fact != old.id:
            last = fact
            yield fact


def _tail(old: Statement, found: list[tuple[Order, UUID, UUID]]) -> Iterator[tuple[Order, UUID, UUID]]:
    low, high = 0, len(found)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if found[middle][0][:2] < old.rank else (low, middle)
    return (entry for entry in islice(found, low, None) if entry[2] != old.digest)


def _until_whole(old: Statement, candidates: Iterable[UUID], known: Statements, said: Judged) -> tuple[list[Row], bool]:
    """What supersedes a fact, up to the first that does so wholly; and whether that was reached."""
    rows = []
    for fact in candidates:
        newer = known[fact]
        if newer is None or (verdict := said.verdict(newer, old)) is None:
            continue
        rows.append(store.Row(old.id, fact, verdict.extent, verdict.part, newer.moment, dict(verdict.evidence)))
        if verdict.extent == "whole":
            return rows, True
    return rows, False


def _decide_with(
    session: Session,
    fresh: Collection[Statement],
    found: Mapping[UUID, tuple[frozenset[UUID], frozenset[UUID]]],
    settled: set[UUID],
    known: Statements,
    times: Times,
    said: Judged,
) -> tuple[list[Row], list[Row]]:
    """What some facts change of what supersedes others: the rows that go, and those that come."""
    seeking: defaultdict[UUID, list[Statement]] = defaultdict(list)
    for statement in fresh:
        for key in found[statement.id][0]:
            seeking[key].append(statement)
    candidates = said.candidates(fresh, settled)
    undated = any(statement.moment is None for statement in fresh)
    since = None if undated else min((statement.moment for statement in fresh if statement.moment), default=None)
    for key, candidate in store.sought(session, seeking.keys(), since):
        if candidate not in settled:
            candidates[candidate].update(statement.id for statement in seeking[key])
    known.load(candidates)
    there: defaultdict[UUID, list[tuple[Order, Row]]] = defaultdict(list)
    for row, place in store.of(session, candidates):
        there[row.old].append((times.order(place), row))
    gone: list[Row] = []
    rows: list[Row] = []
    orders = {statement.id: order_of(statement) for statement in fresh}
    for fact, news in candidates.items():
        old = known[fact]
        if old is None:
            continue
        end = min((order for order, row in there[fact] if row.extent == "whole"), default=None)
        chosen = sorted((new for new in news if end is None or orders[new] < end), key=orders.__getitem__)
        more, whole = _until_whole(old, chosen, known, said)
        rows += more
        if whole:
            last = orders[more[-1].new]
            gone += [row for order, row in there[fact] if order > last]
    return gone, rows


def _settle_suspicion(session: Session, facts: set[UUID]) -> set[UUID]:
    """Facts whose suspicion changed with the liveness of `facts` or with what is said to cause what."""
    region = facts | suspects.downstream(session, facts) | suspects.because_of(session, facts)
    before, now = suspects.of(session, region), suspects.found(session, region)
    suspects.remove(session, before - now)
    suspects.add(session, now - before)
    return {fact for fact, _ in before} ^ {fact for fact, _ in now}
