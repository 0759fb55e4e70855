"""RealMem: five people's conversations with an assistant, with requests that rest on earlier sessions.

Apache-2.0. One namespace a person, one document a session, one utterance a turn. A whole session is judged,
as `<person>/<session>`. Gold is what the generator of an answer was given: read recall, not precision.

A request is a user's turn inside a session, and the next turn, the assistant's, names the sessions that it was
given; this holds for all 670. So every request has a moment, and what came later must not count against a ranking:
it holds the same topic, often the answer's own words. Plain BM25 over all turns, the share of gold sessions among
the first 5 / 10 / 20 distinct sessions, against the published 0.497 / 0.648 / 0.777:

- everything visible: 0.301 / 0.415 / 0.562; without the request's own session: 0.325 / 0.439 / 0.569;
- sessions of the same or an earlier day, without its own: 0.459 / 0.589 / 0.752;
- sessions before its own in the file and its own up to the request: 0.462 / 0.608 / 0.751;
- sessions before its own in the file: 0.485 / 0.614 / 0.757, and with the engine's analyser
  0.514 / 0.639 / 0.782. This is what the published figures rest on, and it is what `Query.hidden` says: its own
  session and all after it in the file, whose order is the order in which they were held. all-MiniLM-L6-v2 agrees:
  0.573 / 0.710 / 0.804 for two of the people so, against the published 0.567 / 0.702 / 0.812 for all five.

Traps, and what is done about them (the counts say how often):

- Three gold sessions are the request's own; it is hidden, so they are no gold. All requests keep other gold.
- The days of three people do not rise along the file, and 17 gold sessions have a later day than their request:
  the file's order decides what is earlier. Documents are retained in the order of their days.
- One turn is empty and is left out. Three turns have a query's id without being marked as one: no query.
- 23 answers name sessions without following a marked request: not used.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from evals.corpora.digest import with_digest
from evals.errors import CorpusError
from evals.types import Corpus, Query
from illumina.types import Document, Utterance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_FILES: Final = "*_dialogues_256k.json"
_DATE: Final = re.compile(r"(\d{4}-\d{2}-\d{2}) \([A-Z][a-z]+\)")


def load(folder: Path, part: str | None = None) -> Corpus:
    """Load all people, or one.

    Args:
        folder: Holds a file a person.
        part: One person, such as `Pak_Budi`.

    Raises:
        CorpusError: There is no such person, or the files are not RealMem's.
    """
    files = {path.name.removesuffix(_FILES[1:]): path for path in sorted(folder.glob(_FILES))}
    if not files:
        raise CorpusError(f"{folder} holds no {_FILES}. Fetch RealMem again.")
    if part is not None and part not in files:
        raise CorpusError(f"RealMem has no person {part!r}. It has {', '.join(files)}.")
    counts: Counter[str] = Counter()
    documents: dict[str, tuple[Document, ...]] = {}
    queries: list[Query] = []
    qrels: dict[str, dict[str, int]] = {}
    for person, path in files.items():
        if part not in (None, person):
            continue
        sessions = _read(path)
        documents[_namespace(person)] = _documents(person, sessions, counts)
        for position in range(len(sessions)):
            for query, gold in _queries(person, sessions, position, counts):
                if query.id in qrels:
                    raise CorpusError(f"{path}: the query {query.id!r} stands there twice. Fetch RealMem again.")
                queries.append(query)
                qrels[query.id] = gold
    counts["queries"] = len(queries)
    return with_digest(
        Corpus(
            name="realmem" if part is None else f"realmem:{part}",
            unit="document",
            documents=documents,
            queries=tuple(queries),
            qrels=qrels,
            counts=dict(sorted(counts.items())),
        )
    )


def _read(path: Path) -> Sequence[Mapping[str, Any]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        sessions: list[Mapping[str, Any]] = content["dialogues"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CorpusError(f"{path} cannot be read ({error!r}). Fetch RealMem again.") from error
    return sessions


def _namespace(person: str) -> str:
    return f"realmem-{person}"


def _key(person: str, session: str) -> str:
    return f"{person}/{session}"


def _documents(person: str, sessions: Sequence[Mapping[str, Any]], counts: Counter[str]) -> tuple[Document, ...]:
    """The sessions in the order of their days, and within a day of the file."""
    documents = []
    for session in sessions:
        moment = _moment(session["current_time"])
        turns = tuple(
            Utterance(turn["content"], speaker=turn["speaker"], occurred_at=moment, label=str(position))
            for position, turn in enumerate(session["dialogue_turns"], start=1)
            if turn["content"].strip()
        )
        counts["turns"] += len(turns)
        counts["turns_empty"] += len(session["dialogue_turns"]) - len(turns)
        key = _key(person, session["session_uuid"])
        documents.append((moment, Document(turns, source=f"realmem:{person}", key=key, occurred_at=moment)))
    counts["sessions"] += len(documents)
    return tuple(document for _, document in sorted(documents, key=lambda pair: pair[0]))


def _queries(
    person: str, sessions: Sequence[Mapping[str, Any]], position: int, counts: Counter[str]
) -> list[tuple[Query, dict[str, int]]]:
    """The requests of one session, each with its gold."""
    session = sessions[position]
    earlier = {other["session_uuid"] for other in sessions[:position]}
    hidden = frozenset(_key(person, other["session_uuid"]) for other in sessions[position:])
    turns = session["dialogue_turns"]
    asked = []
    counts["answers_to_no_query"] += sum(
        "memory_used" in answer and not turn["is_query"]
        for turn, answer in zip([{"is_query": False}, *turns], turns, strict=False)
    )
    for turn, answer in zip(turns, [*turns[1:], {}], strict=True):
        if not turn["is_query"]:
            counts["queries_unmarked"] += turn["query_id"] is not None
            continue
        named = dict.fromkeys(answer.get("memory_session_uuids", ()))
        gold = [name for name in named if name in earlier]
        counts["gold"] += len(gold)
        counts["gold_not_earlier"] += len(named) - len(gold)
        query = Query(
            id=f"{person}/{turn['query_id']}",
            text=turn["content"],
            query_class=re.sub(r"[^a-z0-9]+", "-", turn["category_name"].lower()).strip("-"),
            namespace=_namespace(person),
            # Five people are too few clusters to resample. Within a person requests depend on each other by
            # their topic: a thread of sessions has one, and there are 26 threads with requests.
            cluster=f"{person}/{session['session_identifier'].partition(':')[0]}",
            reference_time=_moment(session["current_time"]),
            hidden=hidden,
        )
        asked.append((query, {_key(person, name): 1 for name in gold}))
    return asked


def _moment(written: str) -> datetime:
    """`2025-12-15 (Monday)` as midnight UTC."""
    match = _DATE.fullmatch(written)
    if match is None:
        raise CorpusError(f"RealMem's day {written!r} is not like '2025-12-15 (Monday)'. Fetch RealMem again.")
    return datetime.fromisoformat(match[1]).replace(tzinfo=UTC)
