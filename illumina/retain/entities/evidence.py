"""What two surface forms say about being one entity.

Weights are added to those of `illumina.retain.entities.context`; from `ACCEPT` (see `decide`) on a pair is taken for one
entity. They are log odds in spirit, as in Fellegi and Sunter 1969 ("A Theory for Record Linkage"), set by hand and checked
against the development half of the historical figures: a full name needs no other evidence, an initial or a slip needs some,
and a short word with a slip (Chen, Chan) needs nearly all there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rapidfuzz.distance import OSA

from illumina.retain.entities import nicknames
from illumina.retain.entities.forms import MARKS, handles, skeleton
from illumina.retain.entities.nicknames import Relation
from illumina.retain.entities.types import Evidence

if TYPE_CHECKING:
    from illumina.retain.entities.forms import NameForm

FULL: Final = 6.0
"""All words of a full name agree."""
SINGLE: Final = 5.5
"""A single word that is no given name agrees: Kubernetes, Boltwood."""
GIVEN: Final = 3.0
"""A single given name agrees."""
APART: Final = -6.0
ONLY_ONE: Final = -3.0
"""Only one of two names has a generation or a qualifier: John Smith and John Smith Jr."""

# What a pair of words that is not equal takes off a full name's weight.
_SHORT: Final = 0.8
_CLIPPED: Final = 1.2
_COGNATE: Final = 2.0
_INITIAL: Final = 1.5
_LONG_SLIP: Final = 0.8
_SLIP: Final = 1.5
_SOUND: Final = 2.0
_TWO_SLIPS: Final = 2.5
_OTHER_LETTER: Final = 3.5
_SHORT_SLIP: Final = 4.0
LONG: Final = 8
"""Letters from which one slip of the keyboard is more likely than another name."""

_FEMININE: Final = ("a", "e", "ina", "ine", "ia", "etta", "ette", "ella", "elle", "een")
_ROWS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


@dataclass(frozen=True, slots=True)
class NameEvidence:
    """What two forms say.

    Attributes:
        weight: Sum of `reasons`.
        conflict: The two are never one entity, whatever else there is.
        partial: One form is a part or a sign of the other (`Sarah`, `S. Chen`, `schen`), which may fit several full names.
        reasons: Why.
    """

    weight: float
    conflict: bool
    partial: bool
    reasons: tuple[Evidence, ...]


def compare(left: NameForm, right: NameForm) -> NameEvidence:
    """Weigh two forms; symmetric."""
    if reason := _conflict(left, right):
        return _found(APART, reason, conflict=True)
    if left.tokens == right.tokens and left.numbers == right.numbers:
        found = _equal(left, person=left.person and right.person)
    elif not (left.person and right.person):
        found = _designations(left, right)
    elif len(left.tokens) == 1 or len(right.tokens) == 1:
        found = _parts(left, right)
    else:
        found = _full_names(left, right)
    if left.marks == right.marks or found.conflict:
        return found
    only = [
        Evidence(f"only one has the {name} {mine or yours}", ONLY_ONE)
        for name, mine, yours in zip(MARKS, left.marks, right.marks, strict=True)
        if mine != yours and name in {"generation", "qualifier"}
    ]
    weight = found.weight + sum(reason.weight for reason in only)
    return NameEvidence(weight, conflict=False, partial=found.partial, reasons=(*found.reasons, *only))


def _found(weight: float, reason: str, *, conflict: bool = False, partial: bool = False) -> NameEvidence:
    return NameEvidence(weight, conflict, partial, (Evidence(reason, weight),))


def _conflict(left: NameForm, right: NameForm) -> str:
    """Why the two are never one entity, or nothing."""
    if left.numbers != right.numbers:
        return f"numbers differ: {' '.join(left.numbers) or 'none'} and {' '.join(right.numbers) or 'none'}"
    if left.channel != right.channel:
        return "only one is a channel"
    if left.marks != right.marks:
        for name, mine, yours in zip(MARKS, left.marks, right.marks, strict=True):
            if mine and yours and mine != yours:
                return f"of another {name}: {mine} and {yours}"
    return ""


def _equal(form: NameForm, *, person: bool) -> NameEvidence:
    if len(form.tokens) > 1 and all(len(token) == 1 for token in form.tokens):
        return _found(GIVEN, "same initials")
    if len(form.tokens) > 1 or form.numbers or not person:
        return _found(FULL, "same name")
    word = form.tokens[0]
    if len(word) == 1:
        return _found(1.0, "same initial")
    if nicknames.known(word):
        return _found(GIVEN, "same given name")
    return _found(SINGLE, "same word")


def _designations(left: NameForm, right: NameForm) -> NameEvidence:
    """Services, rooms, versions: the same but for how they are written, or one slip in a long word."""
    if left.joined == right.joined:
        return _found(FULL, "same name, written otherwise")
    if len(left.tokens) == len(right.tokens):
        others = [(one, other) for one, other in zip(left.tokens, right.tokens, strict=True) if one != other]
        if len(others) == 1 and (cost := _cost(*others[0])) is not None and cost[0] == _LONG_SLIP:
            return _found(5.0, f"one slip in a long word: {others[0][0]}, {others[0][1]}")
    return _found(APART, "different designations", conflict=True)


def _parts(left: NameForm, right: NameForm) -> NameEvidence:
    """At least one of the two is a single word."""
    short, long = (left, right) if len(left.tokens) == 1 else (right, left)
    word = short.tokens[0]
    if len(long.tokens) == 1:
        other = long.tokens[0]
        cost = _cost(word, other)
        if cost is None:
            return _found(APART, "different words")
        if cost[0] == _LONG_SLIP:
            return _found(5.0, f"one slip in a long word: {word}, {other}")
        return _found(
            {_SHORT: GIVEN, _OTHER_LETTER: 0.5, _SHORT_SLIP: 0.0}.get(cost[0], 1.5),
            cost[1],
            partial=1 in {len(word), len(other)},
        )
    made = handles(long.tokens)
    if word in made and len(word) > 3:
        whole = "initial" not in made[word]
        return _found(5.0 if whole else 4.5, f"{word} is {made[word]}", partial=not whole)
    best = APART, "no word in common"
    for position, token in enumerate(long.tokens):
        if word == token:
            found = (2.5 if position == len(long.tokens) - 1 else 2.0), f"{token} alone"
        elif (cost := _cost(word, token)) is not None and len(word) > 1:
            found = {_SHORT: 1.8}.get(cost[0], 0.5), cost[1]
        else:
            continue
        best = max(best, found)
    return _found(*best, partial=True)


def _full_names(left: NameForm, right: NameForm) -> NameEvidence:
    """Both have two words or more: words are matched, the best pairs first."""
    short, long = sorted((left.tokens, right.tokens), key=lambda tokens: (len(tokens), tokens))
    if "".join(short) == "".join(long):
        return _found(FULL, "same name, written otherwise")
    matched: dict[int, int] = {}
    costs: list[float] = []
    reasons: list[str] = []
    free = list(range(len(long)))
    for i in reversed(range(len(short))):
        j = next((j for j in reversed(free) if short[i] == long[j]), None)
        if j is not None:
            matched[i] = j
            free.remove(j)
    pairs = [
        (found[0], abs(i - len(short) - j + len(long)), i, j, found[1])
        for i, mine in enumerate(short)
        if i not in matched
        for j in free
        if (found := _cost(mine, long[j])) is not None
    ]
    for cost, _, i, j, reason in sorted(pairs):
        if i not in matched and j in free:
            matched[i] = j
            free.remove(j)
            costs.append(cost)
            reasons.append(reason)
    initials = costs.count(_INITIAL)
    costs = [cost for cost in costs if cost != _INITIAL] + [_INITIAL - 0.5 * (initials > 1)] * (initials > 0)
    words = [i for i in matched if len(short[i]) > 1 and len(long[matched[i]]) > 1]
    family = matched.get(len(short) - 1) == len(long) - 1
    given = matched.get(0) == 0
    missing = len(short) - len(matched)
    if missing == 0 and words:
        weight = FULL - sum(costs) - (0.5 if len(long) > len(short) else 0.0)
        if not family:
            inverted = [j for _, j in sorted(matched.items())] != sorted(matched.values())
            reasons.append("another order" if inverted and len(short) == len(long) else "without the family name")
            weight -= 0.5 if inverted and len(short) == len(long) else 1.0
        part = initials > 0 and len(words) < 2
        return _sum(weight, "all words agree" if not any(costs) else "words agree", reasons, partial=part)
    if len(matched) > 1 and words:
        return _sum((2.0 if family and given else 1.0) - sum(costs) / 2, "some words agree, others differ", reasons)
    if family and words:
        distinct = nicknames.related(short[0], long[0]) is Relation.DISTINCT
        return _sum(-6.0 if distinct else -3.0, "given names differ", reasons)
    return _sum(-4.0 if given and words else APART, "family names differ" if given else "names differ", reasons)


def _sum(weight: float, reason: str, details: list[str], *, partial: bool = False) -> NameEvidence:
    weight = max(round(weight, 3), APART)
    return _found(weight, f"{reason} ({'; '.join(sorted(details))})" if details else reason, partial=partial)


@lru_cache(maxsize=1 << 17)
def _cost(left: str, right: str) -> tuple[float, str] | None:
    """What two words of names that may be one take off, and why; None if they are two."""
    if left == right:
        return 0.0, ""
    short, long = sorted((left, right), key=lambda word: (len(word), word))
    if len(short) == 1:
        agrees = short == long[0] or any(root[0] == short for root in nicknames.roots(long))
        return (_INITIAL, f"{short} for {long}") if agrees and len(long) > 1 else None
    relation = nicknames.related(short, long)
    if relation is Relation.SHORT:
        return _SHORT, f"{short} and {long} are short forms of one name"
    if relation is Relation.COGNATE:
        return _COGNATE, f"{short} and {long} are one name in two languages"
    if relation is Relation.DISTINCT:
        return None
    return _spelled(short, long)


def _spelled(short: str, long: str) -> tuple[float, str] | None:
    """The same of two words that no table relates."""
    if _clipped(short, long):
        return _CLIPPED, f"{short} shortens {long}"
    if one_vowel(short) == one_vowel(long):
        return _SOUND, f"{short} and {long} are spellings of one sound"
    distance = OSA.distance(short, long, score_cutoff=2)
    if distance == 1:
        if len(short) < 6:
            return _SHORT_SLIP, f"a letter apart: {short}, {long}"
        if not _mistyped(short, long):
            return _OTHER_LETTER, f"another letter: {short}, {long}"
        return _LONG_SLIP if len(short) >= LONG else _SLIP, f"one slip: {short}, {long}"
    if distance == 2 and len(short) > LONG:
        return _TWO_SLIPS, f"two slips: {short}, {long}"
    if len(short) > 4 and len(skeleton(short)) > 2 and skeleton(short) == skeleton(long):
        return _SOUND, f"{short} sounds like {long}"
    return None


def one_vowel(word: str) -> str:
    """I, Y and J unified, and doubled ones: Tolstoi and Tolstoy, Dmitrii and Dmitri, Pjotr and Pyotr."""
    word = word.replace("y", "i").replace("j", "i")
    return word.replace("ii", "i")


def _clipped(short: str, long: str) -> bool:
    """`Fred` of `Frederick`, and no feminine form (`Paul`, `Paula`)."""
    if len(long) < len(short) + 2:
        return False
    return any(long.startswith(one) and long[len(one) :] not in _FEMININE for one in stems(short))


def stems(short: str) -> tuple[str, ...]:
    """With what a word begins that this one may shorten: `teddy` and `ted` for `teddy`; nothing for one of another length."""
    if not 2 < len(short) < 6:
        return ()
    stem = short
    for ending in ("ie", "y", "i"):
        stem = stem.removesuffix(ending) if len(stem) - len(ending) > 2 else stem
    if len(stem) > 3 and stem[-1] == stem[-2]:
        stem = stem[:-1]
    return short, stem


def _mistyped(short: str, long: str) -> bool:
    """Whether the one difference is a slip of the keyboard: a letter left out, two swapped, or the one beside it.

    Another first or last letter and a doubled one make other words and other names as well (Andersson, Anderson).
    """
    start = next((at for at, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    end = next((at for at, pair in enumerate(zip(short[::-1], long[::-1], strict=False)) if pair[0] != pair[1]), len(short))
    if not start or not end:
        return False
    if len(short) < len(long):
        return long[start] not in (long[start - 1], long[start + 1 : start + 2])
    return sorted(short) == sorted(long) or _beside(short[start], long[start])


def _beside(one: str, other: str) -> bool:
    """Neighbours on a keyboard, or a digit in a letter's place."""
    if one.isnumeric() != other.isnumeric():
        return True
    places = {letter: (row, column) for row, letters in enumerate(_ROWS) for column, letter in enumerate(letters)}
    if one not in places or other not in places:
        return False
    (row, column), (other_row, other_column) = places[one], places[other]
    return abs(row - other_row) <= 1 and abs(column - other_column) <= 1
