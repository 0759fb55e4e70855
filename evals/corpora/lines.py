"""Reading files of JSON Lines strictly: every object of a known shape, and every problem with its place and mend."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from evals.corpora.checksums import Problem
from illumina.errors import InvalidTextError
from illumina.strict_json import DuplicateKeyError, parse_json
from illumina.text import validate_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

_NAMELESS: Final = re.compile(r"[\s#]")
_JSON_NAMES: Final = {str: "a string", int: "an integer", list: "a list", dict: "an object"}

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """The fields of one kind of object: their JSON types, and what more is asked of them.

    Attributes:
        required: Fields that must be there.
        optional: Fields that may be there.
        names: Those without white space and `#`.
        times: Those that are ISO 8601 with a zone.
        choices: Those that take one of a few values.
        words: Lists of different strings, none empty.
        objects: Fields that are objects, and their shapes.
        lists: Fields that are lists of objects, and their shapes.
    """

    required: Mapping[str, type]
    optional: Mapping[str, type] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    times: frozenset[str] = frozenset()
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    objects: Mapping[str, Shape] = field(default_factory=dict)
    lists: Mapping[str, Shape] = field(default_factory=dict)


class Reader:
    """Collects the problems of the files in one directory."""

    def __init__(self, directory: Path) -> None:
        self.problems: list[Problem] = []
        self.directory = directory
        self._unreadable: set[str] = set()
        self._misshapen: defaultdict[str, set[str]] = defaultdict(set)

    def rows(self, file: str, shape: Shape, check: Callable[[str, int, Row], None] | None = None) -> Iterator[tuple[int, Row]]:
        """The objects of a file that have the right shape, with their lines."""
        for number, line in enumerate(self._lines(file), start=1):
            before = len(self.problems)
            value = self._parsed(file, number, line)
            if len(self.problems) > before:
                self._unreadable.add(file)
                continue
            row = self.shaped(file, number, "The line", value, shape)
            if row is not None and check is not None:
                check(file, number, row)
            if row is not None and len(self.problems) == before:
                yield number, row
            elif row is not None:
                self._misshapen[file].add(str(row.get("query", row.get("id"))))
            else:
                self._unreadable.add(file)

    def check_unique(self, file: str, rows: Sequence[tuple[int, Row]], field: str) -> None:
        """See that no two rows of a file have the same value in a field."""
        first: dict[str, int] = {}
        for number, row in rows:
            line = first.setdefault(row[field], number)
            if line != number:
                what = f"The {field} {row[field]!r} stands on line {line} too."
                self.add(file, number, what, f"Make each {field} unique in the corpus.")

    def check_some(self, file: str, rows: Sequence[tuple[int, Row]], name: str) -> None:
        """See that a file holds something; whatever refers to what an empty one lacks is not blamed."""
        if not rows and self.complete(file):
            self.add(file, None, f"The corpus has no {name}.", f"Write at least one {name}, as one JSON object a line.")
            self._unreadable.add(file)

    def complete(self, file: str) -> bool:
        """Whether all that a file holds could be read."""
        return file not in self._unreadable and not self._misshapen[file]

    def excused(self, file: str, name: str) -> bool:
        """Whether `name` may be missing only since what a file says of it could not be read."""
        return file in self._unreadable or name in self._misshapen[file]

    def _lines(self, file: str) -> list[bytes]:
        """The lines of a file; JSON strings may hold U+2028 and its like, which do not end one."""
        try:
            content = (self.directory / file).read_bytes()
        except OSError as error:
            self.add(file, None, f"The file cannot be read ({error}).", "Write it as JSON Lines in UTF-8.")
            self._unreadable.add(file)
            return []
        if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            self.add(file, None, "The file is in UTF-16.", f"Convert it, as by `iconv -f UTF-16 -t UTF-8 {file}`.")
            self._unreadable.add(file)
            return []
        if content.startswith(BOM_UTF8):
            self.add(file, 1, "The file begins with a byte order mark.", "Save it as UTF-8 without one.")
        lines = content.removeprefix(BOM_UTF8).removesuffix(b"\n").split(b"\n")
        returns = [number for number, line in enumerate(lines, start=1) if line.endswith(b"\r")]
        if returns:
            what = f"Lines end with a carriage return and a line feed ({len(returns)} of {len(lines)})."
            self.add(file, returns[0], what, f"End them with a line feed alone: `sed -i 's/\\r$//' {file}`.")
        return [] if lines == [b""] else lines

    def _parsed(self, file: str, number: int, line: bytes) -> object:
        """What a line says; None, and a problem, if that cannot be known."""
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            what = f"The line is not UTF-8 (its byte {error.start + 1} is 0x{line[error.start]:02X})."
            self.add(file, number, what, f"If it is Latin-1, convert it, as by `iconv -f ISO-8859-1 -t UTF-8 {file}`.")
            return None
        if "\0" in text:
            self.add(file, number, "The line holds a NUL byte.", "Remove it; the file must be plain text in UTF-8.")
            return None
        try:
            return parse_json(text)
        except DuplicateKeyError as error:
            self.add(file, number, f"The key {error.key!r} stands twice in one object.", "Keep one of the two.")
        except (ValueError, RecursionError) as error:
            self.add(file, number, f"The line is not JSON ({error}).", "Write one object a line, and no empty line.")
        return None

    def shaped(self, file: str, number: int, what: str, value: object, shape: Shape) -> Row | None:
        """The value without null fields, or None if it is no object."""
        if not isinstance(value, dict):
            self.add(file, number, f"{what} is not an object.", "Write one JSON object.")
            return None
        fields = {**shape.required, **shape.optional}
        row: Row = {name: inner for name, inner in value.items() if inner is not None}
        for name in sorted(row.keys() - fields):
            mend = f"Known are {', '.join(fields)}."
            self.add(file, number, f"{what} has the unknown field {name!r}.", mend)
        for name in [name for name in shape.required if name not in row]:
            self.add(file, number, f"{what} has no {name!r}.", f"Give it as {_JSON_NAMES[fields[name]]}.")
        for name, kind in fields.items():
            if name in row:
                self._check_field(file, number, f"{what}'s {name!r}", row[name], kind, name, shape)
        for name, inner in shape.objects.items():
            if isinstance(row.get(name), dict):
                row[name] = self.shaped(file, number, f"{what}'s {name}", row[name], inner)
        for name, inner in shape.lists.items():
            if isinstance(row.get(name), list):
                row[name] = [
                    self.shaped(file, number, f"{what}'s {name}[{position}]", item, inner)
                    for position, item in enumerate(row[name], start=1)
                ]
        return row

    def _check_field(self, file: str, number: int, what: str, value: object, kind: type, name: str, shape: Shape) -> None:
        if type(value) is not kind:
            self.add(file, number, f"{what} is {json.dumps(value)[:40]}.", f"Write {_JSON_NAMES[kind]}.")
        elif isinstance(value, list) and name in shape.words:
            self._check_words(file, number, what, value)
        if not isinstance(value, str) or kind is not str:
            return
        try:
            validate_text(value, what)
        except InvalidTextError:
            what = f"{what} holds NUL or a lone surrogate, which PostgreSQL cannot store."
            self.add(file, number, what, "Remove it.")
            return
        if not value.strip():
            self.add(file, number, f"{what} is empty.", "Write more than white space.")
        elif name in shape.names and _NAMELESS.search(value):
            self.add(file, number, f"{what} is {value!r}.", "Use neither white space nor '#'.")
        elif name in shape.times:
            self._check_time(file, number, what, value)
        elif name in shape.choices and value not in shape.choices[name]:
            self.add(file, number, f"{what} is {value!r}.", f"Write one of {', '.join(shape.choices[name])}.")

    def _check_words(self, file: str, number: int, what: str, value: list[object]) -> None:
        if not all(isinstance(item, str) and item.strip() for item in value):
            self.add(file, number, f"{what} is not a list of texts.", "Write strings that are not empty.")
        elif len({*map(str, value)}) < len(value):
            self.add(file, number, f"{what} has one twice.", "Name each once.")

    def _check_time(self, file: str, number: int, what: str, value: str) -> None:
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            self.add(file, number, f"{what} is {value!r}.", "Write ISO 8601, such as 2026-03-02T09:00:00Z.")
            return
        if moment.utcoffset() is None:
            self.add(file, number, f"{what} is {value!r}, without a zone.", "Add one, such as Z for UTC.")

    def add(self, file: str, line: int | None, what: str, mend: str) -> None:
        """Note a problem."""
        self.problems.append(Problem(file, line, what, mend))
