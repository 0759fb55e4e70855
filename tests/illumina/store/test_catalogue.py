"""What PostgreSQL's catalogue must say for partitions to be hard and for tables to be distributed by namespace."""

from __future__ import annotations

import re

from tests.support import TABLES, rows

GLOBAL = {"contract", "migrations"}
"""They hold nothing of any namespace."""


def test_every_table_is_one_of_ours(dsn: str) -> None:
    found = {name for (name,) in rows(dsn, "select tablename from pg_tables where schemaname = 'illumina'")}
    assert found == {*TABLES, *GLOBAL}
    # Views would run as their owner, and sequences count across namespaces.
    assert (
        rows(
            dsn,
            "select relname from pg_class where relnamespace = 'illumina'::regnamespace and relkind not in ('r', 'i')",
        )
        == []
    )


def test_every_primary_key_and_unique_index_starts_with_the_namespace(dsn: str) -> None:
    found = rows(
        dsn,
        "select c.relname, i.indexrelid::regclass::text, a.attname, i.indisprimary from pg_index i "
        "join pg_class c on c.oid = i.indrelid left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0] "
        "where c.relnamespace = 'illumina'::regnamespace and i.indisunique",
    )
    assert {table for table, _, _, primary in found if primary} == {*TABLES, *GLOBAL}
    assert {first for table, _, first, _ in found if table not in GLOBAL} == {"namespace"}


def test_every_other_index_starts_with_the_namespace_but_the_graph_of_vectors(dsn: str) -> None:
    found = rows(
        dsn,
        "select i.indexrelid::regclass::text, a.attname from pg_index i join pg_class c on c.oid = i.indrelid "
        "left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0] "
        "where c.relnamespace = 'illumina'::regnamespace and not i.indisunique",
    )
    assert found
    assert {name for name, first in found if first != "namespace"} == {"illumina.embeddings_hnsw"}


def test_every_foreign_key_starts_with_the_namespace_on_both_sides(dsn: str) -> None:
    found = rows(
        dsn,
        "select k.conname, a.attname, b.attname from pg_constraint k "
        "join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1] "
        "join pg_attribute b on b.attrelid = k.confrelid and b.attnum = k.confkey[1] "
        "where k.contype = 'f' and k.connamespace = 'illumina'::regnamespace",
    )
    assert len(found) >= 3
    assert {(here, there) for _, here, there in found} == {("namespace", "namespace")}


def test_row_level_security_is_enabled_and_forced(dsn: str) -> None:
    found = rows(
        dsn,
        "select relname, relrowsecurity, relforcerowsecurity from pg_class "
        "where relnamespace = 'illumina'::regnamespace and relkind = 'r'",
    )
    assert {row for row in found if row[0] not in GLOBAL} == {(table, True, True) for table in TABLES}


def test_one_policy_a_table_holds_for_every_command_and_role(dsn: str) -> None:
    found = rows(
        dsn,
        "select tablename, permissive, roles::text, cmd, qual, with_check from pg_policies where schemaname = 'illumina' "
        "and policyname = 'one_namespace'",
    )
    assert {row[0] for row in found} == set(TABLES)
    assert len(found) == len(TABLES)
    for _, permissive, roles, command, using, check in found:
        assert (permissive, roles, command) == ("PERMISSIVE", "{public}", "ALL")
        assert using == check
        assert "namespace = " in using
        # One argument: without the setting it is an error, never null, which would silently hide everything.
        assert "current_setting('illumina.namespace'::text))::bigint" in using


def test_the_only_other_policy_lets_a_worker_look_for_jobs(dsn: str) -> None:
    found = rows(
        dsn,
        "select tablename, policyname, permissive, cmd, qual, with_check from pg_policies where schemaname = 'illumina' "
        "and policyname <> 'one_namespace' order by 1",
    )
    assert [row[:4] for row in found] == [
        ("jobs", "worker", "PERMISSIVE", "SELECT"),
        ("namespaces", "worker", "PERMISSIVE", "SELECT"),
    ]
    for *_, using, check in found:
        assert "current_setting('illumina.worker'::text, true)" in using
        assert check is None


def test_every_text_column_compares_by_code_point(dsn: str) -> None:
    found = rows(
        dsn,
        "select c.relname, a.attname, l.collname from pg_attribute a join pg_class c on c.oid = a.attrelid "
        "join pg_collation l on l.oid = a.attcollation "
        "where c.relnamespace = 'illumina'::regnamespace and c.relkind in ('r', 'i') and a.attnum > 0",
    )
    assert ("facts", "content", "C") in found
    assert {collation for _, _, collation in found} == {"C"}


def test_no_default_depends_on_the_clock_or_on_chance(dsn: str) -> None:
    found = rows(
        dsn,
        "select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d join pg_class c on c.oid = d.adrelid "
        "where c.relnamespace = 'illumina'::regnamespace",
    )
    literal = re.compile(r"\d+|true|false|'[^']*'::\w+(\[\])?")
    assert {expression for (expression,) in found if not literal.fullmatch(expression)} == set()
    assert rows(dsn, "select tgname from pg_trigger t where not tgisinternal") == []
