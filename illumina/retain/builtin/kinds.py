"""What kind of thing a run of capitalised words names, by lists and by the words around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import regex

from illumina.retain.builtin import gate
from illumina.retain.builtin import gazetteer as lists
from illumina.retain.builtin.lexicon import BASES, GERUNDS, NOUNS_TOO, PASTS, THIRDS
from illumina.retain.entities import nicknames
from illumina.retain.entities.forms import fold
from illumina.retain.words import (
    ADVERBS,
    AUXILIARIES,
    COORDINATORS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    SUBORDINATORS,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

NOTHING: Final = ""
"""The kind of what is no name."""
_TITLE: Final = r"(?:Mr|Mrs|Ms|Dr|Prof|Sir|Dame|Frau|Herr|Señor|Señora|Dona|Don|Professor|Doctor|Captain|Judge|Uncle|Aunt)"
CAPITALISED: Final = r"(?:(?:\p{Lu}|St|Mt)\.(?=[ ]\p{Lu})|\p{Lu}[\p{L}\p{M}\p{N}]*+(?:['’&.+-][\p{L}\p{N}]++)*+(?:\+\+|#)?)"
RUN: Final = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}_@#/`.-])(?:(?P<title>{_TITLE})\.?[ ](?=\p{{Lu}}))?(?P<name>{CAPITALISED}"
    rf"(?:[ ](?:(?:de|del|della|da|dos|van|von|der|den|la|le|bin|al|of|&|for)[ ](?:(?:the|der|den|la)[ ])?)?"
    rf"(?!{_TITLE}\.?[ ]\p{{Lu}})"
    rf"{CAPITALISED}){{0,5}}"
    rf"(?:[ ]\p{{Lu}}\.(?!\p{{L}}))?(?:[ ]v?\d{{1,4}}(?:\.\d{{1,4}}){{0,3}}(?![\p{{L}}\p{{N}}%:.,/-]*[\p{{L}}\p{{N}}]))?)"
)
"""A title and capitalised words, with particles between them and a figure behind."""
CLOSED: Final = (
    DETERMINERS
    | PREPOSITIONS
    | PRONOUNS
    | AUXILIARIES
    | COORDINATORS
    | SUBORDINATORS
    | RELATIVES
    | ADVERBS
    | BASES
    | THIRDS
    | PASTS
    | GERUNDS
    | lists.NO_NAMES
    | gate.ACKS
    | words_of(
        "not if then here what how why there please also yes no ok thanks hello hi hey everyone everybody nobody someone maybe"
    )
)
"""Words that begin sentences without naming anything."""
_FUNCTION: Final = DETERMINERS | PRONOUNS | AUXILIARIES | SUBORDINATORS | COORDINATORS | RELATIVES
_ASIDE: Final = regex.compile(r"[ ]?\(([^()\n]{2,60})\)|,[ ]((?:our|the|a|an|head|lead|senior|chief)?[ ]?[^,.;:()\n]{2,40}),")
_FROM: Final = regex.compile(
    rf"[ ](?:from|at|of|\(from|\(at|\()[ ]?(?P<home>(?:the )?{CAPITALISED}(?:[ ]{CAPITALISED}){{0,3}})"
)
_FROM_TEAM: Final = regex.compile(rf"[ ](?:from|in|of)[ ]({'|'.join(sorted(lists.DEPARTMENTS))})\b")
_WORD_BEFORE: Final = regex.compile(r"([\p{L}\p{N}'’]+)[ ]$")
_WORD_BEHIND: Final = regex.compile(r"(?:['’]s)?[ ](?:(?:also|just|still|already|then|never|always|now)[ ])?([\p{L}'’]+)")
_HOST: Final = regex.compile(rf"({CAPITALISED})[ ](?:from|at|of)[ ]$")
_PLURAL_ACRONYM: Final = regex.compile(r"\p{Lu}{2,}s$")
_MIXED: Final = regex.compile(r"\p{Lu}\p{L}*\p{Ll}\p{Lu}\p{L}*$")
_BEFORE_TEAMS: Final = words_of("of from joins joined leads runs by")
_OF: Final = frozenset(("university", "ministry", "bank", "institute"))
_TELLS: Final = regex.compile(rf"(?<![\p{{L}}\p{{N}}])(\p{{Lu}}\p{{Ll}}+)[ ](?:{'|'.join(sorted(lists.SPEECH))})\b")
_INITIAL: Final = regex.compile(r"\p{Lu}\.$")
_LONGEST: Final = 4
"""Words that a person's name has at most."""


