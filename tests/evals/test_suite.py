from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evals import suite as suites
from evals.corpora import write_checksums
from evals.engine import EngineProfile
from evals.errors import SuiteError
from evals.measure import MEASURES
from evals.policy import GateMeasure, GatePolicy
from evals.suite import find_suites, kind_of, load_corpus, load_suite
from illumina import Ranking

if TYPE_CHECKING:
    from pathlib import Path

TOML = """
name = "mine"
description = "My notes."
corpus = "./notes"
measures = ["recall_at_10", "mrr"]
depth = 20
systems = ["fusion", "lexical"]
seed = 7
"""


def write(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(content, encoding="utf-8")
    return path


def test_our_suites() -> None:
    found = {suite.name: suite for suite in find_suites()}
    public = ["locomo", "qmsum", "realmem", "strategyqa", "timeqa"]
    own = {"core": "meridian", "skerrow": "skerrow"}
    read = found.pop("core-read")
    assert (read.corpus, read.engine.extractor, read.gate) == ("meridian", "builtin", None)
    assert {name: suite.corpus for name, suite in found.items()} == {**own, **{name: name for name in public}}
    for name, suite in found.items():
        assert load_suite(name) == suite
        assert suite.measures == tuple(MEASURES)
        assert suite.depth == 50
        assert suite.systems == ("fusion", "semantic", "lexical")
        repeatable = ("L1", "L2", "L3", "neighbours")
        assert suite.determinism == ((*repeatable, "L4") if name in own else repeatable)
        assert suite.engine.extractor == "verbatim"
        assert suite.engine.embeddings == ("recorded" if name in own else "model")
    assert found["locomo"].floors == {
        "lexical/recall_at_10": 0.58,
        "semantic/recall_at_10": 0.42,
        "fusion/recall_at_10": 0.55,
    }
    assert found["realmem"].floors == {"fusion/recall_at_10": 0.71}
    assert [name for name, suite in found.items() if suite.corpus_sha256] == ["locomo", "realmem"]
    assert [name for name, suite in found.items() if suite.gate] == ["core", "locomo", "skerrow"]
    for name in ("core", "locomo", "skerrow"):
        gate = found[name].policy
        assert gate.baseline == suites.SUITES.parents[1] / "reports" / "baselines" / f"{name}.json"
        assert gate.acknowledged == gate.baseline.with_name(f"{name}.acknowledged.jsonl")
        assert [measure.name for measure in gate.measures] == ["ndcg_at_10", "recall_at_10", "mrr", "recall_at_50"]
    with pytest.raises(SuiteError, match=r"'realmem' judges no changes\. Give it a \[gate\]"):
        _ = found["realmem"].policy


@pytest.mark.parametrize("name", ["core", "skerrow"])
def test_must_pass_queries_of_ours_are_asked_and_have_an_answer(name: str) -> None:
    suite = load_suite(name)
    assert len(suite.policy.must_pass) >= 10
    corpus = load_corpus(suite, data=None)  # refuses a must-pass query that the corpus does not answer
    classes = {query.query_class for query in corpus.queries if query.id in suite.policy.must_pass}
    assert {"exact-identifier", "person", "time", "why", "latest-decision"} <= classes


def test_a_suite_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, TOML + 'determinism = ["L2"]\n[floors]\n"lexical/mrr" = 1\n')
    monkeypatch.chdir("/")  # a relative corpus is relative to the suite, not to here
    assert load_suite(path) == suites.Suite(
        name="mine",
        description="My notes.",
        corpus=str(tmp_path / "notes"),
        measures=("recall_at_10", "mrr"),
        depth=20,
        systems=("fusion", "lexical"),
        seed=7,
        floors={"lexical/mrr": 1.0},
        determinism=("L2",),
    )
    assert load_suite(write(tmp_path, TOML.replace("./notes", "locomo:conv-26"))).corpus == "locomo:conv-26"


def test_two_lines_are_a_suite(tmp_path: Path) -> None:
    suite = load_suite(write(tmp_path, 'name = "mine"\ncorpus = "./notes"\n'))
    ours = load_suite("skerrow")
    assert suite == replace(
        ours,
        name="mine",
        description="",
        corpus=str(tmp_path / "notes"),
        engine=EngineProfile(),
        determinism=("L1", "L2", "L3", "neighbours"),
        floors={},
        gate=None,
    )
    shallow = load_suite(write(tmp_path, 'name = "mine"\ncorpus = "./notes"\ndepth = 10\n'))
    assert shallow.measures == ("recall_at_5", "recall_at_10", "ndcg_at_10", "mrr")


def test_the_engine_of_a_suite(tmp_path: Path) -> None:
    suite = load_suite(write(tmp_path, TOML + "[engine]\nrrf_k = 10\nbm25_b = 1\n"))
    assert suite.engine == EngineProfile(Ranking(rrf_k=10, bm25_b=1.0))
    assert isinstance(suite.engine.ranking.bm25_b, float)
    assert suite.tuned(arm_depth=5).engine.ranking == Ranking(rrf_k=10, bm25_b=1.0, arm_depth=5)
    assert suite.part("one").engine == suite.engine
    with pytest.raises(SuiteError, match="engine has the unknown key 'k'"):
        suite.tuned(k=10)


