"""LoCoMo: ten long dialogues with questions about single turns.

Maharana et al., "Evaluating very long-term conversational memory of LLM agents", ACL 2024; CC BY-NC 4.0. One
namespace a dialogue, one document a session, one utterance a turn. A turn is judged as `<dialogue>/D1#D1:3`.

A turn's text is what was said and, for a turn with a picture, ` [image: caption]` after it; the published
baselines read it so. The speaker stays apart, since the engine puts it in front itself. A turn has the time
of its session: the source knows no finer one.

Traps, and what is done about them (each is counted):

- Evidence such as `D8:6; D9:17`, `D:11:26` or `D30:05` has one reading and is repaired. `D`, or a turn that
  its session does not have, is dropped. The published baselines average over 1,535 questions of categories
  1 to 4; here 1,536 have gold, since `D30:05`, all the evidence of its question, is read as `D30:5`.
- Some questions have no evidence at all. They keep their place and have no gold.
- Category 5 (adversarial: its answer is not in the dialogue, its evidence is what misleads) is reported
  apart: its questions are no headline.
- Category numbers are named differently in other projects, so the class keeps the integer: `category-1`.
- One dialogue gives times of sessions that it does not hold.
- 156 questions are doubtful by a public audit; `doubtful` names them.
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

ADVERSARIAL: Final = 5

_SESSION: Final = re.compile(r"session_(\d+)")
_EVIDENCE: Final = re.compile(r"D:?(\d+):(\d+)")
_AUDITED: Final = re.compile(r"locomo_(\d+)_qa(\d+)")


def load(folder: Path, part: str | None = None) -> Corpus:
    """Load all dialogues, or one.

    Args:
        folder: Holds `locomo10.json` and `audit-errors.json`.
        part: One dialogue, by its `sample_id` (`conv-26`) or its position from 0.

    Raises:
        CorpusError: There is no such dialogue, or the files are not LoCoMo's.
    """
    samples = _read(folder / "locomo10.json")
    chosen = samples if part is None else [_choose(samples, part)]
    counts: Counter[str] = Counter()
    documents: dict[str, tuple[Document, ...]] = {}
    queries: list[Query] = []
    qrels: dict[str, dict[str, int]] = {}
    for sample in chosen:
        name = sample["sample_id"]
        sessions = _sessions(name, sample["conversation"], counts)
        documents[_namespace(name)] = sessions
        units = {turn.label: f"{session.key}#{turn.label}" for session in sessions for turn in _turns(session)}
        for index, row in enumerate(sample["qa"]):
            query = _query(name, index, row)
            queries.append(query)
            qrels[query.id] = {units[label]: 1 for label in _evidence(row["evidence"], units, counts)}
            if not qrels[query.id]:
                counts["questions_without_evidence"] += 1
            elif query.headline:
                counts["headline_questions_with_evidence"] += 1
    counts["questions"] = len(queries)
    counts["questions_doubtful"] = len(doubtful(folder) & {query.id for query in queries})
    return with_digest(
        Corpus(
            name="locomo" if part is None else f"locomo:{chosen[0]['sample_id']}",
            unit="segment",
            documents=documents,
            queries=tuple(queries),
            qrels=qrels,
            counts=dict(sorted(counts.items())),
        )
    )


def doubtful(folder: Path) -> frozenset[str]:
    """The ids of the questions whose answer or evidence a public audit found wrong or ambiguous.

    Args:
        folder: Holds `locomo10.json`, by whose order the audit names a question, and `audit-errors.json`.

    Raises:
        CorpusError: The files are not LoCoMo's.
    """
    names = [sample["sample_id"] for sample in _read(folder / "locomo10.json")]
    found = set()
    for row in _read(folder / "audit-errors.json"):
        match = _AUDITED.fullmatch(row["question_id"])
        if match is None or int(match[1]) >= len(names):
            raise CorpusError(f"{folder / 'audit-errors.json'}: {row['question_id']!r} is no question. Fetch LoCoMo again.")
        found.add(_query_id(names[int(match[1])], int(match[2])))
    return frozenset(found)


def _read(path: Path) -> list[Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CorpusError(f"{path} cannot be read ({error}). Fetch LoCoMo again.") from error
    if not isinstance(content, list):
        raise CorpusError(f"{path} is not a list of LoCoMo's. Fetch LoCoMo again.")
    return content


def _choose(samples: Sequence[Mapping[str, Any]], part: str) -> Mapping[str, Any]:
    for position, sample in enumerate(samples):
        if part in (sample["sample_id"], str(position)):
            return sample
    known = ", ".join(sample["sample_id"] for sample in samples)
    raise CorpusError(f"LoCoMo has no dialogue {part!r}. It has {known}; a position from 0 works too.")


def _namespace(name: str) -> str:
    return f"locomo-{name}"


def _query_id(name: str, index: int) -> str:
    return f"{name}/q{index}"


def _sessions(name: str, conversation: Mapping[str, Any], counts: Counter[str]) -> tuple[Document, ...]:
    """The sessions that hold a turn, in their order."""
    numbers = sorted(int(match[1]) for key in conversation if (match := _SESSION.fullmatch(key)))
    sessions = []
    for number in numbers:
        turns = conversation[f"session_{number}"]
        moment = _moment(conversation.get(f"session_{number}_date_time"))
        body = []
        for turn in turns:
            said, caption = turn["text"].strip(), turn.get("blip_caption", "").strip()
            if caption:
                counts["turns_with_image"] += 1
                said = f"{said} [image: {caption}]".lstrip()
            if said:
                body.append(Utterance(said, turn["speaker"], moment, turn["dia_id"]))
            else:
                counts["turns_empty"] += 1
        if not body:
            counts["sessions_without_turns"] += 1
            continue
        if moment is None:
            counts["sessions_without_time"] += 1
        sessions.append(Document(tuple(body), source=f"locomo:{name}", key=f"{name}/D{number}", occurred_at=moment))
        counts["turns"] += len(body)
    counts["sessions"] += len(sessions)
    times = (key.removesuffix("_date_time") for key in conversation if key.endswith("_date_time"))
    counts["times_without_session"] += sum(session not in conversation for session in times)
    return tuple(sessions)


def _turns(session: Document) -> Sequence[Utterance]:
    assert not isinstance(session.body, str)
    return session.body


def _moment(written: str | None) -> datetime | None:
    """`1:56 pm on 8 May, 2023`, which names no zone, as UTC."""
    if written is None:
        return None
    try:
        return datetime.strptime(written, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError as error:
        raise CorpusError(
            f"LoCoMo's session time {written!r} is not like '1:56 pm on 8 May, 2023'. Fetch LoCoMo again."
        ) from error


def _query(name: str, index: int, row: Mapping[str, Any]) -> Query:
    category = row["category"]
    return Query(
        id=_query_id(name, index),
        text=row["question"],
        query_class=f"category-{category}",
        namespace=_namespace(name),
        cluster=name,
        headline=category != ADVERSARIAL,
    )


def _evidence(written: Sequence[str], units: Mapping[str | None, str], counts: Counter[str]) -> list[str]:
    """The labels of existing turns that the evidence names."""
    labels: list[str] = []
    for item in written:
        if item in units:
            labels.append(item)
            continue
        read = [f"D{int(session)}:{int(turn)}" for session, turn in _EVIDENCE.findall(item)]
        existing = [label for label in read if label in units]
        counts["evidence_repaired"] += bool(existing)
        counts["evidence_dropped"] += max(len(read), 1) - len(existing)
        labels += existing
    return labels
