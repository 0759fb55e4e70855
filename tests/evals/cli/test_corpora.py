from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evals import recorded
from evals.errors import CorpusError
from tests.evals.cli.support import invoke
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from illumina.store.embedded import EmbeddedServer


def test_list_names_the_suites() -> None:
    result = invoke("list")
    assert result.exit_code == 0
    assert re.findall(r"^([\w-]+)", result.output, re.MULTILINE) == [
        *("core-read", "core", "locomo", "qmsum", "realmem", "skerrow", "strategyqa", "timeqa"),
        *("causes", "dates", "names", "supersession"),
    ]


def test_validate_corpus_lists_every_problem(mini_directory: Path) -> None:
    assert "3 documents" in invoke("validate-corpus", str(mini_directory)).output
    queries = (mini_directory / "queries.jsonl").read_text()
    (mini_directory / "queries.jsonl").write_text(queries + '{"id": "q 4", "class": "why"}\n')
    result = invoke("validate-corpus", str(mini_directory), "--write-checksums")
    assert result.exit_code == 1
    assert "queries.jsonl:4" in result.output
    (mini_directory / "queries.jsonl").write_text(queries)
    (mini_directory / "README.md").unlink()
    result = invoke("validate-corpus", str(mini_directory), "--write-checksums")
    assert result.output.splitlines()[-1] == "1 problem."


def test_what_is_no_directory_is_said_in_a_sentence(mini_directory: Path) -> None:
    for path in (mini_directory / "nowhere", mini_directory / "queries.jsonl"):
        for arguments in ([], ["--write-checksums"]):
            result = invoke("validate-corpus", str(path), *arguments)
            assert isinstance(result.exception, CorpusError)
            assert str(result.exception) == f"There is no directory {path}."


def test_recorded_embeddings_are_written_and_checked(
    suite: Path, mini_directory: Path, server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded, "load_embedder", HashingEmbedder)
    result = invoke("record", str(suite), "--postgres", server.dsn("postgres"))
    assert result.exit_code == 0, result.output
    assert f"recorded  10 vectors  {mini_directory / 'embeddings.npz'}" in result.output
    assert invoke("validate-corpus", str(mini_directory)).exit_code == 0

    queries = (mini_directory / "queries.jsonl").read_text()
    (mini_directory / "queries.jsonl").write_text(queries.replace("chief executive", "chief"))
    result = invoke("validate-corpus", str(mini_directory), "--write-checksums")
    assert result.exit_code == 1
    assert "embeddings.npz: There is no vector for 1 text, the first of them the question q3. Record" in result.output
    assert "2 problems." in result.output
