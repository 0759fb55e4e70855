"""The files of a run directory: how each is written, and read back; `evals.rundir` says what they are for."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

import polars as pl

from evals.files import read_lines
from evals.measure import MEASURES, Estimate, Group, Summary, SystemSummary, detie
from evals.types import FUSION, Query, Ranking, RunData

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from evals.rundir import Check, Floor


def run_file(system: str) -> str:
    """The name of a system's file of rankings."""
    return "run.tsv" if system == FUSION else f"run-{system}.tsv"


def run_lines(rankings: Sequence[Ranking]) -> Iterable[str]:
    """Rankings in trec_eval's columns."""
    for ranking in rankings:
        scored = zip(ranking.units, detie(ranking.scores), strict=True)
        for rank, (unit, value) in enumerate(scored, start=1):
            # Nine digits tell any two single-precision numbers apart.
            yield f"{ranking.query_id}\tQ0\t{unit}\t{rank}\t{value:.9g}\t{ranking.system}"


def rankings_of(path: Path, system: str) -> dict[str, Ranking]:
    """What `run_lines` wrote of a system below a directory, and `responses.tsv`, by query id."""
    answers: dict[str, tuple[list[str], list[str]]] = {}
    responses: dict[str, str] = {}
    if system == FUSION:
        for line in read_lines(path / "responses.tsv"):
            query_id, response = line.split("\t")
            responses[query_id] = response
        answers.update((query_id, ([], [])) for query_id in responses)
    for line in read_lines(path / run_file(system)):
        query_id, _, unit, _, value, _ = line.split("\t")
        units, scores = answers.setdefault(query_id, ([], []))
        units.append(unit)
        scores.append(value)
    return {
        query_id: Ranking(
            query_id, system, tuple(units), detie([float(value) for value in scores]), responses.get(query_id, "")
        )
        for query_id, (units, scores) in answers.items()
    }


def qrels_lines(data: RunData) -> Iterable[str]:
    """Judgements in trec_eval's columns."""
    for query in data.corpus.queries:
        for unit, grade in sorted(data.corpus.qrels.get(query.id, {}).items()):
            yield f"{query.id}\t0\t{unit}\t{grade}"


def qrels_of(path: Path) -> dict[str, dict[str, int]]:
    """What `qrels_lines` wrote: query id to unit to grade."""
    qrels: dict[str, dict[str, int]] = {}
    for line in read_lines(path):
        query_id, _, unit, grade = line.split("\t")
        qrels.setdefault(query_id, {})[unit] = int(grade)
    return qrels


def query_json(query: Query) -> dict[str, object]:
    """A line of `queries.jsonl`."""
    return {
        "id": query.id,
        "class": query.query_class,
        "cluster": query.cluster,
        "text": query.text,
        "namespace": query.namespace,
        "headline": query.headline,
        "reference_time": query.reference_time.isoformat() if query.reference_time else None,
    }


def query_of(stored: Mapping[str, Any]) -> Query:
    """What `query_json` made of a question; hidden documents are not kept."""
    time = stored["reference_time"]
    return Query(
        id=stored["id"],
        text=stored["text"],
        query_class=stored["class"],
        namespace=stored["namespace"],
        cluster=stored["cluster"],
        headline=stored["headline"],
        reference_time=datetime.fromisoformat(time) if time else None,
    )


def timing_frame(data: RunData) -> pl.DataFrame:
    """The measured durations: columns query_id, system, stage, milliseconds."""
    columns = {"query_id": pl.String, "system": pl.String, "stage": pl.String, "milliseconds": pl.Float64}
    return pl.DataFrame({name: [getattr(timing, name) for timing in data.timings] for name in columns}, schema=columns)


def summary_json(
    data: RunData, per_query: pl.DataFrame, summary: Summary, floors: Sequence[Floor], checks: Sequence[Check]
) -> dict[str, object]:
    """What `summary.json` says."""
    questions = per_query.unique("query_id")
    return {
        "suite": data.suite,
        "corpus": {"name": data.corpus.name, "digest": data.corpus.digest, "unit": data.corpus.unit},
        "counts": dict(data.corpus.counts),
        "queries": {
            "total": len(data.corpus.queries),
            "without_gold": questions.filter(pl.col("relevant") == 0).height,
        },
        "order": list(summary.systems),
        "systems": {name: asdict(system) for name, system in summary.systems.items()},
        "intervals": {
            "method": "percentile bootstrap over clusters",
            "seed": summary.seed,
            "resamples": summary.resamples,
            "confidence": summary.confidence,
        },
        "floors": [asdict(floor) for floor in floors],
        "checks": [asdict(check) for check in checks],
    }


def summary_of(stored: Mapping[str, Any]) -> Summary:
    """The measures that `summary_json` wrote."""

    def group(value: Mapping[str, Any]) -> Group:
        # Sorted keys lost the report order.
        measures = {name: Estimate(**value["measures"][name]) for name in MEASURES}
        return Group(**{**value, "measures": measures})

    systems = {
        name: SystemSummary(
            headline=group(stored["systems"][name]["headline"]),
            classes={key: group(value) for key, value in stored["systems"][name]["classes"].items()},
            apart={key: group(value) for key, value in stored["systems"][name]["apart"].items()},
        )
        for name in stored["order"]
    }
    intervals = stored["intervals"]
    return Summary(systems, intervals["seed"], intervals["resamples"], intervals["confidence"])
