"""From a name in the settings to an embedder."""

from __future__ import annotations

from typing import Final

from illumina.models.base import Embedder
from illumina.models.onnx import OnnxMiniLM

DEFAULT_EMBEDDER: Final = "minilm"


def load_embedder(spec: str | None = None) -> Embedder:
    """The embedder that a name stands for.

    Args:
        spec: `minilm` or None for the built-in all-MiniLM-L6-v2; anything else is a folder or a name on the Hugging Face
            hub, loaded by sentence-transformers (extra `models`).

    Raises:
        ModelError: The model cannot be loaded.
    """
    if spec is None or spec == DEFAULT_EMBEDDER:
        return OnnxMiniLM()
    from illumina.models.sentence_transformers import SentenceTransformerEmbedder  # noqa: PLC0415 - only who asks for it

    return SentenceTransformerEmbedder(spec)
