"""One model a database: another one is refused when the memory is opened, with the mend named."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from illumina import Memory
from illumina.errors import ContractError, StoreError
from illumina.models.registry import load_embedder
from illumina.text import ANALYSER_FINGERPRINT
from tests.support import HashingEmbedder, check_derived, rows, run

OPEN = """
import sys
from illumina import Memory
from tests.support import HashingEmbedder
sys.stdin.readline()
with Memory.open(sys.argv[1], embedder=HashingEmbedder(), extractor="verbatim") as memory:
    print(memory.retain(sys.argv[2]).facts)
"""
ROOT = Path(__file__).parents[3]


def test_the_first_opening_pins(dsn: str, embedder: HashingEmbedder) -> None:
    assert rows(dsn, "select dimension, embedder, fingerprint, analyser from illumina.contract") == [
        (64, "hashing-64", embedder.fingerprint, ANALYSER_FINGERPRINT)
    ]
    column = "select format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'illumina.embeddings'::regclass"
    assert rows(dsn, f"{column} and attname = 'embedding'") == [("halfvec(64)",)]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            HashingEmbedder(32),
            r"pinned to 64 dimensions \(hashing-64\), but hashing-32 emits 32\. Open it with .* or truncate to 64 dim.* fresh",
        ),
        (
            HashingEmbedder(64, "x"),
            r"vectors of hashing-64 \(fingerprint [0-9a-f]{12}\), .* hashing-64x .* Open it with hashing-64, or .* fresh",
        ),
    ],
)
def test_another_model_is_refused(dsn: str, model: HashingEmbedder, message: str) -> None:
    before = rows(dsn, "select * from illumina.contract")
    with pytest.raises(ContractError, match=message):
        Memory.open(dsn, embedder=model, extractor="verbatim")
    assert rows(dsn, "select * from illumina.contract") == before
    Memory.open(dsn, embedder=HashingEmbedder(), extractor="verbatim").close()


def test_another_analyser_is_refused(own_dsn: str, embedder: HashingEmbedder) -> None:
    run(own_dsn, "update illumina.contract set analyser = 'older'")
    with pytest.raises(ContractError, match="made by another text analyser"):
        Memory.open(own_dsn, embedder=embedder, extractor="verbatim")


@pytest.mark.parametrize("dimension", [1, 384, 1024])
def test_up_to_1024_dimensions(database: str, dimension: int) -> None:
    model = HashingEmbedder(dimension)
    with Memory.open(database, embedder=model, extractor="verbatim") as memory:
        memory.retain("Ingestion moved to a queue.\n\nThe train leaves on Thursdays.")
        assert memory.recall("ingestion queue", components=["semantic"]).results[0].content == "Ingestion moved to a queue."
    check_derived(database, model)


def test_the_largest_vectors_stay_exact(database: str) -> None:
    class Full(HashingEmbedder):
        def _embed(self, text: str) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
            return np.full(1024, -127 if "minus" in text else 127, np.int8)

    with Memory.open(database, embedder=Full(1024), extractor="verbatim") as memory:
        memory.retain("plus\n\nminus")
        answer = memory.recall("plus", components=["semantic"], explain=True)
    scores = [result.explain["arms"]["semantic"]["score"] for result in answer.results if result.explain]
    assert scores == [1.0, -1.0]
    assert rows(database, "select distinct norm from illumina.embeddings") == [(127.0 * 32,)]


@pytest.mark.parametrize("dimension", [0, 1025, 1536])
def test_other_dimensions_are_refused(database: str, dimension: int) -> None:
    with pytest.raises(ContractError, match=rf"emits {dimension} dimensions; 1 to 1,024 .*truncate to 1,024"):
        Memory.open(database, embedder=HashingEmbedder(dimension), extractor="verbatim")
    assert rows(database, "select count(*) from illumina.contract") == [(0,)]


def test_the_packaged_model_pins_384(database: str) -> None:
    model = load_embedder(None)
    Memory.open(database, embedder=model, extractor="verbatim").close()
    assert rows(database, "select dimension, fingerprint from illumina.contract") == [(384, model.fingerprint)]
    with pytest.raises(ContractError, match="pinned to 384 dimensions"):
        Memory.open(database, embedder=HashingEmbedder(), extractor="verbatim")


def test_two_processes_open_a_fresh_database_at_once(database: str) -> None:
    texts = ["from one process", "from another"]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, database, text],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for text in texts
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert (out, err, process.returncode) == ("1\n", "", 0)
    assert rows(database, "select facts from illumina.namespaces") == [(2,)]
    check_derived(database, HashingEmbedder())


def test_threads_that_open_a_fresh_database_at_once_agree_on_one_model(database: str) -> None:
    outcomes: list[str] = []

    def opening(model: HashingEmbedder) -> None:
        try:
            Memory.open(database, embedder=model, extractor="verbatim").close()
            outcomes.append(model.name)
        except StoreError as error:
            outcomes.append(type(error).__name__)

    threads = [threading.Thread(target=opening, args=[HashingEmbedder(64, salt)]) for salt in "aabb"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) in (
        ["ContractError", "ContractError", "hashing-64a", "hashing-64a"],
        ["ContractError", "ContractError", "hashing-64b", "hashing-64b"],
    )
