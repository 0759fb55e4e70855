"""A sentence, cut into what can each be stated by itself, and what tells nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from illumina.retain.builtin import gate
from illumina.retain.builtin.clausal import Predicate, imperative, predicate
from illumina.retain.clauses import Words
from illumina.retain.words import AUXILIARIES, PRONOUNS, SAYING, SUBORDINATORS, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from illumina.retain.causal_readings import CausalLink
    from illumina.retain.clauses import Span

_JOINING: Final = words_of("and but so whereas yet ;")
_OPENERS: Final = SUBORDINATORS | words_of("as after before to during by for in by")
_CONDITIONS: Final = SUBORDINATORS - words_of("because since although though while whereas")
_UNBOUND: Final = words_of("it it's this that these those they they're they've they'd that's which there there's")
_STRIPPED: Final = words_of("because since so as and but yet whereas therefore thus hence ; , : — –")
_MOOD: Final = words_of("that whether if")
_SHORTEST: Final = 2
"""Words that a clause has at least."""


class Piece(NamedTuple):
    """What can be stated by itself.

    Attributes:
        start: Offset of what supports it.
        end: Offset behind that.
        first: Offset of the first word of the statement; conjunctions before it are left out.
        last: Offset behind the last.
        subject: What "it" at its beginning stands for, as another stretch of the sentence.
        hedge: Whether assent is asked for, or doubt was voiced before it.
        cause: Whether the sentence gives it as the cause of its other part.
    """

    start: int
    end: int
    first: int
    last: int
    subject: Span | None = None
    hedge: bool = False
    cause: bool = False


class Cut(NamedTuple):
    """A sentence taken apart; together the parts cover it but white space."""

    pieces: tuple[Piece, ...]
    rejected: tuple[tuple[int, int, str], ...]


def cut(text: str, start: int, end: int, words: Words, links: Sequence[CausalLink]) -> Cut:
    """Cut a sentence.

    Args:
        text: The body without markup.
        start: Where the sentence begins.
        end: Where it ends.
        words: Its words.
        links: Causal relations whose cue stands in it.
    """
    if reason := gate.empty(text, start, end):
        return Cut((), ((start, end, reason),))
    rejected: list[tuple[int, int, str]] = []
    hedge = False
    for _ in range(4):
        opening = gate.opener(text, start, end)
        if opening is None or opening[0] >= end:
            break
        rejected.append((start, opening[0], opening[1]))
        hedge = hedge or opening[1] == "filler"
        start = opening[0]
        if reason := gate.empty(text, start, end):
            return Cut((), (*rejected, (start, end, reason)))
    if gate.asks(text, start, end):
        question = gate.last_question(text, start, end, words)
        if question is None:
            return Cut((), (*rejected, (start, end, "question")))
        rejected.append((question[0], end, "question"))
        end = question[0]
        hedge = hedge or question[1]
    pieces = [Piece(start, end, start, end, hedge=hedge)]
    pieces = [part for piece in pieces for part in _coordinated(words, piece)]
    pieces = [part for piece in pieces for part in _caused(words, piece, links)]
    return Cut(tuple(_trimmed(words, piece) for piece in pieces), tuple(sorted(rejected)))


def _coordinated(words: Words, piece: Piece) -> list[Piece]:
    """Clauses that a conjunction or a semicolon joins, each with a subject and a verb of its own."""
    first, behind = words.index(piece.first), words.index(piece.last)
    found: list[Piece] = []
    depth = 0
    quoted = False
    begin, left = piece, first
    for place in range(first, behind):
        word = words.low[place]
        if word in {"(", "[", "“"}:
            depth += 1
        elif word in {")", "]", "”"}:
            depth = max(0, depth - 1)
        elif word == '"':
            quoted = not quoted
        if word not in _JOINING or depth or quoted or place - left < _SHORTEST or behind - place <= _SHORTEST:
            continue
        if word in {"so", "yet"} and words.at(place - 1) not in {",", ";", "and"}:
            continue
        subject = _parts(words, left, place, behind)
        if subject is None:
            continue
        at = words.starts[place]
        found.append(begin._replace(end=at, last=at))
        begin = Piece(at, piece.end, words.ends[place], piece.last, subject[0], hedge=False)
        left = place + 1
    return [*found, begin]


def _parts(words: Words, left: int, place: int, behind: int) -> tuple[Span | None] | None:
    """Whether a conjunction joins two clauses; if so, what "it" behind it stands for."""
    word = words.low[place]
    opening = left
    while opening < place and (words.adverb(opening) or words.at(opening) in {",", "and", "but"}):
        opening += 1
    if word == "and" and (words.at(opening) in _OPENERS and words.first_comma(opening, place) is None):
        return None
    if word == "and" and any(
        words.low[inner] in _CONDITIONS or (words.low[inner] in _MOOD and words.at(inner - 1) in SAYING)
        for inner in range(left, place)
    ):
        return None
    before = predicate(words, left, place)
    if before is None and words.at(opening) in _OPENERS:
        comma = words.first_comma(opening, place)
        before = None if comma is None else predicate(words, comma + 1, place)
    if (
        before is None
        and not (imperative(words, left, place) and word != ";")
        and not (word == ";" and place - left > _SHORTEST)
    ):
        return None
    after = predicate(words, place + 1, behind)
    if after is None:
        ordered = word in {"so", "but", ";"} and imperative(words, place + 1, behind)
        return (None,) if ordered else None
    if words.at(after.subject) in _UNBOUND and word != ";":
        subject = _carried(words, before, place)
        return None if subject is None or words.at(after.subject) != "it" else (subject,)
    if words.at(after.subject) in AUXILIARIES:
        return None
    return (None,)


def _carried(words: Words, before: Predicate | None, behind: int) -> Span | None:
    """The subject of a clause in which nothing else can be meant by "it"."""
    if before is None or words.at(before.subject) in PRONOUNS or before.subject == before.verb:
        return None
    rest = [
        place for place in range(before.verb + 1, behind) if words.low[place] not in {",", "and"} and not words.adverb(place)
    ]
    if len(rest) > 1:
        return None
    return words.span(before.subject, before.verb)


def _caused(words: Words, piece: Piece, links: Sequence[CausalLink]) -> list[Piece]:
    """A cause and its effect, where each is a clause."""
    for link in links:
        one, other = sorted((link.cause, link.effect))
        if not (piece.first <= one[0] and other[1] <= piece.last and one[1] <= other[0]):
            continue
        left, right = words.index(one[0]), words.index(other[0])
        before = predicate(words, left, words.index(one[1]))
        after = predicate(words, right, words.index(other[1]))
        if before is None or after is None:
            continue
        subject = None
        if words.at(after.subject) in _UNBOUND:
            subject = _carried(words, before, words.index(one[1]))
            if subject is None or words.at(after.subject) != "it":
                continue
        between = one[1] <= link.cue[0] and link.cue[1] <= other[0]
        if not between and not (link.cue[1] <= one[0]):
            continue
        at = link.cue[0] if between else other[0]
        first = max(piece.first, link.cue[1]) if not between else piece.first
        fronted = one == link.cause
        return [
            piece._replace(end=at, first=first, last=one[1], cause=fronted),
            Piece(at, piece.end, other[0], piece.last, subject, cause=not fronted),
        ]
    return [piece]


def _trimmed(words: Words, piece: Piece) -> Piece:
    """Without conjunctions and marks at the edges of the statement, and white space at those of the span."""
    text = words.text
    first, behind = words.index(piece.first), words.index(piece.last)
    while first < behind - 1 and words.low[first] in _STRIPPED and words.at(first + 1) != "that":
        if words.low[first] in {"as", "since", "so"} and piece.first == piece.start:
            break
        first += 1
    begin = words.starts[first] if first < behind and words.starts[first] > piece.first else piece.first
    while begin < piece.last and text[begin].isspace():
        begin += 1
    last = piece.last
    while last > begin and (text[last - 1].isspace() or text[last - 1] in ",;—–"):
        last -= 1
    start, end = piece.start, piece.end
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return piece._replace(start=start, end=end, first=begin, last=max(last, begin))
