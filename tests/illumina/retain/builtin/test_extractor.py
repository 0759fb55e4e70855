"""What the built-in extractor makes of a document: structure, references across sentences, causes, relations, times."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from illumina.retain.builtin import BuiltinExtractor
from illumina.retain.extraction import Extraction, FactDraft
from illumina.retain.prepare import prepare
from illumina.types import Document, EventTime, LedgerDocument, Utterance
from tests.illumina.retain.builtin.labelled import SAID, extract, ledger, whole


def statements(text: str, speaker: str | None = None, said: datetime | None = SAID) -> list[str]:
    return [fact.statement for fact in extract(text, speaker, said)[1].facts]


def rejected(text: str, speaker: str | None = None) -> list[tuple[str, str]]:
    document, extraction = extract(text, speaker)
    return [(document.body[it.start : it.end], it.reason) for it in extraction.rejections]


def only(text: str, speaker: str | None = None, said: datetime | None = SAID) -> FactDraft:
    (fact,) = extract(text, speaker, said)[1].facts
    return fact


def told(fact: FactDraft) -> set[tuple[str, str, str]]:
    return {(fact.mentions[it.subject].name, it.name, fact.mentions[it.object].name) for it in fact.relations}


def dialogue(*turns: tuple[str, str]) -> tuple[LedgerDocument, Extraction]:
    document = prepare(Document(body=[Utterance(text, speaker) for speaker, text in turns], occurred_at=SAID), "talk")
    return document, BuiltinExtractor().extract(document, whole(document))


MARKDOWN = """# Runbook

