"""Bring entities up to date with mentions and rulings, block by block.

What is decided about a mention rests on its block alone: the mentions that it is connected to by names and contexts that speak
for one entity, or by rulings (`illumina.retain.entities.resolver`). Blocks are found by walking from what has changed, form of
name by form of name, over `name_pairs`. One thing reaches beyond a block: of a form with very many mentions contexts are taken
together, and only some pairs are weighed. So what is weighed is compared before and after a change, for all forms that it
touches, and whatever differs is walked from as well.

A mention stands beside the other names in the same fact; its time is when what the fact tells of began, or else when it was
said. So nothing but the facts given changes when facts come or go, and what is connected to them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from illumina.ids import content_key, public_id
from illumina.retain import mentions as naming
from illumina.retain.entities import Mention, Pins, resolve
from illumina.retain.entities.decide import ACCEPT, Edge
from illumina.retain.entities.index import form_id
from illumina.retain.entities.nodes import Group, Nodes, edges, grouped
from illumina.retain.entities.resolver import ENTITY_PREFIX, blocks, decided, pinned_nodes
from illumina.retain.mentions import MENTION_PREFIX
from illumina.store import entities as store
from illumina.store import mentions, rulings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from collections.abc import Set as AbstractSet
    from uuid import UUID

    from illumina.retain.entities import Entity, Merge
    from illumina.retain.entities.nodes import Identity
    from illumina.store.database import Session
    from illumina.store.mentions import Placed

    Scored = dict[tuple[int, int], Edge]


def affected(session: Session, facts: AbstractSet[UUID]) -> set[UUID]:
    """Facts other than the given whose entities may change if the given ones go or change; asked before they do.

    Of each block that may change there is one fact at least, which is what `settle` needs; not every fact of it.
    """
    named = mentions.of(session, facts)
    around = _Surroundings(session)
    around.expand({form for _, _, form in named})
    gone = {_key(mention) for _, mention, _ in named} & around.rows.keys()
    if not gone:
        return set()
    before, after = around.nodes(), around.nodes(without=gone)
    touched = _touched(before, around.edges(before), after, around.edges(after))
    touched |= {key for pair in around.pins.same if not gone.isdisjoint(pair) for key in pair if key in around.rows}
    return {around.rows[key].fact for key in touched - gone} - set(facts)


def affected_by_pin(session: Session, kind: rulings.Kind, one: UUID, other: UUID) -> set[UUID]:
    """Facts whose entities may change if a ruling on two mentions comes or goes; asked before it does."""
    pair = frozenset({(_key(one), _key(other))})
    around = _Surroundings(session)
    without = Pins(around.pins.same - pair, around.pins.different - pair)
    same, different = (without.same | pair, without.different) if kind == "same" else (without.same, without.different | pair)
    around.expand(mentions.forms(session, [one, other]))
    apart, pinned = around.nodes(pins=without), around.nodes(pins=Pins(same, different))
    touched = _touched(apart, around.edges(apart), pinned, around.edges(pinned)) | {_key(one), _key(other)}
    return {around.rows[key].fact for key in touched & around.rows.keys()}


def settle(session: Session, facts: AbstractSet[UUID]) -> set[UUID]:
    """Bring the entities of all blocks that the given facts touch to what resolving everything would give.

    The namespace must be locked.

    Args:
        session: Of the namespace.
        facts: All that have come, gone or changed since entities were settled, and what `affected` returned for them.

    Returns:
        The facts that are not gone and of which a mention is another entity's than before, or of an entity that has another
        name or kind.
    """
    changed, old = store.unresolve_retired(session, facts)
    named = mentions.of(session, facts)
    around = _Surroundings(session)
    around.expand({form for _, _, form in named})
    given = {_key(mention) for _, mention, _ in named} & around.rows.keys()
    nodes = around.nodes()
    scored = around.all_edges(nodes)
    touched = set(given)
    new = {key for key in given if around.rows[key].entity is None}
    # Without what is new, entities are settled; without all that is given, in case some of it has only changed.
    for without in {frozenset(new), frozenset(given)}:
        if without and len(without) < len(around.rows):
            before = around.nodes(without=without)
            touched |= _touched(before, around.edges(before), nodes, scored)
    while missing := around.unexpanded(reached := _reached(around, nodes, scored, touched), nodes):
        around.expand(missing)
        nodes = around.nodes()
        scored = around.all_edges(nodes)
    found = list(decided(nodes, scored, around.pins, {nodes.node_of[key] for key in touched}))
    assert {key for entity in found for key in entity.mentions} == reached
    return changed | _write(session, found, {key: around.rows[key] for key in reached}, old)


def rebuild(session: Session) -> None:
    """Read all names and resolve all mentions anew, as a whole; changes nothing that is right. The namespace must be locked."""
    naming.reindex(session)
    store.clear(session)
    rows = {_key(row.id): row._replace(entity=None) for row in mentions.placed(session, None)}
    pins, _ = _pins(session)
    _write(session, resolve(map(_mention, rows.values()), pins).entities, rows, set())


class _Surroundings:
    """The mentions around what has changed, as far as they are looked at.

    Of each form all mentions are there; of each expanded form also those of all forms that may be the same entity's.

    Attributes:
        rows: By key.
        pins: All of the namespace.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.rows: dict[str, Placed] = {}
        self.pins, self._partners = _pins(session)
        self._mentions: defaultdict[UUID, list[Mention]] = defaultdict(list)
        self._groups: dict[UUID, list[Group]] = {}
        self._loaded: set[UUID] = set()
        self._expanded: set[UUID] = set()
        self._pairs: set[tuple[UUID, UUID]] = set()
        self._weighed: dict[tuple[UUID, UUID], list[tuple[str, str, Edge]]] = {}

    def expand(self, forms: AbstractSet[UUID]) -> None:
        """Look at all that may be the same entity as a mention of one of the forms."""
        new = set(forms) - self._expanded
        self._expanded |= new
        related = mentions.related(self._session, new)
        self._pairs |= {(min(pair), max(pair)) for pair in related} | {(form, form) for form in new}
        self._load(new.union(other for _, other in related))

    def _load(self, forms: AbstractSet[UUID]) -> None:
        while new := set(forms) - self._loaded:
            self._loaded |= new
            rows = {_key(row.id): row for row in mentions.placed(self._session, new)}
            self.rows |= rows
            for row in sorted(rows.values(), key=lambda row: row.id):
                self._mentions[row.form].append(_mention(row))
            for form in {row.form for row in rows.values()}:
                self._groups[form] = grouped(self._mentions[form], self.pins)
            forms = {form for key in self._partners.keys() & rows.keys() for form in self._partners[key]}

    def nodes(self, *, without: AbstractSet[str] = frozenset(), pins: Pins | None = None) -> Nodes:
        """What is there as nodes."""
        if not without and pins is None:
            return Nodes(group for groups in self._groups.values() for group in groups)
        left = (mention for mentions in self._mentions.values() for mention in mentions if mention.key not in without)
        return Nodes(grouped(left, pins or self.pins))

    def edges(self, nodes: Nodes) -> Scored:
        """The scored pairs of which one side is of an expanded form."""
        place = {form_id(form): number for number, form in enumerate(nodes.forms)}
        return edges(nodes, [(place[one], place[other]) for one, other in self._pairs if one in place and other in place])

    def all_edges(self, nodes: Nodes) -> Scored:
        """The same of the nodes of everything that is there; what was weighed before is not weighed again."""
        place = {form_id(form): number for number, form in enumerate(nodes.forms)}
        new = [pair for pair in self._pairs - self._weighed.keys() if pair[0] in place and pair[1] in place]
        for pair in new:
            self._weighed[pair] = [
                (nodes.mentions[left][0].key, nodes.mentions[right][0].key, edge)
                for (left, right), edge in edges(nodes, [(place[pair[0]], place[pair[1]])]).items()
            ]
        node = nodes.node_of
        return {
            (min(node[left], node[right]), max(node[left], node[right])): edge
            for weighed in self._weighed.values()
            for left, right, edge in weighed
        }

    def unexpanded(self, keys: Iterable[str], nodes: Nodes) -> set[UUID]:
        """Forms of the given mentions around which was not yet looked."""
        return {form_id(nodes.forms[nodes.form_of[node]]) for node in {nodes.node_of[key] for key in keys}} - self._expanded


