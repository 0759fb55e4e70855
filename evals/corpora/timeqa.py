"""TimeQA: time-scoped questions about Wikipedia pages.

Chen et al., "A dataset for answering time-sensitive questions", NeurIPS 2021 (the human-written part); BSD-3, Wikipedia
text. One namespace, one document a page, one segment a paragraph, labelled with its index from 0; the first is the title.
What is asked of one page is searched in all.

Traps, and what is done about them (each is counted):

- 189 questions have no answer on their page in the time asked for. They have no gold: class `unanswerable`, apart.
- Two pages stand there twice, under two properties, with the same paragraphs: one document each.
- Text is tokenised, with spaces around punctuation. It is retained as it is, since the spans count in it.
- Several answers in one paragraph are one relevant paragraph.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from evals.corpora.digest import with_digest
from evals.corpora.pins import read_pinned
from evals.errors import CorpusError
from evals.types import Corpus, Query
from illumina.types import Document, Utterance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

FILES: Final = "human_annotated_train.json"
PIN = "00c4732583f0be27cede45ffdfe55c0d8bc2b2d39e0922505e5474fcc4fad4cb"

_NAMESPACE: Final = "timeqa"


def load(folder: Path, part: str | None = None) -> Corpus:
    """Load all pages, or one.

    Args:
        folder: Holds `human_annotated_train.json`.
        part: One page by the end of its address, such as `Newton_D._Baker_House`.

    Raises:
        CorpusError: There is no such page, or the file is not the one that this loader is for.
    """
    rows = json.loads(read_pinned(folder, FILES, PIN)[FILES])
    chosen = [row for row in rows if part in (None, _page(row))]
    if not chosen:
        raise CorpusError(f"TimeQA has no page {part!r}. Name it as its address does, such as {_page(rows[0])!r}.")
    counts: Counter[str] = Counter()
    pages: dict[str, Sequence[str]] = {}
    queries: list[Query] = []
    qrels: dict[str, dict[str, int]] = {}
    for row in chosen:
        page = _page(row)
        counts["pages_repeated"] += page in pages
        if pages.setdefault(page, row["paras"]) != row["paras"]:
            raise CorpusError(f"TimeQA's page {page!r} stands there with two texts. Fetch TimeQA again.")
        for number, (text, answers) in enumerate(row["questions"]):
            gold = {f"{page}#{answer['para']}": 1 for answer in answers if answer["answer"]}
            kind = "answerable" if gold else "unanswerable"
            query = Query(f"{page}/{row['type']}-{number}", text, kind, _NAMESPACE, page, headline=bool(gold))
            queries.append(query)
            qrels[query.id] = gold
            counts[f"questions_{kind}"] += 1
    counts["pages"] = len(pages)
    counts["paragraphs"] = sum(map(len, pages.values()))
    return with_digest(
        Corpus(
            name="timeqa" if part is None else f"timeqa:{part}",
            unit="segment",
            documents={_NAMESPACE: tuple(_document(page, paragraphs) for page, paragraphs in pages.items())},
            queries=tuple(queries),
            qrels=qrels,
            counts=dict(sorted(counts.items())),
        )
    )


def _page(row: Mapping[str, Any]) -> str:
    return str(row["link"]).removeprefix("/wiki/")


def _document(page: str, paragraphs: Sequence[str]) -> Document:
    body = tuple(Utterance(text, label=str(number)) for number, text in enumerate(paragraphs))
    return Document(body, source=f"timeqa:{page}", key=page)
