"""The digest that says whether two runs saw the same corpus."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from illumina.canonical import dumps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evals.types import Corpus, Query
    from illumina.types import Document, Utterance


def with_digest(corpus: Corpus) -> Corpus:
    """The corpus with the digest of what it holds."""
    return replace(corpus, digest=corpus_digest(corpus))


def corpus_digest(corpus: Corpus) -> str:
    """SHA-256 in hexadecimal over everything in a corpus that can change a result or a figure.

    Mappings count as sets and times as instants: neither the order of keys nor the zone in which a time was
    written changes the digest. The order of documents and of questions does, since they are replayed in it.
    `name` and `counts` say nothing about results and are left out.
    """
    content = {
        "unit": corpus.unit,
        "documents": {
            namespace: [_document(document) for document in documents] for namespace, documents in corpus.documents.items()
        },
        "queries": [_query(query) for query in corpus.queries],
        "qrels": corpus.qrels,
    }
    return hashlib.sha256(dumps(content)).hexdigest()


def _document(document: Document) -> Mapping[str, Any]:
    body = document.body if isinstance(document.body, str) else [_utterance(turn) for turn in document.body]
    seen = {
        "agent": document.agent,
        "device": document.device,
        "visibility": None if document.visibility == "shared" else document.visibility,
        "pods": sorted(set(document.pods)) or None,
    }
    return {
        "body": body,
        "source": document.source,
        "key": document.key,
        "occurred_at": document.occurred_at,
        "metadata": document.metadata,
        # Most documents say nothing of these.
        **{name: value for name, value in seen.items() if value is not None},
    }


def _utterance(utterance: Utterance) -> Mapping[str, Any]:
    return {
        "text": utterance.text,
        "speaker": utterance.speaker,
        "occurred_at": utterance.occurred_at,
        "label": utterance.label,
    }


def _query(query: Query) -> Mapping[str, Any]:
    return {
        "id": query.id,
        "text": query.text,
        "class": query.query_class,
        "namespace": query.namespace,
        "cluster": query.cluster,
        "headline": query.headline,
        "reference_time": query.reference_time,
        "hidden": sorted(query.hidden),
    }
