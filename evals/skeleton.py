"""The beginning of somebody's own corpus: three documents, three questions, a card and a suite, which runs as it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from evals.corpora.checksums import CHECKSUMS, DOCUMENTS, QRELS, QUERIES, write_checksums
from evals.errors import CorpusError
from evals.suite import NAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SUITE: Final = "suite.toml"
CARD: Final = "README.md"

_DOCUMENTS: Final[Sequence[Mapping[str, Any]]] = (
    {
        "id": "adr-1",
        "source": "git:docs/adr",
        "kind": "decision",
        "title": "Backups",
        "occurred_at": "2026-02-03T09:00:00Z",
        "text": "Accepted. Backups are kept for 14 days.\n\nWhy: the old disks are small, and nobody asked for older ones.",
    },
    {
        "id": "chat-1",
        "source": "slack:#ops",
        "kind": "chat",
        "title": "Backups again",
        "occurred_at": "2026-06-09T14:00:00Z",
        "turns": [
            {"label": "1", "speaker": "Ana", "text": "An auditor asked for a backup from April. We had none."},
            {"label": "2", "speaker": "Ben", "text": "From today 90 days then, this replaces the two weeks."},
        ],
    },
    {
        "id": "chat-2",
        "source": "slack:#random",
        "kind": "chat",
        "title": "Lunch",
        "occurred_at": "2026-06-10T10:00:00Z",
        "turns": [{"label": "1", "speaker": "Ana", "text": "How long do we keep the leftovers?"}],
    },
)
_QUERIES: Final[Sequence[Mapping[str, Any]]] = (
    {"id": "q1", "class": "latest-decision", "text": "How long are backups kept?"},
    {"id": "q2", "class": "why", "text": "Why were backups kept for two weeks only?"},
    {"id": "q3", "class": "no-answer", "text": "Where are the backups stored?"},
)
_QRELS: Final[Sequence[Mapping[str, Any]]] = (
    {"query": "q1", "document": "chat-1", "segment": "2", "grade": 3, "reason": "the newest decision"},
    {"query": "q1", "document": "adr-1", "segment": "1", "grade": 1, "reason": "superseded"},
    {"query": "q2", "document": "adr-1", "segment": "2", "grade": 3},
)
_CARD: Final = """# {name}

What this corpus is, how it was made and labelled, what it is weak at, and its licence.

Each data file has one JSON object a line. The ones here are examples: replace them by your own.

- `documents.jsonl`: what is remembered. `text` is judged by its paragraphs, which count as segments `1`, `2`, …; or give
  `turns`, each a segment with a `label` of its own, a `text` and, if known, `speaker` and `occurred_at`.
- `queries.jsonl`: what is asked. Results are reported by `class`, under names of your own; a question of the class
  `no-answer` has no relevant segment, and every other has one.
- `qrels.jsonl`: which segment answers which question, with a grade: 3 by itself, 2 in part, 1 helpful, 0 looked at and not
  relevant. `reason` is for people.

After a change, check it and write its checksums anew; then measure:

    illumina-eval validate-corpus {directory} --write-checksums
    illumina-eval run {directory}/suite.toml
"""
_SUITE: Final = """name = "{name}"
description = "Our own questions to our own documents."
corpus = "./"
"""


def write_skeleton(directory: Path) -> Path:
    """Write a corpus of three documents and a suite on it.

    Args:
        directory: Where to; made if absent. Its name becomes that of the suite and of the corpus.

    Returns:
        The path of the suite.

    Raises:
        CorpusError: A file of it is there already, the name cannot be a suite's, or it cannot be written.
    """
    name = directory.resolve().name
    if not NAME.fullmatch(name):
        raise CorpusError(f"The directory is named {name!r}, and so would be its runs: use letters, digits, '.', '_' and '-'.")
    files = {
        DOCUMENTS: _lines(_DOCUMENTS),
        QUERIES: _lines(_QUERIES),
        QRELS: _lines(_QRELS),
        CARD: _CARD.format(name=name, directory=directory),
        SUITE: _SUITE.format(name=name),
    }
    present = [file for file in (*files, CHECKSUMS) if (directory / file).exists()]
    if present:
        raise CorpusError(f"{directory} holds {', '.join(present)} already, and nothing is overwritten. Name a new directory.")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            with (directory / file).open("x", encoding="utf-8", newline="\n") as target:
                target.write(content)
    except OSError as error:
        raise CorpusError(f"{directory} cannot be written ({error}). Name a directory that can.") from error
    write_checksums(directory)
    return directory / SUITE


def _lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
