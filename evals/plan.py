"""What a run of a suite would be and do: known from the corpus alone, without a database and without a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evals.determinism import RECORDED_LEVEL
from evals.engine import Configuration
from evals.identity import identity
from evals.isolation import REPEATED
from evals.recorded import open_embedder
from evals.rundir import identity_digest
from evals.suite import load_corpus
from evals.types import FUSION
from illumina.retain.extract import facts_of
from illumina.retain.extractors import load_extractor
from illumina.retain.prepare import prepare

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from evals.determinism import Level
    from evals.suite import Suite
    from evals.types import Corpus
    from illumina.retain.extraction import Extractor

_EMBEDDING: Final = frozenset({FUSION, "semantic"})
"""The systems that embed a question."""

_RETAINED: Final[Mapping[Level, float]] = {"L2": 1, "L3": 1, "neighbours": 2 + REPEATED}
"""How often a level of determinism retains the corpus; a neighbour's repeated documents are drawn, so about so often."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The work that a suite makes.

    Attributes:
        suite: The suite's name.
        corpus: The corpus's name.
        documents: Documents that are retained, in all namespaces.
        facts: Facts that the engine makes of them.
        queries: Questions that are put to each system.
        systems: To what they are put.
        levels: The levels of determinism that the suite declares.
        embeddings: Texts that a run embeds, or looks up where the corpus carries its vectors: the facts, and each question
            for each system that compares vectors.
        determinism_embeddings: Texts that checking the levels embeds besides.
        identity: What a run's manifest will have as its identity.
        digest: SHA-256 of that, by which a run is named.
    """

    suite: str
    corpus: str
    documents: int
    facts: int
    queries: int
    systems: tuple[str, ...]
    levels: tuple[Level, ...]
    embeddings: int
    determinism_embeddings: int
    identity: Mapping[str, Any]
    digest: str


def plan(suite: Suite, *, data: Path | None) -> Plan:
    """Count the work of a suite and name the run that it would be.

    Args:
        suite: What would be run.
        data: The folder of the public corpora; only suites on them need it.

    Raises:
        IlluminaError: The corpus cannot be loaded, or a document not be retained; the message names the mend.
    """
    corpus = load_corpus(suite, data=data)
    extractor = load_extractor(suite.engine.extractor)
    named = identity(suite, corpus, Configuration(suite.engine.ranking, open_embedder(suite), extractor))
    facts, queries = _facts(corpus, extractor), len(corpus.queries)
    # A reference beside the levels, of which some retain anew; all but L4, which knows the answers, put every question again.
    retained = 1 + sum(_RETAINED.get(level, 0) for level in suite.determinism)
    asked = 1 + sum(level != RECORDED_LEVEL for level in suite.determinism)
    return Plan(
        suite=suite.name,
        corpus=corpus.name,
        documents=sum(map(len, corpus.documents.values())),
        facts=facts,
        queries=queries,
        systems=suite.systems,
        levels=suite.determinism,
        embeddings=facts + queries * sum(system in _EMBEDDING for system in suite.systems),
        determinism_embeddings=round(retained * facts) + asked * queries if suite.determinism else 0,
        identity=named,
        digest=identity_digest(named),
    )


def _facts(corpus: Corpus, extractor: Extractor) -> int:
    """How many facts are embedded; the same one twice is one."""
    return len(
        {
            (namespace, fact.id)
            for namespace, documents in corpus.documents.items()
            for document in documents
            for fact in facts_of(prepare(document, namespace), extractor)
        }
    )
