from __future__ import annotations

import pytest

from evals.breakage import breakage, move
from evals.comparison import GoldMove, QueryDelta


def query(*gold: GoldMove) -> QueryDelta:
    return QueryDelta("q", "plain", "c", headline=True, text="", values={}, gold=gold)


def unit(old: int, new: int, grade: int = 1, **arms: tuple[int, int]) -> GoldMove:
    return GoldMove(f"{old}-{new}", grade, old, new, arms)


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        (unit(1, 9, lexical=(2, 0), semantic=(5, 5)), "lexical 2 → –"),
        (unit(1, 9, lexical=(5, 40), semantic=(2, 3)), "lexical 5 → 40, semantic 2 → 3"),
        (unit(1, 9, lexical=(40, 0), semantic=(2, 3)), "semantic 2 → 3, lexical 40 → –"),
        (unit(1, 9, lexical=(2, 2), semantic=(5, 4)), "fusion only"),
        (unit(1, 9, lexical=(0, 0), semantic=(0, 7)), "fusion only"),
    ],
)
def test_the_arms_that_rank_the_unit_lower_are_named_the_greatest_loss_first(gold: GoldMove, said: str) -> None:
    found = breakage(query(gold))
    assert found is not None
    assert str(found) == said
    assert found.culprit == ("fusion only" if said == "fusion only" else said.partition(" ")[0])


def test_the_unit_whose_fall_cost_most_is_the_one_that_is_blamed() -> None:
    deep = unit(40, 0, lexical=(3, 0))
    graded = unit(2, 3, 3, semantic=(1, 2))
    plain = unit(2, 3, 1, lexical=(1, 2))
    found = breakage(query(deep, plain, graded))
    assert found is not None
    assert found.gold is graded


def test_nothing_broke_what_did_not_fall_or_has_no_arms() -> None:
    assert breakage(query(unit(2, 1, lexical=(1, 9)), unit(3, 3, lexical=(1, 9)), unit(0, 0, lexical=(1, 9)))) is None
    assert breakage(query(unit(1, 9))) is None
    assert breakage(query()) is None


def test_a_unit_that_was_not_retrieved_has_no_rank() -> None:
    assert [move(2, 0), move(0, 3), move(1, 2)] == ["2 → –", "– → 3", "1 → 2"]
