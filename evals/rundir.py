"""Run directories: all that a run left behind, written at once, readable without engine or corpus.

| file | what |
|---|---|
| `manifest.json` | `identity`, `environment`, `digest` (of the identity), `result_digest` (of the rankings) |
| `summary.json` | measures by system and class with intervals, counts, floors, checks |
| `run.tsv`, `run-<system>.tsv` | rankings as trec_eval reads them, `run.tsv` being `fusion`'s |
| `responses.tsv` | each question and the SHA-256 of `fusion`'s whole response; empty without recorded embeddings |
| `qrels.tsv`, `queries.jsonl` | judgements as trec_eval reads them, and the questions |
| `per_query.parquet`, `timing.parquet` | each query's measures, and measured durations |
| `report.md`, `report.html` | made of the files above |

Two writes of the same data give the same bytes, but for `manifest.json`'s `environment`, `timing.parquet` and
what the reports show of those two.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from evals import runfiles
from evals.files import directory_at_once, read_lines, write_frame, write_json, write_lines
from evals.measure import MEASURES, score, summarise
from evals.report import write_reports
from illumina.errors import IlluminaError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evals.measure import Summary
    from evals.types import Query, Ranking, RunData

CASES: Final = "cases.jsonl"
"""The file by which a run directory of a labelling suite is known."""

RANKINGS: Final = "run*.tsv"
"""The files of rankings in a run directory."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class RunDirectoryError(IlluminaError):
    """The directory is not a complete run; run the suite again."""


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check beside the measures, such as a level of determinism.

    Attributes:
        name: What was checked, such as `L1 same database twice`.
        passed: Whether it held; None if there was nothing to compare with.
        detail: What was compared, or the first difference, or what is missing and the mend.
    """

    name: str
    passed: bool | None
    detail: str = ""

    @property
    def failed(self) -> bool:
        """Whether it was judged and did not hold."""
        return self.passed is False

    @property
    def verdict(self) -> str:
        """`passed`, `failed` or `not comparable`."""
        return "not comparable" if self.passed is None else "passed" if self.passed else "failed"


@dataclass(frozen=True, slots=True)
class _Previous:
    """What a run leaves to the next one of its identity: its result, its checks and when the run that made them was started."""

    result_digest: str
    checks: tuple[Check, ...]
    checked: str


@dataclass(frozen=True, slots=True)
class Floor:
    """A minimum that the suite sets for the mean of a measure over the headline queries."""

    system: str
    measure: str
    minimum: float
    value: float | None

    @property
    def met(self) -> bool:
        """Whether the mean, not its interval, reaches the minimum."""
        return self.value is not None and self.value >= self.minimum


@dataclass(frozen=True, slots=True)
class Run:
    """A run directory, read.

    Attributes:
        path: The directory.
        corpus: The corpus's name.
        counts: What the corpus's loader counted.
        digest: SHA-256 of the identity, which is all that can change the result.
        result_digest: SHA-256 over the rankings' files.
        summary: Means and intervals; its systems are in report order.
        floors: Minima of the suite.
        checks: Checks beside the measures.
        queries: The questions, in the corpus's order.
        qrels: Query id to unit to grade.
        rankings: By system, then query id; scores as `detie` left them. Empty rankings leave no line in their file and are
            absent, unless there is a response.
        per_query: What `evals.measure.score` returned.
        timing: Columns query_id, system, stage, milliseconds.
    """

    path: Path
    suite: str
    corpus: str
    corpus_digest: str
    counts: Mapping[str, int]
    digest: str
    result_digest: str
    identity: Mapping[str, Any]
    environment: Mapping[str, Any]
    summary: Summary
    floors: tuple[Floor, ...]
    checks: tuple[Check, ...]
    queries: tuple[Query, ...]
    qrels: Mapping[str, Mapping[str, int]]
    rankings: Mapping[str, Mapping[str, Ranking]]
    per_query: pl.DataFrame
    timing: pl.DataFrame

    def _repr_html_(self) -> str:
        from evals.notebook import run_html  # noqa: PLC0415 (it imports this module)

        return run_html(self)


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no optional white space: equal values have equal text."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def identity_digest(identity: Mapping[str, object]) -> str:
    """SHA-256, in hexadecimal, of the identity's canonical JSON."""
    return hashlib.sha256(canonical_json(identity).encode()).hexdigest()


