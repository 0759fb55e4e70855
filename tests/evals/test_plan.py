from __future__ import annotations

from typing import TYPE_CHECKING

from evals.plan import plan
from evals.report import flatten
from evals.rundir import read_run
from evals.runner import run
from evals.suite import load_suite
from illumina.models.onnx import OnnxMiniLM
from tests.evals.cli.support import SUITE, invoke

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from illumina.store.embedded import EmbeddedServer


def test_the_plan_is_what_the_run_then_is_and_does(
    mini_directory: Path, tmp_path: Path, server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = mini_directory.parent / "mini.toml"
    path.write_text(SUITE + "[engine]\nrrf_k = 10\n")
    suite = load_suite(path)
    work = plan(suite, data=None)
    embedded: list[str] = []

    def note(self: OnnxMiniLM, texts: list[str]) -> object:
        embedded.extend(texts)
        return original(self, texts)

    original = OnnxMiniLM.embed_floats
    monkeypatch.setattr(OnnxMiniLM, "embed_floats", note)
    finished = read_run(run(suite, data=None, out=tmp_path / "r", postgres=server.dsn("postgres")))
    assert (work.digest, flatten(work.identity)) == (finished.digest, flatten(finished.identity))
    assert work.embeddings == len(embedded)
    assert (work.documents, work.facts, work.queries) == (3, 7, 3)
    assert len(finished.timing.unique(["query_id", "system"])) == work.queries * len(work.systems)

    embedded.clear()
    run(suite, data=None, out=tmp_path / "d", postgres=server.dsn("postgres"), levels=suite.determinism)
    assert work.determinism_embeddings == len(embedded) - work.embeddings


def test_a_plan_needs_no_server_and_no_model(mini_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = mini_directory.parent / "mini.toml"
    path.write_text(SUITE)
    for name in ("evals.postgres.open_provider", "illumina.Memory.open", "illumina.models.onnx.OnnxMiniLM._load"):
        monkeypatch.delattr(name)
    result = invoke("plan", str(path))
    assert result.exit_code == 0, result.output
    assert "mini: 3 documents, 7 facts, 3 queries" in result.output
    assert "fusion, semantic, lexical: 9 rankings" in result.output
    assert "embeddings   13 texts (model)" in result.output
    assert "determinism  L1, L2, L3, 33 texts more are embedded" in result.output
    assert f"mini: {plan(load_suite(path), data=None).digest[:12]}" in result.output
    assert "  engine.ranking.rrf_k             60" in result.output
