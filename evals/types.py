"""The nouns of the harness, frozen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from illumina.types import Document

Unit = Literal["segment", "document"]

FUSION = "fusion"
"""The name under which the engine's own ranking stands beside each arm alone."""


@dataclass(frozen=True, slots=True)
class Query:
    """One question put to one namespace.

    Attributes:
        id: Unique in its corpus, without white space.
        text: The question.
        query_class: Its class, such as `paraphrase`; metrics are reported by class.
        namespace: Where it is asked.
        cluster: What it was sampled with (a dialogue); intervals resample clusters, not queries.
        headline: Whether it counts in the headline figures. A class that is reported apart (LoCoMo category 5) has False.
        reference_time: The moment relative dates in the question refer to.
        hidden: Keys of the documents that were not there yet when it was asked; its rankings leave them out.
    """

    id: str
    text: str
    query_class: str
    namespace: str
    cluster: str
    headline: bool = True
    reference_time: datetime | None = None
    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents, questions and judgements.

    Attributes:
        name: The corpus's name.
        unit: What is judged: a segment (an utterance, a paragraph) or a whole document.
        documents: Namespace to its documents, in the order of their time.
        queries: The questions, in the order of the source.
        qrels: Query id to judged unit to grade (1 or more is relevant; 0 is judged and not relevant). A unit is named
            `key` for a document and `key#label` for a segment. A query without relevant units is absent or empty.
        counts: What the loader saw and what it did about the source's traps, for the manifest.
        digest: SHA-256 in hexadecimal over everything above that can change a result.
    """

    name: str
    unit: Unit
    documents: Mapping[str, Sequence[Document]]
    queries: Sequence[Query]
    qrels: Mapping[str, Mapping[str, int]]
    counts: Mapping[str, int] = field(default_factory=dict)
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one system answered to one query.

    Attributes:
        query_id: The query.
        system: The system.
        units: Without repeats, best first.
        scores: Strictly falling.
        response: SHA-256 of the canonical response, explanations included, as `evals.determinism` compares it; empty where
            nobody asked for it.
    """

    query_id: str
    system: str
    units: tuple[str, ...]
    scores: tuple[float, ...]
    response: str = ""


@dataclass(frozen=True, slots=True)
class Timing:
    """How long one query took, in milliseconds; environment, never identity."""

    query_id: str
    system: str
    stage: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class RunData:
    """Everything that a report is made of.

    Attributes:
        suite: The suite's name.
        corpus: What was replayed.
        rankings: One for each system and query, systems in report order (`fusion` first).
        timings: Measured durations.
        identity: All that can change the result; its digest names the run.
        environment: All else: host, versions, provider, dates, durations.
    """

    suite: str
    corpus: Corpus
    rankings: Sequence[Ranking]
    timings: Sequence[Timing]
    identity: Mapping[str, object]
    environment: Mapping[str, object]
