"""Labels of what an engine should understand: each thing that can be wrong with them is named with its place and mend."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

import pytest

from evals.corpora import validate, write_checksums
from evals.corpora.understanding import first_cycle, read_understanding
from evals.corpora.validation import read
from tests.evals.conftest import write_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Row = dict[str, Any]
Labels = dict[str, list[Row]]

MOVE1, MOVE2 = {"document": "move", "segment": "1"}, {"document": "move", "segment": "2"}
SET = {"document": "retries", "segment": "1"}
OLD = {"document": "retries", "segment": "2"}
ASK = {"document": "retries", "segment": "3"}
LUNCH1 = {"document": "lunch", "segment": "1"}
LABELS: Labels = {
    "entities": [
        {
            "id": "person:ana",
            "type": "person",
            "name": "Ana",
            "aliases": ["Ana"],
            "distinct_from": ["person:anna"],
            "mentions": [{**MOVE1, "surface": "Ana", "field": "speaker"}, {**ASK, "surface": "Ana", "field": "text"}],
        },
        {
            "id": "person:anna",
            "type": "person",
            "name": "Anna",
            "aliases": ["Bo"],
            "distinct_from": ["person:ana"],
            "mentions": [{**MOVE2, "surface": "Bo", "field": "speaker"}],
        },
    ],
    "facts": [
        {
            "id": "f1",
            **MOVE1,
            "statement": "Ingestion has a queue of its own.",
            "category": "architecture",
            "time": {"start": "2026-03-02T00:00:00Z", "end": "2026-03-03T00:00:00Z", "precision": "day"},
            "entities": ["person:ana"],
        }
    ],
    "causes": [
        {"id": "k1", "cause": MOVE2, "effect": MOVE1, "relation": "causes", "evidence": {**MOVE2, "quote": "starved writes"}},
        {"id": "k2", "cause": MOVE1, "effect": MOVE2, "relation": "prevents", "evidence": {**MOVE1, "quote": "own queue"}},
    ],
    "supersession": [
        {"id": "s1", "chain": "retries", "old": OLD, "new": SET, "kind": "one-replaces-many"},
        {"id": "s2", "chain": "retries", "old": ASK, "new": SET, "kind": "one-replaces-many"},
    ],
    "corroboration": [
        {
            "id": "c1",
            "statement": "There is a queue.",
            "independent": [{"origin": "ops", **MOVE1}, {"origin": "wiki", **ASK}],
            "echoes": [{**LUNCH1, "of": MOVE1}],
        }
    ],
    "forgotten": [
        {"id": "g1", "forget": "source", "value": "slack:#platform", "documents": ["move"], "loses": ["q1"], "weakens": []},
        {"id": "g2", "forget": "document", "value": "lunch", "documents": ["lunch"], "loses": [], "weakens": []},
    ],
}


def problems(directory: Path, labels: Labels) -> list[str]:
    for name, rows in labels.items():
        write_lines(directory / f"{name}.jsonl", rows)
    write_checksums(directory)
    return [str(problem) for problem in validate(directory)]


def test_a_key_that_stands_twice_in_a_label_is_refused(mini_directory: Path) -> None:
    assert problems(mini_directory, LABELS) == []
    facts = (mini_directory / "facts.jsonl").read_text(encoding="utf-8")
    (mini_directory / "facts.jsonl").write_text(facts.replace('{"id": ', '{"id": "f0", "id": ', 1), encoding="utf-8")
    write_checksums(mini_directory)
    found = [str(problem) for problem in validate(mini_directory)]
    assert found == ["facts.jsonl:1: The key 'id' stands twice in one object. Keep one of the two."]


def test_labels_without_a_problem(mini_directory: Path) -> None:
    assert problems(mini_directory, LABELS) == []
    found, _ = read_understanding(mini_directory, read(mini_directory)[0])
    assert [row["id"] for row in found.causes] == ["k1", "k2"]
    assert found.segments["move", "2"].speaker == "Bo"


def test_labels_are_optional_and_may_be_some_only(mini_directory: Path) -> None:
    assert problems(mini_directory, {}) == []
    assert not (mini_directory / "LABELS.SHA256SUMS").exists()
    assert problems(mini_directory, {"causes": LABELS["causes"]}) == []


def change(file: str, row: int, **fields: object) -> Callable[[Labels], None]:
    return lambda labels: labels[file][row].update(fields)


def append(file: str, row: int, **fields: object) -> Callable[[Labels], None]:
    return lambda labels: labels[file].append(copy.deepcopy(labels[file][row]) | fields)


NOWHERE = {"document": "move", "segment": "9"}
AN_ANA = {**MOVE1, "surface": "Ana", "field": "speaker"}


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        (change("facts", 0, category="fun"), r"facts\.jsonl:1: The line's 'category' is 'fun'\. Write one of preference, "),
        (change("facts", 0, **NOWHERE), r"facts\.jsonl:1: There is no segment 'move#9'\. Name a document"),
        (change("facts", 0, entities=["person:cy"]), r"facts\.jsonl:1: There is no entity 'person:cy'\."),
        (change("facts", 0, entities=["person:ana"] * 2), r"facts\.jsonl:1: The line's 'entities' has one twice\."),
        (change("facts", 0, entities=[3]), r"facts\.jsonl:1: The line's 'entities' is not a list of texts\."),
        (change("facts", 0, time="today"), r"facts\.jsonl:1: The line's 'time' is \"today\"\. Write an object\."),
        (
            change("facts", 0, time={"start": "2026-03-02", "precision": "day"}),
            r"facts\.jsonl:1: The line's time's 'start' is '2026-03-02', without a zone",
        ),
        (
            change("facts", 0, time={"start": "2026-03-02T00:00:00+01:00", "precision": "hour"}),
            r"facts\.jsonl:1: The time's 'start' is .*, not in UTC\. Write it with Z\.",
        ),
        (
            change("facts", 0, time={"start": "2026-03-02T09:00:00Z", "precision": "month"}),
            r"facts\.jsonl:1: The time's 'start' is .*, known to the month\. Begin it at midnight UTC\.",
        ),
        (
            change("facts", 0, time={"start": "2026-03-02T00:00:00Z", "end": "2026-03-03T00:00:00Z", "precision": "week"}),
            r"facts\.jsonl:1: The time ends less than one week after it starts\.",
        ),
        (append("facts", 0), r"facts\.jsonl:2: The id 'f1' stands on line 1 too\."),
        (
            change("entities", 1, distinct_from=[]),
            r"entities\.jsonl:1: It is distinct from 'person:anna', which does not say so",
        ),
        (change("entities", 0, aliases=["A."]), r"entities\.jsonl:1: The surface 'Ana' is not among the aliases\."),
        (change("entities", 0, mentions=[]), r"entities\.jsonl:1: It has no mention\."),
        (change("entities", 0, mentions=[AN_ANA] * 2), r"entities\.jsonl:1: A mention stands there twice\."),
        (
            change("entities", 0, mentions=[{**MOVE1, "surface": "Ana", "field": "title"}]),
            r"entities\.jsonl:1: The line's mentions\[1\]'s 'field' is 'title'\. Write one of text, speaker\.",
        ),
        (
            change("entities", 0, mentions=[{**MOVE1, "surface": "Ana", "field": "text"}]),
            r"entities\.jsonl:1: 'Ana' is not in the text of move#1\.",
        ),
        (
            change("entities", 0, mentions=[{**ASK, "surface": "Ana", "field": "speaker"}]),
            r"entities\.jsonl:1: 'Ana' is not the speaker of retries#3\. That segment has no speaker\.",
        ),
        (
            change("entities", 1, aliases=["Ana"], mentions=[AN_ANA]),
            r"entities\.jsonl:2: 'Ana' in move#1 is a mention of 'person:ana' too\.",
        ),
        (change("causes", 0, relation="helps"), r"causes\.jsonl:1: The line's 'relation' is 'helps'\."),
        (change("causes", 0, cause=MOVE1), r"causes\.jsonl:1: 'cause' and 'effect' are one segment\."),
        (change("causes", 0, cause=[]), r"causes\.jsonl:1: The line's 'cause' is \[\]\. Write an object\."),
        (
            change("causes", 0, evidence={**MOVE2, "quote": "starved reads"}),
            r"causes\.jsonl:1: The quote is not in the text of move#2\. Quote the exact words",
        ),
        (append("causes", 0, id="k3"), r"causes\.jsonl:3: This pair of segments stands on line 1 too\."),
        (change("causes", 1, relation="enables"), r"causes\.jsonl: The lines together lead from move#1 back to it\."),
        (change("supersession", 0, old=NOWHERE), r"supersession\.jsonl:1: There is no segment 'move#9'\."),
        (
            lambda labels: labels["supersession"].pop(),
            r"supersession\.jsonl:1: One replaces many, and only one is named\. Name each on a line, or call it 'whole'\.",
        ),
        (
            append("supersession", 0, id="s3", old=SET, new=MOVE1, kind="whole"),
            r"supersession\.jsonl:3: The new segment is older",
        ),
        (
            append("supersession", 0, id="s3", old=SET, new=OLD, kind="whole"),
            r"supersession\.jsonl: The lines together lead from retries#1 back to it\.",
        ),
        (change("corroboration", 0, independent=[]), r"corroboration\.jsonl:1: Nothing independent is named\."),
        (
            change("corroboration", 0, independent=[{"origin": "ops", **MOVE1}, {"origin": "ops", **ASK}]),
            r"corroboration\.jsonl:1: A place or an origin is independent twice\.",
        ),
        (
            change("corroboration", 0, echoes=[{**MOVE1, "of": ASK}]),
            r"corroboration\.jsonl:1: A place is an echo twice, or independent too\.",
        ),
        (
            change("corroboration", 0, echoes=[{**LUNCH1, "of": OLD}]),
            r"corroboration\.jsonl:1: lunch#1 echoes retries#2, which is no place of this statement\.",
        ),
        (change("forgotten", 0, value="slack:#nobody"), r"forgotten\.jsonl:1: There is no source 'slack:#nobody'\."),
        (change("forgotten", 0, loses=[]), r"forgotten\.jsonl:1: Its 'loses' is not what follows .* That is \['q1'\]\."),
    ],
)
def test_what_is_wrong_is_named_with_its_place_and_mend(
    broken: Callable[[Labels], None], expected: str, mini_directory: Path
) -> None:
    labels = copy.deepcopy(LABELS)
    broken(labels)
    found = problems(mini_directory, labels)
    assert any(re.match(expected, problem) for problem in found), found


def test_a_changed_label_is_noticed(mini_directory: Path) -> None:
    assert problems(mini_directory, LABELS) == []
    path = mini_directory / "causes.jsonl"
    path.write_text(path.read_text().replace('"k1"', '"k7"'))
    (found,) = validate(mini_directory)
    assert str(found).startswith("LABELS.SHA256SUMS:1: The checksum is not that of causes.jsonl")


def test_labels_wait_for_a_corpus_without_problems(mini_directory: Path) -> None:
    labels = {**LABELS, "facts": [{"id": "f1"}]}
    (mini_directory / "queries.jsonl").write_text("{\n")
    assert {problem.partition(":")[0] for problem in problems(mini_directory, labels)} == {"queries.jsonl"}


def test_a_cycle_is_seen() -> None:
    a, b, c = ("a", "1"), ("b", "1"), ("c", "1")
    assert first_cycle([(a, b), (b, c), (a, c)]) is None
    assert first_cycle([(a, b), (b, c), (c, a)]) == a
    assert first_cycle([(b, b)]) == b
