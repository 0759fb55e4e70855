"""The words by which English says that something no longer holds."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Extent = Literal["whole", "partial", "amended", "withdrawn", "reverted"]
"""How far the old ends: wholly; a part of it; changed or added to while it holds; ended with nothing instead; undone, so that
what held before holds again."""


Form = Literal[
    "over",
    "under",
    "gone",
    "drop",
    "instead",
    "from_to",
    "no_longer",
    "any_more",
    "from_now",
    "set_to",
    "used_to",
    "predecessor",
]
"""How old and new stand around a cue.

- over: new, cue, old ("X replaces Y"); under: old, cue, new ("Y was replaced by X")
- gone: old, cue ("Y was retired"); drop: cue, old ("we dropped Y")
- instead: new, cue, old ("X instead of Y"); from_to: "moved from Y to X"
- no_longer, any_more: the clause without the cue is old; used_to: what follows is old; from_now, set_to: the clause is new
- predecessor: old, cue, of the text itself ("PEP 433 was a previous attempt")
"""


def _forms(*verbs: str) -> str:
    """Forms of regular verbs; those of others are given with commas."""
    found: list[str] = []
    for verb in verbs:
        if "," in verb:
            found += verb.split(",")
        elif verb.endswith("e"):
            found += [verb, f"{verb}s", f"{verb}d", f"{verb[:-1]}ing"]
        else:
            found += [verb, f"{verb}s", f"{verb}ed", f"{verb}ing"]
    return " ".join(dict.fromkeys(found))


_FAVOUR: Final = "in favou?r of"
_BY: Final = "(?:\\w{2,20}ly |in part |in full )?(?:by|with)"
_AMENDING: Final = ("amend", "extend", "update", "revise", "modify,modifies,modified,modifying", "augment", "refine", "change")
_ENDED: Final = (
    "retired withdrawn sunset sunsetted deprecated decommissioned discontinued abolished dropped abandoned cancelled canceled "
    "scrapped removed deleted rescinded revoked repealed obsolete obsoleted ditched killed disabled archived"
)
_MONTHS: Final = "january|february|march|april|may|june|july|august|september|october|november|december"
_UNTIL: Final = (
    "today|tomorrow|now|next \\w+|this \\w+|monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    f"(?:the )?\\d{{1,2}}(?:st|nd|rd|th)?(?: (?:of )?(?:{_MONTHS}))?(?: \\d{{4}})?|"
    f"\\d{{4}}\\S*|v\\d\\S*|version \\S+|(?:{_MONTHS})(?: \\d{{1,4}})?"
)

_TABLE: Final[Sequence[tuple[str, str, Form, Extent]]] = (
    (_forms("supersede", "replace", "obsolete", "supplant", "displace"), "", "over", "whole"),
    ("take takes took taking", "(?:over from|the place of)", "over", "whole"),
    ("successor", "(?:to|of)", "over", "whole"),
    ("replacement", "(?:for|of)", "over", "whole"),
    ("continuation version revision rewrite update", "of", "over", "whole"),
    (_forms("rescind", "revoke", "repeal", "void"), "", "over", "whole"),
    (_forms(*_AMENDING), "", "over", "amended"),
    ("supersedes replaces obsoletes", ":", "over", "whole"),
    ("amends updates extends", ":", "over", "amended"),
    ("superseded replaced obsoleted supplanted displaced overtaken succeeded", _BY, "under", "whole"),
    ("amended updated extended revised modified changed augmented", _BY, "under", "amended"),
    (f"{_ENDED} rejected closed", _FAVOUR, "under", "whole"),
    ("merged folded absorbed rolled subsumed", "into|by", "under", "whole"),
    ("continues continued lives", "(?:on )?(?:\\w+ ){0,4}in", "under", "whole"),
    (
        _forms(
            "move",
            "migrate",
            "switch,switches,switched,switching",
            "convert",
            "port",
            "go,goes,went,going,gone",
            "change",
            "raise",
            "lower",
            "increase",
            "decrease",
            "reduce",
            "rename",
            "cut,cuts,cutting",
            "bump,bumps,bumped,bumping",
            "transition",
        ),
        "(?=(?:\\S+ ){0,8}from (?:\\S+ ){1,10}(?:to|onto|into)\\b)",
        "from_to",
        "whole",
    ),
    (
        _forms("move", "migrate", "switch,switches,switched,switching") + " moving migrating",
        "(?:away )?(?:from|off)",
        "drop",
        "withdrawn",
    ),
    ("up down", "from", "drop", "whole"),
    ("instead", "of", "instead", "whole"),
    ("in", "(?:place|lieu) of", "instead", "whole"),
    ("instead", "(?=[.;,)!]|$)", "from_now", "whole"),
    ("predecessor", "", "predecessor", "whole"),
    ("no", "longer(?! than)", "no_longer", "whole"),
    ("no", "more", "drop", "withdrawn"),
    ("any", "(?:more|longer)", "any_more", "whole"),
    ("anymore", "", "any_more", "whole"),
    ("used", "to(?= (?!do\\b)\\w+)", "used_to", "whole"),
    (_ENDED, "", "gone", "withdrawn"),
    ("gone history over", "", "gone", "withdrawn"),
    ("goes going went go", "away", "gone", "withdrawn"),
    ("switched turned shut", "(?:off|down)", "gone", "withdrawn"),
    ("phased", "out", "gone", "withdrawn"),
    ("called", "off", "gone", "withdrawn"),
    ("taken", "(?:down|out of service)", "gone", "withdrawn"),
    ("does do", "not apply|not hold", "gone", "withdrawn"),
    ("crossed struck", "out", "gone", "withdrawn"),
    ("reverted undone", "", "gone", "reverted"),
    ("rolled backed put", "(?:back|out)", "gone", "reverted"),
    ("revert reverts reverting undo undoes undoing", "", "drop", "reverted"),
    ("roll rolls rolling", "back", "drop", "reverted"),
    ("back backs backing", "out", "drop", "reverted"),
    (
        _forms(
            "retire",
            "deprecate",
            "sunset,sunsets,sunsetting",
            "drop,drops,dropping",
            "remove",
            "abandon",
            "discontinue",
            "ditch",
            "withdraw,withdraws,withdrew,withdrawing",
            "decommission",
            "scrap,scraps,scrapping",
            "abolish",
        ),
        "",
        "drop",
        "withdrawn",
    ),
    ("deprecation removal retirement", "of", "drop", "withdrawn"),
    ("stop stopped stops stopping quit", "(?=\\w+ing\\b)", "drop", "withdrawn"),
    ("leave leaving left", "(?=[A-Z])", "drop", "withdrawn"),
    ("differences changes difference", "(?:from|since)", "over", "whole"),
    ("from", "(?:now|this \\w+|today|tomorrow|next \\w+) on(?:wards?)?", "from_now", "whole"),
    ("from", f"(?:{_UNTIL})(?=[ ,:.;)!]|$)", "from_now", "whole"),
    ("as", f"(?:of|from) (?:{_UNTIL})(?=[ ,:.;)!]|$)", "from_now", "whole"),
    ("starting effective beginning", f"(?:from |on |with |as of )?(?:{_UNTIL})(?=[ ,:.;)!]|$)", "from_now", "whole"),
    (
        _forms("raise", "lower", "increase", "decrease", "reduce", "cut,cuts", "bumps,bumped", "changes,changed", "sets"),
        "(?=(?:\\S+ ){0,6}to [$€£]?\\d)",
        "set_to",
        "whole",
    ),
    ("corrected revised", "(?:figure|count|value|number|version|estimate|total)", "set_to", "whole"),
    ("was were", "(?=[$€£]?\\d)", "drop", "whole"),
    ("ends", "(?=(?:this|next|today|tomorrow|on|in)\\b)", "gone", "withdrawn"),
    ("new", "(?:rule|policy|plan|default|limit|value|number|procedure|process):", "from_now", "whole"),
    ("change correction", "(?: of plan)?:?", "from_now", "whole"),
    ("previous earlier prior former", "(?:attempt|proposal|version|incarnation|iteration|decision)", "predecessor", "whole"),
)


def _table() -> dict[str, list[tuple[re.Pattern[str], Form, Extent]]]:
    table: defaultdict[str, list[tuple[re.Pattern[str], Form, Extent]]] = defaultdict(list)
    for openings, rest, form, kind in _TABLE:
        lead = (
            " "
            if (rest and not rest.startswith((":", "(?:", "(?=")))
            or (rest.startswith(("(?:", "(?=")) and not rest.startswith("(?: "))
            else ""
        )
        close = "" if "(?=" in rest else r"(?![\w'’])"
        grouped = f"(?:{rest})" if "|" in rest else rest
        pattern = re.compile((lead + grouped).replace(" ", r"\s{1,3}") + close, re.IGNORECASE if "[A-Z]" not in rest else 0)
        for opening in openings.split():
            table[opening].append((pattern, form, kind))
    return dict(table)


CUES: Final = _table()
"""First word, in lower case, to what may follow it."""
