"""What each component and each constant is worth: the engine with one thing changed, on one suite.

```python
from evals.ablation import ablate, sweep
from evals.suite import load_suite

ablate(load_suite("core")).frame
sweep(load_suite("core"), {"rrf_k": [10, 60], "bm25_b": [0.0, 0.75]}).frame
```

Documents are retained once and each text is embedded once, whatever the number of variants; only a constant on which
retained state depends gets a database of its own. Which components there are the engine's registry says
(`illumina.recall.components`). The frame's columns are described in `evals/ablation_frame.py`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from evals.ablation_dir import Ablation
from evals.ablation_frame import frame_of
from evals.identity import environment, identity
from evals.passing import PassingEmbedder
from evals.postgres import AUTO, open_provider
from evals.recorded import open_embedder
from evals.replay import ask, steps
from evals.suite import load_corpus
from evals.types import FUSION
from evals.variants import ablations, grid
from illumina import Memory
from illumina.models.registry import load_embedder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evals.ablation_frame import Answers
    from evals.postgres import PostgresProvider
    from evals.suite import Suite
    from evals.types import Corpus
    from evals.variants import Variant
    from illumina import Ranking
    from illumina.models.base import Embedder, IntegerVectors


def ablate(suite: Suite, *, data: Path | None = None, postgres: str = AUTO, embedder: Embedder | str | None = None) -> Ablation:
    """The full engine, and each registered component left out and left in, by the fused ranking.

    Args:
        suite: What is replayed; its measures are taken.
        data: The folder of the public corpora.
        postgres: `auto`, `embedded`, `testcontainers` or a DSN.
        embedder: A model, or the name or path of one; the one that the suite asks for if None.

    Raises:
        IlluminaError: The corpus, the database or the model cannot be used; the message names the mend.
    """
    return _run(
        suite, "ablation", ablations(base=suite.engine.ranking), (FUSION,), data=data, postgres=postgres, embedder=embedder
    )


def sweep(
    suite: Suite,
    settings: Mapping[str, Sequence[float]],
    *,
    data: Path | None = None,
    postgres: str = AUTO,
    embedder: Embedder | str | None = None,
) -> Ablation:
    """The engine with the suite's constants and with every combination of the given ones, for each system of the suite.

    Args:
        suite: What is replayed; its measures and systems are taken.
        settings: Fields of `illumina.settings.Ranking` to the values to try.
        data: The folder of the public corpora.
        postgres: `auto`, `embedded`, `testcontainers` or a DSN.
        embedder: A model, or the name or path of one; the one that the suite asks for if None.

    Raises:
        InvalidInputError: There is no such constant, or a value is not of its type.
        IlluminaError: The corpus, the database or the model cannot be used; the message names the mend.
    """
    return _run(
        suite, "sweep", grid(settings, suite.engine.ranking), suite.systems, data=data, postgres=postgres, embedder=embedder
    )


class RememberingEmbedder(PassingEmbedder):
    """Has each text embedded once. For one thread."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self._documents: dict[str, IntegerVectors] = {}
        self._queries: dict[str, IntegerVectors] = {}

    def embed_documents(self, texts: Sequence[str]) -> IntegerVectors:
        """As the other does, those texts only that are new."""
        new = [text for text in dict.fromkeys(texts) if text not in self._documents]
        if new:
            self._documents.update(zip(new, self._embedder.embed_documents(new), strict=True))
        return np.array([self._documents[text] for text in texts], np.int8).reshape(len(texts), self.dimension)

    def embed_query(self, text: str) -> IntegerVectors:
        """As the other does, once a text."""
        if text not in self._queries:
            self._queries[text] = self._embedder.embed_query(text)
        return self._queries[text]


def _run(
    suite: Suite,
    purpose: str,
    variants: tuple[Variant, ...],
    systems: tuple[str, ...],
    *,
    data: Path | None,
    postgres: str,
    embedder: Embedder | str | None,
) -> Ablation:
    corpus = load_corpus(suite, data=data)
    chosen = load_embedder(embedder) if isinstance(embedder, str) else embedder
    model = open_embedder(suite) if chosen is None else chosen
    started, clock = datetime.now(UTC), perf_counter()
    with open_provider(postgres) as provider:
        answers, named = _answers(provider, RememberingEmbedder(model), suite, corpus, variants, systems)
        where = environment(provider.describe())
    named["variants"] = [variant.describe() for variant in variants]
    frame = frame_of(corpus, variants, systems, suite.measures, answers)
    where |= {"started": started.isoformat(timespec="seconds"), "seconds": round(perf_counter() - clock, 1)}
    return Ablation(suite.name, purpose, _lead(suite), variants, named, where, frame)


def _answers(
    provider: PostgresProvider,
    embedder: Embedder,
    suite: Suite,
    corpus: Corpus,
    variants: Sequence[Variant],
    systems: Sequence[str],
) -> tuple[Answers, dict[str, Any]]:
    """Every system of every variant over every question, equal variants once; and the identity of the full engine."""
    answers: Answers = {}
    named: dict[str, Any] = {}
    distinct = list({variant.configuration: variant for variant in variants}.values())
    groups: dict[Ranking, list[Variant]] = {}
    for variant in distinct:
        groups.setdefault(variant.retained, []).append(variant)
    total = sum(map(len, corpus.documents.values())) * len(groups) + len(corpus.queries) * len(distinct) * len(systems)
    with tqdm(total=total, desc=f"ablate {corpus.name}", disable=None, leave=False) as bar:
        for retained, members in groups.items():
            with (
                provider.fresh_database() as dsn,
                Memory.open(dsn, embedder=embedder, extractor=suite.engine.extractor, ranking=retained) as memory,
            ):
                named = named or identity(suite, corpus, memory)
                for step in steps(corpus):
                    memory.retain_many(step.documents, namespace=step.namespace, progress=bar.update)
                    for variant in members:
                        for system in systems:
                            rankings = answers.setdefault((variant.configuration, system), {})
                            for query in step.queries:
                                rankings[query.id], _ = ask(
                                    memory,
                                    query,
                                    system,
                                    corpus.unit,
                                    suite.depth,
                                    components=variant.components,
                                    ranking=variant.ranking,
                                )
                                bar.update()
    return answers, named


def _lead(suite: Suite) -> str:
    """The measure that the suite puts first when it judges, else nDCG, else its first."""
    if suite.gate is not None:
        return suite.gate.measures[0].name
    return "ndcg_at_10" if "ndcg_at_10" in suite.measures else suite.measures[0]
