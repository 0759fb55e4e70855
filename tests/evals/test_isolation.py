from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from evals.determinism import Level, check
from evals.isolation import retain_among_neighbours
from illumina import Memory
from tests.support import HashingEmbedder, rows

if TYPE_CHECKING:
    from evals.postgres import PostgresProvider
    from evals.types import Corpus
    from illumina import Answer


class Overhearing(Memory):
    """Scores fall with every document that any namespace was told: the same everywhere, until there are neighbours."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.told = 0

    def retain_many(self, documents: Any, **options: Any) -> Any:
        documents = list(documents)
        self.told += len(documents)
        return super().retain_many(documents, **options)

    def recall(self, query: str, **options: Any) -> Answer:
        answer = super().recall(query, **options)
        return replace(answer, results=tuple(replace(found, score=found.score / self.told) for found in answer.results))


def test_a_leak_is_caught_among_neighbours_alone_and_a_query_shows_it(mini: Corpus, provider: PostgresProvider) -> None:
    levels: tuple[Level, ...] = ("L1", "L2", "L3", "neighbours")
    outcomes = check(provider, lambda dsn: Overhearing.open(dsn, embedder=HashingEmbedder()), mini, levels, depth=10, seed=1)
    assert [outcome.identical for outcome in outcomes] == [True, True, True, False]
    assert outcomes[-1].difference is not None
    assert outcomes[-1].difference[0] == "q1"


def test_a_decoy_holds_the_same_documents_in_another_order_and_some_of_them_again(
    mini: Corpus, provider: PostgresProvider
) -> None:
    embedder = HashingEmbedder()
    with provider.fresh_database() as dsn, Memory.open(dsn, embedder=embedder, extractor="verbatim") as memory:
        retain_among_neighbours(memory, mini, Random(2))
        held = rows(dsn, "select n.name, d.key from illumina.documents d join illumina.namespaces n using (namespace)")
        assert memory.count(namespace="mini") == 7
    keys = {str(document.key) for document in mini.documents["mini"]}
    assert {key for name, key in held if name == "mini"} == keys
    decoys = {key for name, key in held if name == "decoy of mini"}
    assert keys < decoys
    assert len(decoys) == len(keys) + 1
    assert {name for name, _ in held} == {"mini", "decoy of mini"}
    assert set(embedder.embedded) == set(embedder.embedded[:7])  # recorded embeddings have every text
    assert len(embedder.embedded) > 14
