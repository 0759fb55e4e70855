"""What a clause claims of a subject that has one such value at a time: an amount, a place, an owner, a name, a status, a date.

Only what is functional is read. That somebody likes, knows, visited, speaks or uses something excludes nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from illumina.retain.reconcile.lexicon import CLASSES, NUMBERS, STATUSES, UNITS
from illumina.text import lexemes

if TYPE_CHECKING:
    from collections.abc import Iterator

Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class Claim:
    """One value of one attribute of one subject.

    Attributes:
        relation: `lives`, `owned by`, `amount of time`, …
        subject: Its content words as lexemes, also those of conditions ("in staging").
        value: The content words of the value.
        amount: Its number in the base unit of its dimension, if it is one.
        text: The value as it stands.
    """

    relation: str
    subject: Words
    value: Words
    text: str
    amount: float | None = None

    def excludes(self, other: Claim) -> bool:
        """Whether both cannot hold at once, being of one subject: another value of the same attribute."""
        if self.relation != other.relation or self.subject != other.subject:
            return False
        if self.amount is not None and other.amount is not None:
            return self.amount != other.amount
        classes = [{CLASSES[word] for word in claim.value if word in CLASSES} for claim in (self, other)]
        apart = bool(classes[0] and classes[1]) and not classes[0] & classes[1]
        return not apart and not (self.value <= other.value or other.value <= self.value)

    def same_amount(self, other: Claim) -> bool:
        """Whether both are the same amount, of whatever."""
        return self.relation == other.relation and self.amount is not None and self.amount == other.amount

    def agrees(self, other: Claim) -> bool:
        """Whether both say the same of the same."""
        same = self.relation == other.relation and self.subject == other.subject
        if self.amount is not None and other.amount is not None:
            return same and self.amount == other.amount
        return same and (self.value <= other.value or other.value <= self.value)


_NUMBER_WORD: Final = re.compile(rf"\b(?:{'|'.join(NUMBERS)})\b", re.IGNORECASE)


def words(text: str) -> Words:
    """The content words of a stretch, as lexemes."""
    return frozenset(lexemes(_NUMBER_WORD.sub(lambda match: NUMBERS[match[0].lower()], text)))


def claims(plain: str) -> list[Claim]:
    """The claims of one clause that is asserted; see `illumina.retain.reconcile.clauses`."""
    found = [*_amounts(plain), *_relations(plain)]
    return list(dict.fromkeys(found))


_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|"
    r"dec(?:ember)?)"
)
_CLOCK: Final = r"\d{1,2}:\d{2}(?:\s?[ap]\.?m\b\.?)?|\d{1,2}\s?[ap]\.?m\b\.?"
_QUANTITY: Final = re.compile(
    rf"(?P<clock>(?<![\w.:]){_CLOCK})|"
    r"(?<![\w.#/:-])(?P<currency>[$€£])?(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<k>k\b)?"
    r"(?:[\s-]?(?P<unit>%|€|[A-Za-zµ]+)(?!\w))?(?![\w/:-]|\.\d)",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"(?:^|\s)(?:[A-Z][\w+#.'-]*|v|version|room|step|phase|part|chapter|section|level|tier|line|page|figure|no\.?)\s$"
)
_DATED: Final = re.compile(rf"(?:{_MONTH}|in|since|until|by|of|year)\s$", re.IGNORECASE)
_DATE: Final = re.compile(rf"\s?(?:st|nd|rd|th)?\s?(?:of\s)?{_MONTH}\b", re.IGNORECASE)
_LIGHT: Final = frozenset(lexemes("limited capped equals equal stands goes value up down set raised only about around roughly"))
_APART: Final = re.compile(r"\b(?:first|second|third|last|another|other|one of|each other)\b", re.IGNORECASE)


def _amounts(plain: str) -> Iterator[Claim]:
    """The amounts of a clause; all its other words are what they are the amounts of."""
    text = _NUMBER_WORD.sub(lambda match: NUMBERS[match[0].lower()], plain)
    amounts = [match for match in _QUANTITY.finditer(text) if not _names(text, match)]
    if len(amounts) > 1:
        yield from _several(text, amounts)
    if len(amounts) != 1:
        return
    match = amounts[0]
    dimension, amount, stop = _measure(match)
    subject = words(f"{text[: match.start()]} {text[stop:]}") - _LIGHT
    if subject and not (dimension == "count" and not words(text[: match.start()])):
        yield Claim(f"amount of {dimension}", subject, frozenset(), text[match.start() : stop], amount)


def _several(text: str, amounts: list[re.Match[str]]) -> Iterator[Claim]:
    """Amounts that belong together ("from 08:00 to 18:00"), unless one of them says of what the other is ("over 500 euros")."""
    if len(amounts) > MOST_AMOUNTS or _BOUND.search(text):
        return
    measures = [_measure(match) for match in amounts]
    rest, at = "", 0
    for match, (_, _, stop) in zip(amounts, measures, strict=True):
        rest, at = f"{rest} {text[at : match.start()]}", stop
    subject = words(f"{rest} {text[at:]}") - _LIGHT
    if len(subject) > 1:
        value = frozenset(f"{place} {amount:g}" for place, (_, amount, _) in enumerate(measures))
        spoken = text[amounts[0].start() : measures[-1][2]]
        yield Claim(f"amounts of {', '.join(dimension for dimension, _, _ in measures)}", subject, value, spoken)


MOST_AMOUNTS: Final = 3
_BOUND: Final = re.compile(
    r"\b(?:over|above|under|below|up\sto|more|less|fewer|least|most|between|within|per|every|each|first|"
    r"if|when|after|before|than)\b",
    re.IGNORECASE,
)


def former(amount: str, now: Claim) -> Claim | None:
    """What a clause that claims an amount now says was there before; its unit may be that of the amount now."""
    match = _QUANTITY.fullmatch(amount) or _QUANTITY.match(amount)
    if match is None or now.amount is None:
        return None
    dimension, number, _ = _measure(match)
    if dimension == "count" and (unit := _QUANTITY.match(now.text)) and (known := _unit(unit)):
        dimension, number = known[0], number * known[1]
    return Claim(f"amount of {dimension}", now.subject, frozenset(), amount, number)


def _names(text: str, match: re.Match[str]) -> bool:
    """Whether a number is part of a name or a date ("Room 101", "Python 3.9", "3 March", "in 2019")."""
    if match["clock"] or match["currency"]:
        return False
    before = text[max(0, match.start() - 24) : match.start()]
    year = len(match["number"]) == 4 and match["number"][:2] in {"19", "20"} and _unit(match) is None
    dated = _DATED.search(before) is not None and (year or _MONTHS_BEFORE.search(before) is not None)
    return (
        (_unit(match) is None and _NAMED.search(before) is not None)
        or dated
        or _DATE.match(text, match.end("number")) is not None
    )


_MONTHS_BEFORE: Final = re.compile(rf"\b{_MONTH}\s$", re.IGNORECASE)


def _unit(match: re.Match[str]) -> tuple[str, float] | None:
    if match["currency"]:
        return UNITS[match["currency"]]
    unit = match["unit"] or ""
    return UNITS.get(unit) or UNITS.get(unit.lower())


def _measure(match: re.Match[str]) -> tuple[str, float, int]:
    """Dimension, amount in its base unit, and the offset behind both."""
    if match["clock"]:
        digits = [int(part) for part in re.findall(r"\d+", match["clock"])]
        hour = digits[0] % 12 + 12 * ("p" in match["clock"].lower()) if "m" in match["clock"].lower() else digits[0]
        return "clock", hour * 60.0 + (digits[1] if len(digits) > 1 else 0), match.end()
    number = float(match["number"].replace(",", "")) * (1000 if match["k"] else 1)
    unit = _unit(match)
    if unit is None:
        return "count", number, match.end("k") if match["k"] else match.end("number")
    return unit[0], number * unit[1], match.end()


_PROPER: Final = r"(?P<v>(?:the\s)?[A-Z0-9`][\w.&'’`+#/-]*(?:\s(?:[A-Z0-9][\w.&'’+#-]*|of(?=\s[A-Z])))*)"
_PHRASE: Final = (
    r"(?P<v>(?!(?:a|an|by|not|no)\s)(?:the\s|our\s|my\s)?[\w.&'’`+#/@:-]+(?:\s(?!(?:with|since|because|"
    r"for|as|in|on|at|from|where|which|that|when|during|and|or|by|instead|to)\s)[\w.&'’`+#/@:-]+){0,5})"
)
_END: Final = (
    r"(?P<tail>(?=$|[,;(]|\s(?:with|since|because|for|as|in|on|at|from|where|which|that|when|during|and|or|instead)\b).*)$"
)
_S: Final = r"^(?P<s>.{1,90}?)\s"
_BE: Final = r"(?:is|are|'s)\s"
_MOVED: Final = (
    r"(?:(?:has|have|is|are|was|were|been|being)\s)*(?:moved|migrated|relocated|switched|ported|transitioned)"
    r"\s(?:from\s.{1,50}?\s)?(?:over\s)?(?:to|onto)"
)
_DAY: Final = (
    rf"(?P<v>(?i:(?:on\s|at\s|the\s|every\s)*(?:(?:next\s|this\s)?(?:mon|tues|wednes|thurs|fri|satur|sun)"
    rf"days?|\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}|{_MONTH}\s\d{{1,2}}|\d{{4}}-\d\d(?:-\d\d)?|{_MONTH}(?:\s"
    rf"\d{{4}})?|(?:next|this)\s\w+|Q[1-4](?:\s\d{{4}})?)(?:\s\d{{4}})?))"
)

_TABLE: Final = (
    (
        "lives",
        (
            rf"{_S}(?:lives?|resides?|is\sliving|are\sliving|{_BE}based|{_BE}located|"
            rf"{_MOVED.replace('is|are|was|were|been|being', '')}"
            rf")(?:\s(?:in|at))?\s(?!(?:the\s)?[\w-]+\s(?:team|group|squad|desk|role)\b){_PROPER}{_END}"
        ),
    ),
    (
        "works at",
        rf"{_S}(?:works?\s(?:at|for)|{_BE}working\s(?:at|for)|{_BE}employed\s(?:at|by)|(?:has\s)?joined)\s{_PROPER}{_END}",
    ),
    ("reports to", rf"{_S}reports?\sto\s{_PROPER}{_END}"),
    ("married to", rf"{_S}{_BE}married\sto\s{_PROPER}{_END}"),
    (
        "in team",
        (
            rf"{_S}(?:{_BE}(?:on|in|part\sof|a\smember\sof)|works?\s(?:on|in)|belongs?\sto|(?:has\s)?(?:joined|"
            rf"moved\sto|switched\sto))\sthe\s(?P<v>[\w-]+(?:\s[\w-]+)?)\s(?:team|group|squad)(?P<tail>)\b"
        ),
    ),
    ("named", rf"{_S}{_BE}(?:called|named)\s(?P<v>[A-Z`\"“]?[\w.'’`\"”+#/-]+(?:\s[A-Z][\w.'’-]*)*)(?P<tail>)$"),
    (
        "written in",
        (
            rf"{_S}(?:{_BE}(?:written|implemented|programmed)\sin|(?:was|were|has\sbeen|have\sbeen)\s(?:rewritten|"
            rf"ported)\s(?:in|to))\s{_PROPER}{_END}"
        ),
    ),
    (
        "hosted on",
        (
            rf"{_S}(?:runs?\s(?:on|in)|{_BE}(?:running|hosted|deployed|served)\s(?:on|in|at|by|from)|{_MOVED})"
            rf"\s{_PROPER}{_END}"
        ),
    ),
    (
        "stored in",
        (
            rf"{_S}(?:{_BE}(?:stored|kept|saved|archived|held|persisted)\s(?:in|on|at)|{_MOVED})\s(?!(?:the\s)?[\w-]+\s"
            rf"(?:team|group)\b){_PHRASE}{_END}"
        ),
    ),
    ("works as", rf"{_S}(?:works?|{_BE}working|{_BE}employed)\sas\s(?:an?\s)?(?P<v>[\w-]+(?:\s[\w-]+)?){_END}"),
    ("favourite", r"^(?P<s>.*\bfavou?rite\b.{2,60}?)\s(?:is|are)\s(?P<v>[\w'-]+(?:\s[\w'-]+){0,3})(?P<tail>)$"),
    ("scheduled", rf"^(?P<s>(?:[Tt]he|[Oo]ur|[Mm]y|[\w'-]+'s)\s.{{1,60}}?)\sis\s{_DAY}(?P<tail>)$"),
    ("scheduled", rf"{_S}{_BE}(?:on|at)\s{_DAY}(?P<tail>)$"),
    (
        "scheduled",
        (
            rf"{_S}(?:{_BE}(?:scheduled|planned|set|due|fixed)|takes?\splace|happens?|starts?|begins?|{_BE}held|"
            rf"meets?|runs?)\s(?:for\s|on\s|at\s|in\s|by\s)?{_DAY}(?P<tail>.*)$"
        ),
    ),
)
_OWNING: Final = (
    r"owned|maintained|led|run|managed|headed|chaired|operated|moderated|approved|handled|overseen|coordinated|"
    r"sponsored|administered"
)
_PASSIVE: Final = re.compile(rf"{_S}{_BE}(?P<verb>{_OWNING})\sby\s{_PHRASE}{_END}")
_ACTIVE: Final = re.compile(
    r"^(?P<v>[A-Z][\w.'’-]*(?:\s[A-Z][\w.'’-]*)*)\s(?P<verb>owns|leads|manages|heads|maintains|chairs)\s"
    r"(?!(?:a|an|no|some|two|three|many|his|her|their|its|several|both|most)\s)(?P<s>[^,;]{2,60})$"
)
_PARTICIPLE: Final = {
    "owns": "owned",
    "leads": "led",
    "manages": "managed",
    "heads": "headed",
    "maintains": "maintained",
    "chairs": "chaired",
}
_ALIKE: Final = {"headed": "led", "run": "led", "overseen": "managed"}
_ROLE: Final = (
    r"owner|lead|leader|head|manager|director|c[teofipr]o|coo|vp|chair|chairman|chairwoman|president|"
    r"captain|maintainer|contact|"
    r"coordinator|editor|boss|supervisor|mentor|sponsor|moderator|mayor|principal|secretary|treasurer|dpo|successor"
)
_HOLDER: Final = re.compile(
    rf"^(?P<v>[A-Z][\w.'’-]*(?:\s[A-Z][\w.'’-]*)*)\sis\s(?:the\s)(?P<s>(?:[\w-]+\s)*?(?:{_ROLE})\b(?:\s"
    rf"(?:of|for|at|in)\s.{{1,50}})?)$",
    re.IGNORECASE,
)
_IDENTITY: Final = re.compile(
    r"^(?P<s>(?:[Tt]he|[Oo]ur|[Mm]y|[\w'-]+'s)\s.{2,60}?)\sis\s(?:with\s|at\s)?(?P<v>(?:the\s)?(?:[A-Z][\w.&'’+#-]*(?"
    r":\s[A-Z][\w.&'’+#-]*)*|`[^`]+`|[\w.]+[-_.@/][\w.@/-]+))$"
)
_VAGUE: Final = frozenset(
    lexemes("problem issue cause reason culprit question answer example bottleneck topic goal difference advantage")
)
_ON_CALL: Final = re.compile(
    r"^(?P<v>[A-Z][\w.'’-]*(?:\s[A-Z][\w.'’-]*)?)\sis\son[\s-]call(?P<s>(?:\s(?:for|of|in|on|at)\s.{1,40})?)$"
)
_STATUS: Final = re.compile(
    rf"^(?P<s>.{{2,60}}?)\s(?:is|are)\s(?:now\s)?(?P<v>{'|'.join(sorted(STATUSES, key=len, reverse=True))})$", re.IGNORECASE
)
_USES_FOR: Final = re.compile(
    r"^(?P<s>.{1,60}?)\s(?:uses?|relies\son|rely\son|is\susing|are\susing)\s(?P<v>[^,;]{2,40}?)\s(?P<p>(?:for|"
    r"as)\s[^,;]{2,60})$"
)
_VERSION: Final = re.compile(
    r"^(?P<s>.{1,60}?\s(?:uses?|runs?(?:\son)?|is\son|are\son|is\susing|requires?|targets?|is\spinned\sto|is)\s"
    r"(?P<n>[A-Z][\w+#.]*|version|v))\s?(?P<v>\d+(?:\.\d+)*)(?P<tail>(?:\s(?:in|on|for)\s.{1,40})?)$"
)
_PREFERS: Final = re.compile(r"^(?P<s>.{1,60}?)\sprefers?\s(?:the\s)?(?P<v>[\w-]+)\s(?P<kind>[\w-]+)$")
_PREFERS_OVER: Final = re.compile(r"^(?P<s>.{1,60}?)\sprefers?\s(?P<v>[\w\s-]{1,40}?)\s(?:over|to)\s(?P<other>[\w\s-]{1,40})$")
_RELATIONS: Final = tuple((name, re.compile(pattern)) for name, pattern in _TABLE)
_ALL: Final = re.compile(r"^(?:the|a|an|all|our|we|every)\s*$", re.IGNORECASE)


def _relations(plain: str) -> Iterator[Claim]:
    for relation, pattern in _RELATIONS:
        if match := pattern.match(plain):
            yield from _claim(relation, f"{match['s']} {match['tail']}", match["v"])
    if match := _PASSIVE.match(plain):
        yield from _claim(f"{_ALIKE.get(match['verb'], match['verb'])} by", f"{match['s']} {match['tail']}", match["v"])
    if match := _ACTIVE.match(plain):
        verb = _PARTICIPLE[match["verb"]]
        yield from _claim(f"{_ALIKE.get(verb, verb)} by", match["s"], match["v"])
    yield from _roles(plain)
    yield from _states(plain)


_VERB_OF: Final = {"owner": "owned", "manager": "managed", "maintainer": "maintained", "chair": "chaired"}
_ROLE_OF: Final = re.compile(r"(?:the\s)?(owner|lead|leader|head|manager|maintainer|chair)\s(?:of|for)\s(.+)", re.IGNORECASE)


def _roles(plain: str) -> Iterator[Claim]:
    """Who or what is the one such: "Dana is the owner of billing", "the primary database is MySQL", "Dana is on call"."""
    if (match := _HOLDER.match(plain)) or ((match := _IDENTITY.match(plain)) and not words(match["s"]) & _VAGUE):
        yield from _claim("is", match["s"], match["v"])
        if role := _ROLE_OF.fullmatch(match["s"]):
            yield from _claim(f"{_VERB_OF.get(role[1].lower(), 'led')} by", role[2], match["v"])
    if match := _ON_CALL.match(plain):
        yield from _claim("is", f"on-call {match['s']}", match["v"])


def _states(plain: str) -> Iterator[Claim]:
    """In what state something is, what is used for what, what is preferred, which version it is."""
    if (match := _STATUS.match(plain)) and (status := STATUSES[match["v"].lower()]):
        yield Claim("status", words(match["s"]), frozenset({status}), match["v"])
    if match := _USES_FOR.match(plain):
        yield from _claim("uses", f"{match['s']} {match['p']}", match["v"])
    if match := _PREFERS.match(plain):
        yield from _claim("prefers", f"{match['s']} {match['kind']}", match["v"])
    if match := _PREFERS_OVER.match(plain):
        pair = sorted((match["v"], match["other"]), key=str.lower)
        yield from _claim("prefers", f"{match['s']} {' '.join(pair)}", match["v"])
    if match := _VERSION.match(plain):
        yield from _claim("version", f"{match['s']} {match['tail']}", match["v"])


def _claim(relation: str, subject: str, value: str) -> Iterator[Claim]:
    subjects, values = words(subject), words(value)
    if values and (subjects or _ALL.match(subject)):
        yield Claim(relation, subjects, values, value.strip())
