"""Each thing that can break, broken at the worst moment: afterwards the account is complete and nothing is doubled.

What is left is compared, row by row, with the database of a run in which nothing broke.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
import pytest

from illumina import Memory
from illumina.errors import IlluminaError, ModelError, ModelUnavailableError, StoreUnavailableError
from illumina.ids import DOCUMENT_PREFIX, public_id
from illumina.models.llm.perseverance import Patience
from illumina.retain.prepare import prepare
from illumina.types import Document
from illumina.work import LEASE, Tally
from tests.clock import ManualClock
from tests.conftest import throwaway_server
from tests.illumina.faults.scene import DOCUMENTS, MOMENTS, SPACE, accounted, interrupt, recover
from tests.illumina.models.llm.clients import PROVIDERS, client
from tests.illumina.models.llm.server import Call, Prose, Reset, Slow, Status
from tests.illumina.retain.llm.answers import answer, causes, entity, fact
from tests.support import HashingEmbedder, check_blocks, dump, rows, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from illumina.models.base import IntegerVectors
    from illumina.store.embedded import EmbeddedServer
    from tests.illumina.models.llm.server import Behaviour, ModelServer
    from tests.support import Dump

ROOT = Path(__file__).parents[3]
NAMES = [public_id(DOCUMENT_PREFIX, prepare(given, SPACE).id) for given in DOCUMENTS]


@pytest.fixture(scope="module")
def expected(server: EmbeddedServer, template: str) -> Dump:
    """The database after a run in which nothing breaks."""
    name = f"{template}_expected"
    server.create_database(name, template=template)
    with Memory.open(server.dsn(name), embedder=HashingEmbedder(), clock=ManualClock()) as memory:
        memory.retain_many(DOCUMENTS, namespace=SPACE)
        recover(memory, ManualClock())
        found = dump(server.dsn(name))
    server.drop_database(name)
    assert len(found["facts"]) >= 8
    return found


@pytest.fixture
def reading(dsn: str, embedder: HashingEmbedder, clock: ManualClock) -> Iterator[Memory]:
    """A memory that reads by rule."""
    with Memory.open(dsn, embedder=embedder, clock=clock) as opened:
        yield opened


@pytest.fixture(scope="module")
def fragile() -> Iterator[EmbeddedServer]:
    """A server of these tests' own."""
    with throwaway_server() as started:
        started.create_database("migrated")
        # What is committed is not lost with the server's processes, as it would be with what makes tests fast.
        run(started.dsn("migrated"), "alter system set synchronous_commit = on")
        run(started.dsn("migrated"), "select pg_reload_conf()")
        Memory.open(started.dsn("migrated"), embedder=HashingEmbedder()).close()
        yield started


class TestServerRestarts:
    """The server is killed with all its sessions, and comes back."""

    @staticmethod
    def restart(server: EmbeddedServer) -> None:
        assert server.pid is not None
        os.kill(server.pid, signal.SIGQUIT)
        deadline = time.monotonic() + 20
        while server.pid is not None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        server._cluster.ensure_running()

    @pytest.mark.parametrize("moment", [moment for moment in MOMENTS if "forgetting" not in moment])
    def test_while_retaining(self, fragile: EmbeddedServer, expected: Dump, clock: ManualClock, moment: str) -> None:
        name = f"retain_{list(MOMENTS).index(moment)}"
        fragile.create_database(name, template="migrated")
        with Memory.open(fragile.dsn(name), embedder=HashingEmbedder(), clock=clock) as memory:
            with interrupt(moment, lambda: self.restart(fragile)):
                try:
                    memory.retain_many(DOCUMENTS, namespace=SPACE)
                except StoreUnavailableError as error:
                    assert "Check that the server runs, then try again." in str(error)  # noqa: PT017
            recover(memory, clock)
            assert dump(fragile.dsn(name)) == expected

    @pytest.mark.parametrize("moment", ["before forgetting", "before forgetting commits"])
    def test_while_forgetting(self, fragile: EmbeddedServer, expected: Dump, clock: ManualClock, moment: str) -> None:
        name = f"forget_{list(MOMENTS).index(moment)}"
        fragile.create_database(name, template="migrated")
        with Memory.open(fragile.dsn(name), embedder=HashingEmbedder(), clock=clock) as memory:
            memory.retain_many(DOCUMENTS, namespace=SPACE)
            gone = memory.retain("Sarah Chen leads Search, because Bo left.", namespace=SPACE, source="gone").document_id
            before = dump(fragile.dsn(name))
            with (
                interrupt(moment, lambda: self.restart(fragile)),
                pytest.raises(StoreUnavailableError, match="Check that the server runs, then try again"),
            ):
                memory.forget(document=gone, namespace=SPACE)
            assert dump(fragile.dsn(name)) == before, "not half forgotten"
            memory.forget(document=gone, namespace=SPACE)
            assert dump(fragile.dsn(name)) == expected


