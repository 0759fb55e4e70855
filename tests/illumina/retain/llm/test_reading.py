from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from illumina.models.llm.base import reply
from illumina.retain.extraction import CausalDraft, Extraction, MentionDraft, Rejection, RelationDraft
from illumina.retain.llm.asking import MAX_PROBLEMS, UnusableAnswerError
from illumina.retain.llm.reading import read
from illumina.retain.llm.schema import KINDS
from illumina.types import CATEGORIES, Chunk, EventTime, LedgerDocument, Utterance
from tests.illumina.retain.llm.answers import answer, causes, document, entity, fact, relation, whole

BODY = "Ingestion was moved to its own queue on 2 March 2026, because backfills starved writes. Ana Li of Acme did it."
MOVED, STARVED, ANA = (
    "Ingestion was moved to its own queue on 2 March 2026",
    "backfills starved writes",
    "Ana Li of Acme did it.",
)


def reading(given: Any, made: LedgerDocument | None = None, chunk: Chunk | None = None) -> Extraction:
    made = made or document(BODY)
    return read(reply(given, "", "tool", 1, 1), made, chunk or whole(made))


def problem(given: Any, made: LedgerDocument | None = None) -> str:
    with pytest.raises(UnusableAnswerError) as caught:
        reading(given, made)
    return str(caught.value)


def test_everything_of_a_fact_comes_through() -> None:
    found = reading(
        answer(
            fact(
                ANA,
                "Ana Li moved ingestion.",
                category="experience",
                confidence="low",
                importance="vital",
                mentioned_at="2026-03-04T10:00:00+02:00",
                entities=[entity("it"), entity("Acme", "organisation"), entity("Ana Li", "person", "Acme", "Acme")],
                relations=[relation(2, "works_at", 1)],
            ),
            fact(MOVED, event={"start": "2026-03-02", "end": "2026-03-03T00:00:00Z", "precision": "day"}),
            fact(STARVED),
            causal=[causes(2, 1, "because")],
        )
    )
    moved, starved, ana = found.facts
    assert [BODY[draft.start : draft.end] for draft in found.facts] == [MOVED, STARVED, ANA], "in the order of their spans"
    assert moved.event == EventTime(datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 3, 3, tzinfo=UTC), "day")
    assert (ana.category, ana.confidence, ana.importance) == ("experience", "low", "vital")
    assert ana.mentioned_at == datetime(2026, 3, 4, 8, tzinfo=UTC)
    start = BODY.index(ANA)
    assert ana.mentions == (
        MentionDraft("Ana Li", "person", start, start + 6, ("Acme",)),
        MentionDraft("Acme", "organisation", start + 10, start + 14),
        MentionDraft("it", None, start + 19, start + 21),
    )
    assert ana.relations == (RelationDraft(0, "works_at", 1),)
    assert found.causal == (CausalDraft("causes", 1, 0, "because"),)
    assert starved.label == "1"
    assert found.rejections == (
        Rejection(start=len(MOVED), end=len(MOVED) + 9, reason="not extracted by the model"),
        Rejection(start=BODY.index(". Ana"), end=BODY.index(". Ana") + 1, reason="not extracted by the model"),
    )


def test_an_empty_answer_rejects_everything() -> None:
    assert reading(answer()).rejections == (Rejection(0, len(BODY), "not extracted by the model"),)


def test_open_sides_of_an_event() -> None:
    found = reading(answer(fact(MOVED, event={"start": None, "end": "2026-03-03", "precision": "day"})))
    assert found.facts[0].event == EventTime(None, datetime(2026, 3, 3, tzinfo=UTC), "day")


def test_a_repeated_statement_is_one_fact_and_its_causes_stay() -> None:
    found = reading(
        answer(
            fact(STARVED),
            fact(STARVED),
            fact(MOVED),
            causal=[causes(1, 2, "because"), causes(0, 2, "because"), causes(0, 1, "because")],
        )
    )
    assert [draft.statement for draft in found.facts] == [MOVED, STARVED]
    assert found.causal == (CausalDraft("causes", 1, 0, "because"),)


def test_two_statements_may_rest_on_one_quotation() -> None:
    found = reading(answer(fact(ANA, "Ana Li works at Acme."), fact(ANA, "Ana Li moved ingestion.")))
    assert len({(draft.start, draft.end) for draft in found.facts}) == 1
    assert len(found.facts) == 2


