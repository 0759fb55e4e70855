"""Retrieval corpora whose files are pinned, on synthetic files with the traps of the real ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from evals.corpora import load, qmsum, strategyqa, timeqa
from evals.corpora.pins import fingerprint
from evals.errors import CorpusError
from illumina.types import Utterance

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from evals.types import Corpus

MEETING: dict[str, Any] = {
    "topic_list": [],
    "general_query_list": [{"query": "Summarize the whole meeting", "answer": "x"}],
    "specific_query_list": [
        {"query": "What about tea?", "answer": "x", "relevant_text_span": [["0", "2"], ["2", "3"]]},
        {"query": "What about cups?", "answer": "x", "relevant_text_span": [["3", "3"]]},
    ],
    "meeting_transcripts": [
        {"speaker": "A", "content": "Tea?"},
        {"speaker": "B", "content": " "},
        {"speaker": "B", "content": "Tea. "},
        {"speaker": "A", "content": "Two cups."},
    ],
}
STRATEGY: dict[str, list[dict[str, Any]]] = {
    "dev": [{"qid": "q1", "term": "Tea", "question": "Is tea hot?", "facts": ["Tea is  boiled.", "What boils is hot."]}],
    "train": [
        {
            "qid": "q2",
            "term": "Ice",
            "question": "Is ice hot?",
            "facts": ["Ice is cold.", "What boils is hot.", "Cold is cold."],
        },
        {"qid": "q3", "term": "Tea", "question": "Is tea hot?", "facts": ["Tea is boiled.", "Cups are warm."]},
    ],
}


def page(kind: str, questions: list[Any]) -> dict[str, Any]:
    return {
        "type": kind,
        "link": "/wiki/A_House",
        "paras": ["A House", "Ann owned it , to 1900 .", "Bo did ."],
        "questions": questions,
    }


def answer(para: int, text: str) -> dict[str, Any]:
    return {"para": para, "from": 0, "end": len(text), "answer": text}


TIME = [
    page("P1", [["Who in 1899?", [answer(1, "Ann"), answer(1, "Ann")]], ["Who in 1800?", [answer(0, "")]]]),
    page("P2", [["Who in 1901?", [answer(2, "Bo")]]]),
]


def write(data: Path, module: ModuleType, files: dict[str, Any], patch: pytest.MonkeyPatch) -> None:
    """Write a corpus's files and pin them."""
    for name, content in files.items():
        path = data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    folder = data / module.__name__.rpartition(".")[2]
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.glob(module.FILES)}
    patch.setattr(module, "PIN", fingerprint(found))


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, qmsum, {"qmsum/val/M1.json": MEETING, "qmsum/val/M2.json": MEETING}, monkeypatch)
    write(tmp_path, strategyqa, {f"strategyqa/{name}.json": rows for name, rows in STRATEGY.items()}, monkeypatch)
    write(tmp_path, timeqa, {"timeqa/human_annotated_train.json": TIME}, monkeypatch)
    return tmp_path


def asked(corpus: Corpus) -> dict[str, tuple[str, bool, set[str]]]:
    return {query.id: (query.query_class, query.headline, {*corpus.qrels[query.id]}) for query in corpus.queries}


def test_qmsum_counts_the_turns_of_spans(data: Path) -> None:
    corpus = load("qmsum:M1", data=data)
    (document,) = corpus.documents["qmsum-M1"]
    assert document.key == "M1"
    assert list(document.body) == [
        Utterance("Tea?", "A", label="0"),
        Utterance("Tea.", "B", label="2"),
        Utterance("Two cups.", "A", label="3"),
    ]
    assert asked(corpus) == {
        "M1/specific-0": ("specific", True, {"M1#0", "M1#2", "M1#3"}),
        "M1/specific-1": ("specific", True, {"M1#3"}),
        "M1/general-0": ("general", False, set()),
    }
    assert corpus.counts == {
        "meetings": 1,
        "questions_general": 1,
        "questions_specific": 2,
        "spans": 3,
        "turns": 3,
        "turns_empty": 1,
    }
    assert [*load("qmsum", data=data).documents] == ["qmsum-M1", "qmsum-M2"]


def test_strategyqa_pools_facts(data: Path) -> None:
    corpus = load("strategyqa", data=data)
    (documents,) = corpus.documents.values()
    assert [(document.key, document.body) for document in documents] == [
        ("q1-0", "Tea is boiled."),
        ("q1-1", "What boils is hot."),
        ("q2-0", "Ice is cold."),
        ("q2-2", "Cold is cold."),
        ("q3-1", "Cups are warm."),
    ]
    assert asked(corpus) == {
        "q1": ("2-facts", True, {"q1-0", "q1-1"}),
        "q2": ("3-facts", True, {"q2-0", "q1-1", "q2-2"}),
        "q3": ("2-facts", True, {"q1-0", "q3-1"}),
    }
    assert corpus.counts == {"facts": 5, "facts_repeated": 2, "questions": 3, "questions_repeated": 1}
    assert [query.id for query in load("strategyqa:dev", data=data).queries] == ["q1"]


def test_timeqa_keeps_what_cannot_be_answered_apart(data: Path) -> None:
    corpus = load("timeqa", data=data)
    ((document,),) = corpus.documents.values()
    assert [turn.label for turn in document.body if isinstance(turn, Utterance)] == ["0", "1", "2"]
    assert asked(corpus) == {
        "A_House/P1-0": ("answerable", True, {"A_House#1"}),
        "A_House/P1-1": ("unanswerable", False, set()),
        "A_House/P2-0": ("answerable", True, {"A_House#2"}),
    }
    assert corpus.counts == {
        "pages": 1,
        "pages_repeated": 1,
        "paragraphs": 3,
        "questions_answerable": 2,
        "questions_unanswerable": 1,
    }
    assert load("timeqa:A_House", data=data).digest == corpus.digest


@pytest.mark.parametrize("name", ["qmsum:M9", "strategyqa:test", "timeqa:A_Hut"])
def test_a_part_that_is_not_there(data: Path, name: str) -> None:
    with pytest.raises(CorpusError, match=name.partition(":")[2]):
        load(name, data=data)


def test_a_page_with_two_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, timeqa, {"timeqa/human_annotated_train.json": [TIME[0], {**TIME[1], "paras": ["Other"]}]}, monkeypatch)
    with pytest.raises(CorpusError, match="'A_House' stands there with two texts"):
        load("timeqa", data=tmp_path)


def test_a_changed_file_names_the_mend(data: Path) -> None:
    path = data / "qmsum" / "val" / "M2.json"
    path.write_text(path.read_text() + " ")
    with pytest.raises(
        CorpusError, match=r"val/\*\.json has the SHA-256 \w{64}, and its loader is for .* Fetch the corpus again"
    ):
        load("qmsum", data=data)


def test_files_that_are_gone(data: Path) -> None:
    (data / "timeqa" / "human_annotated_train.json").unlink()
    with pytest.raises(CorpusError, match="timeqa holds no human_annotated_train"):
        load("timeqa", data=data)
