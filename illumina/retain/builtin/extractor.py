"""The extractor that needs no model: sentences, cut into statements, with whom, when and why they tell."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

from illumina.ids import digest
from illumina.retain.builtin import categories, grades, relations, times
from illumina.retain.builtin.blocks import cells
from illumina.retain.builtin.clausal import predicate
from illumina.retain.builtin.cover import rejections
from illumina.retain.builtin.kinds import Known
from illumina.retain.builtin.markup import written
from illumina.retain.builtin.names import named
from illumina.retain.builtin.outline import Line, Outline, outline
from illumina.retain.builtin.pieces import Cut, Piece, cut
from illumina.retain.builtin.pronouns import Edit, Reading, distinct, resolve
from illumina.retain.builtin.tokens import Found, shaped
from illumina.retain.causes import find_causes
from illumina.retain.clauses import Words
from illumina.retain.extraction import CausalDraft, Extraction, FactDraft, MentionDraft, Rejection, RelationDraft
from illumina.retain.sentences import Sentence
from illumina.retain.words import NEGATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from illumina.retain.causal_readings import CausalLink
    from illumina.retain.clauses import Span
    from illumina.types import Chunk, LedgerDocument

REACH: Final = 3
"""Sentences before one in which its pronouns and causes may have what they stand for."""
_DENIED: Final = NEGATIONS | {
    "don't",
    "doesn't",
    "didn't",
    "isn't",
    "wasn't",
    "won't",
    "can't",
    "aren't",
    "weren't",
    "hasn't",
    "haven't",
    "no-one",
}
_THINGS: Final = frozenset(("service", "project", "product", "organisation", "team", "identifier"))
_TECHNICAL: Final = frozenset(
    ("service", "product", "ticket", "identifier", "version", "channel", "document", "team", "project")
)
_NEAR: Final = 12
"""Characters within which a statement names whom it is about."""
_FRONT: Final = re.compile(r"^[^\w#@`\"'“($€£«¿¡+~/.-]+|^-+\s+")
_BACK: Final = " \t\n,;:—–|"


class _Read(NamedTuple):
    """A sentence with its words and the names in it."""

    line: Line
    words: Words
    found: tuple[Found, ...]


class BuiltinExtractor:
    """Facts by rule. Pure and total: any text, the same answer everywhere, time linear in its length."""

    @property
    def name(self) -> str:
        """`builtin`."""
        return "builtin"

    @property
    def fingerprint(self) -> str:
        """Digest of the sources that decide what it yields."""
        return _fingerprint()

    def extract(self, document: LedgerDocument, chunk: Chunk) -> Extraction:
        """The facts whose spans begin in the chunk's own span.

        What reaches in from a fact that begins before it is rejected as `continued`. What a fact says does not depend on where
        the document was cut.
        """
        whole = outline(document)
        known = _known(document)
        first = bisect_left(whole.starts, chunk.start)
        if first and whole.lines[first - 1].end > chunk.start:
            first -= 1
        behind = bisect_left(whole.starts, chunk.end)
        start = max(0, first - REACH)
        reads = [_read(whole.text, line, known) for line in whole.lines[start:behind]]
        links = _links(whole.text, [read.line for read in reads])
        builder = _Builder(document, whole, reads)
        for at in range(first - start, len(reads)):
            builder.add(at, links.get(at, ()))
        carried = builder.within(chunk.start, chunk.end)
        causal = builder.causal([link for at in range(first - start, len(reads)) for link in links.get(at, ())])
        skips = whole.skipped(chunk.start, chunk.end)
        spans = [(fact.start, fact.end) for fact in builder.facts]
        return Extraction(
            tuple(builder.facts), causal, rejections(document.body, chunk, skips, builder.rejected, spans, carried)
        )


class _Builder:
    """Gathers the facts of one chunk."""

    def __init__(self, document: LedgerDocument, whole: Outline, reads: Sequence[_Read]) -> None:
        self.body, self.text = document.body, whole.text
        self.reads = reads
        self.facts: list[FactDraft] = []
        self.statements: list[Span] = []
        self.mere: list[bool] = []
        self.rejected: list[Rejection] = []

    def add(self, at: int, links: Sequence[CausalLink]) -> None:
        """The facts of one sentence."""
        read = self.reads[at]
        line, passage = read.line, read.line.passage
        if passage.kind == "row":
            self._row(read)
            return
        taken: Cut = cut(self.text, line.start, line.end, read.words, links)
        self.rejected += [Rejection(*rejected) for rejected in taken.rejected]
        for piece in taken.pieces:
            if piece.first < piece.last:
                self._fact(at, piece)

    def within(self, start: int, end: int) -> int:
        """Keep what begins in a stretch; where the last one ends that begins before it."""
        carried = max((fact.end for fact in self.facts if fact.start < start), default=start)
        kept = [place for place, fact in enumerate(self.facts) if start <= fact.start < end]
        self.facts = [self.facts[place] for place in kept]
        self.statements = [self.statements[place] for place in kept]
        self.mere = [self.mere[place] for place in kept]
        return carried

    def causal(self, links: Sequence[CausalLink]) -> tuple[CausalDraft, ...]:
        """Causal relations whose sides are two of the facts."""
        found: dict[tuple[str, int, int], CausalDraft] = {}
        for link in links:
            cause, effect = self._at(link.cause), self._at(link.effect)
            if cause is None or effect is None or cause == effect:
                continue
            cue = " ".join(self.text[link.cue[0] : link.cue[1]].split())
            found.setdefault((link.kind, cause, effect), CausalDraft(link.kind, cause, effect, cue))
        return tuple(found.values())

    def _at(self, span: Span) -> int | None:
        """The fact that most of a stretch lies in; of a sentence that is several, the first that is no mere cause in it."""
        place = max(0, bisect_left(self.statements, (span[0], -1)) - 2)
        inside: list[int] = []
        for index in range(place, len(self.statements)):
            start, end = self.statements[index]
            if start >= span[1]:
                break
            if 2 * (min(end, span[1]) - max(start, span[0])) > span[1] - span[0]:
                return index
            if span[0] <= start and end <= span[1] and not self.mere[index]:
                inside.append(index)
        return inside[0] if inside else None

    def _fact(self, at: int, piece: Piece) -> None:
        read = self.reads[at]
        passage, words = read.line.passage, read.words
        speaker = None if passage.kind == "quote" else passage.speaker
        inside = [found for found in read.found if piece.start <= found.start and found.end <= piece.end]
        first, behind = words.index(piece.first), words.index(piece.last)
        reading = self._resolved(at, piece, first, behind, speaker)
        said = self.text[piece.first : piece.last]
        moment = times.dated(self.text, piece.first, piece.last, words, passage.moment)
        edits = [*written(self.body, self.text, piece.first, piece.last), *reading.edits]
        kind = categories.category(
            said,
            passage.section,
            spoken=speaker is not None,
            technical=any(found.kind in _TECHNICAL for found in inside),
            person=bool(inside) and inside[0].kind == "person" and inside[0].start - piece.first <= _NEAR,
            task=passage.open,
            cause=piece.cause,
        )
        if moment is not None and moment.recurs and kind in {"business_rule", "convention", "workflow"}:
            moment = None
        if moment is not None and moment.shown is not None:
            edits.append(Edit(moment.end, moment.end, f" ({moment.shown})"))
        statement = _worded(self.body, piece, edits)
        if passage.kind == "item" and passage.lead:
            statement = _led(self.text, passage.lead[0], statement)
        if not statement:
            self.rejected.append(Rejection(piece.start, piece.end, "markup"))
            return
        sure = grades.confidence(said, unclear=reading.unclear, hedged=piece.hedge, quoted=passage.kind == "quote")
        placed = [relations.Placed(found.start, found.end, found.kind) for found in inside]
        placed += [relations.Placed(it.start, it.end, it.kind) for it in reading.referents]
        mentions = [MentionDraft(found.name, found.kind, found.start, found.end, found.homes) for found in inside]
        mentions += [MentionDraft(it.name, it.kind) for it in reading.referents]
        denied = any(words.low[place] in _DENIED for place in range(first, behind))
        told = relations.relations(self.text, placed, denied)
        kept, told = _merged(mentions, told)
        self.statements.append((piece.first, piece.last))
        self.mere.append(piece.cause)
        self.facts.append(
            FactDraft(
                statement,
                piece.start,
                piece.end,
                passage.label,
                category=kind,
                confidence=sure,
                importance=grades.importance(said, kind, sure),
                event=None if moment is None else moment.event,
                mentioned_at=passage.moment,
                speaker=speaker,
                section=passage.section,
                mentions=kept,
                relations=told,
            )
        )

    def _resolved(self, at: int, piece: Piece, first: int, behind: int, speaker: str | None) -> Reading:
        read = self.reads[at]
        people = [found for found in read.found if found.kind == "person" and found.name != speaker]
        before: list[str] = []
        for earlier in self.reads[max(0, at - 2) : at]:
            before += [found.name for found in earlier.found if found.kind == "person" and found.name != speaker]
        thing: tuple[str, str | None] | None = None
        if piece.subject is not None:
            start, end = piece.subject
            covered = [found for found in read.found if start <= found.start and found.end <= end]
            kind = covered[0].kind if len(covered) == 1 and covered[0].end == end else None
            thing = (self.text[start:end], kind) if len(covered) != 1 or kind != "person" else None
        elif at and piece.first == read.line.start and read.words.at(first) in {"it", "it's", "its"}:
            thing = self._antecedent(self.reads[at - 1], read)
        return resolve(read.words, first, behind, speaker, people, distinct(before), thing)

    def _antecedent(self, earlier: _Read, read: _Read) -> tuple[str, str | None] | None:
        """The named thing that the sentence before is about, if "it" can mean nothing else."""
        if earlier.line.passage is not read.line.passage and earlier.line.passage.label != read.line.passage.label:
            return None
        words = earlier.words
        found = predicate(words, 0, len(words))
        if found is None or found.verb - found.subject > 4:
            return None
        first, behind = words.starts[found.subject], words.ends[found.verb - 1]
        things = [
            it for it in earlier.found if (it.kind is None or it.kind in _THINGS) and first <= it.start and it.end <= behind
        ]
        if len(things) == 1 and words.index(things[0].start) - found.subject <= 1 and things[0].end == behind:
            return things[0].name if self.text[first] == self.text[things[0].start] else self.text[first:behind], things[0].kind
        alone = (
            found.verb == found.subject + 1
            and self.text[first].isupper()
            and not any(it.start == first for it in earlier.found)
        )
        if alone and words.low[found.subject].isalpha() and len(words.low[found.subject]) > 3:
            return (self.text[first:behind], None) if not words.low[found.subject].endswith(("s", "ing")) else None
        return None

    def _row(self, read: _Read) -> None:
        """A row of a table: its cells, each with its column's name where there is one."""
        line, passage = read.line, read.line.passage
        values = [(start, end) for start, end in cells(self.text, line.start, line.end)]
        parts = []
        for place, (start, end) in enumerate(values):
            if start == end:
                continue
            value = " ".join(self.text[start:end].split())
            column = ""
            if len(passage.lead) == len(values):
                column = " ".join(self.text[slice(*passage.lead[place])].split())
            parts.append(f"{column}: {value}" if column else value)
        if not any(any(sign.isalnum() for sign in part) for part in parts):
            self.rejected.append(Rejection(line.start, line.end, "markup"))
            return
        moment = times.dated(self.text, line.start, line.end, read.words, passage.moment)
        statement = "; ".join(parts)
        kind = categories.category(
            statement, passage.section, spoken=False, technical=False, person=False, task=False, cause=False
        )
        self.statements.append((line.start, line.end))
        self.mere.append(False)
        self.facts.append(
            FactDraft(
                statement,
                line.start,
                line.end,
                passage.label,
                category=kind,
                importance=grades.importance(statement, kind, "high"),
                event=None if moment is None else moment.event,
                mentioned_at=passage.moment,
                speaker=passage.speaker,
                section=passage.section,
                mentions=tuple(MentionDraft(it.name, it.kind, it.start, it.end, it.homes) for it in read.found),
            )
        )


