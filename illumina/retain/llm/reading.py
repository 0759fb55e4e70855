"""From what a model answered to drafts of facts, or an exact account of what is wrong with it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import regex

from illumina.errors import InvalidTextError
from illumina.retain.extract import SPEAKER
from illumina.retain.extraction import CausalDraft, Extraction, FactDraft, MentionDraft, Rejection, RelationDraft
from illumina.retain.llm.asking import UnusableAnswerError, arguments, summary
from illumina.retain.llm.forms import shown
from illumina.retain.llm.quotes import Quotations
from illumina.retain.llm.schema import TOOL
from illumina.retain.prepare import MAX_NAME_BYTES
from illumina.retain.sections import section_at
from illumina.text import paragraphs, validate_text
from illumina.types import EventTime

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from illumina.models.llm.base import Reply
    from illumina.types import Chunk, LedgerDocument

NOT_EXTRACTED: Final = "not extracted by the model"
_SHORTER: Final = "Use shorter statements and quotes, and leave out what matters least"

_VERB: Final = regex.compile(r"[a-z][a-z0-9_]{0,63}")


def read(reply: Reply, document: LedgerDocument, chunk: Chunk) -> Extraction:
    """What a model's answer says of a chunk. Pure.

    Facts whose quotation begins in the context before the chunk are left out: they are the earlier chunk's.

    Raises:
        UnusableAnswerError: Naming everything that is wrong, up to `MAX_PROBLEMS`.
    """
    return _Reader(document, chunk).read(arguments(reply, TOOL, shorter=_SHORTER))


class _Reader:
    """Reads one answer, collecting its problems."""

    def __init__(self, document: LedgerDocument, chunk: Chunk) -> None:
        self._document = document
        self._chunk = chunk
        self._offset = chunk.context_start
        text = document.body[self._offset : chunk.end]
        self._quotations = Quotations(text, chunk.start - self._offset)
        self._cues = Quotations(text)
        self._problems: list[str] = []

    def read(self, answer: dict[str, Any]) -> Extraction:
        drafts = [self._fact(fact, f"facts[{place}]") for place, fact in enumerate(answer["facts"])]
        for place, stated in enumerate(answer["causal"]):
            self._check_causal(stated, f"causal[{place}]", len(drafts))
        if self._problems:
            raise UnusableAnswerError(summary(self._problems))
        # One statement of one span is one fact, however often the model repeats it.
        distinct = {(d.start, d.end, d.statement): d for d in reversed(drafts) if d and d.start >= self._chunk.start}
        keys = sorted(distinct, key=lambda key: key[:2])
        position = {key: place for place, key in enumerate(keys)}
        places = [position.get((draft.start, draft.end, draft.statement)) if draft else None for draft in drafts]
        facts = tuple(distinct[key] for key in keys)
        return Extraction(facts, tuple(_causal(answer["causal"], places)), tuple(self._rejections(facts)))

    def _fact(self, fact: dict[str, Any], path: str) -> FactDraft | None:
        self._storable(fact["statement"], f"{path}.statement")
        event = self._event(fact["event"], f"{path}.event")
        said = self._moment(fact["mentioned_at"], f"{path}.mentioned_at")
        self._check_entities(fact, path)
        span = self._quotations.locate(fact["quote"])
        if span is None:
            self._problem(
                f"{path}.quote is {shown(fact['quote'])}, which does not occur in the passage; copy it letter for letter"
            )
            return None
        start, end = self._offset + span[0], self._offset + span[1]
        start, label, speaker, moment = self._place(start, end)
        mentions, relations = self._mentions(fact, start, end)
        return FactDraft(
            statement=" ".join(fact["statement"].split()),
            start=start,
            end=end,
            label=label,
            category=fact["category"],
            confidence=fact["confidence"],
            importance=fact["importance"],
            event=event,
            mentioned_at=moment or said or self._document.occurred_at,
            speaker=speaker,
            section=section_at(self._document.body, start) if self._document.segments is None else None,
            mentions=mentions,
            relations=relations,
        )

    def _place(self, start: int, end: int) -> tuple[int, str, str | None, datetime | None]:
        """Where a span begins in what is said, the label of that, and who said it when."""
        segments = self._document.segments
        if segments is None:
            spans = _paragraphs(self._document.body)
            return start, str(bisect_right(spans, start, key=lambda span: span[0])), None, None
        segment = segments[min(bisect_right(segments, start, key=lambda segment: segment.end), len(segments) - 1)]
        # A quotation may begin with the speaker's name.
        begin = segment.start if start < segment.start < end else start
        return begin, segment.label, segment.speaker, segment.occurred_at

    def _event(self, event: dict[str, Any] | None, path: str) -> EventTime | None:
        if event is None:
            return None
        start, end = (self._moment(event[side], f"{path}.{side}") for side in ("start", "end"))
        if event["start"] is None and event["end"] is None:
            self._problem(f"{path} has neither a start nor an end; it must be null then")
        if start and end and start >= end:
            self._problem(
                f"{path} ends at {shown(event['end'])}, which is not after its start {shown(event['start'])}; end is the first "
                "moment behind it"
            )
        return EventTime(start, end, event["precision"])

    def _moment(self, text: str | None, path: str) -> datetime | None:
        if text is None:
            return None
        try:
            moment = datetime.fromisoformat(text)
            return (moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            self._problem(f"{path} is {shown(text)}; it must be ISO 8601, such as 2026-03-02 or 2026-03-02T09:00:00Z")
            return None

    def _check_entities(self, fact: dict[str, Any], path: str) -> None:
        for place, entity in enumerate(fact["entities"]):
            self._storable(entity["name"], f"{path}.entities[{place}].name", MAX_NAME_BYTES)
            for number, home in enumerate(entity["homes"]):
                self._storable(home, f"{path}.entities[{place}].homes[{number}]", MAX_NAME_BYTES)
        for place, relation in enumerate(fact["relations"]):
            here = f"{path}.relations[{place}]"
            if not _VERB.fullmatch(relation["name"]):
                self._problem(f"{here}.name is {shown(relation['name'])}; it must be a verb in snake case, such as works_on")
            self._check_pair(relation, ("subject", "object"), here, len(fact["entities"]), f"{path}.entities")

    def _check_causal(self, stated: dict[str, Any], path: str, facts: int) -> None:
        self._check_pair(stated, ("cause", "effect"), path, facts, "facts")
        if self._cues.locate(stated["cue"]) is None:
            self._problem(
                f"{path}.cue is {shown(stated['cue'])}, which does not occur in the passage; copy it letter for letter"
            )

    def _check_pair(self, pair: dict[str, Any], sides: tuple[str, str], path: str, count: int, what: str) -> None:
        known = True
        for side in sides:
            if not 0 <= pair[side] < count:
                known = False
                self._problem(f"{path}.{side} is {shown(pair[side])}, but {what} has {count} items, counted from 0")
        if known and pair[sides[0]] == pair[sides[1]]:
            self._problem(f"{path} relates item {pair[sides[0]]} of {what} to itself; {sides[0]} and {sides[1]} must differ")

    def _storable(self, text: str, path: str, limit: int | None = None) -> None:
        try:
            validate_text(text, path)
        except InvalidTextError:
            self._problem(f"{path} holds a character that is no text (NUL or half a surrogate pair)")
            return
        if not text.strip():
            self._problem(f"{path} is empty")
        if limit is not None and len(text.encode()) > limit:
            self._problem(f"{path} is longer than {limit:,} bytes")

    def _problem(self, text: str) -> None:
        self._problems.append(text)

    def _mentions(
        self, fact: dict[str, Any], start: int, end: int
    ) -> tuple[tuple[MentionDraft, ...], tuple[RelationDraft, ...]]:
        """The entities in the order of their spans, those that only a pronoun names last; and their relations."""
        quote = Quotations(self._document.body[start:end])
        found = []
        for place, entity in enumerate(fact["entities"]):
            span = quote.locate(entity["name"])
            name, homes = entity["name"].strip(), tuple(dict.fromkeys(home.strip() for home in entity["homes"]))
            mention = MentionDraft(name, entity["kind"], homes=homes)
            if span is not None:
                mention = replace(mention, start=start + span[0], end=start + span[1])
            found.append((span is None, span or (0, 0), place, mention))
        found.sort(key=lambda item: item[:3])
        position = {place: new for new, (_, _, place, _) in enumerate(found)}
        relations = {
            RelationDraft(position[relation["subject"]], relation["name"], position[relation["object"]]): None
            for relation in fact["relations"]
            if relation["subject"] in position and relation["object"] in position
        }
        return tuple(mention for *_, mention in found), tuple(relations)

    def _rejections(self, facts: Sequence[FactDraft]) -> Iterator[Rejection]:
        """What no fact covers: the names of speakers, and what the model left."""
        place = self._chunk.start
        for start, end in [*((fact.start, fact.end) for fact in facts), (self._chunk.end, self._chunk.end)]:
            if start > place:
                yield from self._left(place, start)
            place = max(place, end)

    def _left(self, start: int, end: int) -> Iterator[Rejection]:
        segments = self._document.segments
        if segments is None:
            yield from self._trimmed(start, end, NOT_EXTRACTED)
            return
        place = start
        for segment in segments[bisect_right(segments, start, key=lambda segment: segment.end) :]:
            if segment.start >= end:
                break
            yield from self._trimmed(place, segment.start, SPEAKER)
            place = min(end, segment.end)
            yield from self._trimmed(max(start, segment.start), place, NOT_EXTRACTED)
        yield from self._trimmed(place, end, SPEAKER)

    def _trimmed(self, start: int, end: int, reason: str) -> Iterator[Rejection]:
        piece = self._document.body[start:end]
        if stripped := piece.strip():
            first = start + piece.index(stripped)
            yield Rejection(first, first + len(stripped), reason)


def _causal(stated: list[dict[str, Any]], places: list[int | None]) -> Iterator[CausalDraft]:
    """The relations between facts that are kept, each once, in the order of their facts."""
    seen: dict[tuple[int, str, int], str] = {}
    for relation in stated:
        cause, effect = places[relation["cause"]], places[relation["effect"]]
        if cause is not None and effect is not None and cause != effect:
            seen.setdefault((cause, relation["kind"], effect), relation["cue"].strip())
    for (cause, kind, effect), cue in sorted(seen.items()):
        yield CausalDraft(kind, cause, effect, cue)  # type: ignore[arg-type]


@lru_cache(maxsize=8)
def _paragraphs(body: str) -> list[tuple[int, int]]:
    return paragraphs(body)
