"""Decision records without their labels: Python Enhancement Proposals and two logs of architecture decisions.

PEPs (public domain or CC0) say in their headers what they replace and what supersedes them; the gold is what either side
says. GSP's log (MIT, Crown copyright) says it in a status section. Prisma Next's (Apache-2.0) says it in sections, notes at
the top and references, for whole records and for parts; its pairs were read by hand and stand here.

Traps, and what is done about them (each is counted):

- With its labels supersession is a string match. PEPs lose the headers `Superseded-By`, `Replaces` and `Status` and the
  directive `superseded`; decision records lose their status and "Supersedes" sections and, before the first section, notes
  and lines about their status. Prose stays, also where it mentions another record.
- Most PEP links are stated on one side only, so there are unstated ones: a pair that is found and not labelled may be right.
- GSP links a file that was renamed since (`ADR028-docker-tools.md`): its number names the record. Its template and index
  are no records.
- Prisma Next has several records of one number, so a record is named by its file. Two records are superseded by nothing
  that is a record (161, 162), and 193 only in its terms: no pair.
- What is only amended is neither right nor wrong to find. A partial replacement leaves the older record current.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from evals.corpora import public_folder
from evals.corpora.pins import read_pinned
from evals.errors import CorpusError
from evals.labels.kinds import LabelledSet
from evals.labels.supersession import Extent, Record, RecordCase, Replaced

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

PEPS: Final = "pep-*.rst"
GSP: Final = "gsp/ADR*.md"
PRISMA: Final = "prisma-next/ADR *.md"
PINS: dict[str, str] = {
    PEPS: "75057a612020e38b09c2e9afa7b3100fcff3fd63e441bcdcbe1a6194b868a8aa",
    GSP: "8e2f052148f2d90ddfa55b91c258c3bf20e0d81b1ed15f6aa212e2e9a967e06d",
    PRISMA: "17e9274a486c1be9112a5a25b3527ebb0301726ee431abe230ef63a4c118423d",
}

PRISMA_LINKS: tuple[tuple[str, str, Extent], ...] = (
    ("ADR 164 ", "ADR 015 ", "whole"),
    ("ADR 177 ", "ADR 174 ", "part"),
    ("ADR 184 ", "ADR 167 ", "whole"),
    ("ADR 188 ", "ADR 044 ", "whole"),
    ("ADR 197 ", "ADR 169 - On-disk", "part"),
    ("ADR 199 ", "ADR 169 - On-disk", "part"),
    ("ADR 204 - Single-Path", "ADR 030 ", "part"),
    ("ADR 204 - Single-tier", "ADR 140 ", "part"),
    ("ADR 208 - Higher-order", "ADR 186 ", "part"),
    ("ADR 212 - AST-bound", "ADR 208 - Higher-order", "part"),
    ("ADR 212 - Contract spaces", "ADR 154 ", "whole"),
    ("ADR 239 - Errors", "ADR 027 ", "whole"),
    ("ADR 239 - Errors", "ADR 068 ", "whole"),
    ("ADR 240 ", "ADR 197 ", "amends"),
    ("ADR 240 ", "ADR 232 ", "amends"),
)
"""The newer record, the older, and how far it is replaced; each by the beginning of its file's name."""

Link = tuple[str, str, Extent]

_HEADER: Final = re.compile(r"^([A-Z][\w-]*):[ \t]*(.*(?:\n[ \t]+\S.*)*)\n?", re.MULTILINE)
_DIRECTIVE: Final = re.compile(r"^\.\. superseded::.*\n(?:[ \t]+\S.*\n)*", re.MULTILINE)
_SECTION: Final = re.compile(
    r"^##[ \t]+(?:Status|Supersedes|Superseded[ \t]by)[ \t]*\n.*?(?=^##?[ \t]|\Z)", re.MULTILINE | re.DOTALL
)
_STATUS: Final = re.compile(r"^##[ \t]+Status[ \t]*\n(.*?)(?=^##?[ \t]|\Z)", re.MULTILINE | re.DOTALL)
_NOTE: Final = re.compile(r"^[>*_\-| \t]*(?:Status|Superse|Partial|Amend|Replace).*\n(?:>.*\n)*", re.MULTILINE | re.IGNORECASE)
_STRIPPED: Final = {"superseded-by", "replaces", "status"}


