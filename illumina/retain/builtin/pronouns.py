"""What pronouns stand for, where that is safe, and the statement without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from illumina.retain.builtin.lexicon import BASES, NOUNS_TOO, PASTS, UNCHANGED, third
from illumina.retain.entities.forms import fold
from illumina.retain.words import (
    AUXILIARIES,
    COORDINATORS,
    DETERMINERS,
    NEGATIONS,
    PREPOSITIONS,
    SUBORDINATORS,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from illumina.retain.builtin.tokens import Found
    from illumina.retain.clauses import Words

_SPEAKER: Final = words_of("i me my mine myself i'd")
_NEUTER: Final = {"it": "", "its": "'s", "it's": " is"}
_CONTRACTED: Final = {"i'm": "is", "i've": "has", "i'll": "will"}
_VERBS: Final = {"am": "is", "have": "has", "do": "does", "haven't": "hasn't", "don't": "doesn't", "ain't": "isn't"}
_WOULD: Final = words_of(
    "like love prefer rather say recommend suggest be have want need appreciate go do propose vote argue also never"
)
_SHE: Final = {
    "he": "", "she": "", "him": "", "himself": "", "herself": "", "his": "'s", "hers": "'s", "he's": " is", "she's": " is",
    "he'll": " will", "she'll": " will", "he'd": " would", "she'd": " would",
}  # fmt: skip
_IT: Final = words_of("it it's they they're they've they'll they'd this that these those that's you you're you've your")
_EXPLETIVE: Final = words_of(
    """raining snowing rained snowed turned turns seems seemed appears looks sounds takes took worth possible impossible
    important clear likely unlikely hard easy difficult time late early cold hot warm sunny dark been nice great good been
    means feels depends"""
)
_NO_VERBS: Final = words_of(
    "gonna wanna gotta who which that myself again here there today yesterday tomorrow always never perhaps maybe alone "
    "once twice wove sewed swore tore "
    "bore woke arose awoke bent bled bred clung crept dug dwelt fled flung forgave froze ground knelt leapt learnt lit "
    "meant mistook overcame overslept slid "
    "slung sought spun stung strove swept swung undertook upset wept wound wrung spilt spelt burnt dreamt outgrew rode "
    "shone shrank sprang stank withdrew"
)
"""What may stand behind "I" and does not agree with it: other words, and past forms of rare verbs."""
_NOUNS_BEFORE: Final = words_of("part chapter volume type phase section war act book class tier level stage elizabeth charles")


class Edit(NamedTuple):
    """A stretch of the body that the statement words otherwise."""

    start: int
    end: int
    text: str


class Referent(NamedTuple):
    """What a pronoun stands for, at the place where it stands."""

    start: int
    end: int
    name: str
    kind: str | None


class Reading(NamedTuple):
    """What the pronouns of a piece stand for.

    Attributes:
        edits: How the statement words them.
        referents: Whom they name.
        unclear: Whether its subject stays a pronoun that stands for something told elsewhere.
    """

    edits: tuple[Edit, ...]
    referents: tuple[Referent, ...]
    unclear: bool


def resolve(
    words: Words,
    first: int,
    behind: int,
    speaker: str | None,
    people: Sequence[Found],
    before: Sequence[str],
    thing: tuple[str, str | None] | None,
) -> Reading:
    """Resolve the pronouns of a piece.

    Args:
        words: The words of its sentence.
        first: Its first word.
        behind: The word behind it.
        speaker: Who says it, if known.
        people: Persons named in the sentence.
        before: Persons named shortly before it, without the speaker.
        thing: What "it" at the beginning stands for, with its kind, if known.
    """
    reader = _Reader(words, first, behind, speaker, people, before)
    for place in range(first, behind):
        reader.read(place, thing if place == first else None)
    return Reading(tuple(reader.edits), tuple(reader.referents), reader.unclear)


class _Reader:
    """Gathers what the pronouns of one piece stand for."""

    def __init__(
        self, words: Words, first: int, behind: int, speaker: str | None, people: Sequence[Found], before: Sequence[str]
    ) -> None:
        self.words, self.first, self.behind = words, first, behind
        self.speaker, self.people, self.before = speaker, people, before
        self.edits: list[Edit] = []
        self.referents: list[Referent] = []
        self.unclear = self.quoted = False

    def read(self, place: int, thing: tuple[str, str | None] | None) -> None:
        """Read one word; what is quoted is somebody else's."""
        word = self.words.low[place]
        if word in {'"', "“", "”"}:
            self.quoted = not self.quoted
        elif self.quoted:
            return
        elif word in _SPEAKER or word in _CONTRACTED:
            self._said(place)
        elif word in _SHE or word == "her":
            self._told_of(place)
        elif place == self.first and word in _IT:
            self._meant(place, thing)

    def _said(self, place: int) -> None:
        if not _is_speaker(self.words, place):
            return
        if self.speaker is None:
            self.unclear = True
            return
        self.edits += _first_person(self.words, place, self.behind, self.speaker)
        self.referents.append(Referent(self.words.starts[place], self.words.ends[place], self.speaker, "person"))

    def _told_of(self, place: int) -> None:
        words = self.words
        start, end = words.starts[place], words.ends[place]
        # The subject of a clause is not its object: in "Tom reports to her" somebody else is meant.
        other = words.low[place] in {"him", "her"} and not _inflection(words, place)
        name = _person(words.starts[self.first] if other else start, self.people, self.before)
        if name is None:
            self.unclear = True
            return
        self.edits.append(Edit(start, end, name + _inflection(words, place)))
        self.referents.append(Referent(start, end, name, "person"))

    def _meant(self, place: int, thing: tuple[str, str | None] | None) -> None:
        words = self.words
        word, start, end = words.low[place], words.starts[place], words.ends[place]
        if thing is not None and word in _NEUTER:
            self.edits.append(Edit(start, end, thing[0] + _NEUTER[word]))
            if thing[1] is not None:
                self.referents.append(Referent(start, end, *thing))
        elif not {words.at(place + 1), words.at(place + 2)} & _EXPLETIVE:
            demonstrative = word in {"this", "that", "these", "those"}
            self.unclear = self.unclear or not demonstrative or words.at(place + 1) in AUXILIARIES


