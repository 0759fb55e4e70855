"""Somebody who has ten documents and five questions, and the README's section "Your own corpus" and nothing else."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.evals.cli.support import invoke
from tests.evals.conftest import write_lines

if TYPE_CHECKING:
    import pytest

README = Path(__file__).resolve().parents[2] / "README.md"

NOTES = [
    "The bakery opens at six, on Sundays at eight.",
    "Sourdough proves for eighteen hours at four degrees.",
    "Rye flour comes from the mill in Aach, every second Tuesday.",
    "The big oven must not be opened in its first ten minutes: the steam is lost, and the crust stays pale.",
    "Nadja is allergic to hazelnuts.",
    "Croissants are folded three times and rest an hour between the folds.",
    "The mixer stood still on 3 May because a belt had torn.",
    "A new belt costs 48 euros and takes a week.",
    "Order code MX-2204 is the belt of the mixer.",
    "What is left in the evening goes to the food bank.",
]
DOCUMENTS: list[dict[str, Any]] = [
    {
        "id": f"note-{number}",
        "source": "notebook:bakery",
        "kind": "note",
        "title": f"Note {number}",
        "occurred_at": f"2026-05-{number:02}T18:00:00Z",
        "text": text,
    }
    for number, text in enumerate(NOTES, start=1)
]
QUERIES = [
    {"id": "q1", "class": "identifier", "text": "MX-2204"},
    {"id": "q2", "class": "why", "text": "why does the crust stay pale"},
    {"id": "q3", "class": "person", "text": "What may Nadja not eat?"},
    {"id": "q4", "class": "why", "text": "why did the mixer stand still"},
    {"id": "q5", "class": "no-answer", "text": "how many loaves are sold on a Saturday"},
]
QRELS = [
    {"query": query, "document": document, "segment": "1", "grade": 3}
    for query, document in [("q1", "note-9"), ("q2", "note-4"), ("q3", "note-5"), ("q4", "note-7")]
]


def test_the_readme_leads_from_files_to_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    section = README.read_text().partition("### Your own corpus")[2].partition("###")[0]
    (block,) = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    commands = [shlex.split(line, comments=True) for line in block.splitlines()]
    assert [words[:2] for words in commands] == [
        [".venv/bin/illumina-eval", name] for name in ("new", "validate-corpus", "plan", "run")
    ]
    monkeypatch.chdir(tmp_path)
    shown = []
    for _, name, *arguments in commands:
        if name == "run":
            arguments.append("--no-track")
        result = invoke(name, *arguments)
        assert result.exit_code == 0, result.output
        shown.append(result.output)
        if name == "new":
            for file, rows in (("documents", DOCUMENTS), ("queries", QUERIES), ("qrels", QRELS)):
                assert (tmp_path / "notes" / f"{file}.jsonl").is_file()
                write_lines(tmp_path / "notes" / f"{file}.jsonl", rows)
    assert "notes is valid: 10 documents" in shown[1]
    assert "10 documents, 10 facts, 5 queries" in shown[2]
    assert re.search(r"^fusion +4 .* 1\.000$", shown[3], re.MULTILINE), shown[3]
    digest = shown[2].split()[1]
    assert f"runs/notes-{digest}/report.html" in shown[3]
    assert "What may Nadja not eat?" in (tmp_path / f"runs/notes-{digest}/report.html").read_text()
