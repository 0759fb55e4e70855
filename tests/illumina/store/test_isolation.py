"""A namespace is a hard partition, and PostgreSQL itself keeps it, whoever opened the memory."""

from __future__ import annotations

import itertools
import os
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg
import pytest

from illumina import Memory
from illumina.errors import StoreError
from illumina.ids import namespace_key
from illumina.store.database import APPLICATION_ROLE
from illumina.store.embedded import EmbeddedServer
from illumina.types import Document
from illumina.work import Tally
from tests.support import TABLES, HashingEmbedder, fill, rows, run

if TYPE_CHECKING:
    from collections.abc import Iterator


_numbers = itertools.count()

SAME = [
    Document("Backfills starved interactive writes, so ingestion moved to an isolated queue.", "slack:#a", "one"),
    Document("The release train leaves on Thursdays.\n\nDeploys need two approvals.", "wiki", "two"),
]
MORE = [
    Document("Backfills starved interactive writes, so ingestion moved to an isolated queue.", "slack:#b", "three"),
    Document("Ingestion, ingestion, ingestion: the queue is all that anybody talks about.", "slack:#c", "four"),
    Document("Deploys need two approvals.", "wiki", "five"),
]
QUERIES = [
    "why did ingestion move to a queue",
    "deploys",
    "release train on Thursdays",
    "isolated queue",
    "nothing",
]


class House(NamedTuple):
    """A database, seen by its administrator and as a memory works in it."""

    admin: str
    memory: Memory


@contextmanager
def plain_role(server: EmbeddedServer, attributes: str = "") -> Iterator[str]:
    """A role that owns a database in which a superuser made the extension; yields the DSN."""
    role = f"plain_{os.getpid()}_{next(_numbers)}"
    server.create_database(role)
    admin = server.dsn(role)
    run(admin, "create extension vector")
    run(admin, f"create role {role} login {attributes}")
    run(admin, f"alter database {role} owner to {role}")
    yield f"{admin} user={role}"
    server.drop_database(role)
    run(server.dsn("postgres"), f"drop role if exists {role}")


@pytest.fixture(scope="module", params=["superuser", "owner"])
def house(request: pytest.FixtureRequest, server: EmbeddedServer) -> Iterator[House]:
    """Namespace `a` holds `SAME`, `b` holds `SAME` and more; opened as each kind of user."""
    with plain_role(server) as dsn:
        admin = f"{dsn} user=postgres"
        with Memory.open(
            admin if request.param == "superuser" else dsn, embedder=HashingEmbedder(), extractor="verbatim"
        ) as memory:
            memory.retain_many(SAME, namespace="a")
            memory.retain_many(SAME + MORE, namespace="b")
            fill(admin, ["a", "b"])
            run(admin, "analyze")
            yield House(admin, memory)


def connection(memory: Memory) -> Any:
    return memory._database._pool.connection()


def test_connections_do_not_bypass_policies(house: House) -> None:
    with connection(house.memory) as work:
        found = work.execute(
            "select current_user, rolsuper, rolbypassrls from pg_roles where rolname = current_user"
        ).fetchone()
        assert found[1:] == (False, False)
        owner = work.execute("select tableowner from pg_tables where tablename = 'facts'").fetchone()[0]
        assert found[0] in {APPLICATION_ROLE, owner}
        assert work.execute("show row_security").fetchone() == ("on",)
        for table in TABLES:
            assert work.execute("select row_security_active(%s)", [f"illumina.{table}"]).fetchone() == (True,)


@pytest.mark.parametrize("table", TABLES)
def test_sql_that_forgets_the_filter_sees_its_own_namespace(house: House, table: str) -> None:
    everything = rows(house.admin, f"select namespace, count(*) from illumina.{table} group by 1")
    assert {key for key, _ in everything} == {namespace_key("a"), namespace_key("b")}
    for name in ("a", "b"):
        with house.memory._database.read(name) as session:
            found = session.connection.execute(
                f"select namespace, count(*) from illumina.{table} group by 1".encode()
            ).fetchall()
        assert found == [row for row in everything if row[0] == namespace_key(name)]


@pytest.mark.parametrize("table", TABLES)
def test_without_a_namespace_the_database_refuses(house: House, table: str) -> None:
    with psycopg.connect(str(house.memory._database._pool.conninfo), autocommit=True) as work:
        for _ in range(2):
            for statement in (f"select * from illumina.{table}", f"delete from illumina.{table}"):
                # Not set at all, or left empty by a transaction that had set it.
                with pytest.raises(psycopg.Error, match=r"illumina\.namespace|invalid input syntax for type bigint"):
                    work.execute(statement.encode())
            with work.transaction():
                work.execute(f"set local illumina.namespace = '{namespace_key('a')}'".encode())
                assert work.execute(f"select count(*) from illumina.{table}".encode()).fetchone() != (0,)


