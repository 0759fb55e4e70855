from __future__ import annotations

import dataclasses
import errno
import hashlib
import json
import os
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
import pytrec_eval

from evals.errors import OutputError
from evals.rundir import Check, RunDirectoryError, canonical_json, read_run, write_run
from evals.types import Corpus, Query, Ranking, RunData, Timing
from illumina.errors import InvalidInputError

if TYPE_CHECKING:
    from pathlib import Path

CHECKS = [Check("L1 same database twice", passed=True, detail="6 answers, byte-identical")]
FLOORS = {"fusion/ndcg_at_10": 0.5, "lexical/mrr": 0.9}
NASTY = "</script><script>alert(\"x\")</script> & 'quoted' | piped\u2028second line\nthird"


def data() -> RunData:
    """Six queries in three clusters, two systems; one query without gold, one reported apart, one never answered."""
    queries = [
        Query("conv-1/q:0", "why did we move ingestion", "causal", "ns", "conv-1"),
        Query("conv-1/q:1", NASTY, "plain", "ns", "conv-1", reference_time=datetime(2024, 5, 1, tzinfo=UTC)),
        Query("conv-2/q:0", "who owns the queue", "plain", "ns", "conv-2"),
        Query("conv-2/q:1", "nobody said this", "plain", "ns", "conv-2"),
        Query("conv-3/q:0", "what broke", "causal", "ns", "conv-3"),
        Query("conv-3/q:1", "was it ever said", "adversarial", "ns", "conv-3", headline=False),
    ]
    qrels = {
        "conv-1/q:0": {"s1#D1:1": 2, "s1#D1:2": 1, "s1#D1:9": 0},
        "conv-1/q:1": {"s1#D1:3": 1},
        "conv-2/q:0": {"s2#D2:1": 1},
        "conv-2/q:1": {},
        "conv-3/q:0": {"s3#D3:1": 1, "s3#D3:2": 1},
        "conv-3/q:1": {"s3#D3:3": 1},
    }
    answers = {
        "fusion": {
            "conv-1/q:0": ["s1#D1:2", "s1#D1:1", "s1#D1:9"],
            "conv-1/q:1": ["s1#D1:9", "s1#D1:3"],
            "conv-2/q:0": ["s2#D2:1"],
            "conv-2/q:1": ["s2#D2:1"],
            "conv-3/q:0": ["s3#D3:9", "s3#D3:8", "s3#D3:2"],
            "conv-3/q:1": ["s3#D3:3"],
        },
        "lexical": {
            "conv-1/q:0": ["s1#D1:1"],
            "conv-1/q:1": [],
            "conv-2/q:0": ["s2#D2:9", "s2#D2:1"],
            "conv-3/q:1": ["s3#D3:9"],
        },
    }
    rankings = [
        # All scores tie: the order alone counts.
        Ranking(query_id, system, tuple(units), (0.5,) * len(units))
        for system, by_query in answers.items()
        for query_id, units in by_query.items()
    ]
    timings = [
        Timing(query.id, "fusion", stage, base + number)
        for number, query in enumerate(queries)
        for stage, base in (("embed", 0.0), ("total", 20.0))
    ]
    corpus = Corpus("toy <corpus>", "segment", {}, queries, qrels, {"repaired": 2, "dropped": 1}, "c0ffee" * 10)
    identity = {"suite": "toy", "embedder": {"fingerprint": "f00d"}, "arms": ["lexical"], "depth": 50}
    environment = {"host": "somewhere", "python": "3.11"}
    return RunData("toy", corpus, rankings, timings, identity, environment)


def test_responses_are_read_back_even_of_an_empty_ranking(tmp_path: Path) -> None:
    plain = data()
    answered = [
        dataclasses.replace(ranking, response=f"{number:064}") if ranking.system == "fusion" else ranking
        for number, ranking in enumerate(plain.rankings)
    ]
    empty = dataclasses.replace(answered[0], units=(), scores=())
    run = read_run(write_run(tmp_path, dataclasses.replace(plain, rankings=[empty, *answered[1:]])))
    assert {query: ranking.response for query, ranking in run.rankings["fusion"].items()} == {
        ranking.query_id: ranking.response for ranking in answered if ranking.system == "fusion"
    }
    assert run.rankings["fusion"][empty.query_id].units == ()
    assert not any(ranking.response for ranking in run.rankings["lexical"].values())


def contents(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(path.iterdir())}


