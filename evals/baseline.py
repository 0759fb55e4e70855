"""What is kept of a run to compare with it later, small enough to be committed.

A baseline is JSON with one line a query, so that a change of it can be read in a diff. It holds each query's measures
and the ranks of its gold, hence paired tests and lists of lost queries need no run directory, and the SHA-256 of each
response, by which another machine's can be told from it; it holds no texts, which a public corpus may not let us copy.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from evals.determinism import Expected
from evals.errors import BaselineError
from evals.files import writing
from evals.identity import differences
from evals.latency import by_stage
from evals.measure import MEASURES
from evals.rundir import canonical_json, identity_digest, read_run
from evals.significance import DECIMALS
from evals.types import FUSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evals.latency import StageLatency
    from evals.rundir import Run

FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Gold:
    """A relevant unit, and its rank in each of the record's systems; 0 where it was not retrieved."""

    unit: str
    grade: int
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """One query with gold.

    Attributes:
        id: The query's id.
        query_class: Its class.
        cluster: Its cluster.
        headline: Whether it counts in the headline figures.
        values: By system, then by measure, as the record has them in order.
        gold: Its relevant units, best grade first.
        text: The question, or nothing if the record came from a baseline.
    """

    id: str
    query_class: str
    cluster: str
    headline: bool
    values: tuple[tuple[float, ...], ...]
    gold: tuple[Gold, ...]
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Record:
    """One run, as far as a comparison needs it.

    Attributes:
        suite: The suite's name.
        digest: SHA-256 of the identity.
        result_digest: SHA-256 of the rankings.
        identity: All that could have changed the result.
        systems: In report order.
        measures: In report order.
        queries: Those with gold, in the corpus's order.
        responses: Query id to the SHA-256 of `fusion`'s response, for all queries; empty if the record has none.
        latency: Durations by stage; empty if the record came from a baseline, which holds nothing of its environment.
    """

    suite: str
    digest: str
    result_digest: str
    identity: Mapping[str, Any]
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    queries: tuple[Answered, ...]
    responses: Mapping[str, str] = field(default_factory=dict)
    latency: tuple[StageLatency, ...] = field(default=(), compare=False)


def record_of(run: Run) -> Record:
    """The record of a run directory. Values have nine decimals, so that one that was stored equals one that was not."""
    systems, measures = tuple(run.summary.systems), tuple(MEASURES)
    values = {
        (row[0], row[1]): tuple(round(value, DECIMALS) for value in row[2:])
        for row in run.per_query.filter(pl.col("relevant") > 0).select("query_id", "system", *measures).rows()
    }
    places = {
        (system, query_id): {unit: rank for rank, unit in enumerate(ranking.units, start=1)}
        for system, answers in run.rankings.items()
        for query_id, ranking in answers.items()
    }

    def gold(query_id: str) -> tuple[Gold, ...]:
        found = [
            Gold(unit, grade, tuple(places.get((system, query_id), {}).get(unit, 0) for system in systems))
            for unit, grade in run.qrels[query_id].items()
            if grade >= 1
        ]
        return tuple(sorted(found, key=lambda item: (-item.grade, item.unit)))

    queries = tuple(
        Answered(
            id=query.id,
            query_class=query.query_class,
            cluster=query.cluster,
            headline=query.headline,
            values=tuple(values[query.id, system] for system in systems),
            gold=gold(query.id),
            text=query.text,
        )
        for query in run.queries
        if (query.id, systems[0]) in values
    )
    responses = {query: ranking.response for query, ranking in run.rankings.get(FUSION, {}).items() if ranking.response}
    return Record(
        run.suite,
        run.digest,
        run.result_digest,
        run.identity,
        systems,
        measures,
        queries,
        responses=responses,
        latency=by_stage(run.timing),
    )


def is_record(subject: str) -> bool:
    """Whether a text names something that `read_record` reads, rather than a suite; a path to nothing but a TOML file does."""
    path = Path(subject)
    missing = os.sep in subject and path.suffix != ".toml" and not path.exists()
    return path.is_dir() or path.suffix == ".json" or missing


