"""Everything that is wrong with a labelled corpus, at once."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from evals.corpora.checksums import DOCUMENTS, QRELS, QUERIES, Problem, check_checksums
from illumina.errors import InvalidTextError
from illumina.text import paragraphs, validate_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

NO_ANSWER: Final = "no-answer"
"""The class of questions that the corpus does not answer."""

_CARD: Final = "README.md"
_GRADES: Final = range(4)
_NAMELESS: Final = re.compile(r"[\s#]")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Shape:
    """The fields of one kind of object: their JSON types, and what more is asked of them."""

    required: Mapping[str, type]
    optional: Mapping[str, type]
    names: frozenset[str] = frozenset()
    times: frozenset[str] = frozenset()


_DOCUMENT: Final = _Shape(
    required={"id": str, "source": str, "kind": str, "title": str, "occurred_at": str},
    optional={"namespace": str, "text": str, "turns": list},
    names=frozenset({"id", "namespace"}),
    times=frozenset({"occurred_at"}),
)
_TURN: Final = _Shape(
    required={"label": str, "text": str},
    optional={"speaker": str, "occurred_at": str},
    names=frozenset({"label"}),
    times=frozenset({"occurred_at"}),
)
_QUERY: Final = _Shape(
    required={"id": str, "namespace": str, "class": str, "text": str},
    optional={"reference_time": str, "note": str},
    names=frozenset({"id", "namespace", "class"}),
    times=frozenset({"reference_time"}),
)
_QREL: Final = _Shape(
    required={"query": str, "document": str, "segment": str, "grade": int},
    optional={"reason": str},
    names=frozenset({"query", "document", "segment"}),
)
_JSON_NAMES: Final = {str: "a string", int: "an integer", list: "a list"}


@dataclass(frozen=True, slots=True)
class Rows:
    """The objects of the three data files that have the right shape, without null fields."""

    documents: Sequence[Row]
    queries: Sequence[Row]
    qrels: Sequence[Row]


def validate(directory: Path) -> list[Problem]:
    """All problems of a corpus, by file and line; none if it can be loaded."""
    return read(directory)[1]


def read(directory: Path) -> tuple[Rows, list[Problem]]:
    """Read the data files and check them and what they say of each other."""
    reader = _Reader(directory.resolve())
    reader.check_card()
    documents = list(reader.rows(DOCUMENTS, _DOCUMENT, reader.check_body))
    queries = list(reader.rows(QUERIES, _QUERY))
    qrels = list(reader.rows(QRELS, _QREL, reader.check_grade))
    reader.check_unique(DOCUMENTS, documents, "id")
    reader.check_unique(QUERIES, queries, "id")
    reader.check_judgements(documents, queries, qrels)
    problems = [*reader.problems, *check_checksums(directory.resolve())]
    rows = Rows(*([row for _, row in numbered] for numbered in (documents, queries, qrels)))
    return rows, sorted(problems, key=lambda problem: (problem.file, problem.line or 0))


def labels(document: Row) -> list[str]:
    """The labels of a document's segments, in order."""
    if "text" in document:
        return [str(number) for number, _ in enumerate(paragraphs(document["text"]), start=1)]
    return [turn["label"] for turn in document["turns"]]


