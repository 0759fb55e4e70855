"""The one facade."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

from illumina.errors import InvalidInputError
from illumina.ids import DOCUMENT_PREFIX, content_key
from illumina.models.registry import load_embedder
from illumina.recall import pipeline as recalling
from illumina.retain import pipeline as retaining
from illumina.retain.prepare import check_namespace
from illumina.settings import Ranking
from illumina.store import documents as ledger
from illumina.store import vectors
from illumina.store.database import Database
from illumina.store.embedded import EmbeddedServer
from illumina.types import Answer, Document, RetainReceipt, Utterance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from illumina.models.base import Embedder
    from illumina.types import LedgerDocument

DEFAULT_NAMESPACE = "default"
DATABASE = "illumina"


class Memory:
    """A memory in one PostgreSQL database; safe to use from several threads.

    Use `Memory.open`.
    """

    def __init__(self, database: Database, embedder: Embedder, ranking: Ranking, resources: ExitStack) -> None:
        self._database = database
        self._embedder = embedder
        self._ranking = ranking
        self._resources = resources

    @classmethod
    def open(
        cls,
        dsn: str | None = None,
        *,
        directory: Path | None = None,
        embedder: Embedder | str | None = None,
        ranking: Ranking | None = None,
    ) -> Self:
        """Open a memory, and make it if it is new.

        Args:
            dsn: A PostgreSQL database with pgvector, as a libpq connection string. Without one the embedded server is
                started, and stopped again by whoever closes it last; what it holds outlives the process.
            directory: Where the embedded server keeps its data; `ILLUMINA_HOME` or the user's data directory if None.
            embedder: A model, or the name or path of one; the packaged all-MiniLM-L6-v2 if None.
            ranking: The ranking's constants.

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
            return cls(database, model, ranking or Ranking(), resources.pop_all())

    @property
    def embedder(self) -> Embedder:
        """The model whose vectors this memory holds."""
        return self._embedder

    @property
    def ranking(self) -> Ranking:
        """The constants by which it ranks."""
        return self._ranking

    def retain(
        self,
        text: str | Sequence[Utterance],
        *,
        namespace: str = DEFAULT_NAMESPACE,
        source: str = "",
        key: str | None = None,
        occurred_at: datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> RetainReceipt:
        """Remember one text or dialogue; see `Document` for the arguments. Retaining it again changes nothing.

        Raises:
            InvalidInputError: It cannot be stored; the message names the mend. Nothing of it was stored.
            ModelUnavailableError: The embedder did not answer. The text is stored; `resume` finishes it.
        """
        document = Document(text, source=source, key=key, occurred_at=occurred_at, metadata=metadata or {})
        return self.retain_many([document], namespace=namespace)[0]

    def retain_many(
        self,
        documents: Iterable[Document],
        *,
        namespace: str = DEFAULT_NAMESPACE,
        progress: Callable[[int], object] | None = None,
        refused: Callable[[int, InvalidInputError], object] | None = None,
    ) -> list[RetainReceipt]:
        """Remember many documents, in batches; each is retained wholly or can be resumed.

        Args:
            documents: May be a generator.
            namespace: Where to.
            progress: Called with the number of documents that each batch added.
            refused: Called with the position and the error of each document that cannot be stored; the others are retained.

        Returns:
            One receipt for each retained document, in order.

        Raises:
            InvalidInputError: A document cannot be stored and `refused` is None; those before it are retained.
            ModelUnavailableError: The embedder did not answer; `resume` finishes what was accepted.
        """
        check_namespace(namespace)
        return retaining.retain(self._database, self._embedder, documents, namespace, progress, refused)

    def resume(self, *, namespace: str = DEFAULT_NAMESPACE) -> int:
        """Finish the documents that a crash or an unavailable model left accepted; returns how many."""
        check_namespace(namespace)
        with self._database.read(namespace) as session:
            pending = ledger.pending(session)
        for document in pending:
            retaining.finish(self._database, self._embedder, [document], namespace)
        return len(pending)

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