@pytest.mark.parametrize("table", TABLES)
def test_rows_of_another_namespace_cannot_be_written(house: House, table: str) -> None:
    columns = [
        name
        for (name,) in rows(
            house.admin,
            "select attname from pg_attribute where attrelid = %s::regclass and attnum > 0 order by attnum",
            [f"illumina.{table}"],
        )
    ]
    assert columns[0] == "namespace"
    rest = ", ".join(columns[1:])
    foreign = namespace_key("b")
    stored = f'select * from illumina.{table} t where namespace = {foreign} order by t::text collate "C"'
    before = rows(house.admin, stored)
    attempts = [
        f"update illumina.{table} set namespace = {foreign}",
        # Whether the key exists there must not show in the error either.
        *(
            f"insert into illumina.{table} (namespace, {rest}) select {key}, {rest} from illumina.{table} limit 1"
            for key in (foreign, foreign + 1)
        ),
    ]
    for statement in attempts:
        with (
            pytest.raises(psycopg.errors.InsufficientPrivilege, match="violates row-level security policy"),
            house.memory._database.write("a") as session,
        ):
            session.connection.execute(statement.encode())
    with house.memory._database.write("a") as session:
        delete = f"delete from illumina.{table} where namespace = {foreign}"
        assert session.connection.execute(delete.encode()).rowcount == 0
    assert rows(house.admin, stored) == before


def test_a_function_that_tells_is_told_nothing(house: House) -> None:
    """Only leakproof functions run before the policy; one of ours in the condition sees only its own rows."""
    told: list[str] = []
    with connection(house.memory) as work:
        work.add_notice_handler(lambda notice: told.append(str(notice.message_primary)))
        with work.transaction(force_rollback=True):
            work.execute(f"set local illumina.namespace = '{namespace_key('a')}'".encode())
            work.execute("set local client_min_messages = notice")
            work.execute(
                "create function pg_temp.tell(said text) returns boolean language plpgsql cost 0.0000001 as "
                "$$ begin raise notice '%', said; return true; end $$"
            )
            work.execute("select 1 from illumina.facts where pg_temp.tell(source || ' ' || content)")
    assert len(told) == 3
    assert not any("#b" in line or "#c" in line for line in told)


def test_the_planners_statistics_are_hidden(house: House) -> None:
    assert rows(house.admin, "select count(*) from pg_stats where schemaname = 'illumina'")[0][0] > 0
    with connection(house.memory) as work:
        found = work.execute(
            "select count(*) from pg_stats where schemaname = 'illumina' and tablename = any(%s)",
            [list(TABLES)],
        ).fetchone()
    assert found == (0,)


def test_recall_shows_nothing_of_another_namespace(house: House, dsn: str, embedder: HashingEmbedder) -> None:
    """Byte for byte the answers of a database that never held anything else, scores of every arm included."""
    with Memory.open(dsn, embedder=embedder, extractor="verbatim") as alone:
        alone.retain_many(SAME, namespace="a")
        assert house.memory.count(namespace="a") == alone.count(namespace="a") == 3
        for query in QUERIES:
            answer = house.memory.recall(query, namespace="a", explain=True, limit=100)
            assert answer.results or query == "nothing"
            assert answer.to_json() == alone.recall(query, namespace="a", explain=True, limit=100).to_json()
    assert house.memory.count(namespace="b") == 6
    sources = {r.source for r in house.memory.recall("ingestion queue", namespace="b", limit=100).results}
    assert sources == {"slack:#a", "slack:#b", "slack:#c", "wiki"}


def test_copies_elsewhere_do_not_corroborate(house: House) -> None:
    def best(namespace: str) -> int:
        answer = house.memory.recall("backfills starved interactive writes", namespace=namespace, limit=1)
        return answer.results[0].corroboration

    assert best("a") == 1
    assert best("b") == 2


def test_a_namespace_that_is_not_there_looks_like_an_empty_one(house: House) -> None:
    answer = house.memory.recall("ingestion", namespace="c")
    assert answer.results == ()
    assert house.memory.count(namespace="c") == 0
    assert house.memory.work(namespace="c") == Tally()
    assert not house.memory.build_index(namespace="d")
    assert rows(house.admin, "select count(*) from illumina.namespaces where name = 'c'") == [(0,)]


