"""Mentions as nodes, and the scored pairs among them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from illumina.retain.entities.blocking import candidates
from illumina.retain.entities.context import context_of, reasons, together, weigh
from illumina.retain.entities.decide import LEAST, Edge
from illumina.retain.entities.evidence import FULL, compare
from illumina.retain.entities.forms import read
from illumina.retain.entities.types import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from illumina.retain.entities.context import Context
    from illumina.retain.entities.evidence import NameEvidence
    from illumina.retain.entities.forms import NameForm
    from illumina.retain.entities.types import Mention, Pins

FINE: Final = 32
"""Up to as many contexts of one form, each is a node; above, those of one kind, one home and one year are taken together.

What is mentioned every day is not told from itself by who stood beside it on which day, and may have thousands of contexts.
"""
ALL_PAIRS: Final = 64
"""Up to as many nodes of each of two forms, all pairs are weighed; above, each with its neighbours only."""
NEIGHBOURS: Final = 4
"""Neighbours in time, among all and among those that share something, where there are too many for all pairs."""


class Identity(NamedTuple):
    """What makes a node the one that it is, whatever else there is.

    Attributes:
        form: How it is named.
        kind: Its type, if known.
        context: What stands around it.
        own: The mention's key, if a pin has made it a node of its own.
    """

    form: NameForm
    kind: str | None
    context: Context
    own: str | None


Group = tuple[Identity, list["Mention"]]
"""A node's identity and its mentions, in the order of their keys."""


class Nodes:
    """Mentions with the same form, kind and context are one node, unless a pin says otherwise; see also `FINE`.

    Attributes:
        mentions: Of each node, sorted by key; nodes are sorted by their first one.
        identities: Of each node.
        contexts: Of each node.
        kinds: Of each node.
        forms: All forms; their order decides nothing.
        form_of: Of each node, a position in `forms`.
        of_form: Of each form, its nodes, sorted.
        node_of: Mention key to node.
        crowded: Nodes of forms that have so many that only some pairs are weighed.
    """

    def __init__(self, groups: Iterable[Group]) -> None:
        found = sorted(groups, key=lambda item: item[1][0].key)
        self.mentions = [members for _, members in found]
        self.identities = [identity for identity, _ in found]
        self.contexts = [identity.context for identity in self.identities]
        self.kinds = [identity.kind for identity in self.identities]
        self.forms = list(dict.fromkeys(identity.form for identity in self.identities))
        place = {form: number for number, form in enumerate(self.forms)}
        self.form_of = [place[identity.form] for identity in self.identities]
        self.of_form: list[list[int]] = [[] for _ in self.forms]
        for node, form_place in enumerate(self.form_of):
            self.of_form[form_place].append(node)
        self._excluding: dict[tuple[int, int], bool] = {}
        self.node_of = {mention.key: node for node, members in enumerate(self.mentions) for mention in members}
        self.crowded = frozenset(node for members in self.of_form if len(members) > ALL_PAIRS for node in members)

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

    def other_kinds(self, left: int, right: int) -> bool:
        """Whether both kinds are known and differ."""
        one, other = self.kinds[left], self.kinds[right]
        return one is not None and other is not None and one != other

    def place(self, node: int) -> tuple[object, ...]:
        """Where a node stands in time, and among those of one time by what it is, not by which mentions it has."""
        form, kind, context, own = self.identities[node]
        name = form.text, form.tokens, form.numbers, form.marks, form.channel, form.person
        return (
            *(context.start or 0.0, context.end or 0.0, context.start is None, name, kind is None, kind or "", own or ""),
            *(sorted(context.homes), sorted(context.nearby)),
        )


def grouped(mentions: Iterable[Mention], pins: Pins) -> list[Group]:
    """The nodes of mentions in the order of their keys; of each form there must be all or none. Forms do not meet in it."""
    pinned = {key for pair in pins.same for key in pair}
    alike: defaultdict[NameForm, defaultdict[Identity, list[Mention]]] = defaultdict(lambda: defaultdict(list))
    for mention in mentions:
        form = read(mention.name, mention.kind)
        own = mention.key if mention.key in pinned else None
        alike[form][Identity(form, mention.kind, context_of(mention), own)].append(mention)
    found = [
        group for groups in alike.values() for group in (groups if len(groups) <= FINE else _taken_together(groups)).items()
    ]
    return list(_parted(found, pins)) if pins.different else found


def _parted(found: list[Group], pins: Pins) -> Iterator[Group]:
    """The nodes, without mentions that are alike one of which a pin tells from the other: those become nodes of their own."""
    place = {mention.key: number for number, (_, members) in enumerate(found) for mention in members}
    out = {one for one, other in pins.different if one != other and place.get(one, -1) == place.get(other, -2)}
    for identity, members in found:
        if left := [mention for mention in members if mention.key not in out]:
            yield identity, left
        for mention in members if len(left) < len(members) else ():
            if mention.key in out:
                yield identity._replace(context=context_of(mention), own=mention.key), [mention]


def _taken_together(groups: dict[Identity, list[Mention]]) -> dict[Identity, list[Mention]]:
    parts: defaultdict[tuple[str | None, str | None, frozenset[str], str], list[Identity]] = defaultdict(list)
    for identity in groups:
        parts[identity.kind, identity.own, identity.context.homes, identity.context.year].append(identity)
    return {
        part[0]._replace(context=together([identity.context for identity in part])): sorted(
            (mention for identity in part for mention in groups[identity]), key=lambda mention: mention.key
        )
        for part in parts.values()
    }


def possible(left: NameForm, right: NameForm) -> NameEvidence | None:
    """What two names say; None if no context makes them one."""
    name = compare(left, right)
    return None if name.conflict or name.weight < LEAST else name


def edges(nodes: Nodes, forms: Iterable[tuple[int, int]] | None = None) -> dict[tuple[int, int], Edge]:
    """All candidate pairs whose names leave it possible that they are one, weighed.

    Args:
        nodes: All, and of each form all that there are.
        forms: Pairs of positions in `Nodes.forms`, a form with itself among them, to look at these alone; all if None.
    """
    if forms is None:
        forms = [*candidates(nodes.forms), *((form, form) for form in range(len(nodes.forms)))]
    found = {}
    for one, other in forms:
        name = possible(nodes.forms[one], nodes.forms[other])
        if name is None:
            continue
        for left, right in pairs_of(nodes, nodes.of_form[one], nodes.of_form[other]):
            if not nodes.other_kinds(left, right):
                found[left, right] = nodes.edge(left, right, name.weight, partial=name.partial)
    return found


def pairs_of(nodes: Nodes, lefts: Sequence[int], rights: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of nodes of two forms, the smaller first; of many only neighbours in time, overall and by what they share.

    The more nodes there are, the fewer are neighbours: of two nodes that are a pair among some, no fewer make them none.

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
    for node in sorted(sides, key=nodes.place):
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
