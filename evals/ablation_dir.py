"""The directory that keeps an ablation or a sweep, readable without engine or corpus.

| file | what |
|---|---|
| `ablation.parquet` | the frame that `evals/ablation_frame.py` describes |
| `ablation.json` | its rows again, and what each variant is |
| `manifest.json` | `identity`, `environment`, `digest` (of the identity), `result_digest` (of the rows) |
| `report.md`, `report.html` | the headline queries as tables, the largest loss first; the page has plots and classes too |

It is named `<suite>-ablation-<digest>` or `<suite>-sweep-<digest>`. Two writes of the same data give the same bytes, but for
`environment`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from evals.ablation_frame import ALL, SCHEMA
from evals.ablation_report import render_html
from evals.files import directory_at_once, write_frame, write_json, write_lines
from evals.rundir import RunDirectoryError, canonical_json, identity_digest
from evals.significance import ALPHA
from evals.variants import Variant
from illumina import Ranking

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

FRAME: Final = "ablation.parquet"


@dataclass(frozen=True, slots=True)
class Ablation:
    """The outcome of an ablation or a sweep.

    Attributes:
        suite: The suite's name.
        purpose: `ablation` or `sweep`.
        lead: The measure by which tables are sorted.
        variants: What was run, the full engine first.
        identity: All that can change the result, the variants among it.
        environment: All else.
        frame: The figures; see `evals/ablation_frame.py`.
    """

    suite: str
    purpose: str
    lead: str
    variants: tuple[Variant, ...]
    identity: Mapping[str, Any]
    environment: Mapping[str, Any]
    frame: pl.DataFrame

    def _repr_html_(self) -> str:
        from evals.notebook import ablation_html  # noqa: PLC0415 (only a notebook needs it)

        return ablation_html(self)


def write_ablation(out: Path, ablation: Ablation) -> Path:
    """Write the directory under `out`, all at once, in place of an older one of the same identity."""
    digest = identity_digest(ablation.identity)
    target = out / f"{ablation.suite}-{ablation.purpose}-{digest[:12]}"
    with directory_at_once(target) as part:
        write_frame(part / FRAME, ablation.frame)
        rows = ablation.frame.to_dicts()
        stored = {
            "suite": ablation.suite,
            "purpose": ablation.purpose,
            "lead": ablation.lead,
            "variants": [variant.describe() for variant in ablation.variants],
            "rows": rows,
        }
        write_json(part / "ablation.json", stored)
        manifest = {
            "identity": ablation.identity,
            "environment": ablation.environment,
            "digest": digest,
            "result_digest": _result_digest(rows),
        }
        write_json(part / "manifest.json", manifest)
        write_reports(part, ablation)
    return target


def write_reports(path: Path, ablation: Ablation) -> None:
    """Write `report.md` and `report.html` into its directory."""
    write_lines(path / "report.md", _report(ablation, identity_digest(ablation.identity)))
    (path / "report.html").write_text(render_html(ablation), encoding="utf-8", newline="\n")


def holds(path: Path) -> bool:
    """Whether a directory is one of these."""
    return (path / FRAME).is_file()


def read_ablation(path: Path) -> Ablation:
    """Read a directory back.

    Raises:
        RunDirectoryError: A file is missing or unreadable, or does not fit its digest.
    """
    try:
        manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        stored = json.loads((path / "ablation.json").read_text(encoding="utf-8"))
        frame = pl.read_parquet(path / FRAME)
        _verify(frame, manifest)
        return Ablation(
            suite=stored["suite"],
            purpose=stored["purpose"],
            lead=stored["lead"],
            variants=tuple(_variant(each) for each in stored["variants"]),
            identity=manifest["identity"],
            environment=manifest["environment"],
            frame=frame,
        )
    except (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError) as error:
        raise RunDirectoryError(f"{path} is not a complete ablation ({error}); run it again") from error


def tables(ablation: Ablation) -> dict[str, list[list[str]]]:
    """For each system the headline queries' figures: a head, the full engine, then the variants, the largest loss first."""
    frame = ablation.frame.filter(pl.col("query_class") == ALL)
    measures = frame["measure"].unique(maintain_order=True).to_list()
    others = [measure for measure in measures if measure != ablation.lead]
    head = ["kind", "variant", ablation.lead, "delta", "95 % interval", "adjusted p", *others]
    return {
        system: [head, *_rows(frame.filter(pl.col("system") == system), ablation.lead, others)]
        for system in frame["system"].unique(maintain_order=True).to_list()
    }


def _rows(frame: pl.DataFrame, lead: str, others: Sequence[str]) -> Iterator[list[str]]:
    by_variant = frame.partition_by("kind", "variant", maintain_order=True)
    found = [{row["measure"]: row for row in part.iter_rows(named=True)} for part in by_variant]
    for row in sorted(found, key=lambda row: (row[lead]["kind"] != "full", row[lead]["delta"])):
        first = row[lead]
        interval = "" if first["low"] is None else f"{first['low']:+.3f} … {first['high']:+.3f}"
        delta = "" if first["p"] is None else f"{first['delta']:+.3f}"
        p = "" if first["p"] is None else f"{first['adjusted_p']:.4f}"
        rest = [_short(row[measure]) for measure in others]
        yield [first["kind"], first["variant"], f"{first['value']:.3f}", delta, interval, p, *rest]


def _short(row: Mapping[str, Any]) -> str:
    if row["p"] is None:
        return f"{row['value']:.3f}"
    return f"{row['value']:.3f} ({row['delta']:+.3f}{'*' if row['adjusted_p'] < ALPHA else ''})"


def _report(ablation: Ablation, digest: str) -> Iterator[str]:
    queries = ablation.frame.filter(pl.col("query_class") == ALL)["queries"].to_list()[0]
    yield f"# {ablation.suite}: {ablation.purpose} {digest[:12]}"
    yield ""
    yield f"{queries} headline queries with gold. Delta is the variant − the full engine, its interval and p by the same"
    yield f"queries in pairs; p is adjusted by Holm over the variants, and * marks one below {ALPHA:g}."
    yield f"`{FRAME}` has the classes."
    for system, rows in tables(ablation).items():
        head, *body = rows
        yield ""
        yield f"## {system}"
        yield ""
        yield f"| {' | '.join(head)} |"
        yield f"|{'---|' * 2}{'---:|' * (len(head) - 2)}"
        for row in body:
            yield f"| {' | '.join(row)} |"


def _variant(stored: Mapping[str, Any]) -> Variant:
    components = None if stored["components"] is None else tuple(stored["components"])
    return Variant(stored["kind"], stored["name"], components, Ranking(**stored["ranking"]))


def _verify(frame: pl.DataFrame, manifest: Mapping[str, Any]) -> None:
    if identity_digest(manifest["identity"]) != manifest["digest"]:
        raise ValueError("manifest.json's digest is not its identity's")
    if frame.schema != pl.Schema(SCHEMA) or _result_digest(frame.to_dicts()) != manifest["result_digest"]:
        raise ValueError("the figures are not those of manifest.json")


def _result_digest(rows: Sequence[Mapping[str, Any]]) -> str:
    return hashlib.sha256(canonical_json(list(rows)).encode()).hexdigest()
