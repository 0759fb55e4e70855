"""Names that are told by capitals, lists and the words around them: people, organisations, teams, places, products."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import regex

from illumina.retain.builtin import gate
from illumina.retain.builtin import gazetteer as lists
from illumina.retain.builtin.kinds import CAPITALISED, CLOSED, NOTHING, RUN, Candidate, homes, kind, unnamed
from illumina.retain.builtin.lexicon import BASES, GERUNDS
from illumina.retain.builtin.tokens import Found
from illumina.retain.words import DETERMINERS, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from illumina.retain.builtin.kinds import Known
    from illumina.retain.clauses import Span, Words

_HEADS: Final = lists.TEAM_HEADS | lists.SERVICE_HEADS | lists.PROJECT_HEADS
_LEADING_HEADS: Final = words_of("team project initiative squad")
_SEQUENCE: Final = regex.compile(rf"[ ]({CAPITALISED}(?:[ ]{CAPITALISED}){{0,2}})")
_GENITIVE: Final = regex.compile(
    r"['’]s(?:[ ](?!(?:Hospital|Church|School|College|University|Restaurant|Bakery|Café|Cafe|Cathedral|Park|Square)\b)"
    r"|(?!\p{L}|[ ]))"
)
"""Behind a name; "St. Mary's Hospital" is one name all the same."""
_LISTED: Final = lists.PRODUCTS | lists.PLACES
_NO_MODIFIER: Final = CLOSED - lists.NO_NAMES - BASES - GERUNDS - gate.ACKS
_MARKS: Final = frozenset((":", "(", '"', "“", "-", "—", "–", "!", "?", ".", "*", "•"))


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
            if match[1].split()[0].lower() not in CLOSED:
                yield Found(start, match.end(), text[start : match.end()], kind)
        elif place and words.ends[place - 1] + 1 == start and _modifies(text, words, place - 1, head, kind):
            start = words.starts[place - 1]
            yield Found(start, end, text[start:end], kind)


def _modifies(text: str, words: Words, place: int, head: str, kind: str) -> bool:
    """Whether a word makes the head behind it a name."""
    low = words.low[place]
    capital = place > 0 and text[words.starts[place]].isupper()
    if (
        not low[0].isalpha()
        or low.endswith(("'s", "s'"))
        or low in lists.NO_MODIFIER
        or low in _NO_MODIFIER
        or (low.endswith("ed") and kind != "team")
    ):
        return False
    if capital:
        return True
    if head in lists.VAGUE_HEADS or kind == "project":
        return False
    before = words.at(place - 1)
    return before in DETERMINERS or before in {"of", "from", "in", "for"} or (not place and kind == "team")


def _capitals(text: str, words: Words, known: Known) -> Iterator[Found]:
    opening = _opening(words)
    for match in RUN.finditer(text, words.starts[0], words.ends[-1]):
        title = match.start("title") if match["title"] else None
        for first, behind in _owners(text, *match.span("name")):
            found = _classified(text, words, known, first, behind, title, first in opening)
            title = None
            if found is not None:
                yield found


def _owners(text: str, first: int, behind: int) -> Iterator[Span]:
    """A run of capitalised words, cut behind each genitive: "Ann's Toyota" is two names."""
    for match in _GENITIVE.finditer(text, first, behind):
        yield first, match.start()
        first = match.end()
    if first < behind:
        yield first, behind


def _opening(words: Words) -> frozenset[int]:
    """Where a capital tells nothing: at the beginning, and behind marks after which people write one."""
    found = {words.starts[0], words.starts[min(words.opening, len(words) - 1)]}
    found |= {words.starts[place + 1] for place in range(len(words) - 1) if words.low[place] in _MARKS}
    return frozenset(found)


def _classified(
    text: str, words: Words, known: Known, first: int, behind: int, title: int | None, initial: bool
) -> Found | None:
    """What a run of capitalised words names; its first word is left out where it only begins the sentence."""
    first, behind = _stripped(text, known, first, behind, title is not None or text[first:behind].lower() in _LISTED, initial)
    if first == behind:
        return None
    if text[behind : behind + 1] == "." and text[behind - 2] == " ":
        behind += 1  # an initial: Sarah O.
    name = text[first:behind]
    candidate = Candidate(
        text, first, behind, name.split(), words.starts[0], words.ends[-1], known, initial and first in _opening(words)
    )
    found = "person" if title is not None else kind(candidate)
    if found == NOTHING:
        return None
    first = first if title is None else title
    return Found(first, behind, text[first:behind], found, tuple(homes(candidate)) if found == "person" else ())


def _stripped(text: str, known: Known, first: int, behind: int, whole: bool, initial: bool) -> Span:
    """A run without words at its edges that name nothing."""
    parts = [(first + match.start(), first + match.end()) for match in regex.finditer(r"[^ ]+", text[first:behind])]
    while parts and not whole:
        word = text[slice(*parts[0])]
        if not (unnamed(word, initial, known) or not word[0].isupper()):
            break
        parts, initial = parts[1:], False
    while len(parts) > 1 and text[slice(*parts[-1])].lower() in lists.NO_NAMES:
        parts = parts[:-1]
    return (parts[0][0], parts[-1][1]) if parts else (first, first)


def _lower(words: Words) -> Iterator[Found]:
    """Products written in lower case."""
    for place, word in enumerate(words.low):
        if word in lists.LOWER_TOO and word not in BASES and words.text[words.starts[place]] == word[0]:
            yield Found(words.starts[place], words.ends[place], words.text[words.starts[place] : words.ends[place]], "product")
