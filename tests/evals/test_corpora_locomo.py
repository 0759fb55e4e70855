from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from evals.corpora import load, locomo
from evals.errors import CorpusError
from evals.types import Corpus, Query
from illumina.types import Utterance

if TYPE_CHECKING:
    from pathlib import Path


def turn(label: str, text: str, **more: str) -> dict[str, Any]:
    return {"speaker": "Ada", "dia_id": label, "text": text, **more}


def question(category: int, evidence: list[str], **more: object) -> dict[str, Any]:
    return {"question": f"Which of {category}?", "category": category, "evidence": evidence, **more}


SAMPLES: list[dict[str, Any]] = [
    {
        "sample_id": "conv-7",
        "conversation": {
            "speaker_a": "Ada",
            "session_1_date_time": "12:05 am on 9 May, 2023",
            "session_1": [
                turn("D1:1", "Look! ", blip_caption="a boat", img_url=""),
                turn("D1:2", "", blip_caption="a lake"),
                turn("D1:3", " "),
                turn("D1:4", "Nice."),
                turn("D1:5", "Very."),
            ],
            "session_2_date_time": "1:56 pm on 8 June, 2023",
            "session_2": [],
            "session_10": [turn("D10:1", "Hello again.")],
            "session_11_date_time": "1:56 pm on 8 July, 2023",
        },
        "qa": [
            question(4, ["D1:1"], answer="x"),
            question(1, ["D1:1; D10:1", "D:1:4"], answer="x"),
            question(1, ["D1:04 D1:5 D1:9"], answer="x"),
            question(2, ["D", "D1:5", "D1:5"], answer=2022),
            question(3, [], answer="x"),
            question(3, ["D1:3"], answer="x"),
            question(5, ["D1:4"], adversarial_answer="x"),
        ],
    },
    {
        "sample_id": "conv-9",
        "conversation": {"session_1_date_time": "9:00 am on 1 May, 2023", "session_1": [turn("D1:1", "Hi.")]},
        "qa": [question(4, ["D1:1"], answer="x")],
    },
]
AUDIT = [{"question_id": "locomo_0_qa2"}, {"question_id": "locomo_1_qa0"}]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "locomo"
    folder.mkdir()
    (folder / "locomo10.json").write_text(json.dumps(SAMPLES), encoding="utf-8")
    (folder / "audit-errors.json").write_text(json.dumps(AUDIT), encoding="utf-8")
    return tmp_path


@pytest.fixture
def corpus(data: Path) -> Corpus:
    return load("locomo", data=data)


def test_sessions_are_documents_and_turns_their_segments(corpus: Corpus) -> None:
    assert list(corpus.documents) == ["locomo-conv-7", "locomo-conv-9"]
    first, tenth = corpus.documents["locomo-conv-7"]
    assert (first.key, first.source) == ("conv-7/D1", "locomo:conv-7")
    midnight = datetime(2023, 5, 9, 0, 5, tzinfo=UTC)
    assert first.occurred_at == midnight
    assert list(first.body) == [
        Utterance("Look! [image: a boat]", "Ada", midnight, "D1:1"),
        Utterance("[image: a lake]", "Ada", midnight, "D1:2"),
        Utterance("Nice.", "Ada", midnight, "D1:4"),
        Utterance("Very.", "Ada", midnight, "D1:5"),
    ]
    assert (tenth.key, tenth.occurred_at) == ("conv-7/D10", None)


def test_evidence_is_repaired_where_it_has_one_reading(corpus: Corpus) -> None:
    assert corpus.unit == "segment"
    assert corpus.qrels == {
        "conv-7/q0": {"conv-7/D1#D1:1": 1},
        "conv-7/q1": {"conv-7/D1#D1:1": 1, "conv-7/D10#D10:1": 1, "conv-7/D1#D1:4": 1},
        "conv-7/q2": {"conv-7/D1#D1:4": 1, "conv-7/D1#D1:5": 1},
        "conv-7/q3": {"conv-7/D1#D1:5": 1},
        "conv-7/q4": {},
        "conv-7/q5": {},
        "conv-7/q6": {"conv-7/D1#D1:4": 1},
        "conv-9/q0": {"conv-9/D1#D1:1": 1},
    }
    assert corpus.counts == {
        "evidence_dropped": 3,  # D1:9, D, and D1:3, which says nothing
        "evidence_repaired": 3,
        "headline_questions_with_evidence": 5,
        "questions": 8,
        "questions_doubtful": 2,
        "questions_without_evidence": 2,
        "sessions": 3,
        "sessions_without_time": 1,
        "sessions_without_turns": 1,
        "times_without_session": 1,
        "turns": 6,
        "turns_empty": 1,
        "turns_with_image": 2,
    }


def test_category_5_stands_apart(corpus: Corpus) -> None:
    assert corpus.queries[6] == Query("conv-7/q6", "Which of 5?", "category-5", "locomo-conv-7", "conv-7", headline=False)
    assert [query.headline for query in corpus.queries] == [True] * 6 + [False, True]


@pytest.mark.parametrize("part", ["conv-9", "1"])
def test_one_dialogue(data: Path, part: str) -> None:
    corpus = load(f"locomo:{part}", data=data)
    assert corpus.name == "locomo:conv-9"
    assert list(corpus.documents) == ["locomo-conv-9"]
    assert [query.id for query in corpus.queries] == ["conv-9/q0"]
    assert corpus.counts["questions_doubtful"] == 1


def test_doubtful_questions(data: Path) -> None:
    assert locomo.doubtful(data / "locomo") == {"conv-7/q2", "conv-9/q0"}


def test_a_dialogue_that_is_not_there(data: Path) -> None:
    with pytest.raises(CorpusError, match=r"no dialogue 'conv-8'\. It has conv-7, conv-9;"):
        load("locomo:conv-8", data=data)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("locomo10.json", "{", "cannot be read"),
        ("locomo10.json", "{}", "is not a list"),
        ("audit-errors.json", '[{"question_id": "locomo_2_qa0"}]', "'locomo_2_qa0' is no question"),
        ("audit-errors.json", '[{"question_id": "x"}]', "'x' is no question"),
    ],
)
def test_files_that_are_not_locomo(data: Path, file: str, content: str, message: str) -> None:
    (data / "locomo" / file).write_text(content, encoding="utf-8")
    with pytest.raises(CorpusError, match=message):
        load("locomo", data=data)


def test_a_time_in_another_form(data: Path) -> None:
    text = json.dumps(SAMPLES).replace("9:00 am on 1 May, 2023", "1 May")
    (data / "locomo" / "locomo10.json").write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match="'1 May' is not like '1:56 pm on 8 May, 2023'"):
        load("locomo", data=data)


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("locomo", False, r"'locomo' is not part of the project\. .*`--data \.\./shared/data`"),
        ("realmem", True, r"'realmem' is not in /.*`--data \.\./shared/data`"),
        ("nowhere", True, r"There is no corpus 'nowhere'\. .*Public ones are locomo, realmem, qmsum, strategyqa, timeqa\."),
    ],
)
def test_what_is_not_there_is_named_with_the_mend(data: Path, name: str, given: bool, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        load(name, data=data if given else None)
