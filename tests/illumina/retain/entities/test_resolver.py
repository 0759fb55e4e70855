from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from illumina.errors import InvalidInputError
from illumina.retain.entities import Mention, Pins, Resolution, resolve

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMES = (
    *("Sarah Chen", "S. Chen", "schen", "Sarah", "Sarah Chan", "Chen, Sarah", "Sara Chen", "Sally Chen", "Sarah M. Chen"),
    *("Bob Hill", "Robert Hill", "R. Hill", "Hill", "Robert Hill Jr.", "v1", "v2", "checkout-service", "Checkout Service"),
    *("", "\N{ROCKET}"),
)
MOMENTS = (None, datetime(2025, 3, 11, tzinfo=UTC), datetime(2025, 3, 12, 9, 30, tzinfo=UTC), datetime(1890, 3, 11, tzinfo=UTC))


def mentions(names: st.SearchStrategy[str]) -> st.SearchStrategy[list[Mention]]:
    """Up to 25 mentions with keys of their own, from few names and contexts, so that they meet."""
    few = st.frozensets(st.sampled_from(("Acme", "Globex", "Lisbon", "Lisbon, Portugal")), max_size=2)
    mention = st.builds(
        Mention,
        key=st.just(""),
        name=names,
        kind=st.sampled_from((None, None, "person", "service")),
        homes=few,
        nearby=few,
        moment=st.sampled_from(MOMENTS),
    )
    return st.lists(mention, max_size=25).map(lambda found: [replace(one, key=f"{n:02}") for n, one in enumerate(found)])


def groups(resolution: Resolution) -> set[tuple[str, ...]]:
    return {entity.mentions for entity in resolution.entities}


@settings(max_examples=60, deadline=None)
@given(mentions(st.sampled_from(NAMES)), st.randoms(use_true_random=False), st.data())
def test_order_and_repetition_change_nothing(found: list[Mention], chance: random.Random, data: st.DataObject) -> None:
    keys = st.sampled_from([mention.key for mention in found] or ["none"])
    pairs = st.frozensets(st.tuples(keys, keys), max_size=3)
    pins = Pins(same=data.draw(pairs), different=data.draw(pairs))
    expected = resolve(found, pins)
    shuffled = found + found[: len(found) // 2]
    chance.shuffle(shuffled)
    flipped = replace(pins, same=frozenset((b, a) for a, b in pins.same))
    assert resolve(shuffled, flipped) == expected


@settings(max_examples=60, deadline=None)
@given(mentions(st.sampled_from(NAMES)), st.integers(0, 25))
def test_batches_change_only_what_they_are_connected_to(found: list[Mention], cut: int) -> None:
    """Resolving what a second batch is connected to, and leaving the rest as it was, gives what resolving all gives."""
    first, second = found[:cut], found[cut:]
    before, whole = resolve(first), resolve(found)
    by_key = {mention.key: mention for mention in found}
    new = {mention.key for mention in second}
    # Grow the touched set by whole entities of either result until it is closed.
    touched = set(new)
    while (
        grown := {
            key for entity in (*before.entities, *whole.entities) if touched & set(entity.mentions) for key in entity.mentions
        }
        - touched
    ):
        touched |= grown
    left = [entity for entity in before.entities if not touched & set(entity.mentions)]
    again = [entity for entity in whole.entities if not touched & set(entity.mentions)]
    assert {entity.mentions for entity in left} == {entity.mentions for entity in again}
    assert {entity.id for entity in left} == {entity.id for entity in again}
    assert set(whole.entity_of) == set(by_key)


def test_what_is_not_connected_is_not_touched() -> None:
    old = [Mention("a", "Sarah Chen"), Mention("b", "Sarah Chen", moment=MOMENTS[1]), Mention("c", "Bob Hill")]
    before = resolve(old)
    after = resolve([*old, *(Mention(f"z{n}", f"Olga Iwanowa {n}") for n in range(20))])
    assert set(before.entities) <= set(after.entities)


@settings(max_examples=60, deadline=None)
@given(mentions(st.text(max_size=30)))
def test_no_text_raises(found: list[Mention]) -> None:
    resolution = resolve(found)
    assert set(resolution.entity_of) == {mention.key for mention in found}


@pytest.mark.parametrize(
    "name",
    [
        "\ud800 \udfff",
        "\0",
        "(",
        "()",
        "#",
        "@",
        ",",
        ", ,",
        "a@b.cd",
        "𝔖𝔞𝔯𝔞𝔥",
        "\u202e\u0646\u202c",
        "x" * 100_000,
        "é" * 2_000,
    ],
)
def test_strange_names_are_one_if_equal(name: str) -> None:
    other = Mention("c\ud800", name + "!?" if len(name) > 400 else "quite another", moment=MOMENTS[3])
    found = resolve([Mention("a", name), Mention("b", name), other])
    assert found.entity_of["a"] == found.entity_of["b"] != found.entity_of["c\ud800"]


def test_two_mentions_with_one_key_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="the key 'a'"):
        resolve([Mention("a", "Sarah Chen"), Mention("a", "Bob Hill")])


def test_a_merge_says_why() -> None:
    (entity,) = resolve(
        [Mention("a", "Robert Hill", homes=frozenset({"Acme"})), Mention("b", "Bob Hill", homes=frozenset({"Acme"}))]
    ).entities
    (merge,) = entity.merges
    assert (merge.left, merge.right, merge.pair) == ("a", "b", ("a", "b"))
    assert [reason.reason for reason in merge.evidence] == [
        "words agree (bob and robert are short forms of one name)",
        "both of acme",
    ]
    assert merge.score == pytest.approx(sum(reason.weight for reason in merge.evidence))
    assert (entity.name, entity.aliases) == ("Robert Hill", ("Bob Hill", "Robert Hill"))


