"""The labelled sets on the real files: counts, and that no label of a record is left."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from evals.labels import KINDS

DATA = Path(os.environ.get("ILLUMINA_DATA", Path(__file__).resolve().parents[3] / ".." / "shared" / "data"))
FOLDERS = {"dates": "dates", "names": "names", "causes": "cause", "peps": "peps", "adr-gsp": "adr", "adr-prisma": "adr"}

pytestmark = pytest.mark.corpora

EXPECTED: dict[tuple[str, str], dict[str, int]] = {
    ("dates", "duckling"): {
        "cases": 1003,
        "cases_latent": 22,
        "cases_negative": 28,
        "strings": 1006,
        "strings_before_christ": 2,
    },
    ("dates", "recognizers"): {
        "cases": 973,
        "cases_unsupported": 505,
        "expressions": 957,
        "expressions_supported": 466,
        "ranges_with_stated_ends": 317,
        "rows": 2267,
        "rows_contradicted_by_default_mode": 49,
        "rows_of_other_types": 650,
        "rows_repeated": 527,
        "rows_with_other_values": 15,
        "rows_without_reference": 12,
        "rows_without_value": 41,
    },
    ("names", "historical-development"): {
        "entities": 1535,
        "mentions": 14609,
        "rows_without_name": 14,
        "times_impossible": 864,
    },
    ("names", "historical-test"): {"entities": 1554, "mentions": 15310, "rows_without_name": 23, "times_impossible": 854},
    ("names", "febrl-1"): {"entities": 500, "mentions": 1000},
    ("names", "febrl-2"): {"entities": 3999, "mentions": 4999},
    ("names", "febrl-3"): {"entities": 1999, "mentions": 4994},
    ("names", "fake-1000"): {"entities": 251, "mentions": 964, "rows_without_name": 36},
    ("names", "fake-1000-pairs"): {"pairs": 2993, "pairs_without_name": 183},
    ("names", "nicknames"): {"pairs": 2553, "rows": 2691},
    ("causes", "semeval"): {"sentences": 8000, "cause-effect": 1003, "cause_first": 344, "cause_second": 659, "other": 1410},
    ("causes", "ecare"): {"questions": 2132, "cause_first": 1044, "cause_second": 1088},
    ("supersession", "peps"): {
        "records": 736,
        "links_whole": 47,
        "links_stated_on_both_sides": 27,
        "links_to_absent_records": 0,
    },
    ("supersession", "adr-gsp"): {"records": 45, "links_whole": 13, "links_amends": 1, "links_to_renamed_files": 1},
    ("supersession", "adr-prisma"): {
        "records": 176,
        "links_whole": 6,
        "links_part": 7,
        "links_amends": 2,
        "numbers_shared": 14,
    },
}


def loaded(kind: str, name: str) -> Any:
    folder = FOLDERS.get(kind) or FOLDERS[name]
    if not (DATA / folder).is_dir():
        pytest.skip(f"The corpus {folder} is not in {DATA}; set ILLUMINA_DATA.")
    return KINDS[kind].sets[name](DATA)


@pytest.mark.parametrize(("kind", "name"), EXPECTED)
def test_counts(kind: str, name: str) -> None:
    found = loaded(kind, name)
    assert found.name == name
    assert {key: found.counts[key] for key in EXPECTED[kind, name]} == EXPECTED[kind, name]


def test_every_set_is_here() -> None:
    assert {(kind.name, name) for kind in KINDS.values() for name in kind.sets if name not in kind.own} == EXPECTED.keys()


def test_the_longest_chain_of_peps_has_four_links() -> None:
    found = loaded("supersession", "peps")
    replaces = {case.record.id: [link.older for link in case.replaces] for case in found.cases}

    def depth(record: str) -> int:
        return max((1 + depth(older) for older in replaces[record]), default=0)

    assert max(map(depth, replaces)) == 4
    heads = [case.record.text.split("\n\n")[0] for case in found.cases]
    assert not any(re.search(r"^(?:Superseded-By|Replaces|Status):", head, re.MULTILINE) for head in heads)


@pytest.mark.parametrize("name", ["adr-gsp", "adr-prisma"])
def test_no_status_is_left(name: str) -> None:
    for case in loaded("supersession", name).cases:
        assert not re.search(r"^## (?:Status|Supersedes)\s*$", case.record.text, re.MULTILINE)
        assert not re.search(r"^> \*\*.*supersed", case.record.text, re.MULTILINE | re.IGNORECASE)
