"""Names that are told by capitals, lists and the words around them: people, organisations, teams, places, products."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import regex

from illumina.retain.builtin import gazetteer as lists
from illumina.retain.builtin import gate
from illumina.retain.builtin.lexicon import BASES, GERUNDS, PASTS, THIRDS
from illumina.retain.builtin.tokens import Found
from illumina.retain.entities import nicknames
from illumina.retain.entities.forms import fold
from illumina.retain.words import ADVERBS, AUXILIARIES, COORDINATORS, DETERMINERS, PREPOSITIONS, PRONOUNS, RELATIVES, SUBORDINATORS, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from illumina.retain.clauses import Span, Words

_TITLE: Final = r"(?:Mr|Mrs|Ms|Dr|Prof|Sir|Dame|Frau|Herr|Señor|Señora|Dona|Don|Professor|Doctor|Captain|Judge|Uncle|Aunt)"
_CAP: Final = r"\p{Lu}[\p{L}\p{M}\p{N}]*+(?:['’&.+-][\p{L}\p{N}]++)*+(?:\+\+|#)?"
_RUN: Final = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}_@#/`.-])(?:(?P<title>{_TITLE})\.?[ ](?=\p{{Lu}}))?(?P<name>{_CAP}"
    rf"(?:[ ](?:(?:de|del|della|da|dos|van|von|der|den|la|le|bin|al|of|&|for)[ ](?:(?:the|der|den|la)[ ])?)?{_CAP}){{0,5}}"
    rf"(?:[ ]\p{{Lu}}\.(?!\p{{L}}))?(?:[ ]v?\d{{1,4}}(?:\.\d{{1,4}}){{0,3}}(?![\p{{L}}\p{{N}}%:.,/-]*[\p{{L}}\p{{N}}]))?)"
)
_HEADS: Final = lists.TEAM_HEADS | lists.SERVICE_HEADS | lists.PROJECT_HEADS
_LEADING_HEADS: Final = words_of("team project initiative squad")
_SEQUENCE: Final = regex.compile(rf"[ ]({_CAP}(?:[ ]{_CAP}){{0,2}})")
_ASIDE: Final = regex.compile(r"[ ]?\(([^()\n]{2,60})\)|,[ ]((?:our|the|a|an|head|lead|senior|chief)?[ ]?[^,.;:()\n]{2,40}),")
_FROM: Final = regex.compile(rf"[ ](?:from|at|of|\(from|\(at|\()[ ]?(?P<home>(?:the )?{_CAP}(?:[ ]{_CAP}){{0,3}})")
_WORD_BEFORE: Final = regex.compile(r"([\p{L}\p{N}'’]+)[ ]$")
_WORD_BEHIND: Final = regex.compile(r"(?:['’]s)?[ ](?:(?:also|just|still|already|then|never|always|now)[ ])?([\p{L}'’]+)")
_PLURAL_ACRONYM: Final = regex.compile(r"\p{Lu}{2,}s$")
_MIXED: Final = regex.compile(r"\p{Lu}\p{L}*\p{Ll}\p{Lu}\p{L}*$")
_CLOSED: Final = (
    DETERMINERS | PREPOSITIONS | PRONOUNS | AUXILIARIES | COORDINATORS | SUBORDINATORS | RELATIVES | ADVERBS | BASES | THIRDS | PASTS | GERUNDS | lists.NO_NAMES | gate.ACKS
    | words_of("not if then here what how why there please also yes no ok thanks hello hi hey everyone everybody nobody someone finally maybe")
)  # fmt: skip
_NO_MODIFIER: Final = _CLOSED - lists.NO_NAMES - BASES - GERUNDS - gate.ACKS
_MARKS: Final = frozenset((":", "(", '"', "“", "-", "—", "–", "!", "?", ".", "*", "•"))


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
        for match in _RUN.finditer(text):
            words = match["name"].split()
            given = _given(words[0]) and words[0] not in self.lower and len(words) in {2, 3}
            if (match["title"] or given) and not any(word.lower() in _CLOSED for word in words):
                for word in words:
                    self.kinds.setdefault(word.lower(), "person")


def _given(word: str) -> bool:
    folded = fold(word)
    return folded in lists.GIVEN or nicknames.known(folded)


def named(text: str, words: Words, known: Known, taken: list[Span]) -> Iterator[Found]:
    """Names in a sentence that no shape gives away; without what lies in `taken`, to which they are added."""
    if not words.low:
        return
    for found in (*_headed(text, words), *_capitals(text, words, known), *_lower(words)):
        if not any(found.start < end and start < found.end for start, end in taken):
            taken.append((found.start, found.end))
            yield found


def _headed(text: str, words: Words) -> Iterator[Found]:
    """The billing service, platform team, Project Heron."""
    for place, head in enumerate(words.low):
        if head not in _HEADS:
            continue
        start, end = words.starts[place], words.ends[place]
        kind = "team" if head in lists.TEAM_HEADS else "project" if head in lists.PROJECT_HEADS else "service"
        if head in _LEADING_HEADS and (match := _SEQUENCE.match(text, end, words.ends[-1])):
            if match[1].split()[0].lower() not in _CLOSED:
                yield Found(start, match.end(), text[start : match.end()], kind)
        elif place and words.ends[place - 1] + 1 == start and _modifies(text, words, place - 1, head, kind):
            start = words.starts[place - 1]
            yield Found(start, end, text[start:end], kind)


def _modifies(text: str, words: Words, place: int, head: str, kind: str) -> bool:
    """Whether a word makes the head behind it a name."""
    low = words.low[place]
    capital = place > 0 and text[words.starts[place]].isupper()
    if not low[0].isalpha() or low in lists.NO_MODIFIER or low in _NO_MODIFIER or (low.endswith("ed") and kind != "team"):
        return False
    if capital:
        return True
    if head in lists.VAGUE_HEADS or kind == "project":
        return False
    before = words.at(place - 1)
    return before in DETERMINERS or before in {"of", "from", "in", "for"} or (not place and kind == "team")


def _capitals(text: str, words: Words, known: Known) -> Iterator[Found]:
    opening = _opening(words)
    start, end = words.starts[0], words.ends[-1]
    for match in _RUN.finditer(text, start, end):
        yield from _classified(text, *match.span("name"), match["title"] is not None, known, opening, start, end)


def _opening(words: Words) -> frozenset[int]:
    """Where a capital tells nothing: at the beginning, and behind marks after which people write one."""
    found = {words.starts[0], words.starts[min(words.opening, len(words) - 1)]}
    found |= {words.starts[place + 1] for place in range(len(words) - 1) if words.low[place] in _MARKS}
    return frozenset(found)


def _classified(
    text: str, first: int, behind: int, titled: bool, known: Known, opening: frozenset[int], start: int, end: int
) -> Iterator[Found]:
    """What a run of capitalised words names; its first word is left out where it only begins the sentence."""
    name = text[first:behind]
    for possessive in ("'s", "’s"):
        if (at := name.find(possessive)) > 0 and (at + 2 == len(name) or name[at + 2] == " "):
            rest = first + at + 3
            name, behind = name[:at], first + at
            if rest < end and rest < first + len(text[first:end]) and text[rest : rest + 1].isupper():
                following = _RUN.match(text, rest, end)
                if following:
                    yield from _classified(text, *following.span("name"), False, known, opening, start, end)
            break
    words = name.split()
    initial = first in opening
    while words and not titled and _unnamed(words[0], initial, known, single=len(words) == 1) and name.lower() not in lists.PRODUCTS | lists.PLACES:
        step = len(words[0]) + 1
        if len(words) == 1:
            return
        first, words, initial = first + step, words[1:], False
        while words and not words[0][0].isupper():
            first, words = first + len(words[0]) + 1, words[1:]
        if not words:
            return
        name = text[first:behind]
    while len(words) > 1 and words[-1].lower() in lists.NO_NAMES:
        words = words[:-1]
        behind = first + len(name[: name.rindex(" ")])
        name = text[first:behind].rstrip()
        behind = first + len(name)
    if not name or not words:
        return
    kind = _kind(text, first, behind, words, titled, known, start, end, initial=initial)
    if kind == "":
        return
    homes: tuple[str, ...] = ()
    if kind == "person":
        homes = tuple(_homes(text, behind, end))
    yield Found(first, behind, name, kind, homes)


def _unnamed(word: str, initial: bool, known: Known, *, single: bool) -> bool:
    """Whether a capitalised word names nothing."""
    low = word.lower().replace("’", "'")
    if low in lists.NO_NAMES or _PLURAL_ACRONYM.match(word) or (low in DETERMINERS | PRONOUNS | AUXILIARIES | SUBORDINATORS | COORDINATORS | RELATIVES):
        return True
    if not initial:
        return False
    if fold(word) in known.people or word in known.inner or known.kinds.get(low) == "person":
        return False
    if low in _CLOSED or low in known.lower:
        return not (_given(word) and low not in lists.WORDS_TOO and low not in _CLOSED)
    return False


def _kind(
    text: str, first: int, behind: int, words: list[str], titled: bool, known: Known, start: int, end: int, *, initial: bool
) -> str | None:
    """The kind of a name; None if it is a name of an unknown kind, and nothing ("") if it is none."""
    low = " ".join(words).lower()
    bare = low.rstrip("0123456789. v") if words[-1][-1].isdigit() and len(words) > 1 else low
    last = words[-1].lower()
    before = _WORD_BEFORE.search(text, max(start, first - 24), first)
    left = before[1].lower() if before else ""
    behind_word = _WORD_BEHIND.match(text, behind, end)
    right = behind_word[1].lower() if behind_word else ""
    if titled or fold(" ".join(words)) in known.people:
        return "person"
    if last in lists.ORG_SUFFIXES and len(words) > 1 or words[0].lower() in {"university", "ministry", "bank"} and "of" in words:
        return "organisation"
    ambiguous = len(words) == 1 and bare not in lists.LOWER_TOO and (_given(bare) or known.kinds.get(low) == "person")
    if bare in lists.PRODUCTS and (not initial or bare not in BASES) and not ambiguous:
        return "product"
    phrase = text[max(start, first - 24) : first].lower().rstrip()
    phrase = phrase.removesuffix(" the")
    if low in lists.PLACES and not phrase.endswith(lists.EMPLOYING[:8]):
        return "place"
    if low in lists.ORGANISATIONS:
        return "organisation"
    if len(words) > 1 and last in lists.PLACE_SUFFIXES:
        return "place"
    if last in lists.TEAM_HEADS | lists.PROJECT_HEADS and len(words) > 1:
        return "team" if last in lists.TEAM_HEADS else "project"
    if last in lists.SERVICE_HEADS and len(words) > 1:
        return "service"
    if low in lists.DEPARTMENTS:
        return "team" if right in lists.PERSON_VERBS or left in lists.ADDRESSED else ""
    given = _given(words[0]) or known.kinds.get(words[0].lower()) == "person"
    acronym = len(words) == 1 and words[0].isupper() and len(words[0]) > 1
    if acronym:
        return ""
    if given and 1 < len(words) <= 4:
        return "person"
    if given and (words[0].lower() not in lists.WORDS_TOO or known.kinds.get(low) == "person"):
        return "person"
    verbs = lists.PERSON_VERBS if given else lists.SPEECH if initial and len(words) == 1 else lists.STRONG_PERSON_VERBS
    human = right in verbs or left in lists.ADDRESSED
    if human and (not initial or words[0].lower() not in known.lower) and len(words) <= 3:
        return "person"
    aside = _ASIDE.match(text, behind, end)
    if aside and _role(aside[1] or aside[2]):
        return "person"
    if phrase.endswith(lists.LIVING):
        return "place"
    if phrase.endswith(lists.EMPLOYING) or _is_home(text, start, first, known):
        return "organisation"
    if _MIXED.match(words[0]) and len(words) == 1 and not low.endswith("case"):
        return "product"
    if initial and len(words) == 1:
        return None if words[0] in known.inner and words[0].lower() not in known.lower else ""
    return None


def _is_home(text: str, start: int, first: int, known: Known) -> bool:
    """Whether a person's name and "from" or "at" stand before."""
    match = regex.search(rf"({_CAP})[ ](?:from|at|of)[ ]$", text[max(start, first - 60) : first])
    return match is not None and (_given(match[1]) or known.kinds.get(match[1].lower()) == "person")