def killed(dsn: str, verb: str, moment: str) -> None:
    """Kill a process at a moment of its work."""
    command = [sys.executable, "-m", "tests.illumina.faults.child", dsn, verb, moment]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        process.kill()
        assert process.wait() == -signal.SIGKILL


def quiet(dsn: str) -> None:
    """Wait until the server has noticed that a client is gone."""
    deadline = time.monotonic() + 20
    while rows(
        dsn, "select 1 from pg_stat_activity where datname = current_database() and xact_start is not null "
        "and pid <> pg_backend_pid()"
    ):  # fmt: skip
        assert time.monotonic() < deadline
        time.sleep(0.02)


class TestProcessKilled:
    """The process ends without a word (kill -9)."""

    @pytest.mark.parametrize(
        "moment", ["before acceptance commits", "while it is read", "before its facts commit", "before settling commits"]
    )
    def test_that_retains(self, dsn: str, reading: Memory, clock: ManualClock, expected: Dump, moment: str) -> None:
        killed(dsn, "retain", moment)
        quiet(dsn)
        accepted = rows(dsn, "select count(*) from illumina.documents")[0][0]
        assert accepted == (0 if moment == "before acceptance commits" else len(DOCUMENTS)), "all or nothing"
        recover(reading, clock)
        assert dump(dsn) == expected

    @pytest.mark.parametrize("moment", ["while it is read", "before its facts commit", "before settling commits"])
    def test_that_works(self, dsn: str, reading: Memory, clock: ManualClock, expected: Dump, moment: str) -> None:
        reading.retain_many(DOCUMENTS, namespace=SPACE, later=True)
        killed(dsn, "work", moment)
        quiet(dsn)
        assert [job.state for job in reading.jobs(namespace=SPACE)].count("leased") == 1
        reading.work()
        assert [job.state for job in reading.jobs(namespace=SPACE)].count("leased") == 1, "its lease is respected"
        clock.advance(LEASE + 1)
        recover(reading, clock)
        assert dump(dsn) == expected


class TestStore:
    """The database refuses, or another client is in the way."""

    @pytest.mark.parametrize("moment", ["before acceptance commits", "before its facts commit", "before settling commits"])
    def test_a_connection_is_terminated(
        self, dsn: str, reading: Memory, clock: ManualClock, expected: Dump, moment: str
    ) -> None:
        def terminate() -> None:
            rows(
                dsn, "select pg_terminate_backend(pid) from pg_stat_activity "
                "where datname = current_database() and pid <> pg_backend_pid()"
            )  # fmt: skip

        with interrupt(moment, terminate), pytest.raises(StoreUnavailableError, match="then try again"):
            reading.retain_many(DOCUMENTS, namespace=SPACE)
        recover(reading, clock)
        assert dump(dsn) == expected

    def test_a_lock_is_not_had_in_time(self, dsn: str, embedder: HashingEmbedder, clock: ManualClock, expected: Dump) -> None:
        hurried = f"{dsn} options='-c lock_timeout=50ms'"
        with (
            Memory.open(hurried, embedder=embedder, clock=clock) as memory,
            psycopg.connect(dsn) as other,
        ):
            memory.retain_many(DOCUMENTS[:2], namespace=SPACE)
            other.execute("lock table illumina.facts in exclusive mode")
            with pytest.raises(StoreUnavailableError, match=r"lock timeout.*try again"):
                memory.retain_many(DOCUMENTS, namespace=SPACE)
            other.rollback()
            recover(memory, clock)
            assert dump(dsn) == expected

    def test_a_deadlock_with_another_client(self, dsn: str, reading: Memory, clock: ManualClock, expected: Dump) -> None:
        reading.retain_many(DOCUMENTS[:1], namespace=SPACE)
        with psycopg.connect(dsn) as other, ThreadPoolExecutor(1) as pool:
            other.execute("set deadlock_timeout = '30s'")
            other.execute("lock table illumina.chunks in exclusive mode")
            retaining = pool.submit(reading.retain_many, DOCUMENTS, namespace=SPACE)
            time.sleep(0.3)
            other.execute("select from illumina.namespaces for update")
            with pytest.raises(StoreUnavailableError, match=r"deadlock detected.*try again"):
                retaining.result()
            other.rollback()
        recover(reading, clock)
        assert dump(dsn) == expected

    def test_the_disk_is_full(self, server: EmbeddedServer, template: str, clock: ManualClock, expected: Dump) -> None:
        with small_disk(server) as (disk, space):
            server._administer(
                psycopg.sql.SQL("create database small template {} tablespace {} strategy file_copy").format(
                    psycopg.sql.Identifier(template), psycopg.sql.Identifier(space)
                ),
                "no small database",
            )
            try:
                dsn = server.dsn("small")
                with Memory.open(dsn, embedder=HashingEmbedder(), clock=clock) as memory:
                    filler = disk / "filler"
                    with filler.open("wb", buffering=0) as file, suppress(OSError):
                        while file.write(b"x" * 4096):
                            pass
                    with pytest.raises(StoreUnavailableError, match="No space left on device"):  # noqa: PT012 - whichever write it is
                        for _ in range(50):
                            memory.retain_many(DOCUMENTS, namespace=SPACE)
                            memory.forget(everything=True, namespace=SPACE)
                    filler.unlink()
                    recover(memory, clock)
                    assert dump(dsn) == expected
            finally:
                server.drop_database("small")