def _reached(around: _Surroundings, nodes: Nodes, scored: Scored, touched: Iterable[str]) -> set[str]:
    wanted = {nodes.node_of[key] for key in touched}
    return {
        mention.key
        for block, _, _ in blocks(len(nodes.mentions), scored, pinned_nodes(nodes, around.pins))
        if not wanted.isdisjoint(block)
        for node in block
        for mention in nodes.mentions[node]
    }


def _touched(before: Nodes, scored_before: Scored, after: Nodes, scored_after: Scored) -> set[str]:
    """A mention of each node about which something else is weighed before and after, apart from what its own block shows.

    That is: nodes that came to be or have other mentions; nodes that are connected with one that came to be or ceased to be;
    and pairs of other nodes that are weighed only before or only after, or differently.
    """
    old = {identity: node for node, identity in enumerate(before.identities)}
    new = {identity: node for node, identity in enumerate(after.identities)}
    found = {
        node
        for identity, node in new.items()
        if identity not in old
        or before.mentions[old[identity]] != after.mentions[node]
        or (old[identity] in before.crowded) != (node in after.crowded)
    }
    for one, other, weights in _differences(before, scored_before, after, scored_after):
        stay = one in old and one in new, other in old and other in new
        if all(stay) or any(weight is not None and weight >= ACCEPT for weight in weights):
            found.update(new[identity] for identity in (one, other) if identity in new)
    return {after.mentions[node][0].key for node in found}


