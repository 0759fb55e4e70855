"""The page of an ablation or a sweep: what each variant of the engine is worth, with intervals, as plots and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl

from evals import plots
from evals.ablation_frame import ALL
from evals.report import LABELS, flatten, page_script, template_environment
from evals.rundir import identity_digest
from evals.significance import ALPHA

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evals.ablation_dir import Ablation

_FULL: Final = "full"
_TITLES: Final[Mapping[str, tuple[str, str]]] = {
    "leave-one-out": ("Left out", "The full engine without one component: below zero, the component is worth having."),
    "leave-one-in": ("Left in", "One component alone: how far it falls short of them all."),
    "sweep": ("Settings", "The engine with other constants: above zero, the setting is better than the present one."),
}

_LABELS: Final[Mapping[str, str]] = {"leave-one-out": "without {}", "leave-one-in": "{} alone"}


def render_html(ablation: Ablation) -> str:
    """The figures as one HTML file with its plots, styles and script inside."""
    template = template_environment().get_template("ablation.html.j2")
    return template.render(view(ablation), script=page_script("page.js"))


def view(ablation: Ablation) -> dict[str, Any]:
    """What the page shows."""
    frame, lead = ablation.frame, ablation.lead
    system = frame["system"][0]
    measures = [lead, *(name for name in frame["measure"].unique(maintain_order=True) if name != lead)]
    headline = frame.filter((pl.col("query_class") == ALL) & (pl.col("system") == system))
    decisive = headline.filter((pl.col("measure") == lead) & (pl.col("kind") != _FULL))
    significant = decisive.filter(pl.col("adjusted_p") < ALPHA)
    better = _labels(significant.filter(pl.col("delta") > 0).sort("delta", descending=True, maintain_order=True))
    worse = _labels(significant.filter(pl.col("delta") < 0).sort("delta", maintain_order=True))
    return {
        "ablation": ablation,
        "digest": identity_digest(ablation.identity),
        "system": system,
        "lead": lead,
        "measures": measures,
        "queries": headline["queries"].max(),
        "full": headline.row(by_predicate=(pl.col("measure") == lead) & (pl.col("kind") == _FULL), named=True),
        "variants": decisive.height,
        "better": better,
        "worse": worse,
        "alpha": ALPHA,
        "figures": [_figure(kind, decisive.filter(pl.col("kind") == kind), lead) for kind in _names(decisive, "kind")],
        "systems": {name: _rows(frame.filter(pl.col("query_class") == ALL), name, lead) for name in _names(frame, "system")},
        "classes": [name for name in _names(frame, "query_class") if name != ALL],
        "by_class": _by_class(frame.filter((pl.col("system") == system) & (pl.col("measure") == lead))),
        "identity": flatten(ablation.identity),
        "environment": flatten(ablation.environment),
    }


def _names(frame: pl.DataFrame, column: str) -> list[str]:
    names: list[str] = frame[column].unique(maintain_order=True).to_list()
    return names


def _labels(rows: pl.DataFrame) -> list[str]:
    return [_label(kind, variant) for kind, variant in rows.select("kind", "variant").rows()]


def _label(kind: str, variant: str) -> str:
    return _LABELS.get(kind, "{}").format(variant)


def _figure(kind: str, rows: pl.DataFrame, lead: str) -> dict[str, str]:
    title, note = _TITLES.get(kind, (kind, ""))
    measure = LABELS[lead]
    drawn = [
        plots.Difference(_label(kind, row["variant"]), row["delta"], row["low"], row["high"], row["adjusted_p"] < ALPHA)
        for row in rows.sort("delta", maintain_order=True).iter_rows(named=True)
    ]
    label = f"{title}: difference in {measure} from the full engine, with confidence intervals"
    return {"title": title, "note": note, "drawing": plots.forest(drawn, f"{measure}, variant − full", kind, label)}


def _rows(frame: pl.DataFrame, system: str, lead: str) -> list[dict[str, Any]]:
    """A row for each variant, the full engine first and then the largest loss, with a cell for each measure."""
    variants = frame.filter(pl.col("system") == system).partition_by("kind", "variant", maintain_order=True)
    found = [{cell["measure"]: cell for cell in variant.iter_rows(named=True)} for variant in variants]
    found.sort(key=lambda cells: (cells[lead]["kind"] != _FULL, cells[lead]["delta"]))
    return [_row(cells, cells[lead]) for cells in found]


def _by_class(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """A row for each variant, in the frame's order, with a cell for each class."""
    variants = frame.partition_by("kind", "variant", maintain_order=True)
    found = [{cell["query_class"]: cell for cell in variant.iter_rows(named=True)} for variant in variants]
    return [_row(cells, cells[ALL]) for cells in found]


def _row(cells: Mapping[str, Mapping[str, Any]], first: Mapping[str, Any]) -> dict[str, Any]:
    return {"label": _label(first["kind"], first["variant"]), "cells": cells}