@contextmanager
def small_disk(server: EmbeddedServer) -> Iterator[tuple[Path, str]]:
    """A tablespace on a file system of 48 MB."""
    if os.geteuid() != 0:
        pytest.skip("mounting a file system of a certain size takes root")
    disk = Path(tempfile.mkdtemp(prefix="illumina-full-", dir="/tmp"))
    try:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", str(disk)], check=False)
        if mounted.returncode:
            pytest.skip("this machine lets nobody mount a file system")
        try:
            inside = disk / "space"
            inside.mkdir()
            disk.chmod(0o755)
            user = (server.directory / "data").stat()
            os.chown(inside, user.st_uid, user.st_gid)
            server._administer(psycopg.sql.SQL("create tablespace small location {}").format(str(inside)), "no tablespace")
            yield disk, "small"
            server._administer(psycopg.sql.SQL("drop tablespace small").format(), "the tablespace stays")
        finally:
            subprocess.run(["umount", str(disk)], check=True)
    finally:
        shutil.rmtree(disk, ignore_errors=True)


class Wrong(HashingEmbedder):
    """An embedder whose vectors cannot be used until it is mended."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how

    def embed_documents(self, texts: Sequence[str]) -> Any:
        right = super().embed_documents(texts)
        broken: dict[str, Callable[[], Any]] = {
            "mended": lambda: right,
            "too short": lambda: right[:, :-1],
            "one too few": lambda: right[:-1],
            "no number": lambda: np.full(right.shape, np.nan),
        }
        return broken[self.how]()


class TestEmbedder:
    def test_it_is_down(self, dsn: str, reading: Memory, embedder: HashingEmbedder, clock: ManualClock, expected: Dump) -> None:
        embedder.available = False
        with pytest.raises(ModelUnavailableError, match=r"the texts are stored. Call work\(\) once it is back"):
            reading.retain_many(DOCUMENTS, namespace=SPACE)
        embedder.available = True
        recover(reading, clock)
        assert dump(dsn) == expected

    @pytest.mark.parametrize("how", ["too short", "one too few", "no number"])
    def test_it_is_wrong(self, dsn: str, clock: ManualClock, expected: Dump, how: str) -> None:
        model = Wrong(how)
        with Memory.open(dsn, embedder=model, clock=clock) as memory:
            with pytest.raises(ModelError, match=r"vectors of shape.*Mend the model"):
                memory.retain_many(DOCUMENTS, namespace=SPACE)
            assert memory.work().failed == len(DOCUMENTS)
            assert all("Mend the model" in str(job.reason) for job in memory.jobs(namespace=SPACE))
            model.how = "mended"
            recover(memory, clock)
        assert dump(dsn) == expected

    def test_it_is_slower_than_the_lease(self, dsn: str, reading: Memory, clock: ManualClock, expected: Dump) -> None:
        """Its worker stands still, heartbeats and all, and another takes over."""
        reading.retain_many(DOCUMENTS, namespace=SPACE, later=True)

        class Stuck(HashingEmbedder):
            def embed_documents(self, texts: Any) -> IntegerVectors:
                if not self.embedded:
                    other_clock.advance(LEASE + 1)
                    reading_at_last.append(reading_later.work())
                return super().embed_documents(texts)

        other_clock = ManualClock(clock.now())
        reading_at_last: list[Tally] = []
        with (
            Memory.open(dsn, embedder=Stuck(), clock=clock) as slow,
            Memory.open(dsn, embedder=HashingEmbedder(), clock=other_clock) as reading_later,
        ):
            tally = slow.work()
        assert reading_at_last[0].done == len(DOCUMENTS) + 1
        assert tally == Tally(lost=1)
        recover(reading, clock)
        assert dump(dsn) == expected


class TestConcurrency:
    def test_a_clock_jumps_back_and_forth(self, dsn: str, reading: Memory, clock: ManualClock, expected: Dump) -> None:
        reading.retain_many(DOCUMENTS, namespace=SPACE, later=True)
        clock.advance(-7 * 86_400)
        assert reading.work() == Tally(), "nothing is due before it was asked for"
        clock.advance(8 * 86_400)
        with interrupt("while it is read", lambda: clock.advance(-86_400)):
            reading.work()
        clock.advance(86_400)
        recover(reading, clock)
        assert dump(dsn) == expected

    def test_two_workers_have_one_job(self, dsn: str, reading: Memory, clock: ManualClock, expected: Dump) -> None:
        reading.retain_many(DOCUMENTS, namespace=SPACE, later=True)
        other: list[Tally] = []
        with (
            Memory.open(dsn, embedder=HashingEmbedder(), clock=ManualClock(clock.now() + timedelta(hours=1))) as ahead,
            interrupt("while it is read", lambda: other.append(ahead.work())),
        ):
            tally = reading.work()
        assert tally.lost == 1
        assert other[0].done == len(DOCUMENTS) + 1
        recover(reading, clock)
        assert dump(dsn) == expected

    @pytest.mark.parametrize("verb", ["retain", "work"])
    def test_a_document_is_forgotten_while_it_is_read(
        self, dsn: str, reading: Memory, clock: ManualClock, expected: Dump, verb: str
    ) -> None:
        reading.retain_many(DOCUMENTS, namespace=SPACE)
        doomed = Document("Sarah Chen leads Search, because Bo left.", source="gone")
        name = public_id(DOCUMENT_PREFIX, prepare(doomed, SPACE).id)
        with interrupt("while it is read", lambda: reading.forget(document=name, namespace=SPACE)):
            if verb == "retain":
                assert reading.retain_many([doomed], namespace=SPACE)[0].facts == 0
            else:
                reading.retain_many([doomed], namespace=SPACE, later=True)
                assert reading.work().lost == 1
        recover(reading, clock)
        assert dump(dsn) == expected

    def test_everything_is_forgotten_while_it_is_read(self, dsn: str, reading: Memory) -> None:
        with interrupt("while it is read", lambda: reading.forget(everything=True, namespace=SPACE)):
            receipts = reading.retain_many(DOCUMENTS, namespace=SPACE)
        assert [receipt.facts for receipt in receipts] == [0] * len(DOCUMENTS)
        assert not any(dump(dsn).values())

    def test_a_fact_is_forgotten_while_a_version_that_repeats_it_is_read(
        self, dsn: str, reading: Memory, clock: ManualClock
    ) -> None:
        reading.retain("Zoe likes tea. Ana leads Search.", namespace=SPACE, key="k")
        ((fact,),) = rows(dsn, "select fact from illumina.facts where content like 'Zoe%%'")
        with interrupt("while it is read", lambda: reading.forget(fact=public_id("fct_", fact), namespace=SPACE)):
            reading.retain("Zoe likes tea. Ana leads Search. Deploys need two approvals.", namespace=SPACE, key="k")
        recover(reading, clock, again=True)
        assert rows(dsn, "select 1 from illumina.facts where content like 'Zoe%%'") == []
        assert rows(dsn, "select 1 from illumina.documents where body like '%%likes tea. Ana%%'") == []

    def test_a_new_version_comes_while_the_old_one_is_read(
        self, dsn: str, other_dsn: str, reading: Memory, embedder: HashingEmbedder, clock: ManualClock
    ) -> None:
        old, new = Document("Sarah Chen likes tea. Bo left.", key="k"), Document("Bo left. Sarah Chen likes coffee.", key="k")
        with interrupt("while it is read", lambda: reading.retain_many([new], namespace=SPACE)):
            receipts = reading.retain_many([old], namespace=SPACE)
        assert [(receipt.version, receipt.facts) for receipt in receipts] == [(1, 0)], "it never held"
        recover(reading, clock)
        with Memory.open(other_dsn, embedder=embedder, clock=clock) as calm:
            calm.retain_many([old], namespace=SPACE, later=True)
            calm.retain_many([new, *DOCUMENTS], namespace=SPACE)
            recover(calm, clock)
        assert dump(dsn) == dump(other_dsn)
        check_blocks(dsn)


BODY = "Search moved to its own cluster, because backfills starved it.\n\nAna knows Bo."
GOOD = Call(
    answer(
        fact("Search moved to its own cluster", entities=[entity("Search", "service")]),
        fact("backfills starved it", "Backfills starved search.", category="issue"),
        fact("Ana knows Bo.", category="personal", entities=[entity("Ana", "person"), entity("Bo", "person")]),
        causal=[causes(1, 0, "because")],
    )
)
INVENTED = Call(answer(fact("Nobody ever wrote this sentence.")))


class TestLanguageModel:
    """Its server fails in every way that it can; then it is mended, and what is left is what a good day would have left."""

    @pytest.fixture
    def calm(self, other_dsn: str, model_server: ModelServer, embedder: HashingEmbedder, clock: ManualClock) -> Dump:
        model_server.script = [GOOD]
        with Memory.open(other_dsn, embedder=embedder, llm=client("anthropic", model_server), clock=clock) as memory:
            memory.retain(BODY, namespace=SPACE)
        model_server.clear()
        return without_cost(dump(other_dsn))

    @pytest.mark.parametrize("provider", PROVIDERS)
    @pytest.mark.parametrize(
        ("failure", "mend"),
        [
            (Status(429, "rate_limit_error", "Slow down"), r"Call work\(\) once it is back"),
            (Status(529, "overloaded_error", "Overloaded"), r"Call work\(\) once it is back"),
            (Status(500), r"Call work\(\) once it is back"),
            (Reset(), r"Call work\(\) once it is back"),
            (Slow(3, GOOD), r"no answer within .* Call work\(\) once it is back"),
            (Status(401, "authentication_error", "invalid x-api-key"), "Check the API key"),
            (Prose(), "tool|call"),
            (Call(raw='{"facts": [{"statement": "Sea', cut=True), "cut off|limit|tokens"),
            (INVENTED, "does not occur"),
        ],
        ids=["429 storm", "529 storm", "500", "reset", "too slow", "refused key", "prose", "truncated", "invented quote"],
    )
    def test_it_fails(
        self, dsn: str, calm: Dump, model_server: ModelServer, embedder: HashingEmbedder, clock: ManualClock,
        provider: str, failure: Behaviour, mend: str,
    ) -> None:  # fmt: skip
        model_server.script = [failure]
        hurried = Patience(attempts=3, deadline=1.5, timeout=0.4, wait_initial=0.01, wait_max=0.02, wait_jitter=0.01)
        model = client(provider, model_server, patience=hurried)
        with Memory.open(dsn, embedder=embedder, llm=model, clock=clock) as memory:
            name = public_id(DOCUMENT_PREFIX, prepare(Document(BODY), SPACE).id)
            said = ""
            try:
                memory.retain(BODY, namespace=SPACE)
            except ModelError as error:
                said = str(error)
            spans = memory.account(name, namespace=SPACE)
            assert {span.outcome for span in spans} <= {"failed", "pending"}
            assert spans[-1].end == len(BODY)
            assert re.search(mend, said + " ".join(span.reason for span in spans)), (said, spans)
            assert memory.count(namespace=SPACE) == 0
            model_server.script = [GOOD]
            recover(memory, clock, again=False)
            accounted(memory, name)
            assert without_cost(dump(dsn), provider) == without_cost(calm, provider)

    def test_a_cap_is_reached_in_the_middle(
        self, dsn: str, model_server: ModelServer, embedder: HashingEmbedder, clock: ManualClock
    ) -> None:
        model_server.script = [GOOD]
        with Memory.open(dsn, embedder=embedder, llm=client("anthropic", model_server), clock=clock) as memory:
            memory.calls(namespace=SPACE).set_cap(100)
            documents = [Document(BODY, key=str(number)) for number in range(3)]
            with pytest.raises(IlluminaError, match="may spend 100"):
                memory.retain_many(documents, namespace=SPACE)
            assert len(model_server.requests) == 1
            assert memory.work().deferred == 2
            memory.calls(namespace=SPACE).set_cap(None)
            recover(memory, clock, again=False)
            assert len(model_server.requests) <= 3
            for document in documents:
                accounted(memory, public_id(DOCUMENT_PREFIX, prepare(document, SPACE).id))
            assert rows(dsn, "select count(*) from illumina.facts") == [(9,)]


def without_cost(found: Dump, provider: str = "anthropic") -> Dump:
    """Without what calls cost, and of another provider without whose calls they were."""
    left_out = {"spending", "calls", "call_uses"} | ({"documents"} if provider != "anthropic" else set())
    return {table: rows for table, rows in found.items() if table not in left_out}
