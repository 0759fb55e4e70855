"""Where a subject and its verb stand: a guess good enough to tell a clause from a phrase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from illumina.retain.builtin.lexicon import BASES, NOUNS_TOO, PASTS, THIRDS
from illumina.retain.words import (
    AUXILIARIES,
    COORDINATORS,
    DETERMINERS,
    HARD,
    NEGATIONS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    SUBORDINATORS,
    words_of,
)

if TYPE_CHECKING:
    from illumina.retain.clauses import Words

MAX_SUBJECT: Final = 12
"""Words that a subject may have."""

_CONTRACTED: Final = words_of(
    "i'm we're you're they're it's he's she's we've i've they've you've i'd we'd he'd she'd they'd that's there's i'll we'll "
    "you'll he'll she'll they'll it'll"
)
_SUBJECTS: Final = PRONOUNS | words_of(
    "nobody everybody everyone somebody someone anyone nothing everything something this that"
)
_NOT_FINITE: Final = words_of("be been being having")
_BARE: Final = words_of("please let's don't do never always make note remember")


class Predicate(NamedTuple):
    """Where the subject begins and where the finite verb stands, as positions of words."""

    subject: int
    verb: int


def predicate(words: Words, first: int, behind: int) -> Predicate | None:
    """The subject and the finite verb of a clause that begins at a word; None if there seems to be none."""
    while first < behind and (
        words.at(first) in {",", "and", "but", "so", "then", "also", "yet", "because"} or words.adverb(first)
    ):
        first += 1
    if first >= behind:
        return None
    if words.at(first) in _CONTRACTED:
        return Predicate(first, first)
    if words.at(first) in _SUBJECTS:
        verb = _verb_behind(words, first, behind)
        if verb is not None or words.at(first) not in {"this", "that"}:
            return None if verb is None else Predicate(first, verb)
    for place in range(first + 1, min(first + MAX_SUBJECT, behind)):
        if _ends_subject(words, place):
            return None
        if _finite(words, place, behind):
            return Predicate(first, place)
    return None


def _verb_behind(words: Words, pronoun: int, behind: int) -> int | None:
    """The verb soon behind a pronoun; adverbs and negations may stand between."""
    for place in range(pronoun + 1, min(pronoun + 5, behind)):
        word = words.at(place)
        if word in AUXILIARIES or word in PASTS or word in THIRDS or word in BASES:
            return place
        if not (words.adverb(place) or word in NEGATIONS):
            return None
    return None


def _ends_subject(words: Words, place: int) -> bool:
    word = words.low[place]
    if word == ",":
        return not (words.low[place - 1].isdigit() and words.at(place + 1).isdigit())
    return word in HARD or word in RELATIVES or word in SUBORDINATORS or word in {"that", "but", "so"}


def _finite(words: Words, place: int, behind: int) -> bool:
    """Whether a word behind the beginning of a subject is its finite verb."""
    word, last = words.low[place], words.at(place - 1)
    if word in AUXILIARIES:
        return word not in _NOT_FINITE and last not in DETERMINERS
    if last in DETERMINERS or last in PREPOSITIONS or last in COORDINATORS or last == "to":
        return False
    if word in PASTS:
        return words.at(place + 1) != "by"
    following = words.at(place + 1) if place + 1 < behind else ""
    if word in THIRDS:
        return not last.endswith("s") or word.removesuffix("s") not in NOUNS_TOO or last.endswith("ss")
    if word in BASES:
        plural = last.endswith("s") and not last.endswith(("ss", "us", "is"))
        return plural and (
            word not in NOUNS_TOO or following in DETERMINERS or following in PREPOSITIONS or following in {"to", "up"}
        )
    return False


def imperative(words: Words, first: int, behind: int) -> bool:
    """Whether a stretch begins as an order or a request."""
    while first < behind and (words.adverb(first) or words.at(first) in {",", "and", "then"}) and words.at(first) not in _BARE:
        first += 1
    word, following = words.at(first), words.at(first + 1)
    if word in _BARE:
        return following in BASES or (word in {"please", "note", "remember"} and first + 1 < behind)
    return (
        word in BASES
        and following not in AUXILIARIES
        and following not in PASTS
        and (word not in NOUNS_TOO or following in DETERMINERS or following in {"up", "out", "down", "off", "it", "them"})
    )
