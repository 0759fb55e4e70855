"""Our own corpora: what they promise in their cards and in `datasets/README.md`."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

import pytest

from evals.corpora import DATASETS, load, validate
from evals.corpora.understanding import Understanding, place, read_understanding
from evals.corpora.validation import read
from illumina.text import lexemes

Row = dict[str, Any]

CLASSES: Final = frozenset(
    {
        "exact-identifier",
        "latest-decision",
        "no-answer",
        "other-language",
        "paraphrase",
        "person",
        "theme",
        "time",
        "why",
    }
)


@dataclass(frozen=True, slots=True)
class Promise:
    """The least that a corpus holds."""

    documents: int
    queries: int
    per_class: int
    facts: int
    categories: int
    causes: int
    supersessions: int


PROMISES: Final = {
    "meridian": Promise(documents=174, queries=225, per_class=25, facts=200, categories=14, causes=60, supersessions=50),
    "skerrow": Promise(documents=44, queries=63, per_class=7, facts=74, categories=13, causes=25, supersessions=17),
}
corpora = pytest.mark.parametrize("corpus", PROMISES)


def rows(corpus: str, file: str) -> list[Row]:
    content = (DATASETS / corpus / file).read_text(encoding="utf-8")
    return [json.loads(line) for line in content.removesuffix("\n").split("\n")]


def understanding(corpus: str) -> Understanding:
    data, problems = read(DATASETS / corpus)
    assert problems == []
    return read_understanding(DATASETS / corpus, data)[0]


def test_every_corpus_is_looked_at() -> None:
    assert {path.name for path in DATASETS.iterdir() if path.is_dir()} == PROMISES.keys()


@corpora
def test_it_is_valid_and_as_large_as_promised(corpus: str) -> None:
    assert validate(DATASETS / corpus) == []
    loaded = load(corpus, data=None)
    promise = PROMISES[corpus]
    assert loaded.counts["documents"] >= promise.documents
    assert loaded.counts["queries"] >= promise.queries
    per_class = Counter(query.query_class for query in loaded.queries)
    assert per_class.keys() == CLASSES
    assert min(per_class.values()) >= promise.per_class


@corpora
def test_the_card_states_the_counts(corpus: str) -> None:
    card = (DATASETS / corpus / "README.md").read_text(encoding="utf-8")
    counts = load(corpus, data=None).counts
    grades = Counter(row["grade"] for row in rows(corpus, "qrels.jsonl"))
    for number in [*(counts[name] for name in ("documents", "segments", "queries", "judgements")), *grades.values()]:
        assert f"{number:,}" in card


@corpora
def test_a_paraphrase_shares_no_lexeme_with_its_answers(corpus: str) -> None:
    paraphrases = {row["id"]: row["text"] for row in rows(corpus, "queries.jsonl") if row["class"] == "paraphrase"}
    said = understanding(corpus).segments
    shared = {
        (row["query"], *place(row)): common
        for row in rows(corpus, "qrels.jsonl")
        if row["query"] in paraphrases and row["grade"] >= 2
        if (common := {*lexemes(paraphrases[row["query"]])} & {*lexemes(said[place(row)].text)})
    }
    assert shared == {}


@corpora
def test_it_has_the_labels_that_are_promised(corpus: str) -> None:
    labels, promise = understanding(corpus), PROMISES[corpus]
    assert len({place(row) for row in labels.facts}) >= promise.facts
    assert len({row["category"] for row in labels.facts}) >= promise.categories
    assert any(row["distinct_from"] for row in labels.entities)
    assert len(labels.causes) >= promise.causes
    assert {row["relation"] for row in labels.causes} == {"causes", "enables", "prevents"}
    assert len(labels.supersession) >= promise.supersessions
    assert {row["kind"] for row in labels.supersession} == {"whole", "partial", "one-replaces-many"}
    assert any(len(row["independent"]) >= 2 for row in labels.corroboration)
    assert any(len(row["independent"]) == 1 and row["echoes"] for row in labels.corroboration)
    assert all(row["loses"] or row["weakens"] for row in labels.forgotten)
    assert labels.forgotten
