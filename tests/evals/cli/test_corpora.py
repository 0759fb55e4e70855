from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.evals.cli.support import invoke

if TYPE_CHECKING:
    from pathlib import Path


def test_list_names_the_suites() -> None:
    result = invoke("list")
    assert result.exit_code == 0
    assert re.findall(r"^(\w+)", result.output, re.MULTILINE) == [
        *("core", "locomo", "qmsum", "realmem", "skerrow", "strategyqa", "timeqa"),
        *("causes", "dates", "names", "supersession"),
    ]


def test_validate_corpus_lists_every_problem(mini_directory: Path) -> None:
    assert "3 documents" in invoke("validate-corpus", str(mini_directory)).output
    queries = (mini_directory / "queries.jsonl").read_text()
    (mini_directory / "queries.jsonl").write_text(queries + '{"id": "q 4", "class": "why"}\n')
    result = invoke("validate-corpus", str(mini_directory), "--write-checksums")
    assert result.exit_code == 1
    assert "queries.jsonl:4" in result.output
