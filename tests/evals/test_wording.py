from __future__ import annotations

import pytest

from evals.wording import counted


@pytest.mark.parametrize(
    ("count", "plural", "expected"),
    [
        (0, "problems", "0 problems"),
        (1, "problems", "1 problem"),
        (1, "queries_without_answer", "1 query_without_answer"),
        (1, "queries", "1 query"),
        (1234, "queries", "1,234 queries"),
    ],
)
def test_one_is_singular(count: int, plural: str, expected: str) -> None:
    assert counted(count, plural) == expected