def test_documents_are_read_in_their_own_namespace_only(house: House) -> None:
    receipt = house.memory.retain_many(MORE, namespace="b")[0]
    assert not receipt.created
    assert house.memory.document(receipt.document_id, namespace="b") is not None
    assert house.memory.document(receipt.document_id, namespace="a") is None
    missing = "doc_" + "0" * 32
    assert house.memory.document(missing, namespace="a") is None


def test_reading_cannot_write(house: House) -> None:
    with (
        pytest.raises(psycopg.errors.ReadOnlySqlTransaction),
        house.memory._database.read("a") as session,
    ):
        session.connection.execute("delete from illumina.lexemes")


def test_the_application_role_cannot_change_the_schema(memory: Memory) -> None:
    for statement in (
        "alter table illumina.facts disable row level security",
        "drop policy one_namespace on illumina.facts",
        "create table illumina.mine ()",
        "truncate illumina.facts",
        "update illumina.contract set fingerprint = 'mine'",
        "delete from illumina.migrations",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege), connection(memory) as work:
            work.execute(statement)


def test_an_application_role_that_bypasses_policies_is_refused(dsn: str, embedder: HashingEmbedder) -> None:
    run(dsn, f"alter role {APPLICATION_ROLE} bypassrls")
    try:
        with pytest.raises(StoreError, match=f"alter role {APPLICATION_ROLE} nosuperuser nobypassrls"):
            Memory.open(dsn, embedder=embedder, extractor="verbatim")
    finally:
        run(dsn, f"alter role {APPLICATION_ROLE} nobypassrls")


def test_who_may_create_roles_works_under_the_application_role(embedder: HashingEmbedder) -> None:
    """As on managed servers, where nobody is superuser; the role must not exist before: another server."""
    with EmbeddedServer.start(throwaway=True) as server:
        with (
            plain_role(server, "createrole bypassrls") as dsn,
            Memory.open(dsn, embedder=embedder, extractor="verbatim") as memory,
        ):
            memory.retain("ingestion moved", namespace="a")
            memory.retain("ingestion moved too", namespace="b")
            with connection(memory) as work:
                assert work.execute("select current_user").fetchone() == (APPLICATION_ROLE,)
            assert memory.recall("ingestion", namespace="a").results[0].content == "ingestion moved"
        with (
            plain_role(server, "bypassrls") as dsn,
            pytest.raises(StoreError, match="grant illumina_app to plain"),
        ):
            Memory.open(dsn, embedder=embedder, extractor="verbatim")


def test_a_hardened_database_works_too(server: EmbeddedServer, own_dsn: str, embedder: HashingEmbedder) -> None:
    (name,) = rows(own_dsn, "select current_database()")[0]
    run(own_dsn, f"revoke all on database {name} from public")
    with Memory.open(own_dsn, embedder=embedder, extractor="verbatim") as memory:
        assert memory.retain("Nobody may make temporary tables unasked.").facts == 1


@pytest.mark.parametrize(
    "setting",
    [
        "datestyle = 'German'",
        "timezone = 'Pacific/Kiritimati'",
        "extra_float_digits = 0",
        "client_encoding = 'LATIN1'",
    ],
)
def test_a_databases_defaults_do_not_show(own_dsn: str, other_dsn: str, embedder: HashingEmbedder, setting: str) -> None:
    (name,) = rows(own_dsn, "select current_database()")[0]
    run(own_dsn, f"alter database {name} set {setting}")
    answers = []
    for place in (own_dsn, other_dsn):
        with Memory.open(place, embedder=embedder, extractor="verbatim") as memory:
            for text, moment in (
                ("Café 漢字 queue", "0001-01-01T00:00:00+00:00"),
                ("The queue again", "9999-12-31T23:59:59.999999+00:00"),
            ):
                memory.retain(text, occurred_at=datetime.fromisoformat(moment))
            answers.append(memory.recall("queue", explain=True).to_json())
    assert answers[0] == answers[1]
    assert answers[0].count(b'"occurred_at":"') == 2


def test_another_encoding_is_refused(server: EmbeddedServer, embedder: HashingEmbedder) -> None:
    name = f"latin_{os.getpid()}"
    run(server.dsn("postgres"), f"create database {name} encoding 'LATIN1' locale 'C' template template0")
    try:
        with pytest.raises(StoreError, match=r"encoding is LATIN1.*encoding 'UTF8'"):
            Memory.open(server.dsn(name), embedder=embedder, extractor="verbatim")
    finally:
        server.drop_database(name)
