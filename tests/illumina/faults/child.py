"""A process that stops at a chosen moment and waits to be killed: `python -m tests.illumina.faults.child DSN VERB MOMENT`."""

from __future__ import annotations

import sys
import time

from illumina import Memory
from tests.clock import ManualClock
from tests.illumina.faults.scene import DOCUMENTS, SPACE, interrupt
from tests.support import HashingEmbedder


def wait_for_the_end() -> None:
    print("there", flush=True)
    time.sleep(60)


if __name__ == "__main__":
    _, dsn, verb, point = sys.argv
    with Memory.open(dsn, embedder=HashingEmbedder(), clock=ManualClock()) as memory, interrupt(point, wait_for_the_end):
        if verb == "retain":
            memory.retain_many(DOCUMENTS, namespace=SPACE)
        else:
            memory.work(namespace=SPACE)
    print("past it", flush=True)
