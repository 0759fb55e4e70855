"""Which of two statements supersedes which: labelled pairs, and the rules that hold whatever the pair."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.ids import content_uuid
from illumina.retain.reconcile import supersedes
from illumina.retain.reconcile.statements import Named, Statement, Verdict

HERE = Path(__file__).parent
DAY = datetime(2026, 3, 2, tzinfo=UTC)


def said(content: str, day: int | None = 1, **more: object) -> Statement:
    moment = None if day is None else DAY.replace(day=day)
    place = content_uuid("document", content, day)
    made = Statement(
        content_uuid("fact", content, day),
        content,
        content_uuid(content.casefold()),
        document=place,
        moment=moment,
        said=moment,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def pairs(name: str) -> list[tuple[str, str, str]]:
    lines = (HERE / name).read_text().splitlines()
    rows = [line.split("|") for line in lines if line and not line.startswith("#")]
    return [(label.strip(), older.strip(), newer.strip()) for label, older, newer in rows]


def measured(name: str) -> tuple[float, float, int]:
    """Precision and recall of (extent of) supersession, and how many pairs there are; the older never supersedes the newer."""
    counts: Counter[str] = Counter()
    for label, older, newer in pairs(name):
        verdict = supersedes(said(newer, 2), said(older, 1))
        assert supersedes(said(older, 1), said(newer, 2)) is None
        counts["gold"] += label in {"whole", "part"}
        counts["found"] += verdict is not None
        counts["right"] += verdict is not None and verdict.extent == label
        counts["all"] += 1
    return counts["right"] / counts["found"], counts["right"] / counts["gold"], counts["all"]


def test_pairs_that_rules_were_shaped_on() -> None:
    precision, recall, size = measured("pairs.txt")
    assert size >= 100
    assert precision >= 0.98
    assert recall >= 0.95


def test_pairs_written_before_any_rule() -> None:
    precision, recall, size = measured("pairs_held_out.txt")
    assert size >= 100
    assert precision >= 0.95
    assert recall >= 0.90


def test_pairs_of_other_walks_of_life_written_after_the_rules() -> None:
    precision, recall, size = measured("pairs_second.txt")
    assert size >= 60
    assert precision >= 0.95
    assert recall >= 0.80


def verdict(older: Statement, newer: Statement) -> str | None:
    found = supersedes(newer, older)
    assert found is None or supersedes(older, newer) is None
    return None if found is None else found.extent


OLD, NEW = "The timeout is 30 s.", "The timeout is 60 s."


def test_time_decides_and_not_arrival() -> None:
    assert verdict(said(OLD, 1), said(NEW, 2)) == "whole"
    assert verdict(said(OLD, 2), said(NEW, 1)) is None
    # What it tells of counts, not when that was told.
    assert verdict(said(OLD, 2), said(NEW, 1, said=DAY.replace(day=20))) is None


def test_without_time_only_words_decide() -> None:
    assert verdict(said(OLD, None), said(NEW, None)) is None
    assert verdict(said(OLD, 1), said(NEW, None)) is None
    assert verdict(said("CI runs on Jenkins.", None), said("We moved from Jenkins to Buildkite.", None)) == "whole"
    assert verdict(said("CI runs on Jenkins.", None), said("We moved from Jenkins to Buildkite.", 1)) == "whole"
    assert verdict(said("CI runs on Jenkins.", 2), said("We moved from Jenkins to Buildkite.", 1)) is None


def test_within_a_document_the_place_breaks_ties() -> None:
    place = content_uuid("one document")
    for day in (1, None):
        first, second = said(OLD, day, document=place, ordinal=1), said(NEW, day, document=place, ordinal=2)
        assert verdict(first, second) == "whole"
        assert verdict(second, first) is None
        assert verdict(replace(first, document=content_uuid("another")), second) is None


def test_what_is_doubtful_or_the_same_retires_nothing() -> None:
    assert verdict(said(OLD, 1), said(NEW, 2, confidence="low")) is None
    assert verdict(said(OLD, 1), said(OLD, 2)) is None
    assert verdict(said(OLD, 1), said("The timeout: 30 seconds", 2)) is None


@pytest.mark.parametrize(
    ("newer", "older", "expected"),
    [
        (("shared", None, None), ("agent", "ann", None), "whole"),
        (("shared", None, None), ("device", None, "phone"), "whole"),
        (("agent", "ann", None), ("shared", None, None), None),
        (("agent", "ann", "phone"), ("agent", "ann", "laptop"), "whole"),
        (("agent", "ann", None), ("agent", "bob", None), None),
        (("device", "ann", "phone"), ("device", "bob", "phone"), "whole"),
        (("device", "ann", "phone"), ("agent", "ann", "phone"), None),
    ],
)
def test_who_sees_the_old_must_see_the_new(
    newer: tuple[str, str | None, str | None], older: tuple[str, str | None, str | None], expected: str | None
) -> None:
    made = [
        said(content, day, visibility=visibility, agent=agent, device=device)
        for content, day, (visibility, agent, device) in ((OLD, 1, older), (NEW, 2, newer))
    ]
    assert verdict(*made) == expected


def test_entities_stand_for_their_names() -> None:
    sam, other = content_uuid("sam"), content_uuid("other")
    older = said("Sam lives in Paris.", 1, names=(Named("Sam", sam), Named("Paris")))
    full = "Sam Okafor lives in Berlin."
    assert verdict(older, said(full, 2)) is None
    assert verdict(older, said(full, 2, names=(Named("Sam Okafor", sam),))) == "whole"
    assert verdict(older, said(full, 2, names=(Named("Sam Okafor", other),))) is None
    assert verdict(older, said("Sam lives in Berlin.", 2, names=(Named("Sam", other),))) is None


def test_the_speaker_is_meant_by_i() -> None:
    older = said("I live in Paris.", 1, speaker="Sam")
    assert verdict(older, said("I live in Berlin.", 2, speaker="Sam")) == "whole"
    assert verdict(older, said("I live in Berlin.", 2, speaker="Ann")) is None
    assert verdict(older, said("Sam moved to Berlin.", 2)) == "whole"
    assert verdict(said("I live in Paris.", 1, source="a"), said("I live in Berlin.", 2, source="b")) is None


def test_documents_by_id() -> None:
    adr = {"document": content_uuid("adr 7"), "key": "docs/adr/0007-use-kafka.md"}
    old = said("Events go through Kafka.", 1, **adr)
    assert verdict(old, said("This ADR supersedes ADR-7.", 2)) == "whole"
    assert verdict(old, said("This ADR does not supersede ADR-7.", 2)) is None
    assert verdict(old, said("This ADR amends ADR-7.", 2)) is None
    assert verdict(old, said("This ADR supersedes ADR-17.", 2)) is None
    note = said("Superseded by ADR-12.", 1, ordinal=5, **adr)
    assert verdict(old, note) == "whole"
    assert verdict(note, said("This ADR supersedes ADR-7.", 2)) == "whole"
    assert verdict(said("Events go through Kafka.", 1), note) is None


def test_only_the_words_of_a_part_are_over() -> None:
    older = said("Sam lives in Paris and works at Acme.", 1)
    found = supersedes(said("Sam works at Globex.", 2), older)
    assert found == Verdict("part", "works at Acme", found.evidence if found else {})
    assert found is not None
    assert found.evidence["kind"] == "value"
    assert verdict(older, said("Sam lives in Rome and works at Globex.", 2)) == "whole"
    assert verdict(older, said("Sam lives in Paris and works at Globex.", 2)) == "part"


ANY = st.one_of(st.text(max_size=80), st.sampled_from([text for pair in pairs("pairs.txt") for text in pair[1:]]))


@given(ANY, ANY, st.sampled_from((None, 1, 2)), st.sampled_from((None, 1, 2)))
def test_any_two_texts_are_judged_and_never_both_retired(one: str, other: str, day: int | None, other_day: int | None) -> None:
    first, second = said(one, day), said(other, other_day)
    assert not (supersedes(first, second) and supersedes(second, first))
    assert supersedes(first, second) == supersedes(first, second)