def _role(aside: str) -> bool:
    words = aside.lower().split()
    return bool(words) and len(words) <= 5 and (words[-1] in lists.ROLES or words[0] in lists.ROLES)


def _homes(text: str, behind: int, end: int) -> Iterator[str]:
    """What is said of a person right behind the name: (SRE), from Acme, at Acme, our CTO."""
    if (match := _FROM.match(text, behind, end)) and match["home"].split()[0].lower() not in _CLOSED:
        home = match["home"]
        yield home.removesuffix("'s").removesuffix("’s")
    elif match := _ASIDE.match(text, behind, end):
        inner = (match[1] or match[2]).strip()
        parts = [part.strip() for part in inner.split(",")]
        for part in parts[:3]:
            low = part.lower()
            if _role(part) or low in lists.PLACES or low in lists.ORGANISATIONS or (match[1] and regex.fullmatch(r"[\p{L}&. -]{2,30}", part) and len(low.split()) <= 2):
                yield part.removeprefix("our ").removeprefix("the ").removeprefix("a ")


def _lower(words: Words) -> Iterator[Found]:
    """Products written in lower case."""
    for place, word in enumerate(words.low):
        if word in lists.LOWER_TOO and word not in BASES and words.text[words.starts[place]] == word[0]:
            yield Found(words.starts[place], words.ends[place], words.text[words.starts[place] : words.ends[place]], "product")
