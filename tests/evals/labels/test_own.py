"""The labelled sets of our own corpora: each kind gets what the labels say, and a suite runs on them without a data folder."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from evals.errors import CorpusError
from evals.labels import KINDS
from evals.labels.dates import Interval
from evals.labels.sources import own
from evals.labels.suite import load_suite
from evals.library import run
from tests.evals.test_corpora_understanding import LABELS, problems

if TYPE_CHECKING:
    from pathlib import Path

    from evals.labels.dates import DateCase
    from evals.labels.kinds import LabelledSet


@pytest.fixture
def labelled(mini_directory: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    assert problems(mini_directory, LABELS) == []
    monkeypatch.setattr(own, "DATASETS", mini_directory.parent)
    return "mini"


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ({"start": "2026-03-02T00:00:00Z", "precision": "day"}, None),  # its own day, which needs no words
        ({"start": "2026-03-01T00:00:00Z", "end": "2026-04-01T00:00:00Z", "precision": "month"}, None),  # around it
        (
            {"start": "2026-02-01T00:00:00Z", "end": "2026-03-01T00:00:00Z", "precision": "month"},
            Interval(datetime(2026, 2, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC), "month"),
        ),
        (
            {"start": "2026-01-05T00:00:00Z", "precision": "day"},
            Interval(datetime(2026, 1, 5, tzinfo=UTC), None, "day"),
        ),
    ],
)
def test_dates(time: dict[str, str], expected: Interval | None, labelled: str, mini_directory: Path) -> None:
    facts = [LABELS["facts"][0] | {"time": time}, LABELS["facts"][0] | {"id": "f2", "time": time}]
    assert problems(mini_directory, {"facts": facts}) == []
    found: LabelledSet[DateCase] = own.dates(None, corpus=labelled)
    assert found.counts["facts_with_time"] == 2
    if expected is None:
        assert found.cases == []
    else:
        (case,) = found.cases
        assert (case.id, case.text, case.cluster, case.group) == (
            "move#1",
            "Ingestion has its own queue.",
            "move",
            time["precision"],
        )
        assert case.reference == datetime(2026, 3, 2, 9, tzinfo=UTC)
        assert not case.exhaustive
        # Two facts with one time are one expression.
        assert [label.accepted for label in case.expected] == [(expected,)]


def test_names(labelled: str) -> None:
    found = own.names(None, corpus=labelled)
    mentions = {(case.entity, case.mention.name, case.mention.nearby) for case in found.cases}
    assert mentions == {("person:ana", "Ana", ()), ("person:anna", "Bo", ())}
    assert len({case.mention.id for case in found.cases}) == found.counts["mentions"] == 3
    assert all("ana" not in case.mention.id for case in found.cases)


def test_causes(labelled: str) -> None:
    (case,) = own.causes(None, corpus=labelled).cases
    assert case.text == "Ingestion has its own queue.\n\nBackfills starved writes before."
    assert (case.text[slice(*case.first)], case.cause) == ("Ingestion has its own queue.", "second")
    assert case.text[slice(*case.second)] == "Backfills starved writes before."
    assert case.group == "causes"


def test_supersession(labelled: str) -> None:
    cases = own.supersession(None, corpus=labelled).cases
    assert [case.record.id for case in cases] == ["retries#1", "retries#2", "retries#3"]
    assert [(link.older, link.extent) for link in cases[0].replaces] == [("retries#2", "whole"), ("retries#3", "whole")]
    assert cases[0].record.created == datetime(2026, 3, 3, 9, tzinfo=UTC)


def test_labels_with_problems_are_refused(labelled: str, mini_directory: Path) -> None:
    problems(mini_directory, {"causes": [LABELS["causes"][0] | {"relation": "helps"}]})
    with pytest.raises(CorpusError, match=r"causes\.jsonl:1: .*'relation' is 'helps'"):
        own.causes(None, corpus=labelled)


@pytest.mark.parametrize("kind", KINDS)
def test_our_suites_run_without_a_data_folder(kind: str, tmp_path: Path) -> None:
    suite = load_suite(kind).without_data()
    assert (suite.name, suite.sets) == (f"{kind}-own", own.CORPORA)
    finished = run(kind, out=tmp_path)
    assert finished.suite == f"{kind}-own"
    assert {name: sum(counts.values()) > 0 for name, counts in finished.counts.items()} == dict.fromkeys(own.CORPORA, True)  # type: ignore[union-attr]
