"""From a set of mentions to its entities.

The result is a function of the set: mentions are sorted before anything else, candidate pairs depend on the pair alone, and
blocks are decided as a whole, each by itself. So a new mention can change only the blocks that it is connected to.

**Ids.** An entity's id is made of the key of its founding mention, the earliest in time (those without a time last, then by
key). A memory grows mostly at its late end: what comes later leaves the founder, so the id, as it is, which an id made of all
members or of the fullest name would not be. When two entities turn out to be one, the older id stays; when one is split,
the part with the founder keeps it. Only earlier history, or forgetting the founder, gives another id, as it must, where the
database is to equal one that never saw it.
"""

from __future__ import annotations

from collections import defaultdict

from typing import TYPE_CHECKING, Final

from illumina.errors import InvalidInputError
from illumina.ids import content_uuid
from illumina.retain.entities.blocking import candidates
from illumina.retain.entities.context import Context, reasons, weigh
from illumina.retain.entities.decide import ACCEPT, LEAST, Edge, Join, decide
from illumina.retain.entities.evidence import compare
from illumina.retain.entities.forms import read
from illumina.retain.entities.types import Entity, Evidence, Merge, Pins, Resolution

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from illumina.retain.entities.forms import NameForm
    from illumina.retain.entities.types import Mention

ENTITY_PREFIX: Final = "ent_"
ALL_PAIRS: Final = 64
"""Up to as many nodes of each of two forms, all pairs are weighed; above, each with its neighbours only."""
NEIGHBOURS: Final = 8
"""Neighbours in time, among all and among those that share something, where there are too many for all pairs."""


class _Nodes:
    """Mentions with the same form, kind and context are one node, unless a pin names one of them."""

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
        # Forms in the order of their first mention: any order does, as it never decides.
        self.forms = list(dict.fromkeys(names))
        place = {form: number for number, form in enumerate(self.forms)}
        self.form_of = [place[form] for form in names]
        self.of_form: list[list[int]] = [[] for _ in self.forms]
        for node, form in enumerate(self.form_of):
            self.of_form[form].append(node)
        self._excluding: dict[tuple[int, int], bool] = {}
        self.node_of = {mention.key: node for node, members in enumerate(self.mentions) for mention in members}

    def evidence(self, left: int, right: int) -> list[Evidence]:
        """All that speaks for and against two nodes."""
        name = compare(self.forms[self.form_of[left]], self.forms[self.form_of[right]])
        return [*name.reasons, *reasons(self.contexts[left], self.contexts[right])]

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


def resolve(mentions: Iterable[Mention], pins: Pins | None = None) -> Resolution:
    """Group mentions into entities.

    Args:
        mentions: In any order; repeats of a mention count once.
        pins: What people have decided. Pairs with a mention that is not there are left aside.

    Raises:
        InvalidInputError: Two different mentions have one key.
    """
    pins = pins or Pins()
    ordered = _ordered(mentions)
    nodes = _Nodes(ordered, pins)
    same, different = (_node_pairs(nodes, pairs) for pairs in (pins.same, pins.different))
    edges = _edges(nodes)
    entities = []
    for block, inside, pinned in _blocks(len(nodes.mentions), edges, same):
        groups, joins = decide(block, inside, pinned, _Apart(nodes, different, same))
        entities += _entities(nodes, groups, joins)
    entities.sort(key=lambda entity: entity.id)
    return Resolution(tuple(entities), {key: entity.id for entity in entities for key in entity.mentions})


def _ordered(mentions: Iterable[Mention]) -> list[Mention]:
    found: dict[str, Mention] = {}
    for mention in mentions:
        if found.setdefault(mention.key, mention) != mention:
            raise InvalidInputError(f"Two different mentions have the key {mention.key!r}. Derive keys from what is mentioned where.")
    return [found[key] for key in sorted(found)]


def _node_pairs(nodes: _Nodes, pairs: Iterable[tuple[str, str]]) -> frozenset[tuple[int, int]]:
    found = set()
    for one, other in pairs:
        if one in nodes.node_of and other in nodes.node_of and one != other:
            left, right = sorted((nodes.node_of[one], nodes.node_of[other]))
            found.add((left, right))
    return frozenset(found)


def _edges(nodes: _Nodes) -> dict[tuple[int, int], Edge]:
    """All candidate pairs whose names leave it possible that they are one, weighed."""
    edges = {}
    same_form = ((form, form) for form in range(len(nodes.forms)))
    for pairs in (candidates(nodes.forms), same_form):
        for one, other in pairs:
            name = compare(nodes.forms[one], nodes.forms[other])
            if name.conflict or name.weight < LEAST:
                continue
            for left, right in _node_pairs_of(nodes, one, other):
                if not nodes.other_kinds(left, right):
                    weight = name.weight + sum(weigh(nodes.contexts[left], nodes.contexts[right]))
                    edges[left, right] = Edge(round(weight, 9), name.partial)
    return edges


