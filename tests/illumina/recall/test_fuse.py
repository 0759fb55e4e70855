"""Reciprocal rank fusion: the published formula, and an order that nothing but the ranks decides."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from illumina.canonical import DECIMALS
from illumina.recall.fuse import fuse
from illumina.recall.plan import Hit

IDS = st.integers(0, 30).map(lambda number: (number << 64).to_bytes(16))
RANKINGS = st.dictionaries(
    st.sampled_from(["semantic", "lexical", "graph"]),
    st.lists(IDS, unique=True, max_size=12).map(lambda ids: [Hit(fact, 1 / (n + 1)) for n, fact in enumerate(ids)]),
)


def hits(*numbers: int) -> list[Hit]:
    return [Hit(number.to_bytes(16), 0.5) for number in numbers]


def test_the_published_formula() -> None:
    """Cormack, Clarke & Büttcher 2009: RRFscore(d) = Σ 1 / (k + r(d)) with k = 60."""
    found = {c.fact.int: c for c in fuse({"semantic": hits(1, 2, 3), "lexical": hits(3, 1)}, 60)}
    best = 1 / 61 + 1 / 61
    assert found[1].score == pytest.approx((1 / 61 + 1 / 62) / best, abs=5e-10)
    assert found[2].score == pytest.approx((1 / 62) / best, abs=5e-10)
    assert found[3].score == pytest.approx((1 / 63 + 1 / 61) / best, abs=5e-10)
    assert found[3].ranks == {"semantic": 3, "lexical": 1}
    assert [c.fact.int for c in fuse({"semantic": hits(1, 2, 3), "lexical": hits(3, 1)}, 60)] == [1, 3, 2]


def test_first_place_everywhere_is_one() -> None:
    for arms in (["a"], ["a", "b"], ["a", "b", "c"], list("abcdefg")):
        assert fuse({arm: hits(7) for arm in arms}, 60)[0].score == 1.0


def test_nothing_gives_nothing() -> None:
    assert fuse({}, 60) == []
    assert fuse({"semantic": [], "lexical": []}, 60) == []


@given(RANKINGS, st.integers(0, 1000))
def test_scores_are_exact_rational_shares_rounded(rankings: dict[str, list[Hit]], k: int) -> None:
    for candidate in fuse(rankings, k):
        ranks = {
            arm: [hit.fact for hit in found].index(candidate.fact.bytes) + 1
            for arm, found in rankings.items()
            if candidate.fact.bytes in {hit.fact for hit in found}
        }
        share = sum(Fraction(1, k + rank) for rank in ranks.values()) / (len(rankings) * Fraction(1, k + 1))
        assert abs(candidate.score - float(share)) <= 5.1e-10
        assert 0 < candidate.score <= 1
        assert candidate.score == round(candidate.score, DECIMALS)
        assert candidate.ranks == ranks
        assert candidate.scores == {arm: 1 / rank for arm, rank in ranks.items()}


@given(RANKINGS)
def test_the_order_is_total_by_score_then_id(rankings: dict[str, list[Hit]]) -> None:
    found = fuse(rankings, 60)
    assert [(-c.score, c.fact.bytes) for c in found] == sorted((-c.score, c.fact.bytes) for c in found)
    assert {c.fact.bytes for c in found} == {hit.fact for ranking in rankings.values() for hit in ranking}
    assert len({c.fact for c in found}) == len(found)


@given(RANKINGS)
def test_the_order_of_the_arms_does_not_change_the_ranking(rankings: dict[str, list[Hit]]) -> None:
    turned = dict(reversed(rankings.items()))
    assert [(c.fact, c.score) for c in fuse(rankings, 60)] == [(c.fact, c.score) for c in fuse(turned, 60)]


@given(st.lists(IDS, unique=True, min_size=1))
def test_a_missing_arm_is_neutral(ids: list[bytes]) -> None:
    """One arm alone gives its own order and the first place the full score, as if no other arm existed."""
    found = fuse({"lexical": [Hit(fact, 0.1) for fact in ids]}, 60)
    assert [c.fact.bytes for c in found] == ids
    assert found[0].score == 1.0


@given(st.lists(IDS, unique=True, min_size=2))
def test_ids_break_ties(ids: list[bytes]) -> None:
    found = fuse({"semantic": [Hit(ids[0], 1.0), Hit(ids[1], 0.5)], "lexical": [Hit(ids[1], 9.0), Hit(ids[0], 1.0)]}, 60)
    assert found[0].score == found[1].score
    assert [c.fact.bytes for c in found] == sorted(ids[:2])
