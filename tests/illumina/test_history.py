"""Chains of what replaced what, as whoever asks may see them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from illumina.errors import InvalidInputError
from illumina.ids import FACT_PREFIX, public_id
from tests.illumina.retain.reconcile import scene
from tests.illumina.retain.reconcile.scene import Told

if TYPE_CHECKING:
    from uuid import UUID

    from illumina import Memory

DAY = datetime(2026, 3, 2, tzinfo=UTC)


def tell(memory: Memory, namespace: str, *facts: tuple[str, int, str]) -> list[str]:
    told = [
        Told(3 * number, content, DAY + timedelta(days=day), visibility=visibility)  # type: ignore[arg-type]
        for number, (content, day, visibility) in enumerate(facts)
    ]
    with memory._database.write(namespace) as session:
        scene.tell(session, told)
        scene.settled(session)
    return [fact(it.id) for it in told]


def fact(key: UUID) -> str:
    return public_id(FACT_PREFIX, key)


def test_the_whole_chain_in_both_directions(shared: Memory, namespace: str) -> None:
    first, second, third = tell(
        shared,
        namespace,
        ("The timeout is 30 s.", 0, "shared"),
        ("The timeout is 60 s.", 1, "shared"),
        ("The timeout is 90 s.", 2, "shared"),
    )
    found = shared.history(second, namespace=namespace)
    assert [(edge.new, edge.old) for edge in found.replaced] == [(second, first)]
    assert [(edge.new, edge.old) for edge in found.replaced_by] == [(third, second)]
    assert found.replaced_by[0].evidence == {
        "kind": "value", "attribute": "amount of time", "of": "timeout", "old": "60 s", "new": "90 s",
    }  # fmt: skip
    assert found.replaced_by[0].since == DAY + timedelta(days=2)
    assert [it.state for it in (found.fact, found.facts[first], found.facts[third])] == ["superseded", "superseded", "live"]
    assert [edge.old for edge in shared.history(third, namespace=namespace).replaced] == [second, first]
    assert found.to_json() == shared.history(second, namespace=namespace).to_json()


def test_what_is_private_leaves_no_trace(shared: Memory, namespace: str) -> None:
    private, public = tell(shared, namespace, ("The timeout is 30 s.", 0, "agent"), ("The timeout is 60 s.", 1, "shared"))
    assert shared.history(public, namespace=namespace).replaced == ()
    assert shared.history(public, namespace=namespace, agent="bob").replaced == ()
    assert [edge.old for edge in shared.history(public, namespace=namespace, agent="ann").replaced] == [private]
    assert shared.history(private, namespace=namespace, agent="ann").fact.content == "The timeout is 30 s."
    for agent, device in ((None, None), ("bob", None), (None, "ann")):
        with pytest.raises(InvalidInputError, match="no fact"):
            shared.history(private, namespace=namespace, agent=agent, device=device)
    with pytest.raises(InvalidInputError, match="no fact"):
        shared.history(public, namespace=f"{namespace} other")


def test_decisions_are_part_of_it_and_can_be_taken_back(shared: Memory, namespace: str) -> None:
    old, new = tell(shared, namespace, ("Coffee is free.", 0, "shared"), ("Tea is free.", 1, "shared"))
    assert shared.history(old, namespace=namespace).replaced_by == ()
    ruling = shared.supersede(old, new, reason="We ran out.", namespace=namespace)
    assert shared.supersede(old, new, namespace=namespace) == ruling
    [edge] = shared.history(old, namespace=namespace).replaced_by
    assert (edge.new, edge.ruling, edge.evidence) == (new, ruling, {"kind": "ruling", "reason": "We ran out."})
    assert shared.history(old, namespace=namespace).fact.state == "superseded"
    shared.reinstate(ruling, namespace=namespace)
    assert shared.history(old, namespace=namespace).fact.state == "live"
    with pytest.raises(InvalidInputError, match="ruling"):
        shared.reinstate(ruling, namespace=namespace)


def test_suspects_say_what_they_rest_on(shared: Memory, namespace: str) -> None:
    cause, effect, newer = tell(
        shared,
        namespace,
        ("The timeout is 30 s.", 0, "shared"),
        ("Uploads are cut off.", 0, "shared"),
        ("The timeout is 60 s.", 1, "shared"),
    )
    assert shared.suspects(namespace=namespace) == []
    with shared._database.write(namespace) as session:
        keys = [row[0] for row in session.execute("select fact from illumina.facts where namespace = %(namespace)s")]
        by_id = {fact(key): key for key in keys}
        scene.cause(session, [(by_id[cause], "causes", by_id[effect])])
        scene.settled(session)
    [found] = shared.suspects(namespace=namespace)
    assert (found.fact.id, found.because.id, found.replaced_by) == (effect, cause, (newer,))
    assert found.because.state == "superseded"
