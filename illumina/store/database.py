"""Connections: a plain role, one namespace a transaction, everything else refused by the database itself."""

from __future__ import annotations

import select
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Self

import psycopg
from pgvector.psycopg import register_vector
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types.string import ByteaBinaryLoader
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from illumina.errors import StoreError, StoreUnavailableError
from illumina.ids import namespace_key
from illumina.store import contract
from illumina.store.migrate import ADVISORY_LOCK, migrate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from illumina.models.base import Embedder

APPLICATION_ROLE: Final = "illumina_app"
"""Row-level security does not bind superusers, so a superuser's connections work under this role."""

CONNECT_TIMEOUT: Final = 30.0
"""Seconds to wait for a connection before giving up."""

SETTINGS: Final = "-c jit=off -c plan_cache_mode=force_generic_plan -c timezone=UTC -c datestyle=ISO -c extra_float_digits=1"
"""Compiling costs more than our short queries take, and planning as much as reading a few hundred postings, with the same
plans for any lexemes or ids; the others let times and doubles be read exactly, whatever the server's defaults are."""

_PLAN_EACH: Final = b"set local plan_cache_mode = auto; "
"""For what writes or surveys: their plans depend on how much they are given."""

_FORGET_PLANS: Final = b"discard plans; "
"""For what writes. A foreign key is checked by a plan that a session makes once: made while the tables were all but empty, it
may read a whole namespace for each row, until they are analysed next (22 s instead of 2 for 40,000 rows)."""


class Session:
    """One transaction on one namespace."""

    def __init__(self, connection: psycopg.Connection, name: str) -> None:
        self.connection = connection
        self.name = name
        self.namespace = namespace_key(name)

    @property
    def narrowing(self) -> bytes:
        """The statement that shows the transaction this namespace only; the key is an integer, so it needs no quoting."""
        return f"set local illumina.namespace = '{self.namespace}'".encode()

    def execute(
        self, query: str, parameters: dict[str, Any] | None = None, *, prepare: bool | None = True, raw: bool = False
    ) -> psycopg.Cursor[tuple[Any, ...]]:
        """Run one query; `%(namespace)s` is always this session's.

        Args:
            query: Of our own making; values only as parameters.
            parameters: By name.
            prepare: Keep the statement prepared; None for one whose text varies: prepared when it has come a few times.
            raw: Ids come as their 16 bytes, which cost a fraction of a `UUID` to make, hash and compare.
        """
        values = {"namespace": self.namespace, **(parameters or {})}
        return self.connection.execute(query.encode(), values, prepare=prepare, binary=raw)


class Database:
    """A pool of connections to a migrated database whose contract fits the model.

    Args:
        dsn: Any libpq connection string of a database with the extension `vector` available.
        embedder: The model whose vectors the database holds; pinned at the first opening.
        connections: The most connections used at once.

    Raises:
        StoreError: The server cannot be reached or may not be prepared.
        MigrationError: The schema belongs to another version.
        ContractError: The model does not fit the vectors held.
    """

    def __init__(self, dsn: str, embedder: Embedder, *, connections: int = 8) -> None:
        work_dsn = _prepare(dsn, embedder)
        self._pool = ConnectionPool(
            work_dsn,
            min_size=1,
            max_size=connections,
            timeout=CONNECT_TIMEOUT,
            kwargs={"autocommit": True},
            configure=_configure,
            check=_check,
            open=False,
        )
        try:
            self._pool.open(wait=True, timeout=CONNECT_TIMEOUT)
        except PoolTimeout as error:
            self._pool.close()
            raise StoreUnavailableError(f"No connection to PostgreSQL within {CONNECT_TIMEOUT:g} s: {error}") from error

    @contextmanager
    def read(self, namespace: str) -> Iterator[Session]:
        """A consistent snapshot of one namespace; writing is refused.

        The session is a pipeline: what is executed is under way at once, an error shows at the latest when the block ends, and
        a cursor's rows can be fetched after it too.
        """
        with self._connection() as connection, connection.pipeline():
            connection.execute("begin isolation level repeatable read read only")
            session = Session(connection, namespace)
            connection.execute(session.narrowing)
            yield session
            connection.execute("commit")

    @contextmanager
    def write(self, namespace: str) -> Iterator[Session]:
        """A transaction that changes one namespace; rolled back if the block raises."""
        with self._connection() as connection:
            session = Session(connection, namespace)
            # One round trip.
            connection.execute(b"begin isolation level read committed; " + _FORGET_PLANS + _PLAN_EACH + session.narrowing)
            yield session
            connection.execute("commit")

    @contextmanager
    def survey(self) -> Iterator[psycopg.Connection]:
        """A reading transaction that sees the jobs and the names of all namespaces, and nothing else of any of them."""
        with self._connection() as connection:
            connection.execute(
                b"begin read only; " + _PLAN_EACH + b"set local illumina.namespace = '0'; set local illumina.worker = 'on'"
            )
            yield connection
            connection.execute("commit")

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection]:
        """A connection of the pool; what it began and did not commit is rolled back."""
        try:
            with self._pool.connection() as connection:
                try:
                    yield connection
                except BaseException:
                    if not connection.broken:
                        connection.execute("rollback")
                    raise
        except PoolClosed as error:
            raise StoreError("This memory is closed. Open it again with Memory.open.") from error
        except psycopg.OperationalError as error:
            raise StoreUnavailableError(
                f"PostgreSQL gave up: {_line(error)} Check that the server runs, then try again."
            ) from error

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _configure(connection: psycopg.Connection) -> None:
    register_vector(connection)
    connection.adapters.register_loader("uuid", ByteaBinaryLoader)  # see `raw` of `Session.execute`