def peps(data: Path | None) -> LabelledSet[RecordCase]:
    """The Python Enhancement Proposals."""
    files = read_pinned(public_folder("peps", data), PEPS, PINS[PEPS])
    counts: Counter[str] = Counter()
    records, sides = [], []
    for name, text in files.items():
        number = int(PurePosixPath(name).stem.removeprefix("pep-"))
        head, _, body = text.partition("\n\n")
        headers = {match[1].lower(): " ".join(match[2].split()) for match in _HEADER.finditer(f"{head}\n")}
        kept = _HEADER.sub(lambda match: "" if match[1].lower() in _STRIPPED else match[0], f"{head}\n")
        body, directives = _DIRECTIVE.subn("", body)
        counts["directives_stripped"] += directives
        counts["headers_stripped"] += len(_STRIPPED & headers.keys())
        created = datetime.strptime(headers["created"].split()[0], "%d-%b-%Y").replace(tzinfo=UTC)
        records.append(Record(_pep(number), number, headers["title"], f"{kept}\n{body}", created))
        sides += [(_pep(number), _pep(int(other))) for other in re.findall(r"\d+", headers.get("replaces", ""))]
        sides += [(_pep(int(other)), _pep(number)) for other in re.findall(r"\d+", headers.get("superseded-by", ""))]
    there = {record.id for record in records}
    stated = Counter(side for side in sides if {*side} <= there)
    counts["links_to_absent_records"] = len({*sides}) - len(stated)
    counts["links_stated_on_both_sides"] = sum(times > 1 for times in stated.values())
    return _labelled("peps", records, [(newer, older, "whole") for newer, older in stated], counts)


def gsp(data: Path | None) -> LabelledSet[RecordCase]:
    """The decision log of GSP."""
    files = read_pinned(public_folder("adr", data), GSP, PINS[GSP])
    named = {int(match[1]): PurePosixPath(name).stem for name in files if (match := re.search(r"ADR(\d+)-", name))}
    named.pop(0)
    counts: Counter[str] = Counter()
    links: list[Link] = []
    for number, name in named.items():
        status = _STATUS.search(files[f"gsp/{name}.md"])
        for extent, verb in (("whole", "Superseded by"), ("amends", "amended by")):
            said = re.search(rf"{verb}(.*)", status[1] if status else "")
            targets = re.findall(r"\]\((?:\./)?(ADR0*(\d+)[^)]*)\.md\)", said[1] if said else "")
            counts["links_to_renamed_files"] += sum(stem != named[int(other)] for stem, other in targets)
            links += [(named[int(other)], named[number], "whole" if extent == "whole" else "amends") for _, other in targets]
    records = [_decision(name, number, files[f"gsp/{name}.md"], counts) for number, name in named.items()]
    return _labelled("adr-gsp", records, links, counts)


def prisma(data: Path | None) -> LabelledSet[RecordCase]:
    """The decision log of Prisma Next."""
    files = read_pinned(public_folder("adr", data), PRISMA, PINS[PRISMA])
    counts: Counter[str] = Counter()
    texts = {PurePosixPath(name).stem: text for name, text in files.items()}
    records = [_decision(name, int(name.split()[1]), text, counts) for name, text in texts.items()]
    counts["numbers_shared"] = len(records) - len({record.number for record in records})
    links: list[Link] = [(_one(texts, newer), _one(texts, older), extent) for newer, older, extent in PRISMA_LINKS]
    return _labelled("adr-prisma", records, links, counts)


def _pep(number: int) -> str:
    return f"PEP {number}"


def _one(names: Iterable[str], beginning: str) -> str:
    found = [name for name in names if name.startswith(beginning)]
    if len(found) != 1:
        raise CorpusError(f"{beginning!r} begins the names of {len(found)} records, not of one. Fetch the records again.")
    return found[0]


def _decision(name: str, number: int, text: str, counts: Counter[str]) -> Record:
    """A record without its title line, its status sections, and the notes on its status before the first section."""
    title, _, body = text.lstrip().partition("\n")
    top = re.split(r"^(?=##[ \t])", body, maxsplit=1, flags=re.MULTILINE)[0]
    rest, sections = _SECTION.subn("", body[len(top) :])
    top, notes = _NOTE.subn("", top)
    counts["notes_stripped"] += notes
    counts["sections_stripped"] += sections
    return Record(name, number, title.lstrip("# ").strip(), f"{top}{rest}".strip(), None)


def _labelled(name: str, records: list[Record], links: Iterable[Link], counts: Mapping[str, int]) -> LabelledSet[RecordCase]:
    replaces: defaultdict[str, list[Replaced]] = defaultdict(list)
    extents: Counter[str] = Counter()
    for newer, older, extent in sorted(links):
        replaces[newer].append(Replaced(older, extent))
        extents[f"links_{extent}"] += 1
    cases = [RecordCase(record, tuple(replaces[record.id])) for record in records]
    return LabelledSet(name, cases, dict(sorted({**counts, **extents, "records": len(records)}.items())))
