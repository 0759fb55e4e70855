"""The reports as a browser shows them: wide and narrow, light and dark, with the keyboard alone, on paper.

What fonts a machine has changes every pixel, so geometry, colours and behaviour are asserted, and the pictures are left in
`.cache/pages` to be looked at.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from evals import ablation_report, comparison_report, report
from evals.comparison import compare
from evals.gate import judge
from evals.rundir import Check, read_run, write_run
from tests.browser import Browser, find_chromium
from tests.evals import test_ablation_report, test_comparison_report, test_report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.browser import Tab

pytestmark = pytest.mark.browser

PICTURES: Final = Path(__file__).parents[2] / ".cache" / "pages"
PAGES: Final = ("run", "comparison", "ablation")
QUERIES: Final = 60
DESKTOP: Final = 1280
PHONE: Final = 390
PAPER: Final = 718  # A4 between margins of 1 cm, in pixels of 1/96 inch

INTERACTIVE: Final = """
  [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')]
    .filter((node) => !node.disabled && node.checkVisibility())"""
LUMINANCE: Final = """
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$/.test(colour)) return luminance(colour);
    }
    return 1;
  };"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    binary = find_chromium()
    assert binary is not None, "no Chromium: apt-get install chromium"
    with Browser(binary) as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The three reports as files."""
    out = tmp_path_factory.mktemp("pages")
    PICTURES.mkdir(parents=True, exist_ok=True)
    checks = [Check("L1 same database twice", passed=True, detail="byte-identical"), Check("L2 fresh database", passed=False)]
    data = test_report.data(QUERIES, ("fusion", "semantic", "lexical"))
    run = read_run(write_run(out, data, floors={"fusion/ndcg_at_10": 0.2, "lexical/mrr": 0.9}, checks=checks))
    old, new = (
        read_run(write_run(out, test_comparison_report.data(code, ranks)))
        for code, ranks in (("a", test_comparison_report.OLD), ("b", test_comparison_report.NEW))
    )
    policy = test_comparison_report.POLICY
    compared = compare(old, new, family=["ndcg_at_10", "mrr"])
    texts = {
        "run": report.render_html(run),
        "comparison": comparison_report.render_html(compared, judge(compared, policy), policy),
        "ablation": ablation_report.render_html(test_ablation_report.toy()),
    }
    for name, text in texts.items():
        (out / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: out / f"{name}.html" for name in texts}


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_legible_and_quiet(browser: Browser, pages: dict[str, Path], name: str, width: int) -> None:
    with browser.open(pages[name], width=width) as tab:
        look_at(tab, f"{name}-{width}", width)
        if name != "ablation":
            open_first_query(tab)
            look_at(tab, f"{name}-query-{width}", width)
        assert tab.requests() == []
        assert tab.complaints() == []


def look_at(tab: Tab, picture: str, width: int) -> None:
    check_geometry(tab, width)
    for scheme in ("light", "dark"):
        tab.prefer(scheme)
        check_colours(tab, dark=scheme == "dark")
        tab.picture(PICTURES / f"{picture}-{scheme}.png")


def check_geometry(tab: Tab, width: int) -> None:
    """Nothing makes the page scroll sideways; what is wide scrolls within itself; figures are legible and aligned."""
    assert tab.evaluate("[innerWidth, document.documentElement.scrollWidth]") == [width, width]
    outside = tab.evaluate(
        """[...document.body.querySelectorAll('*')].filter((node) => node.checkVisibility()
          && !node.closest('.scroll > *, svg *, .skip, noscript')
          && (node.getBoundingClientRect().right > innerWidth + 1 || node.getBoundingClientRect().left < 0))
          .map((node) => node.outerHTML.slice(0, 80))"""
    )
    assert outside == []
    small = tab.evaluate(
        """[...document.querySelectorAll('svg text')].filter((node) => node.checkVisibility())
          .map((node) => node.getBoundingClientRect().height).filter((height) => height < 8)"""
    )
    assert small == []
    # Right edges of a column's heading and its figures.
    ragged = tab.evaluate(
        """[...document.querySelectorAll('table')].filter((table) => table.checkVisibility()).flatMap((table) => {
          const right = (node) => { const range = document.createRange(); range.selectNodeContents(node);
            return range.getBoundingClientRect().right; };
          return [...table.tHead.rows[0].cells].map((head, index) => [head, table.tBodies[0].rows[0]?.cells[index]])
            .filter(([head, cell]) => head.classList.contains('num') && cell?.classList.contains('num')
              && getComputedStyle(head).display !== 'none')
            .map(([head, cell]) => Math.abs(right(head) - right(cell))).filter((gap) => gap > 1.5);
        })"""
    )
    assert ragged == []


def check_colours(tab: Tab, *, dark: bool) -> None:
    """Every text has the contrast that WCAG 2 asks of text (1.4.3), against whatever lies behind it."""
    assert (tab.evaluate(f"(() => {{ {LUMINANCE} return background(document.body); }})()") < 0.1) == dark
    faint = tab.evaluate(
        f"""(() => {{ {LUMINANCE}
          return [...document.body.querySelectorAll('*')].filter((node) => node.checkVisibility() && !node.closest('svg')
              && !node.disabled && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
            .map((node) => {{
              const [a, b] = [luminance(getComputedStyle(node).color), background(node)].sort((x, y) => y - x);
              return [(a + 0.05) / (b + 0.05), node.outerHTML.slice(0, 80)];
            }}).filter(([ratio]) => ratio < 4.5);
        }})()"""
    )
    assert faint == []


@pytest.mark.parametrize("name", PAGES)
def test_everything_is_reached_by_tab_and_shows_its_focus(browser: Browser, pages: dict[str, Path], name: str) -> None:
    with browser.open(pages[name], width=DESKTOP) as tab:
        tab.evaluate(f"window.wanted = {INTERACTIVE}, window.reached = new Set(), 0")
        tab.press("Tab")
        first = tab.evaluate(
            "[document.activeElement.className, document.activeElement.getBoundingClientRect().top >= 0,"
            " document.activeElement.getAttribute('href')]"
        )
        assert first == ["skip", True, "#main"]
        for _ in range(tab.evaluate("wanted.length")):
            shown = tab.evaluate(
                "(() => { const node = document.activeElement; reached.add(node); const style = getComputedStyle(node);"
                " return [style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1, node.outerHTML] })()"
            )
            assert shown[0], shown[1]
            tab.press("Tab")
        missed = tab.evaluate("wanted.filter((node) => !reached.has(node)).map((node) => node.outerHTML.slice(0, 80))")
        assert missed == []


def column(tab: Tab, table: str, index: int) -> list[str]:
    """A column's texts from top to bottom, of a group of rows the first."""
    found: list[str] = tab.evaluate(
        f"""(() => {{ const table = document.querySelector('{table}');
          const rows = table.tBodies.length > 1 ? [...table.tBodies].map((body) => body.rows[0]) : [...table.tBodies[0].rows];
          return rows.map((row) => row.cells[{index}].dataset.value ?? row.cells[{index}].firstChild.textContent); }})()"""
    )
    return found


def sort_by(tab: Tab, table: str, index: int) -> str:
    """Press Enter on a heading and say how its column is sorted then."""
    tab.evaluate(f"document.querySelectorAll('{table} thead th')[{index}].querySelector('button').focus()")
    tab.press("Enter")
    marked: list[list[Any]] = tab.evaluate(
        f"[...document.querySelectorAll('{table} thead th')].map((head, place) => [place, head.getAttribute('aria-sort')])"
        ".filter(([, sorted]) => sorted)"
    )
    assert [place for place, _ in marked] == [index]
    return str(marked[0][1])


@pytest.mark.parametrize(
    ("name", "table", "index"),
    [
        ("run", "table.sortable.named", 6),
        ("run", "[aria-labelledby=classes] table", 6),
        ("run", "[aria-labelledby=classes] table", 0),
        ("run", "#rows", 3),
        ("run", "#rows", 0),
        ("comparison", "table.sortable.named", 3),
        ("comparison", "#rows", 5),
        ("ablation", "table.sortable", 1),
    ],
)
def test_a_table_is_sorted_by_enter_on_its_heading(
    browser: Browser, pages: dict[str, Path], name: str, table: str, index: int
) -> None:
    def order(texts: list[str]) -> list[Any]:
        if index:
            return [float(text.replace("−", "-")) for text in texts]
        return [[int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)] for text in texts]

    with browser.open(pages[name], width=DESKTOP) as tab:
        if sort_by(tab, table, index) == "descending":  # the list starts sorted by one of its columns
            assert sort_by(tab, table, index) == "ascending"
        rising = order(column(tab, table, index))
        assert len(rising) >= 2
        assert rising == sorted(rising)
        assert sort_by(tab, table, index) == "descending"
        falling = order(column(tab, table, index))
        assert falling == sorted(falling, reverse=True)
        assert tab.evaluate("document.activeElement.closest('thead') !== null"), "the focus stays on the heading"


