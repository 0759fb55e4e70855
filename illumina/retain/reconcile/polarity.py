"""Whether two clauses say the opposite of one another about the same: by a denial, or by words that are opposites."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from illumina.retain.reconcile.lexicon import NEVER_MIND, NUMBERS, OPPOSITES, PHRASES, VERBS
from illumina.text import lexemes

_TOKEN: Final = re.compile(r"[^\W_](?:\w|[-'’./@#+&:](?=\w))*")
_COPULA: Final = frozenset(
    {"is", "are", "am", "be", "been", "being", "stays", "remains", "a", "an", "not", "fully", "very", "now"}
)

GENERAL: Final = frozenset(
    lexemes("use uses support supports offer offers provide provides ship ships maintain maintains sell sells")
)
"""What "we" do not do, none of ours does."""


@dataclass(frozen=True, slots=True)
class Stance:
    """What a clause affirms or denies.

    Attributes:
        tokens: Its content words in order, as lexemes, opposites as one word.
        pivot: Position of the word that is affirmed or denied; None if no word of the clause shows which that is.
        affirms: Whether it is affirmed.
        denies: Whether it is denied in so many words ("no longer", "does not"), not only by an opposite.
    """

    tokens: tuple[str, ...]
    pivot: int | None
    affirms: bool
    denies: bool

    def opposes(self, older: Stance) -> str | None:
        """`all` if this says the opposite of all of the older; `more` if the older says more about what this denies; else None.

        The words before the pivot must be the same set and so must those behind it; behind the pivot of what is denied the
        older may say more ("uses MySQL for invoices" once "no longer uses MySQL").
        """
        if self.affirms == older.affirms or (self.pivot is None and older.pivot is None):
            return None
        if self.pivot is None:
            assert older.pivot is not None
            pivot = older.tokens[older.pivot]
        else:
            pivot = self.tokens[self.pivot]
        mine, theirs = self._split(pivot), older._split(pivot)
        if mine is None or theirs is None:
            return None
        anybody = self.denies and not mine[0] and pivot in GENERAL  # "we no longer support X": nobody here does
        if mine[0] != theirs[0] and not anybody:
            return None
        if mine[1] == theirs[1]:
            return "all"
        return "more" if self.denies and mine[1] and mine[1] < theirs[1] else None

    def _split(self, pivot: str) -> tuple[frozenset[str], frozenset[str]] | None:
        place = self.pivot
        if place is None or self.tokens[place] != pivot:
            if place is not None or pivot not in self.tokens:
                return None
            place = self.tokens.index(pivot)
        return frozenset(self.tokens[:place]), frozenset(self.tokens[place + 1 :])


def stance(plain: str) -> Stance | None:
    """What one clause affirms or denies; None if it denies only in part, twice, or says nothing. Pure."""
    if NEVER_MIND.search(plain):
        return None
    for pattern, instead in PHRASES:
        plain = pattern.sub(instead, plain)
    tokens: list[str] = []
    pivot: int | None = None
    affirms, denied, before = True, 0, ""
    for match in _TOKEN.finditer(plain):
        word = match[0].lower()
        if word == "not":
            denied += 1
            pivot = len(tokens) if pivot is None else pivot
        elif word in OPPOSITES and (OPPOSITES[word][0] in VERBS or word.startswith("eat") or before in _COPULA):
            canonical, sign = OPPOSITES[word]
            if pivot is None or pivot == len(tokens):
                pivot = len(tokens)
                affirms = affirms if sign > 0 else not affirms
                tokens.append(canonical)
            else:
                tokens += lexemes(word)
        else:
            tokens += lexemes(NUMBERS.get(word, word))
        before = word
    if denied > 1 or len(tokens) < 2 or (pivot is not None and pivot >= len(tokens)):
        return None
    return Stance(tuple(tokens), pivot, affirms != bool(denied), bool(denied))