def test_all_files_are_there_and_nothing_else(tmp_path: Path) -> None:
    path = write_run(tmp_path, data(), floors=FLOORS, checks=CHECKS)
    digest = hashlib.sha256(canonical_json(data().identity).encode()).hexdigest()
    assert path == tmp_path / f"toy-{digest[:12]}"
    assert list(contents(path)) == [
        "manifest.json",
        "per_query.parquet",
        "qrels.tsv",
        "queries.jsonl",
        "report.html",
        "report.md",
        "responses.tsv",
        "run-lexical.tsv",
        "run.tsv",
        "summary.json",
        "timing.parquet",
    ]
    assert [child.name for child in tmp_path.iterdir()] == [path.name]
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    assert set(manifest) == {"identity", "environment", "digest", "result_digest"}
    assert manifest["digest"] == digest


def test_identity_parts_are_the_same_bytes_twice_whatever_the_environment(tmp_path: Path) -> None:
    first = contents(write_run(tmp_path / "a", data(), floors=FLOORS, checks=CHECKS))
    again = contents(write_run(tmp_path / "b", data(), floors=FLOORS, checks=CHECKS))
    assert first == again
    other = dataclasses.replace(
        data(),
        environment={"host": "elsewhere"},
        timings=[dataclasses.replace(timing, milliseconds=1.5) for timing in data().timings],
    )
    moved = contents(write_run(tmp_path / "c", other, floors=FLOORS, checks=CHECKS))
    changed = {name for name in first if first[name] != moved[name]}
    assert changed == {"manifest.json", "timing.parquet", "report.md", "report.html"}
    for report, parts in (
        ("report.md", rb"<details><summary>(?:Latency|Environment).*?</details>"),
        ("report.html", rb'<section aria-labelledby="latency">.*?</section>|<summary>Environment.*?</details>'),
    ):
        rest = [re.sub(parts, b"", files[report], flags=re.DOTALL) for files in (first, moved)]
        assert rest[0] == rest[1]


def test_read_run_gives_back_what_was_written(tmp_path: Path) -> None:
    given = data()
    run = read_run(write_run(tmp_path, given, floors=FLOORS, checks=CHECKS))
    assert (run.suite, run.corpus, run.corpus_digest) == ("toy", "toy <corpus>", "c0ffee" * 10)
    assert run.identity == given.identity
    assert run.environment == given.environment
    assert run.counts == given.corpus.counts
    assert list(run.queries) == list(given.corpus.queries)
    assert run.qrels == {name: gold for name, gold in given.corpus.qrels.items() if gold}
    assert run.checks == tuple(CHECKS)
    assert list(run.rankings) == ["fusion", "lexical"]
    for ranking in given.rankings:
        if ranking.units:
            assert run.rankings[ranking.system][ranking.query_id].units == ranking.units
        else:
            assert ranking.query_id not in run.rankings[ranking.system]
    assert run.timing.height == len(given.timings)
    assert run.per_query.height == 12
    assert [(floor.system, floor.measure, floor.met) for floor in run.floors] == [
        ("fusion", "ndcg_at_10", True),
        ("lexical", "mrr", False),
    ]
    headline = run.summary.systems["fusion"].headline
    assert (headline.queries, headline.without_gold, headline.clusters) == (4, 1, 3)
    assert headline.measures["mrr"].mean == pytest.approx((1 + 1 / 2 + 1 + 1 / 3) / 4)


@pytest.mark.parametrize("system", ["fusion", "lexical"])
def test_trec_eval_reads_the_files_and_agrees(tmp_path: Path, system: str) -> None:
    path = write_run(tmp_path, data())
    run = read_run(path)
    with (path / "qrels.tsv").open(encoding="utf-8") as file:
        qrels = pytrec_eval.parse_qrel(file)
    with (path / ("run.tsv" if system == "fusion" else "run-lexical.tsv")).open(encoding="utf-8") as file:
        ranked = pytrec_eval.parse_run(file)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "recip_rank"}).evaluate(ranked)
    rows = {row["query_id"]: row for row in run.per_query.to_dicts() if row["system"] == system}
    assert theirs
    for query_id, values in theirs.items():
        assert rows[query_id]["mrr"] == pytest.approx(values["recip_rank"], abs=1e-9)
        assert rows[query_id]["ndcg_at_10"] == pytest.approx(values["ndcg_cut_10"], abs=1e-9)