Intro with a [link](https://wiki.example/page) and **bold** words.

## Restart

Before a restart:

1. Drain the node.
2. Stop the worker, **then** reboot.
   It takes a minute.
- [ ] Write the report
- [x] Tell support

```sh
rm -rf /tmp/cache
```

| Service | Owner |
|---|---|
| ledger-api | Bob |
| search-api | Ann |

> Quoted words are somebody else's.

<div class="x">Inside of a tag.</div>

Rollback
--------

We never roll back on Fridays.
"""


def test_blocks_of_a_document() -> None:
    _, extraction = extract(MARKDOWN)
    facts = {fact.statement: fact for fact in extraction.facts}
    assert list(facts) == [
        "Intro with a link (https://wiki.example/page) and bold words.",
        "Before a restart: Drain the node.",
        "Before a restart: Stop the worker, then reboot.",
        "Before a restart: It takes a minute.",
        "Before a restart: Write the report",
        "Before a restart: Tell support",
        "Service: ledger-api; Owner: Bob",
        "Service: search-api; Owner: Ann",
        "Quoted words are somebody else's.",
        "Inside of a tag.",
        "We never roll back on Fridays.",
    ]
    assert facts["Before a restart: Write the report"].category == "action_item"
    assert facts["Quoted words are somebody else's."].confidence == "medium"
    assert facts["Before a restart: Drain the node."].section == "Runbook > Restart"
    assert facts["We never roll back on Fridays."].section is not None
    assert facts["We never roll back on Fridays."].importance == "vital"
    reasons = {reason for _, reason in rejected(MARKDOWN)}
    assert reasons == {"heading", "markup", "code", "lead-in"}


def test_a_fence_without_an_end_hides_nothing() -> None:
    assert statements("```\nThe disk is full.\n\nBob knows.") == ["The disk is full.", "Bob knows."]


def test_labels_count_paragraphs_and_name_utterances() -> None:
    assert [fact.label for fact in extract("One is here.\n\nTwo is here. So is three.\n\n")[1].facts] == ["1", "2", "2"]
    document = prepare(Document(body=[Utterance("Tea is ready.", "Ann", label="m7")]), "talk")
    fact = BuiltinExtractor().extract(document, whole(document)).facts[0]
    assert (fact.label, fact.speaker, fact.statement) == ("m7", "Ann", "Tea is ready.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I've moved my desk and I like it.", ["Ann has moved Ann's desk", "Ann likes it."]),
        ("I'm not allowed to drive, but I'll walk.", ["Ann is not allowed to drive", "Ann will walk."]),
        ("I don't know her.", ["Ann doesn't know her."]),
        ("I cook and eat it.", ["Ann cooks and eats it."]),
        ("Bob called me myself.", ["Bob called Ann Ann."]),
        ("I swear it works.", ["Ann swears it works."]),
        ("I went home.", ["Ann went home."]),
        ('He said "I quit" to Bob.', ['He said "I quit" to Bob.']),
        ("Part I is done.", ["Part I is done."]),
    ],
)
def test_a_speaker_is_named(text: str, expected: list[str]) -> None:
    assert statements(text, "Ann") == expected


@pytest.mark.parametrize(
    ("text", "last", "sure"),
    [
        ("Priya joined in May. She leads the data team.", "Priya leads the data team.", "high"),
        ("Priya met Tom. She leads the data team.", "She leads the data team.", "medium"),
        ("Tom reports to Priya. He lives in Oslo.", "He lives in Oslo.", "medium"),
        ("Tom is new. His sister knows him.", "Tom's sister knows Tom.", "high"),
        ("The importer reads Kafka. It failed.", "It failed.", "medium"),
        ("ledger-api stores invoices. It depends on Redis.", "ledger-api depends on Redis.", "high"),
        ("Nothing works. It is raining.", "It is raining.", "high"),
    ],
)
def test_pronouns_are_resolved_only_where_one_is_meant(text: str, last: str, sure: str) -> None:
    fact = extract(text)[1].facts[-1]
    assert (fact.statement, fact.confidence) == (last, sure)


def test_a_person_named_by_somebody_else_is_in_reach() -> None:
    _, extraction = dialogue(("Ann", "Marek broke his arm."), ("Bo", "He will be away until Friday."))
    fact = extraction.facts[-1]
    assert fact.statement == "Marek will be away until Friday (2026-03-06)." or fact.statement.startswith("Marek will be away")
    assert [(it.name, it.start) for it in fact.mentions] == [("Marek", None)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The disk was full and two workers crashed.", ["The disk was full", "Two workers crashed."]),
        ("He said that the disk was full and the worker crashed.", None),
        ("If the disk is full and the worker crashes, call Bob.", None),
        ("We use Kafka and Redis for events and jobs.", None),
        ("The cache is slow and it leaks.", ["The cache is slow", "The cache leaks."]),
        ("The deploy broke the cache and it leaks.", None),
        ('Bob said "it is late and we are tired" to Ann.', None),
        ("The queue (it was full and nobody saw it) is empty.", None),
        ("Bob likes tea; Ann hates it.", ["Bob likes tea", "Ann hates it."]),
    ],
)
def test_clauses_are_parted_where_each_stands_by_itself(text: str, expected: list[str] | None) -> None:
    assert statements(text) == (expected or [text])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("What is the limit?", "question"),
        ("does anyone have the link", "question"),
        ("Thanks for the quick fix!", "thanks"),
        ("Hello everybody!", "greeting"),
        ("sounds good to me", "acknowledgement"),
        ("hahaha", "reaction"),
        ("🎉🎉", "reaction"),
        ("-----", "markup"),
        ("42", "fragment"),
    ],
)
def test_what_tells_nothing_is_rejected_with_a_reason(text: str, reason: str) -> None:
    assert statements(text) == []
    assert rejected(text) == [(text, reason)]


@pytest.mark.parametrize(
    "text",
    ["Thanks to the cache we survived.", "What we need is a lock.", "How it works is written in the wiki.", "Good tests fail."],
)
def test_what_only_looks_like_it_is_kept(text: str) -> None:
    assert len(statements(text)) == 1


def test_causes_link_facts() -> None:
    _, extraction = extract("The API failed because the disk was full. As a result, orders were lost.")
    assert [fact.statement for fact in extraction.facts] == [
        "The API failed",
        "The disk was full.",
        "As a result, orders were lost.",
    ]
    links = {(it.kind, it.cause, it.effect, it.cue) for it in extraction.causal}
    assert ("causes", 1, 0, "because") in links
    assert any(link[2] == 2 and link[3] == "As a result" for link in links)


@pytest.mark.parametrize(
    "text", ["The API failed, but not because the disk was full.", "The API might have failed because the disk was full."]
)
def test_what_is_denied_or_supposed_links_nothing(text: str) -> None:
    assert extract(text)[1].causal == ()


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Sarah Chen works at Acme.", ("Sarah Chen", "works_at", "Acme")),
        ("Tom reports to Priya.", ("Tom", "reports_to", "Priya")),
        ("Priya leads the data team.", ("Priya", "manages", "data team")),
        ("The payments team is led by Omar.", ("Omar", "manages", "payments team")),
        ("ledger-api depends on Kafka.", ("ledger-api", "depends_on", "Kafka")),
        ("ledger-api is owned by the payments team.", ("payments team", "owns", "ledger-api")),
        ("ADR-0012 was superseded by ADR-0019.", ("ADR-0019", "replaces", "ADR-0012")),
        ("ILLUM-7 is blocked by OPS-9.", ("ILLUM-7", "blocked_by", "OPS-9")),
        ("Marcus has lived in Lisbon since 2019.", ("Marcus", "lives_in", "Lisbon")),
        ("Nadia met Omar in Oslo.", ("Nadia", "knows", "Omar")),
        ("billing-api uses Postgres and Redis.", ("billing-api", "uses", "Redis")),
        ("Marta fixed OPS-12.", ("Marta", "works_on", "OPS-12")),
        ("Reported by Marta Novak (Kestrel Freight).", ("Marta Novak", "works_at", "Kestrel Freight")),
        ("Viktor looks after the job table and svc-notify.", ("Viktor", "owns", "svc-notify")),
        ("Tom and Priya own search-indexer.", ("Tom", "owns", "search-indexer")),
        ("Sarah Chen takes over as head of the data team.", ("Sarah Chen", "manages", "data team")),
    ],
)
def test_relations(text: str, relation: tuple[str, str, str]) -> None:
    assert relation in told(only(text))


def test_a_denied_relation_is_none() -> None:
    assert told(only("Sarah Chen does not work at Acme.")) == set()
    assert told(only("ledger-api no longer depends on Kafka.")) == set()


def test_the_speaker_takes_part_in_relations() -> None:
    fact = only("I work at Globex.", "Ann Lee")
    assert told(fact) == {("Ann Lee", "works_at", "Globex")}


@pytest.mark.parametrize(
    ("text", "homes"),
    [
        ("Sarah Chen from Acme called.", ("Acme",)),
        ("Bob (SRE) is here.", ("SRE",)),
        ("Sarah Chen (@schen, platform) is here.", ("platform",)),
        ("Tom, our CTO, agreed.", ("CTO",)),
        ("Tom agreed.", ()),
    ],
)
def test_homes(text: str, homes: tuple[str, ...]) -> None:
    assert next(it for it in only(text).mentions if it.kind == "person").homes == homes


def test_relative_times_need_a_reference_and_are_written_out() -> None:
    fact = only("Bob left yesterday.")
    assert fact.statement == "Bob left yesterday (2026-03-01)."
    assert fact.event == EventTime(datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC), "day")
    undated = only("Bob left yesterday.", said=None)
    assert (undated.statement, undated.event) == ("Bob left yesterday.", None)
    absolute = only("Bob left on 3 May 2025.", said=None)
    assert absolute.event == EventTime(datetime(2025, 5, 3, tzinfo=UTC), datetime(2025, 5, 4, tzinfo=UTC), "day")


def test_each_utterance_has_its_own_time() -> None:
    later = datetime(2026, 4, 10, tzinfo=UTC)
    body = [Utterance("Bob left yesterday.", "Ann"), Utterance("Tom left yesterday.", "Ann", later)]
    document = prepare(Document(body=body, occurred_at=SAID), "talk")
    extraction = BuiltinExtractor().extract(document, whole(document))
    assert [fact.event and fact.event.start for fact in extraction.facts] == [
        datetime(2026, 3, 1, tzinfo=UTC),
        datetime(2026, 4, 9, tzinfo=UTC),
    ]
    assert [fact.mentioned_at for fact in extraction.facts] == [SAID, later]


def test_sentences_do_not_begin_with_entities_for_their_capital() -> None:
    text = "Build the image. Restart it. Latency rose. Finally it worked. Monday was calm. Backups run. We did. Nobody came."
    assert [mention.name for fact in extract(text)[1].facts for mention in fact.mentions] == []


def test_a_negation_and_words_of_change_stay() -> None:
    assert statements("We no longer use Jenkins, we never did like it.")[0].startswith("We no longer use Jenkins")
    assert statements("Kafka was replaced by NATS instead of Redis.") == ["Kafka was replaced by NATS instead of Redis."]


def test_same_text_same_answer_and_a_fingerprint() -> None:
    document = ledger(MARKDOWN)
    assert BuiltinExtractor().extract(document, whole(document)) == BuiltinExtractor().extract(document, whole(document))
    assert BuiltinExtractor().name == "builtin"
    assert len(BuiltinExtractor().fingerprint) == 64