def test_every_entity_is_explained_by_its_merges() -> None:
    chance = random.Random(5)
    found = resolve(
        Mention(f"{n:03}", chance.choice(NAMES[:14]), None, frozenset(chance.sample(("Acme", "Globex"), chance.randint(0, 1))))
        for n in range(200)
    )
    for entity in found.entities:
        parent = {key: key for key in entity.mentions}
        for merge in entity.merges:
            assert parent[merge.left] == merge.left
            assert parent[merge.right] == merge.right
            parent[merge.right] = merge.left
    assert any(len(entity.merges) > 2 for entity in found.entities)


def test_pins_overrule_evidence() -> None:
    found = [Mention("a", "Sarah Chen"), Mention("b", "Sarah Chen"), Mention("c", "Room 101"), Mention("d", "Room 102")]
    assert groups(resolve(found)) == {("a", "b"), ("c",), ("d",)}
    pinned = resolve(found, Pins(same=frozenset({("d", "c")}), different=frozenset({("b", "a")})))
    assert groups(pinned) == {("a",), ("b",), ("c", "d")}
    (both,) = [entity for entity in pinned.entities if len(entity.mentions) > 1]
    assert [reason.reason for reason in both.merges[0].evidence] == ["pinned"]


def test_a_chain_of_pins_gives_way_to_a_split() -> None:
    found = [Mention(key, name) for key, name in zip("abc", ("one thing", "another", "the third"), strict=True)]
    pins = Pins(same=frozenset({("a", "b"), ("b", "c")}), different=frozenset({("a", "c")}))
    assert groups(resolve(found, pins)) == {("a", "b"), ("c",)}


def test_what_joins_a_pinned_entity_follows_either_name() -> None:
    found = [Mention("a", "Room 101"), Mention("b", "Room 102"), Mention("c", "Room 101"), Mention("d", "Room 102")]
    assert groups(resolve(found, Pins(same=frozenset({("a", "b")})))) == {("a", "b", "c", "d")}


def test_undoing_a_pin_undoes_the_merge() -> None:
    found = [Mention("a", "Sarah Chen", homes=frozenset({"Acme"})), Mention("b", "Sarah Chen", homes=frozenset({"Globex"}))]
    assert len(resolve(found, Pins(same=frozenset({("a", "b")}))).entities) == 1
    assert resolve(found, Pins()) == resolve(found)
    assert len(resolve(found).entities) == 2


def test_an_id_outlives_what_comes_later() -> None:
    start = datetime(2025, 1, 1, tzinfo=UTC)
    found = [Mention(f"{99 - n}", "Sarah Chen", homes=frozenset({"Acme"}), moment=start + timedelta(days=n)) for n in range(40)]
    ids = {resolve(found[: n + 1]).entity_of["99"] for n in range(40)}
    assert len(ids) == 1
    # Two that turn out to be one keep the older id.
    apart = [found[0], Mention("0", "schen", moment=start + timedelta(days=90))]
    assert len(resolve(apart).entities) == 2
    together = resolve(apart, Pins(same=frozenset({("99", "0")})))
    assert [entity.id for entity in together.entities] == [*ids]


def test_part_of_a_name_goes_to_the_one_that_it_fits() -> None:
    acme, globex = frozenset({"Acme"}), frozenset({"Globex"})
    day = MOMENTS[1]
    found = [
        Mention("a", "Sarah Chen", homes=acme, moment=day),
        Mention("b", "Sarah Okafor", homes=globex, moment=day),
        Mention("c", "Sarah", homes=acme, moment=day),
        Mention("d", "schen", homes=acme),
    ]
    assert groups(resolve(found)) == {("a", "c", "d"), ("b",)}
    # Two Sarahs at Acme: a bare Sarah is neither's.
    assert groups(resolve([replace(mention, homes=acme) for mention in found[:3]])) == {("a",), ("b",), ("c",)}


def test_companies_and_times_tell_namesakes_apart_and_shared_ones_join() -> None:
    def pair(name: str, left: Mapping[str, object], right: Mapping[str, object]) -> int:
        return len(resolve([Mention("a", name, **left), Mention("b", name, **right)]).entities)  # type: ignore[arg-type]

    acme, globex = {"homes": frozenset({"Acme"})}, {"homes": frozenset({"Globex"})}
    assert pair("Sarah Chen", {}, {}) == 1
    assert pair("Sarah Chen", acme, acme) == 1
    assert pair("Sarah Chen", acme, globex) == 2
    assert pair("Sarah Chen", {**acme, "moment": MOMENTS[1]}, {**globex, "moment": MOMENTS[1]}) == 2
    assert pair("Sarah Chen", {"moment": MOMENTS[1]}, {"moment": MOMENTS[3]}) == 2
    assert pair("Sarah Chen", {**acme, "moment": MOMENTS[1]}, {**acme, "moment": MOMENTS[2]}) == 1
    assert pair("Sarah Chen", {"nearby": frozenset({"checkout"})}, {"nearby": frozenset({"Lisbon"})}) == 1


def test_many_mentions_of_one_name_stay_cheap() -> None:
    """All pairs of 3,000 mentions would be 4.5 million; neighbours in time and context suffice."""
    start = datetime(2025, 1, 1, 8, tzinfo=UTC)
    found = [
        Mention(
            f"{n:05}",
            "Sarah Chen" if n % 3 else "S. Chen",
            homes=frozenset({("Acme", "Globex")[n % 2]}),
            moment=start + timedelta(hours=n),
        )
        for n in range(3_000)
    ]
    resolution = resolve(found)
    assert len(resolution.entities) == 2
    assert {len(entity.mentions) for entity in resolution.entities} == {1_500}
