from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from evals.report import render_html, render_markdown
from evals.rundir import Check, Run, read_run, write_run
from evals.types import Corpus, Query, Ranking, RunData, Timing

GOLDEN = Path(__file__).parent / "golden"
NASTY = "</script><script>alert(\"x\")</script> <img src=x onerror=alert(1)> & 'quoted' | piped"
VOID = {"meta", "link", "input", "br", "img", "hr"}


def data(queries: int = 12, systems: tuple[str, ...] = ("fusion", "lexical")) -> RunData:
    asked, qrels, rankings, timings = [], {}, [], []
    for number in range(queries):
        name = f"conv-{number % 3}/q:{number:04}"
        query_class = ("plain", "multi|hop", "<adversarial>")[number % 3 if number % 4 else 0]
        text = NASTY if number == 1 else f"what happened on day {number}"
        asked.append(Query(name, text, query_class, "ns", f"conv-{number // 3 % 3}", query_class != "<adversarial>"))
        qrels[name] = {} if number == 4 else {f"s#D1:{number}": 1, f"s#D2:{number}": 2}
        for place, system in enumerate(systems):
            units = [f"s#other:{rank}" for rank in range((number + place) % 4)] + [f"s#D2:{number}"]
            rankings.append(Ranking(name, system, tuple(units), tuple(1 / rank for rank in range(1, len(units) + 1))))
        timings += [
            Timing(name, "fusion", "embed", number / 2),
            Timing(name, "fusion", "total", 20.0 + number),
        ]
    corpus = Corpus("toy <corpus>", "segment", {}, asked, qrels, {"repaired": 1226, "dropped": 1}, "c0ffee" * 10)
    identity = {"suite": "toy", "embedder": {"fingerprint": "f00d"}, "note": "</details>|`"}
    return RunData("toy", corpus, rankings, timings, identity, {"host": "<here>", "python": "3.11"})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    checks = [
        Check("L1 same database twice", passed=True, detail="12 answers, byte-identical"),
        Check("L2 fresh | database", passed=False, detail="first difference at <conv-1/q:0001>"),
    ]
    floors = {"fusion/ndcg_at_10": 0.2, "lexical/mrr": 0.9}
    return read_run(write_run(tmp_path_factory.mktemp("out"), data(), floors=floors, checks=checks))


