from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import psutil
import pytest

from evals import identity as identities
from evals.identity import environment, identity
from evals.journal import JOURNAL, Interrupted, open_journal
from evals.recorded import open_embedder
from evals.replay import replay
from evals.rundir import RunDirectoryError, read_run
from evals.runner import run
from evals.suite import load_corpus, load_suite
from evals.types import FUSION, Corpus, Ranking, Timing
from illumina import Memory
from tests.conftest import SERVERS
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evals.journal import Journal
    from evals.postgres import PostgresProvider
    from illumina import Answer
    from illumina.store.embedded import EmbeddedServer

IDENTITY = {"suite": {"depth": 50}, "engine": {"code": "1"}}
ENVIRONMENT = {"python": "3.11", "packages": {"numpy": "2"}}
SYSTEMS = ["fusion", "lexical"]


def answer(number: int) -> tuple[Ranking, list[Timing]]:
    query = f"q{number}"
    ranking = Ranking(query, FUSION, ("a#1", "ü#2"), (1 / 3, 0.1 + 0.2 - number), f"{number:064}")
    return ranking, [Timing(query, FUSION, "embed", 0.1 * number), Timing(query, FUSION, "postgres", 1e-7)]


def filled(out: Path, answers: int = 3) -> Path:
    """The file of an interrupted run's journal."""
    with open_journal(out, "toy", IDENTITY, ENVIRONMENT) as journal:
        assert not journal.taken
        for number in range(answers):
            journal.keep(*answer(number))
        journal.sync()
    (path,) = out.glob(f".partial-toy-*/{JOURNAL}")
    return path


def taken(out: Path, named: Any = None, where: Any = None) -> dict[Any, Any]:
    with open_journal(out, "toy", named or IDENTITY, where or ENVIRONMENT) as journal:
        return dict(journal.taken)


def test_what_was_kept_is_taken_up_exactly(tmp_path: Path) -> None:
    filled(tmp_path)
    assert taken(tmp_path) == {(FUSION, f"q{number}"): answer(number) for number in range(3)}
    with open_journal(tmp_path, "toy", IDENTITY, ENVIRONMENT) as journal:
        journal.keep(*answer(3))
    assert list(taken(tmp_path)) == [(FUSION, f"q{number}") for number in range(4)]
    with open_journal(tmp_path, "toy", IDENTITY, ENVIRONMENT) as journal:
        journal.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_torn_end_is_dropped_wherever_it_was_torn(tmp_path: Path) -> None:
    path = filled(tmp_path)
    whole = path.read_bytes()
    ends = [end + 1 for end, byte in enumerate(whole) if byte == ord("\n")]
    for length in range(len(whole) - 1, -1, -7):
        path.write_bytes(whole[:length])
        good = max([end for end in ends if end <= length], default=0)
        expected = max(ends.index(good), 0) if good else 0
        assert len(taken(tmp_path)) == expected
        assert path.read_bytes() == (whole[:good] or whole[: ends[0]])


@pytest.mark.parametrize("damage", [b"\0" * 20, b"{}", b"[]", b"7", b'{"system": "fusion"', b"\xff"])
def test_what_stands_behind_a_damaged_line_is_dropped_too(damage: bytes, tmp_path: Path) -> None:
    path = filled(tmp_path)
    head, first, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(head + first + damage + b"\n" + second + third)
    assert list(taken(tmp_path)) == [(FUSION, "q0")]
    assert path.read_bytes() == head + first