def test_what_is_quoted_from_the_context_is_the_earlier_chunks() -> None:
    made = document(BODY)
    cut = BODY.index("Ana Li")
    chunk = Chunk(1, cut, len(BODY), BODY.index("because"), "Part 2.")
    found = reading(answer(fact(STARVED), fact(ANA), causal=[causes(0, 1, "because")]), made, chunk)
    assert [draft.statement for draft in found.facts] == [ANA]
    assert found.causal == ()
    assert found.rejections == ()
    assert "does not occur" in problem_of(answer(fact(MOVED)), made, chunk), "what the model was not shown is invented"


def problem_of(given: Any, made: LedgerDocument, chunk: Chunk) -> str:
    with pytest.raises(UnusableAnswerError) as caught:
        reading(given, made, chunk)
    return str(caught.value)


def test_a_dialogue_says_who_and_when() -> None:
    at = datetime(2026, 3, 2, 9, tzinfo=UTC)
    made = document([Utterance("We moved it.", "Ana", at, "m1"), Utterance("Thanks! Who?", "Bo", None, "m2")], occurred_at=at)
    found = reading(answer(fact("Ana: We moved it.", mentioned_at="2020-01-01")), made)
    (draft,) = found.facts
    assert (draft.label, draft.speaker, draft.mentioned_at) == ("m1", "Ana", at), "the ledger's time goes before the model's"
    assert made.body[draft.start : draft.end] == "We moved it."
    assert [(made.body[r.start : r.end], r.reason) for r in found.rejections] == [
        ("Ana:", "speaker"),
        ("Bo:", "speaker"),
        ("Thanks! Who?", "not extracted by the model"),
    ]


def test_the_paragraph_is_the_label_of_running_text() -> None:
    made = document("One.\n\nTwo.\n\nThree is it.")
    assert [draft.label for draft in reading(answer(fact("is it."), fact("One."), fact("Two.")), made).facts] == ["1", "2", "3"]


TWO = [entity("a"), entity("b")]


def bad(**fields: Any) -> dict[str, Any]:
    return answer(fact(MOVED, **fields))


