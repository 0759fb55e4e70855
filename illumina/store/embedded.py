"""PostgreSQL on this machine, started when it is needed and stopped by its last user.

A server's directory holds::

    data/           the cluster
    run/            the socket and the server's log, closed to everyone but the server's user
    illumina.conf   our parameters
    users.lock      a shared flock of every user; who can make it exclusive is the last, and stops the server
    start.lock      an exclusive flock around starting and stopping

A killed process loses its lock by itself, so nothing has to be counted and nothing can be counted wrongly.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Self

import platformdirs
import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from illumina.errors import EmbeddedServerError, InvalidInputError
from illumina.store._cluster import (
    INIT_TIMEOUT,
    PORT,
    ROOT_HOME,
    SUPERUSER,
    TIMEOUT,
    Cluster,
    server_parameters,
    server_user,
    throwaway_base,
)

if TYPE_CHECKING:
    import pwd
    from collections.abc import Iterator

__all__ = ["HOME_VARIABLE", "SUPERUSER", "EmbeddedServer", "default_directory", "server_parameters"]

HOME_VARIABLE = "ILLUMINA_HOME"

_THROWAWAY_PREFIX = "illumina-throwaway-"
_MAKING_PREFIX = "illumina-making-"


def default_directory() -> Path:
    """Where the server lives unless told otherwise: ``ILLUMINA_HOME``, or the user's data directory."""
    if home := os.environ.get(HOME_VARIABLE):
        return Path(home).expanduser().absolute()
    return ROOT_HOME if os.geteuid() == 0 else platformdirs.user_data_path("illumina")


class EmbeddedServer:
    """One user's hold on the server of a directory; the server stops when the last hold is let go."""

    def __init__(self, cluster: Cluster, lock: int) -> None:
        """Take over a held lock; callers use :meth:`start`."""
        self._cluster = cluster
        self._lock = lock
        self._finalizer = weakref.finalize(self, _leave, cluster, lock)
        _holds.add(self)

    @classmethod
    def start(cls, directory: Path | None = None, *, throwaway: bool = False) -> Self:
        """Start the server of a directory, or join the one that runs there already.

        Args:
            directory: Where the data lives; made on first use. :func:`default_directory` when left out.
            throwaway: For tests: a new directory of its own, unsafe and fast, deleted by :meth:`close`.

        Raises:
            EmbeddedServerError: The server cannot be started; the message names the mend.
        """
        if throwaway and directory is not None:
            raise InvalidInputError("a throwaway server chooses its own directory: leave the directory out")
        user = server_user()
        try:
            if throwaway:
                cluster, lock = _make_throwaway(user)
            else:
                home = (directory or default_directory()).expanduser().resolve()
                cluster = Cluster(home, throwaway=False, user=user)
                cluster.prepare()
                lock = None
            with _mutex(cluster.directory):
                # Sharing never waits here: the lock is held exclusively only under the mutex.
                lock = _open_users_lock(cluster.directory) if lock is None else lock
                try:
                    cluster.ensure_running()
                except BaseException:
                    _let_go(cluster, lock)
                    raise
        except OSError as error:
            raise EmbeddedServerError(f"the embedded PostgreSQL server cannot be started: {error}") from error
        return cls(cluster, lock)

    @property
    def directory(self) -> Path:
        """The directory that holds the data, the socket and the log."""
        return self._cluster.directory

    @property
    def pid(self) -> int | None:
        """The server's process, or None when it does not run."""
        return self._cluster.postmaster()

    def dsn(self, database: str = "illumina") -> str:
        """The connection string of a database of this server, whether or not it exists."""
        host = str(self._cluster.socket_directory)
        return make_conninfo(host=host, port=PORT, user=SUPERUSER, dbname=database)

    def create_database(self, name: str, template: str | None = None) -> None:
        """Make a database, empty or as a copy of another one that nobody is connected to."""
        # Copying files takes checkpoints: slower than logging the pages with fsync, twice as fast without.
        strategy = "file_copy" if self._cluster.throwaway else "wal_log"
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY {}").format(
            sql.Identifier(name), sql.Identifier(template or "template0"), sql.Identifier(strategy)
        )
        self._administer(statement, f"the database {name!r} could not be made")

    def ensure_database(self, name: str, template: str | None = None) -> bool:
        """Make a database unless it exists, and say whether it was made; safe beside other processes."""
        if self.database_exists(name):
            return False
        try:
            self.create_database(name, template)
        except EmbeddedServerError as error:
            if isinstance(error.__cause__, psycopg.errors.DuplicateDatabase | psycopg.errors.UniqueViolation):
                return False
            raise
        return True

    def drop_database(self, name: str) -> None:
        """Drop a database if it exists, and disconnect whoever uses it."""
        statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        self._administer(statement, f"the database {name!r} could not be dropped")

    def database_exists(self, name: str) -> bool:
        """Whether the server has a database of this name."""
        statement = sql.SQL("SELECT FROM pg_database WHERE datname = {}").format(sql.Literal(name))
        return self._administer(statement, "the databases could not be listed") > 0

    def close(self) -> None:
        """Let go of the server; the last to do so stops it. A second call does nothing."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def forget(self) -> None:
        """Give up the hold in a forked child, without a word to the server: it is the parent's."""
        if self._finalizer.detach():
            os.close(self._lock)

    def _administer(self, statement: sql.Composed, failure: str) -> int:
        dsn = make_conninfo(self.dsn(SUPERUSER), connect_timeout=int(TIMEOUT))
        try:
            with psycopg.connect(dsn, autocommit=True) as connection:
                return connection.execute(statement).rowcount
        except psycopg.Error as error:
            raise EmbeddedServerError(f"{failure}: {error}") from error