class _Reader:
    """Collects the problems of one directory."""

    def __init__(self, directory: Path) -> None:
        self.problems: list[Problem] = []
        self._directory = directory
        self._unreadable: set[str] = set()
        self._misshapen: defaultdict[str, set[str]] = defaultdict(set)

    def check_card(self) -> None:
        if not (self._directory / _CARD).is_file():
            mend = "Say there what it is, how it was labelled, and its licence."
            self._add(_CARD, None, "The corpus has no card.", mend)

    def rows(self, file: str, shape: _Shape, check: Callable[[str, int, Row], None] | None = None) -> Iterator[tuple[int, Row]]:
        """The objects of a file that have the right shape, with their lines."""
        for number, line in enumerate(self._lines(file), start=1):
            before = len(self.problems)
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                mend = "Write one object a line, and no empty line."
                self._add(file, number, f"The line is not JSON ({error}).", mend)
                self._unreadable.add(file)
                continue
            row = self._shaped(file, number, "The line", value, shape)
            if row is not None and check is not None:
                check(file, number, row)
            if row is not None and len(self.problems) == before:
                yield number, row
            elif row is not None:
                self._misshapen[file].add(str(row.get("query", row.get("id"))))
            else:
                self._unreadable.add(file)

    def check_body(self, file: str, number: int, row: Row) -> None:
        if ("text" in row) == ("turns" in row):
            self._add(file, number, "A document has either `text` or `turns`.", "Give just one of them.")
        elif isinstance(row.get("turns"), list):
            turns = [
                self._shaped(file, number, f"Turn {position}", turn, _TURN)
                for position, turn in enumerate(row["turns"], start=1)
            ]
            if not turns:
                self._add(file, number, "`turns` is empty.", "Give at least one turn.")
            row["turns"] = turns
            seen = Counter(turn["label"] for turn in turns if turn is not None and "label" in turn)
            for label in (label for label, times in seen.items() if times > 1):
                what = f"The label {label!r} stands on several turns."
                self._add(file, number, what, "Make labels unique in a document.")

    def check_grade(self, file: str, number: int, row: Row) -> None:
        if "grade" in row and row["grade"] not in _GRADES:
            self._add(file, number, f"The grade is {row['grade']}.", "Grade 0 (not relevant) to 3.")

    def check_unique(self, file: str, rows: Sequence[tuple[int, Row]], field: str) -> None:
        first: dict[str, int] = {}
        for number, row in rows:
            line = first.setdefault(row[field], number)
            if line != number:
                what = f"The {field} {row[field]!r} stands on line {line} too."
                self._add(file, number, what, f"Make each {field} unique in the corpus.")

    def check_judgements(
        self,
        documents: Sequence[tuple[int, Row]],
        queries: Sequence[tuple[int, Row]],
        qrels: Sequence[tuple[int, Row]],
    ) -> None:
        """What judgements, questions and documents say of each other."""
        # Of several with one id, the first counts.
        known = {row["id"]: (row.get("namespace", self._directory.name), labels(row)) for _, row in reversed(documents)}
        asked = {row["id"]: row for _, row in reversed(queries)}
        relevant: defaultdict[str, int] = defaultdict(int)
        seen: dict[tuple[str, str, str], int] = {}
        for number, row in qrels:
            line = seen.setdefault((row["query"], row["document"], row["segment"]), number)
            if line != number:
                what = f"This segment is judged on line {line} too."
                self._add(QRELS, number, what, "Judge a segment once a question.")
            self._check_reference(number, row, known, asked)
            if row["grade"] >= 1:
                relevant[row["query"]] += 1
                if asked.get(row["query"], {}).get("class") == NO_ANSWER:
                    what = f"The question {row['query']!r} of class {NO_ANSWER} has a relevant segment."
                    self._add(QRELS, number, what, "Give the question another class, or the segment grade 0.")
        namespaces = {namespace for namespace, _ in known.values()}
        for number, row in queries:
            judged = relevant[row["id"]] or self._excused(QRELS, row["id"])
            if row["namespace"] not in namespaces and self._complete(DOCUMENTS):
                what = f"The namespace {row['namespace']!r} holds no document."
                self._add(QUERIES, number, what, "Name the namespace of some document.")
            if row["class"] != NO_ANSWER and not judged:
                what = f"The question {row['id']!r} has no relevant segment."
                mend = f"Judge one with grade 1 to 3, or give it the class {NO_ANSWER}."
                self._add(QUERIES, number, what, mend)

    def _check_reference(
        self, number: int, row: Row, known: Mapping[str, tuple[str, list[str]]], asked: Mapping[str, Row]
    ) -> None:
        query, document, segment = row["query"], row["document"], row["segment"]
        if query not in asked and not self._excused(QUERIES, query):
            self._add(QRELS, number, f"There is no question {query!r}.", f"Name one of {QUERIES}.")
        if document not in known:
            if not self._excused(DOCUMENTS, document):
                self._add(QRELS, number, f"There is no document {document!r}.", f"Name one of {DOCUMENTS}.")
            return
        namespace, there = known[document]
        if segment not in there:
            what = f"The document {document!r} has no segment {segment!r}."
            self._add(QRELS, number, what, f"It has {len(there)}, from {there[0]!r} to {there[-1]!r}.")
        if query in asked and asked[query]["namespace"] != namespace:
            what = f"The question is of {asked[query]['namespace']!r}, the document of {namespace!r}."
            self._add(QRELS, number, what, "Judge documents of the question's namespace only.")

    def _complete(self, file: str) -> bool:
        """Whether all that a file holds could be read."""
        return file not in self._unreadable and not self._misshapen[file]

    def _excused(self, file: str, name: str) -> bool:
        """Whether `name` may be missing only since what a file says of it could not be read."""
        return file in self._unreadable or name in self._misshapen[file]

    def _lines(self, file: str) -> list[str]:
        """The lines of a file; JSON strings may hold U+2028 and its like, which do not end one."""
        try:
            content = (self._directory / file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            self._add(file, None, f"The file cannot be read ({error}).", "Write it as JSON Lines in UTF-8.")
            self._unreadable.add(file)
            return []
        return content.removesuffix("\n").split("\n") if content else []

    def _shaped(self, file: str, number: int, what: str, value: object, shape: _Shape) -> Row | None:
        """The value without null fields, or None if it is no object."""
        if not isinstance(value, dict):
            self._add(file, number, f"{what} is not an object.", "Write one JSON object.")
            return None
        fields = {**shape.required, **shape.optional}
        row: Row = {name: inner for name, inner in value.items() if inner is not None}
        for name in sorted(row.keys() - fields):
            mend = f"Known are {', '.join(fields)}."
            self._add(file, number, f"{what} has the unknown field {name!r}.", mend)
        for name in [name for name in shape.required if name not in row]:
            self._add(file, number, f"{what} has no {name!r}.", f"Give it as {_JSON_NAMES[fields[name]]}.")
        for name, kind in fields.items():
            if name in row:
                self._check_field(file, number, f"{what}'s {name!r}", row[name], kind, name, shape)
        return row

    def _check_field(self, file: str, number: int, what: str, value: object, kind: type, name: str, shape: _Shape) -> None:
        if type(value) is not kind:
            self._add(file, number, f"{what} is {json.dumps(value)[:40]}.", f"Write {_JSON_NAMES[kind]}.")
        if not isinstance(value, str) or kind is not str:
            return
        try:
            validate_text(value, what)
        except InvalidTextError:
            what = f"{what} holds NUL or a lone surrogate, which PostgreSQL cannot store."
            self._add(file, number, what, "Remove it.")
            return
        if not value.strip():
            self._add(file, number, f"{what} is empty.", "Write more than white space.")
        elif name in shape.names and _NAMELESS.search(value):
            self._add(file, number, f"{what} is {value!r}.", "Use neither white space nor '#'.")
        elif name in shape.times:
            self._check_time(file, number, what, value)

    def _check_time(self, file: str, number: int, what: str, value: str) -> None:
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            self._add(file, number, f"{what} is {value!r}.", "Write ISO 8601, such as 2026-03-02T09:00:00Z.")
            return
        if moment.utcoffset() is None:
            self._add(file, number, f"{what} is {value!r}, without a zone.", "Add one, such as Z for UTC.")

    def _add(self, file: str, line: int | None, what: str, mend: str) -> None:
        self.problems.append(Problem(file, line, what, mend))
