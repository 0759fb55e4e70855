"""The facade, from outside: the packaged model on a real PostgreSQL."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from illumina import Document, IlluminaError, Memory, Ranking, Utterance
from illumina.errors import EmbeddedServerError, InvalidInputError, ModelUnavailableError, StoreError
from illumina.models.registry import load_embedder
from tests.support import HashingEmbedder, check_derived, dump, rows, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from illumina.models.base import IntegerVectors
    from illumina.store.database import Session
    from illumina.store.embedded import EmbeddedServer

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)
MODEL = load_embedder(None)


@pytest.fixture
def packaged(database: str) -> Iterator[Memory]:
    with Memory.open(database, extractor="verbatim") as memory:
        yield memory


def test_the_example_of_the_readme(packaged: Memory) -> None:
    receipt = packaged.retain(
        "Ingestion moved to an isolated task queue after backfills starved interactive writes.",
        namespace="acme",
        source="slack:#platform",
        occurred_at=NINE,
    )
    packaged.retain("The office cat is called Turing.", namespace="acme", source="slack:#random")
    answer = packaged.recall("why did we move ingestion off the shared queue", namespace="acme", limit=10)
    best = answer.results[0]
    assert best.content.startswith("Ingestion moved to an isolated task queue")
    assert (best.source, best.occurred_at, best.corroboration, best.score) == ("slack:#platform", NINE, 1, 1.0)
    assert best.document_id == receipt.document_id
    assert best.arms == ("semantic", "lexical")
    assert (answer.degraded, answer.degraded_reasons) == (False, ())


def test_the_embedded_server_keeps_what_it_was_told(server_directory: Path) -> None:
    with Memory.open(directory=server_directory, embedder=MODEL, extractor="verbatim") as memory:
        memory.retain("My cat prefers salmon to tuna.", key="cat")
        memory.retain("Quarterly revenue grew by nine percent.", key="money")
        before = memory.recall("what does the pet like to eat", explain=True).to_json()
    with Memory.open(directory=server_directory, embedder=MODEL, extractor="verbatim") as memory:
        assert memory.recall("what does the pet like to eat", explain=True).to_json() == before
        assert memory.recall("what does the pet like to eat").results[0].document == "cat"
        assert memory.count() == 2


def test_a_fresh_database_gives_the_same_bytes(packaged: Memory, server: EmbeddedServer) -> None:
    documents = [Document(f"Fact number {n} about topic {n % 5}.", f"source {n % 3}") for n in range(30)]
    name = f"fresh_{os.getpid()}"
    server.create_database(name)
    try:
        with Memory.open(server.dsn(name), embedder=MODEL, extractor="verbatim") as fresh:
            packaged.retain_many(documents)
            fresh.retain_many(reversed(documents))
            for query in ("topic 3", "number 17", "something else entirely"):
                found = packaged.recall(query, limit=50, explain=True).to_json()
                assert fresh.recall(query, limit=50, explain=True).to_json() == found
    finally:
        server.drop_database(name)


BODY = "  Leading.\r\n\r\nCRLF\ttab \u2028 é e\u0301 漢字 🚀👩‍👩‍👧\n\n\n\ntrailing \n "


def test_a_document_is_read_back_byte_for_byte(memory: Memory) -> None:
    receipt = memory.retain(BODY, source="s", key="k", occurred_at=NINE, metadata={"b": [1, 2.5], "a": {"ä": None}})
    read = memory.document(receipt.document_id)
    assert read is not None
    assert read.body == BODY
    assert (read.source, read.key, read.occurred_at, read.version) == ("s", "k", NINE, 1)
    assert read.metadata == '{"a":{"ä":null},"b":[1,2.5]}'
    assert read.segments is None


def test_a_dialogue_is_read_back_with_its_turns(memory: Memory) -> None:
    receipt = memory.retain([Utterance("Why?", "Ana", NINE, "D1"), Utterance("So:\n\nthus.", "Bo")])
    read = memory.document(receipt.document_id)
    assert read is not None
    assert read.segments is not None
    assert [(read.body[s.start : s.end], s.speaker, s.occurred_at, s.label) for s in read.segments] == [
        ("Why?", "Ana", NINE, "D1"),
        ("So:\n\nthus.", "Bo", None, "2"),
    ]


def test_no_such_document(memory: Memory) -> None:
    assert memory.document("doc_" + "0" * 32) is None
    with pytest.raises(InvalidInputError, match="no id of the form doc_"):
        memory.document("fct_" + "0" * 32)


@pytest.mark.parametrize(
    "name", ["a'b\"c", "日本語 🚀", "%s %(namespace)s {}", "'; drop schema illumina cascade --", " ", "x" * 2000, "\n"]
)
def test_any_namespace(memory: Memory, name: str) -> None:
    if not name.strip():
        with pytest.raises(InvalidInputError, match="The namespace has no name"):
            memory.retain("text", namespace=name)
        return
    memory.retain("Text of the one.", namespace=name)
    memory.retain("Text of the other.", namespace=name + "?" if len(name) < 2000 else "other")
    answer = memory.recall("text", namespace=name)
    assert [result.content for result in answer.results] == ["Text of the one."]
    assert answer.namespace == name


def test_a_namespace_that_cannot_be_stored_is_refused_everywhere(memory: Memory) -> None:
    for name in ("a\0b", "\ud800", ""):
        for call in (
            lambda name=name: memory.retain("x", namespace=name),
            lambda name=name: memory.recall("x", namespace=name),
            lambda name=name: memory.count(namespace=name),
            lambda name=name: memory.work(namespace=name),
            lambda name=name: memory.build_index(namespace=name),
            lambda name=name: memory.document("doc_" + "0" * 32, namespace=name),
        ):
            with pytest.raises(InvalidInputError, match="The namespace"):
                call()


def test_closing_twice_and_using_it_afterwards(dsn: str, embedder: HashingEmbedder) -> None:
    memory = Memory.open(dsn, embedder=embedder, extractor="verbatim")
    memory.retain("text")
    memory.close()
    memory.close()
    for call in (
        lambda: memory.retain("x"),
        lambda: memory.recall("x"),
        memory.count,
        memory.work,
        lambda: memory.document("doc_" + "0" * 32),
        memory.build_index,
    ):
        with pytest.raises(StoreError, match=r"This memory is closed\. Open it again with Memory\.open\."):
            call()
    with Memory.open(dsn, embedder=embedder, extractor="verbatim") as again:
        assert again.count() == 1


def test_what_it_was_opened_with_can_be_seen(dsn: str, embedder: HashingEmbedder) -> None:
    ranking = Ranking(rrf_k=10)
    with Memory.open(dsn, embedder=embedder, ranking=ranking, extractor="verbatim") as memory:
        assert memory.embedder is embedder
        assert memory.ranking == ranking


class TestDsn:
    def refused(self, dsn: str, message: str) -> None:
        with pytest.raises(StoreError, match=message) as caught:
            Memory.open(dsn, embedder=HashingEmbedder(), extractor="verbatim")
        assert "\n" not in str(caught.value)
        assert caught.value.__cause__ is not None

    @pytest.mark.parametrize("dsn", ["nonsense", "postgresql://[bad", "host=x dbname", "colour=red"])
    def test_no_dsn_at_all(self, dsn: str) -> None:
        self.refused(dsn, r"no libpq connection string\. Write postgresql://")

    def test_a_password_is_not_repeated(self) -> None:
        with pytest.raises(StoreError) as caught:
            Memory.open("postgresql://me:s3cret@[bad", embedder=HashingEmbedder(), extractor="verbatim")
        assert "s3cret" not in str(caught.value)

    def test_nothing_listens(self, tmp_path: Path) -> None:
        self.refused(f"host={tmp_path}", "cannot be reached: .*No such file.* Check that the server runs")
        self.refused("host=127.0.0.1 port=1 dbname=x", "cannot be reached: .*refused.* Check that the server runs")

    def test_no_such_database(self, server: EmbeddedServer) -> None:
        self.refused(server.dsn("nobody_made_it"), "does not exist.* names an existing database")

    def test_no_such_role(self, dsn: str) -> None:
        self.refused(f"{dsn} user=nobody_at_all", 'role "nobody_at_all" does not exist')

    def test_a_wrong_password(self, server: EmbeddedServer, dsn: str) -> None:
        rules = server.directory / "data" / "pg_hba.conf"
        before = rules.read_text()
        run(dsn, "create role locked login password 'right'")
        rules.write_text("local all locked scram-sha-256\n" + before)
        run(dsn, "select pg_reload_conf()")
        try:
            # The server reads its rules again when it comes to it.
            with contextlib.suppress(psycopg.OperationalError):
                for _ in range(200):
                    psycopg.connect(dsn, user="locked").close()
                    time.sleep(0.02)
            self.refused(make_conninfo(dsn, user="locked", password="wrong"), "password authentication failed")
            self.refused(make_conninfo(dsn, user="locked"), "no password supplied")
        finally:
            rules.write_text(before)
            run(dsn, "select pg_reload_conf()")
            run(dsn, "drop role locked")

    def test_a_role_that_may_not_prepare(self, database: str) -> None:
        run(database, "create role weak login")
        try:
            self.refused(f"{database} user=weak", "superuser run `create extension vector`.*grant CREATE")
        finally:
            run(database, "drop role weak")

    def test_a_dsn_or_a_directory(self, dsn: str, tmp_path: Path) -> None:
        with pytest.raises(InvalidInputError, match="either a DSN or a directory"):
            Memory.open(dsn, directory=tmp_path, extractor="verbatim")

    def test_a_directory_that_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(EmbeddedServerError):
            Memory.open(directory=tmp_path / "file" / "x", embedder=HashingEmbedder(), extractor="verbatim")

    def test_options_of_the_dsn_are_kept(self, dsn: str, embedder: HashingEmbedder) -> None:
        given = make_conninfo(dsn, options="-c work_mem=7MB")
        with Memory.open(given, embedder=embedder, extractor="verbatim") as memory, memory._database.read("n") as session:
            assert session.connection.execute("show work_mem").fetchone() == ("7MB",)
            assert session.connection.execute("show jit").fetchone() == ("off",)


END = "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"


def test_connections_that_died_while_idle_are_replaced(memory: Memory, dsn: str) -> None:
    class Interrupted(HashingEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> IntegerVectors:
            assert rows(dsn, END)
            return super().embed_documents(texts)

    with Memory.open(dsn, embedder=Interrupted(), extractor="verbatim") as other:
        assert other.retain("No connection is held while the model works.").facts == 1
    rows(dsn, END)
    assert memory.count() == 1
    check_derived(dsn, HashingEmbedder())


def die_at_work(session: Session, dsn: str) -> None:
    session.execute("delete from illumina.lexemes")
    rows(dsn, END)
    session.execute("delete from illumina.postings")


def test_a_connection_that_dies_at_work_is_an_error_of_ours(memory: Memory, dsn: str) -> None:
    memory.retain("before", key="k")
    before = dump(dsn)
    with (
        pytest.raises(StoreError, match=r"PostgreSQL gave up: .*Check that the server runs, then try again\.") as caught,
        memory._database.write("default") as session,
    ):
        die_at_work(session, dsn)
    assert isinstance(caught.value.__cause__, psycopg.OperationalError)
    assert dump(dsn) == before
    assert [result.content for result in memory.recall("before").results] == ["before"]


def test_readers_see_whole_documents_while_writers_write(memory: Memory) -> None:
    """Each version has as many facts as its texts say: a reader in between sees the one or the other."""
    stop = threading.Event()
    seen: set[frozenset[str]] = set()
    failures: list[BaseException] = []

    def read() -> None:
        try:
            while not stop.is_set():
                answer = memory.recall("version", limit=50)
                seen.add(frozenset(result.content.split(" of ")[1] for result in answer.results))
        except BaseException as error:  # noqa: BLE001 - a thread has nobody to tell
            failures.append(error)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for version in range(8):
        memory.retain("\n\n".join(f"Part {n} of version {version}" for n in range(5)), key="k")
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert all(len(versions) <= 1 for versions in seen), seen
    assert len(seen) > 1


def test_more_threads_than_connections(memory: Memory, dsn: str, embedder: HashingEmbedder) -> None:
    def work(number: int) -> None:
        memory.retain(f"Text {number}.", key=str(number), namespace=f"n{number % 3}")
        assert memory.recall(f"text {number}", namespace=f"n{number % 3}").results

    threads = [threading.Thread(target=work, args=[number]) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [memory.count(namespace=f"n{n}") for n in range(3)] == [8, 8, 8]
    check_derived(dsn, embedder)


def test_every_error_is_one_of_ours(memory: Memory, embedder: HashingEmbedder, dsn: str) -> None:
    before = dump(dsn)
    for call, error in (
        (lambda: memory.retain(""), InvalidInputError),
        (lambda: memory.retain("x", source="\0"), InvalidInputError),
        (lambda: memory.recall("\0"), InvalidInputError),
        (lambda: memory.recall("x", limit=0), InvalidInputError),
    ):
        with pytest.raises(error) as caught:
            call()
        assert isinstance(caught.value, IlluminaError)
    assert dump(dsn) == before
    embedder.available = False
    with pytest.raises(ModelUnavailableError):
        memory.retain("x")


def test_what_only_one_agent_may_see_is_replaced_by_nobody_else(memory: Memory) -> None:
    for agent, text in (("alice", "The blue key is in drawer 5."), ("bob", "The red key is lost.")):
        receipt = memory.retain(text, source="notes", key="keys", agent=agent, visibility="agent")
        assert (receipt.created, receipt.version, receipt.retired) == (True, 1, 0)
    assert [result.content for result in memory.recall("key", agent="alice").results] == ["The blue key is in drawer 5."]
    assert [result.content for result in memory.recall("key", agent="bob").results] == ["The red key is lost."]
    again = memory.retain("The blue key is in drawer 6.", source="notes", key="keys", agent="alice", visibility="agent")
    assert (again.version, again.retired) == (2, 1)
