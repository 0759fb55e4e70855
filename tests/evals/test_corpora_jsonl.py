from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evals.corpora import DATASETS, load, validate, write_checksums
from evals.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

Row = dict[str, Any]

DOCUMENTS: list[Row] = [
    {
        "id": "standup-2",
        "namespace": "garden",
        "source": "chat:#beds",
        "kind": "chat",
        "title": "Watering",
        "occurred_at": "2026-03-03T09:00:00+01:00",
        "turns": [
            {
                "label": "m1",
                "speaker": "Ana",
                "occurred_at": "2026-03-03T08:00:00Z",
                "text": "The pump is loud.",
            },
            {"label": "m2", "text": "It runs at night now."},
        ],
    },
    {
        "id": "note-1",
        "source": "notes",
        "kind": "note",
        "title": "Soil",
        "occurred_at": "2026-03-02T09:00:00Z",
        "text": "\n\nThe soil is sour.\n \t\n\nLime\nhelps.\n",
        "namespace": "garden",
    },
    {
        "id": "note-2",
        "source": "notes",
        "kind": "note",
        "title": "Here",
        "occurred_at": "2026-03-02T09:00:00Z",
        "text": "A line with \u2028 in it.",
    },
]
QUERIES: list[Row] = [
    {"id": "q1", "namespace": "garden", "class": "paraphrase", "text": "what sweetens it", "note": "easy"},
    {
        "id": "q2",
        "namespace": "garden",
        "class": "temporal",
        "text": "what was said yesterday",
        "reference_time": "2026-03-04T09:00:00Z",
    },
    {"id": "q3", "namespace": "garden", "class": "no-answer", "text": "who owns the tractor", "note": None},
]
QRELS: list[Row] = [
    {"query": "q1", "document": "standup-2", "segment": "m1", "grade": 0},
    {"query": "q1", "document": "note-1", "segment": "2", "grade": 3, "reason": "says so"},
    {"query": "q1", "document": "note-1", "segment": "1", "grade": 1},
    {"query": "q2", "document": "standup-2", "segment": "m2", "grade": 2},
    {"query": "q3", "document": "note-1", "segment": "1", "grade": 0},
]


def write(
    directory: Path,
    documents: Sequence[Row | str] = DOCUMENTS,
    queries: Sequence[Row | str] = QUERIES,
    qrels: Sequence[Row | str] = QRELS,
) -> Path:
    directory.mkdir(exist_ok=True)
    for name, rows in (("documents", documents), ("queries", queries), ("qrels", qrels)):
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        (directory / f"{name}.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    (directory / "README.md").write_text("A mini.\n", encoding="utf-8")
    write_checksums(directory)
    return directory


def changed(rows: Sequence[Row], position: int, **fields: object) -> list[Row]:
    return [{**row, **fields} if number == position else row for number, row in enumerate(rows)]


def test_loads_documents_questions_and_judgements(tmp_path: Path) -> None:
    corpus = load(write(tmp_path / "mini"), data=None)

    assert (corpus.name, corpus.unit) == ("mini", "segment")
    assert {name: [d.key for d in documents] for name, documents in corpus.documents.items()} == {
        "garden": ["note-1", "standup-2"],  # in the order of their time
        "mini": ["note-2"],  # the directory's name is the default namespace
    }
    note, standup = corpus.documents["garden"]
    assert note.body == DOCUMENTS[1]["text"]  # paragraphs are the engine's business
    assert note.metadata == {"kind": "note", "title": "Soil"}
    assert standup.occurred_at == datetime(2026, 3, 3, 8, tzinfo=UTC)
    assert [(t.label, t.speaker, t.occurred_at is None) for t in standup.body if not isinstance(t, str)] == [
        ("m1", "Ana", False),
        ("m2", None, True),
    ]
    assert corpus.qrels == {
        "q1": {"standup-2#m1": 0, "note-1#2": 3, "note-1#1": 1},
        "q2": {"standup-2#m2": 2},
        "q3": {"note-1#1": 0},
    }
    assert [(q.id, q.query_class, q.cluster, q.headline) for q in corpus.queries] == [
        ("q1", "paraphrase", "note-1", True),  # the first relevant document, not the first judged
        ("q2", "temporal", "standup-2", True),
        ("q3", "no-answer", "q3", True),
    ]
    assert corpus.queries[1].reference_time == datetime(2026, 3, 4, 9, tzinfo=UTC)
    assert corpus.counts == {
        "documents": 3,
        "judgements": 5,
        "namespaces": 2,
        "queries": 3,
        "queries_without_answer": 1,
        "segments": 5,
    }


def test_a_changed_file_is_refused_with_the_mend(tmp_path: Path) -> None:
    directory = write(tmp_path / "mini")
    text = (directory / "documents.jsonl").read_text(encoding="utf-8")
    (directory / "documents.jsonl").write_text(text.replace("is sour", "is sweet"), encoding="utf-8")

    with pytest.raises(CorpusError, match=r"SHA256SUMS:1: .*validate-corpus .*/mini --write-checksums"):
        load(directory, data=None)

    write_checksums(directory)
    assert validate(directory) == []


def test_checksums_are_those_of_sha256sum(tmp_path: Path) -> None:
    directory = write(tmp_path / "mini", [], [], [])
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert (directory / "SHA256SUMS").read_text(encoding="utf-8") == (
        f"{empty}  documents.jsonl\n{empty}  queries.jsonl\n{empty}  qrels.jsonl\n"
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", ["no checksum", "no checksum", "no checksum"]),
        ("nonsense\n", ["no checksum", "no checksum", "no checksum", "'nonsense' is not"]),
        (f"{'0' * 64}  ../x\n", ["no checksum", "no checksum", "no checksum", "../x' is not"]),
    ],
)
def test_checksums_that_say_nothing(tmp_path: Path, content: str, expected: list[str]) -> None:
    directory = write(tmp_path / "mini")
    (directory / "SHA256SUMS").write_text(content, encoding="utf-8")
    found = [problem.what for problem in validate(directory)]
    assert len(found) == len(expected)
    assert all(part in what for part, what in zip(expected, found, strict=True))


