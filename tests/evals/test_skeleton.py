from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evals import corpora
from evals.errors import CorpusError
from evals.skeleton import write_skeleton
from evals.suite import load_corpus, load_suite
from tests.evals.cli.support import invoke

if TYPE_CHECKING:
    from pathlib import Path

    from illumina.store.embedded import EmbeddedServer


def test_a_skeleton_runs_as_it_is(tmp_path: Path, server: EmbeddedServer) -> None:
    directory = tmp_path / "notes"
    result = invoke("new", str(directory))
    assert result.exit_code == 0, result.output
    assert f"illumina-eval run {directory / 'suite.toml'}" in result.output
    assert corpora.validate(directory) == []
    assert len((directory / "suite.toml").read_text().splitlines()) == 3
    suite = load_suite(directory / "suite.toml")
    assert suite.name == "notes"
    assert load_corpus(suite, data=None).counts["queries_without_answer"] == 1

    arguments = ["--out", str(tmp_path / "runs"), "--postgres", server.dsn("postgres"), "--no-track"]
    result = invoke("run", str(directory / "suite.toml"), *arguments)
    assert result.exit_code == 0, result.output
    (report,) = (tmp_path / "runs").glob("notes-*/report.html")
    assert "How long are backups kept?" in report.read_text()


@pytest.mark.parametrize("present", ["documents.jsonl", "suite.toml", "SHA256SUMS", "README.md"])
def test_nothing_is_overwritten(present: str, tmp_path: Path) -> None:
    (tmp_path / present).write_text("mine")
    with pytest.raises(CorpusError, match=rf"holds {present} already, and nothing is overwritten"):
        write_skeleton(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [present]
    assert (tmp_path / present).read_text() == "mine"


def test_what_cannot_be_a_suite_or_a_directory(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="named 'my notes', and so would be its runs"):
        write_skeleton(tmp_path / "my notes")
    (tmp_path / "file").touch()
    with pytest.raises(CorpusError, match="cannot be written"):
        write_skeleton(tmp_path / "file" / "notes")