class Known:
    """What a document as a whole says of the names in it.

    Attributes:
        people: Folded names of its speakers, in full and their first words, to the full name.
        lower: Words that it has in lower case as well.
        inner: Words that it has with a capital inside of sentences.
        kinds: Names that somewhere stand with a word that tells their kind, in lower case.
    """

    __slots__ = ("inner", "kinds", "lower", "people")

    def __init__(self, text: str, speakers: tuple[str, ...]) -> None:
        self.people: dict[str, str] = {}
        firsts: dict[str, set[str]] = {}
        for speaker in speakers:
            self.people[fold(speaker)] = speaker
            firsts.setdefault(fold(speaker.split()[0]), set()).add(speaker)
        for first, names in firsts.items():
            self.people.setdefault(first, next(iter(names)) if len(names) == 1 else "")
        self.lower = frozenset(regex.findall(r"(?<![\p{L}\p{N}@#/`._-])\p{Ll}{3,}", text))
        self.inner = frozenset(regex.findall(r"(?<=[\p{Ll},;][ ])\p{Lu}[\p{L}\p{N}-]+", text))
        self.kinds: dict[str, str] = {}
        for match in RUN.finditer(text):
            words = match["name"].split()
            given = _given(words[0]) and words[0] not in self.lower and len(words) in {2, 3}
            if (match["title"] or given) and not any(word.lower() in CLOSED for word in words):
                for word in words:
                    self.kinds.setdefault(word.lower(), "person")
        for match in _TELLS.finditer(text):
            low = match[1].lower()
            if not (low in CLOSED or low in self.lower or low in lists.ORDINARY or low in lists.DEPARTMENTS or _abstract(low)):
                self.kinds.setdefault(low, "person")


def _given(word: str) -> bool:
    folded = fold(word)
    return folded in lists.GIVEN or nicknames.known(folded)


class Candidate(NamedTuple):
    """A run of capitalised words where it stands.

    Attributes:
        text: The body without markup.
        first: Where it begins.
        behind: The offset behind it.
        words: Its words.
        start: Where its sentence begins.
        end: Where that ends.
        known: What its document says of names.
        initial: Whether its capital may be due to its place.
    """

    text: str
    first: int
    behind: int
    words: list[str]
    start: int
    end: int
    known: Known
    initial: bool

    @property
    def low(self) -> str:
        """It in lower case."""
        return " ".join(self.words).lower()

    @property
    def single(self) -> bool:
        """Whether it is one word."""
        return len(self.words) == 1

    @property
    def left(self) -> str:
        """The word before it, in lower case."""
        match = _WORD_BEFORE.search(self.text, max(self.start, self.first - 24), self.first)
        return match[1].lower() if match else ""

    @property
    def right(self) -> str:
        """The word behind it, in lower case; an adverb is passed over."""
        match = _WORD_BEHIND.match(self.text, self.behind, self.end)
        return match[1].lower() if match else ""

    @property
    def phrase(self) -> str:
        """What stands before it, in lower case and without an article."""
        return self.text[max(self.start, self.first - 24) : self.first].lower().rstrip().removesuffix(" the")

    @property
    def given(self) -> bool:
        """Whether it begins with a person's name."""
        return _given(self.words[0]) or self.known.kinds.get(self.words[0].lower()) == "person"


def unnamed(word: str, initial: bool, known: Known) -> bool:
    """Whether a capitalised word names nothing, at the beginning of a sentence or inside."""
    low = word.lower().replace("’", "'")
    if low in lists.NO_NAMES or low in _FUNCTION or low.split("'")[0] in _FUNCTION or _PLURAL_ACRONYM.match(word):
        return True
    if not initial or fold(word) in known.people or word in known.inner or known.kinds.get(low) == "person":
        return False
    return low in CLOSED or low.endswith("ly") or (low in known.lower and (low in lists.WORDS_TOO or not _given(word)))


def kind(it: Candidate) -> str | None:
    """The kind of a name; None if it is a name of an unknown kind, and `NOTHING` if it is none."""
    if fold(" ".join(it.words)) in it.known.people:
        return "person"
    found = _by_lists(it) or _by_last_word(it)
    if found is not None:
        return found
    if it.low in lists.DEPARTMENTS:
        team = it.right in lists.PERSON_VERBS or it.left in lists.ADDRESSED or it.left in _BEFORE_TEAMS
        return "team" if team else NOTHING
    if it.single and it.words[0].isupper() and len(it.words[0]) > 1:
        return NOTHING
    if _is_person(it):
        return "person"
    return _by_phrase(it)


