"""Any other embedder: a folder or a model of the Hugging Face hub (extra `models`)."""

from __future__ import annotations

import hashlib
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from illumina.errors import ModelError, ModelUnavailableError
from illumina.models.base import GRID_LIMIT, GRID_SCALE, IntegerVectors, to_grid

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_DIMENSION: Final = 1024
"""Up to here an inner product of two vectors on the grid is exact in single precision."""

_SCHEME: Final = 1
"""Raised with every change of this module that can change a vector."""
# Tokenisers of transformers refuse two threads at once ("Already borrowed"), and torch's number of threads
# belongs to the process: every instance takes turns with every other.
_TURN: Final = threading.Lock()
_HASHED: Final = frozenset({".json", ".txt", ".model", ".safetensors", ".bin"})
# The same network for other runtimes, and what is no part of it.
_IGNORED: Final = ("onnx/*", "openvino/*", "*.onnx", "*.md", "*.msgpack", "*.h5", "*.ot", "*.py", ".*")


class SentenceTransformerEmbedder:
    """A sentence-transformers model on the CPU in single precision, as integer vectors.

    Every text is run alone, on one thread of torch: its vector depends on nothing else in its batch, is never
    padded and is the same bit for bit in every batch, order and process and for every thread count, on one
    machine with one version of torch. (Batches of torch differ from it in the last bits, measured up to
    2·10⁻⁷, which now and then moves a component by one step of the grid.) Another processor or version may
    differ just so; take recorded vectors along when that matters.
    The price: 1.6 times the time of batches of 32.

    Instances can be used from several threads; they take turns.

    Args:
        name_or_path: A folder, or a name on the hub, whose files are downloaded once into its cache.
        dimension: Keep only so many leading components and normalise again (for models trained for it:
            Matryoshka).
        query_prompt: Put before every query; what the model's own configuration declares if None.
        document_prompt: Put before every document; what the model's own configuration declares if None.
        revision: The hub's branch, tag or commit.

    Raises:
        ModelError: The extra is not installed, the model cannot be loaded, or it cannot emit that dimension.
    """

    def __init__(
        self,
        name_or_path: str | Path,
        *,
        dimension: int | None = None,
        query_prompt: str | None = None,
        document_prompt: str | None = None,
        revision: str | None = None,
    ) -> None:
        self._name = str(name_or_path)
        folder = _folder(self._name, revision)
        self._model = _load(folder, self._name)
        declared: dict[str, str] = self._model.prompts
        self._query_prompt = _first(query_prompt, declared.get("query"))
        self._document_prompt = _first(document_prompt, declared.get("document"), declared.get("passage"))
        self._dimension = _checked_dimension(self._name, int(self._model.get_embedding_dimension()), dimension)
        self._fingerprint = self._make_fingerprint(folder)

    @property
    def name(self) -> str:
        """The folder or the name on the hub."""
        return self._name

    @property
    def dimension(self) -> int:
        """Components of a vector."""
        return self._dimension

    @property
    def fingerprint(self) -> str:
        """Of the model's files (weights, configuration, tokeniser), prompts, dimension and grid."""
        return self._fingerprint

    def embed_documents(self, texts: Sequence[str]) -> IntegerVectors:
        """Vectors of texts, shape (len(texts), dimension).

        Raises:
            ModelUnavailableError: Torch failed, or the model gave a vector without a direction.
        """
        return to_grid(self.embed_floats(texts))

    def embed_query(self, text: str) -> IntegerVectors:
        """The vector of one query, shape (dimension,).

        Raises:
            ModelUnavailableError: Torch failed, or the model gave a vector without a direction.
        """
        vector: IntegerVectors = to_grid(self._embed([text], self._model.encode_query, self._query_prompt))[0]
        return vector

    def embed_floats(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """The unit vectors of documents before they are rounded to the grid, shape (len(texts), dimension).

        Raises:
            ModelUnavailableError: Torch failed, or the model gave a vector without a direction.
        """
        return self._embed(texts, self._model.encode_document, self._document_prompt)

    def _embed(self, texts: Sequence[str], encode: Any, prompt: str) -> npt.NDArray[np.float64]:  # noqa: ANN401
        vectors = np.empty((len(texts), self._dimension), dtype=np.float64)
        with _TURN, _one_thread():
            for index, text in enumerate(texts):
                try:
                    vectors[index] = encode([text], prompt=prompt, show_progress_bar=False)[0, : self._dimension]
                except Exception as error:
                    # Torch, transformers and tokenizers share no base class.
                    message = f"{self._name} failed on a text of {len(text)} characters: {error}"
                    raise ModelUnavailableError(message) from error
        lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
        if not np.all((lengths > 0) & np.isfinite(lengths)):
            raise ModelUnavailableError(f"{self._name} gave a vector without a direction (zero or not a number)")
        unit: npt.NDArray[np.float64] = vectors / lengths
        return unit

    def _make_fingerprint(self, folder: Path) -> str:
        digest = hashlib.sha256()
        parts = (
            f"sentence-transformers/{_SCHEME}",
            f"query={self._query_prompt}",
            f"document={self._document_prompt}",
            f"dimension={self._dimension}",
            f"grid={GRID_SCALE},{GRID_LIMIT}",
            *(f"{path.relative_to(folder).as_posix()}={_sha256(path)}" for path in _model_files(folder)),
        )
        digest.update("\0".join(parts).encode())
        return digest.hexdigest()


def _folder(name_or_path: str, revision: str | None) -> Path:
    if (path := Path(name_or_path).expanduser()).is_dir():
        return path
    try:
        from huggingface_hub import snapshot_download  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise _missing_extra(name_or_path) from error
    try:
        return Path(snapshot_download(name_or_path, revision=revision, ignore_patterns=list(_IGNORED)))
    except Exception as error:
        # Not a name, not found, gated, offline: the hub's errors share no base class.
        message = (
            f"{name_or_path!r} is no folder here and could not be fetched from the Hugging Face hub: {error} "
            "Give the path of a saved model, or its exact name on the hub and a way to reach it."
        )
        raise ModelError(message) from error


def _load(folder: Path, name: str) -> Any:  # noqa: ANN401 - untyped library
    try:
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - an extra, and seconds to import
    except ImportError as error:
        raise _missing_extra(name) from error
    try:
        model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    except Exception as error:
        message = f"sentence-transformers could not load {name}: {error} Give a folder that it has saved."
        raise ModelError(message) from error
    # Whatever precision the weights are stored in: half precision is slow on a CPU and rounds with every
    # batch anew.
    return model.float().eval()


@contextmanager
def _one_thread() -> Iterator[None]:
    """Torch on one thread: another number splits sums differently.

    A text alone is too small to share anyway. The number is the process's own: torch that others run meanwhile is
    slower for that while.
    """
    import torch  # noqa: PLC0415 - an extra, and seconds to import

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _missing_extra(name: str) -> ModelError:
    return ModelError(f"{name} needs sentence-transformers: pip install 'illumina[models]'")


def _checked_dimension(name: str, emitted: int, wanted: int | None) -> int:
    dimension = emitted if wanted is None else wanted
    if not 1 <= dimension <= emitted:
        raise ModelError(f"{name} emits {emitted} dimensions and cannot emit {dimension}. Ask for 1 to {emitted}.")
    if dimension > MAX_DIMENSION:
        raise ModelError(
            f"{name} emits {dimension} dimensions; at most {MAX_DIMENSION} can be compared exactly. Truncate it with "
            f"dimension={MAX_DIMENSION} if it was trained for that (Matryoshka), or take another model."
        )
    return dimension


def _model_files(folder: Path) -> Iterator[Path]:
    """The files that make the model, sorted; of weights kept in two formats the one that is loaded."""
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if not path.is_file() or path.suffix not in _HASHED or any(relative.match(pattern) for pattern in _IGNORED):
            continue
        if path.suffix == ".bin" and any(path.parent.glob("*.safetensors")):
            continue
        yield path


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _first(*prompts: str | None) -> str:
    return next((prompt for prompt in prompts if prompt is not None), "")
