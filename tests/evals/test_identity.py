from __future__ import annotations

import inspect
import json
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from typer.testing import CliRunner

import illumina
from evals import identity as module
from evals.cli.commands import app
from evals.corpora.digest import corpus_digest
from evals.engine import EngineProfile
from evals.identity import MANIFEST, OPEN_PARAMETERS, SUITE_FIELDS, code_fingerprint, environment, identity
from evals.policy import GateMeasure, GatePolicy
from evals.rundir import identity_digest
from evals.suite import Suite, load_suite
from evals.types import Corpus, Query
from illumina import Document, Memory, Ranking, Utterance
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from evals.engine import Configured
    from evals.postgres import PostgresProvider
    from illumina.store.embedded import EmbeddedServer

TIME = datetime(2026, 3, 2, tzinfo=UTC)
LATER = datetime(2026, 3, 3, tzinfo=UTC)
SUITE = load_suite("core")
EMBEDDER = {"name": "hashing", "dimension": 384, "fingerprint": "f00d"}
OTHER_SUITE: dict[str, Any] = {
    "name": "other",
    "description": "Other words.",
    "corpus": "elsewhere",
    "measures": ("mrr",),
    "depth": 51,
    "systems": ("fusion",),
    "seed": 1,
    "cluster": "query",
    "corpus_sha256": "0" * 64,
    "floors": {"fusion/mrr": 0.1},
    "determinism": ("L1",),
    "engine": EngineProfile(Ranking(rrf_k=10), "model"),
    "gate": GatePolicy(Path("b.json"), (GateMeasure("mrr", 0.5),)),
}


def digest(
    suite: Suite = SUITE,
    corpus_sha: str = "c" * 64,
    ranking: Ranking | None = None,
    *,
    extractor: str = "1",
    **embedder: object,
) -> str:
    """The identity's digest, with an engine that is known by its constants and model alone."""
    engine = SimpleNamespace(
        ranking=ranking or Ranking(),
        embedder=SimpleNamespace(**{**EMBEDDER, **embedder}),
        extractor=SimpleNamespace(name="verbatim", fingerprint=extractor),
    )
    corpus = Corpus("mini", "segment", {}, (), {}, digest=corpus_sha)
    return identity_digest(identity(suite, corpus, cast("Configured", engine)))


def test_every_field_is_declared() -> None:
    assert [field.name for field in fields(Suite)] == list(SUITE_FIELDS) == list(OTHER_SUITE)
    assert list(inspect.signature(Memory.open).parameters) == list(OPEN_PARAMETERS)


@pytest.mark.parametrize("name", SUITE_FIELDS)
def test_a_suites_field_changes_the_digest_if_it_is_identity(name: str) -> None:
    assert getattr(SUITE, name) != OTHER_SUITE[name]
    changed = digest(replace(SUITE, **{name: OTHER_SUITE[name]})) != digest()
    assert changed == (SUITE_FIELDS[name] == "identity")


@pytest.mark.parametrize("name", [field.name for field in fields(Ranking)])
def test_each_constant_of_the_ranking_changes_the_digest(name: str) -> None:
    assert digest(ranking=replace(Ranking(), **{name: getattr(Ranking(), name) + 1})) != digest()


@pytest.mark.parametrize(("name", "other"), [("name", "b"), ("dimension", 1024), ("fingerprint", "beef")])
def test_each_part_of_the_embedder_changes_the_digest(name: str, other: object) -> None:
    changed: dict[str, Any] = {name: other}
    assert digest(**changed) != digest()