def _read(text: str, line: Line, known: Known) -> _Read:
    words = Words(text, line.start, line.end)
    found = [*shaped(text, line.start, line.end)]
    found += named(text, words, known, [(it.start, it.end) for it in found])
    return _Read(line, words, tuple(sorted(it for it in found if it.kind != "url")))


def _links(text: str, lines: Sequence[Line]) -> dict[int, list[CausalLink]]:
    """Causal relations told as real, under the sentence of their cue."""
    if not lines:
        return {}
    start = lines[0].start
    within = [
        Sentence(line.start - start, line.end - start, place == 0 or lines[place - 1].passage is not line.passage)
        for place, line in enumerate(lines)
    ]
    starts = [line.start for line in lines]
    found: dict[int, list[CausalLink]] = {}
    for link in find_causes(text[start : lines[-1].end], within):
        if link.negated or link.hypothetical:
            continue
        moved = link.__class__(
            link.kind,
            (link.cause[0] + start, link.cause[1] + start),
            (link.effect[0] + start, link.effect[1] + start),
            (link.cue[0] + start, link.cue[1] + start),
        )
        found.setdefault(bisect_left(starts, moved.cue[0] + 1) - 1, []).append(moved)
    return found


def _worded(body: str, piece: Piece, edits: Sequence[tuple[int, int, str]]) -> str:
    """The words of a piece with its edits, on one line, beginning with a capital where a pronoun or conjunction was cut off."""
    parts, at = [], piece.first
    for start, end, text in sorted(edits):
        if start < at:
            continue
        parts += [body[at:start], text]
        at = end
    statement = " ".join("".join([*parts, body[at : piece.last]]).split())
    statement = _FRONT.sub("", statement, count=1).rstrip(_BACK)
    if piece.first > piece.start and statement[:1].islower() and statement[1:2].islower():
        statement = statement[0].upper() + statement[1:]
    return statement


