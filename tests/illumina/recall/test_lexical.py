"""The lexical arm: BM25 to the sixth decimal, and what each kind of token finds."""

from __future__ import annotations

import random
import re
from collections import Counter
from math import log
from uuid import UUID

import bm25s
import numpy as np
import pytest

from illumina import Memory, Ranking
from illumina.errors import InvalidTextError
from illumina.ids import FACT_PREFIX, content_key
from illumina.recall.arms import lexical
from illumina.recall.plan import Plan, query_lexemes
from illumina.text import lexemes
from illumina.types import Document, Utterance, indexed_text
from tests.support import HashingEmbedder, rows

WORDS = [
    *["queue", "ingestion", "deploys", "deploying", "approval", "approvals", "train", "thursday", "writes", "write"],
    *["backfill", "starved", "the", "of", "and", "ILLUM-123", "ILLUM-124", "foo_bar()", "v2.1.3", "#incidents"],
    *["alpha", "beta", "gamma", "delta", "epsilon", "漢字", "café", "42", "3.14"],
]


def scores(memory: Memory, query: str, namespace: str, depth: int = 10_000) -> dict[UUID, float]:
    plan = Plan(query, query_lexemes(query), None, exact=False, ranking=Ranking(arm_depth=depth))
    with memory._database.read(namespace) as session:
        return {UUID(bytes=hit.fact): hit.score for hit in lexical.search(session, plan)()}


def live_lexemes(dsn: str, namespace: str) -> dict[UUID, list[str]]:
    found = rows(
        dsn,
        "select f.fact, f.speaker, f.content from illumina.facts f join illumina.namespaces n using (namespace) "
        "where n.name = %s and f.retired_version is null order by f.fact",
        [namespace],
    )
    return {fact: lexemes(indexed_text(speaker, content)) for fact, speaker, content in found}


def by_bm25s(corpus: dict[UUID, list[str]], queries: list[str]) -> list[dict[UUID, float]]:
    """The library leaves out the constant factor k1 + 1 of each term."""
    model = bm25s.BM25(method="lucene", k1=1.2, b=0.75, dtype="float64")
    model.index(list(corpus.values()), show_progress=False)
    found = []
    for query in queries:
        terms = [term for term in query_lexemes(query) if term in model.vocab_dict]
        values = model.get_scores(terms) if terms else np.zeros(len(corpus))
        found.append({fact: float(value) * 2.2 for fact, value in zip(corpus, values, strict=True) if value > 0})
    return found


def by_hand(corpus: dict[UUID, list[str]], query: str) -> dict[UUID, float]:
    n, mean = len(corpus), sum(map(len, corpus.values())) / len(corpus)
    found = {}
    for fact, terms in corpus.items():
        total = 0.0
        for term in set(lexemes(query)) & set(terms):
            df = sum(term in other for other in corpus.values())
            tf = Counter(terms)[term]
            total += log(1 + (n - df + 0.5) / (df + 0.5)) * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(terms) / mean))
        if total:
            found[fact] = total
    return found


@pytest.fixture
def corpus() -> list[Document]:
    chance = random.Random(11)
    return [
        Document(
            [Utterance(" ".join(chance.choices(WORDS, k=chance.randint(1, 30))), chance.choice(["Ana", None]))], key=str(n)
        )
        for n in range(120)
    ] + [Document("the of and", key="stop words")]


def test_scores_are_bm25(shared: Memory, module_dsn: str, namespace: str, corpus: list[Document]) -> None:
    """Before and after half of the facts were replaced, against a library and against the formula by hand."""
    chance = random.Random(13)
    pairs = 0
    # The neighbour shares every term: nothing of its statistics may show.
    shared.retain_many([Document(f"{' '.join(WORDS)} {n}") for n in range(40)], namespace=f"{namespace} neighbour")
    changed = [Document(f"gamma delta {n} " + "queue " * n, key=str(n)) for n in range(0, 120, 2)]
    for documents in (corpus, changed):
        shared.retain_many(documents, namespace=namespace)
        facts = live_lexemes(module_dsn, namespace)
        assert len(facts) == len(corpus)
        queries = [" ".join(chance.choices(WORDS, k=chance.randint(1, 6))) for _ in range(25)]
        for query, expected in zip(queries, by_bm25s(facts, queries), strict=True):
            found = scores(shared, query, namespace)
            assert found.keys() == expected.keys()
            assert found == pytest.approx(expected, abs=1e-6, rel=0)
            pairs += len(found)
        assert scores(shared, queries[0], namespace) == pytest.approx(by_hand(facts, queries[0]), abs=1e-7, rel=0)
    assert pairs >= 1000


def test_the_order_is_by_score_then_id_and_as_deep_as_asked(shared: Memory, namespace: str) -> None:
    shared.retain_many([Document("queue", key=str(n)) for n in range(9)] + [Document("queue queue")], namespace=namespace)
    found = list(scores(shared, "queue", namespace).items())
    assert [fact for fact, _ in found[1:]] == sorted(fact for fact, _ in found[1:])
    assert len({score for _, score in found[1:]}) == 1
    assert found[0][1] > found[1][1]
    assert list(scores(shared, "queue", namespace, 4).items()) == found[:4]


def test_a_term_counts_once_however_often_it_is_asked(shared: Memory, namespace: str) -> None:
    shared.retain("queue of writes", namespace=namespace)
    assert scores(shared, "queue queue QUEUE queues", namespace) == scores(shared, "queue", namespace)


