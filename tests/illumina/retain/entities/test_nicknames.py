from __future__ import annotations

import pytest

from illumina.retain.entities.nicknames import Relation, known, related


@pytest.mark.parametrize(
    ("left", "right", "relation"),
    [
        ("bob", "robert", Relation.SHORT),
        ("peggy", "daisy", Relation.SHORT),
        ("john", "giovanni", Relation.COGNATE),
        ("jack", "giovanni", Relation.COGNATE),
        ("christian", "christina", Relation.DISTINCT),
        ("alexander", "alexandra", Relation.DISTINCT),
        ("john", "jonathan", Relation.DISTINCT),
        ("robert", "boltwood", Relation.UNKNOWN),
    ],
)
def test_given_names(left: str, right: str, relation: Relation) -> None:
    assert related(left, right) is related(right, left) is relation


def test_families_are_unknown() -> None:
    assert not known("chen")
