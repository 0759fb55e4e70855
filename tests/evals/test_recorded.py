from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from evals import recorded
from evals.corpora import DATASETS, load, write_checksums
from evals.corpora.checksums import write_sums
from evals.errors import EmbeddingsError, SuiteError
from evals.identity import differences
from evals.recorded import (
    CHECKSUMS,
    EMBEDDINGS,
    Model,
    Recorded,
    Recorder,
    open_embedder,
    problems_of,
    read,
    record,
    text_digest,
    write,
)
from evals.rundir import read_run
from evals.runner import run
from evals.suite import load_suite
from illumina import Memory
from illumina.models.registry import load_embedder
from illumina.retain.extract import facts_of
from illumina.retain.prepare import prepare
from illumina.retain.verbatim import VerbatimExtractor
from tests.evals.cli.support import SUITE
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable

    from evals.suite import Suite
    from illumina.store.embedded import EmbeddedServer

RECORDED = '\n[engine]\nembeddings = "recorded"\n'


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> HashingEmbedder:
    """The engine's own model of these tests."""
    embedder = HashingEmbedder()
    monkeypatch.setattr(recorded, "load_embedder", lambda: embedder)
    return embedder


@pytest.fixture
def suite(mini_directory: Path) -> Suite:
    """A suite that runs on what its corpus carries."""
    path = mini_directory.parent / "mini.toml"
    path.write_text(SUITE + RECORDED)
    return load_suite(path)


@pytest.fixture
def carried(suite: Suite, model: HashingEmbedder, server: EmbeddedServer) -> Path:
    """The directory of that corpus, with its embeddings."""
    assert record(suite, postgres=server.dsn("postgres")) == Path(suite.corpus) / EMBEDDINGS
    assert model.embedded
    return Path(suite.corpus)


def texts_of(name: str) -> tuple[list[str], list[str]]:
    corpus = load(name, data=None)
    facts = [
        fact.indexed_text
        for namespace, documents in corpus.documents.items()
        for document in documents
        for fact in facts_of(prepare(document, namespace), VerbatimExtractor())
    ]
    return facts, [query.text for query in corpus.queries]


