"""Records of people as mentions: historical figures and fake_1000 (MIT, Splink), FEBRL (BSD-3), nicknames (Apache-2.0).

A record's name is the surface form, what else it says of the person are entities mentioned nearby, and the date of birth is
the time.

Traps, and what is done about them (each is counted):

- Ids and the order of rows say which records belong together. Ids are hashed and mentions are sorted by the hash; FEBRL's
  record id and social security number are dropped.
- Splitting rows would put one person on both sides. The historical figures come in two sets, `historical-development` to
  work on and `historical-test` to judge by, and a person is in one of them, by a hash of the cluster.
- Rows without any name cannot be a mention and are left out. Impossible dates (`1777-89-09`) are no time.
- The scored pairs of fake_1000 are a set of their own that judges just those pairs; their scores agree with the clusters.
- A nickname belongs to several names ("ron" to aaron and ronald), so nicknames are no clusters: each pair meets in a place of
  its own together with a third name that is neither's, and is judged within these three.
"""

from __future__ import annotations

import csv
import hashlib
from collections import Counter, defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from evals.corpora import public_folder
from evals.corpora.pins import read_pinned
from evals.labels.kinds import LabelledSet
from evals.labels.names import Mention, MentionCase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

PINS: dict[str, str] = {
    "historical-figures.csv": "485953f0b27fe5fbff7312ce0e7c2f573d1bc2a6c87c7da4630ba52856e01e67",
    "fake_1000.csv": "e86095ef311ced7a26904793b913c36d165d320e0ececc527499a8f2f1d5e0f7",
    "fake_1000_labels.csv": "12529f58ac85a9ec7b27361c3befcf3cbf52a40d1f1603fb586839a16411e115",
    "febrl-1.csv": "db16087e2e65139d5e1dfdf3d6432695772987a32bab0e3710a471b3d00a822e",
    "febrl-2.csv": "d9d9248948c8b5861c1ae337dee50f11d3ca6b398fcbbd00440bcbec723a9d34",
    "febrl-3.csv": "2417f3e007d8a497998d6e6132c9980dd35772a6f5c38b1f5ad4920ae0e4cda7",
    "nicknames.csv": "fe63b7a0ecd4f04dfd557d40aee8c3126a540d790d7d7dd51e97ee97d0a10720",
}
HALVES: Final = ("development", "test")

Row = dict[str, str]


def historical(data: Path | None, half: str) -> LabelledSet[MentionCase]:
    """One half of the historical figures, by person."""
    rows = [row for row in _rows(data, "historical-figures.csv") if _half(row["cluster"]) == half]
    found = _mentions(rows, "unique_id", ("full_name",), ("birth_place", "occupation"), "dob", "%Y-%m-%d")
    return _labelled(f"historical-{half}", found, {row["unique_id"]: row["cluster"] for row in rows}, len(rows))


def febrl(data: Path | None, number: str) -> LabelledSet[MentionCase]:
    """One of FEBRL's three files; `rec-12-org` and `rec-12-dup-0` are one person."""
    rows = _rows(data, f"febrl-{number}.csv")
    names, nearby = ("given_name", "surname"), ("address_1", "suburb", "postcode")
    found = _mentions(rows, "rec_id", names, nearby, "date_of_birth", "%Y%m%d")
    return _labelled(f"febrl-{number}", found, {row["rec_id"]: row["rec_id"].split("-")[1] for row in rows}, len(rows))


def fake(data: Path | None) -> LabelledSet[MentionCase]:
    """Splink's fake_1000, all pairs."""
    rows = _rows(data, "fake_1000.csv")
    found = _mentions(rows, "unique_id", ("first_name", "surname"), ("city", "email"), "dob", "%Y-%m-%d")
    return _labelled("fake-1000", found, {row["unique_id"]: row["cluster"] for row in rows}, len(rows))


def fake_pairs(data: Path | None) -> LabelledSet[MentionCase]:
    """Splink's fake_1000, only the pairs that people scored."""
    whole = fake(data)
    there = {case.mention.id for case in whole.cases}
    partners: defaultdict[str, list[str]] = defaultdict(list)
    counts = Counter(whole.counts)
    for row in _rows(data, "fake_1000_labels.csv"):
        left, right = (_hidden(row[f"unique_id_{side}"]) for side in "lr")
        if {left, right} <= there:
            partners[left].append(right)
            partners[right].append(left)
        counts["pairs" if {left, right} <= there else "pairs_without_name"] += 1
    cases = [
        MentionCase(case.mention, case.entity, case.group, tuple(sorted(partners[case.mention.id]))) for case in whole.cases
    ]
    return LabelledSet("fake-1000-pairs", cases, dict(sorted(counts.items())))


def nicknames(data: Path | None) -> LabelledSet[MentionCase]:
    """Pairs of a name and its nickname, each beside a name that is neither's."""
    rows = _rows(data, "nicknames.csv")
    linked: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        linked[row["name1"]].add(row["name2"])
        linked[row["name2"]].add(row["name1"])
    pairs = sorted({(min(row["name1"], row["name2"]), max(row["name1"], row["name2"])) for row in rows})
    every = sorted(linked, key=_hidden)
    cases = []
    for number, pair in enumerate(pairs):
        other = next(
            name for name in every[number % len(every) :] + every if name not in pair and not linked[name].intersection(pair)
        )
        ids = [_hidden(f"{number}/{name}") for name in (*pair, other)]
        for name, key, entity in zip((*pair, other), ids, (f"{number}", f"{number}", f"{number}-other"), strict=True):
            mention = Mention(key, name, (f"place {number}",), None)
            cases.append(MentionCase(mention, entity, "nickname", tuple(sorted({*ids} - {key}))))
    counts = {"rows": len(rows), "pairs": len(pairs), "rows_repeated": len(rows) - len(pairs)}
    return LabelledSet("nicknames", sorted(cases, key=lambda case: case.mention.id), counts)


def _rows(data: Path | None, file: str) -> list[Row]:
    text = read_pinned(public_folder("names", data), file, PINS[file])[file]
    return list(csv.DictReader(text.splitlines(), skipinitialspace=True))


def _hidden(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:16]


def _half(cluster: str) -> str:
    return HALVES[int(_hidden(cluster), 16) % 2]


def _mentions(
    rows: Iterable[Row], key: str, names: Sequence[str], nearby: Sequence[str], born: str, form: str
) -> list[tuple[str, Mention, bool]]:
    """Source id, mention, and whether a date of birth was written that is none."""
    found = []
    for row in rows:
        name = " ".join(row[field].strip() for field in names if row[field].strip())
        written = row[born].strip()
        moment = _moment(written, form)
        if name:
            others = tuple(row[field].strip() for field in nearby if row[field].strip())
            found.append((row[key], Mention(_hidden(row[key]), name, others, moment), bool(written) and moment is None))
    return found


def _moment(written: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(written, form).replace(tzinfo=UTC)
    except ValueError:
        return None


def _labelled(
    name: str, found: Sequence[tuple[str, Mention, bool]], entities: Mapping[str, str], rows: int
) -> LabelledSet[MentionCase]:
    cases = [MentionCase(mention, entities[key], "person") for key, mention, _ in found]
    counts = {
        "entities": len({case.entity for case in cases}),
        "mentions": len(cases),
        "rows_without_name": rows - len(cases),
        "times_impossible": sum(impossible for *_, impossible in found),
        "times_missing": sum(case.mention.moment is None for case in cases),
    }
    return LabelledSet(name, sorted(cases, key=lambda case: case.mention.id), counts)
