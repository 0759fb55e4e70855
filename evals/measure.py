"""Scores of rankings against judgements, query by query, and their means with intervals.

Values come from ranx (Bassani, "ranx: a blazing-fast Python library for ranking evaluation", ECIR 2022); the
tests hold them against trec_eval's own code. ranx is handed arrays of numbered units instead of its own
`Qrels` and `Run`: those hash unit names into floats, differently in each process, and compile for a minute
before the first value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from evals.intervals import CONFIDENCE, RESAMPLES, cluster_bootstrap
from illumina.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from evals.types import Corpus, Ranking

MEASURES: Final[Mapping[str, tuple[str, int]]] = {
    "recall_at_5": ("recall", 5),
    "recall_at_10": ("recall", 10),
    "recall_at_20": ("recall", 20),
    "recall_at_50": ("recall", 50),
    "ndcg_at_10": ("ndcg", 10),
    "mrr": ("mrr", 0),
}
"""Our names of the measures, in report order, and ranx's metric and depth, 0 being all that was retrieved.

With R the units of grade 1 or more, g(i) the grade of the unit at rank i (0 if it has none):

- `recall_at_k` = |R ∩ top k| / |R|; below 1 by construction where |R| > k. trec_eval: `recall_k`.
- `ndcg_at_10` = Σ_{i≤10} g(i)/log2(i+1) over the same sum for the best possible order: the *linear* gain of
  Järvelin & Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), 2002, with the
  discount log2(i+1).
  trec_eval: `ndcg_cut_10`. (Burges's 2^g − 1 differs as soon as a grade is 2 or more.)
- `mrr` = 1 / rank of the first unit of R, 0 if none was retrieved. trec_eval: `recip_rank`.
"""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over queries and the ends of its interval; None where there is nothing to say."""

    mean: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Group:
    """One system over one group of queries.

    Attributes:
        queries: Queries with gold: what the means are over.
        without_gold: Queries that have no relevant unit and are in no mean.
        clusters: Clusters among the queries with gold.
        measures: Measure to its estimate.
    """

    queries: int
    without_gold: int
    clusters: int
    measures: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class SystemSummary:
    """One system over all headline queries, over each class of them, and over each class reported apart."""

    headline: Group
    classes: Mapping[str, Group]
    apart: Mapping[str, Group]


@dataclass(frozen=True, slots=True)
class Summary:
    """All systems in report order, and how their intervals were made."""

    systems: Mapping[str, SystemSummary]
    seed: str
    resamples: int
    confidence: float


def detie(scores: Sequence[float]) -> tuple[float, ...]:
    """Strictly falling scores for a ranking whose order is final.

    ranx and trec_eval sort by score and break ties in their own ways, and trec_eval keeps a score in a C
    `float`, so scores that differ in double precision may tie there. A score is kept, rounded to single
    precision, where it falls in single precision; otherwise it becomes the next smaller single-precision
    number after its predecessor's.
    """
    doubles = np.asarray(scores, dtype=np.float64)
    refused = doubles[~(np.abs(doubles) < np.finfo(np.float32).max)]
    if refused.size:
        raise InvalidInputError(f"a ranking's scores must be finite single-precision numbers, not {refused[0]}")
    singles = doubles.astype(np.float32)
    if np.any(singles[1:] >= singles[:-1]):
        for rank in range(1, singles.size):
            below = np.nextafter(singles[rank - 1], np.float32(-np.inf))
            singles[rank] = min(singles[rank], below)
    return tuple(singles.tolist())


def score(corpus: Corpus, rankings: Sequence[Ranking]) -> pl.DataFrame:
    """One row per system and query: systems as they first appear, queries as the corpus has them.

    A query that a system did not answer counts as an empty ranking (trec_eval's `-c`). A query without
    relevant units has null in each measure.

    The first call on a machine compiles for some seconds; later processes load the compiled code from numba's cache.

    Returns:
        Columns query_id, query_class, cluster, headline, system, relevant (number of relevant units),
        retrieved, and one for each of `MEASURES`.

    Raises:
        InvalidInputError: A ranking repeats a unit or names an unknown query, or a system answers a query
            twice.
    """
    by_system = _by_system(corpus, rankings)
    rows = [(system, query) for system in by_system for query in corpus.queries]
    relevant = {
        query.id: {unit: grade for unit, grade in corpus.qrels.get(query.id, {}).items() if grade >= 1}
        for query in corpus.queries
    }
    answered = [(relevant[query.id], by_system[system].get(query.id, ())) for system, query in rows]
    judged = [number for number, (gold, _) in enumerate(answered) if gold]
    values = _evaluate([answered[number] for number in judged])
    columns: dict[str, list[float | None]] = {name: [None] * len(rows) for name in MEASURES}
    for name, column in values.items():
        for number, value in zip(judged, column.tolist(), strict=True):
            columns[name][number] = value
    return pl.DataFrame(
        {
            "query_id": [query.id for _, query in rows],
            "query_class": [query.query_class for _, query in rows],
            "cluster": [query.cluster for _, query in rows],
            "headline": [query.headline for _, query in rows],
            "system": [system for system, _ in rows],
            "relevant": [len(gold) for gold, _ in answered],
            "retrieved": [len(units) for _, units in answered],
            **columns,
        },
        schema={
            "query_id": pl.String,
            "query_class": pl.String,
            "cluster": pl.String,
            "headline": pl.Boolean,
            "system": pl.String,
            "relevant": pl.Int64,
            "retrieved": pl.Int64,
            **dict.fromkeys(MEASURES, pl.Float64),
        },
    )


def summarise(per_query: pl.DataFrame, seed: str, *, resamples: int = RESAMPLES, confidence: float = CONFIDENCE) -> Summary:
    """Means over the headline queries and by class, with intervals and numbers of queries.

    Args:
        per_query: What `score` returned.
        seed: A name of what was measured, such as the corpus's digest: runs over the same corpus then share
            resamples.
        resamples: Resamples of an interval.
        confidence: Two-sided level of an interval.
    """
    systems = per_query["system"].unique(maintain_order=True).to_list()
    headline = per_query.filter(pl.col("headline"))
    apart = per_query.filter(~pl.col("headline"))

    def groups(frame: pl.DataFrame) -> dict[str, dict[str, Group]]:
        names = sorted(frame["query_class"].unique().to_list())
        return {
            name: _group(frame.filter(pl.col("query_class") == name), systems, seed, resamples, confidence) for name in names
        }

    over_all = _group(headline, systems, seed, resamples, confidence)
    by_class, by_class_apart = groups(headline), groups(apart)
    return Summary(
        systems={
            system: SystemSummary(
                headline=over_all[system],
                classes={name: group[system] for name, group in by_class.items()},
                apart={name: group[system] for name, group in by_class_apart.items()},
            )
            for system in systems
        },
        seed=seed,
        resamples=resamples,
        confidence=confidence,
    )


def _by_system(corpus: Corpus, rankings: Sequence[Ranking]) -> dict[str, dict[str, tuple[str, ...]]]:
    known = {query.id for query in corpus.queries}
    by_system: dict[str, dict[str, tuple[str, ...]]] = {}
    for ranking in rankings:
        answers = by_system.setdefault(ranking.system, {})
        where = f"system {ranking.system!r}, query {ranking.query_id!r}"
        if ranking.query_id not in known:
            raise InvalidInputError(f"{where}: the corpus {corpus.name!r} has no such query")
        if ranking.query_id in answers:
            raise InvalidInputError(f"{where}: ranked twice")
        if len(set(ranking.units)) != len(ranking.units):
            raise InvalidInputError(f"{where}: a unit stands in the ranking twice; keep its best rank only")
        answers[ranking.query_id] = ranking.units
    return by_system


def _evaluate(
    answered: Sequence[tuple[Mapping[str, int], Sequence[str]]],
) -> dict[str, NDArray[np.float64]]:
    """Value by ranx of each measure for pairs of relevant units and a ranking."""
    if not answered:
        return {}
    # Seconds of imports that only scoring needs. One query at a time: ranx's loops over all of them compile for twenty
    # seconds on a new machine and, since numba keeps no list, for two in each process, to save the tenth of a second.
    from ranx.metrics.ndcg import _ndcg  # noqa: PLC0415
    from ranx.metrics.recall import _recall  # noqa: PLC0415
    from ranx.metrics.reciprocal_rank import _reciprocal_rank  # noqa: PLC0415

    values = np.empty((len(MEASURES), len(answered)), dtype=np.float64)
    for place, (gold, units) in enumerate(answered):
        numbers = {unit: number for number, unit in enumerate(gold)}
        # The ideal order: ranx takes the judgements' order as it stands.
        best_first = sorted(gold.items(), key=lambda item: -item[1])
        qrels = np.array([[numbers[unit], grade] for unit, grade in best_first], dtype=np.float64)
        run = np.empty((len(units), 2), dtype=np.float64)
        run[:, 0] = [numbers.get(unit, len(gold) + rank) for rank, unit in enumerate(units)]
        run[:, 1] = np.arange(len(units), 0, -1)
        for row, (measure, depth) in enumerate(MEASURES.values()):
            if measure == "ndcg":
                values[row, place] = _ndcg(qrels, run, depth, 1, jarvelin=True)
            elif measure == "recall":
                values[row, place] = _recall(qrels, run, depth, 1)
            else:
                values[row, place] = _reciprocal_rank(qrels, run, depth, 1)
    return dict(zip(MEASURES, values, strict=True))


def _group(frame: pl.DataFrame, systems: Sequence[str], seed: str, resamples: int, confidence: float) -> dict[str, Group]:
    """Each system's means over the queries of `frame`; all systems share the resamples."""
    with_gold = frame.filter(pl.col("relevant") > 0).sort("query_id")
    per_system = with_gold.partition_by("system", as_dict=True)
    blocks = [per_system[(system,)] for system in systems if (system,) in per_system]
    queries = blocks[0].height if blocks else 0
    clusters: list[str] = blocks[0]["cluster"].to_list() if blocks else []
    interval = None
    if blocks:
        values = np.hstack([block.select(MEASURES.keys()).to_numpy() for block in blocks])
        interval = cluster_bootstrap(values, clusters, seed=seed, resamples=resamples, confidence=confidence)
    out = {}
    for number, system in enumerate(systems):
        estimates = {}
        for offset, name in enumerate(MEASURES):
            if not blocks:
                estimates[name] = Estimate(None, None, None)
                continue
            column = number * len(MEASURES) + offset
            mean = round(math.fsum(values[:, column]) / queries, 9)
            # Nine decimals: what differs below them is the machine's linear algebra, not the run.
            low, high = (None, None) if interval is None else interval[:, column].round(9).tolist()
            estimates[name] = Estimate(mean, low, high)
        total = frame.filter(pl.col("system") == system).height
        out[system] = Group(queries, total - queries, len(set(clusters)), estimates)
    return out