class Page(HTMLParser):
    """Elements of a page; asserts that they nest."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        else:
            self.text.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def html(run: Run) -> str:
    return render_html(run)


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def test_markdown_is_the_golden_file(run: Run) -> None:
    """Set ILLUMINA_UPDATE_GOLDEN=1 to write it anew; the test then fails, so that the change is looked at."""
    golden = GOLDEN / "report.md"
    text = render_markdown(run)
    if os.environ.get("ILLUMINA_UPDATE_GOLDEN") == "1":
        golden.write_text(text, encoding="utf-8", newline="\n")
        pytest.fail(f"wrote {golden}: read it, then run again without ILLUMINA_UPDATE_GOLDEN")
    assert golden.exists(), "no golden file: write it with ILLUMINA_UPDATE_GOLDEN=1 and read it"
    assert text == golden.read_text(encoding="utf-8")


def test_markdown_tables_are_rectangular(run: Run) -> None:
    tables = re.findall(r"(?:^\|.*\n)+", render_markdown(run), flags=re.MULTILINE)
    assert len(tables) >= 7
    for table in tables:
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1, table


def test_a_run_without_floors_and_checks_is_measured_not_judged(run: Run) -> None:
    bare = dataclasses.replace(run, floors=(), checks=())
    assert "**Measured, not judged**" in render_markdown(bare)
    assert "Measured, not judged" in render_html(bare)
    passed = dataclasses.replace(run, floors=(), checks=run.checks[:1])
    assert "**Passed.** Checks: 1 of 1 passed." in render_markdown(passed)


def test_html_nests_and_asks_nothing_of_the_network(page: Page) -> None:
    assert page.open == []
    for tag, attributes in page.elements:
        for name in ("src", "href", "xlink:href", "action", "data", "srcset", "poster"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,")), (tag, attributes)
        assert not [name for name in attributes if name.startswith("on")]
    style = " ".join(page.text)
    assert "@import" not in style
    assert not re.search(r"url\((?!#)", style)


def test_html_escapes_everything(html: str, page: Page) -> None:
    assert "<script>alert" not in html
    assert "<img" not in html
    assert "<adversarial>" not in html
    assert "<here>" not in html
    assert "toy <corpus>" in "".join(page.text)
    assert len(page.named("script")) == 2


def test_html_embeds_each_query_with_the_rank_of_its_gold(run: Run, page: Page) -> None:
    embedded = json.loads(page.scripts[0])
    assert embedded["systems"] == ["fusion", "lexical"]
    assert len(embedded["rows"]) == 12
    name, query_class, cluster, text, apart, gold, values, top = embedded["rows"][1]
    assert (name, query_class, cluster, text, apart) == ("conv-1/q:0001", "multi|hop", "conv-0", NASTY, 0)
    assert [(embedded["units"][unit], grade, ranks) for unit, grade, ranks in gold] == [
        ("s#D2:1", 2, [2, 3]),
        ("s#D1:1", 1, [0, 0]),
    ]
    assert embedded["measures"][embedded["primary"]] == "nDCG@10"
    measured = [row[embedded["primary"]] for row in values]
    assert measured == [pytest.approx(value, abs=5e-4) for value in run.per_query.filter(query_id=name)["ndcg_at_10"].to_list()]
    # The fusion's first results, with the rank that the arm gave them.
    assert [(embedded["units"][unit], rank) for unit, rank in top] == [("s#other:0", 1), ("s#D2:1", 3)]
    assert embedded["rows"][4][5] == []
    assert embedded["rows"][4][6] == []


def test_html_is_usable_on_a_phone_and_by_a_screen_reader(page: Page) -> None:
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in page.named("meta")
    assert page.named("html") == [{"lang": "en"}]
    plots = page.named("svg")
    assert len(plots) == 3
    for plot in plots:
        assert plot["role"] == "img"
        assert plot["aria-label"]
        assert "width" not in plot
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    regions = [attributes for attributes in page.named("div") if attributes.get("class") == "scroll"]
    assert len(regions) == len(page.named("table"))
    assert all(region["tabindex"] == "0" and region["aria-label"] for region in regions)
    assert "aria-sort" in page.scripts[1]


def test_the_pages_policy_admits_its_own_script_and_nothing_else(page: Page) -> None:
    (policy,) = [it["content"] for it in page.named("meta") if it.get("http-equiv") == "Content-Security-Policy"]
    digest = base64.b64encode(hashlib.sha256(page.scripts[1].encode()).digest()).decode()
    assert policy is not None
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}';")


def test_html_is_the_same_bytes_twice(run: Run, html: str) -> None:
    assert render_html(run) == html


def test_plots_use_the_pages_colours_only(html: str) -> None:
    drawings = re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL)
    assert len(drawings) == 3
    for drawing in drawings:
        assert not re.findall(r"#[0-9a-f]{6}\b", drawing)
        assert "var(--ink)" in drawing
        assert "http" not in drawing


def test_no_timings_no_latency_plot(run: Run) -> None:
    page = Page(render_html(dataclasses.replace(run, timing=run.timing.clear())))
    assert len(page.named("svg")) == 2


def test_a_run_of_questions_without_an_answer_says_so_in_its_plot(tmp_path: Path) -> None:
    """A warning of matplotlib, whose axes cannot begin where they end, would be an error here."""
    answered = data(3)
    corpus = dataclasses.replace(answered.corpus, qrels={query.id: {} for query in answered.corpus.queries})
    html = render_html(read_run(write_run(tmp_path, dataclasses.replace(answered, corpus=corpus))))
    assert "no query has a relevant unit" in html


def test_two_thousand_queries_and_three_systems_stay_small(tmp_path: Path) -> None:
    path = write_run(tmp_path, data(2000, ("fusion", "semantic", "lexical")))
    assert (path / "report.html").stat().st_size < 2_000_000
