"""StrategyQA: yes-or-no questions that need two to five facts at once.

Geva et al., "Did Aristotle use a laptop? A question answering benchmark with implicit reasoning strategies", TACL 2021; MIT.
One namespace. All facts are pooled, each a document of its own: the task is to find the two to five of a question among
those of all others, and a question's facts in one document would give that away.

Traps, and what is done about them (each is counted):

- Facts were written for their question, so words overlap more than they would in notes.
- 14 facts stand with more than one question. Each is one document and gold for all its questions; text alone tells facts
  apart, white space aside.
- One question is asked twice, with its own facts each time; both stay, under their ids.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from evals.corpora.digest import with_digest
from evals.corpora.pins import read_pinned
from evals.errors import CorpusError
from evals.types import Corpus, Query
from illumina.types import Document

if TYPE_CHECKING:
    from pathlib import Path

FILES: Final = "*.json"
PIN = "b2aa835302f0e43c17b3ee3740d0358e7772d95d0e0e59986db536ff7f11536b"
PARTS: Final = ("dev", "train")

_NAMESPACE: Final = "strategyqa"


def load(folder: Path, part: str | None = None) -> Corpus:
    """Load both files, or one.

    Args:
        folder: Holds `dev.json` and `train.json`.
        part: `dev` or `train`; the facts of the other file are left out as well.

    Raises:
        CorpusError: There is no such part, or the files are not those that this loader is for.
    """
    if part is not None and part not in PARTS:
        raise CorpusError(f"StrategyQA has no part {part!r}. It has {', '.join(PARTS)}.")
    files = read_pinned(folder, FILES, PIN)
    rows = [row for name in PARTS if part in (None, name) for row in json.loads(files[f"{name}.json"])]
    facts: dict[str, str] = {}
    queries: list[Query] = []
    qrels: dict[str, dict[str, int]] = {}
    counts: Counter[str] = Counter(questions=len(rows), questions_repeated=len(rows) - len({row["question"] for row in rows}))
    for row in rows:
        queries.append(_query(row))
        qrels[row["qid"]] = {}
        for position, written in enumerate(row["facts"]):
            text = " ".join(written.split())
            counts["facts_repeated"] += text in facts
            key = facts.setdefault(text, f"{row['qid']}-{position}")
            qrels[row["qid"]][key] = 1
    counts["facts"] = len(facts)
    return with_digest(
        Corpus(
            name="strategyqa" if part is None else f"strategyqa:{part}",
            unit="document",
            documents={_NAMESPACE: tuple(Document(text, source=f"strategyqa:{key}", key=key) for text, key in facts.items())},
            queries=tuple(queries),
            qrels=qrels,
            counts=dict(sorted(counts.items())),
        )
    )


def _query(row: dict[str, Any]) -> Query:
    """A question's class is how many facts it needs; questions about one term were written with one page in view."""
    return Query(row["qid"], row["question"], f"{len(row['facts'])}-facts", _NAMESPACE, row["term"])
