"""A statement cut into the clauses that can hold or cease to hold apart, each in plain present tense where that is safe."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from illumina.retain.reconcile.lexicon import ADJUNCT, BEFORE_PARTICIPLE, HEDGES, LEADING, PAST, SETTLED, UNRESOLVED
from illumina.retain.references import cleaned
from illumina.retain.words import words_of


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause.

    Attributes:
        text: Its words as they stand.
        plain: The same with its subject if it shares that of the clause before, told in the present ("was raised to" is "is"),
            without what only says that it holds now.
        asserted: Whether it is told as true now: not asked, planned, supposed, told by another, or past.
        past: Whether it tells of what happened.
        former: An amount that it says was there before ("from 30 s to 60 s", "7 instead of 3").
    """

    text: str
    plain: str
    asserted: bool
    past: bool
    former: str | None = None


_VERB: Final = (
    r"(?:is|are|isn't|aren't|has|have|hasn't|haven't|does|do|doesn't|don't|was|were|can|can't|cannot|"
    r"must|lives?|works?|runs?|uses?|"
    r"supports?|needs?|requires?|owns?|leads?|costs?|takes?|goes|go|plays?|likes?|loves?|hates?|reports?|"
    r"depends?|expires?|keeps?|"
    r"stores?|serves?|handles?|reads?|writes?|sends?|holds?|moved|switched|joined|left|belongs?|speaks?|"
    r"knows?|no longer|never|"
    r"allows?|starts?|begins?|ends?|contains?|includes?|accepts?|calls?|returns?|provides?)"
)
_FIRST_VERB: Final = re.compile(
    rf"\s(?:(?:now|still|also|currently|only)\s)?{_VERB}\b|['’]s\s(?:a|an|the|on|in|at|now)\b", re.IGNORECASE
)
_OTHER_VERB: Final = re.compile(
    r"\s[a-z]{2,}[^\Wsui]s\s(?=(?:the|a|an|our|its|all|every|each|to|for|on|in|at|from|with|into|by|[A-Z]\w*|\d+)\b)"
)
_JOINT: Final = re.compile(r"\s*;\s+|,?\s+(?:and|but|while|whereas)\s+|,\s+(?=(?:it|he|she|they|we|I)\s)", re.IGNORECASE)
_BEGINS: Final = re.compile(
    rf"(?:(?:now|still|also|currently)\s)?(?:{_VERB}\b|(?:it|he|she|they|we|I)(?:'s|'re|\s)|(?:[\w'’./#-]+\s"
    rf"){{1,5}}?{_VERB}\s)",
    re.IGNORECASE,
)
_BARE: Final = re.compile(rf"(?:(?:now|still|also|currently)\s)?{_VERB}\b", re.IGNORECASE)
_PRONOUN: Final = re.compile(r"(?:it|he|she|they)(?=\s|'s|'re)", re.IGNORECASE)

_CHANGED: Final = (
    r"(?:raised|lowered|increased|decreased|reduced|changed|bumped|cut|set|reset|extended|shortened|doubled|"
    r"halved|upped|corrected|"
    r"revised|updated|limited|capped|adjusted|reverted|restored|upgraded|downgraded)"
)
_REWRITES: Final = (
    (
        re.compile(
            rf"^.{{1,60}}?\s(?:(?:has|have|had|just|now)\s)*{_CHANGED}\s(?=\S)(?!to\b)(?!back to\b)(.{{2,80}}?)"
            rf"\s(?:from\s.{{1,40}}?\s)?(?:back\s)?to\s(?=\S*\d)",
            re.IGNORECASE,
        ),
        r"\1 is ",
    ),
    (
        re.compile(
            rf"\s(?:was|were|is|are|got|(?:has|have|had)\s(?:just\s|now\s)?been)\s(?:now\s|just\s)?{_CHANGED}\s"
            rf"(?:back\s)?(?:from\s.{{1,40}}?\s)?(?:back\s)?(?:to|at)\s",
            re.IGNORECASE,
        ),
        " is ",
    ),
    (
        re.compile(
            r"\s(?:goes|went|moves|moved|grew|grows|drops|dropped|fell|falls|rose|rises|jumped|changes|changed|"
            r"has gone|has grown|has changed)\s(?:up\s|down\s)?from\s.{1,40}?\sto\s(?=\S*\d)",
            re.IGNORECASE,
        ),
        " is ",
    ),
    (
        re.compile(
            r"\s(?:rose|rises|fell|dropped|grew|increased|decreased|doubled|changed|went up|went down)\sto\s(?=\S*\d)",
            re.IGNORECASE,
        ),
        " is ",
    ),
    (
        re.compile(
            r"\s(?:was|were|is|are|got|has been|have been)\s(?:renamed|rebranded)\s(?:from\s.{1,40}?\s)?(?:to|"
            r"as|into)?\s*",
            re.IGNORECASE,
        ),
        " is called ",
    ),
    (
        re.compile(
            r"\s(?:was|were|is|are|got|has been|have been)\s(?:postponed|rescheduled|pushed(?: back)?|brought "
            r"forward|delayed|moved|put off|shifted)\s(?:from\s.{1,40}?\s)?(?:to|until|till)\s(?=\S*\d|(?:mon|"
            r"tues|wednes|thurs|fri|satur|sun)day|(?:the\s)?(?:january|february|march|april|may|june|july|august|"
            r"september|october|november|december|week|end|beginning))",
            re.IGNORECASE,
        ),
        " is scheduled for ",
    ),
    (
        re.compile(
            r"\s(?:was|were|got|has been|have been)\s(?=(?:enabled|disabled|activated|deactivated|(?:switched|"
            r"turned)\s(?:on|off)|allowed|forbidden|banned|permitted|prohibited|locked|unlocked|hidden|closed|"
            r"reopened|resolved|merged|cancelled|canceled|fixed|shipped)\b)",
            re.IGNORECASE,
        ),
        " is ",
    ),
    (
        re.compile(
            r"\s(?:was|were|got|has been|have been)\s(?=(?:moved|migrated|relocated|switched|ported|transitioned|"
            r"rewritten)\s)",
            re.IGNORECASE,
        ),
        " ",
    ),
    (re.compile(r"(?<=\w):\s(?=[$€£]?\d)"), " is "),
)
"""What changed is told as what holds since."""


