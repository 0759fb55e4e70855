"""Reports of a comparison: Markdown for a pull request, and one HTML file in the look of a run's report."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from evals import plots
from evals.breakage import breakage, cost, move
from evals.files import make_directory, writing
from evals.gate import Verdict, acknowledgement_line
from evals.intervals import CONFIDENCE, FEW_CLUSTERS
from evals.report import LABELS, Units, described, page_script, script_json, short, template_environment
from evals.significance import POWER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from jinja2 import Environment

    from evals.breakage import Breakage
    from evals.comparison import Comparison, Delta, GoldMove, QueryDelta
    from evals.gate import Judgement
    from evals.latency import StageLatency
    from evals.policy import GatePolicy
    from evals.significance import Paired

MOST_QUERIES: Final = 20
"""Lost and won queries that the Markdown lists, the largest differences first; the HTML has all."""

_DECIMALS: Final = 3
_KINDS: Final = ("regressed", "needs-ack", "acknowledged", "improved")  # what decides first
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
    make_directory(out)
    for render, suffix in ((render_html, ".html"), (render_markdown, ".md")):
        path = out / f"{stem}{suffix}"
        with writing(path):
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
        rows = [_difference(name, deltas[primary].paired) for name, deltas in groups if primary in deltas]
        measure = LABELS[primary]
        label = f"Difference in {measure} by query class, with confidence intervals"
        drawing = plots.forest(rows, f"{measure}, new − old", "difference", label)
    template = _environment(policy).get_template("comparison.html.j2")
    if not comparison.systems:
        return template.render(view, script=page_script("page.js"))
    script = page_script("page.js", "queries.js", "compared.js")
    return template.render(view, drawing=drawing, script=script, data=script_json(_data(comparison, primary)))


def _difference(name: str, found: Paired) -> plots.Difference:
    excluded = found.low is not None and found.high is not None and (found.low > 0 or found.high < 0)
    return plots.Difference(f"{name}\nn = {found.queries:,}", found.difference, found.low, found.high, excluded)


def _data(comparison: Comparison, primary: str) -> dict[str, object]:
    """What the page's script shows, compact.

    A row is a query: [id, class, cluster, text, apart, gold, old and new value of each measure, what broke it]. A gold unit is
    [unit, grade, old and new rank by system], rank 0 meaning that it was not retrieved; what broke it is [arms, unit] or null;
    units are numbers.
    """
    arms = list(next((gold.arms for query in comparison.queries for gold in query.gold), ()))
    measures = [primary, *(name for name in comparison.new.measures if name != primary)]
    units = Units()
    rows = [
        [
            *described(query),
            [
                [units.number(gold.unit), gold.grade, [(gold.old, gold.new), *(gold.arms[arm] for arm in arms)]]
                for gold in query.gold
            ],
            [[round(value, _DECIMALS) for value in query.values[name]] for name in measures],
            None if (found := _broke(query, primary)) is None else [str(found), units.number(found.gold.unit)],
        ]
        for query in comparison.queries
    ]
    return {
        "lead": comparison.lead,
        "systems": [comparison.lead, *arms],
        "measures": [LABELS[name] for name in measures],
        "units": units.names(),
        "rows": rows,
    }


def _broke(query: QueryDelta, primary: str) -> Breakage | None:
    return breakage(query) if query.difference(primary) < 0 else None


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

    environment.globals.update(move=move)
    environment.filters.update(value=value, signed=signed, p=_p, short=short)
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
            {"id": kind, "title": title, "groups": list(groups.items())}
            for kind, title, groups in (("classes", "By class", lead.classes), ("apart", "Reported apart", lead.apart))
            if groups
        ]
    findings = sorted(judgement.findings, key=lambda finding: _KINDS.index(finding.kind)) if judgement else []
    # Nothing can be accepted while something has regressed.
    waiting = judgement.findings if judgement and judgement.verdict == Verdict.NEEDS_ACK else ()
    latency = _latency(comparison)
    links = [
        *(("headline", f"Measures of {comparison.lead}") for _ in list(headline)[:1]),
        *((section["id"], section["title"]) for section in sections),
        *(("queries", "Every query") for _ in list(headline)[:1]),
        *(("latency", "Latency") for _ in latency[:1]),
        ("changes", "What changed"),
    ]
    clusters = next((delta.paired.clusters for delta in headline.values()), 0)
    return {
        "comparison": comparison,
        "judgement": judgement,
        "findings": findings,
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
        "broke": {query.id: found for query in lost if (found := breakage(query)) is not None},
        "broken": _broken(lost),
        "moves": {query.id: _moves(query) for query in (*lost, *won)},
        "latency": latency,
        "links": links,
        "acknowledgements": [acknowledgement_line(comparison, it.subject) for it in waiting if it.kind == "needs-ack"],
        "confidence": f"{CONFIDENCE:.0%}".replace("%", " %"),
        "power": f"{POWER:.0%}".replace("%", " %"),
        "clusters": clusters,
        "few_clusters": 2 <= clusters < FEW_CLUSTERS,
    }


def _broken(lost: Iterable[QueryDelta]) -> list[tuple[str, int]]:
    """How many lost queries each arm broke, the most first."""
    culprits = Counter(found.culprit for query in lost if (found := breakage(query)) is not None)
    return sorted(culprits.items(), key=lambda item: (-item[1], item[0]))


def _moves(query: QueryDelta) -> list[GoldMove]:
    """The gold units that moved, those first that changed the query most."""
    return sorted((gold for gold in query.gold if gold.old != gold.new), key=lambda gold: -abs(cost(gold)))


def _latency(comparison: Comparison) -> list[tuple[StageLatency, StageLatency]]:
    """The stages that both runs measured; none if one of them is a baseline, which has no durations, or they do not compare."""
    if comparison.incomparable:
        return []
    old = {(stage.system, stage.stage): stage for stage in comparison.old.latency}
    new = {(stage.system, stage.stage): stage for stage in comparison.new.latency}
    return [(old[key], stage) for key, stage in new.items() if key in old]


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
