from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from evals.corpora.pins import fingerprint
from evals.errors import CorpusError
from evals.labels.kinds import LabelledSet
from evals.labels.sources import decisions
from evals.labels.supersession import (
    Extent,
    Record,
    RecordCase,
    Replaced,
    Supersedes,
    engine,
    judge,
    nothing,
    same_but_for_version,
    stated,
)
from illumina.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PEPS = {
    "pep-0001.rst": "PEP: 1\nTitle: Old Things\nStatus: Superseded\nCreated: 12-Mar-2001\nSuperseded-By: 3\n\n"
    ".. superseded:: 3\n\nText of one.\n",
    "pep-0002.rst": "PEP: 2\nTitle: Other\nStatus: Final\nCreated: 13-Mar-2001\n\nReplaces: stays in a body.\n",
    "pep-0003.rst": "PEP: 3\nTitle: New\n Things\nStatus: Final\nCreated: 1-Jan-2002\nReplaces: 1,\n  2\n\n"
    "It replaces PEP 2.\n",
    "pep-0004.rst": "PEP: 4\nTitle: Last\nStatus: Draft\nCreated: 1-Jan-2003\nReplaces: 9\n\nText.\n",
}
GSP = {
    "ADR000-template.md": "# ADR000: T\n\n## Status\n\nSuperseded by [ADR001](ADR001-a.md)\n",
    "ADR001-a.md": "# ADR001: A\n\n## Status\n\nSuperseded by [ADR002](ADR002-old-name.md) and [ADR003 - C](./ADR003-c.md)\n\n"
    "## Context\n\nTea.\n",
    "ADR002-b.md": "# ADR002: B\n\n## Status\n\nAccepted, amended by [ADR003](ADR003-c.md)\n\n## Context\n\nMilk.\n",
    "ADR003-c.md": "# ADR003: C\n\n## Status\n\nAccepted\n\n## Context\n\nSugar.\n",
}
PRISMA = {
    "ADR 001 - A.md": "# ADR 001 — A\n\n> **Partial supersession:** a part,\n> by [ADR 002](x.md).\n\n## Context\n\nOne.\n",
    "ADR 002 - B.md": "# ADR 002 — B\n\nSupersedes: [ADR 001](x.md).\n\n## Supersedes\n\n- ADR 001\n\n## Decision\n\nTwo.\n",
    "ADR 002 - C.md": "# ADR 002 — C\n\n**Author:** x\n\n## Status\n\nAccepted.\n\n## Decision\n\nThis supersedes ADR 1.\n",
}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for pattern, folder, files in (
        (decisions.PEPS, "peps", PEPS),
        (decisions.GSP, "adr", {f"gsp/{name}": text for name, text in GSP.items()}),
        (decisions.PRISMA, "adr", {f"prisma-next/{name}": text for name, text in PRISMA.items()}),
    ):
        for name, text in files.items():
            (tmp_path / folder / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / name).write_text(text, encoding="utf-8")
        pinned = {name: text.encode() for name, text in files.items()}
        monkeypatch.setitem(decisions.PINS, pattern, fingerprint(pinned))
    links: Sequence[tuple[str, str, Extent]] = [("ADR 002 - B", "ADR 001 ", "part"), ("ADR 002 - C", "ADR 001 ", "amends")]
    monkeypatch.setattr(decisions, "PRISMA_LINKS", links)
    return tmp_path


def links_of(found: LabelledSet[RecordCase]) -> set[tuple[str, str, str]]:
    return {(case.record.id, link.older, link.extent) for case in found.cases for link in case.replaces}


