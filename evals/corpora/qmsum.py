"""QMSum: meetings with questions about single topics and about the whole.

Zhong et al., "QMSum: a new benchmark for query-based multi-domain meeting summarization", NAACL 2021; MIT; the
validation part. One namespace and one document a meeting, one utterance a turn, labelled with the turn's index from 0. No
meeting has a date.

Traps, and what is done about them (each is counted):

- Spans are coarse: a span's turns all count as relevant, some five and some more than four hundred to a question. So recall
  at a small depth stays far below 1 by construction; nDCG and MRR are what to read.
- The 35 questions about a whole meeting have no span. They are the class `general`, without gold and apart.
- A span's ends are strings, and both belong to it.
- 17 turns are empty and are left out, of spans too.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from evals.corpora.digest import with_digest
from evals.corpora.pins import read_pinned
from evals.errors import CorpusError
from evals.types import Corpus, Query
from illumina.types import Document, Utterance

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILES: Final = "val/*.json"
PIN = "c7eade34d61e67fd9e63b931693018f839f98df0d0c1cc09560b820a3b6c2842"


def load(folder: Path, part: str | None = None) -> Corpus:
    """Load all meetings, or one.

    Args:
        folder: Holds `val/`, a file a meeting.
        part: One meeting, such as `Bed002`.

    Raises:
        CorpusError: There is no such meeting, or the files are not those that this loader is for.
    """
    meetings = {PurePosixPath(name).stem: json.loads(text) for name, text in read_pinned(folder, FILES, PIN).items()}
    if part is not None and part not in meetings:
        raise CorpusError(f"QMSum has no meeting {part!r}. It has {', '.join(meetings)}.")
    counts: Counter[str] = Counter()
    documents: dict[str, tuple[Document, ...]] = {}
    queries: list[Query] = []
    qrels: dict[str, dict[str, int]] = {}
    for name, meeting in meetings.items():
        if part not in (None, name):
            continue
        document = _document(name, meeting, counts)
        documents[_namespace(name)] = (document,)
        there = {turn.label for turn in document.body if isinstance(turn, Utterance)}
        for kind in ("specific", "general"):
            for number, row in enumerate(meeting[f"{kind}_query_list"]):
                query = Query(f"{name}/{kind}-{number}", row["query"], kind, _namespace(name), name, kind == "specific")
                queries.append(query)
                spans = [(int(first), int(last)) for first, last in row.get("relevant_text_span", ())]
                turns = {str(turn) for first, last in spans for turn in range(first, last + 1)}
                qrels[query.id] = {f"{name}#{turn}": 1 for turn in sorted(turns & there, key=int)}
                counts[f"questions_{kind}"] += 1
                counts["spans"] += len(spans)
    return with_digest(
        Corpus(
            name="qmsum" if part is None else f"qmsum:{part}",
            unit="segment",
            documents=documents,
            queries=tuple(queries),
            qrels=qrels,
            counts=dict(sorted(counts.items())),
        )
    )


def _namespace(name: str) -> str:
    return f"qmsum-{name}"


def _document(name: str, meeting: Mapping[str, Any], counts: Counter[str]) -> Document:
    turns = [
        Utterance(turn["content"].strip(), turn["speaker"], label=str(number))
        for number, turn in enumerate(meeting["meeting_transcripts"])
        if turn["content"].strip()
    ]
    counts["meetings"] += 1
    counts["turns"] += len(turns)
    counts["turns_empty"] += len(meeting["meeting_transcripts"]) - len(turns)
    return Document(tuple(turns), source=f"qmsum:{name}", key=name)
