"""Reports of a run: Markdown for a pull request, and one HTML file that asks nothing of the network.

Both are made of a run directory alone and say the same; the Markdown has a row for each figure that a
reviewer argues about, the HTML has plots and every query beside it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from evals import plots
from evals.contribution import DEPTH, contributions
from evals.intervals import FEW_CLUSTERS
from evals.latency import by_stage
from evals.measure import MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evals.comparison import QueryDelta
    from evals.measure import Estimate, Group
    from evals.rundir import Check, Floor, Run
    from evals.types import Query

LABELS: Final[Mapping[str, str]] = {
    "recall_at_5": "recall@5",
    "recall_at_10": "recall@10",
    "recall_at_20": "recall@20",
    "recall_at_50": "recall@50",
    "ndcg_at_10": "nDCG@10",
    "mrr": "MRR",
}
PRIMARY: Final = "ndcg_at_10"
"""The measure by which a run's queries are listed, the worst first."""

TOP: Final = 10
"""Results of the first system that a query's page shows."""


class Script(NamedTuple):
    """A page's script, and the source expression by which the page's content security policy admits it and nothing else."""

    code: str
    hash: str


class Units:
    """Names of units by number, since a page names each of them many times."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, unit: str) -> int:
        """The unit's place among the names."""
        return self._numbers.setdefault(unit, len(self._numbers))

    def names(self) -> list[str]:
        """All names, by number."""
        return list(self._numbers)


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
    script = page_script("page.js", "queries.js", "run.js")
    return template.render(_view(run), plots=drawings, script=script, data=script_json(_data(run)))


def verdict(run: Run) -> tuple[Literal["passed", "failed", "measured"], list[Floor], list[Check]]:
    """How a run ended, with the floors that it missed and the checks that failed; `measured` if there are neither."""
    missed = [floor for floor in run.floors if not floor.met]
    failed = [check for check in run.checks if check.failed]
    return "measured" if not run.floors and not run.checks else "failed" if missed or failed else "passed", missed, failed


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


def page_script(*names: str) -> Script:
    """The scripts of a page, one after another; each is a file beside the templates."""
    code = "\n" + "".join((files("evals") / "templates" / name).read_text(encoding="utf-8") for name in names)
    return Script(code, f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'")


def _view(run: Run) -> dict[str, object]:
    """What both templates show."""
    summary = run.summary
    lead, first = next(iter(summary.systems.items()))
    status, missed, failed = verdict(run)
    groups = [("classes", "By class", first.classes), ("apart", "Reported apart", first.apart)]
    latency = by_stage(run.timing)
    links = [
        ("headline", "Systems"),
        *(("floors", "Floors") for _ in run.floors[:1]),
        *(("checks", "Checks") for _ in run.checks[:1]),
        *((kind, title) for kind, title, members in groups if members),
        *(("latency", "Latency") for _ in latency[:1]),
        ("queries", "Every query"),
        ("corpus", "Corpus"),
        ("identity", "Identity"),
    ]
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
                "id": kind,
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
        "checked": run.environment.get("checked_by_run_of"),
        "replaced": run.environment.get("replaced_result_digest"),
        "queries_total": len(run.queries),
        "queries_apart": sum(not query.headline for query in run.queries),
        "latency": latency,
        "contributions": contributions(run),
        "depth": DEPTH,
        "recorded": _recorded(run),
        "links": links,
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


def _recorded(run: Run) -> int:
    """As deep as the rankings go."""
    return max((len(ranking.units) for answers in run.rankings.values() for ranking in answers.values()), default=0)


def flatten(value: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Nested mappings as `a.b` to text, sorted."""
    out: list[tuple[str, str]] = []
    for key in sorted(value):
        item = value[key]
        if isinstance(item, dict) and item:
            out += flatten(item, f"{prefix}{key}.")
        else:
            out.append((prefix + key, item if isinstance(item, str) else json.dumps(item, ensure_ascii=False, sort_keys=True)))
    return out


def short(text: str | None) -> str:
    """A digest's first digits; anything else whole."""
    if text is None:
        return "absent"
    digits = len(text) >= 40 and set(text) <= set("0123456789abcdef")
    return text[:12] if digits else text


def _data(run: Run) -> dict[str, object]:
    """What the page's script shows, compact.

    A row is a query: [id, class, cluster, text, apart, gold, measures by system, first results]. A gold unit is
    [unit, grade, rank by system], rank 0 meaning that it was not retrieved; a result is [unit, rank by each system but the
    first]; units are numbers.
    """
    systems = list(run.summary.systems)
    ranks = {
        (system, query_id): {unit: rank for rank, unit in enumerate(ranking.units, start=1)}
        for system, answers in run.rankings.items()
        for query_id, ranking in answers.items()
    }
    columns = run.per_query.select("system", "query_id", *MEASURES)
    values = {(row[0], row[1]): [_rounded(value) for value in row[2:]] for row in columns.rows()}
    units = Units()

    def placed(query_id: str, unit: str) -> list[int]:
        return [ranks.get((system, query_id), {}).get(unit, 0) for system in systems]

    def rows() -> Iterator[list[object]]:
        for query in run.queries:
            first = run.rankings[systems[0]].get(query.id)
            yield [
                *described(query),
                [
                    [units.number(unit), grade, places]
                    for unit, grade, places in sorted(
                        ((unit, grade, placed(query.id, unit)) for unit, grade in run.qrels.get(query.id, {}).items() if grade),
                        key=lambda item: (-item[1], item[2][0] or 10**9, item[0]),
                    )
                ],
                # Without gold there is nothing to measure.
                [] if values[systems[0], query.id][0] is None else [values[system, query.id] for system in systems],
                [[units.number(unit), *placed(query.id, unit)[1:]] for unit in (first.units[:TOP] if first else ())],
            ]

    found = list(rows())
    measures = [LABELS[name] for name in MEASURES]
    primary = list(MEASURES).index(PRIMARY)
    return {"systems": systems, "measures": measures, "primary": primary, "units": units.names(), "rows": found}


def described(query: Query | QueryDelta) -> list[object]:
    """How a page's row begins: id, class, cluster, text and whether it is reported apart."""
    return [query.id, query.query_class, query.cluster, query.text, int(not query.headline)]


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