def test_the_corpus_changes_the_digest() -> None:
    assert digest(corpus_sha="0" * 64) != digest()


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("code_fingerprint", lambda: "0"),
        ("ANALYSER_FINGERPRINT", "0"),
        ("migrate", SimpleNamespace(fingerprint=lambda: "0")),
        ("MEASURE_VERSION", 2),
        ("replay", SimpleNamespace(__file__=__file__)),
    ],
)
def test_each_code_that_makes_a_result_changes_the_digest(name: str, other: object, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest()
    monkeypatch.setattr(module, name, other)
    assert digest() != before


QUERY = Query("q1", "why", "class", "ns", "cluster")
BODY = Utterance("Tea.", "Ana", TIME, "1")
DOCUMENT = Document(body=(BODY,), source="wiki", key="d", occurred_at=TIME, metadata={"a": "b"})


def corpus(document: Document = DOCUMENT, query: Query = QUERY) -> Corpus:
    return Corpus("mini", "segment", {"ns": (document,)}, (query,), {"q1": {"d#1": 1}})


OTHER_QUERY = Query("q2", "who", "other", "ns2", "cluster2", headline=False, reference_time=TIME, hidden=frozenset({"d"}))
OTHER_BODY = Utterance("Soup.", "Bo", LATER, "2")


@pytest.mark.parametrize("name", [field.name for field in fields(Query)])
def test_each_field_of_a_query_changes_the_corpus(name: str) -> None:
    assert corpus_digest(corpus(query=replace(QUERY, **{name: getattr(OTHER_QUERY, name)}))) != corpus_digest(corpus())


@pytest.mark.parametrize("name", [field.name for field in fields(Utterance)])
def test_each_field_of_an_utterance_changes_the_corpus(name: str) -> None:
    other = replace(DOCUMENT, body=(replace(BODY, **{name: getattr(OTHER_BODY, name)}),))
    assert corpus_digest(corpus(other)) != corpus_digest(corpus())


@pytest.mark.parametrize("name", [field.name for field in fields(Document)])
def test_each_field_of_a_document_changes_the_corpus(name: str) -> None:
    others: dict[str, Any] = {
        "body": "Tea.", "source": "chat", "key": "e", "occurred_at": LATER, "metadata": {},
        "agent": "scribe", "device": "laptop", "visibility": "agent", "pods": ["a"],
    }  # fmt: skip
    assert corpus_digest(corpus(replace(DOCUMENT, **{name: others[name]}))) != corpus_digest(corpus())


@pytest.mark.parametrize("name", [field.name for field in fields(Corpus)])
def test_each_field_of_a_corpus_changes_it_but_name_counts_and_digest(name: str) -> None:
    others: dict[str, Any] = {
        "name": "b",
        "unit": "document",
        "documents": {},
        "queries": (),
        "qrels": {},
        "counts": {"a": 1},
        "digest": "0",
    }
    changed = corpus_digest(replace(corpus(), **{name: others[name]})) != corpus_digest(corpus())
    assert changed == (name not in {"name", "counts", "digest"})


def test_the_engines_own_memory_has_an_identity(mini: Corpus, provider: PostgresProvider) -> None:
    with provider.fresh_database() as dsn, Memory.open(dsn, embedder=HashingEmbedder(), extractor="verbatim") as memory:
        base = identity(SUITE, mini, memory)
    with provider.fresh_database() as dsn, Memory.open(dsn, embedder=HashingEmbedder(salt="!"), extractor="verbatim") as memory:
        assert identity(SUITE, mini, memory) != base


def test_every_part_of_a_manifest_is_declared(mini_directory: Path, tmp_path: Path, server: EmbeddedServer) -> None:
    suite = tmp_path / "mini.toml"
    suite.write_text(
        'name = "mini"\ndescription = "d"\ncorpus = "./mini"\nmeasures = ["mrr"]\ndepth = 5\nsystems = ["fusion"]\nseed = 1\n'
    )
    arguments = ["run", str(suite), "--out", str(tmp_path / "r"), "--postgres", server.dsn("postgres"), "--no-track"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    (directory,) = (tmp_path / "r").glob("mini-*")
    manifest = json.loads((directory / "manifest.json").read_text())
    for side in ("identity", "environment"):
        assert {name: MANIFEST.get(name, "not declared") for name in manifest[side]} == dict.fromkeys(manifest[side], side)


def test_the_code_fingerprint_is_of_the_engine_sources() -> None:
    before = code_fingerprint()
    assert len(before) == 64
    root = Path(illumina.__file__).parent
    assert (root / "recall" / "fuse.py").is_file()
    assert code_fingerprint() == before


def test_the_environment_names_server_and_packages(provider: PostgresProvider) -> None:
    where = environment(provider.describe())
    assert where["postgres"]["kind"]
    assert where["packages"]["numpy"]
