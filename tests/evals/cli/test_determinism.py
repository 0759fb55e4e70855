from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from evals import recorded
from tests.evals.cli.support import SUITE, invoke
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from illumina.store.embedded import EmbeddedServer


def test_determinism_prints_a_line_for_each_level(suite: Path, server: EmbeddedServer) -> None:
    result = invoke("determinism", str(suite), "--postgres", server.dsn("postgres"))
    assert result.exit_code == 0, result.output
    assert len(re.findall(r"^L[123] .* identical  3 responses  [0-9a-f]{12}$", result.output, re.MULTILINE)) == 3


RECORDED = (
    SUITE.replace('"L3"]', '"L3", "L4"]')
    + """
[engine]
embeddings = "recorded"
[gate]
baseline = "./mini.json"
[gate.measures.mrr]
tolerance = 0.01
"""
)


@pytest.fixture
def carried(suite: Path, server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite on embeddings that its corpus carries, which judges changes."""
    monkeypatch.setattr(recorded, "load_embedder", HashingEmbedder)
    suite.write_text(RECORDED)
    assert invoke("record", str(suite), "--postgres", server.dsn("postgres")).exit_code == 0
    return suite


def test_another_machine_is_held_against_the_committed_responses(
    carried: Path, tmp_path: Path, server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def determinism(verdict: str, code: int) -> str:
        result = invoke("determinism", str(carried), "--postgres", server.dsn("postgres"))
        assert result.exit_code == code, result.output
        assert len(re.findall(r"^L[123] .* identical ", result.output, re.MULTILINE)) == 3
        assert re.search(rf"^L4 another machine, from recorded embeddings +{verdict}  3 responses", result.output, re.MULTILINE)
        return result.output

    run = ["run", str(carried), "--out", str(tmp_path / "runs"), "--postgres", server.dsn("postgres"), "--no-track"]
    committed = carried.parent / "mini.json"
    assert f"{committed} is not a baseline" in determinism("NOT COMPARABLE", 0)
    result = invoke(*run, "--determinism")
    assert result.exit_code == 0, result.output
    assert re.search(r"^not comparable  L4 another machine", result.output, re.MULTILINE)
    (directory,) = (tmp_path / "runs").glob("mini-*")
    assert "| L4 another machine, from recorded embeddings | not comparable |" in (directory / "report.md").read_text()
    result = invoke("baseline", str(directory), "--suite", str(carried), "--out", str(tmp_path / "reports"))
    assert result.exit_code == 0, result.output
    determinism("identical", 0)
    result = invoke(*run, "--determinism")
    assert re.search(r"^passed  L4 another machine", result.output, re.MULTILINE), result.output

    stored = json.loads(committed.read_text())
    assert list(stored["responses"]) == ["q1", "q2", "q3"]
    before = committed.read_text()
    committed.write_text(before.replace(stored["responses"]["q2"], "0" * 64))
    said = determinism("DIFFERENT", 1)
    assert "The first differing query is q2: retry_backoff_ms" in said
    assert re.search(r"recorded: SHA-256 0{12} +here: SHA-256 [0-9a-f]{12}", said)
    assert re.search(r"^ +1  retries#1 +retries#1$", said, re.MULTILINE)
    result = invoke(*run, "--determinism")
    assert result.exit_code == 1
    assert "FAILED  L4 another machine, from recorded embeddings (first difference at q2)" in result.output

    committed.write_text(json.dumps({key: value for key, value in stored.items() if key != "responses"}))
    said = determinism("NOT COMPARABLE", 0)
    assert "mini.json holds no responses. Record it anew: `illumina-eval run SUITE`, then `illumina-eval baseline RUN`." in said

    committed.write_text(before)
    monkeypatch.setattr("evals.identity.code_fingerprint", lambda: "0" * 64)
    said = determinism("NOT COMPARABLE", 0)
    assert "mini.json was recorded with another identity (engine.code). Record it anew" in said
