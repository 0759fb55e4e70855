"""Sentences with causes: SemEval-2010 task 8 (CC BY 3.0) and e-CARE (MIT).

Hendrickx et al., "SemEval-2010 task 8: multi-way classification of semantic relations between pairs of nominals"; the 8,000
training sentences. Those of Cause-Effect have a direction; those of the nine other relations are the negatives.

Du et al., "e-CARE: a new dataset for exploring explainable causal reasoning", ACL 2022; the development part. A question
gives a sentence and two others, one of which is its cause or its effect. Each becomes two texts, the sentence followed by
one of the two; with the wrong one there is no cause to find. No cue stands in them.

Traps, and what is done about them (each is counted):

- SemEval's `e1` and `e2` are the order in the text, not cause and effect: the direction is in the relation's name.
- A sentence that stands there twice is one cluster.
- SemEval's cues are mostly explicit, and its sentences single: other prose is harder.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from evals.corpora import public_folder
from evals.corpora.pins import read_pinned
from evals.errors import CorpusError
from evals.labels.causes import CauseCase, Side
from evals.labels.kinds import LabelledSet

if TYPE_CHECKING:
    from pathlib import Path

SEMEVAL: Final = "semeval2010-task8-train.txt"
ECARE: Final = "ecare-dev.jsonl"
PINS: dict[str, str] = {
    SEMEVAL: "8608472fec5c5a756799e55d006fcc9bb4c22858a6fe34c0e86a9a12ebcc5343",
    ECARE: "5c17da9c73b347d4e811a4a1c7bf4314d4947df3b488dbaaa151a59c4d4ca53c",
}

_ENTRY: Final = re.compile(r'(\d+)\t"(.*)"\n([\w-]+?)(?:\((e[12]),e[12]\))?\nComment:.*', re.DOTALL)
_MARKS: Final = re.compile(r"(.*?)<e1>(.*?)</e1>(.*?)<e2>(.*?)</e2>(.*)", re.DOTALL)


def semeval(data: Path | None) -> LabelledSet[CauseCase]:
    """The training sentences of SemEval-2010 task 8."""
    text = read_pinned(public_folder("cause", data), SEMEVAL, PINS[SEMEVAL])[SEMEVAL].replace("\r\n", "\n")
    cases = [_sentence(entry) for entry in re.split(r"\n\n+", text.strip())]
    counts = Counter(case.group for case in cases)
    for side in ("first", "second"):
        counts[f"cause_{side}"] = sum(case.cause == side for case in cases)
    counts["sentences"] = len(cases)
    counts["sentences_repeated"] = len(cases) - len({case.text for case in cases})
    return LabelledSet("semeval", cases, dict(sorted(counts.items())))


def ecare(data: Path | None) -> LabelledSet[CauseCase]:
    """The development questions of e-CARE, each as a text with and one without a cause."""
    lines = read_pinned(public_folder("cause", data), ECARE, PINS[ECARE])[ECARE].splitlines()
    cases = []
    counts: Counter[str] = Counter()
    for row in map(json.loads, lines):
        cause: Side = "second" if row["ask-for"] == "cause" else "first"
        counts["questions"] += 1
        counts[f"cause_{cause}"] += 1
        for number in (0, 1):
            premise, hypothesis = row["premise"].strip(), row[f"hypothesis{number + 1}"].strip()
            spans = (0, len(premise)), (len(premise) + 1, len(premise) + 1 + len(hypothesis))
            related = number == row["label"]
            cases.append(
                CauseCase(
                    f"{row['index']}/{number + 1}",
                    f"{premise} {hypothesis}",
                    *spans,
                    cause=cause if related else None,
                    group=f"asked-for-{row['ask-for']}" if related else "unrelated",
                    cluster=row["index"],
                )
            )
    return LabelledSet("ecare", cases, dict(sorted(counts.items())))


def _sentence(entry: str) -> CauseCase:
    match = _ENTRY.fullmatch(entry)
    marks = match and _MARKS.fullmatch(match[2])
    if not match or not marks:
        raise CorpusError(f"{SEMEVAL}: {entry[:60]!r} is no sentence with a relation. Fetch SemEval-2010 task 8 again.")
    before, first, between, second, behind = marks.groups()
    start, other = len(before), len(before) + len(first) + len(between)
    cause: Side | None = None
    if match[3] == "Cause-Effect":
        cause = "first" if match[4] == "e1" else "second"
    text = before + first + between + second + behind
    spans = (start, start + len(first)), (other, other + len(second))
    return CauseCase(match[1], text, *spans, cause=cause, group=match[3].lower(), cluster=text)
