"""Words: what is the opposite of what, in which state a thing is, what it is measured in, and what is not asserted."""

from __future__ import annotations

import re
from typing import Final

HEDGES: Final = re.compile(
    r"\b(?:would|could|might|should|shall|will|won't|if|unless|whether|perhaps|maybe|probably|possibly|"
    r"likely|apparently|presumably|"
    r"plan(?:s|ned|ning)?|propos\w+|consider\w*|wants?|wanted|hop(?:e|es|ed|ing)|wish(?:es|ed)?|think(?:s|ing)?|thought|"
    r"believ\w+|guess\w*|suggest\w*|discuss\w*|intend\w*|going to|about to|supposed to|expected to|tr(?:y|ies|ied|ying) to|"
    r"said|says|say|told|claims?|heard|wonder\w*|let's|seems?|appears? to|assum\w+|recommends?|aims? to|hypothetical\w*|"
    r"in case|imagine|suppose|for example|e\.g\.)(?![\w-])|(?<=\w)'ll\b|\bmay\b",
)
"""Planned, supposed, wished or told by another: nothing that is asserted. `may` in small letters only, as May is a month."""

NEVER_MIND: Final = re.compile(
    r"\b(?:not (?:only|just|all|every|always|yet|necessarily|entirely|quite|because|until)|no one|nobody|"
    r"nothing|none|hardly|barely|"
    r"neither|nor|no more than|no less than)\b|\b(?:don't|doesn't|isn't|aren't) (?:only|just|all|always|necessarily|yet)\b",
    re.IGNORECASE,
)
"""Denials that deny only a part, or no telling what."""

PAST: Final = re.compile(
    r"\b(?:was|were|wasn't|weren't|had|hadn't|did|didn't|ran|took|made|came|went|got|gave|saw|sold|bought|"
    r"brought|fell|broke|"
    r"began|became|kept|left|lost|met|sent|spent|stood|won|wrote|built|felt|found|held|paid|read|hit|"
    r"put|cut|let|shut|quit|beat|"
    r"ate|drank|drove|flew|knew|grew|threw|wore|spoke|chose|rose|taught|caught|led|"
    r"(?!need\b|feed\b|speed\b|exceed\b|proceed\b|succeed\b|embed\b|seed\b|bed\b|shed\b|red\b|based\b|used\b)[a-z]{2,}ed)\b"
)
SETTLED: Final = re.compile(
    r"(?:moved|migrated|relocated|switched|ported|transitioned|rewritten)\s(?:from\s.{1,60}?\s)?(?:over\s"
    r")?(?:to|onto|in)\s|joined\s|"
    r"(?:stopped|quit|ceased|gave\sup)\s\w+ing\b"
)
"""Past events that tell where things stand since."""
BEFORE_PARTICIPLE: Final = re.compile(
    r"(?:\b(?:is|are|am|be|been|being|get|gets|has|have|isn't|aren't|hasn't|haven't|stays?|remains?|not|"
    r"now|still|currently|"
    r"longer|always|never|fully|only|automatically|the|a|an|every|all|each|its|our|by)|'s|'re|,| and| or)\s+(?:\w+ly\s+)?$",
    re.IGNORECASE,
)
"""What makes of a word in -ed a state, not a past event."""

ADJUNCT: Final = re.compile(
    r"\b(?:now|currently|nowadays|presently|still|already|again|today|any ?more|any longer|at present|"
    r"at the moment|these days|"
    r"for now|right now|from now on(?:wards)?|as of now|once more|instead|actually|really|finally|officially|"
    r"simply|also|too|"
    r"this (?:week|month|quarter|year|sprint)|recently|lately|yesterday|last (?:week|month|year|night|"
    r"spring|summer|autumn|winter)|since [^,;]+$|as of [^,;]+$|starting [^,;]+$)(?![\w-])",
    re.IGNORECASE,
)
LEADING: Final = re.compile(
    r"^(?:(?:as of|as from|from|since|starting|effective|beginning|until)\s[^,;]{1,40},|(?:now|today|"
    r"currently|finally|meanwhile|"
    r"update|correction|note|decision|however|also),?:?|(?:update|correction|decision|note):)\s+",
    re.IGNORECASE,
)
UNRESOLVED: Final = re.compile(
    r"^(?:he|she|they|it|this|that|these|those|there|who|which|what|one|some|someone|most|many|few)\b", re.IGNORECASE
)
"""A subject that says nothing by itself."""

_OPPOSITES: Final = """
enabled: enabled activated active switched-on | disabled deactivated inactive switched-off
love: love loves like likes enjoy enjoys adore adores loved | hate hates dislike dislikes detest detests despise loathe loathes
allowed: allowed permitted | forbidden banned prohibited disallowed
required: required mandatory obligatory | optional
up: up available online reachable | down unavailable offline unreachable
vegetarian: vegetarian vegetarians | eats-meat eat-meat
supported: supported | unsupported
visible: visible shown | hidden invisible
public: public | private
valid: valid | invalid
possible: possible | impossible
safe: safe | unsafe
stable: stable | unstable
locked: locked | unlocked
encrypted: encrypted | unencrypted
agree: agree agrees | disagree disagrees
trust: trust trusts | distrust distrusts mistrust mistrusts
accept: accept accepts | reject rejects refuse refuses
include: include includes | exclude excludes
legal: legal | illegal
full: full | empty
healthy: healthy | unhealthy
"""

