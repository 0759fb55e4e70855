"""Under which keys two names meet that may be one: all that `compare` leaves possible do, and few others.

Trigrams alone bring together most names of one language, so that among ten thousand names comparing would cost more than
all the rest. What is possible is narrower: designations must be equal but for one slip in a long word, and two names of
persons must agree in two words, or in one where one of them has no more, each as `illumina.retain.entities.evidence` compares
words. Words that are a slip apart share what is left when a letter is taken out of each (Mor and Fraenkel 1982, "A hash code
method for detecting and correcting spelling errors"); of long ones, of which two slips are possible, either the beginnings do
so or the ends are equal.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from illumina.retain.entities import nicknames
from illumina.retain.entities.evidence import LONG, one_vowel, stems
from illumina.retain.entities.forms import skeleton

if TYPE_CHECKING:
    from collections.abc import Iterator

    from illumina.retain.entities.forms import NameForm

END: Final = 4
"""Letters at the beginning and at the end of a long word that are looked at.

If two slips are both within the first four letters or next to them, the last four of at least nine are untouched; if not,
at most one is in the first four.
"""


def whole(form: NameForm) -> Iterator[str]:
    """Shared by forms with equal words, written in one or not, and by those with one slip in a long word or a short form."""
    yield f"joined|{form.joined}"
    for place, word in enumerate(form.tokens):
        others = " ".join((*form.tokens[:place], "", *form.tokens[place + 1 :]))
        for least in {len(word), len(word) - 1}:
            if least >= LONG:
                # What comes before and behind one slip is at least so long together.
                half = (least - 1) // 2
                yield f"before|{least}|{word[:half]}|{others}"
                yield f"behind|{least}|{word[-half:]}|{others}"
        yield from (f"short|{root}|{others}" for root in nicknames.roots(word))


@lru_cache(maxsize=1 << 16)
def offered(word: str) -> frozenset[str]:
    """Keys under which a word of a person's name is found."""
    found = {*_both(word)}
    if len(word) > 1:
        found |= {f"initial|{letter}" for letter in _initials(word)}
    found |= {f"head|{head}" for head in _heads(word)} | {f"clip|{stem}" for stem in stems(word)}
    return frozenset(found)


@lru_cache(maxsize=1 << 16)
def asked(word: str) -> frozenset[str]:
    """Keys under which a word looks for those that it may stand for or be: whichever of two asks, they share one."""
    found = {*_both(word)}
    if len(word) == 1:
        found.add(f"initial|{word}")
    else:
        found |= {f"word|{one_vowel(letter)}" for letter in _initials(word)}
    found |= {f"clip|{head}" for head in _heads(word)} | {f"head|{stem}" for stem in stems(word)}
    return frozenset(found)


def _both(word: str) -> Iterator[str]:
    yield f"word|{one_vowel(word)}"
    yield from (f"given|{group}" for group in nicknames.groups(word))
    if 1 < len(word) <= LONG:
        yield from (f"slip|{word[:at]}{word[at + 1 :]}" for at in range(len(word)))
        yield f"slip|{word}"
    if len(word) >= LONG:
        yield from (f"begins|{word[:at]}{word[at + 1 : END]}" for at in range(END))
        yield f"ends|{word[-END:]}"
    if len(word) > 4 and len(sounds := skeleton(word)) > 2:
        yield f"sounds|{sounds}"


def _initials(word: str) -> set[str]:
    return {name[0] for name in (word, *nicknames.roots(word))}


def _heads(word: str) -> list[str]:
    return [word[:length] for length in (3, 4, 5)] if len(word) > 4 else []