_holds: weakref.WeakSet[EmbeddedServer] = weakref.WeakSet()


def _forget_holds() -> None:
    for hold in list(_holds):
        hold.forget()


# A forked child shares its parent's locks: it could make one exclusive and stop the server under its parent.
os.register_at_fork(after_in_child=_forget_holds)


def _leave(cluster: Cluster, lock: int) -> None:
    try:
        with _mutex(cluster.directory):
            _let_go(cluster, lock)
    except FileNotFoundError:  # somebody deleted the directory, which makes PostgreSQL stop by itself
        os.close(lock)


def _let_go(cluster: Cluster, lock: int) -> None:
    """Stop the server if nobody else holds it; the caller holds the mutex."""
    try:
        if _try_lock(lock):
            cluster.stop()
    finally:
        os.close(lock)


def _open_users_lock(directory: Path) -> int:
    lock = os.open(directory / "users.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_SH)
    return lock


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def _mutex(directory: Path) -> Iterator[None]:
    path = directory / "start.lock"
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + INIT_TIMEOUT + 2 * TIMEOUT
        while not _try_lock(lock):
            if time.monotonic() > deadline:
                raise EmbeddedServerError(f"another process has held {path} for minutes: end it and try again")
            time.sleep(0.01)
        yield
    finally:
        os.close(lock)


def _make_throwaway(user: pwd.struct_passwd | None) -> tuple[Cluster, int]:
    """Make a throwaway's directory; it gets the name that a sweep looks for only once its lock is held."""
    base = throwaway_base(user)
    _sweep(base, user)
    making = Path(tempfile.mkdtemp(prefix=_MAKING_PREFIX, dir=base))
    Cluster(making, throwaway=True, user=user).prepare()
    lock = _open_users_lock(making)
    directory = making.rename(base / making.name.replace(_MAKING_PREFIX, _THROWAWAY_PREFIX))
    return Cluster(directory, throwaway=True, user=user), lock


def _sweep(base: Path, user: pwd.struct_passwd | None) -> None:
    """Stop and delete the throwaway servers whose users were killed."""
    for path in base.glob(_THROWAWAY_PREFIX + "*"):
        try:
            if path.is_symlink() or path.stat().st_uid != os.geteuid():
                continue
            lock = os.open(path / "users.lock", os.O_RDWR | os.O_CLOEXEC)
        except OSError:  # deleted meanwhile by its user or by another sweep
            continue
        with contextlib.suppress(EmbeddedServerError):  # an orphan that will not stop is no reason not to start
            _let_go(Cluster(path, throwaway=True, user=user), lock)
