"""Reports of a labelling run, in the manner of `evals.report`: Markdown, and one HTML file that asks nothing of the network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evals.labels.measure import complete
from evals.report import flatten, page_script, template_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evals.labels.measure import Counted
    from evals.labels.rundir import LabelRun

EXAMPLES: Final = 25
"""Cases that are shown of each system and set; all are in `per_case.parquet` and the files of cases and answers."""

LONGEST: Final = 300
"""Characters of a text that the reports show."""


def write_reports(run: LabelRun) -> None:
    """Write `report.md` and `report.html` into the run's directory."""
    for name in ("report.md", "report.html"):
        template = template_environment().get_template(f"labels.{name.removeprefix('report.')}.j2")
        text = template.render(view(run), script=page_script("page.js"))
        (run.path / name).write_text(text, encoding="utf-8", newline="\n")


def headline(run: LabelRun) -> Iterator[str]:
    """The figures as lines for a terminal."""
    names = [measure.name for measure in run.kind.measures]
    yield f"{run.suite}: {run.digest[:12]}"
    yield ""
    yield f"{'system/set':32} {'cases':>7}  " + "  ".join(f"{name:>{max(9, len(name))}}" for name in names)
    for key, found in run.summary.systems.items():
        means = [(name, found.headline.measures[name].mean) for name in names]
        cells = [f"{'–' if mean is None else format(mean, '.3f'):>{max(9, len(name))}}" for name, mean in means]
        yield f"{key:32} {found.headline.cases:>7}  " + "  ".join(cells)


def view(run: LabelRun) -> dict[str, object]:
    """What both templates show."""
    missed = [floor for floor in run.floors if not floor.met]
    sets = []
    for set_name in dict.fromkeys(key.partition("/")[2] for key in run.summary.systems):
        found = {key.partition("/")[0]: it for key, it in run.summary.systems.items() if key.partition("/")[2] == set_name}
        rows = [("all", system, it.headline, "") for system, it in found.items()]
        for kind in ("classes", "apart"):
            rows += [
                (name, system, group, "apart" if kind == "apart" else "")
                for name in sorted({name for it in found.values() for name in getattr(it, kind)})
                for system, it in found.items()
                if (group := _of(getattr(it, kind), name))
            ]
        sets.append(
            {
                "name": set_name,
                "rows": rows,
                "counts": run.counts[set_name],
                "examples": {system: _examples(run, system, set_name) for system in found},
            }
        )
    return {
        "run": run,
        "status": "measured" if not run.floors else "failed" if missed else "passed",
        "missed": missed,
        "measures": run.kind.measures,
        "columns": run.kind.columns,
        "sets": sets,
        "confidence": f"{run.summary.confidence:.0%}".replace("%", " %"),
        "examples_shown": EXAMPLES,
        "identity": flatten(run.identity),
        "environment": flatten(run.environment),
    }


def _of(groups: dict[str, Counted], name: str) -> Counted | None:
    return groups.get(name)


def _examples(run: LabelRun, system: str, set_name: str) -> list[dict[str, Any]]:
    """The first cases that could be better, with what was expected and what was said."""
    found = []
    for row in run.per_case.iter_rows(named=True):
        if (row["system"], row["set"]) != (system, set_name) or row["apart"] or complete(run.kind.measures, row):
            continue
        shown, gold = run.cases[set_name, row["case"]]
        answer = run.answers[system, set_name, row["case"]]
        found.append({"group": row["group"], "shown": _short(shown), "gold": _short(gold), "answer": _short(answer)})
        if len(found) == EXAMPLES:
            break
    return found


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
