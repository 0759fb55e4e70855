"""Pairs of our own that must stay apart, and pairs that should be one; nothing in the engine knows their words."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from illumina.retain.entities import Mention, resolve

HERE = Path(__file__).parent


def pairs(file: str) -> list[tuple[str, Mention, Mention]]:
    rows = [json.loads(line) for line in (HERE / file).read_text(encoding="utf-8").splitlines()]
    return [
        (row["class"], mention(f"{number:03}-left", row["left"]), mention(f"{number:03}-right", row["right"]))
        for number, row in enumerate(rows)
    ]


def mention(key: str, row: dict[str, Any]) -> Mention:
    moment = datetime.fromisoformat(row["moment"]) if "moment" in row else None
    return Mention(key, row["name"], row.get("kind"), frozenset(row.get("homes", ())), frozenset(row.get("nearby", ())), moment)


def merged(left: Mention, right: Mention) -> bool:
    return len(resolve([left, right]).entities) == 1


def test_hard_negatives_stay_apart() -> None:
    found = pairs("hard_negatives.jsonl")
    assert len({(left.name, right.name, left.homes, right.homes, left.kind) for _, left, right in found}) == len(found) >= 200
    wrong = [(kind, left.name, right.name) for kind, left, right in found if merged(left, right) or merged(right, left)]
    assert wrong == []


def test_hard_negatives_stay_apart_among_each_other() -> None:
    found = pairs("hard_negatives.jsonl")
    entity_of = resolve(mention for _, *both in found for mention in both).entity_of
    wrong = [(kind, left.name, right.name) for kind, left, right in found if entity_of[left.key] == entity_of[right.key]]
    assert wrong == []


def test_hard_positives_are_mostly_one() -> None:
    found = pairs("hard_positives.jsonl")
    assert len(found) >= 100
    ones = Counter(kind for kind, left, right in found if merged(left, right))
    assert ones.total() >= 0.95 * len(found)
    assert min(ones[kind] / count for kind, count in Counter(kind for kind, *_ in found).items()) >= 0.75


def test_hard_positives_at_two_companies_stay_apart() -> None:
    """The same pairs, each side at another company and without a time: namesakes."""
    apart = [
        (replace(left, homes=frozenset({"Acme"}), moment=None), replace(right, homes=frozenset({"Globex"}), moment=None))
        for _, left, right in pairs("hard_positives.jsonl")
    ]
    assert [(left.name, right.name) for left, right in apart if merged(left, right)] == []
