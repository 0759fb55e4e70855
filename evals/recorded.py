"""Recorded embeddings: what the model made of every text of a corpus, kept beside it, so that a suite needs no model.

A corpus's `embeddings.npz` is an uncompressed archive of

| member | what |
|---|---|
| `header.json` | `format`, and of the model `name`, `fingerprint` and `dimension` |
| `digests.npy` | uint8 (texts, 32): SHA-256 of `document` or `query`, a zero byte and the text in UTF-8, in ascending order |
| `vectors.npy` | int8 (texts, dimension): the vector of each on the integer grid |

and `EMBEDDINGS.SHA256SUMS` has its checksum. Equal vectors give equal bytes. Models round differently on other processors
(`illumina.models.onnx`); recorded vectors are the same everywhere, and everything behind them is integers.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import re
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from evals import corpora
from evals.corpora import jsonl
from evals.corpora.checksums import Problem, compare_checksums, write_sums
from evals.errors import EmbeddingsError, SuiteError
from evals.passing import PassingEmbedder
from evals.postgres import AUTO, open_provider
from evals.replay import replay
from evals.suite import load_corpus
from evals.types import FUSION
from evals.wording import counted
from illumina import Memory
from illumina.models.base import GRID_LIMIT, IntegerVectors
from illumina.models.registry import load_embedder
from illumina.retain.extract import facts_of
from illumina.retain.prepare import prepare
from illumina.retain.verbatim import VerbatimExtractor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evals.suite import Suite
    from evals.types import Corpus
    from illumina.models.base import Embedder

EMBEDDINGS: Final = "embeddings.npz"
CHECKSUMS: Final = "EMBEDDINGS.SHA256SUMS"
FORMAT: Final = 1
MEND: Final = "Record them anew: `illumina-eval record SUITE`, with a suite on this corpus."

_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)

Role = Literal["document", "query"]


@dataclass(frozen=True, slots=True)
class Model:
    """The model that made the vectors."""

    name: str
    fingerprint: str
    dimension: int

    @classmethod
    def of(cls, embedder: Embedder) -> Model:
        """What an embedder says of itself; loads no weights."""
        return cls(embedder.name, embedder.fingerprint, embedder.dimension)

    def __str__(self) -> str:
        return f"{self.name} (fingerprint {self.fingerprint[:12]}, {self.dimension} dimensions)"


class Recorded:
    """An embedder that looks texts up, in the model's name: a memory takes its vectors for the model's own.

    Args:
        model: Who made the vectors.
        vectors: A text's digest to its vector of shape (dimension,).
        source: Where they are from, for messages.
    """

    def __init__(self, model: Model, vectors: Mapping[bytes, IntegerVectors], source: str) -> None:
        self._model = model
        self._vectors = vectors
        self._source = source

    @property
    def model(self) -> Model:
        """Who made the vectors."""
        return self._model

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def dimension(self) -> int:
        """The model's dimension."""
        return self._model.dimension

    @property
    def fingerprint(self) -> str:
        """The model's fingerprint."""
        return self._model.fingerprint

    @property
    def vectors(self) -> Mapping[bytes, IntegerVectors]:
        """A text's digest to its vector."""
        return self._vectors

    @property
    def digest(self) -> str:
        """SHA-256 in hexadecimal over the model and every text's digest and vector."""
        hasher = hashlib.sha256(_header(self._model))
        for key in sorted(self._vectors):
            hasher.update(key)
            hasher.update(self._vectors[key].tobytes())
        return hasher.hexdigest()

    def embed_documents(self, texts: Sequence[str]) -> IntegerVectors:
        """The recorded vectors of texts, shape (len(texts), dimension).

        Raises:
            EmbeddingsError: One of them was never recorded.
        """
        rows = [self._vector("document", text) for text in texts]
        return np.array(rows, np.int8).reshape(len(texts), self.dimension)

    def embed_query(self, text: str) -> IntegerVectors:
        """The recorded vector of a question, shape (dimension,).

        Raises:
            EmbeddingsError: It was never recorded.
        """
        return self._vector("query", text)

    def _vector(self, role: Role, text: str) -> IntegerVectors:
        try:
            return self._vectors[text_digest(role, text)]
        except KeyError:
            shown = text if len(text) <= 60 else f"{text[:60]}…"
            raise EmbeddingsError(
                f"{self._source} has no vector of the {role} text {shown!r}: the corpus, or what the engine embeds of it, has "
                f"changed since. {MEND}"
            ) from None


