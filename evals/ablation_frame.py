"""What an ablation or a sweep found, as one frame.

The frame has one row for each variant, system, measure and class of queries:

| column | type | what |
|---|---|---|
| `kind` | text | `full`, `leave-one-out`, `leave-one-in` or `sweep` |
| `variant` | text | the component; in a sweep the settings, as in `rrf_k=10, bm25_b=0.5`; for `full` `full` or the defaults |
| `system` | text | `fusion`, or an arm alone (in sweeps only) |
| `measure` | text | one of the suite's measures |
| `query_class` | text | `all` for the headline queries together; a class of them; `apart/CLASS` for a class reported apart |
| `queries` | integer | queries with gold: what the means are over |
| `value` | float | the variant's mean |
| `delta` | float | the variant's mean − the full engine's; 0 for `full` |
| `low`, `high` | float | 95 % interval of `delta` (`evals/intervals.py`); null with fewer than two clusters, and for `full` |
| `p` | float | paired randomisation test of `delta` (`evals/significance.py`); null for `full` |
| `adjusted_p` | float | p by Holm over all variants, those that rank alike counted once, for one system, measure and class |

Rows stand in this order: `full` first, then the variants as they were named; systems and measures in report order; `all`
before the classes.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from evals.measure import score
from evals.significance import DECIMALS, Paired, holm, paired
from illumina.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from evals.types import Corpus, Ranking
    from evals.variants import Configuration, Variant

    Answers = dict[tuple[Configuration, str], dict[str, Ranking]]
    """Configuration and system to query id to ranking."""

ALL: Final = "all"
APART: Final = "apart/"

SCHEMA: Final[Mapping[str, Any]] = {
    "kind": pl.String,
    "variant": pl.String,
    "system": pl.String,
    "measure": pl.String,
    "query_class": pl.String,
    "queries": pl.Int64,
    "value": pl.Float64,
    "delta": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "p": pl.Float64,
    "adjusted_p": pl.Float64,
}


def frame_of(
    corpus: Corpus, variants: Sequence[Variant], systems: Sequence[str], measures: Sequence[str], answers: Answers
) -> pl.DataFrame:
    """Score every variant and compare it with the first, which is the full engine, in pairs.

    Args:
        corpus: What was asked.
        variants: The full engine first.
        systems: In report order.
        measures: In report order.
        answers: Of every variant's configuration and every system, a ranking for every query.

    Returns:
        A frame of `SCHEMA`, its rows as the module describes them.

    Raises:
        InvalidInputError: No headline query has gold.
    """
    gold = {query: max(grades.values(), default=0) >= 1 for query, grades in corpus.qrels.items()}
    if not any(query.headline and gold.get(query.id, False) for query in corpus.queries):
        raise InvalidInputError(f"{corpus.name} has no headline query with a relevant unit, so nothing can be measured.")
    configurations = list(dict.fromkeys(variant.configuration for variant in variants))
    scored = _values(corpus, configurations, systems, measures, answers)
    groups = list(_groups(next(iter(scored.values()))))
    figures: dict[tuple[Configuration, str, str, str], dict[str, Any]] = {}
    for system in systems:
        digests = {each: _digest(answers[each, system], corpus) for each in configurations}
        for measure in measures:
            for name, rows in groups:
                seed = f"{system}\n{measure}\n{name}"
                values = {each: scored[each, system][measure].gather(rows).to_numpy() for each in configurations}
                clusters = scored[configurations[0], system]["cluster"].gather(rows).to_list()
                for each, figure in _compared(values, clusters, digests, seed).items():
                    figures[each, system, measure, name] = {"queries": len(rows), **figure}
    return pl.DataFrame(
        [
            {
                "kind": variant.kind,
                "variant": variant.name,
                "system": system,
                "measure": measure,
                "query_class": name,
                **figures[variant.configuration, system, measure, name],
            }
            for variant in variants
            for system in systems
            for measure in measures
            for name, _ in groups
        ],
        schema=dict(SCHEMA),
    )


def _values(
    corpus: Corpus,
    configurations: Sequence[Configuration],
    systems: Sequence[str],
    measures: Sequence[str],
    answers: Answers,
) -> dict[tuple[Configuration, str], pl.DataFrame]:
    """Each configuration's and system's measures, one row for each query with gold, in the corpus's order."""
    labels = {(each, system): f"{number}/{system}" for number, each in enumerate(configurations) for system in systems}
    relabelled = [replace(answers[key][query.id], system=label) for key, label in labels.items() for query in corpus.queries]
    # Rounded as in a committed baseline, so that a comparison of two runs says the same.
    rounded = pl.col(list(measures)).round(DECIMALS)
    scored = score(corpus, relabelled).filter(pl.col("relevant") > 0)
    by_label = scored.select("query_class", "cluster", "headline", "system", rounded).partition_by("system", as_dict=True)
    return {key: by_label[(label,)] for key, label in labels.items()}


def _groups(queries: pl.DataFrame) -> Iterator[tuple[str, list[int]]]:
    """The rows of the headline queries, of each class of them, and of each class apart."""
    rows = queries.select("headline", "query_class").rows()
    yield ALL, [number for number, (headline, _) in enumerate(rows) if headline]
    for wanted, prefix in ((True, ""), (False, APART)):
        for name in sorted({query_class for headline, query_class in rows if headline == wanted}):
            yield prefix + name, [number for number, row in enumerate(rows) if row == (wanted, name)]


def _compared(
    values: Mapping[Configuration, NDArray[Any]], clusters: Sequence[str], digests: Mapping[Configuration, str], seed: str
) -> dict[Configuration, dict[str, float | None]]:
    """Each configuration's mean, and what it is above the first's."""
    full, *others = values
    figures: dict[Configuration, dict[str, float | None]] = {
        full: {"value": _mean(values[full]), "delta": 0.0, "low": None, "high": None, "p": None, "adjusted_p": None}
    }
    tests: dict[Configuration, Paired] = {}
    for each in others:
        both = "\n".join(sorted([digests[full], digests[each]]))
        tests[each] = paired((values[each] - values[full]).tolist(), clusters, seed=f"{both}\n{seed}")
    # Variants that rank alike are one hypothesis, and one that ranks as the full engine does is none.
    adjusted = holm({digests[each]: test.test.p for each, test in tests.items() if digests[each] != digests[full]})
    for each, test in tests.items():
        figures[each] = {
            "value": _mean(values[each]),
            "delta": test.difference,
            "low": test.low,
            "high": test.high,
            "p": test.test.p,
            "adjusted_p": adjusted.get(digests[each], 1.0),
        }
    return figures


def _mean(values: Iterable[float]) -> float:
    collected = list(values)
    return round(math.fsum(collected) / len(collected), DECIMALS)


def _digest(rankings: Mapping[str, Ranking], corpus: Corpus) -> str:
    hasher = hashlib.sha256()
    for query in corpus.queries:
        found = rankings[query.id].units
        hasher.update(repr((query.id, found)).encode())
    return hasher.hexdigest()
