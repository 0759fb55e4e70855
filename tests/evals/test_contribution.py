from __future__ import annotations

from pathlib import Path

from evals.contribution import contributions
from evals.rundir import read_run, write_run
from evals.types import Corpus, Query, Ranking, RunData


def test_each_arms_part_is_counted_in_gold_units_of_headline_queries(tmp_path: Path) -> None:
    queries = [Query(name, name, "plain", "ns", name, name != "apart") for name in ("one", "two", "apart")]
    qrels = {"one": {"a": 1, "b": 2, "c": 1, "bad": 0}, "two": {"d": 1}, "apart": {"a": 1}}
    filler = tuple(f"x{number}" for number in range(10))
    answers = {
        "fusion": {"one": ("a", "b", "bad"), "two": (*filler, "d"), "apart": ("a",)},
        "semantic": {"one": ("a", "c"), "two": ("d",), "apart": ("a",)},
        "lexical": {"one": ("b", "a", "bad"), "two": (*filler, "d"), "apart": ()},
    }
    rankings = [
        Ranking(query, system, units, tuple(1 / rank for rank in range(1, len(units) + 1)))
        for system, found in answers.items()
        for query, units in found.items()
    ]
    corpus = Corpus("toy", "segment", {}, queries, qrels, {}, "c0ffee")
    run = read_run(write_run(tmp_path, RunData("toy", corpus, rankings, [], {"suite": "toy"}, {})))
    found = {it.arm: (it.found, it.shared, it.alone, it.dropped) for it in contributions(run)}
    # The first ten only: d is the fusion's eleventh.
    assert found == {"semantic": (3, 1, 0, 2), "lexical": (2, 2, 1, 0)}
    alone = [ranking for ranking in rankings if ranking.system == "lexical"]
    bare = read_run(write_run(tmp_path / "bare", RunData("toy", corpus, alone, [], {"suite": "toy"}, {})))
    assert contributions(bare) == ()
