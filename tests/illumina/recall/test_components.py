from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from illumina import Memory, Ranking
from illumina.recall import components
from illumina.recall.arms import Arm
from illumina.recall.components import Component, register, registered
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable

    from illumina.recall.plan import Hit, Plan
    from illumina.store.database import Session


class Booster(Component):
    kind = "boost"


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components, "_REGISTERED", dict(components._REGISTERED))


def nothing(session: Session, plan: Plan) -> Callable[[], list[Hit]]:
    return list


def test_the_engines_components_are_its_arms_in_the_locked_order() -> None:
    assert [(component.name, component.kind) for component in registered(Component)] == [
        ("semantic", "arm"),
        ("lexical", "arm"),
    ]


def test_components_are_known_by_kind_in_the_order_of_registration() -> None:
    register(Booster("newest"))
    register(Arm("temporal", nothing))
    assert [component.name for component in registered(Component)] == ["semantic", "lexical", "newest", "temporal"]
    assert [arm.name for arm in registered(Arm)] == ["semantic", "lexical", "temporal"]
    assert [booster.kind for booster in registered(Booster)] == ["boost"]


def test_a_name_is_given_once() -> None:
    with pytest.raises(ValueError, match="There is a component 'lexical' already"):
        register(Arm("lexical", nothing))


def test_a_registered_arm_takes_part_and_can_be_switched_off(database: str) -> None:
    lexical = next(arm for arm in registered(Arm) if arm.name == "lexical")
    register(replace(lexical, name="again"))
    with Memory.open(database, embedder=HashingEmbedder(), extractor="verbatim") as memory:
        memory.retain("Ingestion moved to a queue.", namespace="a")
        assert memory.recall("queue", namespace="a").results[0].arms == ("semantic", "lexical", "again")
        assert memory.recall("queue", namespace="a", components=["again"]).results[0].arms == ("again",)


def test_constants_can_be_given_for_one_recall(database: str) -> None:
    with Memory.open(database, embedder=HashingEmbedder(), extractor="verbatim") as memory:
        for text in ("A queue.", "Another queue.", "The third queue."):
            memory.retain(text, namespace="a")
        assert len(memory.recall("queue", namespace="a").results) == 3
        assert len(memory.recall("queue", namespace="a", components=["lexical"], ranking=Ranking(arm_depth=2)).results) == 2
        assert len(memory.recall("queue", namespace="a").results) == 3
