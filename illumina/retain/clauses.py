"""Words and rough phrase bounds, for extractors that read by cue words.

No parser and no model: words are looked up in small closed classes (determiners, prepositions, auxiliaries, conjunctions),
and a phrase ends where one of them cannot belong to it. Every walk looks at `REACH` words at most, so that reading is linear
in the length of the text however long a line is.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from illumina.retain.words import (
    ADVERBS,
    ATTACHING,
    AUXILIARIES,
    COORDINATORS,
    DETERMINERS,
    FINITE_BE,
    HARD,
    MODALS,
    NEGATIONS,
    NOUNISH,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    SAYING,
    SUBORDINATORS,
    THAT_OPENERS,
    VERBS,
)

Span = tuple[int, int]
"""Offset of the first character, and offset behind the last."""

REACH: Final = 48
"""Words that a phrase or clause may extend from its cue; what is longer is cut there."""


_WORD: Final = r"[^\W_](?:\w|[-'’./@#+&:](?=\w))*"
_TOKEN: Final = re.compile(rf"`[^`\n]{{1,80}}`|{_WORD}|\w|->|=>|[→⇒]|--+|[^\s\w]")

_JOINING: Final = frozenset({"and", "or", "&"})
_CONTRASTING: Final = frozenset({"because", "although", "though", "whereas", "unless", "but"})


class Words:
    """The words and punctuation marks of a stretch of text, in order.

    Attributes:
        low: Each in lower case, with straight apostrophes.
        starts: The offset of each in the text.
        ends: The offset behind each.
        opening: The first that is neither punctuation nor a conjunction.
    """

    __slots__ = ("ends", "low", "opening", "starts", "text")

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        matches = list(_TOKEN.finditer(text, start, end))
        self.low = [match[0].lower().replace("’", "'") for match in matches]
        self.starts = [match.start() for match in matches]
        self.ends = [match.end() for match in matches]
        self.opening = 0
        while self.opening < len(matches) and (self._edge(self.opening) or self.low[self.opening] in COORDINATORS):
            self.opening += 1

    def __len__(self) -> int:
        return len(self.low)

    def at(self, index: int) -> str:
        """A word, or nothing outside of the stretch."""
        return self.low[index] if 0 <= index < len(self.low) else ""

    def index(self, offset: int) -> int:
        """The first word that begins at an offset or behind it."""
        return bisect_left(self.starts, offset)

    def span(self, first: int, behind: int) -> Span | None:
        """The characters from a word to before another, without outer punctuation and conjunctions; None if nothing is left."""
        while first < behind and (self._edge(first) or (self.low[first] in COORDINATORS | {"then", "also"})):
            first += 1
        while first < behind and (self._edge(behind - 1) or self.low[behind - 1] in COORDINATORS):
            if self.low[behind - 1] == ")" and "(" in self.low[max(first, behind - 24) : behind]:
                break
            behind -= 1
        return (self.starts[first], self.ends[behind - 1]) if first < behind else None

    def _edge(self, index: int) -> bool:
        token = self.low[index]
        return not (token[0].isalnum() or token[0] in "`#$€£@" or token[-1].isalnum())

    def stops(self, index: int) -> bool:
        """Whether no phrase crosses this mark."""
        return self.low[index] in HARD

    def adverb(self, index: int) -> bool:
        """Whether a word may stand inside a verb group without being part of a phrase beside it."""
        word = self.at(index)
        return (
            len(word) > 4 and word.endswith("ly") and word not in {"only", "reply", "supply", "family", "assembly"}
        ) or word in ADVERBS

    def complementizer(self, index: int) -> bool:
        """Whether "that" opens what somebody says or finds, not a relative clause."""
        return self.at(index - 1) in THAT_OPENERS or index == 0

    def noun_phrase_before(self, end: int) -> int:
        """Where the noun phrase begins that ends before a word, with the prepositional phrases attached to it."""
        first, listed = end, False
        least = max(0, end - REACH)
        while first > least:
            word = self.low[first - 1]
            before = self._taken(first - 1, least, listed=listed)
            if before is None:
                break
            first = before
            listed = listed or word in _JOINING
            if word in DETERMINERS and not (
                self.at(first - 1) in ATTACHING or (listed and self.at(first - 1) in _JOINING | {","})
            ):
                break
        while first < end and (self.low[first] in ATTACHING | COORDINATORS or self.adverb(first) or self.low[first] == ","):
            first += 1
        return first

    def _taken(self, index: int, least: int, *, listed: bool) -> int | None:
        """Where a noun phrase begins that takes in the word at a place, or all of a parenthesis; None if it does not."""
        word = self.low[index]
        if word == ")":
            return self._opening(index, least)
        if word == ",":
            return index if listed else None
        if word == "to":
            following = self.at(index + 1)
            return index if following in DETERMINERS or following in {"one", "some", "parts"} else None
        if word in _JOINING or word in DETERMINERS or word in ATTACHING:
            return index
        return None if self._ends_phrase(index) else index

    def _ends_phrase(self, index: int) -> bool:
        word = self.low[index]
        return (
            word in HARD
            or word in AUXILIARIES
            or word in PRONOUNS
            or word in SUBORDINATORS
            or word in COORDINATORS
            or word in RELATIVES
            or word in PREPOSITIONS
            or word in SAYING
            or (word in NEGATIONS and word != "no")
        )

    def _opening(self, index: int, least: int) -> int | None:
        for place in range(index - 1, least - 1, -1):
            if self.low[place] == "(":
                return place
        return None

    def subject_before(self, end: int) -> int:
        """Where the subject begins whose verb group starts at a word: back to the start of its clause.

        A relative clause inside the subject belongs to it; what a "that" after a verb of saying opens stands alone.
        """
        first, listed, item = end, False, end
        least = max(0, end - REACH)
        while first > least:
            word = self.low[first - 1]
            if word == ")" or (word == "," and not listed):
                inner = self._opening(first - 1, least) if word == ")" else self._apposition(first - 1, least)
                if inner is None:
                    break
                first = inner
                continue
            if self._opens_clause(first - 1):
                break
            if listed and (word in AUXILIARIES or word in PRONOUNS or word in VERBS):
                return item
            if word in {"and", "or"} and (self._clause_at(first, end) or not self._list_before(first - 1, least)):
                break
            if word in {"and", "or", ","}:
                listed, item = True, first
            first -= 1
        return first

    def _opens_clause(self, index: int) -> bool:
        """Whether a word or mark stands before a clause and is no part of it."""
        word = self.low[index]
        said = word == "that" and self.complementizer(index)
        return said or word in HARD or word in SUBORDINATORS or word in {"but", "yet", "so"}

    def _list_before(self, index: int, least: int) -> bool:
        """Whether "and" joins nouns: without a comma before it, or with another comma soon before that one."""
        return self.at(index - 1) != "," or "," in self.low[max(least, index - 9) : max(least, index - 1)]

    def _apposition(self, comma: int, least: int) -> int | None:
        """Of "a, which b, verb" the place before the first comma, if a relative pronoun follows it."""
        for place in range(comma - 1, max(least, comma - 20) - 1, -1):
            if self.low[place] == ",":
                return place if self.at(place + 1) in {"which", "who", "whose", "where", "a", "an", '"', "“"} else None
            if self.low[place] in HARD:
                return None
        return None

    def clause_before(self, end: int) -> int:
        """Where the clause begins that ends before a word; its commas belong to it."""
        first = end
        least = max(0, end - REACH)
        while first > least:
            word = self.low[first - 1]
            if word in HARD and word not in {")", "("}:
                break
            if word in _CONTRASTING - {"but"} and first < end:
                break
            if word in {"but", "so"} and self.at(first - 2) == "," and first < end:
                break
            if word == "that" and first < end and self.complementizer(first - 1) and self._clause_at(first):
                break
            first -= 1
        return first

    def _clause_at(self, index: int, end: int | None = None) -> bool:
        """Whether a clause seems to begin here, before a word: a pronoun, or a noun phrase soon followed by an auxiliary."""
        word = self.at(index)
        if word in PRONOUNS or (word in {"this", "that"} and self.at(index + 1) in AUXILIARIES):
            return True
        for place in range(index, min(index + 6, len(self) if end is None else end)):
            here = self.low[place]
            if here in AUXILIARIES and here not in {"be", "been", "being", "having"}:
                return place > index or here in {"did", "does", "do"}
            if here in HARD or here == "," or here in COORDINATORS or here in RELATIVES or here == "that":
                return False
        return False

    def object_after(self, first: int, *, reduced: bool = False) -> int:
        """Where the object ends that begins at a word: with its prepositional phrases and lists, without relative clauses.

        Args:
            first: The word it begins at.
            reduced: Whether the verb of the main clause is yet to come ("the outage caused by the upgrade was long").
        """
        behind = first
        limit = min(len(self), first + REACH)
        while behind < limit:
            word = self.low[behind]
            if word == "(":
                closing = self.closing(behind)
                if closing is None or behind == first:
                    break
                behind = closing
            elif self._ends_object(behind, first, limit, reduced=reduced):
                break
            behind += 1
        return behind

    def closing(self, opening: int) -> int | None:
        """The mark that closes a parenthesis soon, if any."""
        return next((index for index in range(opening, min(len(self), opening + 24)) if self.low[index] == ")"), None)

    def _ends_object(self, index: int, first: int, limit: int, *, reduced: bool) -> bool:
        word, last = self.low[index], self.at(index - 1)
        if word in HARD or word in RELATIVES:
            return not (word == ":" and "following" in self.low[first:index])
        if index == first:
            return False
        if word == ",":
            return not self._list_goes_on(index, limit)
        if word in {"and", "or"}:
            return self._new_clause(index + 1, joined=reduced)
        if word in PRONOUNS:
            return not (last in ATTACHING or last in {"and", "or"})
        if reduced and (word in FINITE_BE | MODALS or word in {"has", "have", "had"} or self._main_verb(index, first)):
            return True
        relative = word == "that" and self.at(index + 1) not in NOUNISH
        return relative or word in SUBORDINATORS or word in {"but", "yet", "so"}

    def _new_clause(self, index: int, *, joined: bool = False) -> bool:
        """Whether a clause follows "and"; not by a later auxiliary if that belongs to what is joined."""
        word = self.at(index)
        opens = word in PRONOUNS or word in AUXILIARIES or word in VERBS or word in {"then", "not", "thus"}
        return opens or (not joined and self._clause_at(index))

    def _main_verb(self, index: int, first: int) -> bool:
        """Whether a word behind the first noun looks like the verb of the main clause."""
        word, following = self.low[index], self.at(index + 1)
        if self.at(index - 1) in DETERMINERS | PREPOSITIONS or index - first < 1:
            return False
        if word in VERBS:
            return True
        follows = following in DETERMINERS or following in PREPOSITIONS or following in PRONOUNS
        return (
            follows
            and word.endswith(("ed", "es", "ts", "ns", "rs", "ks", "ds", "ps"))
            and not self.low[index - 1].endswith("s")
            and (following in DETERMINERS or following in {"off", "into", "up", "out"})
        )

    def _list_goes_on(self, comma: int, limit: int) -> bool:
        """Whether a comma continues a list: short items, and a last one after "and" or "or"."""
        word = self.at(comma + 1)
        if word in {"and", "or"}:
            return not self._new_clause(comma + 2)
        if word in PRONOUNS or word in RELATIVES or word in SUBORDINATORS or word in COORDINATORS or word.endswith("ing"):
            return False
        gap = 0
        for place in range(comma + 1, min(limit, comma + 24)):
            here = self.low[place]
            if here in {"and", "or", "&"}:
                return not self._new_clause(place + 1)
            if here in HARD or here in AUXILIARIES or here in RELATIVES or here in SUBORDINATORS or here in PRONOUNS:
                return False
            gap = 0 if here == "," else gap + 1
            if gap > 7:
                return False
        return False

    def clause_after(self, first: int) -> int:
        """Where the clause ends that begins at a word: at hard punctuation, or at a comma or "and" before another clause."""
        behind = first
        limit = min(len(self), first + REACH)
        while behind < limit:
            word = self.low[behind]
            if word == "(" and behind > first:
                closing = self.closing(behind)
                if closing is None:
                    break
                behind = closing
            elif word in HARD or (behind > first and self._ends_clause(behind)):
                break
            behind += 1
        return behind

    def _ends_clause(self, index: int) -> bool:
        if self.low[index] != ",":
            return self.low[index] in _CONTRASTING
        word = self.at(index + 1)
        return word in PRONOUNS or word in _CONTRASTING or word in {"so", "yet", "and", "which", "while"}

    def first_comma(self, first: int, end: int) -> int | None:
        """The comma that closes a fronted phrase or clause; one inside a list does not."""
        for place in range(first, min(end, first + REACH)):
            if self.low[place] == "," and not self._list_goes_on(place, end):
                return place
            if self.low[place] in HARD:
                return None
        return None