def leaves(value: Any, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The path to each value that is no mapping."""
    for key, inner in value.items():
        if isinstance(inner, dict) and inner:
            yield from leaves(inner, (*prefix, key))
        else:
            yield (*prefix, key)


def changed(value: Any, path: tuple[str, ...]) -> Any:
    copy = deepcopy(value)
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = "something else"
    return copy


def test_each_input_of_a_run_in_turn_makes_another_journal(tmp_path: Path, provider: PostgresProvider) -> None:
    suite = load_suite("core")
    corpus = load_corpus(suite, data=None)
    with provider.fresh_database() as dsn, Memory.open(dsn, embedder=open_embedder(suite), extractor="verbatim") as memory:
        named, where = identity(suite, corpus, memory), environment(provider.describe())
    with open_journal(tmp_path, "toy", named, where) as journal:
        journal.keep(*answer(0))
    (path,) = tmp_path.glob(f".partial-toy-*/{JOURNAL}")
    content = path.read_bytes()
    inputs = [("identity", leaf) for leaf in leaves(named)] + [("environment", leaf) for leaf in leaves(where)]
    assert {leaf[:2] for side, leaf in inputs if side == "identity"} >= {
        *(("suite", name) for name in ("depth", "systems", "seed")),
        *(("engine", name) for name in ("code", "ranking", "analyser", "migrations", "embedder")),
        *(("corpus", "digest"), ("replay",), ("measure_version",)),
    }
    assert ("engine", "embedder", "recorded") in {leaf for _, leaf in inputs}
    for side, leaf in inputs:
        other = (changed(named, leaf), where) if side == "identity" else (named, changed(where, leaf))
        assert taken(tmp_path, *other) == {}, leaf
        if side == "identity":
            # Even where the digests began alike, or somebody renamed the directory.
            with open_journal(tmp_path, "toy", other[0], where):
                (own,) = {entry.parent for entry in tmp_path.glob(f".partial-toy-*/{JOURNAL}")} - {path.parent}
            (own / JOURNAL).write_bytes(content)
            assert taken(tmp_path, *other) == {}, leaf
            shutil.rmtree(own)
        else:
            path.write_bytes(content)  # one identity has one journal, and the other environment has begun it anew
    assert list(taken(tmp_path, named, where)) == [(FUSION, "q0")]


def test_two_processes_do_not_share_one(tmp_path: Path) -> None:
    filled(tmp_path)
    with (
        open_journal(tmp_path, "toy", IDENTITY, ENVIRONMENT),
        pytest.raises(RunDirectoryError, match="Another process runs 'toy'"),
        open_journal(tmp_path, "toy", IDENTITY, ENVIRONMENT),
    ):
        pass
    assert len(taken(tmp_path)) == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_for_a_pause_and_a_second_one_does_not(number: signal.Signals, tmp_path: Path) -> None:
    before = signal.getsignal(number)
    reached: list[str] = []

    def run(*steps: str) -> None:
        with open_journal(tmp_path, "toy", IDENTITY, ENVIRONMENT) as journal, journal.guard():
            for step in steps:
                if step == "signal":
                    signal.raise_signal(number)
                else:
                    journal.keep(*answer(0))
                reached.append(step)

    with pytest.raises(Interrupted, match=r"1 answers are kept in .*: the same command resumes"):
        run("signal", "keep", "keep")
    assert reached == ["signal"]
    assert signal.getsignal(number) is before
    with pytest.raises(Interrupted):
        run("keep", "signal")  # no pause after it but the end
    assert reached == ["signal", "keep", "signal"]
    with pytest.raises(Interrupted):
        run("signal", "signal", "keep")
    assert reached == ["signal", "keep", "signal", "signal"]
    assert len(taken(tmp_path)) == 1


def test_a_run_in_another_thread_can_be_kept_too(tmp_path: Path) -> None:
    thread = threading.Thread(target=filled, args=(tmp_path,))
    thread.start()
    thread.join()
    assert len(taken(tmp_path)) == 3

    def guarded() -> None:
        with open_journal(tmp_path, "toy", IDENTITY, ENVIRONMENT) as journal, journal.guard():
            journal.keep(*answer(3))

    thread = threading.Thread(target=guarded)
    thread.start()
    thread.join()
    assert len(taken(tmp_path)) == 4


class Counting(Memory):
    """Counts what it is asked and gives up at the answer with a number."""

    asked = 0
    last = 10**9
    retained: list[str]

    def retain_many(self, documents: Any, **options: Any) -> Any:
        Counting.retained.append(options["namespace"])
        return super().retain_many(documents, **options)

    def recall(self, query: str, **options: Any) -> Answer:
        if Counting.asked == Counting.last:
            raise KeyboardInterrupt
        Counting.asked += 1
        return super().recall(query, **options)


@pytest.fixture
def spread(mini: Corpus) -> Corpus:
    """Two namespaces, the first of them with documents that are hidden from one question."""
    first, second, third = mini.queries
    queries = (replace(first, hidden=frozenset({"lunch"})), second, replace(third, namespace="other"))
    return replace(mini, documents={**mini.documents, "other": mini.documents["mini"][:2]}, queries=queries)


def replayed(spread: Corpus, provider: PostgresProvider, journal: Journal | None, last: int = 10**9) -> Any:
    Counting.asked, Counting.last, Counting.retained = 0, last, []
    with provider.fresh_database() as dsn, Counting.open(dsn, embedder=HashingEmbedder()) as memory:
        return replay(memory, spread, SYSTEMS, 10, journal=journal, responses=True)


def test_an_interruption_at_any_answer_changes_nothing(spread: Corpus, provider: PostgresProvider, tmp_path: Path) -> None:
    whole, _ = replayed(spread, provider, None)
    assert Counting.asked == 6
    for last in (0, 3, 4, 5):
        out = tmp_path / str(last)
        with pytest.raises(Interrupted), open_journal(out, "toy", IDENTITY, ENVIRONMENT) as journal:
            replayed(spread, provider, journal, last)
        with open_journal(out, "toy", IDENTITY, ENVIRONMENT) as journal:
            assert len(journal.taken) == last
            rankings, timings = replayed(spread, provider, journal)
        assert rankings == whole
        assert all(len(ranking.response) == (64 if ranking.system == FUSION else 0) for ranking in rankings)
        assert Counting.asked == 6 - last
        assert Counting.retained == (["mini", "mini", "other"] if last < 4 else ["other"])
        assert [(timing.query_id, timing.system) for timing in timings[::3]] == [
            (query.id, system) for system in SYSTEMS for query in spread.queries
        ]


class Process:
    """`illumina-eval run skerrow` in a process of its own, with temporary files in a directory of its own."""

    def __init__(self, out: Path, temporary: Path) -> None:
        self.out = out
        command = [sys.executable, "-m", "evals.cli", "run", "skerrow", "--out", str(out), "--no-track"]
        self.process = subprocess.Popen(
            [*command, "--postgres", "embedded"],
            env={**os.environ, "TMPDIR": str(temporary)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def answers(self) -> int:
        """How many are kept."""
        found = list(self.out.glob(f".partial-skerrow-*/{JOURNAL}"))
        return max(found[0].read_bytes().count(b"\n") - 1, 0) if found else 0

    def end(self, number: signal.Signals, answers: int) -> str:
        """Send a signal once so many answers are kept, and return what the process said."""
        while self.answers() < answers:
            assert self.process.poll() is None, self.process.communicate()[1]
            time.sleep(0.01)  # it is busy on what may be the machine's last core
        if number == signal.SIGINT:
            os.killpg(self.process.pid, number)  # as a terminal does: all that the command started is told
        else:
            self.process.send_signal(number)
        return self.process.communicate(timeout=60)[1]


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A directory that a server may live in, and the name of none else's."""
    path = SERVERS / f"illumina-test-{os.getpid()}-{random.getrandbits(32):x}"
    path.mkdir(mode=0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def servers(temporary: Path) -> list[int]:
    """Processes that work below a directory."""
    return [
        process.pid
        for process in psutil.process_iter(["name", "cwd"])
        if process.info["name"] == "postgres" and (process.info["cwd"] or "").startswith(str(temporary))
    ]


def test_a_run_that_was_stopped_and_killed_ends_as_one_that_was_not(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: EmbeddedServer
) -> None:
    seed = random.SystemRandom().randrange(10**6)
    draw = random.Random(seed)
    print(f"seed {seed}")  # shown where it fails
    out = tmp_path / "runs"
    kept = 0
    for number in (signal.SIGINT, signal.SIGKILL):
        process = Process(out, temporary)
        answers = process.answers() + draw.randint(1, 60)
        said = process.end(number, answers)
        if kept:
            assert f"{kept} answers are taken up from an interrupted run." in said
        assert "Traceback" not in said
        assert process.answers() >= answers
        if number == signal.SIGKILL:
            assert process.process.returncode == -signal.SIGKILL
            assert servers(temporary), "the kill was meant to leave a server behind"
        else:
            assert process.process.returncode == 130
            kept = process.answers()
            last = said.strip().splitlines()[-1]
            assert last.endswith(f"{kept} answers are kept in {next(out.iterdir())}: the same command resumes from there.")
            assert servers(temporary) == []
    (partial,) = out.glob(f".partial-skerrow-*/{JOURNAL}")
    kept = len([line for line in partial.read_bytes().splitlines(keepends=True)[1:] if line.endswith(b"\n")])

    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    suite = load_suite("skerrow")
    resumed = read_run(run(suite, data=None, out=out, postgres="embedded"))
    assert resumed.environment["taken_up"] == kept
    assert servers(temporary) == []
    assert list(temporary.glob("illumina-throwaway-*")) == []
    assert list(out.iterdir()) == [resumed.path]
    whole = read_run(run(suite, data=None, out=tmp_path / "whole", postgres=server.dsn("postgres")))
    assert "taken_up" not in whole.environment
    assert (resumed.digest, resumed.result_digest) == (whole.digest, whole.result_digest)
    for name in ("run.tsv", "run-semantic.tsv", "run-lexical.tsv", "responses.tsv", "summary.json"):
        assert (resumed.path / name).read_bytes() == (whole.path / name).read_bytes()
    assert resumed.timing.height == whole.timing.height


def test_a_changed_engine_does_not_take_up_what_another_one_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: EmbeddedServer
) -> None:
    suite = replace(load_suite("skerrow"), systems=("lexical",), floors={})
    real = cast("Any", Memory.recall)
    count = 0

    def counting(self: Memory, query: str, **options: Any) -> Answer:
        nonlocal count
        count += 1
        if count == 5:
            raise KeyboardInterrupt
        return cast("Answer", real(self, query, **options))

    monkeypatch.setattr(Memory, "recall", counting)
    with pytest.raises(Interrupted, match=r"4 answers are kept"):
        run(suite, data=None, out=tmp_path, postgres=server.dsn("postgres"))
    monkeypatch.setattr(identities, "code_fingerprint", lambda: "0" * 64)
    finished = read_run(run(suite, data=None, out=tmp_path, postgres=server.dsn("postgres")))
    assert "taken_up" not in finished.environment
    assert count == 5 + len(finished.queries)
