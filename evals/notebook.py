"""What a notebook shows of a run, a comparison and an ablation: the verdict and a small table, in the notebook's colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from evals import ablation_report
from evals.breakage import breakage
from evals.report import LABELS, PRIMARY, template_environment, verdict
from evals.rundir import identity_digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evals.ablation_dir import Ablation
    from evals.comparison import Comparison
    from evals.measure import Estimate
    from evals.rundir import Run

ROWS: Final = 10
"""Variants of an ablation that are shown, and twice the lost queries of a comparison: a notebook is no report."""

_SHOWN: Final = (PRIMARY, "recall_at_10", "mrr")
_WORDS: Final = {"passed": "passed", "failed": "failed", "measured": "measured, not judged"}


class _Table(NamedTuple):
    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int = 1
    """The columns of words, which come first."""


def run_html(run: Run) -> str:
    """The verdict of a run, and each system's means with their intervals."""
    rows = [
        [system, f"{found.headline.queries:,}", *(_estimate(found.headline.measures[name]) for name in _SHOWN)]
        for system, found in run.summary.systems.items()
    ]
    status, missed, failed = verdict(run)
    problems = [f"{floor.system}/{floor.measure} misses its floor" for floor in missed]
    problems += [f"{check.name} failed" for check in failed]
    return _render(
        title=run.suite,
        identity=run.digest[:12],
        verdict=_WORDS[status],
        detail="; ".join(problems),
        tables=[_Table("", ["system", "queries", *(LABELS[name] for name in _SHOWN)], rows)],
        note=f"{run.summary.confidence:.0%} intervals over clusters. Every query: {run.path / 'report.html'}",
    )


def comparison_html(comparison: Comparison) -> str:
    """What changed between two runs, and the queries that lost most, with what broke them."""
    identity = f"{comparison.old.digest[:12]} → {comparison.new.digest[:12]}"
    if comparison.incomparable:
        reasons = "; ".join(comparison.incomparable)
        return _render(comparison.suite, identity, "not comparable", reasons, [], "")
    measures = [name for name in comparison.family if name in comparison.new.measures]
    headline = comparison.systems[comparison.lead].headline
    deltas = [(name, headline[name]) for name in measures if name in headline]
    rows = [
        [
            LABELS[name],
            f"{delta.old:.3f}",
            f"{delta.new:.3f}",
            _signed(delta.paired.difference),
            "–" if delta.paired.low is None else f"{_signed(delta.paired.low)} to {_signed(delta.paired.high)}",
            "–" if delta.adjusted is None else f"{delta.adjusted:.4f}",
        ]
        for name, delta in deltas
    ]
    tables = [_Table("", [comparison.lead, "old", "new", "difference", "interval", "adjusted p"], rows)]
    lost, won = comparison.moved(measures[0])
    if lost:
        worst = [
            [query.text or query.id, query.query_class, str(breakage(query) or "–"), _signed(query.difference(measures[0]))]
            for query in lost[: ROWS // 2]
        ]
        head = ["query", "class", "what broke it", LABELS[measures[0]]]
        tables.append(_Table(f"Lost most, of {len(lost)}", head, worst, 3))
    detail = f"by {LABELS[measures[0]]}"
    return _render(comparison.suite, identity, f"{len(lost)} queries lost, {len(won)} won", detail, tables, "")


def ablation_html(ablation: Ablation) -> str:
    """What each variant is worth, the greatest loss first."""
    shown = ablation_report.view(ablation)
    rows = []
    for row in shown["systems"][shown["system"]][: ROWS + 1]:
        cell = row["cells"][ablation.lead]
        interval = "–" if cell["low"] is None else f"{_signed(cell['low'])} to {_signed(cell['high'])}"
        adjusted = "–" if cell["adjusted_p"] is None else f"{cell['adjusted_p']:.4f}"
        rows.append([row["label"], f"{cell['value']:.3f}", _signed(cell["delta"]), interval, adjusted])
    hidden = shown["variants"] + 1 - len(rows)
    return _render(
        title=f"{ablation.suite}, {ablation.purpose}",
        identity=identity_digest(ablation.identity)[:12],
        verdict="something beats the full engine" if shown["better"] else "nothing beats the full engine",
        detail=f"of {shown['variants']} variants, {len(shown['better'])} better and {len(shown['worse'])} worse, significantly",
        tables=[_Table("", ["variant", LABELS[ablation.lead], "difference", "interval", "adjusted p"], rows)],
        note=f"{hidden} more variants." if hidden > 0 else "",
    )


def _render(title: str, identity: str, verdict: str, detail: str, tables: Sequence[_Table], note: str) -> str:
    template = template_environment().get_template("notebook.html.j2")
    return template.render(title=title, identity=identity, verdict=verdict, detail=detail, tables=tables, note=note)


def _estimate(estimate: Estimate) -> str:
    if estimate.mean is None:
        return "–"
    return f"{estimate.mean:.3f}" + ("" if estimate.low is None else f" ({estimate.low:.3f}–{estimate.high:.3f})")


def _signed(number: float | None) -> str:
    if number is None:
        return "–"
    text = f"{number:+.3f}"
    return "0.000" if text[1:] == "0.000" else text.replace("-", "−")
