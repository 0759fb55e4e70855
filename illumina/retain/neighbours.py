"""The nearest neighbours of some facts among all, exactly, page by page."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet
    from uuid import UUID

    from numpy.typing import NDArray

    from illumina.store.nearest import Vectors

BLOCK: Final = 512
"""Rows compared with a page at once: 16 MB of cosines for a page of 4,096."""


class Neighbours:
    """Collects, over the pages of all live facts, the nearest of `rows`, and who is near to a new fact.

    Cosines are of integer vectors: their products are exact in single precision whatever the order of the sum, and the quotient
    is the same double whichever of the two facts asks, rounded to 9 decimals. Equal ones are ordered by id.

    Args:
        rows: The facts whose neighbours are sought.
        new: Those of them that may be the neighbours of facts that are not among `rows`.
        most: How many neighbours a fact has at most.
        least: The least cosine of neighbours.
    """

    def __init__(self, rows: Vectors, new: AbstractSet[UUID], *, most: int, least: float) -> None:
        self._rows = rows
        self._known = set(rows[0])
        self._new = np.array([fact in new for fact in rows[0]], dtype=bool)
        self._most, self._least = most, least
        self._found: defaultdict[UUID, dict[UUID, float]] = defaultdict(dict)
        self._offered: defaultdict[UUID, dict[UUID, float]] = defaultdict(dict)

    def compare(self, page: Vectors) -> None:
        """Take in some of the facts that neighbours may be."""
        facts, matrix, norms = page
        ours, ids, their_ids = self._rows[0], _halves(self._rows[0]), _halves(facts)
        unknown = np.array([fact not in self._known for fact in facts], dtype=bool)
        for start in range(0, len(ours), BLOCK):
            block = slice(start, start + BLOCK)
            products = (self._rows[1][block] @ matrix.T).astype(np.float64)
            cosines = np.minimum(np.round(products / (self._rows[2][block, None] * norms[None, :]), 9), 1.0)
            row, column = self._hits(cosines, self._most + 1, axis=1)  # one of them may be the fact itself
            weight = cosines[row, column]
            row = row + start
            other = (ids[row] != their_ids[column]).any(axis=1)
            self._keep(self._found, ours, facts, (row[other], column[other], weight[other]), their_ids)
            offered, able = np.flatnonzero(self._new[block]), np.flatnonzero(unknown)
            cosines = cosines[np.ix_(offered, able)]
            row, column = self._hits(cosines, self._most, axis=0)
            self._keep(self._offered, facts, ours, (able[column], offered[row] + start, cosines[row, column]), ids)

    def _hits(self, cosines: NDArray[np.float64], most: int, *, axis: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where facts are near enough, of each line along an axis the best only and what equals the last of these."""
        size = cosines.shape[axis]
        least: NDArray[np.float64] | float = self._least
        if 0 < most < size:
            # Sorting all hits costs more than finding them where everything is alike.
            least = np.maximum(np.partition(cosines, size - most, axis=axis).take([size - most], axis=axis), least)
        row, column = np.nonzero(cosines >= least)
        return row, column

    def _keep(
        self,
        into: defaultdict[UUID, dict[UUID, float]],
        facts: list[UUID],
        others: list[UUID],
        hits: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]],
        other_ids: NDArray[np.uint64],
    ) -> None:
        """Add each fact's best hits: positions of the fact and of the other one, and their cosine."""
        fact, other, weight = hits
        best = self._best(fact, weight, other_ids[other])
        for one, two, cosine in zip(fact[best].tolist(), other[best].tolist(), weight[best].tolist(), strict=True):
            into[facts[one]][others[two]] = cosine

    def found(self) -> Iterator[tuple[UUID, UUID, float]]:
        """Each of `rows`, a neighbour, and the cosine."""
        for fact, near in self._found.items():
            for other, weight in sorted(near.items(), key=lambda pair: (-pair[1], pair[0]))[: self._most]:
                yield fact, other, weight

    def offered(self) -> dict[UUID, dict[UUID, float]]:
        """For facts not among `rows`: new facts that may be neighbours, with the cosine."""
        return dict(self._offered)

    def _best(self, group: NDArray[np.int64], weight: NDArray[np.float64], ids: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Positions of the first `most` of each group, by weight and then by id."""
        order = np.lexsort((ids[:, 1], ids[:, 0], -weight, group))
        ranked = group[order]
        first = np.searchsorted(ranked, ranked)  # where the group of each begins
        kept: NDArray[np.int64] = order[np.arange(len(order)) - first < self._most]
        return kept


def _halves(facts: list[UUID]) -> NDArray[np.uint64]:
    """Ids as two numbers each, which are ordered as PostgreSQL orders the ids."""
    raw = b"".join(fact.bytes for fact in facts)
    return np.frombuffer(raw, dtype=">u8").reshape(-1, 2).astype(np.uint64)
