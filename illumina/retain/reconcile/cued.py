"""What a statement says in so many words is over: a thing, a practice, a change, or documents named by id."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from illumina.retain.reconcile.claims import Words, words
from illumina.retain.reconcile.lexicon import HEDGES
from illumina.retain.references import cleaned
from illumina.retain.supersedes import find_supersessions
from illumina.text import lexemes

if TYPE_CHECKING:
    from illumina.retain.supersession_cues import Extent


@dataclass(frozen=True, slots=True)
class Ended:
    """Something that is said to be over.

    Attributes:
        kind: How far; see `illumina.retain.supersession_cues.Extent`.
        cue: The words that say so.
        text: What is over, as it stands; empty if only documents are.
        old: Its content words.
        told: All content words of the statement.
        general: Whether the statement says nothing of whose it was ("we moved from Jenkins to Buildkite").
        definite: Whether it is described in two words at least, not pointed to or named: a name means something elsewhere too.
        deprecated: Whether it is over as a recommendation only: it is still there.
        gone: Whether the words say that it is there no more, so that nothing holds that was said about it.
        remains: Whether it is still there, only not used in this place any more (moved away from).
        documents: Names of the documents that are over, as `document_name` gives them.
        own: Whether the document that says it is over itself.
    """

    kind: Extent
    cue: str
    text: str
    old: Words
    told: Words
    general: bool
    definite: bool
    deprecated: bool
    gone: bool
    remains: bool
    documents: frozenset[str]
    own: bool


USAGE: Final = frozenset(
    lexemes(
        "use uses using used run running live go goes host hosted store stored deploy deployed rely call "
        "own current work keep kept "
        "send sent still currently everywhere everything moved move switched switch migrate migrated replaced "
        "replace dropped drop "
        "team company project now new old favour favor instead is in via through with"
    )
)
"""Words that say only that a thing is in use."""
CHANGES: Final = frozenset(
    lexemes(
        "change changed raise raised increase increased lower lowered rollout upgrade upgraded migration "
        "migrated deploy deployed "
        "deployment release released merge merged switch switched move moved enable enabled bump bumped "
        "add added introduce introduced"
    )
)
_AGED: Final = frozenset(lexemes("old previous former existing current earlier"))
_CLAUSAL: Final = frozenset({"no longer", "any more", "anymore", "any longer"})
_DEFINITE: Final = re.compile(r"(?:the|our)\s", re.IGNORECASE)
_POINTED: Final = re.compile(r"(?:this|that|these|those|it|the (?:two|current|same|former|latter))\b", re.IGNORECASE)
"""What is pointed to is another thing in every text."""
_SUPPOSED: Final = re.compile(r"\b(?:once|when|whenever|as soon as)\b", re.IGNORECASE)
_DOCUMENT: Final = re.compile(
    r"\b(?:this|the present)\s(?:\w+\s){0,2}?(?:pep|adr|rfc|document|proposal|decision|record|spec|note|"
    r"page|policy)\b",
    re.IGNORECASE,
)


def endings(statement: str) -> list[Ended]:
    """What a statement says is over; denials, proposals, questions and mere amendments say nothing. Pure."""
    text = cleaned(statement)
    if HEDGES.search(text) or _SUPPOSED.search(text) or text.rstrip().endswith("?"):
        return []
    found = []
    told = words(text)
    for cue in find_supersessions(text):
        spoken = " ".join(text[slice(*cue.cue)].lower().split())
        if cue.negated or cue.hypothetical or cue.kind == "amended":
            continue
        documents = frozenset(filter(None, map(reference_name, cue.old_ids)))
        own = cue.old_is_self and (bool(cue.new_ids) or _DOCUMENT.search(text) is not None)
        told_so = cue.old is not None and spoken not in _CLAUSAL and not _urged(text, cue.cue, spoken)
        stretch = text[slice(*cue.old)] if cue.old and told_so else ""
        if _POINTED.match(stretch):
            stretch = ""
        old = words(stretch) - _AGED
        if not (old or documents or own):
            continue
        new = words(text[slice(*cue.new)]) if cue.new else frozenset()
        found.append(
            Ended(
                cue.kind,
                spoken,
                stretch,
                old,
                told,
                general=not told - old - new - words(spoken) - USAGE,
                definite=_DEFINITE.match(stretch) is not None and len(old) > 1,
                deprecated="deprecat" in spoken,
                gone=_GONE.match(spoken) is not None,
                remains=re.search(r"\b(?:from|off|instead|place|lieu|left|leave|leaving)\b", spoken) is not None,
                documents=frozenset() if cue.kind == "partial" else documents,
                own=own and cue.kind != "partial",
            )
        )
    return found


_GONE: Final = re.compile(
    r"(?:replace|supersede|supplant|obsolete|retire|withdrawn|withdrew|decommission|discontinu|abolish|scrap|remove|delete|cancel|"
    r"sunset|phased out|shut down|taken down|taken out|goes away|went away|gone|history|called off|taken? over|took)\w*"
)
_URGED: Final = re.compile(
    r"(?:\w+ing|replace|supersede|drop|remove|retire|deprecate|abandon|discontinue|withdraw|decommission|scrap|abolish|move|migrate|"
    r"switch|convert|port|go|change|stop|leave|revert|undo|roll|back|ditch|sunset|take|up|down)\b"
)
_TOLD: Final = re.compile(
    r"\b(?:is|are|am|was|were|be|been|we|they|i|you|have|has)(?:\s\w+ly)?\s$|(?:'re|'m)\s$", re.IGNORECASE
)


def _urged(text: str, cue: tuple[int, int], spoken: str) -> bool:
    """Whether the verb of a cue is an imperative, an infinitive or a gerund without a form of `be`: nothing is told then."""
    return _URGED.match(spoken) is not None and _TOLD.search(text, max(0, cue[0] - 24), cue[0]) is None


_ID: Final = re.compile(r"([a-z][a-z0-9]{0,9})s?[\s#_-]*0*(\d{1,6})", re.IGNORECASE)
_LEADING_ID: Final = re.compile(r"(?:^|.*/)([a-z][a-z0-9]{1,9})s?[-_ ]?0*(\d{1,6})(?!\d)[^/]*$", re.IGNORECASE)
_FOLDER_ID: Final = re.compile(r"(?:^|.*/)([a-z]{2,9}?)s?/0*(\d{1,6})[-_. ][^/]*$", re.IGNORECASE)


def reference_name(reference: str) -> str | None:
    """`adr-7` for "ADR-0007" and "ADR 7"; None for "#7", which names nothing by itself."""
    match = _ID.fullmatch(reference)
    return f"{match[1].lower()}-{int(match[2])}" if match else None


def document_name(key: str | None) -> str | None:
    """The name by which a document's key says it is cited: `adr-7` for `docs/adr/0007-use-kafka.md` and for `ADR-7`."""
    if key is None:
        return None
    match = _LEADING_ID.match(key) or _FOLDER_ID.match(key)
    return f"{match[1].lower()}-{int(match[2])}" if match else None
