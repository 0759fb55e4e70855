"""Retaining: idempotent, versioned, never half done, and the same whatever the order, the batches or the writers."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from illumina import Memory
from illumina.errors import InvalidInputError, ModelUnavailableError, StoreError
from illumina.ids import DOCUMENT_PREFIX, FACT_PREFIX, public_id
from illumina.retain import pipeline
from illumina.retain.extract import facts_of
from illumina.retain.prepare import prepare
from illumina.retain.verbatim import VerbatimExtractor
from illumina.store import facts as store
from illumina.types import Document, RetainReceipt, Utterance
from illumina.work import Tally
from tests.clock import ManualClock
from tests.support import HashingEmbedder, check_derived, dump, rows, run, wipe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


ROOT = Path(__file__).parents[3]

CORPUS = [
    Document("Ingestion moved to an isolated queue.\n\nDeploys need two approvals.", "wiki", "a"),
    Document([Utterance("Why?", "Ana"), Utterance("Backfills starved writes.", "Bo")], "chat", "b"),
    Document("The release train leaves on Thursdays.", "wiki", "c", metadata={"team": "x"}),
    Document("Deploys need two approvals.", "mail"),
    Document("the of and", "mail", "only stop words"),
    Document("漢字 ILLUM-123 foo_bar() 🚀", "chat", "odd"),
]


Outcome = TypeVar("Outcome")


def together(*functions: Callable[[], Outcome]) -> list[Outcome]:
    """What the functions return when they all start at the same moment, each in a thread of its own."""
    barrier = threading.Barrier(len(functions))

    def start(function: Callable[[], Outcome]) -> Outcome:
        barrier.wait()
        return function()

    with ThreadPoolExecutor(len(functions)) as pool:
        return list(pool.map(start, functions))


def live(dsn: str) -> list[str]:
    return [
        content
        for (content,) in rows(
            dsn, "select content from illumina.facts where retired_version is null order by document, ordinal"
        )
    ]


def receipts(found: list[RetainReceipt]) -> list[tuple[int, bool, int, int]]:
    return [(receipt.version, receipt.created, receipt.facts, receipt.retired) for receipt in found]


class TestIdempotence:
    def test_retaining_twice_changes_nothing(self, memory: Memory, dsn: str, embedder: HashingEmbedder) -> None:
        first = memory.retain_many(CORPUS)
        before = dump(dsn)
        embedder.embedded.clear()
        second = memory.retain_many(CORPUS)
        assert dump(dsn) == before
        assert embedder.embedded == [], "embedding is what retaining costs"
        assert [receipt.created for receipt in first] == [True] * len(CORPUS)
        assert [receipt.created for receipt in second] == [False] * len(CORPUS)
        assert [(r.document_id, r.version, r.facts) for r in first] == [(r.document_id, r.version, r.facts) for r in second]
        check_derived(dsn, embedder)

    def test_within_one_batch(self, memory: Memory, dsn: str, other_dsn: str, embedder: HashingEmbedder) -> None:
        found = memory.retain_many([*CORPUS, *CORPUS])
        assert [receipt.created for receipt in found] == [True] * len(CORPUS) + [False] * len(CORPUS)
        assert receipts(found)[0] == (1, True, 2, 0)
        assert receipts(found)[len(CORPUS)] == (1, False, 2, 0)
        with Memory.open(other_dsn, embedder=embedder, extractor="verbatim") as once:
            once.retain_many(CORPUS)
        assert dump(dsn) == dump(other_dsn)

    def test_in_another_process(self, memory: Memory, dsn: str) -> None:
        code = (
            "import sys; from illumina import Memory; from tests.support import HashingEmbedder\n"
            "from tests.illumina.retain.test_pipeline import CORPUS\n"
            "with Memory.open(sys.argv[1], embedder=HashingEmbedder(), extractor='verbatim') as memory:\n"
            "    print(len(memory.retain_many(CORPUS)))"
        )
        memory.retain_many(CORPUS)
        before = dump(dsn)
        done = subprocess.run([sys.executable, "-c", code, dsn], cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.stdout, done.returncode) == (f"{len(CORPUS)}\n", 0), done.stderr
        assert dump(dsn) == before

    def test_by_several_threads_at_once(self, memory: Memory, dsn: str, other_dsn: str, embedder: HashingEmbedder) -> None:
        found = together(*(lambda: memory.retain_many(CORPUS) for _ in range(4)))
        assert [sum(receipt.created for receipt in each) for each in zip(*found, strict=True)] == [1] * len(CORPUS)
        with Memory.open(other_dsn, embedder=embedder, extractor="verbatim") as once:
            once.retain_many(CORPUS)
        assert dump(dsn) == dump(other_dsn)
        check_derived(dsn, embedder)


class TestVersions:
    def test_changed_content_retires_what_only_the_old_version_supported(
        self, memory: Memory, dsn: str, embedder: HashingEmbedder
    ) -> None:
        bodies = ["One.\n\nTwo.\n\nThree.", "Two.\n\nFour.", "One.\n\nTwo.\n\nThree."]
        facts = "select content, fact, version, retired_version, ordinal, span_start from illumina.facts"
        found = [memory.retain(bodies[0], key="k")]
        ids = {row[0]: row[1] for row in rows(dsn, facts)}

        found.append(memory.retain(bodies[1], key="k"))
        check_derived(dsn, embedder)
        assert live(dsn) == ["Two.", "Four."]
        now = {row[0]: row[1:] for row in rows(dsn, facts)}
        assert now["Two."] == (ids["Two."], 2, None, 0, 0)
        assert now["Four."][1:] == (2, None, 1, 6)
        assert now["One."][1:3] == now["Three."][1:3] == (1, 2)
        assert [r.content for r in memory.recall("one three").results if r.content in bodies[0]] == ["Two."]

        embedder.embedded.clear()
        found.append(memory.retain(bodies[2], key="k"))
        check_derived(dsn, embedder)
        assert live(dsn) == ["One.", "Two.", "Three."]
        assert {row[0]: row[1] for row in rows(dsn, facts) if row[0] != "Four."} == ids
        assert embedder.embedded == [], "neither what stayed nor what comes back needs a new vector"

        assert receipts(found) == [(1, True, 3, 0), (2, True, 2, 2), (3, True, 3, 1)]
        states = rows(dsn, "select version, state from illumina.documents order by version")
        assert states == [(1, "superseded"), (2, "superseded"), (3, "retained")]
        for version, body in enumerate(bodies, start=1):
            read = memory.document(found[0].document_id, version=version)
            assert read is not None
            assert read.body == body
        newest = memory.document(found[0].document_id)
        assert newest is not None
        assert newest.version == 3
        assert memory.document(found[0].document_id, version=4) is None
        assert memory.document(found[0].document_id, version=2**70) is None

    def test_only_the_newest_version_is_compared_with(self, memory: Memory) -> None:
        for body, expected in [("A", (1, True)), ("B", (2, True)), ("B", (2, False)), ("A", (3, True))]:
            receipt = memory.retain(body, key="k")
            assert (receipt.version, receipt.created) == expected

    @pytest.mark.parametrize("before", [[], ["A"], ["B", "A"]])
    @pytest.mark.parametrize("batch", ["ABA", "BA", "ABAB", "BBA", "CAB"])
    def test_versions_in_one_batch_are_as_if_one_by_one(
        self, memory: Memory, dsn: str, other_dsn: str, embedder: HashingEmbedder, before: list[str], batch: str
    ) -> None:
        texts = {"A": "Both.\n\nOnly A.", "B": "Only B.\n\nBoth.", "C": "Only C."}
        documents = [Document(texts[letter], key="k") for letter in [*before, *batch]]
        with Memory.open(other_dsn, embedder=embedder, extractor="verbatim") as slow:
            one_by_one = [slow.retain_many([document])[0] for document in documents]
        for document in documents[: len(before)]:
            memory.retain_many([document])
        assert memory.retain_many(documents[len(before) :]) == one_by_one[len(before) :]
        assert dump(dsn) == dump(other_dsn)
        check_derived(dsn, embedder)

    def test_equal_paragraphs_are_counted(self, memory: Memory, dsn: str, embedder: HashingEmbedder) -> None:
        found = [memory.retain("\n\n".join(["Same."] * count), key="k") for count in (3, 1, 2)]
        assert receipts(found) == [(1, True, 3, 0), (2, True, 1, 2), (3, True, 2, 0)]
        check_derived(dsn, embedder)

    def test_writers_of_one_key_leave_one_version_live(self, memory: Memory, dsn: str, embedder: HashingEmbedder) -> None:
        for attempt in range(3):
            bodies = [f"Common.\n\nWriter {writer}, attempt {attempt}." for writer in range(6)]
            found = together(*(lambda body=body: memory.retain(body, key="k") for body in bodies))
            assert all(receipt.created for receipt in found)
            assert sorted(receipt.version for receipt in found) == list(range(6 * attempt + 1, 6 * attempt + 7))
            newest = max(range(6), key=lambda writer: found[writer].version)
            assert live(dsn) == bodies[newest].split("\n\n")
            check_derived(dsn, embedder)
        states = [state for (state,) in rows(dsn, "select state from illumina.documents order by version")]
        assert states == ["superseded"] * 17 + ["retained"]


class TestNeverHalfStored:
    def test_an_embedder_that_fails_loses_nothing(
        self, memory: Memory, dsn: str, other_dsn: str, embedder: HashingEmbedder, clock: ManualClock
    ) -> None:
        embedder.available = False
        with pytest.raises(ModelUnavailableError, match=r"hashing-64 did not answer.*Call work\(\)") as caught:
            memory.retain_many(CORPUS)
        assert isinstance(caught.value.__cause__, ModelUnavailableError)
        assert {state for (state,) in rows(dsn, "select state from illumina.documents")} == {"accepted"}
        assert all(not dump(dsn)[table] for table in ("facts", "embeddings", "postings", "lexemes"))
        identifier = public_id(DOCUMENT_PREFIX, prepare(CORPUS[0], "default").id)
        read = memory.document(identifier)
        assert read is not None
        assert read.body == CORPUS[0].body
        assert memory.count() == 0
        assert memory.work() == Tally(failed=len(CORPUS))
        assert memory.work() == Tally(), "not again at once"

        embedder.available = True
        assert memory.recall("ingestion queue").results == ()
        clock.advance(60)
        assert memory.work() == Tally(done=len(CORPUS) + 1), "each document, and what is derived"
        clock.advance(60)
        assert memory.work() == Tally()
        with Memory.open(other_dsn, embedder=embedder, extractor="verbatim") as lucky:
            lucky.retain_many(CORPUS)
        assert dump(dsn) == dump(other_dsn)

    def test_the_old_version_serves_until_the_new_one_is_ready(
        self, memory: Memory, dsn: str, embedder: HashingEmbedder
    ) -> None:
        memory.retain("Old.", key="k")
        embedder.available = False
        for body in ("Newer.", "Newest."):
            with pytest.raises(ModelUnavailableError):
                memory.retain(body, key="k")
        embedder.available = True
        assert live(dsn) == ["Old."]
        assert [result.content for result in memory.recall("old").results] == ["Old."]
        assert memory.work() == Tally(done=4), "two versions, and after each what is derived"
        assert live(dsn) == ["Newest."]
        check_derived(dsn, embedder)

    def test_retaining_again_resumes_too(self, memory: Memory, dsn: str, embedder: HashingEmbedder) -> None:
        embedder.available = False
        with pytest.raises(ModelUnavailableError):
            memory.retain("Text.", key="k")
        embedder.available = True
        assert receipts([memory.retain("Text.", key="k")]) == [(1, False, 1, 0)]
        assert live(dsn) == ["Text."]

    def test_an_overtaken_version_is_never_indexed(self, memory: Memory, dsn: str, embedder: HashingEmbedder) -> None:
        embedder.available = False
        with pytest.raises(ModelUnavailableError):
            memory.retain("Old.", key="k")
        embedder.available = True
        assert receipts([memory.retain("New.", key="k")]) == [(2, True, 1, 0)]
        assert memory.work() == Tally(done=1), "the job of the version that was overtaken"
        assert rows(dsn, "select content from illumina.facts") == [("New.",)]

    @pytest.mark.parametrize("step", ["keep", "retire", "_copy_facts", "_copy_embeddings", "_add_postings", "_count"])
    def test_a_failure_between_any_two_steps_leaves_nothing(
        self, memory: Memory, dsn: str, monkeypatch: pytest.MonkeyPatch, embedder: HashingEmbedder, step: str
    ) -> None:
        memory.retain_many([Document("Old.\n\nKept.", key="a")])
        before = dump(dsn)

        def fail(*_: object, **__: object) -> None:
            raise ZeroDivisionError

        documents = [Document("New.\n\nKept.", key="a"), Document("Second.", key="b")]
        with monkeypatch.context() as patch:
            patch.setattr(store, step, fail)
            with pytest.raises(ZeroDivisionError):
                memory.retain_many(documents)
        after = dump(dsn)
        accepted = {"documents", "chunks", "jobs"}
        assert {table: after[table] for table in after.keys() - accepted} == {
            table: before[table] for table in before.keys() - accepted
        }
        assert [receipt.created for receipt in memory.retain_many(documents)] == [False, False]
        assert sorted(live(dsn)) == ["Kept.", "New.", "Second."]
        check_derived(dsn, embedder)

    def test_a_refused_document_leaves_no_trace(self, memory: Memory, dsn: str, embedder: HashingEmbedder) -> None:
        bad = Document("NUL \0 here", "bad", "bad")
        with pytest.raises(InvalidInputError, match="NUL"):
            memory.retain_many([bad], namespace="only bad")
        assert not any(dump(dsn).values())

        with pytest.raises(InvalidInputError, match="NUL"):
            memory.retain_many([CORPUS[0], CORPUS[1], bad, CORPUS[2]])
        assert rows(dsn, "select key from illumina.documents order by key") == [("a",), ("b",)]
        assert memory.count() == 4
        check_derived(dsn, embedder)

    def test_refusals_can_be_taken_one_by_one(
        self, memory: Memory, dsn: str, other_dsn: str, embedder: HashingEmbedder
    ) -> None:
        bad = [Document(""), Document("x", metadata={"n": float("nan")}), Document([Utterance("\ud800")])]
        refused: list[tuple[int, str]] = []
        added: list[int] = []
        found = memory.retain_many(
            [bad[0], CORPUS[0], bad[1], *CORPUS[1:], bad[2]],
            refused=lambda position, error: refused.append((position, type(error).__name__)),
            progress=added.append,
        )
        assert refused == [(0, "InvalidInputError"), (2, "InvalidInputError"), (8, "InvalidTextError")]
        assert len(found) == sum(added) == len(CORPUS)
        with Memory.open(other_dsn, embedder=embedder, extractor="verbatim") as clean:
            clean.retain_many(CORPUS)
        assert dump(dsn) == dump(other_dsn)

    @pytest.mark.parametrize("error", [ZeroDivisionError, InvalidInputError, KeyboardInterrupt])
    def test_what_a_generator_gave_before_it_failed_is_retained(
        self, memory: Memory, clock: ManualClock, error: type[BaseException]
    ) -> None:
        def documents() -> Iterator[Document]:
            yield from CORPUS[:3]
            raise error

        with pytest.raises(error):
            memory.retain_many(documents(), refused=lambda *_: None)
        assert memory.count() == (0 if error is KeyboardInterrupt else 5)
        clock.advance(60)
        assert memory.work() == Tally(done=int(memory.count() > 0)), "what is derived is settled by a worker"


class TestOrder:
    @given(data=st.data())
    @settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_order_batches_and_writers_do_not_show(
        self, data: st.DataObject, shared: Memory, module_dsn: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        words = ["queue", "ingestion", "deploy", "Thursday", "approval", "train", "漢字", "ILLUM-123", "the"]
        chance = random.Random(7)
        documents = [
            Document("\n\n".join(" ".join(chance.choices(words, k=4)) for _ in range(chance.randint(1, 4))), key=str(n))
            for n in range(12)
        ]
        wipe(module_dsn)
        shared.retain_many(documents)
        expected = dump(module_dsn)
        check_derived(module_dsn, HashingEmbedder())

        shuffled = data.draw(st.permutations(documents))
        writers = data.draw(st.integers(1, 3))
        wipe(module_dsn)
        with monkeypatch.context() as patch:
            patch.setattr(pipeline, "BATCH_FACTS", data.draw(st.integers(1, 20)))
            together(*(lambda n=n: shared.retain_many(shuffled[n::writers]) for n in range(writers)))
        assert dump(module_dsn) == expected


class Ledger(RuleBasedStateMachine):
    """Whatever is done, everything derived equals a recomputation from the live facts."""

    memory: Memory
    dsn: str
    embedder: HashingEmbedder
    clock: ManualClock

    keys = st.sampled_from(["k", "l", "m"])
    bodies = st.lists(
        st.sampled_from(["Queue moved.", "Queue", "the of", "Train leaves.", "ILLUM-1 漢字", "queue queue train"]),
        min_size=1,
        max_size=4,
    ).map("\n\n".join)

    @initialize()
    def empty(self) -> None:
        wipe(self.dsn)
        self.embedder.available = True
        self.newest: dict[str, str] = {}
        self.pending = False

    @rule(changes=st.lists(st.tuples(keys, bodies), min_size=1, max_size=4))
    def retain(self, changes: list[tuple[str, str]]) -> None:
        self.memory.retain_many([Document(body, key=key) for key, body in changes])
        self.newest.update(changes)

    @rule(key=keys, body=bodies)
    def retain_without_a_model(self, key: str, body: str) -> None:
        self.embedder.available = False
        with contextlib.suppress(ModelUnavailableError):
            self.memory.retain(body, key=key)
        self.embedder.available = True
        self.newest[key] = body
        self.pending = True

    @rule()
    def retain_the_same_again(self) -> None:
        self.memory.retain_many([Document(body, key=key) for key, body in self.newest.items()])

    @rule(key=keys, one=bodies, two=bodies)
    def retain_at_once(self, key: str, one: str, two: str) -> None:
        found = together(lambda: self.memory.retain(one, key=key), lambda: self.memory.retain(two, key=key))
        # Of two versions the later one counts; equal texts are one version.
        self.newest[key] = max(zip(found, (one, two), strict=True), key=lambda pair: pair[0].version)[1]

    @rule()
    def work(self) -> None:
        self.clock.advance(3600)
        self.memory.work()
        self.pending = False
        self.clock.advance(3600)
        assert self.memory.work() == Tally()

    @invariant()
    def derived_is_a_function_of_what_is_live(self) -> None:
        check_derived(self.dsn, self.embedder)
        if not self.pending:
            expected = [
                fact.id
                for key, body in self.newest.items()
                for fact in facts_of(prepare(Document(body, key=key), "default"), VerbatimExtractor())
            ]
            found = rows(self.dsn, "select fact from illumina.facts where retired_version is null")
            assert {fact for (fact,) in found} == set(expected)
            assert self.memory.count() == len(expected)


def test_any_history_leaves_what_its_live_facts_give(
    memory: Memory, dsn: str, embedder: HashingEmbedder, clock: ManualClock
) -> None:
    class Here(Ledger):
        pass

    Here.memory, Here.dsn, Here.embedder, Here.clock = memory, dsn, embedder, clock
    run_state_machine_as_test(
        Here, settings=settings(max_examples=8, stateful_step_count=8, suppress_health_check=list(HealthCheck))
    )


class TestHuge:
    def test_thousands_of_paragraphs(self, memory: Memory, dsn: str, embedder: HashingEmbedder) -> None:
        paragraphs = [f"Paragraph {n}: ILLUM-{n} of team {n % 97}. {'filler' * 70}" for n in range(4_000)]
        body = "\n\n".join(paragraphs)
        assert len(body) > 1_700_000
        assert receipts([memory.retain(body, key="k")]) == [(1, True, 4_000, 0)]
        assert memory.recall("ILLUM-3777", components=["lexical"]).results[0].segment == "3778"
        assert receipts([memory.retain("\n\n".join(paragraphs[::2]), key="k")]) == [(2, True, 2_000, 2_000)]
        found = memory.recall("ILLUM-3777", components=["lexical"]).results
        assert not any("ILLUM-3777" in result.content for result in found)
        check_derived(dsn, embedder)

    @pytest.mark.parametrize("text", ["word " * 20_000, "x" * 100_000, "漢字" * 50_000, "a.b-c/" * 20_000])
    def test_one_long_line(self, memory: Memory, dsn: str, embedder: HashingEmbedder, text: str) -> None:
        receipt = memory.retain(text)
        read = memory.document(receipt.document_id)
        assert read is not None
        assert read.body == text
        assert receipt.facts == 1
        check_derived(dsn, embedder)


RETAINER = """
import sys
from pathlib import Path
from illumina import Memory
from tests.illumina.retain.test_pipeline import many
from tests.support import HashingEmbedder
with Memory.open(directory=Path(sys.argv[1]), embedder=HashingEmbedder(), extractor="verbatim") as memory:
    for document in many():
        memory.retain_many([document], namespace=sys.argv[2])
        print("retained", flush=True)