def test_peps_lose_their_labels_and_keep_their_prose(data: Path) -> None:
    found = decisions.peps(data)
    assert links_of(found) == {("PEP 3", "PEP 1", "whole"), ("PEP 3", "PEP 2", "whole")}
    assert found.counts == {
        "directives_stripped": 1,
        "headers_stripped": 7,
        "links_stated_on_both_sides": 1,
        "links_to_absent_records": 1,
        "links_whole": 2,
        "records": 4,
    }
    texts = {case.record.id: case.record.text for case in found.cases}
    assert texts["PEP 1"] == "PEP: 1\nTitle: Old Things\nCreated: 12-Mar-2001\n\n\nText of one.\n"
    assert texts["PEP 2"].endswith("Replaces: stays in a body.\n")
    assert texts["PEP 3"] == "PEP: 3\nTitle: New\n Things\nCreated: 1-Jan-2002\n\nIt replaces PEP 2.\n"
    third = found.cases[2].record
    assert (third.number, third.title, third.created) == (3, "New Things", datetime(2002, 1, 1, tzinfo=UTC))


def test_gsp_names_records_by_number(data: Path) -> None:
    found = decisions.gsp(data)
    assert links_of(found) == {
        ("ADR002-b", "ADR001-a", "whole"),
        ("ADR003-c", "ADR001-a", "whole"),
        ("ADR003-c", "ADR002-b", "amends"),
    }
    assert found.counts == {
        "links_amends": 1,
        "links_to_renamed_files": 1,
        "links_whole": 2,
        "notes_stripped": 0,
        "records": 3,
        "sections_stripped": 3,
    }
    assert [case.record.text for case in found.cases] == ["## Context\n\nTea.", "## Context\n\nMilk.", "## Context\n\nSugar."]


def test_prisma_loses_notes_and_sections(data: Path) -> None:
    found = decisions.prisma(data)
    assert links_of(found) == {("ADR 002 - B", "ADR 001 - A", "part"), ("ADR 002 - C", "ADR 001 - A", "amends")}
    assert [case.record.text for case in found.cases] == [
        "## Context\n\nOne.",
        "## Decision\n\nTwo.",
        "**Author:** x\n\n## Decision\n\nThis supersedes ADR 1.",
    ]
    assert (found.counts["numbers_shared"], found.counts["notes_stripped"], found.counts["sections_stripped"]) == (1, 2, 2)


def test_a_link_of_ours_must_name_one_record(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "PRISMA_LINKS", [("ADR 002 ", "ADR 001 ", "whole")])
    with pytest.raises(CorpusError, match="'ADR 002 ' begins the names of 2 records"):
        decisions.prisma(data)


def mini() -> LabelledSet[RecordCase]:
    """A chain c > b > a, d replacing a part of b, e amending d, and f alone."""
    replaces = {"b": (Replaced("a", "whole"),), "c": (Replaced("b", "whole"),), "d": (Replaced("b", "part"),)}
    replaces["e"] = (Replaced("d", "amends"),)
    records = [Record(key, number, key.upper(), "", None) for number, key in enumerate("abcdef")]
    return LabelledSet("mini", [RecordCase(record, replaces.get(record.id, ())) for record in records])


def counted(*links: str) -> dict[str, dict[str, int]]:
    rows = judge(mini(), lambda _records: [Supersedes(*link.split(">")) for link in links])
    return {row.case: {name: count for name, count in row.counts.items() if count} for row in rows}


def test_pairs_and_chains_are_judged() -> None:
    gold = {"pair a + b": {"gold": 1}, "pair b + c": {"gold": 1}, "pair b + d": {"gold": 1}}
    # Of what nothing supersedes the newest comes first, which is right here by age alone.
    assert counted() == {**gold, "chain a + b + c": {"chains": 1, "newest_first": 1}}
    hit = {"gold": 1, "predicted": 1, "found": 1, "right": 1}
    assert counted("b>a", "c>b", "d>b") == {
        **dict.fromkeys(gold, hit),
        "chain a + b + c": {"chains": 1, "newest_first": 1, "current_right": 1},
    }
    assert counted("a>b", "b>c", "b>d") == {
        **{pair: {"gold": 1, "predicted": 1, "found": 1} for pair in gold},
        "chain a + b + c": {"chains": 1},
    }
    both = counted("a>b", "b>a", "e>d", "f>a")
    assert both["pair a + b"] == {"gold": 1, "predicted": 1, "found": 1}
    assert both["pair a + f"] == {"predicted": 1}
    assert "pair d + e" not in both