def test_nothing_there_names_every_file(tmp_path: Path) -> None:
    assert [problem.file for problem in validate(tmp_path)] == [
        "README.md",
        "SHA256SUMS",
        "documents.jsonl",
        "qrels.jsonl",
        "queries.jsonl",
    ]
    with pytest.raises(CorpusError, match=r"cannot be written .*A corpus is a directory with documents\.jsonl"):
        write_checksums(tmp_path)


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        (["{"], "documents.jsonl:1: The line is not JSON"),
        ([*DOCUMENTS, ""], "documents.jsonl:4: The line is not JSON"),
        (["[" * 100_000], "documents.jsonl:1: The line is not JSON"),
        ([*DOCUMENTS, '{"id": "a", "id": "b"}'], "documents.jsonl:4: The key 'id' stands twice in one object. Keep one"),
        (['{"turns": [{"text": "a", "text": "b"}]}'], "documents.jsonl:1: The key 'text' stands twice in one object."),
        ([*DOCUMENTS, '{"id": "a\0b"}'], "documents.jsonl:4: The line holds a NUL byte. Remove it"),
        ([], "documents.jsonl: The corpus has no document. Write at least one document, as one JSON object a line."),
        (["[]"], "documents.jsonl:1: The line is not an object."),
        (changed(DOCUMENTS, 1, colour="red"), "documents.jsonl:2: The line has the unknown field 'colour'."),
        (changed(DOCUMENTS, 1, source=None), "documents.jsonl:2: The line has no 'source'."),
        (changed(DOCUMENTS, 1, title=3), "documents.jsonl:2: The line's 'title' is 3. Write a string."),
        (changed(DOCUMENTS, 1, text=" \n"), "documents.jsonl:2: The line's 'text' is empty."),
        (
            changed(DOCUMENTS, 1, text="a\0b"),
            "documents.jsonl:2: The line's 'text' holds NUL or a lone surrogate",
        ),
        (
            changed(DOCUMENTS, 1, text="\ud800"),
            "documents.jsonl:2: The line's 'text' holds NUL or a lone surrogate",
        ),
        (changed(DOCUMENTS, 2, id="note 1"), "documents.jsonl:3: The line's 'id' is 'note 1'. Use neither"),
        (changed(DOCUMENTS, 2, id="note#1"), "documents.jsonl:3: The line's 'id' is 'note#1'. Use neither"),
        (changed(DOCUMENTS, 2, id="note-1"), "documents.jsonl:3: The id 'note-1' stands on line 2 too."),
        (
            changed(DOCUMENTS, 1, occurred_at="2026-03-02"),
            "documents.jsonl:2: The line's 'occurred_at' is '2026-03-02', without a zone.",
        ),
        (
            changed(DOCUMENTS, 1, occurred_at="May"),
            "documents.jsonl:2: The line's 'occurred_at' is 'May'. Write ISO",
        ),
        (changed(DOCUMENTS, 1, turns=[]), "documents.jsonl:2: A document has either `text` or `turns`."),
        (changed(DOCUMENTS, 1, text=None), "documents.jsonl:2: A document has either `text` or `turns`."),
        (changed(DOCUMENTS, 0, turns=[]), "documents.jsonl:1: `turns` is empty."),
        (changed(DOCUMENTS, 0, turns="x"), "documents.jsonl:1: The line's 'turns' is \"x\". Write a list."),
        (changed(DOCUMENTS, 0, turns=["x"]), "documents.jsonl:1: Turn 1 is not an object."),
        (
            changed(DOCUMENTS, 0, turns=[{"label": "m", "text": "a"}, {"label": "m", "text": "b"}]),
            "documents.jsonl:1: The label 'm' stands on several turns.",
        ),
        (
            changed(DOCUMENTS, 0, turns=[{"label": "1 2", "text": "a"}]),
            "documents.jsonl:1: Turn 1's 'label' is '1 2'.",
        ),
        (changed(DOCUMENTS, 0, turns=[{"label": "1"}]), "documents.jsonl:1: Turn 1 has no 'text'."),
    ],
)
def test_a_broken_document_is_the_only_problem(tmp_path: Path, documents: list[Row | str], expected: str) -> None:
    """What refers to a document that could not be read is not blamed as well."""
    problems = validate(write(tmp_path / "mini", documents=documents))
    assert [str(problem)[: len(expected)] for problem in problems] == [expected]


