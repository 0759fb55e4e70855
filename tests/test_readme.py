"""The README's commands for the memory do what they say, as they stand there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from illumina.store.embedded import EmbeddedServer

ROOT = Path(__file__).parents[1]
SECTION = re.compile(r"^#+ (?P<title>[^\n]+)\n(?P<body>.*?)(?=^#+ |\Z)", re.MULTILINE | re.DOTALL)


def commands(title: str) -> list[str]:
    """The lines of the first shell block of a section."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    body = next(found["body"] for found in SECTION.finditer(text) if found["title"] == title)
    block = re.search(r"```sh\n(.*?)```", body, re.DOTALL)
    assert block is not None
    return block[1].splitlines()


@pytest.fixture(scope="module")
def dsn(server: EmbeddedServer) -> Iterator[str]:
    server.create_database("readme")
    yield server.dsn("readme")
    server.drop_database("readme")


def run(line: str, dsn: str, folder: Path) -> str:
    line = line.replace(".venv/bin/", f"{Path(sys.executable).parent}/").replace("/tmp/", f"{folder}/")
    done = subprocess.run(
        ["bash", "-euc", line],
        cwd=ROOT,
        env={"ILLUMINA_DSN": dsn, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), line
    return done.stdout


def test_the_memory_remembers(dsn: str, tmp_path: Path) -> None:
    outputs = [run(line, dsn, tmp_path) for line in commands("Use the memory")]
    assert "1 of 1 documents were new" in outputs[1]
    assert "Ingestion moved to an isolated task queue" in outputs[2]


def test_what_becomes_of_a_text(dsn: str, tmp_path: Path) -> None:
    lines = commands("What becomes of a text")
    outputs = [run(line, dsn, tmp_path) for line in lines]
    now, then = (out for line, out in zip(lines, outputs, strict=True) if " recall " in line)
    assert "60 seconds" in now
    assert "30 seconds" not in now
    assert "30 seconds" in then
    assert "60 seconds" not in then
    assert "Ana Ruiz" in next(out for line, out in zip(lines, outputs, strict=True) if "entities list" in line)
    assert "0 rows left" in outputs[-1]