def without(name: str) -> dict[str, Any]:
    given = bad()
    del given["facts"][0][name]
    return given


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "facts is missing; causal is missing"),
        ({"facts": {}, "causal": []}, "facts is {}; it must be an array"),
        ({"facts": ["x"], "causal": []}, 'facts[0] is "x"; it must be an object'),
        (answer() | {"notes": 1}, 'answer has "notes", which is no field of it'),
        (bad(visibility="shared"), 'facts[0] has "visibility", which is no field of it'),
        (without("importance"), "facts[0].importance is missing"),
        (bad(statement=7), "facts[0].statement is 7; it must be a string"),
        (bad(statement=" \n"), "facts[0].statement is empty"),
        (bad(statement="a\0b"), "facts[0].statement holds a character that is no text"),
        (bad(statement="a\ud800b"), "facts[0].statement holds a character that is no text"),
        (bad(category="gossip"), f'facts[0].category is "gossip"; it must be one of {", ".join(CATEGORIES)}'),
        (bad(confidence=0.9), "facts[0].confidence is 0.9; it must be a string"),
        (bad(confidence="certain"), 'facts[0].confidence is "certain"; it must be one of high, medium, low'),
        (bad(importance=True), "facts[0].importance is true; it must be a string"),
        (bad(quote=""), 'facts[0].quote is "", which does not occur in the passage'),
        (bad(quote="Ingestion was paused"), 'facts[0].quote is "Ingestion was paused", which does not occur in the passage'),
        (bad(event="2026"), 'facts[0].event is "2026"; it must be an object or null'),
        (bad(event={"start": "soon", "end": None, "precision": "day"}), 'facts[0].event.start is "soon"; it must be ISO 8601'),
        (bad(event={"start": None, "end": None, "precision": "day"}), "facts[0].event has neither a start nor an end"),
        (bad(event={"start": "2026-03-02", "end": "2026-03-02", "precision": "day"}), "which is not after its start"),
        (bad(event={"start": "2026-03-02", "end": "2025-03-02", "precision": "day"}), "which is not after its start"),
        (bad(event={"start": "2026-03-02", "end": None, "precision": "era"}), "facts[0].event.precision is"),
        (bad(event={"start": "0001-01-01T00:00:00+05:00", "end": None, "precision": "day"}), "it must be ISO 8601"),
        (bad(mentioned_at="yesterday"), 'facts[0].mentioned_at is "yesterday"; it must be ISO 8601'),
        (bad(entities=[entity(" ")]), "facts[0].entities[0].name is empty"),
        (bad(entities=[entity("x" * 2001)]), "facts[0].entities[0].name is longer than 2,000 bytes"),
        (bad(entities=[entity("Ana", "wizard")]), f'kind is "wizard"; it must be one of {", ".join(KINDS)} or null'),
        (bad(entities=[entity("Ana", None, "")]), "facts[0].entities[0].homes[0] is empty"),
        (bad(relations=[relation(0, "knows", 1)]), "facts[0].relations[0].subject is 0, but facts[0].entities has 0 items"),
        (bad(entities=[entity("a")], relations=[relation(0, "knows", 0)]), "relates item 0 of facts[0].entities to itself"),
        (bad(entities=[entity("a")], relations=[relation(-1, "knows", 0)]), "subject is -1, but facts[0].entities has 1 items"),
        (bad(entities=TWO, relations=[relation(0, "Works On", 1)]), "it must be a verb in snake case"),
        (bad(entities=TWO, relations=[relation(0, "knows", "1")]), 'object is "1"; it must be an integer'),
        (bad(entities=TWO, relations=[relation(0, "knows", True)]), "object is true; it must be an integer"),
        (answer(fact(MOVED), causal=[causes(0, 1, "because")]), "causal[0].effect is 1, but facts has 1 items, counted from 0"),
        (answer(fact(MOVED), causal=[causes(0, 0, "because")]), "causal[0] relates item 0 of facts to itself"),
        (answer(fact(MOVED), fact(ANA), causal=[causes(1, 0, "due to")]), 'causal[0].cue is "due to", which does not occur'),
        (answer(fact(MOVED), fact(STARVED), causal=[causes(1, 0, "because", "helps")]), "one of causes, enables, prevents"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_exactly(given: Any, said: str) -> None:
    assert said in problem(given)


def test_all_problems_are_named_at_once_up_to_a_limit() -> None:
    said = problem(answer(*[fact("nowhere", category="gossip")] * (MAX_PROBLEMS + 2)))
    assert said.count("gossip") == MAX_PROBLEMS
    assert said.endswith("and 2 more problems")


@pytest.mark.parametrize(
    ("arguments", "stop", "said"),
    [
        (None, "end", "no single call of the tool"),
        (None, "refused", "a refusal"),
        ('{"facts": [', "tool", "no single call of the tool with a JSON object"),
        ('{"facts": [], "causal": []}', "length", "cut off"),
    ],
)
def test_what_is_no_whole_call_cannot_be_used(arguments: Any, stop: Any, said: str) -> None:
    made = document(BODY)
    with pytest.raises(UnusableAnswerError, match=said):
        read(reply(arguments, "Here you are.", stop, 1, 1), made, whole(made))


words = st.sampled_from(["Ana", "moved", "it", ".", "\n\n", " ", "“so”", "Ü", "🙂", "because"])


@given(st.lists(words, min_size=1, max_size=30), st.data())
def test_facts_and_rejections_cover_the_chunk_exactly(parts: list[str], data: st.DataObject) -> None:
    body = "x" + "".join(parts)
    made = document(body)
    start = data.draw(st.integers(0, len(body) - 1))
    context, end = data.draw(st.integers(0, start)), data.draw(st.integers(start + 1, len(body)))
    chunk = Chunk(0, start, end, context, "")
    spans = data.draw(st.lists(st.tuples(st.integers(context, end), st.integers(context, end)), max_size=5))
    quotes = [body[min(span) : max(span)] for span in spans]
    facts = [fact(quote, f"{place}") for place, quote in enumerate(quotes) if quote.strip()]
    found = reading(answer(*facts), made, chunk)
    covered = [0] * len(body)
    for draft in found.facts:
        assert start <= draft.start < draft.end <= end
        covered[draft.start : draft.end] = [1] * (draft.end - draft.start)
    for rejection in found.rejections:
        assert not any(covered[rejection.start : rejection.end])
        covered[rejection.start : rejection.end] = [1] * (rejection.end - rejection.start)
        assert body[rejection.start : rejection.end].strip() == body[rejection.start : rejection.end] != ""
    assert all(covered[place] or body[place].isspace() for place in range(start, end))
    assert not any(covered[:start] + covered[end:])


@settings(max_examples=25)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["facts", "causal", "quote", "x"]), inner),
    )
)
def test_whatever_a_model_answers_it_is_read_or_named(given: Any) -> None:
    made = document(BODY)
    with suppress(UnusableAnswerError):
        assert read(reply(given, "", "tool", 1, 1), made, whole(made)).rejections
