"""Numbered migrations, each applied once, in order, under one lock."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Final

from illumina.errors import MigrationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import psycopg

ADVISORY_LOCK: Final = 0x696C6C756D696E61
"""`illumina` in ASCII; held by whoever changes the schema."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One SQL file of `illumina/store/migrations`."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the file, in hexadecimal."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def migrations() -> list[Migration]:
    """All migrations that this version knows, in order."""
    found = []
    for file in resources.files("illumina.store").joinpath("migrations").iterdir():
        if file.name.endswith(".sql"):
            number, _, name = file.name.removesuffix(".sql").partition("_")
            found.append(Migration(int(number), name, file.read_text(encoding="utf-8")))
    return sorted(found, key=lambda migration: migration.number)


def fingerprint() -> str:
    """SHA-256 over every migration: names the schema."""
    return hashlib.sha256("".join(m.checksum for m in migrations()).encode()).hexdigest()


def migrate(connection: psycopg.Connection, known: Sequence[Migration] | None = None) -> list[Migration]:
    """Apply what is missing, in one transaction.

    Args:
        connection: As the role that shall own the tables, not within a transaction.
        known: The migrations to apply; all of this version by default.

    Returns:
        The migrations applied now.

    Raises:
        MigrationError: The database was migrated by another version: an applied migration is unknown here or differs.
    """
    known = migrations() if known is None else known
    with connection.transaction():
        connection.execute("select pg_advisory_xact_lock(%s)", [ADVISORY_LOCK])
        connection.execute("create extension if not exists vector")
        connection.execute("create schema if not exists illumina")
        connection.execute(
            "create table if not exists illumina.migrations ("
            'number integer primary key, name text collate "C" not null, checksum text collate "C" not null)'
        )
        applied = {
            row[0]: (row[1], row[2])
            for row in connection.execute("select number, name, checksum from illumina.migrations").fetchall()
        }
        _check(applied, known)
        missing = [migration for migration in known if migration.number not in applied]
        for migration in missing:
            connection.execute(migration.sql.encode())
            connection.execute(
                "insert into illumina.migrations (number, name, checksum) values (%s, %s, %s)",
                [migration.number, migration.name, migration.checksum],
            )
    return missing


def _check(applied: dict[int, tuple[str, str]], known: Sequence[Migration]) -> None:
    by_number = {migration.number: migration for migration in known}
    for number, (name, checksum) in sorted(applied.items()):
        migration = by_number.get(number)
        if migration is None:
            raise MigrationError(
                f"The database has migration {number:04} ({name}), which this version of Illumina does not know. "
                "Open it with the version that made it, or a newer one."
            )
        if migration.checksum != checksum:
            raise MigrationError(
                f"Migration {number:04} ({name}) was applied with other contents than this version's. "
                "Open the database with the version that made it, or retain into a fresh database."
            )
