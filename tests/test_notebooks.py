"""The notebooks run from the first cell to the last, in a kernel of their own, and show what they promise to show."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

with warnings.catch_warnings():
    # They warn of what will change in themselves, at import; what runs in a kernel is not of this process.
    warnings.simplefilter("ignore")
    import jupytext
    from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))


def outputs(cells: list[dict[str, Any]]) -> Iterator[str]:
    """Everything that the code cells printed or showed, as text."""
    for cell in cells:
        for output in cell.get("outputs", ()):
            yield output.get("text") or output["data"]["text/plain"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
@pytest.mark.filterwarnings("ignore")  # of the client's own process: zmq and tornado
def test_it_runs(path: Path, tmp_path: Path, server_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ILLUMINA_HOME", str(server_directory))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = jupytext.read(path)
    assert notebook.cells[0].source.startswith("# "), "a title first"
    assert not any(cell.get("outputs") for cell in notebook.cells), "committed without outputs"
    NotebookClient(notebook, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = "\n".join(outputs(notebook.cells))
    for words in PROMISED[path.stem]:
        assert words in shown, shown


PROMISED = {
    "first_steps": ["created=True, facts=2", "[False, False]", "Water in the fuel", "nets come down at force 4", "(False, ())"],
    "compare_runs": ["engine.ranking.bm25_b", "adjusted p", "query_class"],
    "own_ranking": ["meaning-first", "adjusted p", "detectable"],
}


def test_every_notebook_is_known() -> None:
    assert {path.stem for path in NOTEBOOKS} == PROMISED.keys()
