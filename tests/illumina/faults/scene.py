"""What is retained while something breaks, the moments at which it does, and what must hold afterwards."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

from illumina import intake
from illumina.ids import DOCUMENT_PREFIX, public_id
from illumina.retain import forget, link, pipeline, resolve
from illumina.retain.prepare import prepare
from illumina.store import chunks, facts
from illumina.store import documents as ledger
from illumina.store import forget as forgetting
from tests.illumina.pool import document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from illumina import Memory
    from tests.clock import ManualClock

SPACE: Final = "acme"
DOCUMENTS: Final = [document(text, text) for text in (0, 7, 8, 11, 14)]

MOMENTS: Final[dict[str, tuple[Any, str, bool]]] = {
    "before it is accepted": (ledger, "accept", False),
    "before acceptance commits": (chunks, "insert", True),
    "once it is accepted": (pipeline.Retainer, "_finish_here", False),
    "while it is read": (pipeline, "extract", False),
    "before its facts commit": (facts, "add", True),
    "before it is settled": (intake, "settle", False),
    "while entities are settled": (resolve, "settle", True),
    "before settling commits": (link, "settle", True),
    "before forgetting": (forget, "affected", False),
    "before forgetting commits": (forgetting, "forget_documents", True),
}
"""Module or class, function, and whether it is behind it."""


@contextmanager
def interrupt(moment: str, action: Callable[[], object]) -> Iterator[None]:
    """Do something once, at that moment."""
    owner, name, behind = MOMENTS[moment]
    real = getattr(owner, name)
    done: list[bool] = []

    def run(*args: Any, **kwargs: Any) -> Any:
        first = not done
        done.append(True)
        if first and not behind:
            action()
        found = real(*args, **kwargs)
        if first and behind:
            action()
        return found

    with mock.patch.object(owner, name, run):
        yield
    assert done, f"{moment}: it was never come to"


def recover(memory: Memory, clock: ManualClock, *, again: bool = True) -> None:
    """What an operator does: what was not accepted is retained once more, workers work, what failed is retried."""
    if again:
        memory.retain_many(DOCUMENTS, namespace=SPACE, later=True)
    for _ in range(12):
        clock.advance(3600)
        memory.work()
        memory.retry(namespace=SPACE)
        if not memory.jobs(namespace=SPACE):
            break
    assert memory.jobs(namespace=SPACE) == []
    for given in DOCUMENTS if again else ():
        accounted(memory, public_id(DOCUMENT_PREFIX, prepare(given, SPACE).id))


def accounted(memory: Memory, name: str) -> None:
    """Every character of a document has its outcome, and none is pending or failed."""
    found = memory.document(name, namespace=SPACE)
    assert found is not None
    spans = memory.account(name, namespace=SPACE)
    assert [span.start for span in spans] == [0, *(span.end for span in spans[:-1])]
    assert spans[-1].end == len(found.body)
    assert {span.outcome for span in spans} <= {"extracted", "rejected"}
