"""Whether a clause tells of what was or of what will be, so that "on Friday" is the last or the next one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from illumina.retain.dates.vocabulary import CARDINALS, FUNCTION_WORDS, MONTHS, ORDINALS, PARTS, TENS, TOLD, UNITS, WEEKDAYS

if TYPE_CHECKING:
    from illumina.retain.dates.lexer import Token

Lean = Literal["past", "done", "ahead", "open", "alone"]
"""`done` is a participle without its verb ("merged on Friday"), `open` running text without a cue, and `alone` a text that is
nothing but its time expression."""

REACH: Final = 16
"""Tokens on either side that are looked at."""

_PAST: Final = frozenset(
    """was were had did been became began begun blew bought broke brought built came caught chose cut drew drove fell felt
    flew forgot found froze gave gone got grew heard held hit kept knew learnt led left lost made met paid ran rose said sat
    saw sent sold spent spoke spun stood stuck taught thought threw told took understood went woke won wore wrote ago
    since yesterday wasn't weren't didn't hadn't couldn't happened shipped used""".split()  # noqa: SIM905 - reads as a list
)
_AHEAD: Final = frozenset(
    """will won't shall should must going gonna plan plans planned planning schedule scheduled due deadline upcoming let's
    let please tomorrow next soon can want wants hope hopes expect expects ready remind reminder need needs
    i'll we'll you'll he'll she'll they'll it'll that'll there'll i'm we're""".split()  # noqa: SIM905 - reads as a list
)
_NOT_PAST: Final = frozenset(
    ("need", "speed", "feed", "seed", "embed", "exceed", "proceed", "indeed", "shed", "wed", "red", "bed")
)
_PRESENT: Final = frozenset(("is", "are", "be", "being", "get", "gets", "to", "it's", "i'm", "we're", "they're", "not"))
_SUBJECTS: Final = frozenset(
    ("i", "we", "you", "he", "she", "it", "they", "who", "that", "which", "have", "has", "had", "was", "were")
)
_REASONED: Final = frozenset(("i", "we", "you", "he", "she", "it", "they", "there", "this", "that", "these", "those", "nobody"))
"""Behind "since", what makes it a reason and no time."""

_STOPS: Final = frozenset((".", "!", "?", ";"))
_OF_TIME: Final = (
    FUNCTION_WORDS
    | TOLD
    | frozenset((*MONTHS, *WEEKDAYS, *UNITS, *PARTS, *CARDINALS, *TENS, *ORDINALS))
    | frozenset(
        ("beginning", "start", "middle", "end", "early", "late", "half", "noon", "midday", "midnight", "o'clock", "weekend")
    )
)


def lean(tokens: list[Token], at: int) -> Lean:
    """What the cue nearest to a token says; cues of another sentence do not count."""
    nearest: tuple[int, Lean] | None = None
    words = False
    for step in (-1, 1):
        for distance in range(1, REACH + 1):
            index = at + step * distance
            if not 0 <= index < len(tokens) or _stops(tokens, index):
                break
            low = tokens[index].low
            if tokens[index].kind != "word":
                continue
            words = words or (len(low) > 2 and low not in _OF_TIME)
            told: Lean | None = None
            passive = index > 0 and tokens[index - 1].low in _PRESENT
            because = low == "since" and index + 1 < len(tokens) and tokens[index + 1].low in _REASONED
            if low in _PAST and not passive and not because:
                told = "past"
            elif low.endswith("ed") and len(low) > 3 and low not in _NOT_PAST and not passive:
                told = "past" if index > 0 and tokens[index - 1].low in _SUBJECTS else "done"
            if low in _AHEAD:
                told = "ahead"
            if told and (nearest is None or distance < nearest[0]):
                nearest = distance, told
    if nearest is not None:
        return nearest[1]
    return "open" if words else "alone"


def _stops(tokens: list[Token], index: int) -> bool:
    token = tokens[index]
    if token.kind == "gap":
        return True
    after = tokens[index + 1].start if index + 1 < len(tokens) else token.end + 1
    return token.low in _STOPS and after > token.end