def test_the_same_identity_is_replaced_and_another_result_is_told(tmp_path: Path) -> None:
    path = write_run(tmp_path, data())
    before = read_run(path)
    (path / "left-over").touch()
    assert write_run(tmp_path, data()) == path
    assert not (path / "left-over").exists()
    assert "replaced_result_digest" not in read_run(path).environment
    changed = dataclasses.replace(data(), rankings=data().rankings[:-1])
    after = read_run(write_run(tmp_path, changed))
    assert after.path == path
    assert after.environment["replaced_result_digest"] == before.result_digest
    assert "This identity gave other rankings before" in (path / "report.md").read_text(encoding="utf-8")
    assert [child.name for child in tmp_path.iterdir()] == [path.name]


def test_checks_outlive_a_run_without_any_that_gives_the_same(tmp_path: Path) -> None:
    def started(when: str) -> RunData:
        return dataclasses.replace(data(), environment={**data().environment, "started": when})

    path = write_run(tmp_path, started("Monday"), checks=CHECKS)
    for day in ("Tuesday", "Wednesday"):
        run = read_run(write_run(tmp_path, started(day)))
        assert list(run.checks) == CHECKS
        assert (run.environment["started"], run.environment["checked_by_run_of"]) == (day, "Monday")
        for report in ("report.md", "report.html"):
            text = (path / report).read_text(encoding="utf-8")
            assert text.count("Made by the run of Monday, which gave the same rankings.") == 1
    other = [Check("L2 another", passed=False, detail="first difference at q")]
    run = read_run(write_run(tmp_path, started("Thursday"), checks=other))
    assert list(run.checks) == other
    assert "checked_by_run_of" not in run.environment
    assert "Made by the run of" not in (path / "report.md").read_text(encoding="utf-8")
    changed = dataclasses.replace(started("Friday"), rankings=data().rankings[:-1])
    assert read_run(write_run(tmp_path, changed)).checks == (), "checks of other rankings say nothing of these"


def test_a_failing_write_leaves_nothing_and_the_old_run_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(write_run(tmp_path, data()))

    def fail(_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("evals.rundir.write_reports", fail)
    with pytest.raises(OutputError, match=r"No space is left .*: free space and run the same command again\."):
        write_run(tmp_path, data(), floors=FLOORS)
    (child,) = tmp_path.iterdir()
    assert contents(child) == before


@pytest.mark.parametrize("name", ["manifest.json", "summary.json", "queries.jsonl", "run.tsv", "qrels.tsv"])
def test_an_incomplete_directory_is_not_a_run(tmp_path: Path, name: str) -> None:
    path = write_run(tmp_path, data())
    (path / name).unlink()
    with pytest.raises(RunDirectoryError, match="run the suite again"):
        read_run(path)


def test_changed_rankings_and_identities_are_noticed(tmp_path: Path) -> None:
    path = write_run(tmp_path, data())
    rankings = (path / "run.tsv").read_bytes()
    (path / "run.tsv").write_bytes(rankings.replace(b"D1:2", b"D1:5"))
    with pytest.raises(RunDirectoryError, match=r"run\*\.tsv are not the results of manifest\.json"):
        read_run(path)
    (path / "run.tsv").write_bytes(rankings)
    manifest = (path / "manifest.json").read_text(encoding="utf-8")
    (path / "manifest.json").write_text(manifest.replace('"depth": 50', '"depth": 51'), encoding="utf-8")
    with pytest.raises(RunDirectoryError, match="digest is not its identity's"):
        read_run(path)


def with_unit(unit: str) -> RunData:
    return dataclasses.replace(data(), rankings=[Ranking("conv-1/q:0", "fusion", (unit,), (1.0,))])


@pytest.mark.parametrize(
    ("broken", "floors", "message"),
    [
        (dataclasses.replace(data(), suite="a/b"), {}, "suite 'a/b': it names a file"),
        (dataclasses.replace(data(), rankings=[Ranking("conv-1/q:0", "..", (), ())]), {}, "system '..'"),
        (with_unit("s1 #D1"), {}, "no white space"),
        (with_unit(""), {}, "no white space"),
        (data(), {"fusion/ndcg": 0.1}, "floor 'fusion/ndcg': expected system/measure"),
        (data(), {"graph/mrr": 0.1}, "floor 'graph/mrr'"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path: Path, broken: RunData, floors: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        write_run(tmp_path, broken, floors=floors)
    assert not list(tmp_path.iterdir())
