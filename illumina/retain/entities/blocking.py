"""Pairs of forms worth a look: by trigrams as pg_trgm takes them, and by keys."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from illumina.retain.entities.forms import NameForm

SIMILAR: Final = 0.3
"""Least similarity of candidates, `pg_trgm.similarity_threshold` by default."""

_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+")


@lru_cache(maxsize=1 << 16)
def trigrams(text: str) -> frozenset[str]:
    """Those of pg_trgm's `show_trgm`: of each word in lower case, with two blanks before and one behind it."""
    padded = (f"  {word} " for word in _WORD.findall(text.lower()))
    return frozenset(word[start : start + 3] for word in padded for start in range(len(word) - 2))


def candidate(left: NameForm, right: NameForm) -> bool:
    """Whether two forms are worth a look: similar texts, or one asks for a key that the other offers."""
    if not left.asks.isdisjoint(right.offers) or not right.asks.isdisjoint(left.offers):
        return True
    one, other = trigrams(left.text), trigrams(right.text)
    shared = len(one & other)
    return shared > 0 and shared >= SIMILAR * (len(one) + len(other) - shared)


def candidates(forms: Sequence[NameForm]) -> Iterator[tuple[int, int]]:
    """The pairs of positions for which `candidate` holds, the smaller first and each once."""
    offering: defaultdict[str, list[int]] = defaultdict(list)
    for number, form in enumerate(forms):
        for key in form.offers:
            offering[key].append(number)
    asked: list[set[int]] = [set() for _ in forms]
    for number, form in enumerate(forms):
        for other in {other for key in form.asks for other in offering[key]}:
            if other != number:
                asked[max(other, number)].add(min(other, number))
    for number, found in enumerate(_similar([trigrams(form.text) for form in forms])):
        yield from ((other, number) for other in sorted(asked[number].union(found)))


def _similar(sets: Sequence[frozenset[str]]) -> Iterator[list[int]]:
    """For each set the smaller positions of those at least `SIMILAR` to it."""
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for number, grams in enumerate(sets):
        for gram in grams:
            holders[gram].append(number)
    arrays = {gram: np.array(numbers, dtype=np.int64) for gram, numbers in holders.items()}
    sizes = np.array([len(grams) for grams in sets], dtype=np.int64)
    for number, grams in enumerate(sets):
        below = [arrays[gram][: np.searchsorted(arrays[gram], number)] for gram in sorted(grams)]
        if not below:
            yield []
            continue
        shared = np.bincount(np.concatenate(below), minlength=number)[:number]
        (rows,) = np.nonzero(shared)
        either = sizes[rows] + sizes[number] - shared[rows]
        yield rows[shared[rows] >= SIMILAR * either].tolist()
