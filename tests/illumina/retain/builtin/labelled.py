"""Labelled sentences, and how far the built-in extractor agrees with them.

`developed.jsonl` was looked at while the rules were written; `held_out.jsonl` was written before they ran, and no rule was
changed for it. A line holds a text (`t`), its speaker (`who`), the statements (`f`) and what is to be rejected (`r`). A
statement is told by the words of the source (`q`), its category (`c`), the names in it with their kinds (`m`), the interval it
tells of (`e`), its wording where pronouns are resolved (`s`), confidence (`conf`) and importance (`imp`). All were said on
2 March 2026, a Monday.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from illumina.retain.builtin import BuiltinExtractor
from illumina.retain.extraction import Extraction, FactDraft
from illumina.retain.prepare import prepare
from illumina.types import Chunk, Document, LedgerDocument, Utterance

SAID: Final = datetime(2026, 3, 2, 9, tzinfo=UTC)


def ledger(text: str, speaker: str | None = None, said: datetime | None = SAID) -> LedgerDocument:
    """A document of one text, or of one utterance where a speaker is known."""
    return prepare(Document(body=[Utterance(text, speaker)] if speaker else text, occurred_at=said), "labelled")


def whole(document: LedgerDocument) -> Chunk:
    """All of a document as one chunk."""
    return Chunk(0, 0, len(document.body), 0, "")


def extract(text: str, speaker: str | None = None, said: datetime | None = SAID) -> tuple[LedgerDocument, Extraction]:
    """A document and what the built-in extractor makes of it."""
    document = ledger(text, speaker, said)
    return document, BuiltinExtractor().extract(document, whole(document))


@dataclass
class Tally:
    """Counts of what was right, of what was given, and of what was asked for."""

    right: int = 0
    given: int = 0
    asked: int = 0
    misses: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / self.given if self.given else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.asked if self.asked else 1.0

    def __str__(self) -> str:
        return f"{self.right} right of {self.given} given and {self.asked} asked: P {self.precision:.3f} R {self.recall:.3f}"


def measured(file: str) -> dict[str, Tally]:
    """Agreement with a file of labelled sentences, by aspect."""
    names = ("boundaries", "statements", "categories", "mentions", "events", "rejections", "confidence", "importance")
    tallies = {name: Tally() for name in names}
    for line in (Path(__file__).parent / file).read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        document, extraction = extract(case["t"], case.get("who"))
        _compare(case, document.body, extraction, tallies)
    return tallies


def _compare(case: dict[str, Any], body: str, extraction: Extraction, tallies: dict[str, Tally]) -> None:
    facts = {_bare(body[fact.start : fact.end]): fact for fact in extraction.facts}
    _count(tallies["boundaries"], set(facts), {_bare(fact["q"]) for fact in case["f"]}, case["t"])
    given = {
        (_bare(body[it.start : it.end]), it.reason)
        for it in extraction.rejections
        if it.reason not in {"speaker", "markup", "filler"}
    }
    _count(tallies["rejections"], given, {(_bare(quote), reason) for quote, reason in case.get("r", {}).items()}, case["t"])
    mentioned = {(it.name, it.kind) for fact in extraction.facts for it in fact.mentions if it.start is not None}
    _count(tallies["mentions"], mentioned, {pair for fact in case["f"] for pair in fact.get("m", {}).items()}, case["t"])
    for label in case["f"]:
        fact = facts.get(_bare(label["q"]))
        if fact is None:
            continue
        _count(tallies["categories"], {str(fact.category)}, {label["c"]}, label["q"])
        worded = label.get("s", label["q"])
        _count(tallies["statements"], {_bare(_undated(fact.statement))}, {_bare(worded)}, worded)
        _count(tallies["confidence"], {fact.confidence}, {label.get("conf", "high")}, label["q"])
        _count(tallies["importance"], {fact.importance}, {label.get("imp", "supplementary")}, label["q"])
        _count(tallies["events"], _event(fact), {_interval(*label["e"])} if "e" in label else set(), label["q"])


def _count(tally: Tally, given: set[Any], asked: set[Any], text: str) -> None:
    tally.right += len(given & asked)
    tally.given += len(given)
    tally.asked += len(asked)
    if given != asked:
        tally.misses.append(f"{text!r}: gave {sorted(map(str, given - asked))}, not {sorted(map(str, asked - given))}")


def _bare(text: str) -> str:
    """Without case, conjunctions at the front and punctuation at the edges."""
    text = re.sub(r"^(?:and|but|so|because)\s+", "", text.strip(" \n.,;:!"), flags=re.IGNORECASE)
    return " ".join(text.split()).casefold()


def _undated(statement: str) -> str:
    return re.sub(r" \(\d{4}[-\d]*(?: to [-\d]+)?\)", "", statement)


def _event(fact: FactDraft) -> set[tuple[str, str, str]]:
    if fact.event is None:
        return set()
    start, end = (moment.strftime("%Y-%m-%dT%H:%M") if moment else "" for moment in (fact.event.start, fact.event.end))
    return {(start, end, fact.event.precision)}


def _interval(start: str | None, end: str | None, precision: str) -> tuple[str, str, str]:
    first, last = (f"{moment}T00:00" if moment and "T" not in moment else moment or "" for moment in (start, end))
    return first, last, precision