@pytest.mark.parametrize("name", ["meridian", "skerrow"])
def test_our_corpora_carry_the_vectors_of_all_their_texts_bit_for_bit(name: str) -> None:
    assert problems_of(DATASETS / name) == []
    assert (DATASETS / name / EMBEDDINGS).stat().st_size < 2_000_000
    carried, real = read(DATASETS / name), load_embedder()
    assert carried.model == Model.of(real)
    facts, queries = texts_of(name)
    facts.sort(key=len)
    sample = [*facts[:2], *facts[:: len(facts) // 6], *facts[-2:]]
    assert carried.embed_documents(sample).tobytes() == real.embed_documents(sample).tobytes()
    for query in queries[:: len(queries) // 6]:
        vector = carried.embed_query(query)
        assert (vector.dtype.name, vector.shape) == ("int8", (real.dimension,))
        assert vector.tobytes() == real.embed_query(query).tobytes()


def test_recording_again_gives_the_same_bytes(carried: Path, suite: Suite, server: EmbeddedServer) -> None:
    before = {name: (carried / name).read_bytes() for name in (EMBEDDINGS, CHECKSUMS)}
    assert problems_of(carried) == []
    record(suite, postgres=server.dsn("postgres"))
    assert {name: (carried / name).read_bytes() for name in (EMBEDDINGS, CHECKSUMS)} == before
    assert len(read(carried).vectors) == 7 + 3
    assert read(carried).embed_documents([]).shape == (0, 64)


def test_a_run_needs_no_model_and_gives_what_the_model_gives(
    carried: Path, suite: Suite, model: HashingEmbedder, tmp_path: Path, server: EmbeddedServer
) -> None:
    dsn = server.dsn("postgres")
    (tmp_path / "mini.toml").write_text(SUITE)
    by_model = read_run(run(load_suite(tmp_path / "mini.toml"), data=None, out=tmp_path / "runs", postgres=dsn))
    model.available = False
    by_record = read_run(run(suite, data=None, out=tmp_path / "runs", postgres=dsn))
    assert by_record.result_digest == by_model.result_digest
    assert all(ranking.response for ranking in by_record.rankings["fusion"].values())
    assert by_model.rankings == {
        system: {query: replace(ranking, response="") for query, ranking in rankings.items()}
        for system, rankings in by_record.rankings.items()
    }
    assert differences(by_record.identity, by_model.identity) == ["engine.embedder.recorded"]
    assert by_record.identity["engine"]["embedder"]["recorded"] == read(carried).digest


def test_a_run_on_recorded_embeddings_loads_neither_onnx_runtime_nor_the_tokeniser(server: EmbeddedServer) -> None:
    code = (
        "import sys; from evals.postgres import open_provider; from evals.recorded import open_embedder; "
        "from evals.replay import replay; from evals.suite import load_corpus, load_suite; from illumina import Memory\n"
        "suite = load_suite('skerrow'); corpus = load_corpus(suite, data=None)\n"
        f"with open_provider({server.dsn('postgres')!r}) as provider, provider.fresh_database() as dsn, "
        "Memory.open(dsn, embedder=open_embedder(suite), extractor='verbatim') as memory:\n"
        "    rankings, _ = replay(memory, corpus, ['fusion'], 10)\n"
        "print(len(rankings), sorted({'onnxruntime', 'tokenizers', 'torch', 'mlflow'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "63 []\n"


def test_a_text_that_was_not_recorded_is_an_error_and_no_degraded_answer(carried: Path, database: str) -> None:
    embedder = read(carried)
    with Memory.open(database, embedder=embedder, extractor="verbatim") as memory:
        with pytest.raises(EmbeddingsError, match=r"has no vector of the document text 'Tea at four\.'.*`illumina-eval record"):
            memory.retain("Tea at four.")
        with pytest.raises(EmbeddingsError, match=r"has no vector of the query text 'tea\?'"):
            memory.recall("tea?")
        assert not memory.recall("retry_backoff_ms").degraded


def test_a_question_and_a_document_of_the_same_words_are_two_texts() -> None:
    class Asymmetric(HashingEmbedder):
        def embed_query(self, text: str) -> Any:
            return super().embed_query(f"query: {text}")

    recorder = Recorder(Asymmetric())
    document, query = recorder.embed_documents(["tea"])[0], recorder.embed_query("tea")
    assert document.tobytes() != query.tobytes()
    looked_up = Recorded(Model.of(recorder), recorder.vectors, "here")
    assert looked_up.embed_documents(["tea"])[0].tobytes() == document.tobytes()
    assert looked_up.embed_query("tea").tobytes() == query.tobytes()


def vectors(**changed: Any) -> Recorded:
    model = {"name": "m", "fingerprint": "f" * 64, "dimension": 2, **changed.pop("model", {})}
    rows = {text_digest("query", "a"): [1, 2], text_digest("document", "b"): [3, 4], **changed.pop("rows", {})}
    assert not changed
    kept = {key: np.array(row, np.int8) for key, row in rows.items() if row is not None}
    return Recorded(Model(**model), kept, "here")


@pytest.mark.parametrize(
    "changed",
    [
        {"model": {"name": "n"}},
        {"model": {"fingerprint": "e" * 64}},
        {"model": {"dimension": 3}},
        {"rows": {text_digest("query", "a"): [1, 3]}},
        {"rows": {text_digest("query", "a"): None}},
        {"rows": {text_digest("document", "a"): [1, 2]}},
        {"rows": {text_digest("query", "a"): None, text_digest("document", "a"): [1, 2]}},
        {"rows": {text_digest("query", "a"): [3, 4], text_digest("document", "b"): [1, 2]}},
    ],
)
def test_each_input_of_recorded_embeddings_changes_their_digest(changed: Any) -> None:
    assert vectors(**changed).digest != vectors().digest


def test_the_digest_and_the_bytes_do_not_depend_on_the_order_of_embedding(tmp_path: Path) -> None:
    backwards = Recorded(vectors().model, dict(reversed(list(vectors().vectors.items()))), "there")
    assert backwards.digest == vectors().digest
    assert write(tmp_path, backwards).read_bytes() == (tmp_path / EMBEDDINGS).read_bytes()
    first = (tmp_path / EMBEDDINGS).read_bytes()
    assert write(tmp_path, vectors()).read_bytes() == first
    assert read(tmp_path).digest == vectors().digest
    with np.load(tmp_path / EMBEDDINGS, allow_pickle=False) as archive:
        assert sorted(archive.files) == ["digests", "header.json", "vectors"]
        assert archive["vectors"].shape == (2, 2)


def test_embeddings_of_another_model_are_refused(carried: Path, suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    for other in (HashingEmbedder(salt="!"), HashingEmbedder(dimension=32)):
        monkeypatch.setattr(recorded, "load_embedder", lambda other=other: other)
        with pytest.raises(EmbeddingsError, match=r"were recorded with hashing-64 .* is hashing-\S+ .*`illumina-eval record"):
            open_embedder(suite)
        (problem,) = problems_of(carried)
        assert "They were recorded with hashing-64" in problem.what


def test_a_public_corpus_carries_none(suite: Suite, tmp_path: Path) -> None:
    path = tmp_path / "mini.toml"
    path.write_text(SUITE.replace('"./mini"', '"locomo"') + RECORDED)
    for use in (open_embedder, record):
        with pytest.raises(SuiteError, match=r"'locomo' .* carries no embeddings\. Take `embeddings` out of \[engine\]"):
            use(load_suite(path))
    with pytest.raises(EmbeddingsError, match=r"cannot be read .*`illumina-eval record"):
        open_embedder(suite)  # this corpus could carry some, and does not yet


def test_a_corpus_need_not_carry_any(mini_directory: Path) -> None:
    assert problems_of(mini_directory) == []


def test_a_changed_text_is_missing_and_its_old_vector_a_stray(carried: Path) -> None:
    documents = (carried / "documents.jsonl").read_text()
    (carried / "documents.jsonl").write_text(documents.replace("Soup today?", "Stew today?"))
    write_checksums(carried)
    missing, stray = problems_of(carried)
    assert missing.what == "There is no vector for 1 text, the first of them lunch#1."
    assert stray.what.startswith("There is no text here for 1 vector, the first that of ")
    assert "illumina-eval record" in missing.mend

    queries = (carried / "queries.jsonl").read_text()
    (carried / "queries.jsonl").write_text(queries.replace("the chief executive", "the chief"))
    write_checksums(carried)
    assert "There is no vector for 2 texts, the first of them lunch#1." in {problem.what for problem in problems_of(carried)}


def rewritten(change: Callable[[dict[str, bytes]], object]) -> Callable[[Path], object]:
    def rewrite(path: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        change(members)
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        write_sums(path.parent, CHECKSUMS, [EMBEDDINGS])

    return rewrite


def header(**changed: Any) -> Callable[[Path], object]:
    def change(members: dict[str, bytes]) -> None:
        value = json.loads(members["header.json"])
        value["model"].update(changed)
        value["format"] = changed.get("format", value["format"])
        value["model"].pop("format", None)
        members["header.json"] = json.dumps(value).encode()

    return rewritten(change)


def array(name: str, change: Callable[[Any], Any]) -> Callable[[Path], object]:
    def rewrite(members: dict[str, bytes]) -> None:
        buffer = io.BytesIO()
        np.save(buffer, change(np.load(io.BytesIO(members[name]))), allow_pickle=True)
        members[name] = buffer.getvalue()

    return rewritten(rewrite)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.unlink(), "cannot be read"),
        (lambda path: path.write_bytes(path.read_bytes()[:-40]), "cannot be read"),
        (lambda path: path.with_name(CHECKSUMS).unlink(), "The checksums cannot be read"),
        (lambda path: path.with_name(CHECKSUMS).write_text(f"{'0' * 64}  {EMBEDDINGS}\n"), "The checksum is not that of"),
        (header(format=2), "the format is 2, and this harness reads 1"),
        (header(fingerprint="f00d"), "the fingerprint is 'f00d', not 64 hexadecimal digits"),
        (header(dimension=63), r"the vectors are int8 \(10, 64\) for 10 texts"),
        (header(colour="red"), "cannot be read"),
        (rewritten(lambda members: members.pop("digests.npy")), "cannot be read"),
        (array("digests.npy", lambda digests: digests[::-1]), "not in ascending order"),
        (array("digests.npy", lambda digests: digests[:, :31]), r"the digests are uint8 \(10, 31\)"),
        (array("vectors.npy", lambda rows: rows[1:]), "for 10 texts"),
        (array("vectors.npy", lambda rows: rows.astype(np.int16)), "the vectors are int16"),
        (array("vectors.npy", lambda rows: np.full_like(rows, -128)), "a component below -127"),
        (array("vectors.npy", lambda rows: rows.astype(object)), "cannot be read"),
    ],
)
def test_damaged_embeddings_are_refused(damage: Callable[[Path], object], message: str, carried: Path, suite: Suite) -> None:
    damage(carried / EMBEDDINGS)
    assert [problem for problem in problems_of(carried) if problem.mend and _matches(message, problem.what)]
    with pytest.raises(EmbeddingsError, match=message):
        open_embedder(suite)


def _matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text) is not None
