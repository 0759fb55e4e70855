"""Retaining: idempotent, versioned, never half done, and the same whatever the order, the batches or the writers."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from illumina import Memory
from illumina.errors import InvalidInputError, ModelUnavailableError
from illumina.ids import DOCUMENT_PREFIX, FACT_PREFIX, public_id
from illumina.retain import pipeline
from illumina.retain.prepare import prepare
from illumina.retain.verbatim import extract
from illumina.types import Document, RetainReceipt, Utterance
from tests.support import HashingEmbedder, check_derived, dump, rows, wipe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from illumina.store.embedded import EmbeddedServer

ROOT = Path(__file__).parents[3]

CORPUS = [
    Document("Ingestion moved to an isolated queue.\n\nDeploys need two approvals.", "wiki", "a"),
    Document([Utterance("Why?", "Ana"), Utterance("Backfills starved writes.", "Bo")], "chat", "b"),
    Document("The release train leaves on Thursdays.", "wiki", "c", metadata={"team": "x"}),
    Document("Deploys need two approvals.", "mail"),
    Document("the of and", "mail", "only stop words"),
    Document("漢字 ILLUM-123 foo_bar() 🚀", "chat", "odd"),
]


def live(dsn: str) -> list[str]:
    return [
        content
        for (content,) in rows(
            dsn, "select content from illumina.facts where retired_version is null order by document, ordinal"
        )
    ]


def receipts(found: list[RetainReceipt]) -> list[tuple[int, bool, int, int]]:
    return [(receipt.version, receipt.created, receipt.facts, receipt.retired) for receipt in found]


class TestIdempotence:
    def test_retaining_twice_changes_nothing(self, memory: Memory, dsn: str, embedder: HashingEmbedder) -> None:
        first = memory.retain_many(CORPUS)
        before = dump(dsn)
        embedder.embedded.clear()
        second = memory.retain_many(CORPUS)
        assert dump(dsn) == before
        assert embedder.embedded == [], "embedding is what retaining costs"
        assert [receipt.created for receipt in first] == [True] * len(CORPUS)
        assert [receipt.created for receipt in second] == [False] * len(CORPUS)
        assert [(r.document_id, r.version, r.facts) for r in first] == [
            (r.document_id, r.version, r.facts) for r in second
        ]
        check_derived(dsn, embedder)

    def test_within_one_batch(self, memory: Memory, dsn: str, other_dsn: str, embedder: HashingEmbedder) -> None:
        found = memory.retain_many([*CORPUS, *CORPUS])
        assert [receipt.created for receipt in found] == [True] * len(CORPUS) + [False] * len(CORPUS)
        assert receipts(found)[0] == (1, True, 2, 0)
        assert receipts(found)[len(CORPUS)] == (1, False, 2, 0)
        with Memory.open(other_dsn, embedder=embedder) as once:
            once.retain_many(CORPUS)
        assert dump(dsn) == dump(other_dsn)

    def test_in_another_process(self, memory: Memory, dsn: str) -> None:
        code = (
            "import sys; from illumina import Memory; from tests.support import HashingEmbedder\n"
            "from tests.illumina.retain.test_pipeline import CORPUS\n"
            "with Memory.open(sys.argv[1], embedder=HashingEmbedder()) as memory: print(len(memory.retain_many(CORPUS)))"
        )
        memory.retain_many(CORPUS)
        before = dump(dsn)
        done = subprocess.run([sys.executable, "-c", code, dsn], cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.stdout, done.returncode) == (f"{len(CORPUS)}\n", 0), done.stderr
        assert dump(dsn) == before

    def test_by_several_threads_at_once(
        self, memory: Memory, dsn: str, other_dsn: str, embedder: HashingEmbedder
    ) -> None:
        found = together(*(lambda: memory.retain_many(CORPUS) for _ in range(4)))
        assert [sum(receipt.created for receipt in each) for each in zip(*found, strict=True)] == [1] * len(CORPUS)
        with Memory.open(other_dsn, embedder=embedder) as once:
            once.retain_many(CORPUS)
        assert dump(dsn) == dump(other_dsn)
        check_derived(dsn, embedder)


def together[T](*functions: Callable[[], T]) -> list[T]: ...
