"""Our own corpora: what they promise in their cards and in `datasets/README.md`."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import pytest

from evals.corpora import DATASETS, load, validate
from illumina.text import lexemes, paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Row = dict[str, Any]
Segment = tuple[str, str]

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
CATEGORIES: Final = frozenset(
    {
        "action_item",
        "architecture",
        "business_rule",
        "convention",
        "decision",
        "domain_knowledge",
        "experience",
        "issue",
        "key_insight",
        "metric",
        "opinion",
        "personal",
        "preference",
        "workflow",
    }
)
PRECISIONS: Final = {
    "minute": 1,
    "hour": 60,
    "day": 1440,
    "week": 7 * 1440,
    "month": 28 * 1440,
    "quarter": 90 * 1440,
    "year": 365 * 1440,
}
"""What a stated time is known to, and the least number of minutes that a span of it takes."""
LABELS: Final = (
    "causes.jsonl",
    "corroboration.jsonl",
    "entities.jsonl",
    "facts.jsonl",
    "forgotten.jsonl",
    "supersession.jsonl",
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


@cache
def segments(corpus: str) -> Mapping[Segment, Mapping[str, str]]:
    """What is said in each segment (`text`), by whom (`speaker`) and when (`at`)."""
    found: dict[Segment, Mapping[str, str]] = {}
    for document in rows(corpus, "documents.jsonl"):
        for turn in document.get("turns", []):
            at = turn.get("occurred_at", document["occurred_at"])
            found[document["id"], turn["label"]] = {"text": turn["text"], "speaker": turn.get("speaker", ""), "at": at}
        for number, (start, end) in enumerate(paragraphs(document.get("text", "")), start=1):
            said = document["text"][start:end]
            found[document["id"], str(number)] = {"text": said, "speaker": "", "at": document["occurred_at"]}
    return found


def segment(corpus: str, row: Mapping[str, Any]) -> Segment:
    """The segment that a row names, which must exist."""
    key = (row["document"], row["segment"])
    assert key in segments(corpus)
    return key


def assert_fields(row: Mapping[str, Any], required: str, optional: str = "") -> None:
    assert set(required.split()) <= row.keys() <= {*required.split(), *optional.split()}


def assert_unique(labels: Iterable[Mapping[str, Any]]) -> None:
    assert max(Counter(row["id"] for row in labels).values()) == 1


def has_cycle(edges: Iterable[tuple[Segment, Segment]]) -> bool:
    after = defaultdict(set)
    for before, then in edges:
        after[before].add(then)
    done: set[Segment] = set()

    def returns(node: Segment, path: frozenset[Segment]) -> bool:
        if node in done:
            return False
        if node in path or any(returns(then, path | {node}) for then in after[node]):
            return True
        done.add(node)
        return False

    return any(returns(node, frozenset()) for node in list(after))


def answers(corpus: str) -> Iterator[tuple[str, list[str]]]:
    """Each answerable question with the documents of its best segments."""
    judged = defaultdict(list)
    for row in rows(corpus, "qrels.jsonl"):
        if row["grade"] >= 1:
            judged[row["query"]].append(row)
    for query in rows(corpus, "queries.jsonl"):
        best = max((row["grade"] for row in judged[query["id"]]), default=0)
        if best:
            yield query["id"], [row["document"] for row in judged[query["id"]] if row["grade"] == best]


def test_a_cycle_is_seen() -> None:
    a, b, c = ("a", "1"), ("b", "1"), ("c", "1")
    assert not has_cycle([(a, b), (b, c), (a, c)])
    assert has_cycle([(a, b), (b, c), (c, a)])
    assert has_cycle([(a, a)])


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
def test_labels_have_not_changed_unnoticed(corpus: str) -> None:
    lines = (DATASETS / corpus / "LABELS.SHA256SUMS").read_text(encoding="utf-8").splitlines()
    stated = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert stated == {name: hashlib.sha256((DATASETS / corpus / name).read_bytes()).hexdigest() for name in LABELS}


@corpora
def test_a_paraphrase_shares_no_lexeme_with_its_answers(corpus: str) -> None:
    paraphrases = {row["id"]: row["text"] for row in rows(corpus, "queries.jsonl") if row["class"] == "paraphrase"}
    shared = {
        (row["query"], row["document"], row["segment"]): common
        for row in rows(corpus, "qrels.jsonl")
        if row["query"] in paraphrases and row["grade"] >= 2
        if (common := {*lexemes(paraphrases[row["query"]])} & {*lexemes(segments(corpus)[segment(corpus, row)]["text"])})
    }
    assert shared == {}


@corpora
def test_facts(corpus: str) -> None:
    facts = rows(corpus, "facts.jsonl")
    known = {row["id"] for row in rows(corpus, "entities.jsonl")}
    assert_unique(facts)
    for row in facts:
        assert_fields(row, "id document segment statement category entities", "time")
        assert row["statement"].strip()
        assert row["category"] in CATEGORIES
        assert set(row["entities"]) <= known
        assert len(set(row["entities"])) == len(row["entities"])
        if "time" in row:
            assert_interval(row["time"])
    assert len({segment(corpus, row) for row in facts}) >= PROMISES[corpus].facts
    assert len({row["category"] for row in facts}) >= PROMISES[corpus].categories


def assert_interval(time: Mapping[str, str]) -> None:
    assert_fields(time, "start precision", "end")
    start = datetime.fromisoformat(time["start"])
    assert start.utcoffset() == timedelta(0)
    if time["precision"] not in {"minute", "hour"}:
        assert (start.hour, start.minute) == (0, 0)
    if "end" in time:
        end = datetime.fromisoformat(time["end"])
        assert end.utcoffset() == timedelta(0)
        assert end - start >= timedelta(minutes=PRECISIONS[time["precision"]])


@corpora
def test_entities(corpus: str) -> None:
    entities = rows(corpus, "entities.jsonl")
    assert_unique(entities)
    apart = {row["id"]: row["distinct_from"] for row in entities}
    seen: set[tuple[Segment, str, str]] = set()
    for row in entities:
        assert_fields(row, "id type name aliases distinct_from mentions")
        assert row["mentions"]
        for other in row["distinct_from"]:
            assert other != row["id"]
            assert row["id"] in apart[other]
        for mention in row["mentions"]:
            assert_fields(mention, "document segment surface field")
            assert mention["field"] in {"text", "speaker"}
            assert mention["surface"] in row["aliases"]
            key = segment(corpus, mention)
            said = segments(corpus)[key][mention["field"]]
            assert mention["surface"] in said if mention["field"] == "text" else mention["surface"] == said
            # The same words in the same place are one entity.
            assert (key, mention["surface"], mention["field"]) not in seen
            seen.add((key, mention["surface"], mention["field"]))
    assert any(apart.values())


@corpora
def test_causes(corpus: str) -> None:
    causes = rows(corpus, "causes.jsonl")
    assert_unique(causes)
    edges: Counter[tuple[Segment, Segment]] = Counter()
    for row in causes:
        assert_fields(row, "id cause effect relation evidence")
        assert_fields(row["cause"], "document segment")
        assert_fields(row["effect"], "document segment")
        assert_fields(row["evidence"], "document segment quote")
        assert row["evidence"]["quote"] in segments(corpus)[segment(corpus, row["evidence"])]["text"]
        cause, effect = segment(corpus, row["cause"]), segment(corpus, row["effect"])
        assert cause != effect
        edges[cause, effect] += 1
    assert len(causes) >= PROMISES[corpus].causes
    assert max(edges.values()) == 1
    assert {row["relation"] for row in causes} == {"causes", "enables", "prevents"}
    assert not has_cycle(
        (segment(corpus, row["cause"]), segment(corpus, row["effect"])) for row in causes if row["relation"] != "prevents"
    )


@corpora
def test_supersession(corpus: str) -> None:
    labels = rows(corpus, "supersession.jsonl")
    assert_unique(labels)
    edges = []
    olds = defaultdict(list)
    for row in labels:
        assert_fields(row, "id chain old new kind")
        assert_fields(row["old"], "document segment")
        assert_fields(row["new"], "document segment")
        old, new = segment(corpus, row["old"]), segment(corpus, row["new"])
        assert old != new
        assert datetime.fromisoformat(segments(corpus)[old]["at"]) <= datetime.fromisoformat(segments(corpus)[new]["at"])
        edges.append((old, new))
        if row["kind"] == "one-replaces-many":
            olds[new].append(old)
    assert len(labels) >= PROMISES[corpus].supersessions
    assert len(set(edges)) == len(edges)
    assert not has_cycle(edges)
    assert {row["kind"] for row in labels} == {"whole", "partial", "one-replaces-many"}
    assert min(len(replaced) for replaced in olds.values()) >= 2


@corpora
def test_corroboration(corpus: str) -> None:
    labels = rows(corpus, "corroboration.jsonl")
    assert_unique(labels)
    for row in labels:
        assert_fields(row, "id statement independent echoes")
        assert row["independent"]
        independent = {segment(corpus, source) for source in row["independent"]}
        assert len(independent) == len({source["origin"] for source in row["independent"]}) == len(row["independent"])
        echoes = [segment(corpus, echo) for echo in row["echoes"]]
        assert independent.isdisjoint(echoes)
        assert len(set(echoes)) == len(echoes)
        for source in row["independent"]:
            assert_fields(source, "origin document segment")
        for echo in row["echoes"]:
            assert_fields(echo, "document segment of")
            assert segment(corpus, echo["of"]) in {*independent, *echoes}
        assert not has_cycle((segment(corpus, echo["of"]), segment(corpus, echo)) for echo in row["echoes"])
    assert any(len(row["independent"]) >= 2 for row in labels)
    assert any(len(row["independent"]) == 1 and row["echoes"] for row in labels)


@corpora
def test_forgotten(corpus: str) -> None:
    labels = rows(corpus, "forgotten.jsonl")
    assert_unique(labels)
    field = {"source": "source", "document": "id"}
    documents = rows(corpus, "documents.jsonl")
    for row in labels:
        assert_fields(row, "id forget value documents loses weakens")
        gone = sorted(document["id"] for document in documents if document[field[row["forget"]]] == row["value"])
        assert row["documents"] == gone != []
        held = {query: sum(document in gone for document in best) / len(best) for query, best in answers(corpus)}
        assert row["loses"] == [query for query, share in held.items() if share == 1]
        assert row["weakens"] == [query for query, share in held.items() if 0 < share < 1]
        assert row["loses"] or row["weakens"]
