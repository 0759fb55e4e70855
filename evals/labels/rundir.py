"""Run directories of labelling suites: like those of `evals.rundir`, with cases and answers in place of rankings.

| file | what |
|---|---|
| `manifest.json` | `identity`, `environment`, `digest` (of the identity), `result_digest` (of the answers' files) |
| `summary.json` | counts and measures by system, set and class with intervals; floors |
| `cases.jsonl` | every case and what is expected, for reading |
| `answers-<system>.jsonl` | what the system said |
| `per_case.parquet` | the counts of each system on each case |
| `report.md`, `report.html` | made of the files above |
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from evals.files import directory_at_once, read_lines, write_frame, write_json, write_lines
from evals.labels import KINDS
from evals.labels.measure import Counted, LabelSummary, SetSummary, frame, summarise
from evals.labels.report import write_reports
from evals.measure import Estimate
from evals.rundir import (
    CASES,
    Check,
    Floor,
    Run,
    RunDirectoryError,
    canonical_json,
    identity_digest,
    read_stored,
    result_digest_of,
)
from evals.rundir import read_run as read_retrieval_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from evals.labels.kinds import AnyKind, Judged, LabelledSet
    from evals.labels.suite import LabelSuite


ANSWERS: Final = "answers-*.jsonl"
"""The files of answers in a run directory."""


@dataclass(frozen=True, slots=True)
class LabelRun:
    """A run directory of a labelling suite, read.

    Attributes:
        path: The directory.
        corpus_digest: SHA-256 over the sets' digests.
        counts: Set to what its loader counted.
        summary: Its systems are `system/set`, in report order.
        floors: Minima of the suite; a floor's measure is `set/measure`.
        checks: None yet; a labelling suite judges by floors.
        per_case: What `evals.labels.measure.frame` returned.
        cases: (set, case) to what it shows and what is expected.
        answers: (system, set, case) to what was said.
    """

    path: Path
    suite: str
    kind: AnyKind
    corpus_digest: str
    counts: Mapping[str, Mapping[str, int]]
    digest: str
    result_digest: str
    identity: Mapping[str, Any]
    environment: Mapping[str, Any]
    summary: LabelSummary
    floors: tuple[Floor, ...]
    checks: tuple[Check, ...]
    per_case: pl.DataFrame
    cases: Mapping[tuple[str, str], tuple[str, str]]
    answers: Mapping[tuple[str, str, str], str]


def write_run(
    out: Path,
    suite: LabelSuite,
    sets: Sequence[LabelledSet[Any]],
    judged: Mapping[tuple[str, str], Sequence[Judged]],
    identity: Mapping[str, object],
    environment: Mapping[str, object],
) -> Path:
    """Score a run and write its directory, `<suite>-<first 12 digits of the identity's digest>`, under `out`.

    Args:
        out: Where run directories live; made if absent.
        suite: Names the floors.
        sets: What was judged.
        judged: System and set to the judged cases, in report order.
        identity: All that can change the result.
        environment: All else.
    """
    kind = KINDS[suite.kind]
    digest = identity_digest(identity)
    per_case = frame(kind, judged)
    summary = summarise(kind, per_case, {one.name: one.digest for one in sets})
    target = out / f"{suite.name}-{digest[:12]}"
    with directory_at_once(target) as part:
        for system in suite.systems:
            answers = (
                canonical_json({"set": set_name, "case": case.case, "answer": case.answer})
                for (name, set_name), cases in judged.items()
                if name == system
                for case in cases
            )
            write_lines(part / f"answers-{system}.jsonl", answers)
        write_lines(part / CASES, _case_lines(judged))
        manifest = {
            "identity": identity,
            "environment": environment,
            "digest": digest,
            "result_digest": result_digest_of(part, ANSWERS),
        }
        write_json(part / "manifest.json", manifest)
        stored = {
            "suite": suite.name,
            "kind": suite.kind,
            "corpus": {"digest": identity_digest({one.name: one.digest for one in sets})},
            "counts": {one.name: one.counts for one in sets},
            "order": list(summary.systems),
            "systems": {name: asdict(found) for name, found in summary.systems.items()},
            "intervals": {"resamples": summary.resamples, "confidence": summary.confidence},
            "floors": [asdict(_floor(key, least, summary)) for key, least in sorted(suite.floors.items())],
        }
        write_json(part / "summary.json", stored)
        write_frame(part / "per_case.parquet", per_case)
        write_reports(read_run(part))
    return target


def read_any_run(path: Path) -> Run | LabelRun:
    """Read a run directory of any kind of suite.

    Raises:
        RunDirectoryError: A file is missing or unreadable, or does not fit its digest.
    """
    return read_run(path) if (path / CASES).is_file() else read_retrieval_run(path)


def read_run(path: Path) -> LabelRun:
    """Read a run directory back.

    Raises:
        RunDirectoryError: A file is missing or unreadable, or does not fit its digest.
    """
    try:
        manifest, stored = read_stored(path, ANSWERS)
        return LabelRun(
            path=path,
            suite=stored["suite"],
            kind=KINDS[stored["kind"]],
            corpus_digest=stored["corpus"]["digest"],
            counts=stored["counts"],
            digest=manifest["digest"],
            result_digest=manifest["result_digest"],
            identity=manifest["identity"],
            environment=manifest["environment"],
            summary=_summary_of(stored),
            floors=tuple(Floor(**floor) for floor in stored["floors"]),
            checks=(),
            per_case=pl.read_parquet(path / "per_case.parquet"),
            cases={(row["set"], row["case"]): (row["shown"], row["gold"]) for row in _rows(path / CASES)},
            answers=dict(_answers(path)),
        )
    except (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError) as error:
        raise RunDirectoryError(f"{path} is not a complete run ({error}); run the suite again") from error


def _case_lines(judged: Mapping[tuple[str, str], Sequence[Judged]]) -> Iterator[str]:
    """Each case once; what is found without a label is a case of the system that found it."""
    seen = set()
    for (_, set_name), cases in judged.items():
        for case in cases:
            if (set_name, case.case) not in seen:
                seen.add((set_name, case.case))
                yield canonical_json({"set": set_name, "case": case.case, "shown": case.shown, "gold": case.gold})


def _floor(key: str, least: float, summary: LabelSummary) -> Floor:
    system, set_name, measure = key.split("/")
    mean = summary.systems[f"{system}/{set_name}"].headline.measures[measure].mean
    return Floor(system, f"{set_name}/{measure}", least, mean)


def _summary_of(stored: Mapping[str, Any]) -> LabelSummary:
    # Sorted keys lost the order of measures.
    order = [measure.name for measure in KINDS[stored["kind"]].measures]

    def counted(value: Mapping[str, Any]) -> Counted:
        measures = {name: Estimate(**value["measures"][name]) for name in order}
        return Counted(value["cases"], value["clusters"], value["counts"], measures)

    def summary(value: Mapping[str, Any]) -> SetSummary:
        classes, apart = ({name: counted(group) for name, group in value[kind].items()} for kind in ("classes", "apart"))
        return SetSummary(counted(value["headline"]), classes, apart)

    systems = {name: summary(stored["systems"][name]) for name in stored["order"]}
    return LabelSummary(systems, stored["intervals"]["resamples"], stored["intervals"]["confidence"])


def _answers(path: Path) -> Iterator[tuple[tuple[str, str, str], str]]:
    for file in sorted(path.glob(ANSWERS)):
        system = file.stem.removeprefix("answers-")
        for row in _rows(file):
            yield (system, row["set"], row["case"]), row["answer"]


def _rows(path: Path) -> Iterator[dict[str, str]]:
    return map(json.loads, read_lines(path))
