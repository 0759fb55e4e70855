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
from illumina.retain.entities.context import context_of, strangers
from illumina.retain.entities.decide import ACCEPT, Edge, Join, decide
from illumina.retain.entities.evidence import FULL
from illumina.retain.entities.forms import read
from illumina.retain.entities.nodes import Nodes, edges, grouped, pairs_of
from illumina.retain.entities.types import Entity, Evidence, Merge, Pins, Resolution

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from illumina.retain.entities.types import Mention

ENTITY_PREFIX: Final = "ent_"


def resolve(mentions: Iterable[Mention], pins: Pins | None = None) -> Resolution:
    """Group mentions into entities.

    Args:
        mentions: In any order; repeats of a mention count once.
        pins: What people have decided. Pairs with a mention that is not there are left aside.

    Raises:
        InvalidInputError: Two different mentions have one key.
    """
    pins = pins or Pins()
    nodes = Nodes(grouped(_ordered(mentions), pins))
    entities = sorted(decided(nodes, edges(nodes), pins), key=lambda entity: entity.id)
    return Resolution(tuple(entities), {key: entity.id for entity in entities for key in entity.mentions})


def decided(
    nodes: Nodes, scored: Mapping[tuple[int, int], Edge], pins: Pins, wanted: AbstractSet[int] | None = None
) -> Iterator[Entity]:
    """The entities of the blocks of some nodes, each block decided by itself.

    Args:
        nodes: All nodes of every form that has one in those blocks.
        scored: All scored pairs within those blocks.
        pins: What people have decided.
        wanted: Nodes whose blocks are asked for; all if None.
    """
    same, different = (_node_pairs(nodes, pairs) for pairs in (pins.same, pins.different))
    fullness = [nodes.forms[form].fullness for form in nodes.form_of]
    for block, inside, pinned in blocks(len(nodes.mentions), scored, same):
        if wanted is not None and wanted.isdisjoint(block):
            continue
        aliases = _aliases(nodes, block, pinned)
        inside |= {pair: nodes.edge(*pair, FULL) for pair in aliases}
        groups, joins = decide(block, inside, pinned, _Apart(nodes, different, same, aliases), fullness, nodes.crowded)
        yield from _entities(nodes, groups, joins, aliases)


def pinned_nodes(nodes: Nodes, pins: Pins) -> frozenset[tuple[int, int]]:
    """Pairs of nodes that pins have made one."""
    return _node_pairs(nodes, pins.same)


def _ordered(mentions: Iterable[Mention]) -> list[Mention]:
    found: dict[str, Mention] = {}
    for mention in mentions:
        if found.setdefault(mention.key, mention) != mention:
            raise InvalidInputError(
                f"Two different mentions have the key {mention.key!r}. Derive keys from what is mentioned where."
            )
    return [found[key] for key in sorted(found)]


def _node_pairs(nodes: Nodes, pairs: Iterable[tuple[str, str]]) -> frozenset[tuple[int, int]]:
    found = set()
    for one, other in pairs:
        if one in nodes.node_of and other in nodes.node_of and one != other:
            left, right = sorted((nodes.node_of[one], nodes.node_of[other]))
            found.add((left, right))
    return frozenset(found)


def blocks(
    count: int, scored: Mapping[tuple[int, int], Edge], same: Iterable[tuple[int, int]]
) -> Iterator[tuple[list[int], dict[tuple[int, int], Edge], list[tuple[int, int]]]]:
    """Connected components under accepted and pinned pairs: nodes, the pairs within, the pins within."""
    parent = list(range(count))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for left, right in (*(pair for pair, edge in scored.items() if edge.weight >= ACCEPT), *same):
        one, other = root(left), root(right)
        parent[max(one, other)] = min(one, other)
    found: defaultdict[int, tuple[list[int], dict[tuple[int, int], Edge], list[tuple[int, int]]]]
    found = defaultdict(lambda: ([], {}, []))
    for node in range(count):
        found[root(node)][0].append(node)
    for pair, edge in scored.items():
        if root(pair[0]) == root(pair[1]):
            found[root(pair[0])][1][pair] = edge
    for pair in same:
        found[root(pair[0])][2].append(pair)
    yield from (found[number] for number in sorted(found))


def _aliases(nodes: Nodes, block: Sequence[int], pinned: Iterable[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    """Pairs of nodes of a block whose two forms a pin in it has made names of one entity, so that later mentions follow."""
    of_form: defaultdict[int, list[int]] = defaultdict(list)
    for node in block:
        of_form[nodes.form_of[node]].append(node)
    forms = {tuple(sorted((nodes.form_of[left], nodes.form_of[right]))) for left, right in pinned}
    return frozenset(pair for one, other in forms if one != other for pair in pairs_of(nodes, of_form[one], of_form[other]))


class _Apart:
    """Whether two groups must stay apart: by a pin, or as they belong nowhere in common, or by their kinds or forms.

    Pins of the other sort excuse: a pair that is pinned, and forms that pins have made names of one entity.
    """

    def __init__(
        self,
        nodes: Nodes,
        different: frozenset[tuple[int, int]],
        same: frozenset[tuple[int, int]],
        aliases: AbstractSet[tuple[int, int]],
    ) -> None:
        self._nodes, self._different, self._same = nodes, different, same
        self._named = {node for pair in different for node in pair}
        self._aliases = {frozenset((nodes.form_of[left], nodes.form_of[right])) for left, right in aliases}

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
        if strangers((nodes.contexts[node] for node in left), (nodes.contexts[node] for node in right)):
            return True
        kinds = {nodes.kinds[node] for node in left} - {None}, {nodes.kinds[node] for node in right} - {None}
        if all(kinds) and kinds[0].isdisjoint(kinds[1]):
            return True
        mine, yours = ({nodes.form_of[node] for node in side} for side in (left, right))
        return any(
            nodes.exclude(one, other) and frozenset((one, other)) not in self._aliases for one in mine for other in yours
        )


def _entities(
    nodes: Nodes, groups: Iterable[Sequence[int]], joins: Sequence[Join], aliases: AbstractSet[tuple[int, int]]
) -> Iterator[Entity]:
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
            name=max({mention.name for mention in members}, key=lambda name: (len(read(name).tokens), len(name), name)),
            aliases=tuple(sorted({mention.name for mention in members})),
            mentions=tuple(sorted(mention.key for mention in members)),
            merges=tuple(_merge(nodes, join, aliases) for join in history[number]),
        )


def _founding(mention: Mention) -> tuple[bool, float, str]:
    seconds = context_of(mention).start
    return seconds is None, seconds or 0.0, mention.key


def _merge(nodes: Nodes, join: Join, aliases: AbstractSet[tuple[int, int]]) -> Merge:
    left, right = join.pair
    pair = nodes.mentions[left][0].key, nodes.mentions[right][0].key
    if join.score == float("inf"):
        evidence = [Evidence("pinned", join.score)]
    else:
        evidence = nodes.evidence(left, right, alias=join.pair in aliases)
    return Merge(nodes.mentions[join.left][0].key, nodes.mentions[join.right][0].key, join.score, pair, tuple(evidence))