class Recorder(PassingEmbedder):
    """Keeps what another embedder answers. Safe from several threads.

    Attributes:
        vectors: A text's digest to its vector, as `Recorded` takes them.
    """

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self.vectors: dict[bytes, IntegerVectors] = {}

    def embed_documents(self, texts: Sequence[str]) -> IntegerVectors:
        """The other one's vectors, shape (len(texts), dimension)."""
        rows = super().embed_documents(texts)
        self.vectors.update(zip((text_digest("document", text) for text in texts), rows, strict=True))
        return rows

    def embed_query(self, text: str) -> IntegerVectors:
        """The other one's vector, shape (dimension,)."""
        row = super().embed_query(text)
        self.vectors[text_digest("query", text)] = row
        return row


def text_digest(role: Role, text: str) -> bytes:
    """The key of a text's vector. Some models embed a question otherwise than a document of the same words."""
    return hashlib.sha256(f"{role}\0{text}".encode()).digest()


def open_embedder(suite: Suite) -> Embedder:
    """The embedder that a suite's `[engine]` asks for: the engine's own model, or the vectors that its corpus carries.

    Raises:
        SuiteError: Its corpus is a public one, which cannot carry any.
        EmbeddingsError: The corpus carries none, or those of another model than the engine's.
    """
    model = load_embedder()
    if suite.engine.embeddings == "model":
        return model
    recorded = read(_directory(suite))
    if recorded.model != Model.of(model):
        raise EmbeddingsError(
            f"The embeddings of {suite.corpus!r} were recorded with {recorded.model}, and the engine's model is "
            f"{Model.of(model)}. {MEND}"
        )
    return recorded


def record(suite: Suite, *, postgres: str = AUTO, embedder: Embedder | None = None) -> Path:
    """Replay a suite's corpus with the model and write all vectors that it made beside the corpus.

    Args:
        suite: Any on the corpus: all of them embed the same texts.
        postgres: As for `evals.postgres.open_provider`.
        embedder: The engine's own model if None.

    Returns:
        The path of the written file.

    Raises:
        SuiteError: The corpus is a public one.
        CorpusError: The corpus has problems.
    """
    directory = _directory(suite)
    corpus = load_corpus(suite, data=None)
    recorder = Recorder(embedder or load_embedder())
    with (
        open_provider(postgres) as provider,
        provider.fresh_database() as dsn,
        Memory.open(dsn, embedder=recorder, extractor="verbatim") as memory,
    ):
        replay(memory, corpus, [FUSION], suite.depth)
    return write(directory, Recorded(Model.of(recorder), recorder.vectors, str(directory)))


def write(directory: Path, recorded: Recorded) -> Path:
    """Write `embeddings.npz` and its checksum into a corpus's directory; returns the archive's path."""
    keys = sorted(recorded.vectors)
    members = {
        "header.json": _header(recorded.model),
        "digests.npy": _npy(np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), 32)),
        "vectors.npy": _npy(np.array([recorded.vectors[key] for key in keys], np.int8).reshape(len(keys), -1)),
    }
    path = directory / EMBEDDINGS
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            # A fixed time and system: otherwise the bytes would tell when and where it was written.
            member = zipfile.ZipInfo(name, _LONG_AGO)
            member.create_system = 3
            archive.writestr(member, content)
    write_sums(directory, CHECKSUMS, [EMBEDDINGS])
    return path


def read(directory: Path) -> Recorded:
    """Read what `write` wrote.

    Raises:
        EmbeddingsError: There is none, or it is not what its checksum or the format says.
    """
    recorded, problems = _read(directory)
    if recorded is None or problems:
        raise EmbeddingsError(f"The recorded embeddings of {directory} cannot be used: {problems[0]}")
    return recorded


