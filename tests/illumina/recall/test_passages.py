"""Chunks as a question finds them: only on request, ranked, and hidden wherever anything in them is."""

from __future__ import annotations

import json
import math
from collections import Counter
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from illumina import Document, Filter, Memory, Passage, Utterance
from illumina.store.passages import Scope, by_words
from illumina.text import lexemes
from tests.support import dump, rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

    from illumina.types import Answer
    from tests.clock import ManualClock
    from tests.support import HashingEmbedder

LONG = "\n\n".join(f"Paragraph {n} tells of harbour number {n} and of the weather there. " * 12 for n in range(12))
"""Several chunks."""

WORDS = ("kafka", "queue", "index", "harbour", "ILLUM-7", "wiki")


def day(number: int) -> datetime:
    return datetime(2026, 3, number, 9, tzinfo=UTC)


def found(answer: Answer) -> tuple[Passage, ...]:
    assert answer.chunks is not None
    return answer.chunks


def chunks(memory: Memory, query: str, **asked: object) -> tuple[Passage, ...]:
    return found(memory.recall(query, include_chunks=True, **asked))  # type: ignore[arg-type]


@pytest.fixture
def reading(dsn: str, embedder: HashingEmbedder, clock: ManualClock) -> Iterator[Memory]:
    with Memory.open(dsn, embedder=embedder, clock=clock, extractor="builtin") as opened:
        yield opened


def test_they_are_in_the_body_only_on_request(memory: Memory) -> None:
    memory.retain(LONG, key="log", source="wiki")
    plain, asked = memory.recall("harbour 7"), memory.recall("harbour 7", include_chunks=True)
    assert plain.chunks is None
    assert "chunks" not in json.loads(plain.to_json())
    body = json.loads(asked.to_json())
    assert body.pop("chunks")
    assert body == json.loads(plain.to_json())


def test_a_chunk_is_what_stands_there(memory: Memory) -> None:
    receipt = memory.retain(LONG, key="log", source="wiki", occurred_at=day(1))
    ledger = memory.document(receipt.document_id)
    assert ledger is not None
    passages = chunks(memory, "harbour", limit=50)
    assert len(passages) > 2
    for passage in passages:
        assert passage.text == ledger.body[passage.start : passage.end]
        assert passage.preamble.startswith("log, from wiki")
        assert (passage.document_id, passage.document, passage.version) == (receipt.document_id, "log", 1)
        assert 0 < passage.score <= 1
        assert set(passage.arms) <= {"lexical", "facts"}
        assert passage.arms
    assert [p.ordinal for p in passages if p.start == 0] == [0]
    assert len(chunks(memory, "harbour", limit=2)) == 2


def test_what_no_fact_says_is_found(reading: Memory, dsn: str) -> None:
    reading.retain("# Zanzibar\n\nAna owns the queue.\n\nzanzibar, maybe?", key="notes")
    assert not any("anzibar" in content for (content,) in rows(dsn, "select content from illumina.facts"))
    (passage,) = chunks(reading, "zanzibar")
    assert "lexical" in passage.arms
    assert "zanzibar, maybe?" in passage.text


def test_scores_of_words_are_those_of_bm25(memory: Memory) -> None:
    texts = ["kafka queue queue", "the queue of the index", "kafka", "nothing of that kind here at all"]
    memory.retain_many([Document(text, key=str(n)) for n, text in enumerate(texts)])
    query = sorted(set(lexemes("kafka queue")))
    with memory._database.read("default") as session:
        asked = {"asking_agent": None, "asking_device": None}
        hits = by_words(session, Scope(asked, None, then=False), query, memory.ranking)
        names = dict(session.execute("select document, key from illumina.documents where namespace = %(namespace)s").fetchall())
    terms = {str(n): Counter(lexemes(f"{n}. {text}")) for n, text in enumerate(texts)}
    mean = sum(c.total() for c in terms.values()) / len(terms)
    expected = {}
    for name, counts in terms.items():
        score = 0.0
        for term in query:
            df = sum(term in other for other in terms.values())
            idf = math.log(1 + (len(terms) - df + 0.5) / (df + 0.5))
            score += idf * counts[term] * 2.2 / (counts[term] + 1.2 * (0.25 + 0.75 * counts.total() / mean))
        if score:
            expected[name] = score
    assert {names[place.document]: score for place, score in hits} == pytest.approx(expected, abs=1e-8)
    assert [names[place.document] for place, _ in hits] == sorted(expected, key=lambda name: -expected[name])


def test_a_chunk_is_found_by_its_facts_too(memory: Memory) -> None:
    memory.retain(LONG, key="log")
    best = memory.recall("harbour number 7 weather", components=["semantic"]).results[0]
    passages = chunks(memory, "harbour number 7 weather", components=["semantic"], limit=50)
    holding = [p for p in passages if best.content in p.text and "facts" in p.arms]
    assert holding
    assert all(p.arms == ("lexical", "facts") for p in passages[:1])