def test_facts_without_lexemes_count_but_are_not_found(shared: Memory, module_dsn: str, namespace: str) -> None:
    shared.retain_many([Document("the of and"), Document("and"), Document("...")], namespace=namespace)
    assert shared.count(namespace=namespace) == 3
    assert scores(shared, "the queue ...", namespace) == {}
    shared.retain("queue", namespace=namespace)
    facts = live_lexemes(module_dsn, namespace)
    assert scores(shared, "queue", namespace) == pytest.approx(by_hand(facts, "queue"), abs=1e-7)
    assert len(scores(shared, "queue", namespace)) == 1


KINDS = [
    ("identifier", "We closed ILLUM-123 today.", ["ILLUM-123", "illum-123", "ILLUM 123", "ILLUM-123?"]),
    ("function", "Call foo_bar() before closing.", ["foo_bar()", "foo_bar", "foo bar", "FOO_BAR"]),
    ("version", "Upgraded to v2.1.3 at last.", ["v2.1.3", "2.1.3", "V2.1.3"]),
    ("channel", "Posted in #incidents at noon.", ["#incidents", "incidents", "incident"]),
    ("path", "See /etc/app/conf.d/x.yml for it.", ["/etc/app/conf.d/x.yml", "x.yml", "conf.d"]),
    ("address", "Write to sarah.chen@example.com now.", ["sarah.chen@example.com", "sarah chen", "example.com"]),
    ("emoji", "Shipped 🚀 on Friday.", ["🚀", "is it 🚀?"]),
    ("CJK", "猫は漢字を読む", ["漢字", "猫"]),
    ("Hangul", "서울에서 만나요", ["서울"]),
    ("accents", "Das Café öffnet um acht.", ["café", "CAFE", "cafe\u0301", "Offnet"]),
    ("Cyrillic", "Привет из Москвы", ["ПРИВЕТ"]),
    ("stem", "Deploys were failing.", ["deploy failed", "deployment fails"]),
    ("full width", "ｆｕｌｌ ｗｉｄｔｈ", ["full width"]),
]


@pytest.mark.parametrize(("text", "queries"), [kind[1:] for kind in KINDS], ids=[kind[0] for kind in KINDS])
def test_each_kind_of_token_is_found(shared: Memory, text: str, queries: list[str]) -> None:
    shared.retain_many([Document(kind[1], key=kind[0]) for kind in KINDS], namespace="kinds")
    for query in queries:
        answer = shared.recall(query, namespace="kinds", components=["lexical"])
        assert [result.content for result in answer.results][:1] == [text], query
        assert answer.results[0].arms == ("lexical",)


def test_the_exact_identifier_ranks_before_its_relatives(shared: Memory, namespace: str) -> None:
    tickets = [f"Ticket ILLUM-{n} is done." for n in (12, 123, 1234, 321)]
    shared.retain_many([Document(text) for text in tickets], namespace=namespace)
    best = shared.recall("ILLUM-123", namespace=namespace, components=["lexical"]).results[0]
    assert best.content == "Ticket ILLUM-123 is done."


@pytest.mark.parametrize("query", ["", " \n\t", "the of and", "...", "?!", "-" * 1000])
def test_queries_without_a_lexeme_find_nothing(shared: Memory, query: str) -> None:
    shared.retain("the of and queue ... ?!", namespace="nothing")
    assert shared.recall(query, namespace="nothing", components=["lexical"]).results == ()


@pytest.mark.parametrize("unit", ["queue ", "ILLUM-123 ", "a1b2", "漢", "é", "🚀", "x.y", "queue's "])
def test_a_query_of_ten_thousand_characters(shared: Memory, unit: str) -> None:
    shared.retain("The queue of ILLUM-123.", namespace="long")
    query = (unit * 10_000)[:10_000]
    answer = shared.recall(query, namespace="long", components=["lexical"])
    assert len(answer.results) == bool(re.match("queue|ILLUM", unit))


@pytest.mark.parametrize(("query", "message"), [("a\0b", "The query: .* NUL"), ("a\udc00", "The query: .*surrogate")])
def test_unstorable_queries_are_refused(shared: Memory, query: str, message: str) -> None:
    for arms in (None, ["lexical"], ["semantic"]):
        with pytest.raises(InvalidTextError, match=message):
            shared.recall(query, components=arms)


def test_who_said_it_can_be_asked_for(shared: Memory, namespace: str) -> None:
    shared.retain([Utterance("Yes.", "Marguerite"), Utterance("No.", "Bo")], namespace=namespace)
    found = shared.recall("Marguerite", namespace=namespace, components=["lexical"]).results
    assert [(result.speaker, result.content) for result in found] == [("Marguerite", "Yes.")]


def test_constants_are_those_of_the_ranking(module_dsn: str, shared: Memory, namespace: str) -> None:
    shared.retain_many([Document("queue " * 5 + "filler " * 20), Document("queue")], namespace=namespace)

    def ranked(ranking: Ranking) -> list[float]:
        with Memory.open(module_dsn, embedder=HashingEmbedder(), ranking=ranking, extractor="verbatim") as memory:
            answer = memory.recall("queue", namespace=namespace, components=["lexical"], explain=True)
        return [result.explain["arms"]["lexical"]["score"] for result in answer.results if result.explain]

    idf = log(1 + 0.5 / 2.5)
    flat = ranked(Ranking(bm25_b=0.0))
    assert flat == pytest.approx([idf * 5 * 2.2 / 6.2, idf], abs=1e-8)
    assert ranked(Ranking(bm25_k1=0.0)) == pytest.approx([idf, idf], abs=1e-8)


def test_ids_are_public(shared: Memory, namespace: str) -> None:
    shared.retain("queue", namespace=namespace)
    answer = shared.recall("queue", namespace=namespace)
    assert content_key(FACT_PREFIX, answer.results[0].id) in scores(shared, "queue", namespace)
