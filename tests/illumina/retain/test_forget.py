"""Forgetting: afterwards the database is one that never saw it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import psycopg
import pytest

from illumina import Document, Memory, Utterance
from illumina.errors import InvalidInputError
from illumina.ids import public_id
from illumina.retain.forget import ForgetReceipt
from tests.support import HashingEmbedder, dump, rows, run

if TYPE_CHECKING:
    from collections.abc import Iterator


def day(number: int) -> datetime:
    return datetime(2026, 3, number, 9, tzinfo=UTC)


DOCUMENTS = [
    Document("The checkout timeout is 30 seconds. Sarah Chen from Acme owns checkout-api.", "wiki", "limits", day(1)),
    Document([Utterance("The checkout timeout is now 60 seconds.", "Ana"), Utterance("It failed.", "Bo")], "chat", "c", day(5)),
    Document("Sarah Chen from Acme joined. The deploy failed because the disk filled up.", "mail", "m", day(3)),
    Document("S. Chen wrote the runbook. The checkout timeout is 30 seconds.", "mail", "n", day(2)),
]


@pytest.fixture
def reading(dsn: str, embedder: HashingEmbedder) -> Iterator[Memory]:
    with Memory.open(dsn, embedder=embedder, extractor="builtin") as opened:
        yield opened


def never_saw(other_dsn: str, documents: list[Document]) -> dict[str, list[tuple[object, ...]]]:
    with Memory.open(other_dsn, embedder=HashingEmbedder(), extractor="builtin") as clean:
        clean.retain_many(documents)
    return dump(other_dsn)


def nothing_left(receipt: ForgetReceipt) -> bool:
    return len(receipt.left) > 20 and not any(receipt.left.values())


@pytest.mark.parametrize("gone", range(len(DOCUMENTS)))
def test_a_document_leaves_no_trace(reading: Memory, dsn: str, other_dsn: str, gone: int) -> None:
    receipts = reading.retain_many(DOCUMENTS)
    reading.retain("Another text entirely.", source="wiki", key="limits") if gone == 0 else None
    receipt = reading.forget(document=receipts[gone].document_id)
    assert receipt.documents == 1
    assert receipt.facts >= receipts[gone].facts > 0
    assert nothing_left(receipt)
    assert dump(dsn) == never_saw(other_dsn, [document for place, document in enumerate(DOCUMENTS) if place != gone])
    with pytest.raises(InvalidInputError, match="holds no such document"):
        reading.forget(document=receipts[gone].document_id)


def test_an_origin_and_then_everything(reading: Memory, dsn: str, other_dsn: str) -> None:
    reading.retain_many(DOCUMENTS)
    assert reading.forget(source="mail").documents == 2
    assert dump(dsn) == never_saw(other_dsn, DOCUMENTS[:2])
    receipt = reading.forget(everything=True)
    assert nothing_left(receipt)
    assert receipt.removed["namespaces"] == 1
    assert all(not found for found in dump(dsn).values())


def test_a_fact_goes_with_its_words_and_does_not_come_back(reading: Memory, dsn: str) -> None:
    receipts = reading.retain_many(DOCUMENTS)
    found = reading.recall("checkout timeout seconds").results
    best = next(result for result in found if "60 seconds" in result.content)
    receipt = reading.forget(fact=best.id)
    assert (receipt.documents, receipt.facts) == (0, 1)
    read = reading.document(best.document_id)
    assert read is not None
    assert read.body.startswith("Ana: ███")
    assert "60" not in read.body
    assert read.body.endswith("Bo: It failed.")
    reasons = {(span.outcome, span.reason) for span in reading.account(best.document_id)}
    assert ("rejected", "forgotten") in reasons
    # What it had superseded holds again.
    assert any(result.content == "The checkout timeout is 30 seconds." for result in reading.recall("checkout timeout").results)
    after = dump(dsn)
    assert reading.retain_many(DOCUMENTS)[1].created is False
    assert dump(dsn) == after
    assert reading.rebuild() > 0
    assert dump(dsn) == after
    with pytest.raises(InvalidInputError, match="There is no fact"):
        reading.forget(fact=best.id)
    assert receipts[1].document_id == best.document_id


@pytest.mark.parametrize(
    ("bodies", "forgotten", "left"),
    [
        (["Same.\n\nSame.\n\nSame."], 0, ["█████\n\nSame.\n\nSame."]),
        (["a\n\nAna and Bo ate a banana."], 0, ["█\n\nAna and Bo ate a banana."]),
        (["Bo likes tea.", "I think Bo likes tea."], 0, ["█████████████", "I think Bo likes tea."]),
        (["One.\n\nTwo.", "Two.\n\nOne."], 0, ["████\n\nTwo.", "Two.\n\n████"]),
    ],
)
def test_words_on_which_other_facts_rest_stay(
    memory: Memory, dsn: str, bodies: list[str], forgotten: int, left: list[str]
) -> None:
    for body in bodies:
        memory.retain(body, key="k")
    statement = bodies[0].split("\n\n")[forgotten]
    found = rows(dsn, "select fact from illumina.facts where content = %s order by version, span_start", [statement])
    memory.forget(fact=public_id("fct_", found[0][0]))
    assert [body for (body,) in rows(dsn, "select body from illumina.documents order by version")] == left
    kept = rows(
        dsn,
        "select f.content, substr(d.body, span_start + 1, span_end - span_start) "
        "from illumina.facts f join illumina.documents d using (namespace, document, version)",
    )
    assert all(content == text for content, text in kept)


def test_nothing_of_the_text_is_left_in_any_table(reading: Memory, dsn: str) -> None:
    reading.retain_many(DOCUMENTS)
    receipt = reading.retain("The zebraword of Xanthippe Quuxly is plugh.", source="secret", key="s")
    reading.retain("Zebraword of Xanthippe Quuxly was xyzzy.", source="secret", key="s")
    reading.forget(document=receipt.document_id)
    with psycopg.connect(dsn) as connection:
        for (table,) in rows(dsn, "select tablename from pg_tables where schemaname = 'illumina'"):
            query = f"select count(*) from illumina.{table} t where t::text ~* 'zebraword|xanthippe|quux|plugh|xyzzy|secret'"
            assert connection.execute(query.encode()).fetchone() == (0,), table


def test_nothing_of_the_text_is_left_in_the_planners_statistics(reading: Memory, dsn: str) -> None:
    texts = [f"Zebraword {n} of Xanthippe is plugh, because Quuxly broke it." for n in range(30)]
    receipts = reading.retain_many(Document(f"# Plugh\n\n{text}", "wiki", f"{n}") for n, text in enumerate(texts))
    run(dsn, "analyze")
    for receipt in receipts:
        reading.forget(document=receipt.document_id)
    sampled = rows(
        dsn,
        "select tablename, attname from pg_stats where schemaname = 'illumina' and attname <> 'lexeme' "
        "and coalesce(most_common_vals::text, '') || coalesce(histogram_bounds::text, '') "
        "|| coalesce(most_common_elems::text, '') ~* 'zebraword|xanthippe|plugh|quuxly'",
    )
    assert sampled == []


def test_a_forgotten_heading_is_in_no_section(reading: Memory, dsn: str) -> None:
    told = "Zebraword moved to Plugh."
    text = f"# {told}\n\n{told}\n\n## Timeouts\n\nThe checkout timeout is 30 seconds."
    reading.retain(text, source="wiki", key="h")
    heading = next(result for result in reading.recall("Zebraword Plugh").results if "Zebraword" in result.content)
    reading.forget(fact=heading.id)
    sections = {section for (section,) in rows(dsn, "select section from illumina.facts")}
    assert sections == {f"{'█' * 25} > Timeouts"}


def test_exactly_one_thing_is_forgotten(reading: Memory) -> None:
    for wanted in ({}, {"source": "a", "everything": True}):
        with pytest.raises(InvalidInputError, match="Say what to forget"):
            reading.forget(**wanted)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="holds no such document"):
        reading.forget(source="nowhere")


def test_a_correction_takes_a_wrong_statements_place_and_can_be_taken_back(reading: Memory) -> None:
    reading.retain_many(DOCUMENTS)
    wrong = next(result for result in reading.recall("disk filled").results if "disk" in result.content)
    reading.correct(wrong.id, "The certificate of the deploy host had expired.", reason="post-mortem")
    assert not any(result.id == wrong.id for result in reading.recall("disk filled").results)
    right = next(result for result in reading.recall("certificate expired").results if "certificate" in result.content)
    assert right.replaces == (wrong.id,)
    before = reading.history(wrong.id)
    reading.correct(wrong.id, "The certificate of the deploy host had expired.", reason="post-mortem")
    assert reading.history(wrong.id) == before
    with pytest.raises(InvalidInputError, match="There is no fact"):
        reading.correct("fct_" + "0" * 32, "Nothing.")