def _check(connection: psycopg.Connection) -> None:
    """Refuse a connection that the server has closed, as by a restart: it has something to read while nothing was asked."""
    if select.select([connection], [], [], 0)[0]:
        ConnectionPool.check_connection(connection)


def _prepare(dsn: str, embedder: Embedder) -> str:
    """Migrate, pin the contract, and return the DSN under which the application works."""
    _check_dsn(dsn)
    try:
        with psycopg.connect(dsn, autocommit=True, connect_timeout=int(CONNECT_TIMEOUT)) as connection:
            connection.execute("set client_min_messages = warning")
            _check_encoding(connection)
            migrate(connection)
            contract.pin(connection, embedder)
            options = SETTINGS
            if _bypasses_policies(connection):
                _ensure_role(connection)
                options += f" -c role={APPLICATION_ROLE}"
    except psycopg.OperationalError as error:
        raise StoreError(
            f"PostgreSQL cannot be reached: {_line(error)} Check that the server runs and that the DSN names an existing "
            "database."
        ) from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreError(
            f"The database cannot be prepared: {_line(error)} Let a superuser run `create extension vector` in it, and grant "
            "CREATE on the database to this role."
        ) from error
    except psycopg.errors.FeatureNotSupported as error:
        raise StoreError(f"The server lacks the extension pgvector: {_line(error)} Install pgvector 0.8 or newer.") from error
    given = conninfo_to_dict(dsn).get("options")
    return make_conninfo(dsn, options=f"{given} {options}" if given else options, client_encoding="UTF8")


def _check_dsn(dsn: str) -> None:
    try:
        conninfo_to_dict(dsn)
    except psycopg.ProgrammingError as error:
        # Without the DSN: it may hold a password.
        raise StoreError(
            "The DSN is no libpq connection string. Write postgresql://user@host/database or host=… dbname=…"
        ) from error


def _check_encoding(connection: psycopg.Connection) -> None:
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreError(
            f"The database's encoding is {encoding}, which cannot hold every text. Make one with `create database … "
            "encoding 'UTF8' template template0`."
        )


def _line(error: Exception) -> str:
    line = " ".join(str(error).split())
    return line if line.endswith((".", "?")) else f"{line}."


def _bypasses_policies(connection: psycopg.Connection, role: str | None = None) -> bool:
    row = connection.execute(
        "select rolsuper or rolbypassrls from pg_roles where rolname = coalesce(%s, current_user)", [role]
    ).fetchone()
    return row is not None and bool(row[0])


def _ensure_role(connection: psycopg.Connection) -> None:
    try:
        if connection.execute("select 1 from pg_roles where rolname = %s", [APPLICATION_ROLE]).fetchone() is None:
            # Roles belong to the server: another database's first opening may be quicker.
            with suppress(psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
                connection.execute(f"create role {APPLICATION_ROLE} nologin nosuperuser nobypassrls".encode())
        if connection.execute("select pg_has_role(%s, 'set')", [APPLICATION_ROLE]).fetchone() == (False,):
            # Who may create roles but is no superuser has to let itself work under the new one.
            connection.execute(f"grant {APPLICATION_ROLE} to current_user".encode())
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreError(
            f"{connection.info.user} bypasses row-level security, so it has to work under the role {APPLICATION_ROLE}, and may "
            f"not. Let a superuser run: create role {APPLICATION_ROLE}; grant {APPLICATION_ROLE} to {connection.info.user}. Or "
            "use a role without BYPASSRLS."
        ) from error
    if _bypasses_policies(connection, APPLICATION_ROLE):
        raise StoreError(
            f"The role {APPLICATION_ROLE} would bypass row-level security. Run: alter role {APPLICATION_ROLE} nosuperuser "
            "nobypassrls"
        )
    with connection.transaction():
        # Two openings at once would otherwise update the same catalogue rows.
        connection.execute("select pg_advisory_xact_lock(%s)", [ADVISORY_LOCK])
        connection.execute(f"grant usage on schema illumina to {APPLICATION_ROLE}".encode())
        # Batches pass through temporary tables, which a hardened database lets nobody make unasked.
        database = connection.info.dbname.replace('"', '""')
        connection.execute(f'grant temporary on database "{database}" to {APPLICATION_ROLE}'.encode())
        connection.execute(f"grant select on illumina.contract, illumina.migrations to {APPLICATION_ROLE}".encode())
        # Every table that holds something of a namespace, and only those, is under row-level security.
        tables = connection.execute(
            "select string_agg(oid::regclass::text, ', ') from pg_class "
            "where relnamespace = 'illumina'::regnamespace and relrowsecurity"
        ).fetchone()
        assert tables is not None
        connection.execute(f"grant select, insert, update, delete on {tables[0]} to {APPLICATION_ROLE}".encode())
