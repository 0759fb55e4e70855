"""How sure a text is of what it states, and whether it must surface everywhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from illumina.types import Category, Confidence, Importance

_RUMOUR: Final = re.compile(
    r"\b(?:apparently|supposedly|allegedly|rumou?rs?|rumou?red|i (?:just |only )?heard|(?:people|they|some) say|word is"
    r"|hearsay|i (?:wild )?guess|"
    r"wild guess|just guessing|no idea|not (?:at all )?(?:sure|certain)|don['’]t know (?:if|whether)|unconfirmed|might "
    r"possibly|who knows)\b",
    re.IGNORECASE,
)
_HEDGE: Final = re.compile(
    r"\b(?:might|may (?!\d)|maybe|perhaps|probably|possibly|presumably|likely|unlikely|seems?|seemed|appears? (?:to|that)"
    r"|i (?:think|believe|suppose|"
    r"assume|suspect|feel like|imagine|expect)|i['’]d (?:guess|say)|we (?:think|believe|suspect|assume|suppose)|could "
    r"(?:be|have|well)|should be"
    r"(?: fine| ok| enough)|my (?:guess|hunch|suspicion|feeling)|as far as i (?:know|remember|can tell)|afaik|iirc|if i "
    r"remember|not (?:entirely|"
    r"quite|fully) (?:sure|clear)|sort of|kind of|roughly speaking|in theory|considering|thinking (?:of|about)"
    r"|tentative(?:ly)?|potentially|suspected"
    r"|hypothesis|unclear)\b",
    re.IGNORECASE,
)
_MAY_NOT: Final = re.compile(r"\bmay (?:only|not|at most|never|\d)|\bmay \w+ (?:up to|at most|only|no more)", re.IGNORECASE)
_SUPPOSED: Final = re.compile(r"^(?:if|unless|suppose|assuming)\b.*\b(?:would|might|could)\b", re.IGNORECASE | re.DOTALL)
_BINDING: Final = re.compile(
    r"\b(?:always|never|must(?:n['’]t)?|mandatory|obligatory|required to|prohibited|forbidden|under no circumstances|no "
    r"exceptions|remember (?:that|to|:)|"
    r"don['’]t forget|do not forget|keep in mind|important:|critical:|warning:|at all costs|from now on|until further "
    r"notice|effective immediately)\b",
    re.IGNORECASE,
)
_REMEMBERED: Final = re.compile(r"^(?:please )?remember\b|^(?:important|critical|warning|note well|nb)\b", re.IGNORECASE)
_MEDICAL: Final = re.compile(
    r"\b(?:allerg\w+|anaphyla\w+|epipen|intoleran\w+|coeliac|celiac|diabet\w+|epilep\w+|asthma\w*|pregnan\w+|insulin|blood "
    r"type|emergency contact|"
    r"medication|pacemaker|deaf|blind|wheelchair|vegan|vegetarian|halal|kosher)\b",
    re.IGNORECASE,
)
_PAST_NEVER: Final = re.compile(
    r"\b(?:has|have|had|'s|'ve|was|were|i|he|she)\s+(?:never|always)\b"
    r"|\b(?:never|always) (?:mind|backed|came|got|had|saw|heard|been|went|did|told|knew|found|wanted|liked|loved|\w+ed)\b"
    r"|\bmust have\b|\bas always\b",
    re.IGNORECASE,
)
"""What was or is somebody's habit binds nobody."""
_DECIDED: Final = re.compile(
    r"\b(?:decided|decision:|agreed (?:to|on|that)|we (?:chose|choose|picked|settled on|are going with|will go with|commit "
    r"to|opted)|chosen|"
    r"(?:was|were|is|has been) (?:approved|accepted|decided|agreed)|it is decided|going forward|final decision|accepted:)\b",
    re.IGNORECASE,
)
_LESSON: Final = re.compile(
    r"^(?:the |our |key |main )?(?:lesson|takeaway)s?\b.*\b(?:never|always|must)\b", re.IGNORECASE | re.DOTALL
)


def confidence(statement: str, *, unclear: bool, hedged: bool, quoted: bool) -> Confidence:
    """High unless the text hedges (medium), passes on what somebody says (low), or leaves open whom it speaks of.

    Args:
        statement: As the text words it.
        unclear: Whether its subject is a pronoun that could not be resolved.
        hedged: Whether doubt was voiced around it.
        quoted: Whether it is quoted from elsewhere.
    """
    rumour = _RUMOUR.search(statement) is not None
    hedge = (_HEDGE.search(statement) is not None and _MAY_NOT.search(statement) is None) or _SUPPOSED.search(
        statement
    ) is not None
    if rumour or (hedge and unclear and hedged):
        return "low"
    return "medium" if hedge or unclear or hedged or quoted else "high"


def importance(statement: str, category: Category, sure: Confidence) -> Importance:
    """Vital: what binds, what is always or never so, what is to be remembered, what concerns somebody's health."""
    if sure == "low":
        return "supplementary"
    if _MEDICAL.search(statement) or _LESSON.search(statement) or _REMEMBERED.search(statement):
        return "vital"
    if _BINDING.search(statement) and not _PAST_NEVER.search(statement):
        return "vital"
    decided = category == "decision" and sure == "high" and _DECIDED.search(statement) is not None
    return "vital" if decided else "supplementary"
