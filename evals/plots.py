"""Plots as SVG to stand inside an HTML page: equal bytes from equal numbers, the page's own colours.

Text stays text, in the page's font, and each colour is a custom property (`--ink`, `--series-1`, …), so one
drawing serves light, dark and print.
"""

from __future__ import annotations

import html
import io
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from evals.measure import Group, Summary

# Stand-ins that matplotlib writes and the page's custom properties replace; no drawing uses them by chance.
_INK: Final = "#010a01"
_MUTED: Final = "#010a02"
_LINE: Final = "#010a03"
_PANEL: Final = "#010a06"
_GOOD: Final = "#010a04"
_BAD: Final = "#010a05"
_SERIES: Final = [f"#010b0{number}" for number in range(1, 9)]
_PROPERTIES: Final = {
    _INK: "var(--ink)",
    _MUTED: "var(--muted)",
    _LINE: "var(--line)",
    _PANEL: "var(--panel)",
    _GOOD: "var(--good)",
    _BAD: "var(--bad)",
    **{colour: f"var(--series-{number})" for number, colour in enumerate(_SERIES, start=1)},
}
_MARKERS: Final = "osD^vPX*"
_WIDTH: Final = 5.6  # inches of 72 units; narrow, so that the text is legible when scaled to a phone
_STYLE: Final[dict[str, Any]] = {
    "axes.axisbelow": True,
    "axes.edgecolor": _LINE,
    "axes.grid": True,
    "axes.labelcolor": _MUTED,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 11,
    "grid.color": _LINE,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.labelcolor": _INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "illumina",
    "text.color": _INK,
    "text.parse_math": False,
    "xtick.color": _LINE,
    "xtick.labelcolor": _INK,
    "ytick.color": _LINE,
    "ytick.labelcolor": _INK,
}


def recall_by_depth(summary: Summary) -> str:
    """Mean recall at each depth, one line a system, with intervals; headline queries."""
    depths = (5, 10, 20, 50)
    with _Drawing(3.5) as drawing:
        axes = drawing.axes
        count = len(summary.systems)
        for number, (system, found) in enumerate(summary.systems.items()):
            offset = (number - (count - 1) / 2) * min(0.09, 0.5 / count)
            colour, marker = _look(number)
            xs, means = [], []
            for position, depth in enumerate(depths):
                estimate = found.headline.measures[f"recall_at_{depth}"]
                if estimate.mean is None:
                    continue
                x = position + offset
                xs.append(x)
                means.append(estimate.mean)
                if estimate.low is not None and estimate.high is not None:
                    axes.plot([x, x], [estimate.low, estimate.high], color=colour, linewidth=1.4)
            axes.plot(xs, means, color=colour, marker=marker, markersize=4.5, linewidth=1.2, label=system)
        axes.set_xticks(range(len(depths)), [str(depth) for depth in depths])
        axes.set_xlabel("k")
        axes.set_ylabel("recall@k")
        axes.set_ylim(0, 1.02)
        axes.grid(visible=False, axis="x")
        drawing.legend(summary.systems)
        return drawing.svg("recall", "Recall at 5, 10, 20 and 50 by system, with confidence intervals")


def ndcg_by_class(summary: Summary) -> str:
    """Mean nDCG@10 of each class, one point a system, with intervals; classes reported apart come last."""
    first = next(iter(summary.systems.values()))
    classes: list[tuple[str, str, Group]] = [
        *(("classes", name, group) for name, group in first.classes.items() if group.queries),
        *(("apart", name, group) for name, group in first.apart.items() if group.queries),
    ]
    count = len(summary.systems)
    height = max(len(classes), 1)  # limits of an axis must differ, even where every query is without an answer
    with _Drawing(1.1 + height * (0.24 + 0.15 * count)) as drawing:
        axes = drawing.axes
        for number, (system, found) in enumerate(summary.systems.items()):
            colour, marker = _look(number)
            offset = (number - (count - 1) / 2) * 0.75 / count
            for row, (kind, name, _) in enumerate(classes):
                group = (found.classes if kind == "classes" else found.apart)[name]
                estimate = group.measures["ndcg_at_10"]
                if estimate.mean is None:
                    continue
                y = row + offset
                if estimate.low is not None and estimate.high is not None:
                    axes.plot([estimate.low, estimate.high], [y, y], color=colour, linewidth=1.4)
                axes.plot([estimate.mean], [y], color=colour, marker=marker, markersize=4.5, linestyle="none")
            axes.plot([], [], color=colour, marker=marker, markersize=4.5, linewidth=1.2, label=system)
        labels = [f"{name}\nn = {group.queries:,}" + (", apart" if kind == "apart" else "") for kind, name, group in classes]
        axes.set_yticks(range(len(classes)), labels)
        axes.set_ylim(height - 0.5, -0.5)
        axes.set_xlim(0, 1.02)
        if not classes:
            axes.text(0.51, 0, "no query has a relevant unit", color=_MUTED, ha="center", va="center")
        axes.set_xlabel("nDCG@10")
        axes.grid(visible=False, axis="y")
        for edge in range(1, len(classes)):
            axes.axhline(edge - 0.5, color=_LINE, linewidth=0.6)
        drawing.legend(summary.systems)
        return drawing.svg("classes", "nDCG@10 by query class and system, with confidence intervals")


