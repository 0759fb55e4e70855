"""Labelled corpora of our own: a directory of JSON Lines.

A corpus is a directory with five files, all in UTF-8:

- `documents.jsonl`, one object a line: `id`, `source`, `kind`, `title`, `occurred_at` (ISO 8601 with a zone),
  `namespace` (the directory's name if absent), and either `text` or `turns`. A text is judged by its
  paragraphs, split at blank lines and labelled `1`, `2`, … in order. `turns` is a list of `label`, `text`,
  and, if known, `speaker` and `occurred_at` (the document's if absent).
- `queries.jsonl`: `id`, `namespace` (as above), `class`, `text`, and, if it has one, `reference_time`, to which
  relative dates refer, and a `note`. A question of the class `no-answer` has no relevant segment; every other has one.
- `qrels.jsonl`, the judgements: `query`, `document`, `segment` (the label), `grade` (0 not relevant, 1 to 3
  relevant) and, if it wants explaining, a `reason`.
- `README.md`, the card: what it is, how it was made and labelled, its licence.
- `SHA256SUMS` over the first three, so that a text cannot change under its labels.

Ids and labels have neither white space nor `#`: a segment is judged as `id#label`.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from evals.corpora.digest import with_digest
from evals.corpora.validation import NO_ANSWER, labels, read
from evals.errors import CorpusError
from evals.types import Corpus, Query
from illumina.jsonl import to_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evals.corpora.checksums import Problem
    from illumina.types import Document

_SHOWN: Final = 5
"""Problems that an error message spells out."""


def load(directory: Path) -> Corpus:
    """Load a corpus that has no problems.

    Documents come in the order of their time, then of their id. A question is in the cluster of its first
    relevant document, so that questions about one document are resampled together; without one it is a
    cluster of its own.

    Raises:
        CorpusError: It has problems; the message names the first ones with their mends.
    """
    directory = directory.resolve()
    rows, problems = read(directory)
    refuse(directory, problems)
    documents: defaultdict[str, list[Document]] = defaultdict(list)
    for row in rows.documents:
        documents[row.get("namespace", directory.name)].append(
            to_document({name: value for name, value in row.items() if name != "namespace"})
        )
    qrels: dict[str, dict[str, int]] = {row["id"]: {} for row in rows.queries}
    clusters: dict[str, str] = {}
    for row in rows.qrels:
        qrels[row["query"]][f"{row['document']}#{row['segment']}"] = row["grade"]
        if row["grade"] >= 1:
            clusters.setdefault(row["query"], row["document"])
    return with_digest(
        Corpus(
            name=directory.name,
            unit="segment",
            documents={name: tuple(sorted(documents[name], key=_in_time)) for name in sorted(documents)},
            queries=tuple(_query(row, row.get("namespace", directory.name), clusters) for row in rows.queries),
            qrels=qrels,
            counts={
                "documents": len(rows.documents),
                "judgements": len(rows.qrels),
                "namespaces": len(documents),
                "queries": len(rows.queries),
                "queries_without_answer": sum(row["class"] == NO_ANSWER for row in rows.queries),
                "segments": sum(len(labels(row)) for row in rows.documents),
            },
        )
    )


def refuse(directory: Path, problems: Sequence[Problem]) -> None:
    """Let no corpus with problems pass.

    Raises:
        CorpusError: There are some; the message names the first ones.
    """
    if problems:
        shown = "".join(f"\n  {problem}" for problem in problems[:_SHOWN])
        rest = len(problems) - _SHOWN
        more = f"\n  and {rest} more: see `illumina-eval validate-corpus {directory}`." if rest > 0 else ""
        raise CorpusError(f"The corpus {directory} cannot be loaded:{shown}{more}")


def _query(row: Mapping[str, Any], namespace: str, clusters: Mapping[str, str]) -> Query:
    return Query(
        id=row["id"],
        text=row["text"],
        query_class=row["class"],
        namespace=namespace,
        cluster=clusters.get(row["id"], row["id"]),
        reference_time=_moment(row, "reference_time"),
    )


def _moment(row: Mapping[str, Any], field: str) -> datetime | None:
    return datetime.fromisoformat(row[field]) if field in row else None


def _in_time(document: Document) -> tuple[datetime, str]:
    assert document.occurred_at is not None
    assert document.key is not None
    return document.occurred_at, document.key