def read_record(path: Path) -> Record:
    """The record of a run directory, or the one that a baseline file holds.

    Raises:
        BaselineError: The file is not a baseline.
        RunDirectoryError: There is no such directory, or it is not a complete run.
    """
    return read_baseline(path) if path.suffix == ".json" else record_of(read_run(path))


def write_baseline(record: Record, path: Path) -> None:
    """Write a record, one line a query; equal records give equal bytes."""
    head = {
        "format": FORMAT,
        "suite": record.suite,
        "digest": record.digest,
        "result_digest": record.result_digest,
        "identity": record.identity,
        "systems": record.systems,
        "measures": record.measures,
        "summary": _summary(record),
    }
    rows = [
        canonical_json(
            {
                "id": query.id,
                "class": query.query_class,
                "cluster": query.cluster,
                "headline": query.headline,
                "values": query.values,
                "gold": [(gold.unit, gold.grade, gold.ranks) for gold in query.gold],
            }
        )
        for query in record.queries
    ]
    responses = [f"  {json.dumps(query, ensure_ascii=False)}: {json.dumps(sha)}" for query, sha in record.responses.items()]
    # Each part of the head on lines of its own, then the queries and the responses.
    opening = json.dumps(head, ensure_ascii=False, allow_nan=False, indent=1).removesuffix("\n}")
    text = f'{opening},\n "queries": [\n' + ",\n".join(rows) + '\n ],\n "responses": {\n' + ",\n".join(responses) + "\n }\n}\n"
    with writing(path, "let the suite's [gate] name a baseline that can be."):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


def read_baseline(path: Path) -> Record:
    """Read what `write_baseline` wrote.

    Raises:
        BaselineError: There is no such file, or its figures do not fit each other.
    """
    try:
        return _record(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise BaselineError(f"{path} is not a baseline ({error}); write it with `illumina-eval baseline RUN`.") from error


def expected_responses(path: Path, identity: Mapping[str, Any]) -> Expected:
    """What a baseline file says of the responses of a run with an identity."""
    mend = "Record it anew: `illumina-eval run SUITE`, then `illumina-eval baseline RUN`."
    try:
        record = read_baseline(path)
    except BaselineError as error:
        return Expected(incomparable=str(error))
    if differing := differences(record.identity, identity):
        return Expected(incomparable=f"{path.name} was recorded with another identity ({', '.join(differing)}). {mend}")
    if not record.responses:
        return Expected(incomparable=f"{path.name} holds no responses. {mend}")
    return Expected(record.responses)


def _record(stored: Mapping[str, Any]) -> Record:
    if stored["format"] != FORMAT:
        raise ValueError(f"its format is {stored['format']}, and this harness reads {FORMAT}")
    record = Record(
        suite=stored["suite"],
        digest=stored["digest"],
        result_digest=stored["result_digest"],
        identity=stored["identity"],
        systems=tuple(stored["systems"]),
        measures=tuple(stored["measures"]),
        queries=tuple(_answered(row) for row in stored["queries"]),
        responses=stored.get("responses", {}),
    )
    if identity_digest(record.identity) != record.digest:
        raise ValueError("its digest is not its identity's")
    if _summary(record) != stored["summary"]:
        raise ValueError("its summary is not that of its queries")
    return record


def _answered(row: Mapping[str, Any]) -> Answered:
    return Answered(
        id=row["id"],
        query_class=row["class"],
        cluster=row["cluster"],
        headline=row["headline"],
        values=tuple(tuple(values) for values in row["values"]),
        gold=tuple(Gold(unit, grade, tuple(ranks)) for unit, grade, ranks in row["gold"]),
    )


def _summary(record: Record) -> dict[str, dict[str, float | None]]:
    """Means over the headline queries, for whoever reads the file."""
    headline = [query for query in record.queries if query.headline]
    return {
        system: {
            measure: round(math.fsum(query.values[place][column] for query in headline) / len(headline), DECIMALS)
            if headline
            else None
            for column, measure in enumerate(record.measures)
        }
        for place, system in enumerate(record.systems)
    }
