from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from evals.rundir import read_run
from tests.evals.cli.support import SUITE, invoke

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from illumina.store.embedded import EmbeddedServer

GATE = """
[gate]
baseline = "./baselines/mini.json"
[gate.measures.ndcg_at_10]
tolerance = 0.01
"""


def test_a_ranking_is_recorded_changed_refused_and_recorded_again(
    suite: Path, tmp_path: Path, server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.write_text(SUITE + GATE)
    out = ["--out", str(tmp_path / "reports")]
    result = invoke("gate", str(suite))
    assert result.exit_code == 5, result.output
    assert "infra" in result.output

    runs = tmp_path / "runs"
    assert invoke("run", str(suite), "--out", str(runs), "--postgres", server.dsn("postgres"), "--no-track").exit_code == 0
    (first,) = runs.glob("mini-*")
    result = invoke("baseline", str(first), "--suite", str(suite), *out)
    assert result.exit_code == 0, result.output
    committed = suite.parent / "baselines" / "mini.json"
    before = committed.read_bytes()
    assert invoke("gate", str(suite)).exit_code == 0
    result = invoke("gate", str(first), "--suite", str(suite), *out)
    assert (result.exit_code, "\nidentical\n" in result.output) == (0, True), result.output

    monkeypatch.setattr("evals.identity.code_fingerprint", lambda: "0" * 64)
    result = invoke("gate", str(suite))
    assert result.exit_code == 6
    assert "ranking changed without a recorded run (engine.code): run `illumina-eval run mini`" in result.output
    # The changed ranking answers q1 from the wrong document only.
    monkeypatch.setattr("evals.replay.unit_of", lambda result, _: f"{result.document}#{result.segment}".replace("move#", "x#"))
    assert invoke("run", str(suite), "--out", str(runs), "--postgres", server.dsn("postgres"), "--no-track").exit_code == 0
    (second,) = set(runs.glob("mini-*")) - {first}
    result = invoke("gate", str(second), "--suite", str(suite), *out)
    assert result.exit_code == 3, result.output
    assert "needs-ack: ndcg_at_10" in result.output
    result = invoke("baseline", str(second), "--suite", str(suite), *out)
    assert result.exit_code == 3, result.output
    assert committed.read_bytes() == before

    report = next((tmp_path / "reports").glob(f"mini-*-{read_run(second).digest[:12]}.md")).read_text()
    line = next(json.loads(line) for line in report.splitlines() if line.startswith("{"))
    (committed.parent / "mini.acknowledged.jsonl").write_text(json.dumps({**line, "reason": "Nobody asks that."}) + "\n")
    result = invoke("baseline", str(second), "--suite", str(suite), *out)
    assert result.exit_code == 0, result.output
    assert "acknowledged: ndcg_at_10" in result.output
    assert committed.read_bytes() != before
    assert invoke("gate", str(suite)).exit_code == 0

    result = invoke("compare", str(first), str(committed), *out)
    assert result.exit_code == 0, result.output
    assert re.search(r"^nDCG@10 +[\d.]+ +[\d.]+ +-0\.\d+ ", result.output, re.MULTILINE)
    (second / "manifest.json").unlink()
    assert invoke("gate", str(second), "--suite", str(suite), *out).exit_code == 5
