from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evals.comparison import compare
from evals.rundir import Check, Run, read_run, write_run
from tests.evals import test_ablation_report, test_comparison_report, test_report
from tests.evals.test_report import Page

if TYPE_CHECKING:
    from evals.comparison import Comparison


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    checks = [Check("L1 <same>", passed=True), Check("L2 <fresh>", passed=False)]
    floors = {"fusion/ndcg_at_10": 0.2, "lexical/mrr": 0.9}
    return read_run(write_run(tmp_path_factory.mktemp("out"), test_report.data(), floors=floors, checks=checks))


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    out = tmp_path_factory.mktemp("out")
    sides = (("a", test_comparison_report.OLD), ("b", test_comparison_report.NEW))
    old, new = (read_run(write_run(out, test_comparison_report.data(code, ranks))) for code, ranks in sides)
    return compare(old, new, family=["ndcg_at_10", "mrr"])


def texts(html: str) -> list[list[str]]:
    """The rows of all tables as texts; asserts that the fragment nests, runs nothing and asks for nothing."""
    page = Page(html)
    assert page.open == []
    assert not {tag for tag, _ in page.elements} & {"script", "style", "img", "link", "iframe", "a"}
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    for style in re.findall(r'style="([^"]*)"', html):
        # Whatever the notebook's theme is: its own colours.
        assert not re.search(r"#[0-9a-f]{3}|rgb|background|url", style)
    rows = re.findall(r"<tr>(.*?)</tr>", html, flags=re.DOTALL)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def test_a_run_shows_its_verdict_and_every_system(run: Run) -> None:
    html = run._repr_html_()
    head, *rows = texts(html)
    assert head == ["system", "queries", "nDCG@10", "recall@10", "MRR"]
    assert [row[0] for row in rows] == ["fusion", "lexical"]
    estimate = run.summary.systems["fusion"].headline.measures["mrr"]
    assert rows[0][4] == f"{estimate.mean:.3f} ({estimate.low:.3f}–{estimate.high:.3f})"
    assert "<strong>failed</strong> · lexical/mrr misses its floor; L2 &lt;fresh&gt; failed" in html
    assert len(html) < 4000
    assert "<strong>measured, not judged</strong>" in replace(run, floors=(), checks=())._repr_html_()


def test_a_comparison_shows_what_changed_and_what_broke(compared: Comparison) -> None:
    html = compared._repr_html_()
    rows = texts(html)
    assert rows[1][:4] == ["nDCG@10", "0.678", "0.553", "−0.124"]
    assert rows[4] == ["what happened on day 5", "&lt;adversarial&gt;", "fusion only", "−0.760"]
    assert "5 queries lost, 2 won" in html
    assert "&lt;/script&gt;" in html
    assert len(html) < 6000


def test_what_is_not_comparable_says_why(compared: Comparison) -> None:
    other = replace(compared.new, identity={**compared.new.identity, "measure_version": 2})
    html = compare(compared.old, other)._repr_html_()
    assert texts(html) == []
    assert "not comparable" in html
    assert "measure_version is 1 in the old run" in html


def test_a_baseline_has_no_texts_and_shows_ids(compared: Comparison) -> None:
    sides = [
        replace(side, queries=tuple(replace(query, text="") for query in side.queries)) for side in (compared.old, compared.new)
    ]
    html = compare(*sides, family=["ndcg_at_10", "mrr"])._repr_html_()
    assert texts(html)[4][0] == "conv-2/q:0005"


def test_an_ablation_shows_its_variants_the_greatest_loss_first() -> None:
    html = test_ablation_report.toy()._repr_html_()
    rows = texts(html)
    assert [row[0] for row in rows[1:]] == [
        "full",
        "lexical alone",
        "semantic alone",
        "without semantic",
        "without lexical",
        "without boost&lt;b&gt;",
    ]
    assert rows[4][1:] == ["0.515", "−0.085", "−0.125 to −0.045", "0.0010"]
    assert "something beats the full engine" in html
    many = tuple(("leave-one-out", f"part {number}", -0.001 * number, 0.9) for number in range(30))
    assert "20 more variants." in test_ablation_report.toy((test_ablation_report.VARIANTS[0], *many))._repr_html_()