def test_nothing_is_shown_that_who_asks_may_not_see(memory: Memory) -> None:
    memory.retain("The password of the queue is blue.", key="1", agent="a", visibility="agent")
    memory.retain("The password of the queue is red.", key="2", device="phone", visibility="device")
    memory.retain("The queue has a password.", key="3")

    def keys(**asked: object) -> set[str | None]:
        return {passage.document for passage in chunks(memory, "queue password", **asked)}

    assert keys() == {"3"}
    assert keys(agent="a") == {"1", "3"}
    assert keys(device="phone") == {"2", "3"}
    assert keys(agent="b", device="laptop") == {"3"}


def test_nothing_of_another_namespace_is_shown(memory: Memory) -> None:
    memory.retain("The password of the queue is blue.", namespace="other")
    assert chunks(memory, "queue password") == ()


def test_a_filter_wants_a_fact_in_the_chunk(reading: Memory) -> None:
    reading.retain("We decided to move the queue to Kafka.", source="adr", key="1")
    reading.retain("The owner of the queue is Ana.", source="chat", key="2")
    assert {p.document for p in chunks(reading, "queue")} == {"1", "2"}
    assert {p.document for p in chunks(reading, "queue", wanted=Filter(categories=["decision"]))} == {"1"}
    assert {p.document for p in chunks(reading, "queue", wanted=Filter(sources=["chat"]))} == {"2"}
    assert chunks(reading, "queue", wanted=Filter(sources=["mail"])) == ()


def test_only_the_newest_version_is_shown_or_the_one_of_then(reading: Memory) -> None:
    reading.retain("Ana owns the queue.", key="team", occurred_at=day(1))
    reading.retain("Bo owns the queue.", key="team", occurred_at=day(5))
    assert [(p.version, p.text) for p in chunks(reading, "queue")] == [(2, "Bo owns the queue.")]
    assert [(p.version, p.text) for p in chunks(reading, "queue", as_of=day(3))] == [(1, "Ana owns the queue.")]
    assert chunks(reading, "queue", as_of=datetime(2026, 2, 1, tzinfo=UTC)) == ()


def test_a_chunk_in_which_something_was_said_later_was_not_there(memory: Memory) -> None:
    said = [Utterance("The queue is slow.", "Ana", day(1)), Utterance("The queue is fast.", "Bo", day(5))]
    memory.retain_many([Document(said, key="chat", occurred_at=day(1))])
    assert chunks(memory, "queue", as_of=day(3)) == ()
    assert len(chunks(memory, "queue", as_of=day(5))) == 1


def test_what_is_still_to_be_read_is_not_shown(memory: Memory) -> None:
    memory.retain("The queue is slow.", later=True)
    assert chunks(memory, "queue") == ()
    memory.work()
    assert len(chunks(memory, "queue")) == 1


def test_what_is_forgotten_is_in_no_chunk(memory: Memory, dsn: str) -> None:
    memory.retain("# Zanzibar project\n\nThe queue is slow.\n\nThe budget is 40 euros.", key="notes")
    assert "anzibar" in chunks(memory, "queue")[0].preamble
    for word in ("Zanzibar", "budget"):
        fact = next(r.id for r in memory.recall(word).results if word in r.content)
        memory.forget(fact=fact)
        assert all(p.arms == ("facts",) for p in chunks(memory, word))
    for word in ("zanzibar", "budget"):
        assert word not in str([dump(dsn)[table] for table in ("chunks", "documents")]).lower()
    memory.forget(everything=True)
    assert dump(dsn)["chunks"] == []


def test_without_the_embedder_they_are_found_by_words(memory: Memory, embedder: HashingEmbedder) -> None:
    memory.retain("The queue is slow.")
    embedder.available = False
    answer = memory.recall("queue", include_chunks=True)
    assert answer.degraded
    assert len(found(answer)) == 1


EXAMPLES = count()
texts = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), min_size=1, max_size=6)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bodies=texts, order=st.randoms(use_true_random=False))
def test_no_order_or_batch_shows(memory: Memory, bodies: Sequence[str], order: Random) -> None:
    documents = [Document(text, key=f"{n}", source="wiki") for n, text in enumerate(bodies)]
    name = f"example-{next(EXAMPLES)}"
    memory.retain_many(documents, namespace=name)
    first = [memory.recall(word, namespace=name, include_chunks=True).to_json() for word in WORDS[::2]]
    memory.forget(namespace=name, everything=True)
    order.shuffle(documents)
    for document in documents:
        memory.retain_many([document], namespace=name)
    assert [memory.recall(word, namespace=name, include_chunks=True).to_json() for word in WORDS[::2]] == first
