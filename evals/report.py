"""Reports of a run: Markdown for a pull request, and one HTML file that asks nothing of the network.

Both are made of a run directory alone and say the same; the Markdown has a row for each figure that a
reviewer argues about, the HTML has plots and every query beside it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from evals import plots
from evals.intervals import FEW_CLUSTERS
from evals.measure import MEASURES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evals.measure import Estimate, Group
    from evals.rundir import Run

LABELS: Final[Mapping[str, str]] = {
    "recall_at_5": "recall@5",
    "recall_at_10": "recall@10",
    "recall_at_20": "recall@20",
    "recall_at_50": "recall@50",
    "ndcg_at_10": "nDCG@10",
    "mrr": "MRR",
}


def write_reports(run: Run) -> None:
    """Write `report.md` and `report.html` into the run's directory."""
    for name, text in (("report.md", render_markdown(run)), ("report.html", render_html(run))):
        (run.path / name).write_text(text, encoding="utf-8", newline="\n")


def render_markdown(run: Run) -> str:
    """The report as GitHub's Markdown, fit for a pull request."""
    return template_environment().get_template("report.md.j2").render(_view(run))


def render_html(run: Run) -> str:
    """The report as one HTML file with its plots, styles, script and data inside."""
    summary = run.summary
    drawings = {
        "recall": plots.recall_by_depth(summary),
        "classes": plots.ndcg_by_class(summary),
        "latency": plots.latency_by_stage(run.timing, summary.systems) if run.timing.height else "",
    }
    template = template_environment().get_template("report.html.j2")
    return template.render(_view(run), plots=drawings, queries_json=_queries_json(run))


def template_environment() -> Environment:
    """What all reports are rendered with."""
    environment = Environment(
        loader=PackageLoader("evals"),
        autoescape=select_autoescape(enabled_extensions=("html.j2",), default=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(cell=_cell, figure=_figure, interval=_interval, label=lambda name: LABELS[name], pretty=_pretty)
    return environment


def _view(run: Run) -> dict[str, object]:
    """What both templates show."""
    summary = run.summary
    lead, first = next(iter(summary.systems.items()))
    missed = [floor for floor in run.floors if not floor.met]
    failed = [check for check in run.checks if check.failed]
    status = "measured" if not run.floors and not run.checks else "failed" if missed or failed else "passed"
    groups = [("classes", "By class", first.classes), ("apart", "Reported apart", first.apart)]
    return {
        "run": run,
        "measures": list(MEASURES),
        "lead": lead,
        "headline": first.headline,
        "status": status,
        "missed": missed,
        "failed": failed,
        "table": _rows({name: system.headline for name, system in summary.systems.items()}),
        "sections": [
            {
                "title": title,
                "groups": [
                    (
                        name,
                        group,
                        _rows({key: getattr(it, kind)[name] for key, it in summary.systems.items()}),
                    )
                    for name, group in members.items()
                ],
            }
            for kind, title, members in groups
            if members
        ],
        "confidence": f"{summary.confidence:.0%}".replace("%", " %"),
        "few_clusters": 2 <= first.headline.clusters < FEW_CLUSTERS,
        "replaced": run.environment.get("replaced_result_digest"),
        "queries_total": len(run.queries),
        "queries_apart": sum(not query.headline for query in run.queries),
        "latency": _latency(run.timing),
        "identity": flatten(run.identity),
        "environment": flatten(run.environment),
    }


def _rows(groups: Mapping[str, Group]) -> list[dict[str, Any]]:
    """One row a system: its name, its group and each measure's estimate, marked if no mean is higher."""
    best = {name: max((_shown(group.measures[name]) for group in groups.values()), default=-1.0) for name in MEASURES}
    return [
        {
            "system": system,
            "group": group,
            "cells": {
                name: {
                    "estimate": group.measures[name],
                    "best": len(groups) > 1 and _shown(group.measures[name]) == best[name] > 0,
                }
                for name in MEASURES
            },
        }
        for system, group in groups.items()
    ]


def _shown(estimate: Estimate) -> float:
    return -1.0 if estimate.mean is None else round(estimate.mean, 3)


def _latency(timing: pl.DataFrame) -> list[dict[str, Any]]:
    milliseconds = pl.col("milliseconds")
    return (
        timing.group_by("system", "stage", maintain_order=True)
        .agg(
            count=pl.len(),
            median=milliseconds.quantile(0.5, "linear"),
            p95=milliseconds.quantile(0.95, "linear"),
            longest=milliseconds.max(),
        )
        .to_dicts()
    )


def flatten(value: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Nested mappings as `a.b` to text, sorted."""
    out: list[tuple[str, str]] = []
    for key in sorted(value):
        item = value[key]
        if isinstance(item, dict) and item:
            out += flatten(item, f"{prefix}{key}.")
        else:
            out.append((prefix + key, item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)))
    return out


def _queries_json(run: Run) -> str:
    """The per-query table's data, compact: [id, class, cluster, text, apart, gold, nDCG@10 by system].

    Each gold unit is [unit, grade, rank by system], rank 0 meaning that it was not retrieved.
    """
    systems = list(run.summary.systems)
    ranks = {
        (system, query_id): {unit: rank for rank, unit in enumerate(ranking.units, start=1)}
        for system, answers in run.rankings.items()
        for query_id, ranking in answers.items()
    }
    columns = run.per_query.select("system", "query_id", "ndcg_at_10")
    values = {(system, query_id): value for system, query_id, value in columns.rows()}

    def gold(query_id: str) -> list[tuple[str, int, list[int]]]:
        found = [
            (unit, grade, [ranks.get((system, query_id), {}).get(unit, 0) for system in systems])
            for unit, grade in run.qrels.get(query_id, {}).items()
            if grade >= 1
        ]
        return sorted(found, key=lambda item: (-item[1], item[2][0] or 10**9, item[0]))

    rows = [
        [
            query.id,
            query.query_class,
            query.cluster,
            query.text,
            int(not query.headline),
            gold(query.id),
            [_rounded(values[system, query.id]) for system in systems],
        ]
        for query in run.queries
    ]
    return script_json({"systems": systems, "rows": rows})


def script_json(value: object) -> str:
    """JSON that can stand inside `<script>`, where only `<` could end the element or open a comment."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _cell(text: object) -> str:
    """Text that is safe in a cell of a Markdown table."""
    out = str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for sign in "\\`*|":
        out = out.replace(sign, "\\" + sign)
    return " ".join(out.split())


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{estimate.low:.3f}–{estimate.high:.3f}"


def _pretty(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=2)
