"""Rulings on who is who, and what is known about whom."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from illumina.errors import InvalidInputError
from illumina.interfaces.cli import main
from illumina.retain import resolve
from illumina.retain.extraction import MentionDraft, RelationDraft
from illumina.retain.settle import remove_job, settle
from tests.illumina.retain import entity_scene as scene
from tests.illumina.retain.entity_scene import Told
from tests.support import dump

if TYPE_CHECKING:
    from collections.abc import Sequence

    from illumina import Memory

DAY = datetime(2025, 3, 11, tzinfo=UTC)
DERIVED = ("entities", "resolved", "links", "stale")


def told(number: int, *names: str, homes: Sequence[str] = (), relation: str = "", year: int = 2025) -> Told:
    mentions = tuple(MentionDraft(name, None, homes=tuple(homes)) for name in names)
    relations = (RelationDraft(0, relation, 1),) if relation else ()
    return Told(number, mentions, DAY.replace(year=year), relations, f"Fact {number} tells of {' and '.join(names)}.")


def fill(memory: Memory, *facts: Told, namespace: str = "x") -> None:
    with memory._database.write(namespace) as session:
        scene.tell(session, facts)
    settle(memory._database, namespace, remove_job)


def derived(dsn: str) -> dict[str, object]:
    found = dump(dsn, "x")
    return {table: found[table] for table in DERIVED}


def check(memory: Memory, dsn: str) -> None:
    before = derived(dsn)
    with memory._database.write("x") as session:
        resolve.rebuild(session)
    assert derived(dsn) == before


def test_a_merge_holds_for_later_mentions_and_is_undone_exactly(memory: Memory, dsn: str) -> None:
    fill(memory, told(1, "Boltwood"), told(2, "Project Falcon"), told(3, "Boltwood"), told(4, "Kestrel"))
    people = memory.entities(namespace="x")
    before = derived(dsn)
    (ruling,) = people.merge("Boltwood", "Project Falcon", "its old code name")
    assert (ruling.kind, ruling.reason, ruling.undone_at) == ("same", "its old code name", None)
    assert people.explain("Boltwood").aliases == ("Boltwood", "Project Falcon")
    assert [shown.id for shown in people.explain("Boltwood").rulings] == [ruling.id]
    assert people.explain("Boltwood").merges[0]["evidence"] == [{"reason": "pinned", "weight": None}]
    fill(memory, told(5, "Project Falcon"), told(6, "Boltwood"))
    assert people.context("Project Falcon").entity.mentions == 5
    check(memory, dsn)
    with memory._database.write("x") as session:
        scene.forget(session, [told(5).id, told(6).id])
    settle(memory._database, "x", remove_job)
    (undone,) = people.undo(ruling.id)
    assert undone.undone_at is not None
    assert derived(dsn) == before
    with pytest.raises(InvalidInputError, match="is undone already"):
        people.undo(ruling.id)


def test_a_merge_brings_everyone_along(memory: Memory, dsn: str) -> None:
    """Mentions that only context holds together stay together when one of them is ruled on."""
    fill(memory, told(1, "Sarah"), told(2, "Sarah"), told(3, "Room 101"), told(4, "Room 101"))
    people = memory.entities(namespace="x")
    before = derived(dsn)
    made = people.merge("Sarah", "Room 101")
    assert people.explain("Sarah").entity.mentions == 4
    check(memory, dsn)
    people.undo(made[-1].id)
    assert derived(dsn) == before


@pytest.mark.parametrize("count", [3, 60])
def test_one_mention_is_split_off_from_many_that_are_alike(memory: Memory, dsn: str, count: int) -> None:
    fill(memory, *(told(n, "Sarah Chen", f"Thing {n % 7}", year=2020 + n % 4) for n in range(count)))
    people = memory.entities(namespace="x")
    before = derived(dsn)
    for chosen in (0, -1):
        mention = people.explain("Sarah Chen").mentions[chosen]
        made = people.split("Sarah Chen", mention.id)
        assert len(made) < 12
        assert people.explain(mention.id).entity.mentions == 1
        check(memory, dsn)
        with pytest.raises(InvalidInputError, match=r"may be any of several: ent_\w+ Sarah Chen"):
            people.explain("Sarah Chen")
        people.undo(made[0].id)
        assert derived(dsn) == before


def test_a_name_is_split_off_and_a_mention_pinned(memory: Memory, dsn: str) -> None:
    acme = ["Acme"]
    fill(memory, told(1, "Sarah Chen", homes=acme), told(2, "schen", homes=acme), told(3, "schen", homes=acme))
    fill(memory, told(4, "Sergio Chen", homes=["Globex"]))
    people = memory.entities(namespace="x")
    assert people.explain("Sarah Chen").aliases == ("Sarah Chen", "schen")
    people.split("Sarah Chen", "schen", "another one's account")
    assert people.explain("Sarah Chen").aliases == ("Sarah Chen",)
    assert people.explain("schen").entity.mentions == 2
    check(memory, dsn)
    mention = people.explain("schen").mentions[0].id
    people.pin(mention, "Sergio Chen")
    assert mention in {shown.id for shown in people.explain("Sergio Chen").mentions}
    check(memory, dsn)
    with pytest.raises(InvalidInputError, match="already"):
        people.pin(mention, "Sergio Chen")
    with pytest.raises(InvalidInputError, match="Its names are: Sarah Chen"):
        people.split("Sarah Chen", "nobody")


def test_rulings_that_contradict_are_refused_whole(memory: Memory, dsn: str) -> None:
    fill(memory, told(1, "Sarah Chen"), told(2, "Sarah Chen"))
    people = memory.entities(namespace="x")
    mention, other = (shown.id for shown in people.explain("Sarah Chen").mentions)
    people.split("Sarah Chen", mention)
    before = dump(dsn, "x")
    with pytest.raises(InvalidInputError, match="Other rulings stand against this merge"):
        people.merge(mention, other)
    assert dump(dsn, "x") == before
    assert len(people.rulings()) == 1


def test_what_is_known_and_what_is_connected(memory: Memory) -> None:
    fill(
        memory,
        told(1, "Ines Moreau", "checkout-service", relation="works_on", year=2024),
        told(2, "checkout-service", "PostgreSQL", relation="depends_on"),
        told(3, "Ines Moreau", "Lyon"),
        told(4, "Kafka", "Zookeeper"),
    )
    people = memory.entities(namespace="x")
    context = people.context("moreau, ines")
    assert [fact.content for fact in context.facts] == [
        "Fact 3 tells of Ines Moreau and Lyon.",
        "Fact 1 tells of Ines Moreau and checkout-service.",
    ]
    assert [(r.direction, r.name, r.other.name) for r in context.relations] == [("out", "works_on", "checkout-service")]
    assert people.context("checkout-service").relations[0].direction == "out"
    steps = [(step.entity.name, step.hops, step.how) for step in people.traverse("Ines Moreau")]
    assert steps == [
        ("Ines Moreau", 0, None),
        ("checkout-service", 1, "works_on"),
        ("Lyon", 1, "mentioned with"),
        ("PostgreSQL", 2, "depends_on"),
    ]
    assert [step.entity.name for step in people.traverse("PostgreSQL", hops=1, limit=2)] == ["PostgreSQL", "checkout-service"]
    with memory._database.write("x") as session:
        session.execute(
            "update illumina.facts set superseded = true where namespace = %(namespace)s and content like 'Fact 3%%'"
        )
    assert len(people.context("Ines Moreau").facts) == 1


def test_an_unknown_name_lists_near_ones(memory: Memory) -> None:
    fill(memory, told(1, "Ines Moreau"), told(2, "Lyon"))
    with pytest.raises(InvalidInputError, match=r"named 'Ines Moreaux'. Known by a similar name: Ines Moreau \(ent_"):
        memory.entities(namespace="x").context("Ines Moreaux")
    with pytest.raises(InvalidInputError, match="`illumina entities list` shows who is known"):
        memory.entities(namespace="x").context("qqq")
    for missing in ("ent_", "men_"):
        with pytest.raises(InvalidInputError, match="There is no"):
            memory.entities(namespace="x").explain(missing + "0" * 32)


def test_the_command_line(
    memory: Memory, dsn: str, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    fill(memory, told(1, "Boltwood", "Lyon", relation="lives_in"), told(2, "Project Falcon"))
    monkeypatch.setattr(
        "illumina.interfaces.cli_entities.open_memory", lambda *_: type(memory).open(dsn, embedder=memory.embedder)
    )

    def entities(*arguments: str) -> str:
        monkeypatch.setattr("sys.argv", ["illumina", "entities", *arguments, "-n", "x"])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfdbinary.readouterr()
        assert ended.value.code == (2 if err else 0)
        return (out + err).decode()

    assert entities("list").count("1 mentions") == 3
    assert [entity["name"] for entity in json.loads(entities("list", "--json"))] == ["Boltwood", "Lyon", "Project Falcon"]
    made = entities("merge", "Boltwood", "Project Falcon", "-r", "code name")
    assert made.startswith("rul_")
    assert made.rstrip().endswith("code name")
    assert "ruled  " in entities("why", "Boltwood")
    assert json.loads(entities("why", "Boltwood", "--json"))["merges"][0]["score"] is None
    assert "names: Boltwood, Project Falcon" in entities("show", "Boltwood")
    assert "→ lives_in Lyon" in entities("context", "Boltwood")
    assert "1  ent_" in entities("traverse", "Boltwood")
    mention = json.loads(entities("show", "Boltwood", "--json"))["mentions"][0]["id"]
    assert "≠" in entities("split", "Boltwood", mention)
    assert "undone" in entities("undo", made.split()[0])
    assert [ruling["kind"] for ruling in json.loads(entities("rulings", "--json"))] == ["same", "different"]
    assert entities("show", "nobody").startswith("illumina: Nobody and nothing in x is named 'nobody'.")
