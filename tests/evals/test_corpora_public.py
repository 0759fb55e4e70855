"""The loaders on the real public corpora; figures of the published baselines' own counts."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evals.corpora import load, locomo
from illumina.retain.prepare import prepare

if TYPE_CHECKING:
    from evals.types import Corpus

DATA = Path(os.environ.get("ILLUMINA_DATA", Path(__file__).resolve().parents[2] / ".." / "shared" / "data"))

pytestmark = pytest.mark.corpora


def loaded(name: str) -> Corpus:
    if not (DATA / name).is_dir():
        pytest.skip(f"The corpus {name} is not in {DATA}; set ILLUMINA_DATA.")
    return load(name, data=DATA)


def assert_retainable(corpus: Corpus) -> None:
    """The engine takes every document, and every judgement names a unit that it will report."""
    units = set()
    for namespace, documents in corpus.documents.items():
        times = [document.occurred_at for document in documents]
        assert times == sorted(times, key=lambda moment: (moment is None, moment))
        for document in documents:
            segments = prepare(document, namespace).segments
            assert segments is not None or corpus.unit == "document"
            units |= {str(document.key)} if corpus.unit == "document" else set()
            units |= {f"{document.key}#{segment.label}" for segment in segments or ()}
    assert {unit for judged in corpus.qrels.values() for unit in judged} <= units
    assert {query.namespace for query in corpus.queries} <= corpus.documents.keys()
    assert len({query.id for query in corpus.queries}) == len(corpus.queries)


def test_locomo() -> None:
    corpus = loaded("locomo")
    assert_retainable(corpus)
    assert (corpus.counts["sessions"], corpus.counts["turns"]) == (272, 5882)
    classes = Counter(query.query_class for query in corpus.queries)
    assert classes == {f"category-{n}": of for n, of in enumerate([282, 321, 96, 841, 446], start=1)}
    # One more than the baselines': `D30:05` is read as `D30:5`.
    with_gold = [query for query in corpus.queries if query.headline and corpus.qrels[query.id]]
    assert len(with_gold) == corpus.counts["headline_questions_with_evidence"] == 1536
    assert corpus.qrels["conv-50/q69"] == {"conv-50/D30#D30:5": 1}
    assert corpus.qrels["conv-43/q18"].keys() >= {"conv-43/D11#D11:26", "conv-43/D26#D26:36"}
    assert corpus.counts["questions_without_evidence"] == 4
    assert corpus.counts["evidence_repaired"] == 6
    assert corpus.counts["evidence_dropped"] == 3
    doubtful = locomo.doubtful(DATA / "locomo")
    assert len(doubtful) == corpus.counts["questions_doubtful"] == 156
    assert doubtful <= {query.id for query in corpus.queries}


def test_realmem() -> None:
    corpus = loaded("realmem")
    assert_retainable(corpus)
    assert corpus.counts == {
        "answers_to_no_query": 23,
        "gold": 1064,
        "gold_not_earlier": 3,
        "queries": 670,
        "queries_unmarked": 3,
        "sessions": 1124,
        "turns": 7741,
        "turns_empty": 1,
    }
    assert all(corpus.qrels[query.id] for query in corpus.queries)
    assert not any(query.hidden & corpus.qrels[query.id].keys() for query in corpus.queries)
    assert len({query.cluster for query in corpus.queries}) == 26
    assert Counter(query.query_class for query in corpus.queries) == {
        "dynamic-incremental": 504,
        "implicit-preference": 84,
        "dynamic-updating": 74,
        "temporal-reasoning": 8,
    }


def test_qmsum() -> None:
    corpus = loaded("qmsum")
    assert_retainable(corpus)
    assert corpus.counts == {
        "meetings": 35,
        "questions_general": 35,
        "questions_specific": 237,
        "spans": 248,
        "turns": 20106,
        "turns_empty": 17,
    }
    assert all(bool(corpus.qrels[query.id]) == query.headline for query in corpus.queries)


def test_strategyqa() -> None:
    corpus = loaded("strategyqa")
    assert_retainable(corpus)
    assert corpus.counts == {"facts": 6106, "facts_repeated": 14, "questions": 2290, "questions_repeated": 1}
    assert Counter(len(gold) for gold in corpus.qrels.values()) == {2: 1159, 3: 793, 4: 267, 5: 71}


def test_timeqa() -> None:
    corpus = loaded("timeqa")
    assert_retainable(corpus)
    assert corpus.counts == {
        "pages": 318,
        "pages_repeated": 2,
        "paragraphs": 15491,
        "questions_answerable": 982,
        "questions_unanswerable": 189,
    }
    assert all(bool(corpus.qrels[query.id]) == query.headline for query in corpus.queries)
