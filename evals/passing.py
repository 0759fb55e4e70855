"""An embedder that stands before another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from illumina.models.base import Embedder, IntegerVectors


class PassingEmbedder:
    """Passes everything on to another embedder, in whose name it works; what differs is a subclass's matter.

    Args:
        embedder: The other one.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """The other one's name."""
        return self._embedder.name

    @property
    def dimension(self) -> int:
        """The other one's dimension."""
        return self._embedder.dimension

    @property
    def fingerprint(self) -> str:
        """The other one's fingerprint."""
        return self._embedder.fingerprint

    def embed_documents(self, texts: Sequence[str]) -> IntegerVectors:
        """The other one's vectors, shape (len(texts), dimension)."""
        return self._embedder.embed_documents(texts)

    def embed_query(self, text: str) -> IntegerVectors:
        """The other one's vector, shape (dimension,)."""
        return self._embedder.embed_query(text)