def test_the_list_is_searched_chosen_and_turned_by_keyboard(browser: Browser, pages: dict[str, Path]) -> None:
    with browser.open(pages["run"], width=DESKTOP) as tab:

        def count() -> str:
            return str(tab.evaluate("document.getElementById('count').textContent"))

        assert count() == f"{QUERIES} queries"
        assert len(column(tab, "#rows", 0)) == 25
        tab.evaluate("document.getElementById('next').focus()")
        tab.press("Enter")
        assert tab.evaluate("document.getElementById('page').textContent") == "26 to 50"
        tab.evaluate("document.getElementById('filter').focus()")
        tab.write("on day 7")
        assert count() == f"1 of {QUERIES} queries"
        assert column(tab, "#rows", 0) == ["what happened on day 7"]
        tab.write("x")
        assert count() == f"0 of {QUERIES} queries"
        tab.evaluate("document.getElementById('filter').select()")
        tab.write("s#d2:1")  # a unit's name, whatever its case
        assert {text[:22] for text in column(tab, "#rows", 0)} >= {"what happened on day 1"}
        tab.evaluate("document.getElementById('filter').select()")
        tab.write(" ")
        assert count() == f"{QUERIES} queries"
        tab.evaluate("document.getElementById('class').focus()")
        tab.press("ArrowDown")
        chosen = tab.evaluate("document.getElementById('class').value")
        assert chosen == "<adversarial>"
        assert set(column(tab, "#rows", 1)) == {"<adversarial> (apart)"}
        tab.evaluate("document.getElementById('show').focus()")
        tab.press("ArrowDown")
        assert tab.evaluate("document.getElementById('show').value") == "no gold in the first 10"
        assert count() == f"0 of {QUERIES} queries"
        assert tab.evaluate("document.getElementById('page').textContent") == "none"


