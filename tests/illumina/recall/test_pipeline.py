"""Recall as a whole: what an answer says, when a part is missing, and that asking changes nothing."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from illumina import Memory, Ranking
from illumina.errors import InvalidInputError
from illumina.types import Document, Utterance
from tests.support import HashingEmbedder, dump

if TYPE_CHECKING:
    from illumina.types import Answer

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)
CORPUS = [
    Document("Ingestion moved to an isolated queue.", "slack:#a", "one", NINE),
    Document("ingestion  MOVED to an isolated queue.", "slack:#b", "two"),
    Document("Ingestion moved to an isolated queue.", "slack:#b", "three"),
    Document([Utterance("Deploys need two approvals.", "Ana", NINE, "D1")], "chat", "four"),
    Document("The release train leaves on Thursdays."),
]


@pytest.fixture
def filled(shared: Memory) -> Memory:
    shared.retain_many(CORPUS, namespace="filled")
    return shared


def ask(memory: Memory, query: str, **options: Any) -> Answer:
    return memory.recall(query, namespace="filled", **options)


def test_a_result_says_what_it_rests_on(filled: Memory) -> None:
    answer = ask(filled, "who said deploys need approvals")
    best = answer.results[0]
    assert (best.content, best.speaker, best.segment, best.source) == ("Deploys need two approvals.", "Ana", "D1", "chat")
    assert (best.document, best.occurred_at, best.corroboration) == ("four", NINE, 1)
    assert best.arms == ("semantic", "lexical")
    assert best.score == 1.0
    assert best.explain is None
    read = filled.document(best.document_id, namespace="filled")
    assert read is not None
    assert read.body == "Ana: Deploys need two approvals."


def test_copies_of_one_origin_corroborate_once(filled: Memory) -> None:
    found = [r for r in ask(filled, "ingestion isolated queue").results if "queue" in r.content]
    assert len(found) == 3
    assert {result.corroboration for result in found} == {2}


def test_explain_shows_every_arm(filled: Memory) -> None:
    answer = ask(filled, "ingestion queue", explain=True)
    for arm in ("semantic", "lexical"):
        ranked = [r.explain["arms"][arm] for r in answer.results if r.explain and arm in r.explain["arms"]]
        by_rank = sorted(ranked, key=lambda place: place["rank"])
        assert [place["rank"] for place in by_rank] == list(range(1, len(ranked) + 1))
        assert [p["score"] for p in by_rank] == sorted((p["score"] for p in by_rank), reverse=True)
    for result in answer.results:
        assert result.explain is not None
        assert result.explain["fused"] == result.score
        places = result.explain["arms"].values()
        assert result.score == pytest.approx(sum(1 / (60 + place["rank"]) for place in places) * 61 / 2, abs=1e-9)
    assert [r.id for r in answer.results] == [r.id for r in ask(filled, "ingestion queue").results]


def test_the_body_is_canonical_and_holds_no_timing(filled: Memory) -> None:
    answer = ask(filled, "deploys", limit=1)
    body = json.loads(answer.to_json())
    assert body == {
        "query": "deploys",
        "namespace": "filled",
        "degraded": False,
        "degraded_reasons": [],
        "results": [
            {
                "id": answer.results[0].id,
                "content": "Deploys need two approvals.",
                "score": answer.results[0].score,
                "category": None,
                "confidence": "high",
                "importance": "supplementary",
                "event": None,
                "replaces": [],
                "corroboration": 1,
                "arms": ["semantic", "lexical"],
                "source": "chat",
                "document_id": answer.results[0].document_id,
                "document": "four",
                "segment": "D1",
                "speaker": "Ana",
                "occurred_at": "2026-03-02T09:00:00Z",
            }
        ],
    }
    assert set(answer.timings) == {"embed", "postgres", "fuse"}
    assert answer == ask(filled, "deploys", limit=1)


def test_asking_changes_nothing_and_answers_are_identical(filled: Memory, module_dsn: str) -> None:
    queries = ["ingestion queue", "deploys", "Thursdays", "ingestion queue"] * 5
    before = dump(module_dsn)
    once = [ask(filled, query, explain=True).to_json() for query in queries]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda query: ask(filled, query, explain=True).to_json(), queries)) == once
    assert dump(module_dsn) == before
    assert once[0] == once[3]


@pytest.mark.parametrize("arms", [["semantic"], ["lexical"], ["lexical", "semantic"], ["lexical", "lexical"]])
def test_arms_can_be_chosen(filled: Memory, arms: list[str]) -> None:
    answer = ask(filled, "ingestion queue", components=arms)
    expected = [name for name in ("semantic", "lexical") if name in arms]
    assert answer.results[0].arms == tuple(expected)
    assert answer.results[0].score == 1.0
    assert not answer.degraded


def test_no_arm_finds_nothing(filled: Memory) -> None:
    assert ask(filled, "ingestion", components=[]).results == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": 0}, "limit is 0; pass a whole number"),
        ({"limit": -3}, "limit is -3"),
        ({"limit": 1.5}, "limit is 1.5"),
        ({"limit": True}, "limit is True"),
        ({"components": ["vector"]}, "There is no component 'vector'. Choose among semantic, lexical"),
    ],
)
def test_nonsense_is_refused(filled: Memory, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        ask(filled, "x", **options)


@pytest.mark.parametrize("limit", [1, 2, 5, 6, 10**30])
def test_a_limit_cuts_the_same_ranking(filled: Memory, limit: int) -> None:
    everything = ask(filled, "ingestion queue", limit=100).results
    assert len(everything) == len(CORPUS)
    assert ask(filled, "ingestion queue", limit=limit).results == everything[:limit]


class TestDegraded:
    def test_without_an_embedder_words_still_find(self, filled: Memory, embedder: HashingEmbedder) -> None:
        whole = ask(filled, "ingestion queue", components=["lexical"])
        embedder.available = False
        answer = ask(filled, "ingestion queue")
        assert answer.degraded
        assert answer.degraded_reasons == ("embedder unavailable: The hashing embedder is switched off.",)
        assert answer.results == whole.results
        assert {result.arms for result in answer.results} == {("lexical",)}
        assert json.loads(answer.to_json())["degraded"] is True
        assert answer.to_json() == ask(filled, "ingestion queue").to_json()

    @pytest.mark.parametrize("query", ["zebra", "the of and", "Thursdays"])
    def test_with_the_semantic_arm_alone_nothing_is_found(self, filled: Memory, embedder: HashingEmbedder, query: str) -> None:
        embedder.available = False
        answer = ask(filled, query, components=["semantic"])
        assert (answer.results, answer.degraded) == ((), True)

    def test_who_needs_no_embedder_is_not_degraded(self, filled: Memory, embedder: HashingEmbedder) -> None:
        embedder.available = False
        for answer in (ask(filled, "queue", components=["lexical"]), ask(filled, ""), ask(filled, " ")):
            assert not answer.degraded
            assert answer.degraded_reasons == ()

    def test_a_model_that_came_back_is_used_at_once(self, filled: Memory, embedder: HashingEmbedder) -> None:
        before = ask(filled, "ingestion queue").to_json()
        embedder.available = False
        assert ask(filled, "ingestion queue").degraded
        embedder.available = True
        assert ask(filled, "ingestion queue").to_json() == before


def test_depth_bounds_every_arm(module_dsn: str, filled: Memory) -> None:
    with Memory.open(module_dsn, embedder=HashingEmbedder(), ranking=Ranking(arm_depth=2), extractor="verbatim") as memory:
        answer = ask(memory, "ingestion queue", limit=100, explain=True)
    assert 2 <= len(answer.results) <= 4
    ranks = [place["rank"] for r in answer.results if r.explain for place in r.explain["arms"].values()]
    assert sorted(ranks) == [1, 1, 2, 2]
