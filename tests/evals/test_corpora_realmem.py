from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from evals.corpora import load
from evals.errors import CorpusError
from evals.types import Corpus, Query
from illumina.types import Utterance

if TYPE_CHECKING:
    from pathlib import Path


def said(speaker: str, content: str, **more: object) -> dict[str, Any]:
    return {"speaker": speaker, "is_query": False, "content": content, "query_id": None, **more}


def asked(content: str, query_id: str) -> dict[str, Any]:
    return said("User", content, is_query=True) | {
        "query_id": query_id,
        "category_name": "Temporal-reasoning Now",
    }


def answered(*sessions: str) -> dict[str, Any]:
    return said("Assistant", "So.", memory_used=[], memory_session_uuids=list(sessions))


def session(uuid: str, identifier: str, day: str, *turns: dict[str, Any]) -> dict[str, Any]:
    return {
        "session_identifier": identifier,
        "session_uuid": uuid,
        "current_time": day,
        "dialogue_turns": list(turns),
        "extracted_memory": [],
    }


SESSIONS = [
    session("aa", "Enhanced:S1", "2026-01-03 (Saturday)", said("User", "I row."), said("Assistant", "")),
    session("bb", "Travel_2:S1", "2026-01-02 (Friday)", said("User", "A map!"), answered("aa")),
    session(
        "cc",
        "Travel_2:S2",
        "2026-01-03 (Saturday)",
        asked("Which map?", "Q-1"),
        answered("bb", "aa", "bb"),
        said("User", "Hm.") | {"query_id": "Q-7"},
        said("Assistant", "Yes."),
        asked("And the boat?", "Q-2"),
        answered("cc", "dd"),
    ),
    session("dd", "Travel_2:S3", "2026-01-04 (Sunday)", said("User", "Bye.")),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "realmem"
    folder.mkdir()
    for person, sessions in {"Ada_B": SESSIONS, "Cy": SESSIONS[:1]}.items():
        content = {"_metadata": {}, "dialogues": sessions}
        (folder / f"{person}_dialogues_256k.json").write_text(json.dumps(content), encoding="utf-8")
    return tmp_path


@pytest.fixture
def corpus(data: Path) -> Corpus:
    return load("realmem", data=data)


def test_sessions_are_documents_in_the_order_of_their_days(corpus: Corpus) -> None:
    assert corpus.unit == "document"
    assert {name: [d.key for d in documents] for name, documents in corpus.documents.items()} == {
        "realmem-Ada_B": ["Ada_B/bb", "Ada_B/aa", "Ada_B/cc", "Ada_B/dd"],
        "realmem-Cy": ["Cy/aa"],
    }
    first = corpus.documents["realmem-Cy"][0]
    day = datetime(2026, 1, 3, tzinfo=UTC)
    assert (first.source, first.occurred_at) == ("realmem:Cy", day)
    assert list(first.body) == [Utterance("I row.", "User", day, "1")]  # the empty turn is left out


def test_a_request_is_asked_before_its_own_session_and_after_the_earlier_ones(corpus: Corpus) -> None:
    day = datetime(2026, 1, 3, tzinfo=UTC)
    assert corpus.queries[0] == Query(
        id="Ada_B/Q-1",
        text="Which map?",
        query_class="temporal-reasoning-now",
        namespace="realmem-Ada_B",
        cluster="Ada_B/Travel_2",
        reference_time=day,
        hidden=frozenset({"Ada_B/cc", "Ada_B/dd"}),
    )
    assert [query.id for query in corpus.queries] == ["Ada_B/Q-1", "Ada_B/Q-2"]


def test_gold_is_what_the_answer_was_given_of_earlier_sessions(corpus: Corpus) -> None:
    assert corpus.qrels == {"Ada_B/Q-1": {"Ada_B/bb": 1, "Ada_B/aa": 1}, "Ada_B/Q-2": {}}
    assert corpus.counts == {
        "answers_to_no_query": 1,
        "gold": 2,
        "gold_not_earlier": 2,
        "queries": 2,
        "queries_unmarked": 1,
        "sessions": 5,
        "turns": 11,
        "turns_empty": 2,
    }


def test_one_person(data: Path) -> None:
    corpus = load("realmem:Cy", data=data)
    assert (corpus.name, list(corpus.documents), corpus.queries) == ("realmem:Cy", ["realmem-Cy"], ())
    with pytest.raises(CorpusError, match=r"no person 'Bo'\. It has Ada_B, Cy"):
        load("realmem:Bo", data=data)


def test_what_is_hidden_changes_the_digest(data: Path, corpus: Corpus) -> None:
    path = data / "realmem" / "Ada_B_dialogues_256k.json"
    later = [SESSIONS[0], SESSIONS[1], SESSIONS[3], SESSIONS[2]]
    path.write_text(json.dumps({"dialogues": later}), encoding="utf-8")
    again = load("realmem", data=data)
    assert again.documents == corpus.documents
    assert again.digest != corpus.digest


@pytest.mark.parametrize(
    ("sessions", "message"),
    [
        ([session("aa", "E:1", "3 January")], "'3 January' is not like '2025-12-15"),
        ([SESSIONS[2], {**SESSIONS[2], "session_uuid": "ee"}], "the query 'Ada_B/Q-1' stands there twice"),
    ],
)
def test_files_that_are_not_realmem(data: Path, sessions: list[dict[str, Any]], message: str) -> None:
    path = data / "realmem" / "Ada_B_dialogues_256k.json"
    path.write_text(json.dumps({"dialogues": sessions}), encoding="utf-8")
    with pytest.raises(CorpusError, match=message):
        load("realmem", data=data)


def test_a_folder_without_people(data: Path) -> None:
    path = data / "realmem" / "Ada_B_dialogues_256k.json"
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(CorpusError, match="cannot be read"):
        load("realmem", data=data)
    for path in (data / "realmem").iterdir():
        path.unlink()
    with pytest.raises(CorpusError, match="holds no"):
        load("realmem", data=data)
