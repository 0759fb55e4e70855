"""Two runs of one suite, query by query.

A comparison is made of two records (run directories or committed baselines) and is symmetric: with the runs swapped
every difference is negated and every p is the same. Runs of different suites, corpora or measures are not comparable,
which is neither better nor worse.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from evals.baseline import Record, record_of
from evals.report import flatten, short
from evals.significance import ALPHA, DECIMALS, Paired, holm, paired
from evals.types import FUSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evals.baseline import Answered
    from evals.rundir import Run

Pair = tuple["Answered", "Answered"]


@dataclass(frozen=True, slots=True)
class Delta:
    """One measure of one system over one group of queries.

    Attributes:
        old: The old mean.
        new: The new mean.
        paired: The difference, its interval and its test.
        adjusted: p adjusted over the family; None for what is not of it.
    """

    old: float
    new: float
    paired: Paired
    adjusted: float | None = None


@dataclass(frozen=True, slots=True)
class SystemDelta:
    """One system: measure to delta over the headline queries, over each class of them, and over each class apart."""

    headline: Mapping[str, Delta]
    classes: Mapping[str, Mapping[str, Delta]]
    apart: Mapping[str, Mapping[str, Delta]]


@dataclass(frozen=True, slots=True)
class GoldMove:
    """A relevant unit's rank before and after; 0 where it was not retrieved.

    Attributes:
        unit: Its name.
        grade: Its grade.
        old: Its rank in the old run's lead system.
        new: Its rank in the new one's.
        arms: Where the lead system is the fusion: its old and new rank in each arm.
    """

    unit: str
    grade: int
    old: int
    new: int
    arms: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QueryDelta:
    """One query with gold, as the lead system answers it.

    Attributes:
        id: The query's id.
        query_class: Its class.
        cluster: Its cluster.
        headline: Whether it counts in the headline figures.
        text: The question, where one of the records knows it.
        values: Measure to its old and new value.
        gold: Its relevant units, best grade first.
    """

    id: str
    query_class: str
    cluster: str
    headline: bool
    text: str
    values: Mapping[str, tuple[float, float]]
    gold: tuple[GoldMove, ...]

    def difference(self, measure: str) -> float:
        """New − old."""
        old, new = self.values[measure]
        return round(new - old, DECIMALS)

    def best_ranks(self) -> tuple[int, int]:
        """The best rank of any gold unit, before and after; 0 where none was retrieved."""
        old, new = ([rank for rank in ranks if rank] for ranks in zip(*((it.old, it.new) for it in self.gold), strict=True))
        return min(old, default=0), min(new, default=0)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, compared.

    Attributes:
        old: What is compared with.
        new: What is judged.
        incomparable: Why the figures say nothing about each other; empty if they do, and then all below is there.
        family: The measures of the lead system whose p are adjusted together.
        alpha: The level of significance over the family.
        lead: `fusion`, or the first system where there is none.
        systems: In report order.
        queries: Those with gold, in the corpus's order.
        changes: What differs between the identities: key, old and new value; None where a side has no such key.
    """

    old: Record
    new: Record
    incomparable: tuple[str, ...]
    family: tuple[str, ...]
    alpha: float
    lead: str
    systems: Mapping[str, SystemDelta]
    queries: tuple[QueryDelta, ...]
    changes: tuple[tuple[str, str | None, str | None], ...]

    def _repr_html_(self) -> str:
        from evals.notebook import comparison_html  # noqa: PLC0415 (only a notebook needs it)

        return comparison_html(self)

    @property
    def suite(self) -> str:
        """The name of the suite; of both where they differ, as `old → new`."""
        return self.new.suite if self.old.suite == self.new.suite else f"{self.old.suite} → {self.new.suite}"

    @property
    def frame(self) -> pl.DataFrame:
        """The lead system's figures, a line a query with gold and measure.

        Columns: query_id, query_class, cluster, headline, measure, old, new, difference (new − old).
        """
        columns = {
            "query_id": pl.String,
            "query_class": pl.String,
            "cluster": pl.String,
            "headline": pl.Boolean,
            "measure": pl.String,
            "old": pl.Float64,
            "new": pl.Float64,
            "difference": pl.Float64,
        }
        rows = [
            (query.id, query.query_class, query.cluster, query.headline, name, old, new, query.difference(name))
            for query in self.queries
            for name, (old, new) in query.values.items()
        ]
        return pl.DataFrame(rows, schema=columns, orient="row")

    def moved(self, measure: str) -> tuple[list[QueryDelta], list[QueryDelta]]:
        """Queries that are lower in the new run and those that are higher, the largest difference first."""
        lost = [query for query in self.queries if query.difference(measure) < 0]
        won = [query for query in self.queries if query.difference(measure) > 0]
        return (
            sorted(lost, key=lambda query: query.difference(measure)),
            sorted(won, key=lambda query: -query.difference(measure)),
        )


