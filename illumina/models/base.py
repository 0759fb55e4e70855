"""What the engine asks of a model. Everything here can be down: see `ModelUnavailableError`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

GRID_SCALE: Final = 512
GRID_LIMIT: Final = 127

IntegerVectors = npt.NDArray[np.int8]


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into integer vectors."""

    @property
    def name(self) -> str:
        """The model's name, for people."""
        ...

    @property
    def dimension(self) -> int:
        """How many components a vector has."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes with everything that can change a vector: weights, tokeniser, pooling, truncation, grid."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> IntegerVectors:
        """Vectors of stored texts, shape (len(texts), dimension).

        Raises:
            ModelUnavailableError: The model did not answer.
        """
        ...

    def embed_query(self, text: str) -> IntegerVectors:
        """The vector of one query, shape (dimension,); some models embed queries differently.

        Raises:
            ModelUnavailableError: The model did not answer.
        """
        ...


def euclidean_length(vector: IntegerVectors) -> float:
    """The Euclidean length of one integer vector: the correctly rounded square root of an exact integer."""
    exact = vector.astype(np.int64)
    return math.sqrt(int(exact @ exact))


def to_grid(unit_vectors: npt.NDArray[np.floating]) -> IntegerVectors:
    """Round unit vectors to the integer grid: round(512·x), half to even, clipped to ±127.

    Integers up to 2048 are exact in half precision and an inner product of two such vectors stays below 2^24
    for up to 1024 dimensions, so that float accumulation is exact in every order.

    Args:
        unit_vectors: Shape (…, dimension), each of Euclidean length 1.
    """
    scaled = np.rint(unit_vectors.astype(np.float64) * GRID_SCALE)
    return np.clip(scaled, -GRID_LIMIT, GRID_LIMIT).astype(np.int8)