"""


def many() -> list[Document]:
    return [
        Document("\n\n".join(f"Paragraph {m} of document {n} about queue {m % 7}." for m in range(12)), key=f"{n}")
        for n in range(20)
    ]


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A durable server's directory with a memory in it."""
    parent = Path(tempfile.mkdtemp(prefix="illumina-test-", dir="/tmp"))
    parent.chmod(0o755)
    Memory.open(directory=parent / "home", embedder=HashingEmbedder(), extractor="verbatim").close()
    yield parent / "home"
    shutil.rmtree(parent, ignore_errors=True)


@pytest.mark.parametrize(
    ("documents", "delay", "server_too"),
    [(1, 0.0, False), (4, 0.007, True), (9, 0.013, False), (14, 0.022, True)],
)
def test_a_kill_in_the_middle_leaves_each_document_whole(
    home: Path, other_dsn: str, embedder: HashingEmbedder, documents: int, delay: float, server_too: bool
) -> None:
    namespace = f"killed {documents}"
    process = subprocess.Popen(
        [sys.executable, "-c", RETAINER, str(home), namespace], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process, process.stdout as lines:
        confirmed = 0
        while confirmed < documents and lines.readline() == "retained\n":
            confirmed += 1
        time.sleep(delay)
        if server_too:
            postmaster = int((home / "data" / "postmaster.pid").read_text().split()[0])
            assert psutil.Process(postmaster).name() == "postgres"
            os.kill(postmaster, signal.SIGKILL)
        process.kill()
        process.wait()
    assert confirmed == documents
    clock = ManualClock(datetime.now(UTC) + timedelta(hours=1))  # the killed process had a head start
    with Memory.open(directory=home, embedder=embedder, clock=clock, extractor="verbatim") as memory:
        expected = {prepare(document, namespace).id: document for document in many()}
        dsn = f"host={home / 'run'} port=5432 user=postgres dbname=illumina"
        found = rows(
            dsn,
            "select d.document, d.state, count(f.fact) from illumina.documents d join illumina.namespaces n using (namespace) "
            "left join illumina.facts f using (namespace, document, version) where n.name = %s group by 1, 2",
            [namespace],
        )
        assert len(found) >= documents, "what was confirmed is there"
        assert len(found) < len(expected), "it was killed in the middle"
        for document, state, facts in found:
            assert (state, facts) in {("accepted", 0), ("retained", 12)}
            read = memory.document(public_id(DOCUMENT_PREFIX, document), namespace=namespace)
            assert read is not None
            assert read.body == expected[document].body
        check_derived(dsn, embedder)
        memory.work(namespace=namespace)
        memory.retain_many(many(), namespace=namespace)
        finished = dump(dsn, namespace)
    with Memory.open(other_dsn, embedder=embedder, extractor="verbatim") as clean:
        clean.retain_many(many(), namespace=namespace)
        answer = clean.recall("queue 3", namespace=namespace)
        assert answer.results[0].id.startswith(FACT_PREFIX)
    assert finished == dump(other_dsn, namespace)


def test_a_key_that_another_namespace_holds_is_refused(memory: Memory, dsn: str) -> None:
    memory.retain("Ours.", namespace="ours")
    run(dsn, "update illumina.namespaces set name = 'theirs'")
    with pytest.raises(StoreError, match="Choose another name"):
        memory.retain("Ours again.", namespace="ours")
    assert rows(dsn, "select count(*) from illumina.documents") == [(1,)]
