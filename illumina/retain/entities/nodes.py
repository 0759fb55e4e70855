"""Mentions as nodes, and the scored pairs among them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from illumina.retain.entities.blocking import candidates
from illumina.retain.entities.context import Context, reasons, weigh
from illumina.retain.entities.decide import LEAST, Edge
from illumina.retain.entities.evidence import FULL, compare
from illumina.retain.entities.forms import read
from illumina.retain.entities.types import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from illumina.retain.entities.types import Mention, Pins

ALL_PAIRS: Final = 64
"""Up to as many nodes of each of two forms, all pairs are weighed; above, each with its neighbours only."""
NEIGHBOURS: Final = 4
"""Neighbours in time, among all and among those that share something, where there are too many for all pairs."""


class Nodes:
    """Mentions with the same form, kind and context are one node, unless a pin names one of them.

    Attributes:
        mentions: Of each node, sorted by key; nodes are sorted by their first one.
        contexts: Of each node.
        kinds: Of each node.
        forms: All forms; their order decides nothing.
        form_of: Of each node, a position in `forms`.
        of_form: Of each form, its nodes, sorted.
        node_of: Mention key to node.
    """

    def __init__(self, mentions: Sequence[Mention], pins: Pins) -> None:
        pinned = {key for pair in (*pins.same, *pins.different) for key in pair}
        alike: defaultdict[tuple[object, ...], list[Mention]] = defaultdict(list)
        for mention in mentions:
            context = Context(mention)
            own = mention.key if mention.key in pinned else None
            alike[read(mention.name, mention.kind), mention.kind, context, own].append(mention)
        found = sorted(alike.items(), key=lambda item: item[1][0].key)
        self.mentions = [members for _, members in found]
        self.contexts: list[Context] = [key[2] for key, _ in found]  # type: ignore[misc]
        self.kinds = [members[0].kind for members in self.mentions]
        names = [read(members[0].name, members[0].kind) for members in self.mentions]
        self.forms = list(dict.fromkeys(names))
        place = {form: number for number, form in enumerate(self.forms)}
        self.form_of = [place[form] for form in names]
        self.of_form: list[list[int]] = [[] for _ in self.forms]
        for node, form in enumerate(self.form_of):
            self.of_form[form].append(node)
        self._excluding: dict[tuple[int, int], bool] = {}
        self.node_of = {mention.key: node for node, members in enumerate(self.mentions) for mention in members}

    def evidence(self, left: int, right: int, *, alias: bool = False) -> list[Evidence]:
        """All that speaks for and against two nodes; `alias` if a pin has made their names one."""
        if alias:
            return [Evidence("names made one by a pin", FULL), *reasons(self.contexts[left], self.contexts[right])]
        name = compare(self.forms[self.form_of[left]], self.forms[self.form_of[right]])
        return [*name.reasons, *reasons(self.contexts[left], self.contexts[right])]

    def edge(self, left: int, right: int, name: float, *, partial: bool = False) -> Edge:
        """Two nodes weighed, given what their names say."""
        weight = name + sum(weigh(self.contexts[left], self.contexts[right]))
        return Edge(round(weight, 9), partial)

    def exclude(self, one: int, other: int) -> bool:
        """Whether two forms are never one entity's."""
        pair = min(one, other), max(one, other)
        if pair not in self._excluding:
            self._excluding[pair] = compare(self.forms[one], self.forms[other]).conflict
        return self._excluding[pair]

    def crowded(self) -> frozenset[int]:
        """Nodes of forms that have so many that only some pairs are weighed."""
        return frozenset(node for members in self.of_form if len(members) > ALL_PAIRS for node in members)

    def other_kinds(self, left: int, right: int) -> bool:
        """Whether both kinds are known and differ."""
        one, other = self.kinds[left], self.kinds[right]
        return one is not None and other is not None and one != other


def edges(nodes: Nodes) -> dict[tuple[int, int], Edge]:
    """All candidate pairs whose names leave it possible that they are one, weighed."""
    found = {}
    same_form = ((form, form) for form in range(len(nodes.forms)))
    for pairs in (candidates(nodes.forms), same_form):
        for one, other in pairs:
            name = compare(nodes.forms[one], nodes.forms[other])
            if name.conflict or name.weight < LEAST:
                continue
            for left, right in pairs_of(nodes, nodes.of_form[one], nodes.of_form[other]):
                if not nodes.other_kinds(left, right):
                    found[left, right] = nodes.edge(left, right, name.weight, partial=name.partial)
    return found


def pairs_of(nodes: Nodes, lefts: Sequence[int], rights: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of nodes of two forms, the smaller first; of many only neighbours in time, overall and by what they share.

    Args:
        nodes: All.
        lefts: Nodes of the one form.
        rights: Nodes of the other; equal to `lefts` for pairs within a form.
    """
    one_form = lefts == rights
    if len(lefts) <= ALL_PAIRS and len(rights) <= ALL_PAIRS:
        if one_form:
            yield from ((left, right) for place, left in enumerate(lefts) for right in lefts[place + 1 :])
        else:
            yield from ((min(left, right), max(left, right)) for left in lefts for right in rights)
        return
    sides = {node: number for number, side in enumerate((lefts, rights)) for node in side}
    shared: defaultdict[str | None, list[int]] = defaultdict(list)
    for node in sorted(sides, key=lambda node: (nodes.contexts[node].seconds or 0.0, node)):
        for value in (None, *nodes.contexts[node].homes, *nodes.contexts[node].nearby):
            shared[value].append(node)
    found = {
        (min(left, right), max(left, right))
        for line in shared.values()
        for place, left in enumerate(line)
        for right in line[place + 1 : place + 1 + NEIGHBOURS]
        if one_form or sides[left] != sides[right]
    }
    yield from sorted(found)
