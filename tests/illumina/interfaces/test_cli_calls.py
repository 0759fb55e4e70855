from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from illumina import Memory
from illumina.ids import DOCUMENT_PREFIX, public_id
from illumina.interfaces import options
from illumina.interfaces.cli import app
from tests.illumina.models.llm.clients import PROVIDERS
from tests.illumina.models.llm.server import KEY, Call, ModelServer
from tests.illumina.retain.llm.answers import Extract, accept, answer, document, fact, whole
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

BODY = "We moved. They stayed."


@pytest.fixture(autouse=True)
def _settings(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ILLUMINA_LLM", raising=False)
    monkeypatch.setenv("ILLUMINA_DSN", dsn)
    monkeypatch.setattr(options, "Memory", _Hashing)


class _Hashing:
    @staticmethod
    def open(dsn: str | None, *, embedder: str | None, **options: Any) -> Memory:
        assert embedder is None
        return Memory.open(dsn, embedder=HashingEmbedder(), **options)


def run(*arguments: str, code: int = 0, text: str | None = None) -> list[str]:
    done = CliRunner().invoke(app, list(arguments), input=text)
    assert done.exit_code == code, done.output or done.exception
    return done.stdout.splitlines()


@pytest.fixture
def found(memory: Memory, extractor: Extract, model_server: ModelServer) -> str:
    """The id of a document that rests on one call."""
    one, other = accept(memory, "acme", document(BODY), document(f"{BODY} Again."))
    model_server.script = [Call(answer(fact("We moved."), fact("They stayed.")))]
    for made in (one, other):
        extractor("acme").extract(made, whole(made))
    return public_id(DOCUMENT_PREFIX, one.id)


def test_calls_are_listed_with_their_tokens(found: str) -> None:
    *lines, summary, spent = run("calls", "-n", "acme")
    assert len(lines) == 2
    assert all("anthropic:model-a" in line and line.endswith("100 + 20 tokens  current") for line in lines)
    assert summary == "2 calls, 200 tokens read, 40 written."
    assert spent == "acme has spent 240 tokens in 2 calls, without a cap."
    assert run("calls", "-n", "acme", "--document", found)[1] == "1 calls, 100 tokens read, 20 written."
    assert run("calls")[0] == "0 calls, 0 tokens read, 0 written."


def test_stale_calls_are_shown(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("calls", "-n", "acme", "--stale", "--llm", "anthropic:model-a")[0].startswith("2 calls")
    lines = run("calls", "-n", "acme", "--stale", "--llm", "openai:model-b")
    assert [line.split("  ")[-1] for line in lines[:2]] == ["stale: model"] * 2
    monkeypatch.setattr("illumina.recorded.PROMPTS", frozenset())
    lines = run("calls", "-n", "acme", "--stale", "--llm", "openai:model-b")
    assert lines[0].endswith("stale: model, prompt")
    assert "2 of them are stale: another model, another prompt." in lines


def test_calls_travel_as_json_lines(found: str, tmp_path: Path) -> None:
    file = str(tmp_path / "calls.jsonl")
    run("calls", "export", file, "-n", "acme")
    assert run("calls", "import", file, "-n", "other") == ["2 of 2 calls were new."]
    assert run("calls", "import", file, "-n", "other") == ["0 of 2 calls were new."]
    exported = run("calls", "export", "-n", "other")
    assert "\n".join(exported) + "\n" == (tmp_path / "calls.jsonl").read_text()
    assert run("calls", "import", "-n", "third", text="\n".join(exported)) == ["2 of 2 calls were new."]


@pytest.mark.parametrize("content", [None, b"{", b"\xff"])
def test_a_file_that_is_no_export_is_refused(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    if content is not None:
        file.write_bytes(content)
    run("calls", "import", str(file), code=1)


def test_a_budget_is_shown_set_and_lifted(found: str) -> None:
    assert run("budget", "-n", "acme") == ["acme has spent 240 tokens in 2 calls, without a cap."]
    assert run("budget", "5000", "-n", "acme") == ["acme has spent 240 tokens in 2 calls, of at most 5,000."]
    assert run("budget", "-n", "acme") == ["acme has spent 240 tokens in 2 calls, of at most 5,000."]
    assert run("budget", "--no-cap", "-n", "acme") == ["acme has spent 240 tokens in 2 calls, without a cap."]
    run("budget", "5", "--no-cap", code=1)
    run("budget", "-5", code=2)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_texts_are_read_recorded_and_replayed_from_the_command_line(
    provider: str, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", KEY)
    monkeypatch.setenv(f"{provider.upper()}_BASE_URL", model_server.url + ("/v1" if provider == "openai" else ""))
    model_server.script = [Call(answer(fact("We moved.", "The team moved."), fact("They stayed.")))]
    read = ("retain", "--llm", f"{provider}:model-a", "--source", "notes", "-")
    assert run(*read, "-n", "acme", text=BODY)[-1].endswith("acme now holds 2 facts.")
    assert "The team moved." in "".join(run("recall", "who moved", "-n", "acme"))
    exported = "\n".join(run("calls", "export", "-n", "acme"))

    model_server.script = []  # it fails whoever asks it
    run(*read, "--replay", "only", "-n", "other", text=BODY, code=1)
    run("calls", "import", "-n", "third", text=exported)
    assert run(*read, "--replay", "only", "-n", "third", text=BODY)[-1].endswith("third now holds 2 facts.")
    assert run("budget", "-n", "third") == ["third has spent 0 tokens in 0 calls, without a cap."]
    assert len(model_server.requests) == 1
