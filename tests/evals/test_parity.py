"""The provider is environment: whoever serves PostgreSQL, a suite has the same digest and its rankings the same bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from evals.runner import run
from evals.suite import load_suite

if TYPE_CHECKING:
    from pathlib import Path

    from illumina.store.embedded import EmbeddedServer


def outcome(postgres: str, out: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """What a run of our small corpus is, and the bytes of its rankings and judgements."""
    directory = run(load_suite("skerrow"), data=None, out=out, postgres=postgres)
    manifest = json.loads((directory / "manifest.json").read_text())
    assert (directory / "run.tsv").stat().st_size > 100_000
    return manifest, {path.name: path.read_bytes() for path in sorted(directory.glob("*.tsv"))}


def test_embedded_and_a_servers_dsn_give_the_same_run(server: EmbeddedServer, tmp_path: Path) -> None:
    given, given_files = outcome(server.dsn("postgres"), tmp_path / "dsn")
    embedded, embedded_files = outcome("embedded", tmp_path / "embedded")
    assert (given["environment"]["postgres"]["kind"], embedded["environment"]["postgres"]["kind"]) == ("DSN", "embedded")
    assert given["identity"] == embedded["identity"]
    assert given["digest"] == embedded["digest"]
    assert {"qrels.tsv", "run-lexical.tsv", "run-semantic.tsv", "run.tsv"} <= given_files.keys()
    assert given_files == embedded_files


@pytest.mark.testcontainers
def test_testcontainers_give_the_same_run_too(server: EmbeddedServer, tmp_path: Path) -> None:
    given, given_files = outcome(server.dsn("postgres"), tmp_path / "dsn")
    contained, contained_files = outcome("testcontainers", tmp_path / "testcontainers")
    assert contained["environment"]["postgres"]["kind"] == "testcontainers"
    assert given["digest"] == contained["digest"]
    assert given_files == contained_files