def open_first_query(tab: Tab) -> None:
    tab.evaluate("document.querySelector('#rows tbody a').focus()")
    tab.press("Enter")
    tab.evaluate("new Promise((done) => setTimeout(done, 50))")
    assert tab.evaluate("document.activeElement.id") == "query"


def test_a_question_opens_its_page_and_the_way_back_is_open(browser: Browser, pages: dict[str, Path]) -> None:
    with browser.open(pages["comparison"], width=DESKTOP) as tab:
        title = tab.evaluate("document.title")
        open_first_query(tab)
        assert tab.evaluate("document.title").endswith(title)
        heading = tab.evaluate("document.getElementById('query').textContent")
        assert heading == "what happened on day 5", "the greatest loss comes first"
        tables = tab.evaluate(
            "[...document.querySelectorAll('#one table')].map((table) => [...table.rows].map((row) =>"
            " [...row.cells].map((cell) => cell.textContent)))"
        )
        assert tables[0][1] == ["nDCG@10", "0.760", "0.000", "−0.760"]
        assert tables[1][0] == ["Unit", "Grade", "fusion", "lexical"]
        assert ["s#D2:5", "2", "1 → –", "2"] in tables[1]
        assert tab.evaluate("document.querySelector('.broken').textContent") == "What broke it: fusion only, for s#D2:5"
        assert not tab.evaluate("document.getElementById('list').checkVisibility()")
        address = tab.evaluate("location.hash")
        tab.evaluate("[...document.querySelectorAll('.steps a')].at(-1).focus()")
        tab.press("Enter")
        tab.evaluate("new Promise((done) => setTimeout(done, 50))")
        assert tab.evaluate("document.getElementById('query').textContent") == "what happened on day 10"
        tab.evaluate("document.querySelector('.steps a').focus()")
        tab.press("Enter")
        tab.evaluate("new Promise((done) => setTimeout(done, 50))")
        assert tab.evaluate("document.getElementById('list').checkVisibility()")
        assert tab.evaluate("document.getElementById('one')") is None
        # A page's address can be sent to somebody.
        tab.evaluate(f"location.hash = {address!r}, new Promise((done) => setTimeout(done, 50))")
        assert tab.evaluate("document.getElementById('query').textContent") == heading
        tab.evaluate("location.hash = '#query=nobody', new Promise((done) => setTimeout(done, 50))")
        assert tab.evaluate("document.getElementById('list').checkVisibility()")
        assert tab.complaints() == []


