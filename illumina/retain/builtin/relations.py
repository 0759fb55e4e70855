"""Relations between entities that a statement tells, by the words between their names."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from illumina.retain.extraction import RelationDraft

if TYPE_CHECKING:
    from collections.abc import Sequence


class Placed(NamedTuple):
    """A mention, or a pronoun that stands for one, where it stands."""

    start: int
    end: int
    kind: str | None


class _Rule(NamedTuple):
    name: str
    subject: frozenset[str]
    object: frozenset[str]
    between: re.Pattern[str]
    joined: re.Pattern[str]
    reverse: bool


_PEOPLE: Final = "person"
_THINGS: Final = "service project product identifier unknown"
_TEAMS: Final = "team organisation unknown"
_BOTH: Final = "person team organisation"


def _rule(name: str, subject: str, object_: str, between: str, *, reverse: bool = False) -> _Rule:
    pattern = rf"(?:['’](?:s|m|re|ve|ll))?\s*(?:{_LEAD})*(?:{between})\s*(?:{_TRAIL})*"
    if name in _LISTING:
        pattern += rf"(?:{_BESIDE})?"
    direct = re.compile(rf"(?:,? ?(?:who|which|that)\b)?{pattern}", re.IGNORECASE)
    joined = re.compile(rf".*(?:\band|\bthen|,){pattern}", re.IGNORECASE | re.DOTALL)
    return _Rule(name, frozenset(subject.split()), frozenset(object_.split()), direct, joined, reverse)


_LEAD: Final = (
    r"(?:also|still|now|currently|only|just|already|has|have|had|is|was|will|been|am|are|then|[\w ]{1,20}ly|"
    r"\([^()]{0,40}\),?|(?:as )?(?:the|our) \w+,)\s+"
)
_BESIDE: Final = r"[\w'-]+(?: [\w'-]+){0,3},? and (?:(?:the|our|a) )?"
_LISTING: Final = frozenset(("owns", "uses", "depends_on", "works_on"))
"""In these, something without a name may stand before what is named: "looks after the job table and svc-notify"."""
_TRAIL: Final = r"(?:the|a|an|our|their|his|her|its|new|old|own|local|main|both|all|of|in)\s+"

_RULES: Final = (
    _rule("reports_to", _PEOPLE, _PEOPLE, r"reports? to|reported to"),
    _rule(
        "manages",
        _PEOPLE,
        "person team organisation project unknown",
        r"manages?|managed|leads?|led|leading|heads?|headed|runs"
        r"|supervises?|in charge of|head of|lead of|(?:takes? over |took over |starts |joins )?as (?:manager|head|lead"
        r"|director) of",
    ),
    _rule("manages", "person", "person team unknown", r"(?:is |are )?(?:managed|led|headed) by", reverse=True),
    _rule(
        "works_at",
        _PEOPLE,
        "organisation",
        r"works? (?:at|for)|worked (?:at|for)|working (?:at|for)|joined|joins"
        r"|joining|from|at|employed (?:by|at)|of"
        r"|(?:is|was|became|started)\b[\w ,]{0,40}\b(?:at|of|for)|starts? at",
    ),
    _rule("works_at", _PEOPLE, "organisation", r"\(|, [\w -]{2,40}, |, "),
    _rule("works_at", _PEOPLE, "unknown", r"works? (?:at|for)|worked (?:at|for)|working (?:at|for)|employed (?:by|at)"),
    _rule("member_of", _PEOPLE, "team", r"\("),
    _rule(
        "member_of",
        _PEOPLE,
        "team",
        r"(?:is )?(?:on|in|part of|a member of|from|of|with)|joined|joins|works? (?:in|on"
        r"|for|with)|moved to|belongs to",
    ),
    _rule(
        "works_on",
        _BOTH,
        "project service product ticket",
        r"works? on|worked on|working on|took over|picked up|fixed"
        r"|fixes|wrote|rewrote|built|builds|implemented"
        r"|is fixing|deployed|takes|closed|reviewed|reviews|assigned to",
        reverse=False,
    ),
    _rule(
        "works_on",
        _BOTH,
        "ticket project service",
        r"(?:is |was )?(?:assigned to|picked up by|fixed by|written by"
        r"|built by|implemented by)",
        reverse=True,
    ),
    _rule(
        "owns",
        _BOTH,
        _THINGS,
        r"owns?|owned|maintains?|maintained|(?:is |are )?responsible for|looks? after|(?:is "
        r")?the owners? of|keeps",
    ),
    _rule("owns", _BOTH, _THINGS, r"(?:is |are )?(?:owned|maintained|kept|run) by|belongs to", reverse=True),
    _rule(
        "blocked_by",
        "ticket project service",
        "ticket project service",
        r"(?:is |are )?(?:blocked|held up) by|waits? "
        r"(?:for|on)",
    ),
    _rule(
        "replaces",
        "document product service version project",
        "document product service version project",
        r"replaces?|replaced|supersedes?|superseded|obsoletes?|succeeds",
    ),
    _rule(
        "replaces",
        "document product service version project",
        "document product service version project",
        r"(?:is |was |has been )?(?:replaced|superseded|obsoleted) by",
        reverse=True,
    ),
    _rule(
        "depends_on",
        "service project product ticket identifier unknown",
        "service project product identifier unknown",
        r"depends? (?:up)?on|relies on|rely on|needs?|requires?|(?:is |are )?built on(?: top of)?|runs? on|(?:is |are "
        r")?(?:deployed|hosted) (?:on|in)|calls?"
        r"|sits on top of",
    ),
    _rule(
        "uses",
        "person team organisation project service product",
        "product service",
        r"uses?|used|using|(?:runs?|goes|go|flows?|flow) (?:through|via|over)|(?:is |are "
        r")?(?:written|built|implemented"
        r"|stored|kept) (?:in|with)"
        r"|talks? to|reads? from|writes? to|publishes to|consumes from|stores? (?:\w+ ){0,3}in|connects? to|switched to"
        r"|moved to|migrated to|keeps? (?:\w+ ){0,3}in",
    ),
    _rule(
        "part_of",
        "service team project product place",
        "service team project organisation product place",
        r"(?:is |are )?(?:a )?part of|belongs? to|is a module of",
    ),
    _rule(
        "located_in",
        "organisation service team",
        "place",
        r"(?:is |are )?(?:based|located|hosted|headquartered"
        r"|running) in|has (?:its|an|their) offices? in|lives? in|in",
    ),
    _rule(
        "lives_in",
        _PEOPLE,
        "place",
        r"lives? in|lived in|living in|moved to|moving to|resides in|settled in|(?:is |am "
        r")?based in|relocated to",
    ),
    _rule("born_in", _PEOPLE, "place", r"(?:was )?born in|grew up in|comes? from|came from|is from|am from"),
    _rule("visited", _PEOPLE, "place", r"visited|visits|went to|flew to|travell?ed to|was in|toured|drove to"),
    _rule(
        "married_to",
        _PEOPLE,
        _PEOPLE,
        r"(?:is |are |was )?(?:married to|engaged to)|married|(?:husband|wife|partner"
        r"|spouse) of",
    ),
    _rule(
        "knows",
        _PEOPLE,
        _PEOPLE,
        r"knows?|knew|met|meets|(?:is |are |became )?(?:a |an |my |old |good |best )*friends? "
        r"(?:of|with)|talked to|talks to|told|asked|thanked|called"
        r"|introduced|works? with|worked with",
    ),
)
MAX_BETWEEN: Final = 90
_LISTED: Final = re.compile(r"\s*(?:,|,?\s*(?:and|or|&))\s*(?:the\s+)?$", re.IGNORECASE)


def relations(text: str, placed: Sequence[Placed], denied: bool) -> tuple[RelationDraft, ...]:
    """The relations between the mentions of one statement; none of a statement that denies.

    Args:
        text: The body without markup.
        placed: Its mentions; positions in the result are positions here.
        denied: Whether it is negated.
    """
    if denied or len(placed) < 2:
        return ()
    found: dict[tuple[int, str, int], None] = {}
    order = sorted(range(len(placed)), key=lambda it: (placed[it].start, placed[it].end))
    for at, later in enumerate(order[1:12], start=1):
        for earlier in dict.fromkeys((order[0], order[at - 1])):
            one, other = placed[earlier], placed[later]
            between = text[one.end : other.start]
            if one.end > other.start or len(between) > MAX_BETWEEN:
                continue
            for rule in _RULES:
                subject, object_ = (other, one) if rule.reverse else (one, other)
                if (
                    (subject.kind or "unknown") in rule.subject
                    and (object_.kind or "unknown") in rule.object
                    and (
                        rule.between.fullmatch(between)
                        or (earlier == order[0] and not rule.reverse and rule.joined.fullmatch(between))
                    )
                ):
                    pair = (later, earlier) if rule.reverse else (earlier, later)
                    found.setdefault((pair[0], rule.name, pair[1]))
                    break
        previous = order[at - 1]
        if _LISTED.fullmatch(text[placed[previous].end : placed[later].start]) and placed[previous].kind == placed[later].kind:
            for subject_at, name, object_at in list(found):
                if object_at == previous and subject_at != later:
                    found.setdefault((subject_at, name, later))
    _share_subjects(text, placed, order, found)
    return tuple(RelationDraft(subject, name, object_) for subject, name, object_ in sorted(found))


def _share_subjects(text: str, placed: Sequence[Placed], order: Sequence[int], found: dict[tuple[int, str, int], None]) -> None:
    """Of "Tom and Priya own it", both do."""
    for previous, later in reversed(list(pairwise(order))):
        if placed[previous].kind != placed[later].kind or not _LISTED.fullmatch(
            text[placed[previous].end : placed[later].start]
        ):
            continue
        for subject, name, object_ in list(found):
            if subject == later and object_ != previous:
                found.setdefault((previous, name, object_))
