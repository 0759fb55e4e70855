"""From a name in the settings to an embedder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from illumina.errors import ModelError
from illumina.models.onnx import DIMENSION, OnnxMiniLM

if TYPE_CHECKING:
    from illumina.models.base import Embedder

DEFAULT_EMBEDDER: Final = "minilm"


def load_embedder(spec: str | None = None, *, dimension: int | None = None) -> Embedder:
    """The embedder that a name stands for.

    Args:
        spec: `minilm` or None for the built-in all-MiniLM-L6-v2; anything else is a folder or a name on the
            Hugging Face hub, loaded by sentence-transformers (extra `models`).
        dimension: Truncate the vectors to so many components; the model's own number if None.

    Raises:
        ModelError: The model cannot be loaded or cannot emit that dimension.
    """
    if spec is None or spec == DEFAULT_EMBEDDER:
        if dimension not in {None, DIMENSION}:
            raise ModelError(
                f"The built-in model emits {DIMENSION} dimensions and cannot emit {dimension}. Name another model, "
                "by its folder or its name on the Hugging Face hub."
            )
        return OnnxMiniLM()
    # An extra, and seconds to import: only who asks for it pays.
    from illumina.models.sentence_transformers import SentenceTransformerEmbedder  # noqa: PLC0415

    return SentenceTransformerEmbedder(spec, dimension=dimension)