def _node_pairs_of(nodes: _Nodes, one: int, other: int) -> Iterator[tuple[int, int]]:
    """Pairs of nodes of two forms, the smaller first; of many only neighbours in time, overall and by what they share."""
    lefts, rights = nodes.of_form[one], nodes.of_form[other]
    if len(lefts) <= ALL_PAIRS and len(rights) <= ALL_PAIRS:
        if one == other:
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
        if one == other or sides[left] != sides[right]
    }
    yield from sorted(found)


def _blocks(
    count: int, edges: dict[tuple[int, int], Edge], same: Iterable[tuple[int, int]]
) -> Iterator[tuple[list[int], dict[tuple[int, int], Edge], list[tuple[int, int]]]]:
    """Connected components under accepted and pinned pairs: nodes, the pairs within, the pins within."""
    parent = list(range(count))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for left, right in (*(pair for pair, edge in edges.items() if edge.weight >= ACCEPT), *same):
        one, other = root(left), root(right)
        parent[max(one, other)] = min(one, other)
    blocks: defaultdict[int, tuple[list[int], dict[tuple[int, int], Edge], list[tuple[int, int]]]]
    blocks = defaultdict(lambda: ([], {}, []))
    for node in range(count):
        blocks[root(node)][0].append(node)
    for pair, edge in edges.items():
        if root(pair[0]) == root(pair[1]):
            blocks[root(pair[0])][1][pair] = edge
    for pair in same:
        blocks[root(pair[0])][2].append(pair)
    yield from (blocks[number] for number in sorted(blocks))


class _Apart:
    """Whether two groups must stay apart: a person said so, their kinds differ, or their forms exclude each other.

    A form that both groups hold excludes nothing: pins have made it one with the rest.
    """

    def __init__(self, nodes: _Nodes, different: frozenset[tuple[int, int]], same: frozenset[tuple[int, int]]) -> None:
        self._nodes, self._different = nodes, different
        self._named = {node for pair in different for node in pair}
        self._same = same

    def __call__(self, left: Sequence[int], right: Sequence[int]) -> bool:
        nodes = self._nodes
        if self._different and any(
            (min(one, other), max(one, other)) in self._different
            for one in self._named.intersection(left)
            for other in self._named.intersection(right)
        ):
            return True
        if self._same and any((min(one, other), max(one, other)) in self._same for one in left for other in right):
            return False
        kinds = {nodes.kinds[node] for node in left} - {None}, {nodes.kinds[node] for node in right} - {None}
        if all(kinds) and kinds[0].isdisjoint(kinds[1]):
            return True
        mine, yours = ({nodes.form_of[node] for node in side} for side in (left, right))
        return any(nodes.exclude(one, other) for one in mine - yours for other in yours - mine)


def _entities(nodes: _Nodes, groups: Iterable[Sequence[int]], joins: Sequence[Join]) -> Iterator[Entity]:
    by_node = {node: number for number, group in enumerate(groups) for node in group}
    history: defaultdict[int, list[Join]] = defaultdict(list)
    for join in joins:
        history[by_node[join.left]].append(join)
    for number, group in enumerate(groups):
        members = [mention for node in group for mention in nodes.mentions[node]]
        founder = min(members, key=_founding)
        yield Entity(
            # ascii() because a key may hold what UTF-8 cannot.
            id=ENTITY_PREFIX + content_uuid("entity", ascii(founder.key)).hex,
            name=max((mention.name for mention in members), key=lambda name: (len(read(name).tokens), len(name), name)),
            aliases=tuple(sorted({mention.name for mention in members})),
            mentions=tuple(sorted(mention.key for mention in members)),
            merges=tuple(_merge(nodes, join) for join in history[number]),
        )


def _founding(mention: Mention) -> tuple[bool, float, str]:
    seconds = Context(mention).seconds
    return seconds is None, seconds or 0.0, mention.key


def _merge(nodes: _Nodes, join: Join) -> Merge:
    left, right = join.pair
    pair = nodes.mentions[left][0].key, nodes.mentions[right][0].key
    evidence = nodes.evidence(left, right)
    if join.score == float("inf"):
        evidence = [Evidence("pinned", join.score)]
    return Merge(nodes.mentions[join.left][0].key, nodes.mentions[join.right][0].key, join.score, pair, tuple(evidence))
