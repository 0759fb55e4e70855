"""Blocks of a text, line by line: paragraphs, items, rows, quotes, and what holds no statement."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

from illumina.retain.sections import Headings
from illumina.retain.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from illumina.retain.clauses import Span

_FENCE: Final = re.compile(r"[ \t]{0,8}(`{3,}|~{3,})")
_INFO: Final = re.compile(r"[`~]*[ \t]*[\w+.-]{0,20}[ \t\r]*$(?!\n)|[`~]*[ \t]*[\w+.-]{0,20}[ \t\r]*(?=\n)")
_HEADING: Final = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(\S.{0,300})$")
_UNDERLINE: Final = re.compile(r"""([=~^"'*+#-])\1{2,}[ \t\r]*$""")
_RULE: Final = re.compile(r"[ \t]*(?:([-*_=~#+.])[ \t]*){3,}$")
_ROW: Final = re.compile(r"[ \t]*\|(.*)\|[ \t\r]*$")
_DELIMITER: Final = re.compile(r"[ \t]*[|+]?[ \t]*:?-{2,}[-:|+ \t=]*$|[ \t]*\+[=+-]+$")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+•·‣◦▪]|\(?\d{1,3}[.)]|\(?[a-z]\))[ \t]+(?:\[([ xX])\][ \t]+)?(?=\S)")
_FIELD: Final = re.compile(r"[ \t]*:?[A-Z][\w /-]{0,30}:[ \t]+\S")
_QUOTE: Final = re.compile(r"[ \t]*>")
_LONG: Final = 2_000
"""Characters of a line that is prose, whatever it looks like."""
_LEVELS: Final = 6
_LONGEST_LEAD: Final = 200
"""Characters of a line that each item of a list repeats."""
_BOLD: Final = re.compile(r"[ \t]*(\*\*|__)([^*_\n]{1,80})\1:?[ \t\r]*$")
_CODE: Final = re.compile(
    r"(?:    |\t)\s*(?:[$>#%]\s|[\w.]+\(|.*[;{}]\s*$|.*\w\s?[=:]=?\s?\S.*[()\[\]{}'\"]|(?:def|class|import|return|if|for)\b.*)"
)


class Passage(NamedTuple):
    """A stretch of running text.

    Attributes:
        start: Offset in the body.
        end: Offset behind it.
        kind: `prose`, `item` of a list, `row` of a table, `field`, or `quote` of somebody else's words.
        label: Of the utterance, or the position of the paragraph.
        speaker: Who says it, if known.
        moment: When, if known.
        section: The path of the headings above it.
        lead: The line that introduces the list of an item, or the names of a row's columns.
        open: Whether an item is a task that is still to be done.
    """

    start: int
    end: int
    kind: str
    label: str
    speaker: str | None
    moment: datetime | None
    section: str | None
    lead: tuple[Span, ...] = ()
    open: bool = False


class Skip(NamedTuple):
    """A stretch that holds no statement."""

    start: int
    end: int
    reason: str


