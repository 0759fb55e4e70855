"""The command line, as processes of its own on a server of their own."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from illumina import Memory
from illumina.interfaces.cli import main
from illumina.store.embedded import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Iterator

ILLUMINA = Path(sys.executable).with_name("illumina")

EXPORT = """\
{"id": "1", "text": "Ingestion moved to an isolated queue.", "speaker": "Ana", "occurred_at": "2026-03-02T09:00:00Z"}
{"id": "2", "text": "Deploys need two approvals.", "speaker": "Bo"}
this line is broken

{"id": "4", "text": "   "}
{"id": "5", "turns": [{"text": "Where is the 🚀?", "speaker": "Ana"}, {"text": "On the pad.", "speaker": "Bo"}]}
"""


Outcome = tuple[int, str, str]
Command = Callable[..., Outcome]


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A directory for the embedded server and for inputs."""
    parent = Path(tempfile.mkdtemp(prefix="illumina-test-", dir="/tmp"))
    parent.chmod(0o755)
    yield parent
    shutil.rmtree(parent, ignore_errors=True)


def illumina(home: Path, *arguments: str, given: bytes = b"", environment: dict[str, str] | None = None) -> Outcome:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ILLUMINA_")}
    done = subprocess.run(
        [ILLUMINA, *arguments],
        input=given,
        capture_output=True,
        check=False,
        cwd=home,
        timeout=120,
        env=kept | {"ILLUMINA_HOME": str(home / "server")} | (environment or {}),
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def command(home: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    """The same without a process: called as the entry point is."""

    def call(*arguments: str, given: bytes = b"", environment: dict[str, str] | None = None) -> Outcome:
        with monkeypatch.context() as patch:
            patch.chdir(home)
            patch.delenv("ILLUMINA_DSN", raising=False)
            patch.setenv("ILLUMINA_HOME", str(home / "server"))
            for name, value in (environment or {}).items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["illumina", *arguments])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
            with pytest.raises(SystemExit) as caught:
                main()
        out, err = capsysbinary.readouterr()
        return int(caught.value.code or 0), out.decode(), err.decode()

    return call


def test_a_memory_outlives_the_process(home: Path) -> None:
    (home / "notes.md").write_text("Backfills starved writes.\n\nThe train leaves on Thursdays.\n")

    code, out, err = illumina(home, "retain", "notes.md")
    assert (code, err) == (0, "")
    assert out == "1 of 1 documents were new: 2 facts. default now holds 2 facts.\n"
    code, out, err = illumina(home, "retain", "../" + home.name + "/./notes.md")  # the same file by another name
    assert (code, out) == (0, "0 of 1 documents were new: 0 facts. default now holds 2 facts.\n")


def test_what_it_prints(home: Path, command: Command) -> None:
    with EmbeddedServer.start(home / "server"):  # else every command would start and stop it
        (home / "export.jsonl").write_text(EXPORT)
        # A bad line in the middle: the rest is retained, and the exit code says so.
        code, out, err = command(
            "retain", "export.jsonl", "missing.txt", "--source", "slack:#ops", "-n", "ops", "--extractor", "verbatim"
        )
        assert code == 1
        assert out == "3 of 3 documents were new: 4 facts. ops now holds 4 facts.\n"
        assert err.splitlines() == [
            "export.jsonl:3: Not JSON: Expecting value: line 1 column 1 (char 0). Write one JSON object a line.",
            "export.jsonl:5: The text is empty. Pass a text with at least one character that is not white space.",
            "missing.txt: No such file or directory.",
            "3 inputs were refused; everything else is retained.",
        ]

        code, out, err = command("retain", "-n", "piped", "--occurred-at", "2026-03-02", given="Von drüben.".encode())
        assert (code, out) == (0, "1 of 1 documents were new: 1 facts. piped now holds 1 facts.\n")

        code, out, err = command("recall", "why did ingestion move", "-n", "ops", "--json", "-k", "3", "--explain")
        assert (code, err) == (0, "")
        code, piped, err = command("recall", "drüben", "--json", "-n", "piped")
        code, chunked, err = command("recall", "🚀", "--json", "-n", "ops", "--include-chunks")
        code, shown, err = command("recall", "🚀", "-n", "ops", "--include-chunks", "-k", "1")
        with Memory.open(directory=home / "server", extractor="verbatim") as memory:
            answer = memory.recall("why did ingestion move", namespace="ops", limit=3, explain=True)
            assert out.encode() == answer.to_json() + b"\n"
            assert piped.encode() == memory.recall("drüben", namespace="piped").to_json() + b"\n"
            both = memory.recall("🚀", namespace="ops", include_chunks=True)
        assert chunked.encode() == both.to_json() + b"\n"
        assert both.chunks is not None
        assert both.chunks[0].document == "5"
        assert f"chunk 1. {both.chunks[0].score:.4f}  5, from slack:#ops" in shown
        assert "Bo: On the pad." in shown
        best = answer.results[0]
        assert (best.content, best.speaker, best.source) == ("Ingestion moved to an isolated queue.", "Ana", "slack:#ops")
        assert json.loads(piped)["results"][0]["occurred_at"] == "2026-03-02T00:00:00Z"

        code, out, err = command("recall", "🚀", "-n", "ops")
        assert (code, err) == (0, "")
        assert "Ana: Where is the 🚀?" in out.splitlines()[0]
        assert "slack:#ops · 5#1" in out.splitlines()[1]

        code, out, err = command("recall", "anything", "-n", "nowhere")
        assert (code, out, err) == (0, "Nothing found.\n", "")
        assert command("work", "--drain")[0] == 0
        code, out, err = command("index")
        assert (code, out) == (0, "default has at most 100,000 facts: the exact scan stays.\n")


@pytest.mark.parametrize(
    ("arguments", "environment", "message"),
    [
        (["recall", "x", "--dsn", "host=/nowhere dbname=x"], {}, "illumina: PostgreSQL cannot be reached: "),
        (["recall", "x"], {"ILLUMINA_DSN": "nonsense"}, "illumina: The DSN is no libpq connection string"),
        (["recall", "x"], {"ILLUMINA_HOME": "/dev/null/x"}, "illumina: "),
        (["retain", "--occurred-at", "yesterday"], {}, "illumina: --occurred-at is 'yesterday'"),
    ],
)
def test_an_error_is_one_line(
    home: Path, command: Command, arguments: list[str], environment: dict[str, str], message: str
) -> None:
    code, out, err = command(*arguments, environment=environment)
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_bad_input_names_its_place(home: Path, command: Command, database: str) -> None:
    (home / "latin.txt").write_bytes("Café".encode("latin-1"))
    (home / "nul.txt").write_bytes(b"a\0b")
    (home / "good.txt").write_bytes("\ufeffCafé.\r\n\r\nZwei.".encode())
    (home / "folder").mkdir()
    code, out, err = command("retain", "latin.txt", "nul.txt", "folder", "good.txt", "--dsn", database)
    assert code == 1
    assert out == "1 of 1 documents were new: 2 facts. default now holds 2 facts.\n"
    assert [line.partition(": ")[0] for line in err.splitlines()[:-1]] == ["latin.txt", "nul.txt", "folder"]
    assert "not UTF-8 at byte 3" in err
    code, out, err = command("recall", "cafe", "--json", environment={"ILLUMINA_DSN": database})
    assert json.loads(out)["results"][0]["content"] == "Café."
    code, out, err = command("recall", "", "--dsn", database)
    assert (code, out) == (0, "Nothing found.\n")


def test_jsonl_from_standard_input(home: Path, command: Command, database: str) -> None:
    code, out, err = command("retain", "--jsonl", "--dsn", database, given=EXPORT.encode())
    assert code == 1
    assert out == "3 of 3 documents were new: 3 facts. default now holds 3 facts.\n"
    assert [line.split(" ")[0] for line in err.splitlines()[:-1]] == ["-:3:", "-:5:"]


def test_help_names_every_command(home: Path, command: Command) -> None:
    code, out, _ = command("--help")
    assert code == 0
    for name in ("retain", "recall", "work", "index"):
        assert name in out
