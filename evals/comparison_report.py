"""Reports of a comparison: Markdown for a pull request, and one HTML file in the look of a run's report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evals import plots
from evals.gate import Verdict, acknowledgement_line
from evals.intervals import CONFIDENCE, FEW_CLUSTERS
from evals.report import LABELS, script_json, template_environment
from evals.significance import POWER

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from jinja2 import Environment

    from evals.comparison import Comparison, Delta, QueryDelta
    from evals.gate import Judgement
    from evals.policy import GatePolicy

MOST_QUERIES: Final = 20
"""Lost and won queries that the Markdown lists, the largest differences first; the HTML has all."""

_DECIMALS: Final = 3
_WORDS: Final[Mapping[Verdict | None, tuple[str, str]]] = {
    Verdict.IDENTICAL: ("Identical", "passed"),
    Verdict.PASS: ("Pass", "passed"),
    Verdict.IMPROVED: ("Improved", "passed"),
    Verdict.REGRESSED: ("Regressed", "failed"),
    Verdict.NEEDS_ACK: ("Needs acknowledgement", "failed"),
    Verdict.INCOMPARABLE: ("Not comparable", "measured"),
    None: ("Compared, not judged", "measured"),
}


def write_comparison(
    out: Path, comparison: Comparison, judgement: Judgement | None = None, policy: GatePolicy | None = None
) -> Path:
    """Write `<suite>-<old>-<new>.md` and `.html`, with twelve digits of each identity's digest, and return the former."""
    stem = f"{comparison.new.suite}-{comparison.old.digest[:12]}-{comparison.new.digest[:12]}"
    out.mkdir(parents=True, exist_ok=True)
    for render, suffix in ((render_html, ".html"), (render_markdown, ".md")):
        path = out / f"{stem}{suffix}"
        path.write_text(render(comparison, judgement, policy), encoding="utf-8", newline="\n")
    return path


def render_markdown(comparison: Comparison, judgement: Judgement | None = None, policy: GatePolicy | None = None) -> str:
    """The comparison as GitHub's Markdown: verdict first, then what decided it, then everything else."""
    return _environment(policy).get_template("comparison.md.j2").render(_view(comparison, judgement))


def render_html(comparison: Comparison, judgement: Judgement | None = None, policy: GatePolicy | None = None) -> str:
    """The comparison as one HTML file with its plot, styles, script and data inside."""
    view = _view(comparison, judgement)
    primary = view["primary"]
    drawing = ""
    if comparison.systems:
        found = comparison.systems[comparison.lead]
        groups = [
            ("all", found.headline),
            *found.classes.items(),
            *((f"{name} (apart)", it) for name, it in found.apart.items()),
        ]
        drawing = plots.difference_by_class(
            [(name, deltas[primary].paired) for name, deltas in groups if primary in deltas], LABELS[primary]
        )
    data = {
        "rows": [
            [
                query.id,
                query.query_class,
                query.cluster,
                query.text or query.id,
                int(not query.headline),
                [(gold.unit, gold.grade, (gold.old, gold.new)) for gold in query.gold],
                [*(round(value, _DECIMALS) for value in query.values[primary]), round(query.difference(primary), _DECIMALS)],
            ]
            for query in comparison.queries
        ]
    }
    template = _environment(policy).get_template("comparison.html.j2")
    return template.render(view, drawing=drawing, queries_json=script_json(data))


def _environment(policy: GatePolicy | None) -> Environment:
    environment = template_environment()
    decimals = {measure.name: measure.decimals for measure in policy.measures} if policy else {}

    def value(number: float, measure: str) -> str:
        return f"{number:.{decimals.get(measure, _DECIMALS)}f}"

    def signed(number: float | None, measure: str) -> str:
        if number is None:
            return "–"
        # A difference that rounds to nothing has no sign.
        text = value(number, measure)
        return text.replace("-", "−") if float(text) < 0 else value(0, measure) if float(text) == 0 else f"+{text}"

    environment.filters.update(value=value, signed=signed, p=_p, rank=lambda rank: str(rank or "–"), short=_short)
    return environment


def _view(comparison: Comparison, judgement: Judgement | None) -> dict[str, Any]:
    family = [name for name in comparison.family if name in comparison.new.measures]
    primary = family[0] if family else comparison.new.measures[0]
    word, status = _WORDS[judgement.verdict if judgement else None]
    lost: list[QueryDelta] = []
    won: list[QueryDelta] = []
    headline: Mapping[str, Delta] = {}
    sections: list[dict[str, Any]] = []
    if comparison.systems:
        lost, won = comparison.moved(primary)
        lead = comparison.systems[comparison.lead]
        headline = lead.headline
        sections = [
            {"title": title, "groups": list(groups.items())}
            for title, groups in (("By class", lead.classes), ("Reported apart", lead.apart))
            if groups
        ]
    # Nothing can be accepted while something has regressed.
    waiting = judgement.findings if judgement and judgement.verdict == Verdict.NEEDS_ACK else ()
    clusters = next((delta.paired.clusters for delta in headline.values()), 0)
    return {
        "comparison": comparison,
        "judgement": judgement,
        "word": word,
        "status": status,
        "family": family,
        "others": [name for name in comparison.new.measures if name not in family],
        "primary": primary,
        "headline": headline,
        "sections": sections,
        "lost": lost,
        "won": won,
        "most": MOST_QUERIES,
        "acknowledgements": [acknowledgement_line(comparison, it.subject) for it in waiting if it.kind == "needs-ack"],
        "confidence": f"{CONFIDENCE:.0%}".replace("%", " %"),
        "power": f"{POWER:.0%}".replace("%", " %"),
        "clusters": clusters,
        "few_clusters": 2 <= clusters < FEW_CLUSTERS,
    }


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _short(text: str | None) -> str:
    """A digest's first digits; anything else whole."""
    if text is None:
        return "absent"
    digits = len(text) >= 40 and set(text) <= set("0123456789abcdef")
    return text[:12] if digits else text