class Reader:
    """Reads one stretch of a text: a whole document, or one utterance."""

    def __init__(
        self,
        body: str,
        text: str,
        passages: list[Passage],
        skips: list[Skip],
        start: int,
        end: int,
        labels: str | Sequence[int],
        speaker: str | None,
        moment: datetime | None,
    ) -> None:
        """Begin at the first line.

        Args:
        body: The body.
        text: It without markup.
        passages: Where passages are added.
        skips: Where the rest is added.
        start: Where the stretch begins.
        end: Where it ends.
        labels: The utterance's label, or the offsets of the document's paragraphs.
        speaker: Who says it.
        moment: When.
        """
        self.body, self.text = body, text
        self.passages = passages
        self.skips = skips
        self.start, self.end = start, end
        self.labels = labels
        self.speaker, self.moment = speaker, moment
        self.above = Headings()
        self.underlines: list[str] = []
        self.held: list[Span] = []
        self.kind = "prose"
        self.open = False
        self.lead: tuple[Span, ...] = ()
        self.columns: tuple[Span, ...] = ()

    def read(self) -> None:
        """Read all lines."""
        at = self.start
        unclosed: set[str] = set()
        while at < self.end:
            end = self.text.find("\n", at, self.end)
            end = self.end if end < 0 else end
            fence = _FENCE.match(self.text, at, end)
            if fence and fence[1][0] not in unclosed:
                behind = self._closing(fence[1], end)
                if behind is not None:
                    self._flush()
                    self.skips.append(Skip(at, behind, "code"))
                    at = behind + 1
                    continue
                unclosed.add(fence[1][0])
            if fence and _INFO.match(self.text, fence.end(), end):
                self._flush()
                self.skips.append(Skip(at, end, "markup"))
                at = end + 1
                continue
            self._line(at, end)
            at = end + 1
        self._flush()

    def _closing(self, fence: str, at: int) -> int | None:
        """Where the line ends that closes a fence."""
        while (at := self.text.find("\n", at, self.end)) >= 0:
            at += 1
            end = self.text.find("\n", at, self.end)
            end = self.end if end < 0 else end
            line = self.text[at : min(end, at + 200)].strip()
            if line.startswith(fence) and not line.strip(fence[0]):
                return end
        return None

    def _line(self, start: int, end: int) -> None:
        line = self.text[start:end]
        if not line.strip():
            self._flush()
        elif len(line) > _LONG:
            self._text(line[:_LONG], start, end)
        elif heading := _HEADING.match(line):
            self._flush()
            self._heading(len(heading[1]), heading[2].strip("# \t\r"), start, end)
        elif (underline := _UNDERLINE.match(line)) and self._title():
            self._underlined(underline[1], end)
        elif _DELIMITER.match(line) and ("|" in line or "+" in line):
            self._columns(start, end)
        elif _RULE.match(line):
            self._flush()
            self.skips.append(Skip(start, end, "markup"))
        elif row := _ROW.match(line):
            self._flush(lead=False)
            found = cells(self.text, start + row.start(1), start + row.end(1))
            self._add(start, end, "row", self.columns if len(self.columns) == len(found) else ())
        else:
            self._text(line, start, end)

    def _text(self, line: str, start: int, end: int) -> None:
        quoted = _QUOTE.match(self.body, start, end) is not None
        item = _ITEM.match(line)
        if item and not quoted:
            self._introduce(start)
            self.kind, self.open = "item", item[1] == " "
            self.held = [(start + item.end(), end)]
            if item.end() > 0:
                self.skips.append(Skip(start, start + item.end(), "markup"))
            return
        if not self.held and _CODE.match(line) and self.kind != "item" and not isinstance(self.labels, str):
            self.skips.append(Skip(start, end, "code"))
            return
        if not self.held and _BOLD.match(self.body[start : min(end, start + 120)]):
            self._heading(_LEVELS, line.strip(": \t\r"), start, end)
            return
        kind = "quote" if quoted else "prose"
        if self.held and (self.kind == "quote") != quoted:
            self._flush()
        if not quoted and _FIELD.match(line):
            if self.held and self.kind != "item":
                self._flush(lead=False)
            kind = "field"
        if self.held:
            self.held.append((start, end))
        else:
            self.kind, self.held = kind, [(start, end)]

    def _introduce(self, item: int) -> None:
        """What ends with a colon before a list introduces its items, across a blank line too."""
        before = self.passages[-1] if self.passages else None
        if not self.held and before is not None and before.kind == "prose" and before.start >= self.start:
            part = self.text[before.start : before.end].rstrip()
            if part.endswith(":") and not self.text[before.end : item].strip():
                self.passages.pop()
                self.kind, self.held = "prose", [(before.start, before.start + len(part))]
        if self.held and self.kind != "item":
            start, end = self.held[0][0], self.held[-1][1]
            last = sentences(self.text[start:end])[-1]
            lead = (start + last.start, start + last.end)
            if self.text[lead[1] - 1] != ":" or lead[1] - lead[0] > _LONGEST_LEAD:
                self._flush()
                return
            self.held = []
            if last.start and self.text[start : lead[0]].strip():
                self._add(start, lead[0], self.kind, ())
            self.skips.append(Skip(*lead, "lead-in"))
            self.lead = (lead,)
            return
        lead_before = self.lead
        self._flush()
        self.lead = lead_before

    def _title(self) -> bool:
        return len(self.held) == 1 and self.kind in {"prose", "field"} and self.held[0][1] - self.held[0][0] <= 200

    def _underlined(self, mark: str, end: int) -> None:
        title = self.held[0]
        self.held = []
        if mark not in self.underlines:
            self.underlines.append(mark)
        self._heading(self.underlines.index(mark) + 1, self.text[title[0] : title[1]].strip(), title[0], end)

    def _heading(self, level: int, title: str, start: int, end: int) -> None:
        self.above.enter(level, title)
        self.lead, self.columns = (), ()
        self.skips.append(Skip(start, end, "heading"))

    def _columns(self, start: int, end: int) -> None:
        """The line below a table's head makes the row above it its column names."""
        self.skips.append(Skip(start, end, "markup"))
        last = self.passages[-1] if self.passages else None
        if last is not None and last.kind == "row" and not self.columns and not self.text[last.end : start].strip():
            self.passages.pop()
            self.skips.append(Skip(last.start, last.end, "heading"))
            self.columns = tuple(cells(self.text, last.start, last.end))

    def _flush(self, *, lead: bool = True) -> None:
        """End what is being gathered."""
        if self.held:
            self._add(self.held[0][0], self.held[-1][1], self.kind, self.lead if self.kind == "item" else (), self.open)
        elif lead:
            self.columns = ()
        self.held, self.open = [], False

    def _add(self, start: int, end: int, kind: str, lead: tuple[Span, ...], task: bool = False) -> None:
        if kind != "item":
            self.lead = ()
        if kind != "row":
            self.columns = ()
        if isinstance(self.labels, str):
            label = self.labels
        else:
            label = str(
                max(1, bisect_right(self.labels, start + len(self.text[start:end]) - len(self.text[start:end].lstrip())))
            )
        self.passages.append(Passage(start, end, kind, label, self.speaker, self.moment, self.above.path, lead, task))


def cells(text: str, start: int, end: int) -> list[Span]:
    """The cells of a row, without white space; empty ones too."""
    found = []
    part = text[start:end].strip().strip("|")
    at = text.index(part, start) if part else start
    for cell in part.split("|"):
        inner = cell.strip()
        first = at + (len(cell) - len(cell.lstrip()) if inner else 0)
        found.append((first, first + len(inner)))
        at += len(cell) + 1
    return found