_FORMER: Final = re.compile(
    r",?\s(?:instead\sof|rather\sthan|up\sfrom|down\sfrom)\s(?P<former>[$€£]?\d[\w.,:%€]*(?:\s[A-Za-z]+)?)$"
)
_FORMER_CHANGED: Final = re.compile(
    rf"\b(?:{_CHANGED}|goes|went|moves|moved|grew|grows|drops|dropped|fell|falls|rose|rises|jumped|changes|"
    rf"gone)\b.{{0,60}}?"
    r"\sfrom\s(?P<former>[$€£]?\d[\w.,:%€]*(?:\s[A-Za-z]+)?)\sto\s",
    re.IGNORECASE,
)
_REASON: Final = re.compile(r"\s(?:because|due\sto|so\sthat|in\sorder\sto|until\sfurther\snotice)\b.*$", re.IGNORECASE)
_UNIVERSAL: Final = re.compile(
    r"\sfor\s(?:all|every|each)\s[\w-]+$|\s(?:everywhere|for\severyone|overall|in\sgeneral)$", re.IGNORECASE
)


def clauses(statement: str) -> list[Clause]:
    """The clauses of a statement in their order; at least one. Pure, and linear in its length."""
    text = cleaned(statement).replace("’", "'").strip()
    asked = text.endswith("?")
    text = LEADING.sub("", text.rstrip(" .!?…"), count=1)
    found: list[Clause] = []
    subject = ""
    for part in _parts(text):
        shared = _BARE.match(part)
        pronoun = _PRONOUN.match(part)
        whole = (
            f"{subject} {part}" if shared and subject else f"{subject}{part[pronoun.end() :]}" if pronoun and subject else part
        )
        first = verb(whole)
        subject = whole[: first.start()] if first else ""
        plain = _REASON.sub("", whole)
        former = _FORMER.search(plain) or _FORMER_CHANGED.search(plain)
        plain = _FORMER.sub("", plain)
        for pattern, instead in _REWRITES:
            plain, changed = pattern.subn(instead, plain, count=1)
            if changed:
                break
        plain = _UNIVERSAL.sub("", plain) if any(character.isdigit() for character in plain) else plain
        plain = " ".join(ADJUNCT.sub(" ", plain).split()).strip(" ,")
        past = _past(plain)
        hedged = asked or HEDGES.search(whole) is not None or UNRESOLVED.match(plain) is not None
        found.append(Clause(part, plain, asserted=not hedged and not past, past=past, former=former and former["former"]))
    return found


def verb(plain: str) -> re.Match[str] | None:
    """The first verb of a clause, as far as words tell; what stands before it is the subject."""
    return _FIRST_VERB.search(plain) or _OTHER_VERB.search(plain)


_OURS: Final = re.compile(r"(?:we|I)\s", re.IGNORECASE)


def says(plain: str) -> bool:
    """Whether a clause has a verb, as far as words tell, and so is no heading or name."""
    return verb(plain) is not None or _OURS.match(plain) is not None


def _parts(text: str) -> list[str]:
    parts, start = [], 0
    for joint in _JOINT.finditer(text):
        if _FIRST_VERB.search(text, start, joint.start()) and _BEGINS.match(text, joint.end()):
            parts.append(text[start : joint.start()])
            start = joint.end()
    return [*parts, text[start:]]


_FINITE: Final = words_of("was were wasn't weren't had hadn't did didn't")
"""Past forms that are no participles."""


def _past(text: str) -> bool:
    for match in PAST.finditer(text):
        word = match[0].lower()
        if not SETTLED.match(text, match.start()) and not (
            word not in _FINITE
            and (match.start() == 0 or BEFORE_PARTICIPLE.search(text, max(0, match.start() - 40), match.start()))
        ):
            return True
    return False
