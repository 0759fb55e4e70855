from __future__ import annotations

import re

import polars as pl
import pytest

from evals.ablation_dir import Ablation
from evals.ablation_frame import SCHEMA
from evals.ablation_report import render_html, view
from tests.evals.test_report import Page

Row = tuple[str, str, float, float | None]


VARIANTS: tuple[Row, ...] = (
    ("full", "full", 0.0, None),
    ("leave-one-out", "semantic", -0.085, 0.001),
    ("leave-one-out", "lexical", -0.03, 0.2),
    ("leave-one-out", "boost<b>", 0.04, 0.03),
    ("leave-one-in", "semantic", -0.2, 0.001),
    ("leave-one-in", "lexical", -0.25, 0.001),
)


def toy(variants: tuple[Row, ...] = VARIANTS, systems: tuple[str, ...] = ("fusion",), purpose: str = "ablation") -> Ablation:
    """The given differences in nDCG@10; half of them in MRR, and a tenth of them in each class."""
    rows = [
        {
            "kind": kind,
            "variant": variant,
            "system": system,
            "measure": measure,
            "query_class": query_class,
            "queries": 40 if query_class == "all" else 20,
            "value": 0.6 + delta * share,
            "delta": delta * share,
            "low": None if p is None else delta * share - 0.04,
            "high": None if p is None else delta * share + 0.04,
            "p": p,
            "adjusted_p": p,
        }
        for kind, variant, delta, p in variants
        for system in systems
        for measure, factor in (("mrr", 0.5), ("ndcg_at_10", 1.0))
        for query_class, share in (("all", factor), ("paraphrase", factor / 10), ("apart/other-language", factor / 10))
    ]
    identity = {"suite": {"name": "toy"}, "note": "</details>"}
    return Ablation("toy", purpose, "ndcg_at_10", (), identity, {"host": "<here>"}, pl.DataFrame(rows, schema=dict(SCHEMA)))


@pytest.fixture(scope="module")
def html() -> str:
    return render_html(toy())


def test_the_verdict_names_what_is_better_and_what_is_worse() -> None:
    shown = view(toy())
    assert shown["better"] == ["without boost<b>"]
    assert shown["worse"] == ["lexical alone", "semantic alone", "without semantic"]
    assert (shown["variants"], shown["queries"], shown["full"]["value"]) == (5, 40, 0.6)
    beaten = render_html(toy())
    assert "Something beats the full engine" in beaten
    assert "Nothing beats the full engine" in render_html(toy(VARIANTS[:3]))


def test_the_measure_that_decides_comes_first_and_the_largest_loss_before_others() -> None:
    shown = view(toy())
    assert shown["measures"] == ["ndcg_at_10", "mrr"]
    assert [row["label"] for row in shown["systems"]["fusion"]] == [
        "full",
        "lexical alone",
        "semantic alone",
        "without semantic",
        "without lexical",
        "without boost<b>",
    ]
    assert shown["classes"] == ["paraphrase", "apart/other-language"]


def test_there_is_a_forest_for_each_kind_with_a_row_for_each_variant(html: str) -> None:
    drawings = re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL)
    assert [re.findall(r'aria-label="([^:"]+)', drawing)[0] for drawing in drawings] == ["Left out", "Left in"]
    assert [drawing.count("var(--bad)") > 0 for drawing in drawings] == [True, True]
    assert [drawing.count("var(--good)") > 0 for drawing in drawings] == [True, False]
    assert ">without lexical<" in drawings[0]
    assert ">lexical alone<" in drawings[1]


def test_a_sweep_shows_each_system_and_its_settings() -> None:
    sweep = (("full", "rrf_k=60", 0.0, None), ("sweep", "rrf_k=10", 0.01, 0.4), ("sweep", "rrf_k=5", -0.02, 0.04))
    shown = Page(render_html(toy(sweep, ("fusion", "lexical"), "sweep")))
    text = " ".join(shown.text)
    assert "Illumina sweep" in text
    assert len(shown.named("svg")) == 1
    assert [it["aria-label"] for it in shown.named("div") if it.get("class") == "scroll"] == [
        "All measures of fusion",
        "All measures of lexical",
        "By class",
    ]


def test_html_nests_escapes_and_asks_nothing_of_the_network(html: str) -> None:
    page = Page(html)
    assert page.open == []
    assert "boost<b>" not in html
    assert "<here>" not in html
    for tag, attributes in page.elements:
        for name in ("src", "href", "xlink:href", "action", "data", "srcset", "poster"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,")), (tag, attributes)
        assert not [name for name in attributes if name.startswith("on")]
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert html == render_html(toy())


def test_the_differences_and_their_intervals_are_in_the_table(html: str) -> None:
    text = html.replace("\n", "")
    row = re.findall(r"<tr><th scope=\"row\">without semantic</th>.*?</tr>", text)[0]
    cells = re.findall(r"<td.*?</td>", row)
    assert 'data-value="-0.085"' in cells[0]
    assert "−0.085" in cells[0]
    assert "−0.125 to −0.045" in cells[0]
    assert "bad" in cells[0]
    assert [re.sub(r"<.*?>", "", cell) for cell in cells[1:3]] == ["0.0010", "0.0010"]
    full = re.findall(r"<tr><th scope=\"row\">full</th>.*?</tr>", text)[0]
    assert re.findall(r'class="mean">([^<]*)<', full) == ["0.600", "0.600"]
