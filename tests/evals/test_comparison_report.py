from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evals.baseline import read_baseline, record_of, write_baseline
from evals.comparison import Comparison, compare
from evals.comparison_report import render_html, render_markdown, write_comparison
from evals.gate import Judgement, judge
from evals.policy import GateMeasure, GatePolicy
from evals.rundir import Run, read_run, write_run
from evals.types import Corpus, Query, Ranking, RunData
from tests.evals.test_report import NASTY, Page

if TYPE_CHECKING:
    from collections.abc import Sequence

GOLDEN = Path(__file__).parent / "golden" / "comparison.md"
POLICY = GatePolicy(
    Path("toy.json"),
    (GateMeasure("ndcg_at_10", 0.01), GateMeasure("mrr", 0.01, decimals=2)),
    must_pass={"conv-0/q:0000": 1, "conv-2/q:0005": 1},
)


def data(code: str, ranks: Sequence[int]) -> RunData:
    """Twelve questions in two systems; the best gold unit of each is at the given rank, or not retrieved if 0."""
    asked, qrels, rankings = [], {}, []
    for number, rank in enumerate(ranks):
        name = f"conv-{number % 3}/q:{number:04}"
        query_class = ("plain", "multi|hop", "<adversarial>")[number % 3 if number % 4 else 0]
        text = NASTY if number == 1 else f"what happened on day {number}"
        asked.append(Query(name, text, query_class, "ns", f"conv-{number // 2}", query_class != "<adversarial>"))
        qrels[name] = {} if number == 4 else {f"s#D1:{number}": 1, f"s#D2:{number}": 2}
        for system, place in (("fusion", rank), ("lexical", 2)):
            units = [f"s#other:{other}" for other in range(1, 12)]
            if place:
                units[place - 1] = f"s#D2:{number}"
            rankings.append(Ranking(name, system, tuple(units), tuple(1 / (1 + it) for it in range(len(units)))))
    corpus = Corpus("toy <corpus>", "segment", {}, asked, qrels, {}, "c0ffee" * 10)
    identity = {
        "suite": {"name": "toy", "depth": 50},
        "corpus": {"name": "toy <corpus>", "digest": "c0ffee" * 10},
        "engine": {"code": code * 64, "ranking": {"note": "</td>|`" if code == "b" else "plain"}},
        "measure_version": 1,
    }
    return RunData("toy", corpus, rankings, [], identity, {"host": "here"})


OLD = (1, 1, 2, 1, 1, 1, 2, 1, 1, 3, 1, 0)
NEW = (2, 3, 2, 1, 1, 0, 2, 1, 2, 1, 4, 5)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run]:
    out = tmp_path_factory.mktemp("out")
    first, second = (read_run(write_run(out, data(code, ranks))) for code, ranks in (("a", OLD), ("b", NEW)))
    return first, second


@pytest.fixture(scope="module")
def compared(runs: tuple[Run, Run]) -> Comparison:
    return compare(*runs, family=["ndcg_at_10", "mrr"])


@pytest.fixture(scope="module")
def judgement(compared: Comparison) -> Judgement:
    return judge(compared, POLICY)


def test_markdown_is_the_golden_file(compared: Comparison, judgement: Judgement) -> None:
    """Set ILLUMINA_UPDATE_GOLDEN=1 to write it anew; the test then fails, so that the change is looked at."""
    text = render_markdown(compared, judgement, POLICY)
    if os.environ.get("ILLUMINA_UPDATE_GOLDEN") == "1":
        GOLDEN.write_text(text, encoding="utf-8", newline="\n")
        pytest.fail(f"wrote {GOLDEN}: read it, then run again without ILLUMINA_UPDATE_GOLDEN")
    assert GOLDEN.exists(), "no golden file: write it with ILLUMINA_UPDATE_GOLDEN=1 and read it"
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_markdown_tables_are_rectangular(compared: Comparison, judgement: Judgement) -> None:
    tables = re.findall(r"(?:^\|.*\n)+", render_markdown(compared, judgement, POLICY), flags=re.MULTILINE)
    assert len(tables) >= 7
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1, table


def test_the_verdict_comes_first(compared: Comparison, judgement: Judgement) -> None:
    assert judgement.verdict == "regressed"
    lines = [line for line in render_markdown(compared, judgement, POLICY).splitlines() if line]
    assert lines[1] == "**Regressed.** 5 queries lost, 2 won, by nDCG@10."
    assert lines[2].startswith("- **regressed** `conv-0/q:0000`: must pass")
    assert "**Compared, not judged.**" in render_markdown(compared)


