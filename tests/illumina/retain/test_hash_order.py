"""Python shuffles sets and dictionaries of strings anew in each process: nothing that is derived may show it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

SCRIPT = """
import json
from datetime import UTC, datetime
from pathlib import Path

from illumina.retain.builtin import BuiltinExtractor
from illumina.retain.causes import find_causes
from illumina.retain.dates import find_dates
from illumina.retain.entities import resolve
from illumina.retain.supersedes import find_supersessions
from tests.illumina.retain.builtin.labelled import ledger, whole
from tests.illumina.retain.entities.test_hard_pairs import pairs

for line in Path("datasets/skerrow/documents.jsonl").read_text(encoding="utf-8").splitlines():
    document = json.loads(line)
    for text in [document["text"]] if "text" in document else [turn["text"] for turn in document["turns"]]:
        body = ledger(text)
        print(BuiltinExtractor().extract(body, whole(body)))
        print(find_causes(text), find_supersessions(text), find_dates(text, datetime(2026, 3, 2, tzinfo=UTC)))
for file in ("hard_negatives.jsonl", "hard_positives.jsonl"):
    print(resolve(mention for _, *both in pairs(file) for mention in both))
"""


def derived(seed: str) -> bytes:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT], check=True, capture_output=True, cwd=ROOT, env=environment
    ).stdout


def test_no_hash_seed_shows() -> None:
    first = derived("1")
    assert len(first) > 100_000
    assert [derived(seed) == first for seed in ("2", "3")] == [True, True]
