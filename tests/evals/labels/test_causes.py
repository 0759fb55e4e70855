from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from evals.corpora.pins import fingerprint
from evals.errors import CorpusError
from evals.labels.causes import Causal, CauseCase, cues, engine, judge
from evals.labels.kinds import LabelledSet
from evals.labels.sources import causal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SENTENCES = (
    '1\t"The <e1>flood</e1> was caused by <e2>rain</e2>."\nCause-Effect(e2,e1)\nComment: clear\n\n'
    '2\t"<e1>Rain</e1> leads to <e2>floods</e2>."\nCause-Effect(e1,e2)\nComment:\n\n'
    '3\t"The <e1>lid</e1> of the <e2>box</e2>."\nComponent-Whole(e1,e2)\nComment:\n\n'
    '4\t"The <e1>lid</e1> of the <e2>box</e2>."\nOther\nComment:\n\n'
)
QUESTIONS = [
    {
        "index": "d0",
        "premise": "It rained.",
        "ask-for": "effect",
        "hypothesis1": "It flooded.",
        "hypothesis2": "Tea.",
        "label": 0,
    },
    {
        "index": "d1",
        "premise": "It flooded.",
        "ask-for": "cause",
        "hypothesis1": "Tea.",
        "hypothesis2": "It rained.",
        "label": 1,
    },
]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, causal.SEMEVAL, SENTENCES, monkeypatch)
    write(tmp_path, causal.ECARE, "".join(json.dumps(row) + "\n" for row in QUESTIONS), monkeypatch)
    return tmp_path


def write(data: Path, name: str, text: str, patch: pytest.MonkeyPatch) -> None:
    (data / "cause").mkdir(exist_ok=True)
    (data / "cause" / name).write_bytes(text.encode())
    patch.setitem(causal.PINS, name, fingerprint({name: text.encode()}))


def marked(case: CauseCase) -> tuple[str, str, str | None]:
    return case.text[slice(*case.first)], case.text[slice(*case.second)], case.cause


def test_semeval(data: Path) -> None:
    found = causal.semeval(data)
    assert found.cases[0].text == "The flood was caused by rain."
    assert [marked(case) for case in found.cases] == [
        ("flood", "rain", "second"),
        ("Rain", "floods", "first"),
        ("lid", "box", None),
        ("lid", "box", None),
    ]
    assert found.counts == {
        "cause-effect": 2,
        "cause_first": 1,
        "cause_second": 1,
        "component-whole": 1,
        "other": 1,
        "sentences": 4,
        "sentences_repeated": 1,
    }
    assert found.cases[2].cluster == found.cases[3].cluster != found.cases[1].cluster


def test_semeval_with_other_line_ends(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = causal.semeval(data).cases
    write(data, causal.SEMEVAL, SENTENCES.replace("\n", "\r\n"), monkeypatch)
    assert causal.semeval(data).cases == expected


def test_a_sentence_without_marks(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(data, causal.SEMEVAL, SENTENCES.replace("<e2>box", "box", 1), monkeypatch)
    with pytest.raises(CorpusError, match="is no sentence with a relation"):
        causal.semeval(data)


def test_ecare(data: Path) -> None:
    found = causal.ecare(data)
    assert {case.id: marked(case) for case in found.cases} == {
        "d0/1": ("It rained.", "It flooded.", "first"),
        "d0/2": ("It rained.", "Tea.", None),
        "d1/1": ("It flooded.", "Tea.", None),
        "d1/2": ("It flooded.", "It rained.", "second"),
    }
    assert [case.group for case in found.cases] == ["asked-for-effect", "unrelated", "unrelated", "asked-for-cause"]
    assert found.counts == {"cause_first": 1, "cause_second": 1, "questions": 2}


def judged(cause: str | None, *relations: Causal) -> Mapping[str, int]:
    case = CauseCase("c", "aa bb cc", (0, 2), (6, 8), "first" if cause == "aa" else None, "g", "c")
    (row,) = judge(LabelledSet("mini", [case]), lambda _text: relations)
    return row.counts


@pytest.mark.parametrize(
    ("cause", "relations", "expected"),
    [
        ("aa", [], (1, 0, 0, 0, 0)),
        ("aa", [Causal((0, 5), (6, 8))], (1, 1, 1, 1, 0)),
        ("aa", [Causal((6, 8), (0, 2))], (1, 1, 0, 1, 0)),
        ("aa", [Causal((0, 2), (6, 8)), Causal((6, 8), (0, 2))], (1, 2, 0, 1, 0)),
        ("aa", [Causal((0, 2), (6, 8)), Causal((1, 2), (5, 8))], (1, 1, 1, 1, 0)),
        ("aa", [Causal((0, 2), (3, 5))], (1, 0, 0, 0, 1)),
        ("aa", [Causal((0, 8), (6, 8))], (1, 0, 0, 0, 1)),
        (None, [Causal((0, 2), (6, 8))], (0, 1, 0, 0, 0)),
        (None, [], (0, 0, 0, 0, 0)),
    ],
)
def test_relations_are_judged_by_the_marked_stretches(
    cause: str | None, relations: list[Causal], expected: tuple[int, ...]
) -> None:
    assert tuple(judged(cause, *relations).values()) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A flood caused by rain", ("A flood ", " rain")),
        ("Late because of rain", ("Late ", " rain")),
        ("Rain results in floods", (" floods", "Rain ")),
        ("It rained.", None),
    ],
)
def test_the_trivial_extractor(text: str, expected: tuple[str, str] | None) -> None:
    found = [(text[slice(*relation.effect)], text[slice(*relation.cause)]) for relation in cues(text)]
    assert found == ([] if expected is None else [expected])


def test_the_engine_tells_causes_that_are_not_denied() -> None:
    assert engine("Rain caused floods.") == [Causal((0, 4), (12, 18))]
    assert engine("Rain did not cause floods.") == []
    assert engine("The dam prevented floods.") == []