def _is_speaker(words: Words, place: int) -> bool:
    word = words.low[place]
    if word == "my":
        return words.at(place + 1) not in {"god", "goodness", "gosh", "word"}
    if word == "i":
        return words.at(place + 1) not in {".", ")"} and words.at(place - 1) not in _NOUNS_BEFORE
    return word != "mine" or words.at(place - 1) in AUXILIARIES | {"of"}


def _first_person(words: Words, place: int, behind: int, speaker: str) -> list[Edit]:
    """The speaker's name for a pronoun, and the verb behind it made to agree."""
    word = words.low[place]
    start, end = words.starts[place], words.ends[place]
    if word in {"my", "mine"}:
        return [Edit(start, end, speaker + "'s")]
    if word in {"me", "myself"}:
        return [Edit(start, end, speaker)]
    if word in _CONTRACTED:
        return [Edit(start, end, f"{speaker} {_CONTRACTED[word]}")]
    if word == "i'd":
        following = words.at(place + 1)
        had = following == "better" or (following in PASTS and following not in BASES)
        return [Edit(start, end, f"{speaker} {'had' if had else 'would'}")]
    edits = [Edit(start, end, speaker)]
    verb = place + 1
    while verb < behind and (words.adverb(verb) or words.low[verb] in {"both", "all"}):
        verb += 1
    if verb >= behind:
        return edits
    edits += _agreed(words, verb)
    if edits[1:] and words.low[verb] in BASES:
        edits += _joined(words, verb, behind)
    return edits


def _joined(words: Words, verb: int, behind: int) -> list[Edit]:
    """Verbs that "and" joins to one: "I like tea and hate coffee"."""
    edits: list[Edit] = []
    for later in range(verb + 1, min(behind, verb + 16)):
        if words.low[later] in {"i", ";", "that", "because"}:
            break
        if words.low[later - 1] in {"and", "or"} and words.low[later] in BASES - NOUNS_TOO and words.low[later - 2] != "to":
            edits += _agreed(words, later)
    return edits


def _agreed(words: Words, place: int) -> list[Edit]:
    word = words.low[place]
    if word in _VERBS:
        form = _VERBS[word]
    elif _is_base(word):
        form = third(word)
    else:
        return []
    return [Edit(words.starts[place], words.ends[place], form)]


def _is_base(word: str) -> bool:
    """Whether a word behind "I" is a verb that agrees with it: a known one, or one that has no other reason to stand there."""
    if word in BASES:
        return word not in UNCHANGED and word not in PASTS
    closed = PASTS | AUXILIARIES | PREPOSITIONS | COORDINATORS | SUBORDINATORS | DETERMINERS | NEGATIONS | _NO_VERBS
    return len(word) > 3 and word.isascii() and word.isalpha() and not word.endswith(("ed", "ly", "ing")) and word not in closed


def _person(start: int, people: Sequence[Found], before: Sequence[str]) -> str | None:
    """The only person in reach."""
    here = distinct([found.name for found in people if found.end <= start])
    if len(here) > 1:
        return None
    if here:
        return here[0]
    there = distinct(before)
    return there[0] if len(there) == 1 else None


def distinct(names: Sequence[str]) -> list[str]:
    """Names of different persons: one that is part of another is the same."""
    found: list[str] = []
    for name in sorted(dict.fromkeys(names), key=lambda it: (-len(it.split()), it)):
        parts = set(fold(name.lstrip("@")).split())
        if not any(parts <= set(fold(other).split()) for other in found):
            found.append(name)
    return found


def _inflection(words: Words, place: int) -> str:
    word = words.low[place]
    if word != "her":
        if word in {"he's", "she's"} and words.at(place + 1) in {"been", "got", "had"}:
            return " has"
        return _SHE[word]
    following = words.at(place + 1)
    closed = DETERMINERS | PREPOSITIONS | AUXILIARIES | COORDINATORS | SUBORDINATORS | NEGATIONS
    return "'s" if following[:1].isalpha() and following not in closed and following not in {"to", "yesterday", "today"} else ""
