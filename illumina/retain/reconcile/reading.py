"""All that is read in one statement, and the keys under which two statements meet that may concern one another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from illumina.ids import content_uuid
from illumina.retain.reconcile.claims import Claim, Words, claims, former, words
from illumina.retain.reconcile.clauses import Clause, clauses, verb
from illumina.retain.reconcile.cued import CHANGES, Ended, document_name, endings
from illumina.retain.reconcile.polarity import GENERAL, Stance, stance

if TYPE_CHECKING:
    from collections.abc import Iterator
    from uuid import UUID

    from illumina.retain.reconcile.statements import Statement

MAX_LENGTH: Final = 1_000
"""Characters; a longer one is no atomic statement, and only what it says of documents is read."""


@dataclass(frozen=True, slots=True)
class Part:
    """A clause, and what it claims, affirms or denies.

    Attributes:
        clause: The clause.
        claims: What it claims of what has one value at a time.
        former: Amounts that it says were there before, each as a claim that does not hold any more.
        stances: What it affirms or denies; where it lists several things, of each.
        items: The words of a list's item for each of the stances; None for the clause as a whole.
        subject: The content words before its verb.
        words: All its content words.
    """

    clause: Clause
    claims: tuple[Claim, ...]
    former: tuple[Claim, ...]
    stances: tuple[Stance, ...]
    items: tuple[str | None, ...]
    subject: Words
    words: Words


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read in a statement."""

    parts: tuple[Part, ...]
    ended: tuple[Ended, ...]

    @property
    def cued(self) -> bool:
        """Whether it says in so many words what is over."""
        return bool(self.ended)


@lru_cache(maxsize=1 << 15)
def readings(statement: Statement) -> tuple[Reading, ...]:
    """The statement as it stands, and, if entities are resolved, with those in place of their names. Pure."""
    text = _of_speaker(statement)
    resolved = text
    for named in sorted(statement.names, key=lambda named: (-len(named.name), named.name, str(named.entity))):
        if named.entity is not None:
            resolved = _put(resolved, named.name, f"E{named.entity.hex}")
    return (read(text),) if resolved == text else (read(text), read(resolved))


def _put(text: str, name: str, instead: str) -> str:
    """With something else in the place of a name wherever that is no part of a longer word."""
    # Without a pattern: there is another one for each name, and compiling takes longer than all the reading.
    parts, done, at = [], 0, text.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        if _in_word(text[at - 1 : at]) or _in_word(text[end : end + 1]):
            end = at + 1
        else:
            parts += [text[done:at], instead]
            done = end
        at = text.find(name, end)
    return "".join([*parts, text[done:]])


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


_FIRST_PERSON: Final = re.compile(r"\b(?:I am|I'm|I’m|I've|I’ve|I have|I|me|my|mine|My|Me)\b(?!['’]?\w)")
_INSTEAD: Final = {
    "i am": "{} is",
    "i'm": "{} is",
    "i’m": "{} is",
    "i've": "{} has",
    "i’ve": "{} has",
    "i have": "{} has",
    "my": "{}'s",
    "mine": "{}'s",
}


def _of_speaker(statement: Statement) -> str:
    """With the speaker's name for "I" and "my"; where nobody knows it, whoever writes in that source."""
    if not _FIRST_PERSON.search(statement.content):
        return statement.content
    name = statement.speaker or f"Writer{content_uuid('writer', statement.source).hex}"
    return _FIRST_PERSON.sub(lambda match: _INSTEAD.get(match[0].lower(), "{}").format(name), statement.content)


@lru_cache(maxsize=1 << 10)
def read(text: str) -> Reading:
    """What a text says, in a pure function of it."""
    ended = tuple(endings(text))
    if len(text) > MAX_LENGTH:
        return Reading((), tuple(end for end in ended if end.documents or end.own))
    return Reading(tuple(map(_part, clauses(text))), ended)


def _part(clause: Clause) -> Part:
    first = verb(clause.plain)
    subject = words(clause.plain[: first.start()]) if first else frozenset()
    stances: list[Stance] = []
    items: list[str | None] = []
    if clause.asserted:
        for text, item in _distributed(clause.plain):
            if found := stance(text):
                stances.append(found)
                items.append(item)
    claimed = tuple(claims(clause.plain)) if clause.asserted else ()
    before = [former(clause.former, claim) for claim in claimed if clause.former and claim.amount is not None]
    return Part(
        clause,
        claimed,
        tuple(filter(None, before)),
        tuple(stances),
        tuple(items),
        subject,
        words(clause.text) | words(clause.plain),
    )


_LIST: Final = re.compile(r",\s*(?:and|or)\s+|,\s*|\s+(?:and|or)\s+")


