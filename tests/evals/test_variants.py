from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import pytest

from evals.variants import RECALL_ONLY, Variant, ablations, grid, parse_settings
from illumina import Document, Memory, Ranking
from illumina.errors import InvalidInputError
from illumina.recall.arms import Arm
from illumina.recall.components import Component
from tests.support import HashingEmbedder, dump

if TYPE_CHECKING:
    from evals.postgres import PostgresProvider


class Booster(Component):
    kind = "boost"


A, B = Arm("a", lambda *_: list), Arm("b", lambda *_: list)
BOOST = Booster("newest")


def shown(variants: tuple[Variant, ...]) -> list[tuple[str, str, tuple[str, ...] | None]]:
    return [(variant.kind, variant.name, variant.components) for variant in variants]


def test_each_component_is_left_out_and_left_in() -> None:
    assert shown(ablations()) == [
        ("full", "full", None),
        ("leave-one-out", "semantic", ("lexical",)),
        ("leave-one-out", "lexical", ("semantic",)),
        ("leave-one-in", "semantic", ("semantic",)),
        ("leave-one-in", "lexical", ("lexical",)),
    ]


def test_an_arm_works_alone_and_another_component_on_top_of_all_arms() -> None:
    assert shown(ablations([A, B, BOOST]))[1:] == [
        ("leave-one-out", "a", ("b", "newest")),
        ("leave-one-out", "b", ("a", "newest")),
        ("leave-one-out", "newest", ("a", "b")),
        ("leave-one-in", "a", ("a",)),
        ("leave-one-in", "b", ("b",)),
        ("leave-one-in", "newest", ("a", "b", "newest")),
    ]


def test_the_only_arm_is_never_left_out() -> None:
    assert [row[:2] for row in shown(ablations([A, BOOST]))] == [
        ("full", "full"),
        ("leave-one-out", "newest"),
        ("leave-one-in", "a"),
        ("leave-one-in", "newest"),
    ]


def test_a_grid_is_every_combination_but_the_default_one() -> None:
    variants = grid({"rrf_k": [10, 60], "bm25_b": [0, 0.75]})
    assert [(variant.kind, variant.name) for variant in variants] == [
        ("full", "rrf_k=60, bm25_b=0.75"),
        ("sweep", "rrf_k=10, bm25_b=0.0"),
        ("sweep", "rrf_k=10, bm25_b=0.75"),
        ("sweep", "rrf_k=60, bm25_b=0.0"),
    ]
    assert [variant.ranking for variant in variants] == [
        Ranking(),
        Ranking(rrf_k=10, bm25_b=0.0),
        Ranking(rrf_k=10),
        Ranking(bm25_b=0.0),
    ]
    assert all(variant.components is None for variant in variants)


def test_another_base_can_be_varied() -> None:
    base = Ranking(rrf_k=10, arm_depth=100)
    assert {variant.ranking for variant in ablations(base=base)} == {base}
    variants = grid({"rrf_k": [10, 60]}, base)
    assert [(variant.name, variant.ranking) for variant in variants] == [
        ("rrf_k=10", base),
        ("rrf_k=60", Ranking(arm_depth=100)),
    ]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "nothing to sweep"),
        ({"rrf": [1]}, "no setting 'rrf'. Known are bm25_k1, bm25_b, rrf_k"),
        ({"rrf_k": []}, "rrf_k has no values"),
        ({"rrf_k": [1.5]}, "rrf_k cannot be 1.5: it takes integers"),
        ({"rrf_k": [True]}, "rrf_k cannot be True: it takes integers"),
        ({"bm25_b": ["0.5"]}, "bm25_b cannot be '0.5': it takes numbers"),
        ({"bm25_b": [float("nan")]}, "must be finite and not negative"),
        ({"rrf_k": [-1]}, "must be finite and not negative"),
        ({"rrf_k": [1, 2, 1]}, "a value twice"),
    ],
)
def test_a_grid_that_cannot_be_made_is_refused(settings: Any, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        grid(settings)


def test_settings_are_read_as_they_are_written() -> None:
    assert parse_settings(["rrf_k=10,30", "bm25_b=0,0.5"]) == {"rrf_k": [10, 30], "bm25_b": [0.0, 0.5]}
    assert isinstance(parse_settings(["bm25_b=0"])["bm25_b"][0], float)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (["rrf_k"], "'rrf_k' is no setting. Write name=value,value"),
        (["rrf_k="], "is no setting"),
        (["rrf=1"], "no setting 'rrf'"),
        (["rrf_k=1.5"], "rrf_k cannot be '1.5': it takes integers"),
        (["bm25_b=a"], "bm25_b cannot be 'a': it takes numbers"),
        (["rrf_k=1,"], "it takes integers, with commas between"),
        (["rrf_k=1", "rrf_k=2"], "rrf_k is set twice"),
    ],
)
def test_settings_that_are_written_wrong_are_refused(written: list[str], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        parse_settings(written)


def test_variants_share_a_database_unless_retained_state_depends_on_what_differs() -> None:
    names = {field.name for field in fields(Ranking)}
    assert names >= RECALL_ONLY
    for name in names:
        changed: dict[str, Any] = {name: getattr(Ranking(), name) + 1}
        shares = replace(ablations()[0], ranking=Ranking(**changed)).retained == ablations()[0].retained
        assert shares == (name in RECALL_ONLY)


def test_what_shares_a_database_leaves_nothing_in_it(provider: PostgresProvider) -> None:
    texts = [Document(f"The queue of team {number} is long.", key=str(number)) for number in range(20)]
    dumps = []
    changed: dict[str, Any] = {name: getattr(Ranking(), name) + 1 for name in RECALL_ONLY}
    for ranking in (Ranking(exact_scan_limit=10), Ranking(exact_scan_limit=10, **changed)):
        with (
            provider.fresh_database() as dsn,
            Memory.open(dsn, embedder=HashingEmbedder(), ranking=ranking, extractor="verbatim") as memory,
        ):
            memory.retain_many(texts)
            assert memory.build_index()
            memory.recall("queue")
            dumps.append(dump(dsn))
    assert dumps[0] == dumps[1]
