from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evals.baseline import is_record, read_baseline, read_record, write_baseline
from evals.errors import BaselineError
from tests.evals.records import record

if TYPE_CHECKING:
    from pathlib import Path


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "toy.json"
    kept = record([0.5, 1 / 3], ranks={"q001": 0})
    write_baseline(kept, path)
    assert read_record(path) == kept
    assert is_record(str(path))
    assert is_record(str(tmp_path))
    assert is_record(str(tmp_path / "core")), "a path to nothing was meant as a run directory"
    assert not is_record(str(tmp_path / "suite.toml"))
    assert not is_record("core")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"format": 1', '"format": 2', "its format is 2, and this harness reads 1"),
        ('"rrf_k": 60', '"rrf_k": 10', "its digest is not its identity's"),
        ("[[0.5,0.5]]", "[[0.9,0.9]]", "its summary is not that of its queries"),
        ('"queries"', '"questions"', "'queries'"),
        ("{", "", "is not a baseline"),
    ],
)
def test_a_baseline_that_was_changed_by_hand_is_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "toy.json"
    write_baseline(record([0.5, 0.25]), path)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BaselineError, match=message):
        read_baseline(path)


def test_responses_are_kept_line_by_line_and_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "toy.json"
    kept = replace(record([0.5]), responses={"q001": "1" * 64, "ü 2": "2" * 64})
    write_baseline(kept, path)
    assert read_record(path) == kept
    text = path.read_text(encoding="utf-8")
    assert f'\n  "ü 2": "{"2" * 64}"\n' in text
    path.write_text(text[: text.index(',\n "responses"')] + "\n}\n", encoding="utf-8")
    assert read_record(path) == record([0.5])


def test_no_baseline_names_the_mend(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match="write it with `illumina-eval baseline RUN`"):
        read_baseline(tmp_path / "none.json")