def test_what_waits_for_an_acknowledgement_shows_its_line(compared: Comparison) -> None:
    judged = judge(compared, replace(POLICY, must_pass={}))
    assert judged.verdict == "needs-ack"
    text = render_markdown(compared, judged, POLICY)
    line = json.loads(re.findall(r"^\{.*\}$", text, flags=re.MULTILINE)[0])
    assert line == {"old": compared.old.digest[:12], "new": compared.new.digest[:12], "measure": "ndcg_at_10", "reason": ""}
    assert "&#34;reason&#34;" in render_html(compared, judged, POLICY)


def test_long_lists_are_cut_in_markdown(compared: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evals.comparison_report.MOST_QUERIES", 2)
    assert "… and 3 more, in the HTML." in render_markdown(compared)


def test_html_nests_escapes_and_asks_nothing_of_the_network(compared: Comparison, judgement: Judgement) -> None:
    html = render_html(compared, judgement, POLICY)
    page = Page(html)
    assert page.open == []
    for tag, attributes in page.elements:
        for name in ("src", "href", "xlink:href", "action", "data", "srcset", "poster"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,")), (tag, attributes)
        assert not [name for name in attributes if name.startswith("on")]
    assert "<adversarial>" not in html
    assert "<script>alert" not in html
    assert "</td>|`" not in html
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    regions = [attributes for attributes in page.named("div") if attributes.get("class") == "scroll"]
    assert len(regions) == len(page.named("table"))
    assert len(page.named("svg")) == 1
    assert html == render_html(compared, judgement, POLICY)


def test_html_has_each_query_with_the_old_and_new_rank_of_its_gold(compared: Comparison) -> None:
    embedded = json.loads(Page(render_html(compared)).scripts[0])
    units, rows = embedded["units"], embedded["rows"]
    assert embedded["systems"] == ["fusion", "lexical"]
    assert embedded["measures"][0] == "nDCG@10"
    assert len(rows) == 11  # one has no gold
    name, query_class, cluster, text, apart, gold, values, broke = rows[1]
    assert (name, query_class, cluster, text, apart) == ("conv-1/q:0001", "multi|hop", "conv-0", NASTY, 0)
    assert [(units[unit], grade, ranks) for unit, grade, ranks in gold] == [
        ("s#D2:1", 2, [[1, 3], [2, 2]]),
        ("s#D1:1", 1, [[0, 0], [0, 0]]),
    ]
    assert values[0] == [0.76, 0.38]
    assert (broke[0], units[broke[1]]) == ("fusion only", "s#D2:1")
    assert [row[7] is not None for row in rows] == [row[6][0][1] < row[6][0][0] for row in rows]


def test_what_is_not_comparable_has_no_figures(runs: tuple[Run, Run], tmp_path: Path) -> None:
    other = replace(record_of(runs[1]), identity={**runs[1].identity, "measure_version": 2})
    apart = compare(runs[0], other)
    judged = judge(apart, POLICY)
    for path in (write_comparison(tmp_path, apart, judged), write_comparison(tmp_path, apart)):
        text = path.read_text(encoding="utf-8")
        assert "measure_version is 1 in the old run and 2 in the new one" in text
        assert "nDCG" not in text
        page = Page(path.with_suffix(".html").read_text(encoding="utf-8"))
        assert page.open == []
        assert page.named("svg") == []


class TestBaseline:
    def test_a_baseline_compares_as_its_run_does(self, runs: tuple[Run, Run], compared: Comparison, tmp_path: Path) -> None:
        for side, run in enumerate(runs):
            path = tmp_path / f"{side}.json"
            write_baseline(record_of(run), path)
            assert read_baseline(path) == record_of(run)
            write_baseline(read_baseline(path), tmp_path / "again.json")
            assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
        stored = compare(read_baseline(tmp_path / "0.json"), read_baseline(tmp_path / "1.json"), family=["ndcg_at_10", "mrr"])
        assert stored.systems == compared.systems
        assert stored.changes == compared.changes

    def test_it_has_a_line_for_each_query_and_no_text(self, runs: tuple[Run, Run], tmp_path: Path) -> None:
        write_baseline(record_of(runs[0]), tmp_path / "b.json")
        text = (tmp_path / "b.json").read_text(encoding="utf-8")
        assert len(re.findall(r'^\{"class"', text, flags=re.MULTILINE)) == 11
        assert "what happened" not in text
        summary = json.loads(text)["summary"]
        mean = runs[0].summary.systems["fusion"].headline.measures["mrr"].mean
        assert summary["fusion"]["mrr"] == pytest.approx(mean, abs=1e-9)