def _by_lists(it: Candidate) -> str | None:
    low = it.low
    numbered = it.words[-1][-1].isdigit() and not it.single
    bare = low.rstrip("0123456789. v") if numbered else low
    ambiguous = it.single and bare not in lists.LOWER_TOO and (_given(bare) or it.known.kinds.get(low) == "person")
    if bare in lists.PRODUCTS and (not it.initial or bare not in BASES) and not ambiguous:
        return "product"
    if low in lists.PLACES and not it.phrase.endswith(lists.EMPLOYING[:8]):
        return "place"
    return "organisation" if low in lists.ORGANISATIONS else None


def _by_last_word(it: Candidate) -> str | None:
    """Northwind Ltd, Platform Team, Hyde Park."""
    last = it.words[-1].lower()
    if it.single:
        return None
    if last in lists.ORG_SUFFIXES or "&" in it.words or (it.words[0].lower() in _OF and "of" in it.words):
        return "organisation"
    endings = (
        ("place", lists.PLACE_SUFFIXES),
        ("team", lists.TEAM_HEADS),
        ("project", lists.PROJECT_HEADS),
        ("service", lists.SERVICE_HEADS),
    )
    return next((name for name, heads in endings if last in heads), None)


def _is_person(it: Candidate) -> bool:
    """By a given name, a verb of people behind, a word such as "ask" before, or a trade beside."""
    if (it.given or _INITIAL.match(it.words[0])) and not it.single and len(it.words) <= _LONGEST:
        return True
    if it.given and it.single and (it.words[0].lower() not in lists.WORDS_TOO or it.known.kinds.get(it.low) == "person"):
        return True
    verbs = lists.PERSON_VERBS if it.given else lists.SPEECH if it.initial and _abstract(it.low) else lists.STRONG_PERSON_VERBS
    human = it.right in verbs or it.left in lists.ADDRESSED
    if human and (not it.initial or it.words[0].lower() not in it.known.lower) and len(it.words) < _LONGEST:
        return True
    aside = _ASIDE.match(it.text, it.behind, it.end)
    return aside is not None and _role(aside[1] or aside[2])


def _by_phrase(it: Candidate) -> str | None:
    """By the words before: lives in, works at, a person from."""
    if it.phrase.endswith(lists.LIVING):
        return "place"
    if it.phrase.endswith(lists.EMPLOYING):
        return "organisation"
    host = _HOST.search(it.text, max(it.start, it.first - 60), it.first)
    if host and (_given(host[1]) or it.known.kinds.get(host[1].lower()) == "person"):
        return "organisation"
    if it.single and _MIXED.match(it.words[0]) and not it.low.endswith("case"):
        return "product"
    if not (it.initial and it.single):
        return None
    seen = it.words[0] in it.known.inner
    subject = (
        it.right in AUXILIARIES or it.right in PASTS or (it.right in THIRDS and it.right.removesuffix("s") not in NOUNS_TOO)
    )
    named = seen or (subject and not _abstract(it.low) and it.low not in lists.ORDINARY)
    return None if named and it.low not in it.known.lower else NOTHING


def _abstract(low: str) -> bool:
    """Whether a word looks like a common noun: a plural, or with an ending of what is no person and no thing of its own."""
    return "-" not in low and low.endswith(
        (
            "s",
            "ing",
            "ed",
            "tion",
            "sion",
            "ment",
            "ness",
            "ity",
            "ance",
            "ence",
            "ship",
            "age",
            "ism",
            "ure",
            "th",
            "work",
            "body",
        )
    )


def _role(aside: str) -> bool:
    words = aside.lower().split()
    return bool(words) and len(words) <= 5 and (words[-1] in lists.ROLES or words[0] in lists.ROLES)


def homes(it: Candidate) -> Iterator[str]:
    """What is said of a person right behind the name: (SRE), from Acme, at Acme, our CTO."""
    if (match := _FROM.match(it.text, it.behind, it.end)) and match["home"].split()[0].lower() not in CLOSED:
        yield match["home"].removesuffix("'s").removesuffix("’s")
    elif match := _FROM_TEAM.match(it.text, it.behind, it.end):
        yield match[1]
    elif match := _ASIDE.match(it.text, it.behind, it.end):
        for part in [part.strip() for part in (match[1] or match[2]).split(",")][:3]:
            low = part.lower()
            short = match[1] and regex.fullmatch(r"[\p{L}&. -]{2,30}", part) and len(low.split()) <= 2
            if short or _role(part) or low in lists.PLACES or low in lists.ORGANISATIONS:
                yield part.removeprefix("our ").removeprefix("the ").removeprefix("a ")