@pytest.mark.parametrize(
    ("queries", "qrels", "expected"),
    [
        (
            QUERIES,
            changed(QRELS, 1, document="note-9"),
            ["qrels.jsonl:2: There is no document 'note-9'. Name one of documents.jsonl."],
        ),
        (
            QUERIES,
            changed(QRELS, 1, segment="3"),
            ["qrels.jsonl:2: The document 'note-1' has no segment '3'. It has 2, from '1' to '2'."],
        ),
        (
            QUERIES,
            changed(QRELS, 1, query="q9"),
            ["qrels.jsonl:2: There is no question 'q9'. Name one of queries.jsonl."],
        ),
        (
            QUERIES,
            changed(QRELS, 1, document="note-2", segment="1"),
            [
                (
                    "qrels.jsonl:2: The question is of 'garden', the document of 'mini'. "
                    "Judge documents of the question's namespace only."
                )
            ],
        ),
        (
            QUERIES,
            changed(QRELS, 2, segment="2"),
            ["qrels.jsonl:3: This segment is judged on line 2 too. Judge a segment once a question."],
        ),
        (
            QUERIES,
            changed(QRELS, 4, grade=1),
            [
                (
                    "qrels.jsonl:5: The question 'q3' of class no-answer has a relevant segment. "
                    "Give the question another class, or the segment grade 0."
                )
            ],
        ),
        (
            QUERIES,
            changed(QRELS, 3, grade=0),
            [
                (
                    "queries.jsonl:2: The question 'q2' has no relevant segment. "
                    "Judge one with grade 1 to 3, or give it the class no-answer."
                )
            ],
        ),
        (
            QUERIES,
            changed(QRELS, 3, grade=4),
            ["qrels.jsonl:4: The grade is 4. Grade 0 (not relevant) to 3."],
        ),
        (
            QUERIES,
            changed(QRELS, 3, grade=True),
            ["qrels.jsonl:4: The line's 'grade' is true. Write an integer."],
        ),
        (
            changed(QUERIES, 2, namespace="gardn"),
            QRELS[:4],
            [("queries.jsonl:3: The namespace 'gardn' holds no document. Name the namespace of some document.")],
        ),
        (
            changed(QUERIES, 1, id="q1"),
            [row for row in QRELS if row["query"] != "q2"],
            ["queries.jsonl:2: The id 'q1' stands on line 1 too. Make each id unique in the corpus."],
        ),
        (
            changed(QUERIES, 1, reference_time="2026-03-04T09:00"),
            QRELS,
            [
                (
                    "queries.jsonl:2: The line's 'reference_time' is '2026-03-04T09:00', without a zone. "
                    "Add one, such as Z for UTC."
                )
            ],
        ),
    ],
)
def test_labels_that_do_not_fit(tmp_path: Path, queries: list[Row], qrels: list[Row], expected: list[str]) -> None:
    problems = validate(write(tmp_path / "mini", queries=queries, qrels=qrels))
    assert [str(problem) for problem in problems] == expected


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        ("queries.jsonl", '{"id": "q4", "class": "why", "text": "a", "text": "b"}', "queries.jsonl:4: The key 'text' stands"),
        ("qrels.jsonl", '{"query": "q1", "grade": 1, "grade": 2}', "qrels.jsonl:6: The key 'grade' stands twice"),
    ],
)
def test_a_key_that_stands_twice_is_refused(tmp_path: Path, file: str, line: str, message: str) -> None:
    directory = write(tmp_path / "mini")
    with (directory / file).open("a", encoding="utf-8") as target:
        target.write(line + "\n")
    write_checksums(directory)
    assert [str(problem)[: len(message)] for problem in validate(directory)] == [message]
    with pytest.raises(CorpusError, match=re.escape(message)):
        load(directory, data=None)