def test_a_chain_that_is_all_superseded_is_offered_whole() -> None:
    assert counted("a>b", "b>c", "c>a")["chain a + b + c"] == {"chains": 1, "newest_first": 1}


@pytest.mark.parametrize("link", ["a>z", "a>a"])
def test_records_that_are_not_there(link: str) -> None:
    with pytest.raises(InvalidInputError, match="there are no such two records"):
        counted(link)


def test_classes_and_clusters() -> None:
    rows = {row.case: row for row in judge(mini(), lambda _records: [Supersedes("f", "a"), Supersedes("f", "e")])}
    assert {case: row.group for case, row in rows.items()} == {
        "pair a + b": "whole",
        "pair b + c": "whole",
        "pair b + d": "part",
        "pair a + f": "unlabelled",
        "pair e + f": "unlabelled",
        "chain a + b + c": "chain",
    }
    assert rows["pair b + d"].cluster == rows["pair a + f"].cluster == rows["chain a + b + c"].cluster == "a + b + c"
    assert rows["pair e + f"].cluster == "e + f"


def test_the_trivial_finders() -> None:
    texts = {1: "Replaced by PEP 3.", 2: "Tea.", 3: "This supersedes :pep:`2` and replaces ADR-0009; it replaced PEP 3.", 4: ""}
    records = [Record(f"r{number}", number, "", text, None) for number, text in texts.items()]
    records.append(Record("also4", 4, "", "It replaces PEP 4 and obsoletes PEP 1.", None))
    assert stated(records) == [Supersedes("r3", "r1"), Supersedes("r3", "r2"), Supersedes("also4", "r1")]
    assert nothing(records) == []


def test_the_engine_reads_what_records_say_of_themselves_and_of_others() -> None:
    texts = {
        1: "It has been superseded by :pep:`3`.",
        2: "This PEP does not replace PEP 3.",
        3: "This PEP replaces PEP 2. It extends PEP 1.",
        4: "PEP 2 was replaced by PEP 1. Status: accepted, replaces PEP 99.",
    }
    records = [Record(f"r{number}", number, f"Title {number}0 {number}", text, None) for number, text in texts.items()]
    assert engine(records) == [Supersedes("r3", "r1"), Supersedes("r3", "r2"), Supersedes("r1", "r2")]


def test_the_engine_takes_versions_of_one_title_as_a_chain() -> None:
    records = [Record(key, number, f"Wheel Format {number}.0", "", None) for key, number in (("b", 2), ("c", 3), ("a", 1))]
    assert engine(records) == [Supersedes("b", "a"), Supersedes("c", "b")]


def test_the_engine_resolves_a_shared_number_by_its_title() -> None:
    records = [Record("a", 2, "Sugar", "", None), Record("b", 2, "Milk", "", None), Record("c", 3, "Tea", "", None)]
    named = [*records[:2], Record("c", 3, "Tea", "This ADR replaces [ADR 002 — Milk](x.md).", None)]
    assert engine(named) == [Supersedes("c", "b")]
    unnamed = [*records[:2], Record("c", 3, "Tea", "This ADR replaces ADR 002.", None)]
    assert engine(unnamed) == []


def test_the_engine_resolves_a_document_to_its_parts() -> None:
    texts = {"adr-7-queue#1": "A", "adr-7-queue#2": "B", "adr-71#1": "C", "chat#1": "This ADR replaces ADR-7."}
    records = [Record(key, 0, "", text, None) for key, text in texts.items()]
    assert engine(records) == [Supersedes("chat#1", "adr-7-queue#1"), Supersedes("chat#1", "adr-7-queue#2")]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Database API v2.0", "Database API v1.0", True),
        ("Metadata 1.2", "Metadata", True),
        ("ADR025: Ingress", "ADR005: Ingress", True),
        ("Python 3.6 Release Schedule", "Python 3.5 Release Schedule", False),
        ("2.0", "3.0", False),
    ],
)
def test_titles_that_differ_in_their_version_alone(one: str, other: str, same: bool) -> None:
    assert same_but_for_version(one, other) is same