def compare(old: Run | Record, new: Run | Record, *, family: Sequence[str] | None = None, alpha: float = ALPHA) -> Comparison:
    """Compare two runs of one suite.

    Args:
        old: A run, or the record of one.
        new: Another.
        family: The measures that are tested together for the lead system, which a suite's gate declares; all if None.
        alpha: The level of significance over the family.
    """
    before = old if isinstance(old, Record) else record_of(old)
    after = new if isinstance(new, Record) else record_of(new)
    reasons = _incomparable(before, after)
    lead = FUSION if FUSION in after.systems else after.systems[0]
    chosen = tuple(after.measures if family is None else family)
    systems: dict[str, SystemDelta] = {}
    queries: tuple[QueryDelta, ...] = ()
    if not reasons:
        others = {query.id: query for query in before.queries}
        pairs = [(others[query.id], query) for query in after.queries]
        seed = "\n".join(sorted([before.result_digest, after.result_digest]))
        systems = {
            system: _system(pairs, place, after.measures, f"{seed}\n{system}", alpha / max(1, len(chosen)))
            for place, system in enumerate(after.systems)
        }
        systems[lead] = _adjusted(systems[lead], chosen)
        queries = tuple(_query(pair, after.systems, lead, after.measures) for pair in pairs)
    return Comparison(before, after, reasons, chosen, alpha, lead, systems, queries, _changes(before.identity, after.identity))


def comparable_part(identity: Mapping[str, Any]) -> dict[str, str]:
    """What two runs must have in common: the suite, the corpus's content and the measures' version, flat."""
    corpus = identity["corpus"]["digest"]
    part = {"suite": identity["suite"], "corpus": {"digest": corpus}, "measure_version": identity["measure_version"]}
    return dict(flatten(part))


def _incomparable(old: Record, new: Record) -> tuple[str, ...]:
    before, after = comparable_part(old.identity), comparable_part(new.identity)
    reasons = [
        f"{key} is {short(before.get(key))} in the old run and {short(after.get(key))} in the new one"
        for key in sorted({*before, *after})
        if before.get(key) != after.get(key)
    ]
    asked = [({query.id for query in record.queries}, record.systems, record.measures) for record in (old, new)]
    if not reasons and asked[0] != asked[1]:
        reasons.append("the runs have other queries, systems or measures, though their identities agree")
    if not reasons and not any(query.headline for query in new.queries):
        reasons.append("no headline query has a relevant unit, so there is no figure to compare")
    return tuple(reasons)


def _system(pairs: Sequence[Pair], place: int, measures: Sequence[str], seed: str, alpha: float) -> SystemDelta:
    headline = [pair for pair in pairs if pair[1].headline]
    apart = [pair for pair in pairs if not pair[1].headline]

    def group(members: Sequence[Pair], name: str) -> dict[str, Delta]:
        return {
            measure: _delta(members, place, column, f"{seed}\n{measure}\n{name}", alpha)
            for column, measure in enumerate(measures)
            if members
        }

    def by_class(members: Sequence[Pair]) -> dict[str, dict[str, Delta]]:
        names = sorted({query.query_class for _, query in members})
        return {name: group([pair for pair in members if pair[1].query_class == name], name) for name in names}

    return SystemDelta(group(headline, ""), by_class(headline), by_class(apart))


def _delta(pairs: Sequence[Pair], place: int, column: int, seed: str, alpha: float) -> Delta:
    values = [(old.values[place][column], new.values[place][column]) for old, new in pairs]
    return Delta(
        old=_mean(old for old, _ in values),
        new=_mean(new for _, new in values),
        paired=paired([new - old for old, new in values], [new.cluster for _, new in pairs], seed=seed, alpha=alpha),
    )


def _mean(values: Iterable[float]) -> float:
    collected = list(values)
    return round(math.fsum(collected) / len(collected), DECIMALS)


def _adjusted(system: SystemDelta, family: Sequence[str]) -> SystemDelta:
    adjusted = holm({measure: system.headline[measure].paired.test.p for measure in family if measure in system.headline})
    headline = {name: replace(delta, adjusted=adjusted.get(name)) for name, delta in system.headline.items()}
    return replace(system, headline=headline)


def _query(pair: Pair, systems: Sequence[str], lead: str, measures: Sequence[str]) -> QueryDelta:
    old, new = pair
    place = systems.index(lead)
    arms = {system: at for at, system in enumerate(systems) if system != lead} if lead == FUSION else {}
    before = {gold.unit: gold.ranks for gold in old.gold}
    return QueryDelta(
        id=new.id,
        query_class=new.query_class,
        cluster=new.cluster,
        headline=new.headline,
        text=new.text or old.text,
        values={name: (old.values[place][column], new.values[place][column]) for column, name in enumerate(measures)},
        gold=tuple(
            GoldMove(
                unit=gold.unit,
                grade=gold.grade,
                old=before[gold.unit][place],
                new=gold.ranks[place],
                arms={arm: (before[gold.unit][at], gold.ranks[at]) for arm, at in arms.items()},
            )
            for gold in new.gold
        ),
    )


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[tuple[str, str | None, str | None], ...]:
    before, after = dict(flatten(old)), dict(flatten(new))
    return tuple(
        (key, before.get(key), after.get(key)) for key in sorted({*before, *after}) if before.get(key) != after.get(key)
    )
