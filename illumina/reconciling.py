"""Have a language model judge the pairs of facts that the rules leave open: a job for each fact, a call for each pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from illumina.errors import ReconciliationError
from illumina.ids import FACT_PREFIX, public_id
from illumina.models.llm.recorder import Recorder
from illumina.retain.llm.reconciler import judge
from illumina.retain.reconcile.search import open_pairs
from illumina.store import documents as ledger
from illumina.store import jobs, judgements, stale

if TYPE_CHECKING:
    from illumina.clock import Clock
    from illumina.models.llm.base import LanguageModel
    from illumina.models.llm.recorder import Replay
    from illumina.retain.reconcile.search import OpenPair
    from illumina.store.database import Database
    from illumina.store.judgements import Judgement
    from illumina.work import JobLease

PAIRS_A_FACT: Final = 16
"""Pairs that are asked about in one run of a fact's job, the nearest first. What is left is a dead letter, and asked about in
portions as large each time that it is retried."""


@dataclass(frozen=True, slots=True)
class Reconciling:
    """Judges pairs with one language model.

    Attributes:
        database: Where the facts are.
        model: Whom to ask.
        replay: Whether it may be asked.
        clock: Says when a judgement was recorded.
    """

    database: Database
    model: LanguageModel
    replay: Replay
    clock: Clock

    def work(self, job: JobLease) -> None:
        """Ask about a fact's open pairs, each by itself; every judgement is kept at once, whatever becomes of the others.

        No connection is held while the model answers. What was judged is not asked again by another run.

        Raises:
            ReconciliationError: Some answers cannot be used, or pairs are left; all others are judged.
            ModelError: The model did not answer, refused or may not be asked.
            LeaseLostError: The job is another worker's by now.
        """
        namespace, fact = job.job.namespace, job.job.fact
        assert fact is not None, "a job of this kind is about a fact"
        recorder = Recorder(self.database, namespace, self.model, clock=self.clock, replay=self.replay)
        with self.database.write(namespace) as session:
            found = open_pairs(session, fact)
        failures: list[ReconciliationError] = []
        asked = 0
        while found and asked < PAIRS_A_FACT:
            pair, *found = found
            asked += 1
            try:
                judgement = judge(recorder, pair.newer, pair.older)
            except ReconciliationError as error:
                failures.append(error)
                continue
            self._keep(namespace, judgement)
            if judgement.decision in {"update", "supersede"} and judgement.part is None and judgement.confidence != "low":
                found = [other for other in found if not _needless(other, pair)]
        if failures:
            raise failures[0]
        if found:
            raise ReconciliationError(
                f"{public_id(FACT_PREFIX, fact)} and {asked} others were judged, {len(found)} more are about the same things. "
                "All of these hold until `illumina retry` asks on."
            )
        with self.database.write(namespace) as session:
            ledger.lock_known_namespace(session)
            job.complete(session)

    def _keep(self, namespace: str, judgement: Judgement) -> None:
        now = self.clock.now()
        with self.database.write(namespace) as session:
            if ledger.lock_known_namespace(session) and judgements.record(session, judgement, now):
                stale.mark(session, [judgement.old, judgement.new])
                jobs.enqueue(session, "settle", None, None, now)


def _needless(other: OpenPair, judged: OpenPair) -> bool:
    """Whether a pair's older fact is over by then, because of what was just judged."""
    return other.older.id == judged.older.id and other.newer.rank >= judged.newer.rank