def problems_of(directory: Path) -> list[Problem]:
    """What is wrong with the recorded embeddings of a valid corpus; nothing if it carries none."""
    directory = directory.resolve()
    if not any((directory / name).exists() for name in (EMBEDDINGS, CHECKSUMS)):
        return []
    recorded, problems = _read(directory)
    if recorded is None:
        return problems
    model = Model.of(load_embedder())
    if recorded.model != model:
        what = f"They were recorded with {recorded.model}, and the engine's model is {model}."
        problems.append(Problem(EMBEDDINGS, None, what, MEND))
    expected = _expected(jsonl.load(directory))
    missing = [place for key, place in expected.items() if key not in recorded.vectors]
    if missing:
        what = f"There is no vector for {counted(len(missing), 'texts')}, the first of them {missing[0]}."
        problems.append(Problem(EMBEDDINGS, None, what, MEND))
    strays = sorted(set(recorded.vectors) - set(expected))
    if strays:
        what = f"There is no text here for {counted(len(strays), 'vectors')}, the first that of {strays[0].hex()[:12]}."
        problems.append(Problem(EMBEDDINGS, None, what, MEND))
    return problems


def _directory(suite: Suite) -> Path:
    directory = corpora.directory_of(suite.corpus)
    if directory is None:
        raise SuiteError(
            f"The corpus {suite.corpus!r} of the suite {suite.name!r} is no directory of ours or yours, so it carries no "
            "embeddings. Take `embeddings` out of [engine]."
        )
    return directory


def _expected(corpus: Corpus) -> dict[bytes, str]:
    """The digest of each text that a replay embeds, and which it is."""
    texts = {
        text_digest("document", fact.indexed_text): f"{document.key}#{fact.segment.label}"
        for namespace, documents in corpus.documents.items()
        for document in documents
        for fact in facts_of(prepare(document, namespace), VerbatimExtractor())
    }
    return texts | {text_digest("query", query.text): f"the question {query.id}" for query in corpus.queries}


def _read(directory: Path) -> tuple[Recorded | None, list[Problem]]:
    try:
        recorded = _parse((directory / EMBEDDINGS).read_bytes(), str(directory / EMBEDDINGS))
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        return None, [Problem(EMBEDDINGS, None, f"They cannot be read ({error}).", MEND)]
    return recorded, compare_checksums(directory, CHECKSUMS, [EMBEDDINGS], MEND)


def _parse(content: bytes, source: str) -> Recorded:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        header = json.loads(archive.read("header.json"))
        digests = np.lib.format.read_array(io.BytesIO(archive.read("digests.npy")), allow_pickle=False)
        vectors = np.lib.format.read_array(io.BytesIO(archive.read("vectors.npy")), allow_pickle=False)
    if header["format"] != FORMAT:
        raise ValueError(f"the format is {header['format']}, and this harness reads {FORMAT}")
    model = Model(**header["model"])
    if not _SHA256.fullmatch(model.fingerprint):
        raise ValueError(f"the fingerprint is {model.fingerprint!r}, not 64 hexadecimal digits")
    if digests.dtype != np.uint8 or digests.shape != (len(digests), 32):
        raise ValueError(f"the digests are {digests.dtype} {digests.shape}")
    if vectors.dtype != np.int8 or vectors.shape != (len(digests), model.dimension):
        raise ValueError(f"the vectors are {vectors.dtype} {vectors.shape} for {len(digests)} texts")
    if (vectors < -GRID_LIMIT).any():
        raise ValueError(f"a vector has a component below {-GRID_LIMIT}, the grid's limit")
    keys = [row.tobytes() for row in digests]
    if any(first >= second for first, second in itertools.pairwise(keys)):
        raise ValueError("the digests are not in ascending order")
    return Recorded(model, dict(zip(keys, vectors, strict=True)), source)


def _header(model: Model) -> bytes:
    named: dict[str, Any] = {"name": model.name, "fingerprint": model.fingerprint, "dimension": model.dimension}
    return json.dumps({"format": FORMAT, "model": named}, sort_keys=True).encode()


def _npy(array: npt.NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
    return buffer.getvalue()
