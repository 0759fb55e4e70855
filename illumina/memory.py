"""The one facade."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from illumina import history as histories
from illumina.clock import SystemClock
from illumina.entities import Entities
from illumina.errors import InvalidInputError
from illumina.ids import DOCUMENT_PREFIX, FACT_PREFIX, content_key, public_id
from illumina.intake import DEFAULT_NAMESPACE, Intake
from illumina.lifecycle import Lifecycle
from illumina.models.registry import load_embedder, load_language_model
from illumina.recall import pipeline as recalling
from illumina.reconciling import Reconciling
from illumina.recorded import RecordedCalls
from illumina.retain.extractors import Reading, load_extractor
from illumina.retain.forget import ForgetReceipt, forget
from illumina.retain.prepare import check_namespace
from illumina.retain.settle import rebuild
from illumina.settings import Ranking
from illumina.store import documents as ledger
from illumina.store import facts, links, vectors
from illumina.store.database import Database
from illumina.store.embedded import EmbeddedServer
from illumina.types import Answer, Filter, RetainReceipt

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from illumina.clock import Clock
    from illumina.history import History, Suspect
    from illumina.models.base import Embedder
    from illumina.models.llm.base import LanguageModel
    from illumina.models.llm.recorder import Replay
    from illumina.retain.extraction import Extractor
    from illumina.store.links import Link
    from illumina.types import LedgerDocument

DATABASE = "illumina"

CORRECTION = "correction"
"""The origin of what people put in the place of a wrong statement."""


class Memory(Intake):
    """A memory in one PostgreSQL database; safe to use from several threads.

    Use `Memory.open`. What it takes in, and the work that this leaves, is in `Intake`.
    """

    @classmethod
    def open(
        cls,
        dsn: str | None = None,
        *,
        directory: Path | None = None,
        embedder: Embedder | str | None = None,
        extractor: Extractor | str | None = None,
        llm: LanguageModel | str | None = None,
        reconciler: LanguageModel | str | None = None,
        replay: Replay = "record",
        ranking: Ranking | None = None,
        clock: Clock | None = None,
    ) -> Self:
        """Open a memory, and make it if it is new.

        Args:
            dsn: A PostgreSQL database with pgvector, as a libpq connection string. Without one the embedded server is
                started, and stopped again by whoever closes it last; what it holds outlives the process.
            directory: Where the embedded server keeps its data; `ILLUMINA_HOME` or the user's data directory if None.
            embedder: A model, or the name or path of one; the packaged all-MiniLM-L6-v2 if None.
            extractor: What makes facts of texts, or its name: `builtin` (by rule) if None, or `verbatim`
                (each utterance is one).
            llm: A language model that makes the facts instead, or its name: `anthropic:MODEL` or `openai:MODEL`.
            reconciler: A language model that judges pairs of facts about the same things where the rules find nothing, or its
                name; without one the rules alone decide what supersedes what.
            replay: `only`: never ask those models, use recorded answers.
            ranking: The ranking's constants.
            clock: Tells the time of jobs and of what is recorded; the machine's own if None.

        Raises:
            StoreError: The server cannot be reached or prepared.
            MigrationError: The database belongs to another version.
            ContractError: The database holds the vectors of another model.
            ModelError: The model cannot be loaded.
        """
        if dsn is not None and directory is not None:
            raise InvalidInputError("Pass either a DSN or a directory for the embedded server, not both.")
        model = load_embedder(embedder) if embedder is None or isinstance(embedder, str) else embedder
        with ExitStack() as resources:
            if dsn is None:
                server = resources.enter_context(EmbeddedServer.start(directory))
                server.ensure_database(DATABASE)
                dsn = server.dsn(DATABASE)
            database = resources.enter_context(Database(dsn, model))
            clock = clock or SystemClock()
            if isinstance(llm, str):
                llm = load_language_model(llm)
                resources.callback(llm.close)
            if isinstance(reconciler, str):
                reconciler = load_language_model(reconciler)
                resources.callback(reconciler.close)
            return cls(
                database,
                model,
                Reading(
                    load_extractor(extractor) if extractor is None or isinstance(extractor, str) else extractor,
                    llm,
                    replay,
                ),
                ranking or Ranking(),
                clock,
                resources.pop_all(),
                None if reconciler is None else Reconciling(database, reconciler, replay, clock),
            )

    @property
    def embedder(self) -> Embedder:
        """The model whose vectors this memory holds."""
        return self._embedder

    @property
    def ranking(self) -> Ranking:
        """The constants by which it ranks."""
        return self._ranking

    def forget(
        self,
        *,
        namespace: str = DEFAULT_NAMESPACE,
        document: str | None = None,
        source: str | None = None,
        fact: str | None = None,
        everything: bool = False,
    ) -> ForgetReceipt:
        """Forget one document (`doc_…`, all versions), one origin, one fact (`fct_…`), or everything in the namespace.

        Afterwards the database equals one that never saw it; everything includes the lifecycle policy. A single fact is taken
        out of its document too: its characters are made unreadable, but for those on which another fact rests, and the same
        text retained again does not bring it back.

        Raises:
            InvalidInputError: There is none such, or not exactly one thing was named.
        """
        check_namespace(namespace)
        return forget(
            self._database,
            namespace,
            document=document,
            source=source,
            fact=fact,
            everything=everything,
            ask_at=self._ask_at(),
        )

    def rebuild(self, *, namespace: str = DEFAULT_NAMESPACE) -> int:
        """Make everything derived but the vectors anew, which changes nothing; returns how many facts it was made of."""
        check_namespace(namespace)
        return rebuild(self._database, namespace)

    def links(self, fact_id: str, *, namespace: str = DEFAULT_NAMESPACE) -> list[Link]:
        """A fact's edges, as seen from it."""
        check_namespace(namespace)
        with self._database.read(namespace) as session:
            return links.of(session, content_key(FACT_PREFIX, fact_id))

    def entities(self, *, namespace: str = DEFAULT_NAMESPACE) -> Entities:
        """Who is known in a namespace, why, and what about them; rulings on who is who."""
        check_namespace(namespace)
        return Entities(self._database, self._clock, namespace)

    def correct(
        self, fact_id: str, statement: str, *, reason: str = "", namespace: str = DEFAULT_NAMESPACE, agent: str | None = None
    ) -> RetainReceipt:
        """Put a right statement in a wrong one's place: it is retained, and by a ruling supersedes the wrong one.

        Doing it again changes nothing. `reinstate` takes the ruling back; `history` shows it.

        Raises:
            InvalidInputError: There is no such fact, or the text states nothing; the text is kept all the same.
        """
        histories.history(self._database, namespace, fact_id, agent=agent)  # there must be one
        receipt = self.retain(statement, namespace=namespace, source=CORRECTION, key=fact_id, agent=agent)
        with self._database.read(namespace) as session:
            made = facts.spans(session, content_key(DOCUMENT_PREFIX, receipt.document_id), receipt.version)
        if not made:
            raise InvalidInputError(
                f"No statement was found in the correction; its text is kept as {receipt.document_id}. Write a full sentence."
            )
        for fact, _, _ in made:
            self.supersede(fact_id, public_id(FACT_PREFIX, fact), reason=reason or "corrected", namespace=namespace)
        return receipt

    def lifecycle(self, *, namespace: str = DEFAULT_NAMESPACE) -> Lifecycle:
        """The stages of a namespace's facts: switch them on and off, report accesses, apply them."""
        check_namespace(namespace)
        return Lifecycle(self._database, self._clock, namespace)

    def history(
        self, fact_id: str, *, namespace: str = DEFAULT_NAMESPACE, agent: str | None = None, device: str | None = None
    ) -> History:
        """What a fact replaced and what replaced it, the whole chain with its evidence.

        Args:
            fact_id: `fct_…`; may be superseded or retired.
            namespace: Where it is.
            agent: Who asks; sees what is visible to this agent only, too.
            device: From where; sees what is visible on this device only, too.

        Raises:
            InvalidInputError: There is no such fact that whoever asks may see.
        """
        check_namespace(namespace)
        return histories.history(self._database, namespace, fact_id, agent=agent, device=device)

    def suspects(
        self, *, namespace: str = DEFAULT_NAMESPACE, agent: str | None = None, device: str | None = None
    ) -> list[Suspect]:
        """Facts that hold but rest on one that does not hold any more; for who asks see `history`."""
        check_namespace(namespace)
        return histories.suspects(self._database, namespace, agent=agent, device=device)

    def supersede(self, old: str, new: str, *, reason: str = "", namespace: str = DEFAULT_NAMESPACE) -> str:
        """Decide that one fact (`fct_…`) supersedes another, whatever the rules say; returns the ruling, `rul_…`.

        Raises:
            InvalidInputError: It cannot be so; the message names the mend.
        """
        check_namespace(namespace)
        ruling = histories.rule(self._database, namespace, new, old, reason, self._clock.now())
        self._settle(namespace)
        return ruling

    def reinstate(self, ruling: str, *, namespace: str = DEFAULT_NAMESPACE) -> None:
        """Take back a decision that one fact supersedes another.

        Raises:
            InvalidInputError: There is no such ruling in force.
        """
        check_namespace(namespace)
        histories.undo(self._database, namespace, ruling, self._clock.now())
        self._settle(namespace)

    def recall(
        self,
        query: str,
        *,
        namespace: str = DEFAULT_NAMESPACE,
        limit: int = 10,
        components: Sequence[str] | None = None,
        ranking: Ranking | None = None,
        exact: bool = False,
        explain: bool = False,
        wanted: Filter | None = None,
        agent: str | None = None,
        device: str | None = None,
        as_of: datetime | None = None,
        include_chunks: bool = False,
    ) -> Answer:
        """Find what is known about a question. Never changes what a later recall returns.

        Args:
            query: The question; an empty one finds nothing.
            namespace: Where to look; nothing of another is ever seen.
            limit: The most results.
            components: Switch off all but these (today the arms `semantic` and `lexical`; `illumina.recall.components` has
                the registry); all work if None.
            ranking: The constants for this recall alone; the memory's own if None.
            exact: Compare every vector, even where an approximate index exists.
            explain: Show each result's rank and score in each arm.
            wanted: Only facts like this.
            agent: Who asks: finds what only this agent may see, too.
            device: From where: finds what only this device may see, too.
            as_of: What was believed at this time, by when things were said (or recorded, if that is not known), however late
                this memory learnt them; what is believed now if None.
            include_chunks: Find stretches of the documents themselves too, as many as results at most: for what no fact says.

        Returns:
            The answer; `degraded` says so and why where a model did not answer.

        Raises:
            InvalidInputError: The question cannot be searched for; the message names the mend.
        """
        check_namespace(namespace)
        return recalling.recall(
            self._database,
            self._embedder,
            ranking or self._ranking,
            query,
            namespace,
            limit=limit,
            components=components,
            exact=exact,
            explain=explain,
            wanted=wanted,
            agent=agent,
            device=device,
            as_of=as_of,
            include_chunks=include_chunks,
        )

    def document(
        self, document_id: str, *, namespace: str = DEFAULT_NAMESPACE, version: int | None = None
    ) -> LedgerDocument | None:
        """A document's full text, byte for byte; the newest version by default. None if this namespace has none such."""
        check_namespace(namespace)
        with self._database.read(namespace) as session:
            return ledger.read(session, content_key(DOCUMENT_PREFIX, document_id), version)

    def count(self, *, namespace: str = DEFAULT_NAMESPACE) -> int:
        """How many facts can be recalled."""
        check_namespace(namespace)
        with self._database.read(namespace) as session:
            return vectors.count(session)

    def calls(self, *, namespace: str = DEFAULT_NAMESPACE) -> RecordedCalls:
        """What this namespace has asked of language models: to list, export, import and cap."""
        check_namespace(namespace)
        return RecordedCalls(self._database, namespace)

    def build_index(self, *, namespace: str = DEFAULT_NAMESPACE) -> bool:
        """Put a namespace that has outgrown the exact scan into the HNSW index; returns whether it is in it now.

        Below `Ranking.exact_scan_limit` facts this does nothing. It holds up writers of the namespace while it works
        (about two minutes for 100,000 facts); readers go on.
        """
        check_namespace(namespace)
        with self._database.write(namespace) as session:
            return vectors.build_index(session, self._ranking.exact_scan_limit)

    def close(self) -> None:
        """Close the connections, and the embedded server if this was its last user."""
        self._resources.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