def _led(text: str, lead: Span, statement: str) -> str:
    """An item with the line that introduces its list."""
    words = " ".join(text[slice(*lead)].split())
    return f"{words} {statement}"


def _merged(
    mentions: Sequence[MentionDraft], told: Sequence[RelationDraft]
) -> tuple[tuple[MentionDraft, ...], tuple[RelationDraft, ...]]:
    """Each entity once, where it is first named; a pronoun counts only where the name does not stand."""
    places: dict[tuple[str, str | None], int] = {}
    kept: list[MentionDraft] = []
    to: list[int] = []
    for mention in mentions:
        key = (mention.name, mention.kind)
        if key not in places:
            places[key] = len(kept)
            kept.append(mention)
        to.append(places[key])
    moved = {RelationDraft(to[it.subject], it.name, to[it.object]) for it in told if to[it.subject] != to[it.object]}
    return tuple(kept), tuple(sorted(moved, key=lambda it: (it.subject, it.name, it.object)))


@lru_cache(maxsize=8)
def _known_in(text: str, speakers: tuple[str, ...]) -> Known:
    return Known(text, speakers)


def _known(document: LedgerDocument) -> Known:
    speakers = dict.fromkeys(segment.speaker for segment in document.segments or () if segment.speaker)
    return _known_in(document.body, tuple(speakers))


@lru_cache(maxsize=1)
def _fingerprint() -> str:
    """Over the sources of this package and of what it reads with, in a fixed order."""
    retain = files("illumina.retain")
    names = sorted(
        f"{folder}{entry.name}"
        for folder in ("", "builtin/", "dates/", "entities/", "entities/data/")
        for entry in (retain.joinpath(folder) if folder else retain).iterdir()
        if entry.name.endswith((".py", ".txt"))
    )
    return digest(*(part for name in names for part in (name, retain.joinpath(name).read_text(encoding="utf-8")))).hex()
