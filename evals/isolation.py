"""Neighbours: a database whose other namespaces hold what a leak would show.

Beside each namespace of the corpus stands a decoy with the same documents in another order, retained before it, and with some
of them once more under other names and from another source, retained after it. Whatever crosses the wall between namespaces
then changes a response: a fact has a twin with another id, each statistic of words has grown, each statement has one more
origin, and half of what a query finds before its filter is somebody else's. All texts are the corpus's own, so that recorded
embeddings serve as well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tqdm import tqdm

if TYPE_CHECKING:
    from random import Random

    from evals.types import Corpus
    from illumina import Document, Memory

DECOY: Final = "decoy of "
"""What a decoy's name begins with."""

REPEATED: Final = 0.25
"""The share of a namespace's documents that its decoy holds twice."""


def retain_among_neighbours(memory: Memory, corpus: Corpus, random: Random) -> None:
    """Retain the corpus in its order, each namespace between the two parts of its decoy."""
    for namespace, documents in tqdm(corpus.documents.items(), desc="neighbours: retain", disable=None, leave=False):
        decoy = DECOY + namespace
        memory.retain_many(random.sample(list(documents), len(documents)), namespace=decoy)
        memory.retain_many(documents, namespace=namespace)
        repeated = random.sample(list(documents), round(REPEATED * len(documents)))
        memory.retain_many([_again(document, number) for number, document in enumerate(repeated)], namespace=decoy)


def _again(document: Document, number: int) -> Document:
    return replace(document, key=f"decoy {number}", source=f"decoy of {document.source}")
