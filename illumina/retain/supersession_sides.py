"""What stands before and behind a cue of supersession: subjects, objects, and whether they are the text itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from illumina.retain.clauses import Span, Words
from illumina.retain.references import begins_with_reference, named, references
from illumina.retain.supersession_cues import Extent
from illumina.retain.words import AUXILIARIES, BE, COORDINATORS, NEGATIONS, PRONOUNS, RELATIVES, words_of

if TYPE_CHECKING:
    from illumina.retain.sentences import Sentence

_KINDS: Final = (
    r"(?:\w+ ){0,2}(?:pep|adr|rfc|document|proposal|decision|record|spec|specification|note|page|policy|design|layer|version|"
    r"standard|memo|mr|pr|change|ticket)\b"
)
_SELF: Final = re.compile(rf"(?:this|the present|our|current) {_KINDS}|(?:it|this|we|which|status)\b", re.IGNORECASE)
DOCUMENT: Final = re.compile(rf"(?:this|the present) {_KINDS}", re.IGNORECASE)
"""How a text speaks of itself."""
_PARTS: Final = re.compile(
    r"\b(?:parts?|sections?|portions?|aspects?|pieces?|bits?|half|some|paragraphs?|chapters?) of\b|"
    r"\b(?:partially|partly|in part)\b|['’]s \w|§",
    re.IGNORECASE,
)
_OVER: Final = words_of(
    "supersedes superseded replaces replaced obsoletes obsoleted amends amended updates updated extends extended"
)
_PARTLY: Final = frozenset({"partially", "partly", "part", "parts"})
_STATUSES: Final = words_of("accepted proposed final draft rejected active deprecated approved status superseded closes")


class Sides:
    """The words of one sentence, and what in it may be old or new."""

    def __init__(self, text: str, sentence: Sentence) -> None:
        self.text = text
        self.sentence = sentence
        self.words = Words(text, sentence.start, sentence.end)

    def _group(self, place: int) -> int:
        """Where the auxiliaries and adverbs before a verb begin."""
        words = self.words
        first = place
        while first > max(0, place - 8):
            word = words.at(first - 1)
            if not (
                word in AUXILIARIES
                or word in NEGATIONS - {"no"}
                or words.adverb(first - 1)
                or word in _PARTLY
                or word in {"to", "effectively"}
            ):
                break
            first -= 1
        return first

    def _subject(self, place: int) -> tuple[Span | None, bool]:
        """The subject of a verb group that begins at a word, and whether that is the text itself; also if there is none."""
        words = self.words
        if words.at(place - 1) in RELATIVES | {"that"} and place > 1:
            end = place - 1 - (words.at(place - 2) == ",")
            first = words.noun_phrase_before(end)
            return self._own(first, end) if first < end else (None, False)
        if words.at(place - 1) in {"|", "("}:
            return words.span(words.noun_phrase_before(place - 1), place - 1), False
        first = words.subject_before(place)
        if words.at(place - 1) == "and":
            for index in range(place - 2, max(-1, place - 24), -1):
                if words.low[index] in _OVER and words.low[index] != words.at(place):
                    return self._subject(self._group(index))
                if words.stops(index):
                    break
        if words.at(place - 1) == "and" and (earlier := words.subject_before(place - 1)) < place - 1:
            # "X was rejected and superseded by Y": the subject of the verb before.
            for index in range(earlier, place - 1):
                if words.low[index] in AUXILIARIES:
                    return self._own(earlier, index)
        return self._own(first, place)

    def _own(self, first: int, end: int) -> tuple[Span | None, bool]:
        span = self.words.span(first, end)
        if span is None:
            return None, True
        said = self.text[slice(*span)]
        if references(self.text, span) and not said.lower().startswith(("this", "the present")):
            return span, False
        own = _SELF.match(said)
        bare = all(word in _STATUSES or not word[0].isalnum() for word in said.lower().split())
        return span, bare or (
            own is not None and not (own.end() < len(said) and said[own.end() :].lstrip().startswith(("'s", "’s")))
        )

    def _object(self, behind: int) -> tuple[Span | None, bool, int]:
        words = self.words
        while words.at(behind) in {":", "the", "a", "an"} and words.at(behind) == ":":
            behind += 1
        stop = words.object_after(behind)
        joined = next(
            (at for at in range(behind + 1, stop - 1) if words.low[at] in COORDINATORS and words.low[at + 1] in _OVER), None
        )
        stop = stop if joined is None else joined
        while words.at(stop) == "(" and (closing := words.closing(stop)):
            stop = closing + 1
        span = words.span(behind, stop)
        said = self.text[slice(*span)].lower() if span else ""
        return span, bool(re.match(r"this (?:pep|adr|rfc|document|proposal|decision|record|spec)", said)), stop

    def _speaks(self, subject: Span | None, direct: bool) -> bool:
        """Whether a subject is the text itself: it says so, or says "it" or nothing right beside another document's id."""
        return (subject is not None and DOCUMENT.match(self.text, subject[0]) is not None) or direct

    def _extent(self, kind: Extent, old: Span | None, place: int) -> Extent:
        if kind != "whole" or old is None:
            return kind
        around = self.words.low[max(0, place - 3) : place]
        tail = self.text[old[0] : min(self.sentence.end, old[1] + 12)]
        within = bool(named(self.text, old)) and not begins_with_reference(self.text, old)
        return "partial" if within or _PARTS.search(tail) or _PARTLY & {*around} else kind

    def _favour(self, start: int, stop: int) -> int | None:
        """The word behind "in favour of"."""
        low = self.words.low
        for index in range(start, stop + 1):
            if low[index : index + 3] in (["in", "favour", "of"], ["in", "favor", "of"]):
                return index + 3
        return None

    def _subject_with(self, place: int, behind: int) -> Span | None:
        """From the subject of a cue to the end of its clause."""
        words = self.words
        first = words.span(words.subject_before(self._group(place)), place)
        rest = words.span(behind, words.clause_after(behind))
        if first is None or rest is None:
            return rest or first
        return first[0], rest[1]

    def _rule(self, first: int, place: int) -> bool:
        """Whether a clause says what holds, by an auxiliary or a pronoun, not merely a period of time."""
        return any(word in AUXILIARIES or word in PRONOUNS for word in self.words.low[first:place])

    def _heir(self, place: int, old: Span) -> tuple[Span | None, bool] | None:
        """What is said to be a successor, a version of or the like; of "differences from …" in a heading, the text itself."""
        words, word = self.words, self.words.low[place]
        if not (begins_with_reference(self.text, old) or word in {"successor", "replacement", "continuation"}):
            return None
        if word in {"differences", "changes", "difference"}:
            return (None, True) if len(words) <= 12 else None
        verb = next((index for index in range(place - 1, max(-1, place - 10), -1) if words.low[index] in BE), None)
        return None if verb is None else self._subject(self._group(verb + 1))

    def _replacer(self, place: int, first: int) -> tuple[Span | None, bool]:
        """The subject of a verb that replaces; of ", replacing …", the clause before."""
        words = self.words
        if not (words.low[place].endswith("ing") and words.at(first - 1) == ","):
            return self._subject(first)
        new, own = self._own(words.clause_before(first - 1), first - 1)
        return new, own and new is not None and DOCUMENT.match(self.text, new[0]) is not None