OPPOSITES: Final = {
    word: (line.partition(":")[0], sign)
    for line in _OPPOSITES.strip().splitlines()
    for sign, words in zip((1, -1), line.partition(":")[2].split("|"), strict=True)
    for word in words.split()
}
"""A word to what it is a form of, and whether it is that or its opposite."""
VERBS: Final = frozenset({"love", "agree", "trust", "accept", "include"})
"""Those of them that are verbs, and vegetarian; the others say something only behind a form of `be`."""

PHRASES: Final = (
    (re.compile(r"\b(?:can't|cannot|can not) (?:stand|bear)\b", re.IGNORECASE), "loathe"),
    (re.compile(r"\b(?:switched|turned) (on|off)\b", re.IGNORECASE), r"switched-\1"),
    (
        re.compile(r"\b(is|are|not|now) (on|off)(?=\s*$| by default| for (?:all|every|everyone)\b)", re.IGNORECASE),
        r"\1 switched-\2",
    ),
    (re.compile(r"\b(has|have) no\b(?! longer)", re.IGNORECASE), r"\1 not"),
    (re.compile(r"\b(?:is|are) (?:very )?(?:fond of|keen on)\b", re.IGNORECASE), "likes"),
    (re.compile(r"\b(eats?) meat\b", re.IGNORECASE), r"\1-meat"),
    (re.compile(r"\bno longer\b", re.IGNORECASE), "not"),
    (re.compile(r"\b(?:(?:has|have) )?(?:stopped|stops|quit|ceased|gave up|given up) (\w+ing)\b", re.IGNORECASE), r"not \1"),
    (re.compile(r"\b(?:cannot|can't)\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"(?<=\w)n't\b", re.IGNORECASE), " not"),
    (re.compile(r"\bnever\b", re.IGNORECASE), "not"),
)
"""Words that are read as one, and the denials in one shape."""

STATUSES: Final = {
    **dict.fromkeys(("open", "reopened", "unresolved", "outstanding"), "open"),
    **dict.fromkeys(("in progress", "under way", "underway", "ongoing", "being worked on"), "in progress"),
    **dict.fromkeys(("blocked", "on hold", "paused", "stalled"), "blocked"),
    **dict.fromkeys(("in review", "under review"), "in review"),
    **dict.fromkeys(("pending", "to do", "todo", "planned", "in draft"), "pending"),
    **dict.fromkeys(
        ("done", "closed", "resolved", "fixed", "completed", "complete", "finished", "merged", "shipped", "live"), "done"
    ),
    **dict.fromkeys(("cancelled", "canceled", "rejected", "abandoned", "withdrawn"), "cancelled"),
    **dict.fromkeys(("single", "unmarried"), "single"),
    **dict.fromkeys(("married",), "married"),
    **dict.fromkeys(("engaged",), "engaged"),
    **dict.fromkeys(("divorced",), "divorced"),
    **dict.fromkeys(("widowed",), "widowed"),
}
"""A status to what it amounts to; a thing has one at a time."""

CLASSES: Final = {
    word: name
    for name, words in (
        ("database", "postgres postgresql mysql mariadb oracle mongodb sqlite dynamodb cassandra cockroachdb sql db2"),
        ("platform", "kubernetes nomad ecs swarm heroku aws gcp azure fly render vercel openshift metal lambda mesos"),
        ("system", "linux ubuntu debian windows macos alpine centos rhel fedora"),
        ("language", "python java go rust ruby php node typescript javascript kotlin scala elixir perl"),
    )
    for word in words.split()
}
"""What runs on one of them may run on one of another class as well."""

NUMBERS: Final = {
    word: str(number)
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
    if number != 1
} | {"once": "1", "twice": "2", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100"}

_UNITS: Final[dict[str, dict[float, str]]] = {
    "time": {
        1e-6: "us µs microsecond microseconds",
        1e-3: "ms msec millisecond milliseconds",
        1: "s sec secs second seconds",
        60: "min mins minute minutes",
        3600: "h hr hrs hour hours",
        86400: "d day days",
        604800: "w week weeks",
        2629746: "month months",
        31556952: "y yr year years",
    },
    "size": {
        1: "b byte bytes",
        1e3: "kb kib kilobyte kilobytes",
        1e6: "mb mib megabyte megabytes",
        1e9: "gb gib gigabyte gigabytes",
        1e12: "tb tib terabyte terabytes",
    },
    "share": {1: "% percent"},
    "eur": {1: "€ euro euros eur"},
    "usd": {1: "$ dollar dollars usd"},
    "gbp": {1: "£ pound pounds gbp"},
    "length": {1e-3: "mm", 1e-2: "cm", 1: "m metre metres meter meters", 1e3: "km"},
    "mass": {1e-3: "g", 1: "kg"},
}
UNITS: Final = {
    unit: (dimension, factor)
    for dimension, units in _UNITS.items()
    for factor, names in units.items()
    for unit in names.split()
}
"""A unit of measure to its dimension, and how much of the dimension's base it is."""