@pytest.mark.parametrize("name", PAGES)
def test_paper_has_everything_open_and_no_controls(browser: Browser, pages: dict[str, Path], name: str) -> None:
    with browser.open(pages[name], width=DESKTOP) as tab:
        tab.prefer("dark")
        rows = "document.querySelectorAll('#rows tbody tr').length"
        before = tab.evaluate(rows)
        tab.evaluate(
            "window.addEventListener('beforeprint', () => { window.printed = "
            f"[document.querySelectorAll('details:not([open])').length, {rows}]; }})"
        )
        sheet = tab.pdf()
        assert sheet.startswith(b"%PDF-")
        (PICTURES / f"{name}.pdf").write_bytes(sheet)
        closed, printed = tab.evaluate("window.printed")
        assert closed == 0
        assert printed == {"run": QUERIES, "comparison": 11, "ablation": 0}[name]
        assert tab.evaluate(rows) == before
        tab.call("Emulation.setEmulatedMedia", media="print")
        controls = "[...document.querySelectorAll('.controls, .pages, .contents, .skip')]"
        assert not tab.evaluate(f"{controls}.some((node) => node.checkVisibility())")
        assert tab.evaluate(f"(() => {{ {LUMINANCE} return background(document.body); }})()") > 0.9, "paper is white"
        assert tab.evaluate("getComputedStyle(document.querySelector('.scroll')).overflowX") == "visible"
        tab.resize(PAPER)
        assert tab.evaluate("document.documentElement.scrollWidth") <= PAPER, "no column is cut off"


def test_nothing_else_runs_and_nothing_leaves_the_page(browser: Browser, pages: dict[str, Path]) -> None:
    with browser.open(pages["run"], width=DESKTOP) as tab:
        tab.evaluate(
            """(() => { const script = document.createElement('script'); script.textContent = 'window.ran = true';
              document.body.append(script); const image = new Image(); image.src = 'http://127.0.0.1:9/x.png';
              document.body.append(image); })()"""
        )
        assert tab.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')") == "refused"
        assert tab.evaluate("window.ran === undefined")
        refused = [text for text in tab.complaints() if "Content Security Policy" in text]
        assert len(refused) >= 3


def test_without_a_script_the_figures_are_there_and_no_dead_controls(browser: Browser, pages: dict[str, Path]) -> None:
    with browser.open(pages["run"], width=DESKTOP) as tab:
        tab.call("Emulation.setScriptExecutionDisabled", value=True)
        tab.load(pages["run"])
        assert tab.evaluate("document.querySelectorAll('table.sortable tbody tr').length") > 5
        assert tab.evaluate("document.querySelectorAll('th button').length") == 0
        assert not tab.evaluate("document.querySelector('.controls').checkVisibility()")
        assert tab.evaluate("document.querySelector('noscript').textContent").startswith("This list needs JavaScript")
