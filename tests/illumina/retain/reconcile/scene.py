"""Facts put straight into a database, what becomes of them, and what should."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from illumina.ids import content_uuid
from illumina.retain.reconcile import affected, settle, supersedes
from illumina.retain.reconcile.statements import Named, Statement
from illumina.store import derived, stale
from illumina.store import documents as ledger
from illumina.store import facts as store
from illumina.store import forget as forgetting
from illumina.types import Category, Confidence, EventTime, Fact, Segment, Visibility

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime
    from uuid import UUID

    from illumina.store.database import Session

KEYS = {0: "adr/0007-use-kafka.md", 1: "ADR-12"}


@dataclass(frozen=True)
class Told:
    """A fact by its number; of three successive numbers one document has the facts."""

    number: int
    content: str
    moment: datetime | None = None
    said: datetime | None = None
    category: Category | None = "architecture"
    confidence: Confidence = "high"
    visibility: Visibility = "shared"
    names: tuple[Named, ...] = ()

    @property
    def id(self) -> UUID:
        return content_uuid("told", self.number, self.content)

    @property
    def document(self) -> int:
        return self.number // 3

    @property
    def fact(self) -> Fact:
        return Fact(
            id=self.id,
            document=content_uuid("document", self.document),
            version=1,
            ordinal=self.number % 3,
            segment=Segment(0, 1, "1", None, self.said),
            source="test",
            content=self.content,
            category=self.category,
            confidence=self.confidence,
            event=EventTime(self.moment, None, "day") if self.moment else None,
        )

    @property
    def statement(self) -> Statement:
        return Statement(
            id=self.id,
            content=self.content,
            digest=self.fact.content_digest,
            confidence=self.confidence,
            source="test",
            document=self.fact.document,
            key=KEYS.get(self.document),
            ordinal=self.number % 3,
            moment=self.moment or self.said,
            said=self.said,
            visibility=self.visibility,
            agent="ann",
            names=self.names,
        )


def tell(session: Session, facts: Sequence[Told]) -> None:
    """Retain facts: new ones, ones that were retired, or ones that are there and say something else of their time."""
    ledger.lock_namespace(session)
    ids = [fact.id for fact in facts]
    embedded = store.embedded(session, ids)
    there = derived.current(session) & set(ids)
    kept = [fact for fact in facts if fact.id in there]
    stale.mark(session, {fact.id for fact in facts} | affected(session, {fact.id for fact in kept}))
    for fact in facts:
        session.execute(
            "insert into illumina.documents (namespace, document, version, source, key, body, metadata, digest, state, agent) "
            "values (%(namespace)s, %(document)s, 1, 'test', %(key)s, 'x', '{}', %(document)s, 'retained', 'ann') "
            "on conflict do nothing",
            {"document": fact.fact.document, "key": KEYS.get(fact.document)},
        )
    store.keep(session, [fact.fact for fact in kept])
    new = [fact for fact in facts if fact.id not in there]
    store.add(session, [fact.fact for fact in new], {fact.id: np.ones(64, np.int8) for fact in new if fact.id not in embedded})
    for fact in facts:
        session.execute(
            "update illumina.facts set visibility = %(visibility)s where namespace = %(namespace)s and fact = %(fact)s",
            {"visibility": fact.visibility, "fact": fact.id},
        )
        for ordinal, named in enumerate(fact.names):
            name(session, fact, ordinal, named)


def name(session: Session, fact: Told, ordinal: int, named: Named) -> None:
    mention = content_uuid("mention", fact.id.hex, ordinal)
    session.execute(
        "insert into illumina.mentions (namespace, mention, fact, ordinal, name, form) "
        "values (%(namespace)s, %(mention)s, %(fact)s, %(ordinal)s, %(name)s, %(mention)s) on conflict do nothing",
        {"mention": mention, "fact": fact.id, "ordinal": ordinal, "name": named.name},
    )
    if named.entity is not None:
        session.execute(
            "insert into illumina.entities (namespace, entity, name, aliases, merges) "
            "values (%(namespace)s, %(entity)s, 'x', '{}', '[]') on conflict do nothing",
            {"entity": named.entity},
        )
        session.execute(
            "insert into illumina.resolved (namespace, mention, entity) values (%(namespace)s, %(mention)s, %(entity)s) "
            "on conflict (namespace, mention) do update set entity = excluded.entity",
            {"mention": mention, "entity": named.entity},
        )


def cause(session: Session, causes: Collection[tuple[UUID, str, UUID]]) -> None:
    ledger.lock_namespace(session)
    for one, kind, other in causes:
        session.execute(
            "insert into illumina.causal (namespace, cause, effect, kind, cue) "
            "values (%(namespace)s, %(one)s, %(other)s, %(kind)s, 'because') on conflict do nothing",
            {"one": one, "kind": kind, "other": other},
        )
        stale.mark(session, [one, other])


def retire(session: Session, facts: Collection[UUID]) -> None:
    ledger.lock_namespace(session)
    stale.mark(session, set(facts) | affected(session, facts))
    store.retire(session, facts, 2)


def forget(session: Session, facts: Collection[UUID]) -> None:
    ledger.lock_namespace(session)
    around = affected(session, facts)
    session.execute(
        "delete from illumina.resolved r using illumina.mentions m where r.namespace = %(namespace)s "
        "and m.namespace = %(namespace)s and m.mention = r.mention and m.fact = any(%(facts)s)",
        {"facts": list(facts)},
    )
    session.execute(
        "delete from illumina.mentions where namespace = %(namespace)s and fact = any(%(facts)s)", {"facts": list(facts)}
    )
    forgetting.forget_facts(session, facts)
    stale.mark(session, around)


def settled(session: Session) -> set[UUID]:
    ledger.lock_namespace(session)
    return settle(session, stale.take(session))


def rebuild(session: Session) -> None:
    """As `illumina.retain.settle.rebuild`, but that entities stay."""
    ledger.lock_namespace(session)
    derived.wipe(session)
    everything = derived.current(session)
    store.reindex(session, everything)
    settle(session, everything)


TABLES = ("facts", "embeddings", "postings", "lexemes", "namespaces", "supersessions", "claims", "suspects")


def state(session: Session) -> dict[str, list[Any]]:
    """All rows that are settled, or follow from that."""
    return {
        table: session.execute(
            f'select * from illumina.{table} t where namespace = %(namespace)s order by t::text collate "C"', prepare=None
        ).fetchall()
        for table in TABLES
    }


def rows(session: Session) -> set[tuple[UUID, UUID, str, str | None]]:
    """Old, new, extent and part of all that was found."""
    found = session.execute("select old, new, extent, part from illumina.supersessions where namespace = %(namespace)s")
    return {(old, new, extent, part) for old, new, extent, part in found}


def expected_rows(statements: Sequence[Statement]) -> set[tuple[UUID, UUID, str, str | None]]:
    """The same by looking at all pairs, one by one."""
    found: set[tuple[UUID, UUID, str, str | None]] = set()
    for old in statements:
        for new in sorted(statements, key=lambda it: (it.rank, it.ordinal, it.id.bytes)):
            if verdict := supersedes(new, old):
                found.add((old.id, new.id, verdict.extent, verdict.part))
                if verdict.extent == "whole":
                    break
    return found


def expected_suspects(causes: Collection[tuple[UUID, str, UUID]], holds: dict[UUID, bool]) -> set[tuple[UUID, UUID]]:
    """By walking back from each fact that holds."""
    before = defaultdict(set)
    for one, kind, other in causes:
        if kind != "prevents":
            before[other].add(one)
    found = set()
    for fact in (fact for fact, it_holds in holds.items() if it_holds):
        seen: set[UUID] = set()
        todo = [fact]
        while todo:
            for one in before[todo.pop()] - seen:
                seen.add(one)
                if holds[one]:
                    todo.append(one)
                else:
                    found.add((fact, one))
    return found