def test_a_corpus_without_questions_is_refused(tmp_path: Path) -> None:
    directory = write(tmp_path / "mini", queries=[], qrels=[])
    message = "queries.jsonl: The corpus has no question. Write at least one question, as one JSON object a line."
    assert [str(problem) for problem in validate(directory)] == [message]
    with pytest.raises(CorpusError, match=re.escape(message)):
        load(directory, data=None)


@pytest.mark.parametrize(
    ("encode", "expected"),
    [
        (
            lambda text: b"\xef\xbb\xbf" + text,
            "queries.jsonl:1: The file begins with a byte order mark. Save it as UTF-8 without one.",
        ),
        (
            lambda text: text.replace(b"\n", b"\r\n"),
            (
                "queries.jsonl:1: Lines end with a carriage return and a line feed (3 of 3). "
                "End them with a line feed alone: `sed -i 's/\\r$//' queries.jsonl`."
            ),
        ),
        (
            lambda text: text.replace(b"said yesterday", "dit hier \u00e0 midi".encode("latin-1")),
            (
                "queries.jsonl:2: The line is not UTF-8 (its byte 85 is 0xE0). "
                "If it is Latin-1, convert it, as by `iconv -f ISO-8859-1 -t UTF-8 queries.jsonl`."
            ),
        ),
        (
            lambda text: text.decode().encode("utf-16"),
            "queries.jsonl: The file is in UTF-16. Convert it, as by `iconv -f UTF-16 -t UTF-8 queries.jsonl`.",
        ),
    ],
)
def test_bytes_that_are_not_plain_utf_8(tmp_path: Path, encode: Callable[[bytes], bytes], expected: str) -> None:
    directory = write(tmp_path / "mini")
    (directory / "queries.jsonl").write_bytes(encode((directory / "queries.jsonl").read_bytes()))
    write_checksums(directory)
    assert [str(problem) for problem in validate(directory)] == [expected]


def test_all_problems_come_at_once(tmp_path: Path) -> None:
    directory = write(
        tmp_path / "mini",
        documents=changed(DOCUMENTS, 1, colour="red", text=""),
        queries=["{", *QUERIES],
        qrels=changed(QRELS, 0, segment="m9"),
    )
    (directory / "README.md").unlink()
    assert [(problem.file, problem.line) for problem in validate(directory)] == [
        ("README.md", None),
        ("documents.jsonl", 2),
        ("documents.jsonl", 2),
        ("qrels.jsonl", 1),
        ("queries.jsonl", 1),
    ]


def test_the_error_counts_what_it_leaves_out(tmp_path: Path) -> None:
    directory = write(tmp_path / "mini", documents=["{"] * 7)
    with pytest.raises(CorpusError, match=r"documents\.jsonl:5: .*\n  and 2 more: see `illumina-eval validate-corpus"):
        load(directory, data=None)


words = st.text(st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]), min_size=1, max_size=20).filter(
    lambda word: bool(word.strip())
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bodies=st.lists(st.lists(words, min_size=1, max_size=4), min_size=1, max_size=4), data=st.data())
def test_what_is_written_is_what_is_loaded(tmp_path: Path, bodies: list[list[str]], data: st.DataObject) -> None:
    """And neither the order of lines nor of keys nor the spelling of a time changes the digest."""
    documents = [
        {**DOCUMENTS[2], "id": f"d{number}", "text": "\n\n".join(paragraphs)} for number, paragraphs in enumerate(bodies)
    ]
    query = {"id": "q", "namespace": "mini", "class": "paraphrase", "text": "what"}
    qrels = [
        {"query": "q", "document": f"d{number}", "segment": str(len(paragraphs)), "grade": 1}
        for number, paragraphs in enumerate(bodies)
    ]
    corpus = load(write(tmp_path / "mini", documents, [query], qrels), data=None)
    assert [document.body for document in corpus.documents["mini"]] == [row["text"] for row in documents]
    assert corpus.qrels == {"q": {f"d{n}#{len(paragraphs)}": 1 for n, paragraphs in enumerate(bodies)}}

    shuffled = [
        {**dict(reversed(row.items())), "occurred_at": "2026-03-02T10:00:00+01:00"}
        for row in data.draw(st.permutations(documents))
    ]
    assert load(write(tmp_path / "mini", shuffled, [query], qrels), data=None).digest == corpus.digest
    other = changed(documents, 0, text=documents[0]["text"] + " more")
    assert load(write(tmp_path / "mini", other, [query], qrels), data=None).digest != corpus.digest


@pytest.mark.parametrize("directory", sorted(DATASETS.glob("*/")), ids=lambda path: path.name)
def test_our_own_corpora_are_valid(directory: Path) -> None:
    assert [str(problem) for problem in validate(directory)] == []
    assert load(directory.name, data=None).name == directory.name
