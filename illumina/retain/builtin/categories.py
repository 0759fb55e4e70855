"""Which of the fourteen categories a statement is of: cues, each with a weight, and the category with the most."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from illumina.retain.builtin.cues import RULES

if TYPE_CHECKING:
    from illumina.types import Category


_SECTIONS: Final[tuple[tuple[Category, re.Pattern[str]], ...]] = (
    ("action_item", re.compile(r"action|follow-?up|next steps|to-?do", re.IGNORECASE)),
    ("decision", re.compile(r"decision|resolution|outcome|status", re.IGNORECASE)),
    ("key_insight", re.compile(r"root cause|lesson|rationale|why|motivation|insight|conclusion|consequence", re.IGNORECASE)),
    ("workflow", re.compile(r"how to|runbook|procedure|steps|process|checklist|installation|getting started", re.IGNORECASE)),
    ("architecture", re.compile(r"architecture|design|component|implementation|specification|data model|api\b", re.IGNORECASE)),
    ("convention", re.compile(r"convention|style|naming|guideline", re.IGNORECASE)),
    ("metric", re.compile(r"metric|result|benchmark|measurement|kpi|figures", re.IGNORECASE)),
    ("issue", re.compile(r"problem|issue|impact|incident|known bugs|limitation", re.IGNORECASE)),
    ("business_rule", re.compile(r"policy|rules|terms|requirements", re.IGNORECASE)),
)
_LEAST: Final = 1.4
_TALK: Final = 0.75
"""Work's share where somebody talks and names nothing of work."""
_LIFE: Final = frozenset(("preference", "opinion", "personal", "experience", "action_item", "domain_knowledge"))
_PRIVATE: Final = frozenset(("preference", "opinion", "experience"))
_SECTION_WEIGHT: Final = 1.8
_CAUSE_WEIGHT: Final = 2.0
_SELF: Final = re.compile(r"\b(?:i|i['’]m|i['’]ve|my|me|we|our|us)\b")
_NAMED: Final = re.compile(r"\b[A-ZÀ-Þ]\w+ (?=(?:still |now |has )?live)(\w)")
_SAYS: Final = re.compile(r"\b(?:said|says|told|announced|asked|explained|confirmed|wrote|reports?|reported)\b")
_COUNT: Final = re.compile(r"\b\d[\d,.]*\s(?:[a-z]+\s)?[a-z]+s\b")
_IS: Final = re.compile(r"\b(?:is|has|lives|knows|speaks|owns|keeps)\b")
MAX_READ: Final = 600
"""Characters of a statement by which it is judged."""


def category(
    statement: str, section: str | None, *, spoken: bool, technical: bool, person: bool, task: bool, cause: bool
) -> Category:
    """The category of a statement.

    Args:
        statement: As the text words it, pronouns included.
        section: The headings above it.
        spoken: Whether a known speaker says it.
        technical: Whether it names a service, a product, a ticket or the like.
        person: Whether it is about somebody.
        task: Whether it is an item that is still to be ticked off.
        cause: Whether it is given as the cause of something else.
    """
    if task:
        return "action_item"
    text = _NAMED.sub(r"he \1", statement[:MAX_READ]).lower()
    heading = section.rsplit(" > ", 1)[-1] if section else ""
    best: Category | None = None
    most = 0.0
    for name, cues in RULES:
        score = sum(weight for weight, pattern in cues if pattern.search(text))
        if heading and any(name == about and pattern.search(heading) for about, pattern in _SECTIONS):
            score += _SECTION_WEIGHT
        if cause and name == "key_insight" and not (spoken and _SELF.search(text)):
            score += _CAUSE_WEIGHT
        if _out_of_place(name, text, spoken=spoken, technical=technical):
            score *= _TALK
        if score > most:
            best, most = name, score
    if best is not None and most >= _LEAST:
        return best
    return _otherwise(text, spoken=spoken, technical=technical, person=person)


def _out_of_place(name: Category, text: str, *, spoken: bool, technical: bool) -> bool:
    """Whether a category of work is told in talk that names nothing of work, or one of life where nobody speaks."""
    if spoken:
        return not technical and name not in _LIFE
    return name in _PRIVATE and not _SELF.search(text)


def _otherwise(text: str, *, spoken: bool, technical: bool, person: bool) -> Category:
    """The category of what no cue tells."""
    if person and not _SAYS.search(text):
        return "personal" if _IS.search(text) else "experience"
    if _COUNT.search(text):
        return "metric"
    if technical and not spoken:
        return "architecture"
    if spoken and _SELF.search(text):
        return "experience"
    return "opinion" if spoken and text.endswith("!") else "domain_knowledge"
