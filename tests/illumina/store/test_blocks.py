"""What the exact scan reads follows what is embedded, whatever is written in whichever order."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import psycopg
import pytest

from illumina.store import blocks
from illumina.store.contract import MAX_DIMENSION
from illumina.types import Document
from tests.support import check_blocks, dump, rows, run

if TYPE_CHECKING:
    from uuid import UUID

    from illumina import Memory


def fill(dsn: str, dimension: int, places: int) -> None:
    vector = np.full(dimension, 127).tolist()
    run(
        dsn,
        "insert into illumina.blocks (namespace, block, norms, facts, vectors) select 0, 1, array_agg(1), "
        f"array_agg(gen_random_uuid()), array_agg('{vector}'::halfvec) from generate_series(1, {places})",
    )
    run(dsn, "delete from illumina.blocks where namespace = 0")


@pytest.mark.parametrize("dimension", [1, 2, 63, 64, 255, 383, 384, 512, 767, 768, 1021, 1023, MAX_DIMENSION])
def test_a_full_block_fits_a_page(dsn: str, dimension: int) -> None:
    fill(dsn, dimension, blocks.capacity(dimension))


@pytest.mark.parametrize("dimension", [384, 512, 768, MAX_DIMENSION])
def test_no_more_would_fit(dsn: str, dimension: int) -> None:
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="row is too big"):
        fill(dsn, dimension, blocks.capacity(dimension) + 1)


def test_every_dimension_has_a_place() -> None:
    assert all(blocks.capacity(dimension) >= 1 for dimension in range(1, MAX_DIMENSION + 1))


def superseded(memory: Memory, facts: list[UUID], *, now: bool) -> None:
    with memory._database.write("default") as session:
        session.execute(
            "update illumina.embeddings set superseded = %(now)s where namespace = %(namespace)s and fact = any(%(facts)s)",
            {"facts": facts, "now": now},
        )
        blocks.change(session, **{"removed" if now else "added": facts})


@pytest.mark.parametrize("seed", range(3))
def test_blocks_follow_what_is_embedded(memory: Memory, dsn: str, seed: int) -> None:
    chance = random.Random(seed)
    hidden: list[UUID] = []
    for _ in range(15):
        texts = [f"word{chance.randrange(300)} word{chance.randrange(300)}" for _ in range(chance.choice([1, 3, 40]))]
        # A key that was there before: what only its former version said is retired.
        memory.retain_many([Document("\n\n".join(texts), key=str(chance.randrange(5)))])
        check_blocks(dsn)
        there = [fact for (fact,) in rows(dsn, "select fact from illumina.embeddings where not superseded order by fact")]
        gone = chance.sample(there, len(there) // 4)
        superseded(memory, gone, now=True)
        hidden += gone
        check_blocks(dsn)
        known = {fact for (fact,) in rows(dsn, "select fact from illumina.embeddings where superseded")}
        back = [fact for fact in hidden if fact in known and chance.random() < 0.5]
        hidden = [fact for fact in hidden if fact in known and fact not in back]
        superseded(memory, back, now=False)
        check_blocks(dsn)
    before = dump(dsn)
    assert before["blocks"]
    with memory._database.write("default") as session:
        blocks.rebuild(session)
    check_blocks(dsn)
    assert dump(dsn) == before


def test_what_is_superseded_is_not_found(memory: Memory, dsn: str) -> None:
    memory.retain("alpha beta\n\nalpha gamma")
    ((fact,),) = rows(dsn, "select fact from illumina.facts where content = 'alpha beta'")
    assert {r.content for r in memory.recall("alpha beta", components=["semantic"]).results} == {"alpha beta", "alpha gamma"}
    superseded(memory, [fact], now=True)
    assert [r.content for r in memory.recall("alpha beta", components=["semantic"]).results] == ["alpha gamma"]


def test_the_last_fact_leaves_no_block(memory: Memory, dsn: str) -> None:
    memory.retain("alpha", key="k")
    ((fact,),) = rows(dsn, "select fact from illumina.facts")
    superseded(memory, [fact], now=True)
    assert rows(dsn, "select count(*) from illumina.blocks") == [(0,)]
    superseded(memory, [fact], now=False)
    check_blocks(dsn)