def _differences(
    before: Nodes, scored_before: Scored, after: Nodes, scored_after: Scored
) -> list[tuple[Identity, Identity, tuple[float | None, float | None]]]:
    numbers: dict[Identity, int] = {}
    for identity in (*before.identities, *after.identities):
        numbers.setdefault(identity, len(numbers))
    identities = list(numbers)
    weighed: list[dict[tuple[int, int], Edge]] = []
    for nodes, scored in ((before, scored_before), (after, scored_after)):
        number = [numbers[identity] for identity in nodes.identities]
        weighed.append(
            {
                (min(number[left], number[right]), max(number[left], number[right])): edge
                for (left, right), edge in scored.items()
            }
        )
    old, new = weighed
    return [
        (identities[one], identities[other], tuple(None if edge is None else edge.weight for edge in edges_of))  # type: ignore[misc]
        for one, other in old.keys() | new.keys()
        if (edges_of := (old.get((one, other)), new.get((one, other))))[0] != edges_of[1]
    ]


def _write(session: Session, found: Collection[Entity], rows: Mapping[str, Placed], old: set[UUID]) -> set[UUID]:
    """Store the entities of whole blocks, whose mentions are `rows`; returns the facts for which something else holds now."""
    made = {}
    facts: set[UUID] = set()
    assigned: list[tuple[UUID, UUID]] = []
    for entity in found:
        members = [rows[key] for key in entity.mentions]
        row = store.Entity(
            content_key(ENTITY_PREFIX, entity.id),
            entity.name,
            _kind(members),
            list(entity.aliases),
            [_json(merge) for merge in entity.merges],
        )
        made[row.id] = row, members
        moved = [member for member in members if member.entity != row.id]
        facts.update(member.fact for member in moved)
        assigned += [(member.id, row.id) for member in moved]
    old = old.union(row.entity for row in rows.values() if row.entity is not None)
    labels = store.labels(session, made.keys())
    for entity_id, (row, members) in made.items():
        if labels.get(entity_id, (row.name, row.kind)) != (row.name, row.kind):
            facts.update(member.fact for member in members)
    store.upsert(session, (row for row, _ in made.values()))
    if assigned:
        store.assign(session, *zip(*assigned, strict=True))
    store.remove_empty(session, old - made.keys())
    return facts


def _pins(session: Session) -> tuple[Pins, dict[str, set[UUID]]]:
    """All rulings that hold, and for each mention that one names the forms of the other sides."""
    same: set[tuple[str, str]] = set()
    different: set[tuple[str, str]] = set()
    partners: defaultdict[str, set[UUID]] = defaultdict(set)
    for kind, one, other, form_of_one, form_of_other in rulings.active(session):
        pair = _key(one), _key(other)
        (same if kind == "same" else different).add(pair)
        partners[pair[0]].add(form_of_other)
        partners[pair[1]].add(form_of_one)
    return Pins(frozenset(same), frozenset(different)), partners


def _key(mention: UUID) -> str:
    return public_id(MENTION_PREFIX, mention)


def _mention(row: Placed) -> Mention:
    return Mention(_key(row.id), row.name, row.kind, frozenset(row.homes), frozenset(row.nearby), row.moment)


def _kind(members: Iterable[Placed]) -> str | None:
    """The most frequent one, of equally frequent ones the first in the alphabet."""
    counts = Counter(member.kind for member in members if member.kind is not None)
    return min(counts, key=lambda kind: (-counts[kind], kind), default=None)


def _json(merge: Merge) -> dict[str, Any]:
    """A merge as it is stored; the score of a pin is null."""
    pinned = merge.score == float("inf")
    return {
        "left": merge.left,
        "right": merge.right,
        "score": None if pinned else merge.score,
        "pair": list(merge.pair),
        "evidence": [{"reason": e.reason, "weight": None if pinned else e.weight} for e in merge.evidence],
    }