def _distributed(plain: str) -> Iterator[tuple[str, str | None]]:
    """The clause, and one for each item of a list in its subject or behind its verb: "uses A and B" is "uses A", "uses B"."""
    yield plain, None
    first = verb(plain)
    if first is None:
        return
    subject, middle, rest = plain[: first.start()], first[0], plain[first.end() :]
    if len(items := [item for item in _LIST.split(subject) if item.strip()]) > 1:
        yield from ((f"{item}{middle}{rest}", item) for item in items)
    if len(items := [item for item in _LIST.split(rest) if item.strip()]) > 1:
        yield from ((f"{subject}{middle} {item.strip()}", item.strip()) for item in items)


PIVOTS: Final = 6
"""How many words from the start a verb is looked for that another statement denies."""


def keys(statement: Statement) -> tuple[frozenset[UUID], frozenset[UUID]]:
    """The keys under which a statement looks for older ones that it may retire, and those under which newer ones find it.

    Two statements of which the newer has none of the older's keys do not concern one another, so that looking up keys finds all
    candidates there are, whatever their number.
    """
    wanted: set[str] = set()
    offered: set[str] = set()
    for reading in readings(statement):
        for part in reading.parts:
            both = {f"{claim.relation}|{_joined(claim.subject)}" for claim in part.claims}
            both |= {f"says|{_joined(frozenset(it.tokens))}" for it in part.stances}
            wanted |= both
            offered |= both
            wanted |= {_pivot(it, it.pivot) for it in part.stances if it.denies and it.pivot is not None}
            offered |= {
                _pivot(it, place) for it in part.stances if it.affirms for place in range(1, min(PIVOTS, len(it.tokens)))
            }
            offered |= {f"denied||{word}" for it in part.stances if it.affirms for word in it.tokens if word in GENERAL}
            offered |= {f"thing|{_joined(thing)}" for thing in _things(part)}
            wanted |= {key for claim in part.former for key in _amount_keys(claim)}
            offered |= {key for claim in part.claims if claim.amount is not None for key in _amount_keys(claim)}
        for end in reading.ended:
            if end.old:
                wanted.add(f"thing|{_joined(end.old)}")
                if end.kind == "reverted":
                    wanted.add(f"thing|{_joined(end.old - CHANGES)}")
            wanted |= {f"document|{name}" for name in end.documents}
            if end.own and statement.document is not None:
                wanted.add(f"own|{statement.document.hex}")
    if name := document_name(statement.key):
        offered.add(f"document|{name}")
    if statement.document is not None:
        offered.add(f"own|{statement.document.hex}")
    for named in statement.names:
        offered.add(f"thing|{_joined(words(named.name))}")
    return frozenset(map(_hashed, wanted)), frozenset(map(_hashed, offered))


@lru_cache(maxsize=1 << 14)
def topics(statement: Statement) -> frozenset[UUID]:
    """The keys that say what a statement is about: some of those under which it is found, see `keys`."""
    found = {words(named.name) for named in statement.names}
    claimed = set()
    for reading in readings(statement):
        for part in reading.parts:
            found.update(_things(part))
            claimed |= {f"{claim.relation}|{_joined(claim.subject)}" for claim in part.claims if claim.subject}
    return frozenset(map(_hashed, claimed | {f"thing|{_joined(thing)}" for thing in found if thing}))


def _amount_keys(claim: Claim) -> Iterator[str]:
    """Of what somewhere was so much: one key for each word, as what it was is told in other words later."""
    return (f"amount|{claim.relation}|{claim.amount:g}|{word}" for word in claim.subject)


def _pivot(of: Stance, place: int) -> str:
    return f"denied|{_joined(frozenset(of.tokens[:place]))}|{of.tokens[place]}"


def _things(part: Part) -> Iterator[Words]:
    """What a clause may be said to use, to be about, or to be altogether."""
    yield part.words
    if part.subject:
        yield part.subject
    yield from (claim.value for claim in part.claims)
    first = verb(part.clause.plain)
    if first:
        rest = part.clause.plain[first.end() :]
        yield words(rest)
        yield words(_PREPOSITION.split(rest, maxsplit=1)[0])
    yield from (words(match[0]) for match in _PROPER.finditer(part.clause.plain))


_PREPOSITION: Final = re.compile(r"\s(?:for|in|on|at|from|with|as|by|during|because|since|to|of)\s")
_PROPER: Final = re.compile(r"(?:\b[A-Z]|(?<=\s)[a-z]*\d)[\w.+#/-]*\w(?:\s[A-Z][\w.+#-]*)*")


def _joined(found: Words) -> str:
    return " ".join(sorted(found))


@lru_cache(maxsize=1 << 16)
def _hashed(key: str) -> UUID:
    return content_uuid("reconcile", key)
