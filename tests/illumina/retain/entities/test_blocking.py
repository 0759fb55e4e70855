from __future__ import annotations

import psycopg

from illumina.retain.entities.blocking import SIMILAR, candidates, trigrams
from illumina.retain.entities.forms import read

NAMES = (
    *(
        "Sarah Chen",
        "Sara Chen",
        "schen",
        "Chen, Sarah",
        "checkout-service v2",
        "Jean-Luc O'Brien",
        "x",
        "",
        "a b",
        "ILLUM-123",
    ),
    *("Sarah Chan", "Bob Hill", "Robert Hill", "Kubernetes", "Kuberentes", "Müller", "Mueller", "...", "aaa aaa"),
)


def test_trigrams_and_similarity_are_those_of_pg_trgm(database: str) -> None:
    texts = [read(name).text for name in NAMES]
    with psycopg.connect(database) as connection:
        connection.execute("create extension pg_trgm")
        for text in texts:
            row = connection.execute("select show_trgm(%s)", (text,)).fetchone()
            assert row is not None
            assert set(row[0]) == trigrams(text), text
        rows = connection.execute(
            "select a.n, b.n from unnest(%(t)s::text[]) with ordinality a(t, n), unnest(%(t)s::text[]) with ordinality b(t, n) "
            "where a.n < b.n and a.t %% b.t",
            {"t": texts},
        ).fetchall()
        limit = connection.execute("select current_setting('pg_trgm.similarity_threshold')::float").fetchone()
    assert limit == (SIMILAR,)
    ours = set(candidates([read(name) for name in NAMES]))
    assert {(left - 1, right - 1) for left, right in rows} <= ours


def test_keys_find_what_trigrams_miss() -> None:
    def met(left: str, right: str) -> bool:
        return list(candidates([read(left), read(right)])) == [(0, 1)]

    assert met("schen", "Sarah Chen")
    assert met("Liz Lee", "Elizabeth Lee")
    assert met("Bob", "Robert")
    assert met("Bob", "Robert Hill")
    assert met("Pjotr Tschaikowski", "Pyotr Tchaikovsky")
    assert not met("Sarah Chen", "Bob Hill")
