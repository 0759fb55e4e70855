"""The labels of what an engine should understand: facts, entities, causes, supersession, corroboration, forgotten sources.

`datasets/README.md` has the format of the six files. They are optional, no part of a corpus's identity, and held together
with it by `LABELS.SHA256SUMS`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from evals.corpora.checksums import LABEL_CHECKSUMS, LABEL_FILES, check_checksums
from evals.corpora.lines import Reader, Row, Shape
from illumina.text import paragraphs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from evals.corpora.checksums import Problem
    from evals.corpora.validation import Rows

CATEGORIES: Final = (
    "preference",
    "opinion",
    "personal",
    "experience",
    "business_rule",
    "workflow",
    "architecture",
    "convention",
    "decision",
    "domain_knowledge",
    "key_insight",
    "metric",
    "issue",
    "action_item",
)
PRECISIONS: Final[Mapping[str, int]] = {
    "minute": 1,
    "hour": 60,
    "day": 1440,
    "week": 7 * 1440,
    "month": 28 * 1440,
    "quarter": 90 * 1440,
    "year": 365 * 1440,
}
"""What a stated time is known to, and the least number of minutes that a span of it takes."""

Place = tuple[str, str]
"""A document's id and a segment's label."""

_PLACE: Final = {"document": str, "segment": str}
_AT: Final = Shape(_PLACE)
_INTERVAL: Final = Shape(
    {"start": str, "precision": str},
    {"end": str},
    times=frozenset({"start", "end"}),
    choices={"precision": tuple(PRECISIONS)},
)
_SHAPES: Final[Mapping[str, Shape]] = {
    "entities.jsonl": Shape(
        {"id": str, "type": str, "name": str, "aliases": list, "distinct_from": list, "mentions": list},
        words=frozenset({"aliases", "distinct_from"}),
        lists={"mentions": Shape({**_PLACE, "surface": str, "field": str}, choices={"field": ("text", "speaker")})},
    ),
    "facts.jsonl": Shape(
        {"id": str, **_PLACE, "statement": str, "category": str, "entities": list},
        {"time": dict},
        choices={"category": CATEGORIES},
        words=frozenset({"entities"}),
        objects={"time": _INTERVAL},
    ),
    "causes.jsonl": Shape(
        {"id": str, "cause": dict, "effect": dict, "relation": str, "evidence": dict},
        choices={"relation": ("causes", "enables", "prevents")},
        objects={"cause": _AT, "effect": _AT, "evidence": Shape({**_PLACE, "quote": str})},
    ),
    "supersession.jsonl": Shape(
        {"id": str, "chain": str, "old": dict, "new": dict, "kind": str},
        choices={"kind": ("whole", "partial", "one-replaces-many")},
        objects={"old": _AT, "new": _AT},
    ),
    "corroboration.jsonl": Shape(
        {"id": str, "statement": str, "independent": list, "echoes": list},
        lists={"independent": Shape({"origin": str, **_PLACE}), "echoes": Shape({**_PLACE, "of": dict}, objects={"of": _AT})},
    ),
    "forgotten.jsonl": Shape(
        {"id": str, "forget": str, "value": str, "documents": list, "loses": list, "weakens": list},
        choices={"forget": ("source", "document")},
        words=frozenset({"documents", "loses", "weakens"}),
    ),
}


@dataclass(frozen=True, slots=True)
class Segment:
    """What is said, by whom ("" if unknown), and when."""

    text: str
    speaker: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Understanding:
    """The labels of a corpus; a file that is absent has none.

    Attributes:
        segments: What the labels are about.
        facts: The rows of `facts.jsonl`; and so on.
    """

    segments: Mapping[Place, Segment]
    facts: Sequence[Row] = field(default_factory=list)
    entities: Sequence[Row] = field(default_factory=list)
    causes: Sequence[Row] = field(default_factory=list)
    supersession: Sequence[Row] = field(default_factory=list)
    corroboration: Sequence[Row] = field(default_factory=list)
    forgotten: Sequence[Row] = field(default_factory=list)


def read_understanding(directory: Path, corpus: Rows) -> tuple[Understanding, list[Problem]]:
    """Read the label files that there are, and check them against the corpus and each other.

    Args:
        directory: The corpus.
        corpus: What its data files hold, without problems.
    """
    present = [name for name in _SHAPES if (directory / name).is_file()]
    if not present and not (directory / LABEL_CHECKSUMS).is_file():
        return Understanding({}), []
    reader = _LabelReader(directory, corpus)
    found = {name: list(reader.rows(name, _SHAPES[name])) for name in present}
    for name, rows in found.items():
        reader.check_unique(name, rows, "id")
        reader.check[name](name, rows)
    labels = {name.removesuffix(".jsonl"): [row for _, row in rows] for name, rows in found.items()}
    return (
        Understanding(reader.segments, **labels),
        [*reader.problems, *check_checksums(directory, LABEL_CHECKSUMS, LABEL_FILES)],
    )


def place(row: Mapping[str, str]) -> Place:
    """The segment that an object names."""
    return row["document"], row["segment"]


def first_cycle(edges: Iterable[tuple[Place, Place]]) -> Place | None:
    """A node that can be reached from itself, if there is one."""
    after: defaultdict[Place, set[Place]] = defaultdict(set)
    for before, then in edges:
        after[before].add(then)
    done: set[Place] = set()

    def returns(node: Place, path: frozenset[Place]) -> Place | None:
        if node in path:
            return node
        if node not in done:
            done.add(node)
            for then in sorted(after[node]):
                if (found := returns(then, path | {node})) is not None:
                    return found
        return None

    return next((found for node in sorted(after) if (found := returns(node, frozenset())) is not None), None)


Numbered = list[tuple[int, Row]]


class _LabelReader(Reader):
    """Adds what labels say of the corpus and of each other."""

    def __init__(self, directory: Path, corpus: Rows) -> None:
        super().__init__(directory)
        self._corpus = corpus
        self.segments = {key: said for document in corpus.documents for key, said in _segments(document)}
        self._entities: set[str] = set()
        self.check: Mapping[str, Callable[[str, Numbered], None]] = {
            "entities.jsonl": self._check_entities,
            "facts.jsonl": self._check_facts,
            "causes.jsonl": self._check_causes,
            "supersession.jsonl": self._check_supersession,
            "corroboration.jsonl": self._check_corroboration,
            "forgotten.jsonl": self._check_forgotten,
        }

    def _check_facts(self, file: str, rows: Numbered) -> None:
        for number, row in rows:
            self._segment(file, number, row)
            for name in row["entities"]:
                if name not in self._entities and not self.excused("entities.jsonl", name):
                    self.add(file, number, f"There is no entity {name!r}.", "Name one of entities.jsonl.")
            if "time" in row:
                self._check_interval(file, number, row["time"])

    def _check_interval(self, file: str, number: int, time: Mapping[str, str]) -> None:
        moments = {name: datetime.fromisoformat(time[name]) for name in ("start", "end") if name in time}
        for name, moment in moments.items():
            if moment.utcoffset() != timedelta(0):
                self.add(file, number, f"The time's {name!r} is {time[name]!r}, not in UTC.", "Write it with Z.")
        start, precision = moments["start"], time["precision"]
        if precision not in {"minute", "hour"} and (start.hour, start.minute) != (0, 0):
            what = f"The time's 'start' is {time['start']!r}, known to the {precision}."
            self.add(file, number, what, "Begin it at midnight UTC.")
        if "end" in moments and moments["end"] - start < timedelta(minutes=PRECISIONS[precision]):
            what = f"The time ends less than one {precision} after it starts."
            self.add(file, number, what, "Let it end at the first moment behind it, or correct the precision.")

    def _check_entities(self, file: str, rows: Numbered) -> None:
        apart = {row["id"]: row["distinct_from"] for _, row in rows}
        self._entities = {*apart}
        seen: dict[tuple[Place, str, str], str] = {}
        for number, row in rows:
            for other in row["distinct_from"]:
                if other == row["id"] or (row["id"] not in apart.get(other, ()) and not self.excused(file, other)):
                    mend = f"Name another entity, and {row['id']!r} in its 'distinct_from'."
                    self.add(file, number, f"It is distinct from {other!r}, which does not say so too.", mend)
            if not row["mentions"]:
                self.add(file, number, "It has no mention.", "Give at least one.")
            for mention in row["mentions"]:
                self._check_mention(file, number, row, mention)
                key = (place(mention), mention["surface"], mention["field"])
                if seen.setdefault(key, row["id"]) != row["id"]:
                    what = f"{mention['surface']!r} in {'#'.join(key[0])} is a mention of {seen[key]!r} too."
                    self.add(file, number, what, "A surface in a segment is one entity: take one out.")
            if len({(place(it), it["surface"], it["field"]) for it in row["mentions"]}) < len(row["mentions"]):
                self.add(file, number, "A mention stands there twice.", "List it once a segment, surface and field.")

    def _check_mention(self, file: str, number: int, row: Row, mention: Mapping[str, str]) -> None:
        surface = mention["surface"]
        if surface not in row["aliases"]:
            self.add(file, number, f"The surface {surface!r} is not among the aliases.", "Add it to them.")
        said = self._segment(file, number, mention)
        if said is None:
            return
        if mention["field"] == "text" and surface not in said.text:
            what = f"{surface!r} is not in the text of {'#'.join(place(mention))}."
            self.add(file, number, what, "Write the exact words that stand there.")
        if mention["field"] == "speaker" and surface != said.speaker:
            what = f"{surface!r} is not the speaker of {'#'.join(place(mention))}."
            self.add(file, number, what, f"That is {said.speaker!r}." if said.speaker else "That segment has no speaker.")

    def _check_causes(self, file: str, rows: Numbered) -> None:
        self._check_edges(file, rows, "cause", "effect")
        for number, row in rows:
            evidence = self._segment(file, number, row["evidence"])
            if evidence is not None and row["evidence"]["quote"] not in evidence.text:
                what = f"The quote is not in the text of {'#'.join(place(row['evidence']))}."
                self.add(file, number, what, "Quote the exact words that stand there.")
        self._check_cycle(file, [(row["cause"], row["effect"]) for _, row in rows if row["relation"] != "prevents"])

    def _check_supersession(self, file: str, rows: Numbered) -> None:
        self._check_edges(file, rows, "old", "new")
        replaced: defaultdict[Place, set[Place]] = defaultdict(set)
        for _, row in rows:
            if row["kind"] == "one-replaces-many":
                replaced[place(row["new"])].add(place(row["old"]))
        for number, row in rows:
            old, new = self.segments.get(place(row["old"])), self.segments.get(place(row["new"]))
            if old is not None and new is not None and old.at > new.at:
                self.add(file, number, "The new segment is older than the old one.", "Exchange them.")
            if row["kind"] == "one-replaces-many" and len(replaced[place(row["new"])]) < 2:
                self.add(file, number, "One replaces many, and only one is named.", "Name each on a line, or call it 'whole'.")
        self._check_cycle(file, [(row["old"], row["new"]) for _, row in rows])

    def _check_corroboration(self, file: str, rows: Numbered) -> None:
        for number, row in rows:
            sources = {place(source) for source in row["independent"]}
            echoes = {place(echo) for echo in row["echoes"]}
            for named in [*row["independent"], *row["echoes"], *(echo["of"] for echo in row["echoes"])]:
                self._segment(file, number, named)
            if not sources:
                self.add(file, number, "Nothing independent is named.", "Name at least one place with its origin.")
            if not len(sources) == len({source["origin"] for source in row["independent"]}) == len(row["independent"]):
                self.add(
                    file, number, "A place or an origin is independent twice.", "Name each origin once, each at its place."
                )
            if len(echoes) < len(row["echoes"]) or sources & echoes:
                self.add(file, number, "A place is an echo twice, or independent too.", "Name each place once.")
            for echo in row["echoes"]:
                if place(echo["of"]) not in sources | echoes:
                    what = f"{'#'.join(place(echo))} echoes {'#'.join(place(echo['of']))}, which is no place of this statement."
                    self.add(file, number, what, "Name an independent place or another echo.")
            self._check_cycle(file, [(echo["of"], echo) for echo in row["echoes"]], number)

    def _check_forgotten(self, file: str, rows: Numbered) -> None:
        best = dict(self._answers())
        for number, row in rows:
            of = "id" if row["forget"] == "document" else "source"
            gone = sorted(document["id"] for document in self._corpus.documents if document[of] == row["value"])
            held = {
                query: sum(document in gone for document in documents) / len(documents) for query, documents in best.items()
            }
            expected = {
                "documents": gone,
                "loses": [query for query, share in held.items() if share == 1],
                "weakens": [query for query, share in held.items() if 0 < share < 1],
            }
            if not gone:
                self.add(file, number, f"There is no {row['forget']} {row['value']!r}.", "Name one of documents.jsonl.")
                continue
            for name, right in expected.items():
                if row[name] != right:
                    self.add(file, number, f"Its {name!r} is not what follows from the corpus.", f"That is {right}.")

    def _answers(self) -> Iterator[tuple[str, list[str]]]:
        """Each answerable question with the documents of its best segments."""
        judged: defaultdict[str, list[Row]] = defaultdict(list)
        for row in self._corpus.qrels:
            judged[row["query"]].append(row)
        for query in self._corpus.queries:
            best = max((row["grade"] for row in judged[query["id"]]), default=0)
            if best:
                yield query["id"], [row["document"] for row in judged[query["id"]] if row["grade"] == best]

    def _segment(self, file: str, number: int, row: Mapping[str, str]) -> Segment | None:
        found = self.segments.get(place(row))
        if found is None:
            mend = "Name a document of documents.jsonl and one of its segments."
            self.add(file, number, f"There is no segment {'#'.join(place(row))!r}.", mend)
        return found

    def _check_edges(self, file: str, rows: Numbered, before: str, after: str) -> None:
        seen: dict[tuple[Place, Place], int] = {}
        for number, row in rows:
            edge = (place(row[before]), place(row[after]))
            self._segment(file, number, row[before])
            self._segment(file, number, row[after])
            if edge[0] == edge[1]:
                self.add(file, number, f"'{before}' and '{after}' are one segment.", "Name two different ones.")
            if (line := seen.setdefault(edge, number)) != number:
                self.add(file, number, f"This pair of segments stands on line {line} too.", "Name each pair once.")

    def _check_cycle(self, file: str, edges: Sequence[tuple[Row, Row]], line: int | None = None) -> None:
        met = first_cycle((place(before), place(after)) for before, after in edges)
        if met is not None:
            self.add(
                file, line, f"The lines together lead from {'#'.join(met)} back to it.", "Take out or turn round one of them."
            )


def _segments(document: Row) -> Iterator[tuple[Place, Segment]]:
    for turn in document.get("turns", ()):
        at = datetime.fromisoformat(turn.get("occurred_at", document["occurred_at"]))
        yield (document["id"], turn["label"]), Segment(turn["text"], turn.get("speaker", ""), at)
    for number, (start, end) in enumerate(paragraphs(document.get("text", "")), start=1):
        at = datetime.fromisoformat(document["occurred_at"])
        yield (document["id"], str(number)), Segment(document["text"][start:end], "", at)
