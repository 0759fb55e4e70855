"""Migrations: each once, all or nothing, and never over another version's schema."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from illumina.errors import MigrationError
from illumina.store.migrate import Migration, fingerprint, migrate, migrations
from tests.support import check_blocks, rows, run

if TYPE_CHECKING:
    from illumina.store.embedded import EmbeddedServer

CATALOGUE = {
    "columns": "select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, l.collname, a.attstorage, "
    "pg_get_expr(d.adbin, d.adrelid) from pg_attribute a join pg_class c on c.oid = a.attrelid "
    "left join pg_collation l on l.oid = a.attcollation left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum "
    "where c.relnamespace = 'illumina'::regnamespace and a.attnum > 0 and not a.attisdropped order by 1, a.attnum",
    "constraints": "select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint "
    "where connamespace = 'illumina'::regnamespace order by 1, 2",
    "indexes": "select tablename, indexname, indexdef from pg_indexes where schemaname = 'illumina' order by 1, 2",
    "policies": "select tablename, policyname, permissive, roles, cmd, qual, with_check from pg_policies "
    "where schemaname = 'illumina' order by 1, 2",
    "security": "select relname, relrowsecurity, relforcerowsecurity from pg_class "
    "where relnamespace = 'illumina'::regnamespace and relkind = 'r' order by 1",
    "comments": "select objoid::regclass::text, objsubid, description from pg_description "
    "where objoid in (select oid from pg_class where relnamespace = 'illumina'::regnamespace) order by 1, 2",
    "functions": "select proname from pg_proc where pronamespace = 'illumina'::regnamespace order by 1",
}


def catalogue(dsn: str) -> dict[str, list[tuple[Any, ...]]]:
    return {name: rows(dsn, query) for name, query in CATALOGUE.items()}


def migrated(dsn: str, known: list[Migration] | None = None) -> list[Migration]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("set client_min_messages = warning")
        return migrate(connection, known)


def test_numbers_count_from_one() -> None:
    assert [migration.number for migration in migrations()] == list(range(1, len(migrations()) + 1))
    assert all(re.fullmatch("[a-z_]+", migration.name) for migration in migrations())
    assert len({fingerprint(), *(migration.checksum for migration in migrations())}) == len(migrations()) + 1


def test_the_schema_is_the_sum_of_the_migrations(server: EmbeddedServer, template: str, database: str, dsn: str) -> None:
    """What memories use, and what the files say when they are run by hand, are the same but for the contract."""
    run(database, "create extension vector")
    run(database, "create schema illumina")
    ledger = 'number integer primary key, name text collate "C" not null, checksum text collate "C" not null'
    run(database, f"create table illumina.migrations ({ledger})")
    for migration in migrations():
        run(database, migration.sql)
    run(database, "alter table illumina.embeddings alter column embedding type halfvec(64)")
    run(
        database,
        "create index embeddings_hnsw on illumina.embeddings using hnsw (embedding halfvec_ip_ops) "
        "where approximate and not superseded",
    )
    by_hand = catalogue(database)
    assert catalogue(dsn) == by_hand
    assert all(by_hand[kind] for kind in CATALOGUE if kind != "functions")


def test_each_is_applied_once(database: str) -> None:
    assert migrated(database) == migrations()
    before = catalogue(database)
    assert migrated(database) == []
    assert catalogue(database) == before
    assert rows(database, "select number, name, checksum from illumina.migrations") == [
        (migration.number, migration.name, migration.checksum) for migration in migrations()
    ]


def test_a_new_one_is_applied_to_an_old_database(own_dsn: str) -> None:
    new = Migration(len(migrations()) + 1, "more", "create table illumina.more (namespace bigint)")
    assert migrated(own_dsn, [*migrations(), new]) == [new]
    assert rows(own_dsn, "select to_regclass('illumina.more') is not null") == [(True,)]
    with pytest.raises(MigrationError, match=rf"has migration {new.number:04} \(more\).*newer one"):
        migrated(own_dsn)


def test_a_changed_one_is_refused(dsn: str) -> None:
    first = migrations()[0]
    changed = Migration(first.number, first.name, first.sql + "\n")
    before = catalogue(dsn)
    with pytest.raises(MigrationError, match=r"Migration 0001 \(ledger\) was applied with other contents"):
        migrated(dsn, [changed, *migrations()[1:]])
    assert catalogue(dsn) == before


def test_a_failing_one_leaves_nothing(database: str) -> None:
    number = len(migrations()) + 1
    broken = Migration(number, "broken", "create table illumina.half (); select 1 / 0")
    with pytest.raises(psycopg.errors.DivisionByZero):
        migrated(database, [*migrations(), broken])
    assert rows(database, "select to_regnamespace('illumina') is null") == [(True,)]
    assert migrated(database) == migrations()


def test_several_at_once_migrate_once(database: str) -> None:
    applied: list[list[Migration]] = []
    threads = [threading.Thread(target=lambda: applied.append(migrated(database))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(len, applied)) == [0, 0, 0, len(migrations())]


def test_vectors_of_the_thin_path_come_into_blocks(database: str) -> None:
    migrated(database, migrations()[:1])
    run(database, "insert into illumina.contract (dimension, embedder, fingerprint, analyser) values (3, '', '', '')")
    run(database, "alter table illumina.embeddings alter column embedding type halfvec(3)")
    run(
        database,
        "create index embeddings_hnsw on illumina.embeddings using hnsw (embedding halfvec_ip_ops) where approximate",
    )
    run(
        database,
        "set session_replication_role = replica; "  # vectors alone, without the facts that they are of
        "insert into illumina.embeddings select n % 3, gen_random_uuid(), n % 3 = 2, n, array[n, 0, 0]::real[]::halfvec(3) "
        "from generate_series(1, 100) n",
    )
    migrated(database)
    check_blocks(database)
    assert rows(database, "select namespace, count(*) from illumina.blocks group by 1 order by 1") == [(0, 3), (1, 3)]
    assert rows(
        database, "select pg_get_expr(indpred, indrelid) from pg_index where indexrelid = 'illumina.embeddings_hnsw'::regclass"
    ) == [("(approximate AND (NOT superseded))",)]
    assert rows(database, "select relforcerowsecurity from pg_class where oid = 'illumina.embeddings'::regclass") == [(True,)]
