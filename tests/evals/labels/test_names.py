from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from evals.corpora.pins import fingerprint
from evals.labels.kinds import LabelledSet
from evals.labels.names import Mention, MentionCase, exact, judge
from evals.labels.published import published
from evals.labels.sources import people

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

HISTORICAL = "unique_id,cluster,full_name,dob,birth_place,occupation\n" + "".join(
    f"Q{person}-{copy},Q{person},ann {person},{born},york,{work}\n"
    for person in range(8)
    for copy, born, work in ((1, "1800-02-03", "poet"), (2, "1800-89-03", ""), (3, "", "poet"))
)
FEBRL = (
    "rec_id, given_name, surname, address_1, suburb, postcode, date_of_birth, soc_sec_id\n"
    "rec-1-org, ann, bo, high street, york, 1000, 19000102, 7\n"
    "rec-1-dup-0, an, bo, , york, 1000, 19000102, 7\n"
    "rec-2-org, , , low street, york, 1000, 19000102, 8\n"
)
FAKE = (
    "unique_id,first_name,surname,dob,city,email,cluster\n"
    "0,Ann,Bo,1971-05-24,York,a@b.c,0\n1,Ann,,1971-05-24,,a@b.c,0\n2,Cy,Bo,1971-05-24,,,1\n3,,,1971-05-24,,,1\n"
)
LABELS = (
    "unique_id_l,source_dataset_l,unique_id_r,source_dataset_r,clerical_match_score\n"
    "0,fake,1,fake,1.0\n0,fake,2,fake,0.0\n2,fake,3,fake,1.0\n"
)
NICKNAMES = (
    "name1,relationship,name2\naaron,has_nickname,ron\nronald,has_nickname,ron\nron,has_nickname,aaron\nzoe,has_nickname,zo\n"
)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "names"
    folder.mkdir()
    files = {
        "historical-figures.csv": HISTORICAL,
        "febrl-1.csv": FEBRL,
        "fake_1000.csv": FAKE,
        "fake_1000_labels.csv": LABELS,
        "nicknames.csv": NICKNAMES,
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
        monkeypatch.setitem(people.PINS, name, fingerprint({name: text.encode()}))
    return tmp_path


def counted(cases: Sequence[MentionCase], answer: Mapping[str, str]) -> dict[str, tuple[int, int, int]]:
    rows = judge(LabelledSet("mini", cases), lambda _mentions: answer)
    return {row.case: (row.counts["gold"], row.counts["predicted"], row.counts["right"]) for row in rows}


def mention(key: str, name: str = "ann", nearby: tuple[str, ...] = (), born: str | None = None) -> Mention:
    return Mention(key, name, nearby, datetime.fromisoformat(born).replace(tzinfo=UTC) if born else None)


def test_pairs_count_once_for_each_of_their_mentions() -> None:
    cases = [MentionCase(mention(key), entity, "person") for key, entity in zip("abcde", "xxxyy", strict=True)]
    assert counted(cases, {"a": "1", "b": "1", "c": "2", "d": "2"}) == {
        "a": (2, 1, 1),
        "b": (2, 1, 1),
        "c": (2, 1, 0),
        "d": (1, 1, 0),
        "e": (1, 0, 0),
    }
    # An entity with the name of a mention that has none is another one.
    assert counted(cases, {"a": "e"})["e"] == (1, 0, 0)


def test_a_mention_may_be_judged_against_some_only() -> None:
    cases = [
        MentionCase(mention("a"), "x", "person", ("b",)),
        MentionCase(mention("b"), "x", "person", ("a", "c")),
        MentionCase(mention("c"), "y", "person", ("b",)),
        MentionCase(mention("d"), "y", "person", ()),
    ]
    assert counted(cases, dict.fromkeys("abcd", "1")) == {"a": (1, 1, 1), "b": (1, 2, 1), "c": (0, 1, 0), "d": (0, 0, 0)}


def test_a_person_is_in_one_half(data: Path) -> None:
    halves = [people.historical(data, half) for half in people.HALVES]
    persons = [{case.entity for case in half.cases} for half in halves]
    assert persons[0] | persons[1] == {f"Q{number}" for number in range(8)}
    assert not persons[0] & persons[1]
    assert all(persons)
    assert sum(half.counts["mentions"] for half in halves) == 24
    assert sum(half.counts["times_impossible"] for half in halves) == 8
    assert sum(half.counts["times_missing"] for half in halves) == 16
    (case,) = [case for half in halves for case in half.cases if case.entity == "Q3" and case.mention.moment is not None]
    assert (case.mention.name, case.mention.nearby) == ("ann 3", ("york", "poet"))
    assert case.mention.moment == datetime(1800, 2, 3, tzinfo=UTC)


def test_ids_and_order_say_nothing(data: Path) -> None:
    for cases in (people.historical(data, "test").cases, people.febrl(data, "1").cases, people.fake(data).cases):
        keys = [case.mention.id for case in cases]
        assert keys == sorted(keys)
        assert all(
            len(key) == 16 and case.entity not in key for key, case in zip(keys, cases, strict=True) if len(case.entity) > 1
        )


def test_febrl_drops_its_ids(data: Path) -> None:
    found = people.febrl(data, "1")
    assert {(case.entity, case.mention.name, case.mention.nearby) for case in found.cases} == {
        ("1", "ann bo", ("high street", "york", "1000")),
        ("1", "an bo", ("york", "1000")),
    }
    assert found.counts == {"entities": 1, "mentions": 2, "rows_without_name": 1, "times_impossible": 0, "times_missing": 0}


def test_scored_pairs_judge_just_those_pairs(data: Path) -> None:
    found = people.fake_pairs(data)
    by_name = {case.mention.name: case for case in found.cases}
    names = {case.mention.id: name for name, case in by_name.items()}
    partners = {name: {names[key] for key in case.judged_with or ()} for name, case in by_name.items()}
    assert partners == {"Ann Bo": {"Ann", "Cy Bo"}, "Ann": {"Ann Bo"}, "Cy Bo": {"Ann Bo"}}
    assert (found.counts["pairs"], found.counts["pairs_without_name"], found.counts["rows_without_name"]) == (2, 1, 1)
    assert all(case.judged_with is None for case in people.fake(data).cases)


def test_nicknames_meet_a_stranger(data: Path) -> None:
    found = people.nicknames(data)
    assert found.counts == {"pairs": 3, "rows": 4, "rows_repeated": 1}
    places: dict[str, dict[str, str]] = {}
    for case in found.cases:
        places.setdefault(case.mention.nearby[0], {})[case.mention.name] = case.entity
        assert len(case.judged_with or ()) == 2
    pairs = {tuple(sorted(name for name, entity in place.items() if "other" not in entity)) for place in places.values()}
    assert pairs == {("aaron", "ron"), ("ron", "ronald"), ("zo", "zoe")}
    assert all(len(place) == 3 for place in places.values())
    strangers = {name for place in places.values() if "ron" in place for name, entity in place.items() if "other" in entity}
    assert strangers <= {"zo", "zoe"}


def test_exact_names() -> None:
    answer = exact([mention("a", "Ann  Bo"), mention("b", "ann bo"), mention("c", "Ann Bow")])
    assert answer["a"] == answer["b"] != answer["c"]


@pytest.mark.parametrize(
    ("other", "joined"),
    [
        (mention("b", "ann bo"), False),  # 0.5
        (mention("b", "ann bo", ("york", "poet")), True),  # 0.5 + 0.3
        (mention("b", "ann bo", ("york", "nurse")), True),  # 0.5 + 0.15
        (mention("b", "ann bo", ("york", "nurse", "x", "y")), False),  # 0.5 + 0.075
        (mention("b", "ann bo", (), "1900-01-03"), True),  # 0.5 + 0.2 × 5/7
        (mention("b", "ann bo", (), "1900-01-06"), False),  # 0.5 + 0.2 × 2/7
        (mention("b", "ann bow", ("york", "poet"), "1900-01-01"), True),
        (mention("b", "xyz", ("york", "poet"), "1900-01-01"), False),  # no candidate
    ],
)
def test_the_published_formula(other: Mention, *, joined: bool) -> None:
    answer = published([mention("a", "Ann Bo", ("york", "poet"), "1900-01-01"), other])
    assert (answer["a"] == answer["b"]) is joined
