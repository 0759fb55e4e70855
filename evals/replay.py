"""Replay a corpus through the engine: retain its documents, put its questions, write down the rankings."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tqdm import tqdm

from evals.types import FUSION, Ranking, Timing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evals.journal import Journal
    from evals.types import Corpus, Query, Unit
    from illumina import Answer, Document, Memory, Result
    from illumina import Ranking as Constants

RESULTS_PER_DOCUMENT: Final = 20
"""Where whole documents are judged, this many facts are fetched for each document wanted, since many facts share one."""


class Step(NamedTuple):
    """Documents that are retained next, and the questions that are then asked of the namespace."""

    namespace: str
    documents: Sequence[Document]
    queries: Sequence[Query]


def steps(corpus: Corpus) -> Iterator[Step]:
    """The corpus as it unfolds: a question is asked before the documents that are hidden from it are retained.

    Where nothing is hidden, a namespace is one step: all its documents, then all its questions.
    """
    for namespace, documents in corpus.documents.items():
        waiting = list(documents)
        queries = [query for query in corpus.queries if query.namespace == namespace]
        queries.sort(key=lambda query: -len(query.hidden))  # stable: the corpus's order within
        for hidden, asked in groupby(queries, key=lambda query: query.hidden):
            visible = [document for document in waiting if document.key not in hidden]
            waiting = [document for document in waiting if document.key in hidden]
            yield Step(namespace, visible, list(asked))
        if waiting:
            yield Step(namespace, waiting, [])


def replay(
    memory: Memory,
    corpus: Corpus,
    systems: Sequence[str],
    depth: int,
    *,
    journal: Journal | None = None,
    responses: bool = False,
) -> tuple[list[Ranking], list[Timing]]:
    """Retain the corpus and put every question to every system.

    Args:
        memory: An empty one.
        corpus: What is retained and asked.
        systems: `fusion` for the engine's own ranking, or the name of an arm for that arm alone.
        depth: The most units in a ranking.
        journal: Keeps each answer. What it has already is not asked again, and a namespace of which it has all answers is
            not even retained.
        responses: Give the rankings of `fusion` the digests of its responses, which takes some milliseconds each.

    Returns:
        A ranking for each system and question, systems in the given order and questions in the corpus's, and how long
        each stage of each took.

    Raises:
        KeyboardInterrupt: Between two answers, if the journal guards them.
    """
    answers = {} if journal is None else dict(journal.taken)
    open_namespaces = {query.namespace for query in corpus.queries for system in systems if (system, query.id) not in answers}
    asked_namespaces = {query.namespace for query in corpus.queries}
    total = sum(map(len, corpus.documents.values())) + len(systems) * len(corpus.queries)
    with tqdm(total=total, desc=f"replay {corpus.name}", disable=None, leave=False, initial=len(answers)) as bar:

        def progress(documents: int) -> None:
            bar.update(documents)
            if journal is not None:
                journal.pause()

        for step in steps(corpus):
            if answers and step.namespace in asked_namespaces - open_namespaces:
                bar.update(len(step.documents))
                continue
            memory.retain_many(step.documents, namespace=step.namespace, progress=progress)
            for system in systems:
                for query in step.queries:
                    if (system, query.id) in answers:
                        continue
                    whole = responses and system == FUSION
                    answers[system, query.id] = answer = ask(memory, query, system, corpus.unit, depth, whole=whole)
                    bar.update()
                    if journal is not None:
                        journal.keep(*answer)
            if journal is not None:
                journal.sync()
    found = [answers[system, query.id] for system in systems for query in corpus.queries]
    return [ranking for ranking, _ in found], [timing for _, timings in found for timing in timings]


def retain(memory: Memory, corpus: Corpus, progress: Callable[[int], object] | None = None) -> None:
    """Retain every document of every namespace, in the corpus's order."""
    for namespace, documents in corpus.documents.items():
        memory.retain_many(documents, namespace=namespace, progress=progress)


def ask(
    memory: Memory,
    query: Query,
    system: str,
    unit: Unit,
    depth: int,
    *,
    components: Sequence[str] | None = None,
    ranking: Constants | None = None,
    whole: bool = False,
) -> tuple[Ranking, list[Timing]]:
    """Put one question to one system.

    Args:
        memory: Holds what is asked about.
        query: The question.
        system: As for `replay`.
        unit: What is judged.
        depth: The most units in the ranking.
        components: What works instead of that which the system's name says.
        ranking: The constants; the memory's own if None.
        whole: Whether the ranking gets the digest of the whole response.
    """
    limit = depth if unit == "segment" else depth * RESULTS_PER_DOCUMENT
    if components is None and system != FUSION:
        components = [system]
    answer = recall(memory, query, limit=limit, components=components, ranking=ranking, explain=whole)
    timings = [Timing(query.id, system, stage, spent) for stage, spent in answer.timings.items()]
    found = to_ranking(query, system, answer.results, unit, depth)
    return replace(found, response=response_digest(answer.to_json())) if whole else found, timings


def response_digest(response: bytes) -> str:
    """SHA-256, in hexadecimal, of a response's canonical bytes."""
    return hashlib.sha256(response).hexdigest()


def recall(memory: Memory, query: Query, **options: Any) -> Answer:  # noqa: ANN401 (those of `Memory.recall`)
    """Put a question to its namespace; an error says which question it was."""
    try:
        return memory.recall(query.text, namespace=query.namespace, **options)
    except Exception as error:
        error.add_note(f"The question was {query.id}: {query.text}")
        raise


def to_ranking(query: Query, system: str, results: Sequence[Result], unit: Unit, depth: int) -> Ranking:
    """The judged units behind results: each at its best place, with the score that it has there."""
    scores: dict[str, float] = {}
    for result in results:
        scores.setdefault(unit_of(result, unit), result.score)
    units = tuple(scores)[:depth]
    return Ranking(query.id, system, units, tuple(scores[name] for name in units))


def unit_of(result: Result, unit: Unit) -> str:
    """The name under which a result is judged: `key` or `key#label`."""
    key = result.document or result.document_id
    return key if unit == "document" else f"{key}#{result.segment}"
