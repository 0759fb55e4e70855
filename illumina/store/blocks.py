"""The vectors of a namespace as the exact scan reads them: several a row, one behind the other in memory.

PostgreSQL fills a page from its end, so a scan of one vector a row meets them in falling addresses, where the processor
fetches nothing ahead; see decision 4. Which fact is in which block depends on the order of writing, what is found does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection
    from uuid import UUID

    from illumina.store.database import Session

_ROOM: Final = 8_048
"""Bytes of a page of 8 kB that are left to a block's elements: 8,160 a row, less its head, its key and three arrays' heads."""

_MOST: Final = 16
"""Each place of a block is an expression of the scan."""


def capacity(dimension: int) -> int:
    """How many vectors a full block holds: as many as a page takes."""
    vector = 8 + 4 * ((dimension + 1) // 2)  # its header; two bytes a component, up to the next four
    return min(_MOST, _ROOM // (vector + 8 + 16))  # a norm, an id


def change(session: Session, *, added: Collection[UUID] = (), removed: Collection[UUID] = ()) -> None:
    """Follow `embeddings`, where `added` are found now and `removed` no longer; only the last block is ever not full.

    Superseded facts and namespaces in the HNSW index have no blocks. The namespace must be locked.

    Args:
        session: A writing one.
        added: In no block yet.
        removed: May be in a block.
    """
    if not added and not removed:
        return
    # Why: what is left of a block that loses a fact fills up the last block, together with what is new. Looking into every
    # block is bounded by the threshold of the HNSW index and takes less than a scan.
    touched = "facts && %(removed)s::uuid[] or " if removed else ""
    emptied = session.execute(
        f"delete from illumina.blocks where namespace = %(namespace)s and ({touched}block = "
        "(select max(block) from illumina.blocks where namespace = %(namespace)s)) returning facts",
        {"removed": list(removed)},
    )
    _fill(session, list({fact for (facts,) in emptied for fact in facts}.difference(removed).union(added)))


def rebuild(session: Session) -> None:
    """Make the blocks of a namespace anew, or none if it is in the HNSW index."""
    # Why: above the threshold vectors are kept once; and a rebuild believes nothing of what is there.
    session.execute("delete from illumina.blocks where namespace = %(namespace)s")
    _fill(session, None)


def _fill(session: Session, facts: list[UUID] | None) -> None:
    # Why: the capacity follows from the pinned dimension.
    row = session.execute("select dimension from illumina.contract").fetchone()
    assert row is not None, "pinned before anything is written"
    chosen = "" if facts is None else "and fact = any(%(facts)s) "
    # Why: copied within the database, behind the last block.
    session.execute(
        "insert into illumina.blocks (namespace, block, norms, facts, vectors) "
        "select %(namespace)s, last + 1 + (place - 1) / %(capacity)s as block, array_agg(norm order by place),"
        "  array_agg(fact order by place), array_agg(embedding order by place) "
        "from (select fact, norm, embedding, row_number() over (order by fact) as place from illumina.embeddings"
        f"  where namespace = %(namespace)s {chosen}and not approximate and not superseded) vectors,"
        "  (select coalesce(max(block), 0) as last from illumina.blocks where namespace = %(namespace)s) numbered "
        "group by block",
        {"facts": facts, "capacity": capacity(row[0])},
    )
