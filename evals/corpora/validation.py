"""Everything that is wrong with a labelled corpus, at once."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evals.corpora.checksums import DOCUMENTS, QRELS, QUERIES, check_checksums
from evals.corpora.lines import Reader, Row, Shape
from evals.corpora.understanding import read_understanding
from illumina.text import paragraphs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evals.corpora.checksums import Problem

NO_ANSWER: Final = "no-answer"
"""The class of questions that the corpus does not answer."""

_CARD: Final = "README.md"
_GRADES: Final = range(4)
_DOCUMENT: Final = Shape(
    required={"id": str, "source": str, "kind": str, "title": str, "occurred_at": str},
    optional={"namespace": str, "text": str, "turns": list},
    names=frozenset({"id", "namespace"}),
    times=frozenset({"occurred_at"}),
)
_TURN: Final = Shape(
    required={"label": str, "text": str},
    optional={"speaker": str, "occurred_at": str},
    names=frozenset({"label"}),
    times=frozenset({"occurred_at"}),
)
_QUERY: Final = Shape(
    required={"id": str, "class": str, "text": str},
    optional={"namespace": str, "reference_time": str, "note": str},
    names=frozenset({"id", "namespace", "class"}),
    times=frozenset({"reference_time"}),
)
_QREL: Final = Shape(
    required={"query": str, "document": str, "segment": str, "grade": int},
    optional={"reason": str},
    names=frozenset({"query", "document", "segment"}),
)


@dataclass(frozen=True, slots=True)
class Rows:
    """The objects of the three data files that have the right shape, without null fields."""

    documents: Sequence[Row]
    queries: Sequence[Row]
    qrels: Sequence[Row]


def validate(directory: Path) -> list[Problem]:
    """All problems of a corpus and of its labels, by file and line.

    Labels are looked at once the data files that they are about have no problem.
    """
    rows, problems = read(directory)
    return problems or _sorted(read_understanding(directory.resolve(), rows)[1])


def read(directory: Path) -> tuple[Rows, list[Problem]]:
    """Read the data files and check them and what they say of each other."""
    reader = _CorpusReader(directory.resolve())
    reader.check_card()
    documents = list(reader.rows(DOCUMENTS, _DOCUMENT, reader.check_body))
    queries = list(reader.rows(QUERIES, _QUERY))
    qrels = list(reader.rows(QRELS, _QREL, reader.check_grade))
    reader.check_some(DOCUMENTS, documents, "document")
    reader.check_some(QUERIES, queries, "question")
    reader.check_unique(DOCUMENTS, documents, "id")
    reader.check_unique(QUERIES, queries, "id")
    reader.check_judgements(documents, queries, qrels)
    problems = [*reader.problems, *check_checksums(directory.resolve())]
    rows = Rows(*([row for _, row in numbered] for numbered in (documents, queries, qrels)))
    return rows, _sorted(problems)


def _sorted(problems: Sequence[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: (problem.file, problem.line or 0))


def labels(document: Row) -> list[str]:
    """The labels of a document's segments, in order."""
    if "text" in document:
        return [str(number) for number, _ in enumerate(paragraphs(document["text"]), start=1)]
    return [turn["label"] for turn in document["turns"]]


class _CorpusReader(Reader):
    """Adds what a corpus's files must be, and what they say of each other."""

    def check_card(self) -> None:
        if not (self.directory / _CARD).is_file():
            mend = "Say there what it is, how it was labelled, and its licence."
            self.add(_CARD, None, "The corpus has no card.", mend)

    def check_body(self, file: str, number: int, row: Row) -> None:
        if ("text" in row) == ("turns" in row):
            self.add(file, number, "A document has either `text` or `turns`.", "Give just one of them.")
        elif isinstance(row.get("turns"), list):
            turns = [
                self.shaped(file, number, f"Turn {position}", turn, _TURN)
                for position, turn in enumerate(row["turns"], start=1)
            ]
            if not turns:
                self.add(file, number, "`turns` is empty.", "Give at least one turn.")
            row["turns"] = turns
            seen = Counter(turn["label"] for turn in turns if turn is not None and "label" in turn)
            for label in (label for label, times in seen.items() if times > 1):
                what = f"The label {label!r} stands on several turns."
                self.add(file, number, what, "Make labels unique in a document.")

    def check_grade(self, file: str, number: int, row: Row) -> None:
        if "grade" in row and row["grade"] not in _GRADES:
            self.add(file, number, f"The grade is {row['grade']}.", "Grade 0 (not relevant) to 3.")

    def check_judgements(
        self,
        documents: Sequence[tuple[int, Row]],
        queries: Sequence[tuple[int, Row]],
        qrels: Sequence[tuple[int, Row]],
    ) -> None:
        """What judgements, questions and documents say of each other."""
        # Of several with one id, the first counts.
        known = {row["id"]: (self._namespace(row), labels(row)) for _, row in reversed(documents)}
        asked = {row["id"]: row | {"namespace": self._namespace(row)} for _, row in reversed(queries)}
        relevant: defaultdict[str, int] = defaultdict(int)
        seen: dict[tuple[str, str, str], int] = {}
        for number, row in qrels:
            line = seen.setdefault((row["query"], row["document"], row["segment"]), number)
            if line != number:
                what = f"This segment is judged on line {line} too."
                self.add(QRELS, number, what, "Judge a segment once a question.")
            self._check_reference(number, row, known, asked)
            if row["grade"] >= 1:
                relevant[row["query"]] += 1
                if asked.get(row["query"], {}).get("class") == NO_ANSWER:
                    what = f"The question {row['query']!r} of class {NO_ANSWER} has a relevant segment."
                    self.add(QRELS, number, what, "Give the question another class, or the segment grade 0.")
        namespaces = {namespace for namespace, _ in known.values()}
        for number, row in queries:
            judged = relevant[row["id"]] or self.excused(QRELS, row["id"])
            if self._namespace(row) not in namespaces and self.complete(DOCUMENTS):
                what = f"The namespace {self._namespace(row)!r} holds no document."
                self.add(QUERIES, number, what, "Name the namespace of some document.")
            if row["class"] != NO_ANSWER and not judged:
                what = f"The question {row['id']!r} has no relevant segment."
                mend = f"Judge one with grade 1 to 3, or give it the class {NO_ANSWER}."
                self.add(QUERIES, number, what, mend)

    def _namespace(self, row: Row) -> str:
        return str(row.get("namespace", self.directory.name))

    def _check_reference(
        self, number: int, row: Row, known: Mapping[str, tuple[str, list[str]]], asked: Mapping[str, Row]
    ) -> None:
        query, document, segment = row["query"], row["document"], row["segment"]
        if query not in asked and not self.excused(QUERIES, query):
            self.add(QRELS, number, f"There is no question {query!r}.", f"Name one of {QUERIES}.")
        if document not in known:
            if not self.excused(DOCUMENTS, document):
                self.add(QRELS, number, f"There is no document {document!r}.", f"Name one of {DOCUMENTS}.")
            return
        namespace, there = known[document]
        if segment not in there:
            what = f"The document {document!r} has no segment {segment!r}."
            self.add(QRELS, number, what, f"It has {len(there)}, from {there[0]!r} to {there[-1]!r}.")
        if query in asked and asked[query]["namespace"] != namespace:
            what = f"The question is of {asked[query]['namespace']!r}, the document of {namespace!r}."
            self.add(QRELS, number, what, "Judge documents of the question's namespace only.")