def test_clusters(tmp_path: Path, mini_directory: Path) -> None:
    suite = load_suite(write(tmp_path, TOML.replace("./notes", f"{mini_directory}/")))
    as_it_is, alone, together = (
        load_corpus(replace(suite, cluster=cluster), data=None) for cluster in ("corpus", "query", "namespace")
    )
    assert [query.cluster for query in as_it_is.queries] == ["move", "retries", "q3"]
    assert [query.cluster for query in alone.queries] == ["q1", "q2", "q3"]
    assert [query.cluster for query in together.queries] == ["mini"] * 3
    assert len({as_it_is.digest, alone.digest, together.digest}) == 3


GATE = """
[gate]
baseline = "../baselines/mine.json"
alpha = 0.01
[gate.measures.mrr]
tolerance = 0.02
direction = "higher"
decimals = 2
[gate.measures.recall_at_10]
tolerance = 0
[gate.must_pass]
q1 = 3
"""


def test_a_gate(tmp_path: Path) -> None:
    suite = load_suite(write(tmp_path, TOML + GATE))
    assert suite.policy == GatePolicy(
        baseline=tmp_path.parent / "baselines" / "mine.json",
        measures=(GateMeasure("mrr", 0.02, "higher", 2), GateMeasure("recall_at_10", 0.0)),
        alpha=0.01,
        must_pass={"q1": 3},
    )
    assert suite.part("one").gate is None
    assert load_suite("core").part("one").determinism == ("L1", "L2", "L3", "neighbours")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("alpha", "alhpa", r"gate has the unknown key 'alhpa'\. Known are baseline, alpha, measures, must_pass"),
        ('baseline = "../baselines/mine.json"', "", r"gate\.baseline is None; it must be the path"),
        ("alpha = 0.01", "alpha = 1", r"gate\.alpha is 1; it must be a number between 0 and 1"),
        (
            "[gate.measures.mrr]",
            "[gate.measures.map]",
            r"gate\.measures\.map is not among the suite's measures, recall_at_10, mrr",
        ),
        ("tolerance = 0.02", "", r"gate\.measures\.mrr\.tolerance is None"),
        ("tolerance = 0.02", "tolerance = -1", r"gate\.measures\.mrr\.tolerance is -1"),
        ("tolerance = 0.02", "tolerance = nan", r"gate\.measures\.mrr\.tolerance is nan"),
        ("decimals = 2", "decimals = 2.5", r"gate\.measures\.mrr\.decimals is 2\.5"),
        ("decimals = 2", "floor = 2", r"gate\.measures\.mrr has the unknown key 'floor'"),
        ('"higher"', '"up"', r"gate\.measures\.mrr\.direction is 'up'; it must be 'higher' or 'lower'"),
        ("q1 = 3", "q1 = 0", r"gate\.must_pass\.q1 is 0; it must be a rank"),
        ("q1 = 3", 'q1 = "3"', r"gate\.must_pass\.q1 is '3'; it must be a rank"),
        ('systems = ["fusion", "lexical"]', 'systems = ["lexical"]', r"The gate judges 'fusion', which is not among"),
    ],
)
def test_a_wrong_gate_names_the_mend(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TOML + GATE
    with pytest.raises(SuiteError, match=message):
        load_suite(write(tmp_path, (TOML + GATE).replace(old, new)))


@pytest.mark.parametrize("measures", ["", "measures = 3", "measures = {mrr = 3}"])
def test_a_gate_needs_measures(tmp_path: Path, measures: str) -> None:
    with pytest.raises(SuiteError, match=r"gate\.measures"):
        load_suite(write(tmp_path, f'{TOML}[gate]\nbaseline = "b.json"\n{measures}\n'))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seed = 7", "sead = 7", r"The key 'sead' is unknown\. Known are name, .*, seed, .*, gate\."),
        ('corpus = "./notes"', "", r"The key 'corpus' is missing\. Give it as a string\."),
        ("seed = 7", 'cluster = "class"', r"cluster is 'class'; it must be one of corpus, namespace, query\."),
        (
            "seed = 7",
            "[engine]\nrrf = 10",
            r"engine has the unknown key 'rrf'\. Known are embeddings, extractor, bm25_k1, .*, rrf_k, ",
        ),
        ("seed = 7", "[engine]\nrrf_k = 1.5", r"engine\.rrf_k is 1\.5; it must be an integer of at least 0\."),
        ("seed = 7", "[engine]\nrrf_k = -1", r"engine\.rrf_k is -1; it must be an integer of at least 0\."),
        ("seed = 7", "[engine]\nbm25_b = true", r"engine\.bm25_b is True; it must be a number of at least 0\."),
        ("seed = 7", "[engine]\nbm25_b = inf", r"engine\.bm25_b is inf; it must be a number of at least 0\."),
        ("seed = 7", "seed = true", r"seed is True; it must be an integer\."),
        ("seed = 7", "seed =", r"cannot be read as TOML: .*\(at line 8, column 7\)\. Each key stands once, as `key = value`"),
        ("seed = 7", "seed = 7\nseed = 8", r"cannot be read as TOML: .*\(at line 9, column 9\)\. Each key stands once"),
        ("depth = 20", "depth = 0", r"The depth is 0; it must be at least 1\."),
        ("depth = 20", "depth = 9", r"recall_at_10 looks deeper than the depth, 9\."),
        ('"mine"', '"my/own"', r"The name is 'my/own'; it names directories"),
        ('"mrr"', '"map"', r"measures has the unknown 'map'\. Known are recall_at_5, "),
        ('"mrr"', '"recall_at_10"', r"measures has 'recall_at_10' twice\."),
        ('"mrr"', "3", r"measures has the unknown 3\."),
        (
            '"lexical"',
            '"lexicon"',
            r"systems has the unknown 'lexicon'\. Known are fusion, semantic, lexical",
        ),
        ('["fusion", "lexical"]', "[]", r"systems is empty\. Name at least one of fusion, "),
        ("seed = 7", 'seed = 7\ndeterminism = ["L5"]', r"determinism has the unknown 'L5'\."),
        ("seed = 7", 'seed = 7\ndeterminism = ["L4"]', r"determinism has L4, which compares with the baseline .* Give both"),
        ("seed = 7", 'seed = 7\n[engine]\nembeddings = "bert"', r"engine\.embeddings is 'bert'; it must be one of model, rec"),
        ("seed = 7", 'seed = 7\ncorpus_sha256 = "ab"', r"corpus_sha256 is 'ab'; it must be 64 hexadecimal"),
        ("seed = 7", 'seed = 7\n[floors]\n"semantic/mrr" = 0.5', r"floor 'semantic/mrr' is not of a system"),
        ("seed = 7", 'seed = 7\n[floors]\n"lexical" = 0.5', r"floor 'lexical' is not of a system"),
        ("seed = 7", 'seed = 7\n[floors]\n"lexical/mrr" = 58', r"floor 'lexical/mrr' is 58; it must be"),
        ("seed = 7", 'seed = 7\n[floors]\n"lexical/mrr" = nan', r"floor 'lexical/mrr' is nan; it must be"),
    ],
)
def test_a_wrong_suite_names_the_mend(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TOML
    with pytest.raises(SuiteError, match=rf"mine\.toml.*{message}"):
        load_suite(write(tmp_path, TOML.replace(old, new)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xef\xbb\xbf" + TOML.encode(), r"mine\.toml begins with a byte order mark\. Save it as UTF-8 without one\."),
        (
            TOML.replace("My", "M\u00e9").encode("latin-1"),
            r"mine\.toml cannot .*: its line 3 is not UTF-8\. Save it as UTF-8\.",
        ),
    ],
)
def test_a_suite_in_other_bytes_names_the_mend(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(content)
    with pytest.raises(SuiteError, match=message):
        load_suite(path)


def test_a_suite_of_another_kind_is_not_for_retrieval(tmp_path: Path) -> None:
    assert load_suite(write(tmp_path, TOML + 'kind = "retrieval"\n')) == load_suite(write(tmp_path, TOML))
    assert (kind_of("core"), kind_of("dates")) == ("retrieval", "dates")
    with pytest.raises(SuiteError, match=r"dates\.toml: The kind is 'dates', and this is for retrieval only\."):
        load_suite("dates")


def test_no_such_suite() -> None:
    with pytest.raises(
        SuiteError, match=r"no suite 'cor'\. Name one of causes, core-read, core, dates, .*, timeqa, or the path"
    ):
        load_suite("cor")


def test_the_pin_holds_a_corpus(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "README.md").touch()
    document = {"id": "d", "source": "s", "kind": "k", "title": "t", "occurred_at": "2026-03-02T09:00Z"}
    for name, line in {
        "documents": json.dumps({**document, "text": "Tea."}) + "\n",
        "queries": json.dumps({"id": "q", "class": "no-answer", "text": "Coffee?"}) + "\n",
        "qrels": "",
    }.items():
        (notes / f"{name}.jsonl").write_text(line, encoding="utf-8")
    write_checksums(notes)
    suite = load_suite(write(tmp_path, TOML))
    corpus = load_corpus(suite, data=None)
    assert corpus.counts["segments"] == 1
    assert load_corpus(replace(suite, corpus_sha256=corpus.digest), data=None) == corpus
    gated = replace(suite, gate=GatePolicy(tmp_path / "b.json", (GateMeasure("mrr", 0.1),), must_pass={"q1": 1}))
    with pytest.raises(SuiteError, match=r"must-pass queries that 'notes' has not.*: q1\. Take them out"):
        load_corpus(gated, data=None)
    with pytest.raises(SuiteError, match=rf"'notes' has {corpus.digest}: .*pin corpus_sha256 = "):
        load_corpus(replace(suite, corpus_sha256="0" * 64), data=None)