def write_run(
    out: Path,
    data: RunData,
    *,
    floors: Mapping[str, float] | None = None,
    checks: Sequence[Check] = (),
) -> Path:
    """Score a run and write its directory, `<suite>-<first 12 digits of the identity's digest>`, under `out`.

    All is written to a sibling that is renamed at the end, so a directory of that name is always complete. A
    run of the same identity is replaced; if its rankings were others, the new environment says so under
    `replaced_result_digest`, since one identity should have one result. If its rankings are the same bytes and this run
    made no checks, its checks stay, and the new environment says under `checked_by_run_of` when that run was started.

    Args:
        out: Where run directories live; made if absent.
        data: The run.
        floors: `system/measure` to the least mean over the headline queries that the suite accepts.
        checks: Outcomes of other checks, for the report; none if none were made.

    Raises:
        OutputError: The directory cannot be written.
        InvalidInputError: A name cannot stand in the files, or a floor names no system or measure of this
            run.
    """
    digest = identity_digest(data.identity)
    _check_names(data)
    per_query = score(data.corpus, data.rankings)
    summary = summarise(per_query, data.corpus.digest)
    judged = [_floor(key, minimum, summary) for key, minimum in sorted((floors or {}).items())]

    target = out / f"{data.suite}-{digest[:12]}"
    with directory_at_once(target) as part:
        for system in summary.systems:
            rankings = [ranking for ranking in data.rankings if ranking.system == system]
            write_lines(part / runfiles.run_file(system), runfiles.run_lines(rankings))
        responses = (f"{ranking.query_id}\t{ranking.response}" for ranking in data.rankings if ranking.response)
        write_lines(part / "responses.tsv", responses)
        result_digest = result_digest_of(part, RANKINGS)
        environment = dict(data.environment)
        previous = _previous(target)
        if previous is not None and previous.result_digest != result_digest:
            environment["replaced_result_digest"] = previous.result_digest
        elif previous is not None and previous.checks and not checks:
            checks = previous.checks
            environment["checked_by_run_of"] = previous.checked
        manifest = {
            "identity": data.identity,
            "environment": environment,
            "digest": digest,
            "result_digest": result_digest,
        }
        write_json(part / "manifest.json", manifest)
        write_json(part / "summary.json", runfiles.summary_json(data, per_query, summary, judged, checks))
        write_lines(part / "qrels.tsv", runfiles.qrels_lines(data))
        questions = (canonical_json(runfiles.query_json(query)) for query in data.corpus.queries)
        write_lines(part / "queries.jsonl", questions)
        write_frame(part / "per_query.parquet", per_query)
        write_frame(part / "timing.parquet", runfiles.timing_frame(data))
        write_reports(read_run(part))
    return target


def read_run(path: Path) -> Run:
    """Read the run directory of a retrieval suite back; `evals.labels.rundir.read_any_run` reads one of any kind.

    Raises:
        RunDirectoryError: A file is missing or unreadable, or does not fit its digest; or it is of another kind.
    """
    if (path / CASES).is_file():
        raise RunDirectoryError(f"{path} is a run of a labelling suite: it has answers to cases, and no rankings to compare")
    try:
        manifest, stored = read_stored(path, RANKINGS)
        return Run(
            path=path,
            suite=stored["suite"],
            corpus=stored["corpus"]["name"],
            corpus_digest=stored["corpus"]["digest"],
            counts=stored["counts"],
            digest=manifest["digest"],
            result_digest=manifest["result_digest"],
            identity=manifest["identity"],
            environment=manifest["environment"],
            summary=runfiles.summary_of(stored),
            floors=tuple(Floor(**floor) for floor in stored["floors"]),
            checks=tuple(Check(**check) for check in stored["checks"]),
            queries=tuple(runfiles.query_of(json.loads(line)) for line in read_lines(path / "queries.jsonl")),
            qrels=runfiles.qrels_of(path / "qrels.tsv"),
            rankings={system: runfiles.rankings_of(path, system) for system in stored["order"]},
            per_query=pl.read_parquet(path / "per_query.parquet"),
            timing=pl.read_parquet(path / "timing.parquet"),
        )
    except (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError) as error:
        raise RunDirectoryError(f"{path} is not a complete run ({error}); run the suite again") from error


def read_stored(path: Path, results: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The manifest and the summary of a run directory of any kind.

    Args:
        path: The directory.
        results: The pattern of the files whose digest the manifest has.

    Raises:
        RunDirectoryError: There is no such directory.
        OSError: A file cannot be read.
        ValueError: A file is not JSON, or a digest is not that of what it stands for.
        KeyError: The manifest lacks a digest.
    """
    if not path.is_dir():
        raise RunDirectoryError(f"There is no run directory {path}.")
    manifest, summary = (json.loads((path / name).read_text(encoding="utf-8")) for name in ("manifest.json", "summary.json"))
    if identity_digest(manifest["identity"]) != manifest["digest"]:
        raise ValueError("manifest.json's digest is not its identity's")
    if result_digest_of(path, results) != manifest["result_digest"]:
        raise ValueError(f"{results} are not the results of manifest.json")
    return manifest, summary


def result_digest_of(path: Path, results: str) -> str:
    """SHA-256 over the SHA-256 and the name of each file that `results` finds, in the order of their names."""
    hasher = hashlib.sha256()
    for file in sorted(path.glob(results), key=lambda file: file.name):
        hasher.update(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n".encode())
    return hasher.hexdigest()


def _check_names(data: RunData) -> None:
    for kind, name in [("suite", data.suite), *(("system", ranking.system) for ranking in data.rankings)]:
        if not _NAME.fullmatch(name):
            raise InvalidInputError(f"{kind} {name!r}: it names a file, so letters, digits, '.', '_' and '-' only")
    for kind, names in [
        ("query", {query.id for query in data.corpus.queries}),
        ("unit", {unit for gold in data.corpus.qrels.values() for unit in gold}),
        ("unit", {unit for ranking in data.rankings for unit in ranking.units}),
    ]:
        for name in sorted(names):
            if name.split() != [name]:
                raise InvalidInputError(f"{kind} {name!r}: trec_eval's files allow no white space in a name")


def _floor(key: str, minimum: float, summary: Summary) -> Floor:
    system, _, measure = key.rpartition("/")
    if system not in summary.systems or measure not in MEASURES:
        known = f"{', '.join(summary.systems)} and {', '.join(MEASURES)}"
        raise InvalidInputError(f"floor {key!r}: expected system/measure of {known}")
    return Floor(system, measure, minimum, summary.systems[system].headline.measures[measure].mean)


def _previous(target: Path) -> _Previous | None:
    try:
        manifest, stored = read_stored(target, RANKINGS)
        made = manifest["environment"]
        checked = made.get("checked_by_run_of", made.get("started", "unknown"))
        return _Previous(manifest["result_digest"], tuple(Check(**check) for check in stored["checks"]), checked)
    except (RunDirectoryError, OSError, ValueError, KeyError, TypeError):
        return None
