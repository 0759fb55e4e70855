"""Group one block: mean linkage under constraints, then what is only part of a name goes to the one entity that it fits.

A block is a set of nodes connected by pairs whose evidence reaches `ACCEPT`. All of it is looked at in sorted order and decided
by the means over all pairs across two groups, so neither the order of arrival nor anything outside the block matters.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

ACCEPT: Final = 5.0
"""Evidence from which a pair of mentions is taken for one entity."""
MEAN: Final = 0.0
"""Least mean evidence over all pairs across two groups that are joined."""
LEAST: Final = -2.0
"""Least evidence of the names alone: below it they are two names, and no context makes them one."""
MISSING: Final = -1.0
"""Evidence of a pair across two groups whose names are two, or look nothing alike."""
MARGIN: Final = 1.0
"""By how much the best full name must fit part of a name better than the next one."""


class Edge(NamedTuple):
    """A scored pair of nodes; `partial` if one's name is only part of the other's."""

    weight: float
    partial: bool


@dataclass(frozen=True, slots=True)
class Join:
    """Two groups, by their smallest nodes, that were joined, and the strongest pair across them."""

    left: int
    right: int
    score: float
    pair: tuple[int, int]


@dataclass(slots=True)
class _Link:
    total: float = 0.0
    count: int = 0
    sparse: int = 0
    best: float = float("-inf")
    pair: tuple[int, int] = (0, 0)
    whole: bool = False

    def add(self, other: _Link) -> None:
        self.total += other.total
        self.count += other.count
        self.sparse += other.sparse
        self.whole = self.whole or other.whole
        if (-other.best, other.pair) < (-self.best, self.pair):
            self.best, self.pair = other.best, other.pair


@dataclass(slots=True)
class _Groups:
    members: dict[int, list[int]]
    links: dict[int, dict[int, _Link]]
    crowded: frozenset[int]
    joins: list[Join] = field(default_factory=list)
    sizes: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sizes = {group: int(group not in self.crowded) for group in self.members}

    def mean(self, left: int, right: int) -> float:
        """Rounded, so that the order of summing cannot decide."""
        link = self.links[left][right]
        pairs = self.sizes[left] * self.sizes[right]
        return round((link.total + MISSING * (pairs - link.count)) / max(pairs + link.sparse, 1), 9)

    def join(self, left: int, right: int, score: float) -> int:
        """Join two groups; the one with the smaller node gives the name."""
        left, right = min(left, right), max(left, right)
        link = self.links[left].pop(right)
        del self.links[right][left]
        self.joins.append(Join(left, right, score, link.pair))
        for other, theirs in self.links.pop(right).items():
            del self.links[other][right]
            mine = self.links[left].setdefault(other, _Link())
            mine.add(theirs)
            self.links[other][left] = mine
        self.members[left] += self.members.pop(right)
        self.sizes[left] += self.sizes.pop(right)
        return left


def decide(
    nodes: Sequence[int],
    edges: Mapping[tuple[int, int], Edge],
    pinned: Iterable[tuple[int, int]],
    apart: Callable[[Sequence[int], Sequence[int]], bool],
    fullness: Sequence[int],
    crowded: frozenset[int],
) -> tuple[list[list[int]], list[Join]]:
    """Group the nodes of one block.

    Args:
        nodes: Sorted.
        edges: All scored pairs of the block, for and against, the smaller node first.
        pinned: Pairs that are one whatever the evidence.
        apart: Whether two groups must stay apart; overrules everything.
        fullness: Of each node, how much its name says; part of a name goes to a fuller one.
        crowded: Nodes of which only some pairs were weighed; the others say nothing, instead of `MISSING`.

    Returns:
        The groups, each sorted and all by their smallest node, and the joins in the order in which they were decided.
    """
    groups = _Groups({node: [node] for node in nodes}, {node: {} for node in nodes}, crowded)
    for (left, right), edge in sorted(edges.items()):
        sparse = left in crowded or right in crowded
        whole = edge.weight >= ACCEPT and not edge.partial
        link = _Link(edge.weight, int(not sparse), int(sparse), edge.weight, (left, right), whole)
        groups.links[left][right] = groups.links[right][left] = link
    _join_pinned(groups, pinned, apart)
    _join_whole(groups, apart)
    _join_parts(groups, apart, fullness)
    return sorted(sorted(members) for members in groups.members.values()), groups.joins


def _join_pinned(
    groups: _Groups, pinned: Iterable[tuple[int, int]], apart: Callable[[Sequence[int], Sequence[int]], bool]
) -> None:
    holder = {node: node for node in groups.members}
    for left, right in sorted(pinned):
        one, other = holder[left], holder[right]
        if one == other or apart(groups.members[one], groups.members[other]):
            continue
        link = groups.links[one].setdefault(other, _Link())
        link.pair = (left, right)
        groups.links[other][one] = link
        kept = groups.join(one, other, float("inf"))
        for node in groups.members[kept]:
            holder[node] = kept


def _join_whole(groups: _Groups, apart: Callable[[Sequence[int], Sequence[int]], bool]) -> None:
    """Always the two groups with the highest mean, as long as any pair across them is accepted and the mean suffices."""
    heap = [
        (-groups.mean(left, right), left, right)
        for left, links in groups.links.items()
        for right, link in links.items()
        if left < right and link.whole
    ]
    heapq.heapify(heap)
    while heap:
        negative, left, right = heapq.heappop(heap)
        link = groups.links.get(left, {}).get(right)
        if link is None or not link.whole or groups.mean(left, right) != -negative or -negative < MEAN:
            continue
        if apart(groups.members[left], groups.members[right]):
            link.whole = False
            continue
        kept = groups.join(left, right, -negative)
        for other, link in groups.links[kept].items():
            if link.whole:
                heapq.heappush(heap, (-groups.mean(kept, other), min(kept, other), max(kept, other)))


def _join_parts(groups: _Groups, apart: Callable[[Sequence[int], Sequence[int]], bool], fullness: Sequence[int]) -> None:
    """Groups that are part of a name go to the fuller name that they fit, unless another one fits nearly as well."""
    full = {group: max(fullness[node] for node in members) for group, members in groups.members.items()}
    choices = []
    for part in sorted(groups.members):
        fits = sorted(
            (-groups.mean(part, other), other, link.best)
            for other, link in groups.links[part].items()
            if full[part] < full[other] and not apart(groups.members[part], groups.members[other])
        )
        if not fits or -fits[0][0] < MEAN or fits[0][2] < ACCEPT:
            continue
        if len(fits) == 1 or fits[1][0] - fits[0][0] >= MARGIN:
            choices.append((fits[0][0], part, fits[0][1]))
    holder = {group: group for group in groups.members}
    for negative, part, other in sorted(choices):
        one, another = holder[part], holder[other]
        if one == another or another not in groups.links[one] or apart(groups.members[one], groups.members[another]):
            continue
        kept = groups.join(one, another, -negative)
        for group, now in holder.items():
            if now in {one, another}:
                holder[group] = kept