class Difference(NamedTuple):
    """One row of a forest plot: a mean difference, its interval, and whether it is significant."""

    label: str
    mean: float
    low: float | None
    high: float | None
    significant: bool


def forest(rows: Sequence[Difference], axis: str, name: str, label: str) -> str:
    """Mean differences with their intervals, one below the other, and a line where nothing changed.

    Args:
        rows: From top to bottom; what is significant is filled, and coloured by its direction.
        axis: What the differences are of.
        name: Unique on the page.
        label: The drawing's accessible name.
    """
    height = max(len(rows), 1)
    with _Drawing(0.9 + 0.4 * height) as drawing:
        axes = drawing.axes
        for place, row in enumerate(rows):
            colour = _MUTED if not row.significant else _GOOD if row.mean > 0 else _BAD
            if row.low is not None and row.high is not None:
                axes.plot([row.low, row.high], [place, place], color=colour, linewidth=1.4)
            # Where it is not significant the point is hollow: colour alone does not say it.
            fill = colour if row.significant else _PANEL
            axes.plot([row.mean], [place], color=colour, markerfacecolor=fill, marker="o", markersize=5.5, linestyle="none")
        axes.axvline(0, color=_MUTED, linewidth=1)
        axes.set_yticks(range(len(rows)), [row.label for row in rows])
        axes.set_ylim(height - 0.5, -0.5)
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlabel(axis)
        axes.grid(visible=False, axis="y")
        return drawing.svg(name, label)


def latency_by_stage(timing: pl.DataFrame, systems: Mapping[str, object]) -> str:
    """Median, quartiles and 5th to 95th percentile of each stage's milliseconds, on a logarithmic axis."""
    stages = timing.select("system", "stage").unique(maintain_order=True).rows()
    order = {system: number for number, system in enumerate(systems)}
    with _Drawing(0.8 + 0.3 * len(stages)) as drawing:
        axes = drawing.axes
        for row, (system, stage) in enumerate(stages):
            chosen = timing.filter((pl.col("system") == system) & (pl.col("stage") == stage))["milliseconds"]
            # A clock's resolution can round to nothing, which a logarithmic axis cannot show.
            marks = [max(_quantile(chosen, share), 1e-3) for share in (0.05, 0.25, 0.5, 0.75, 0.95)]
            colour, _ = _look(order.get(system, len(order)))
            axes.plot([marks[0], marks[4]], [row, row], color=colour, linewidth=1.4)
            axes.plot([marks[1], marks[3]], [row, row], color=colour, linewidth=7, solid_capstyle="butt")
            axes.plot([marks[2]], [row], color=_INK, marker="|", markersize=11, markeredgewidth=1.8)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.minorticks_off()
        axes.set_yticks(range(len(stages)), [f"{system} · {stage}" for system, stage in stages])
        axes.set_ylim(len(stages) - 0.4, -0.6)
        axes.set_xlabel("milliseconds")
        axes.grid(visible=False, axis="y")
        return drawing.svg("latency", "Latency of each stage: median, quartiles, 5th to 95th percentile")


def _quantile(values: pl.Series, share: float) -> float:
    value = values.quantile(share, "linear")
    return 0.0 if value is None else float(value)


def _look(number: int) -> tuple[str, str]:
    return _SERIES[number % len(_SERIES)], _MARKERS[number % len(_MARKERS)]


class _Drawing:
    """A figure in the reports' style, within a `with` block that keeps matplotlib's settings to itself."""

    def __init__(self, height: float) -> None:
        # More than a second of import that only reports need.
        import matplotlib as mpl  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415

        self._context = mpl.rc_context()
        self._context.__enter__()
        mpl.rcdefaults()  # whatever the user's own matplotlibrc says
        mpl.rcParams.update(_STYLE)
        self._figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        self.axes = self._figure.subplots()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._context.__exit__(None, None, None)

    def legend(self, names: Collection[str]) -> None:
        """A legend below the axes, with as many columns as fit."""
        columns = max(1, min(len(names), 60 // (5 + max(map(len, names)))))
        self._figure.legend(loc="outside lower center", ncols=columns, handlelength=1.2, columnspacing=1.1)

    def svg(self, name: str, label: str) -> str:
        """The drawing as an `<svg>` element with `label` as its accessible name and `name` before each id."""
        buffer = io.StringIO()
        self._figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
        text = buffer.getvalue()
        text = text[text.index("<svg") :]
        text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
        box = re.search(r'viewBox="([^"]+)"', text)
        if box is None:
            raise AssertionError("matplotlib wrote an SVG without a viewBox")
        head = f'<svg class="plot" viewBox="{box[1]}" role="img" aria-label="{html.escape(label)}">'
        text = head + text[text.index(">") + 1 :]
        text = re.sub(r'\b(id="|href="#|url\(#)', rf"\g<1>{name}-", text)
        for colour, value in _PROPERTIES.items():
            text = text.replace(colour, value)
        return re.sub(r"\n\s*", "\n", text)
