"""`illumina history`, `suspects`, `supersede` and `reinstate`."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from illumina import Memory
from illumina.ids import FACT_PREFIX, public_id
from illumina.interfaces import cli_history
from illumina.interfaces.cli import app
from tests.illumina.retain.reconcile import scene
from tests.illumina.retain.reconcile.scene import Told
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

DAY = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def facts(dsn: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A timeout, another one that replaced it, and what rested on the first."""

    def opening(*_: object) -> AbstractContextManager[Memory]:
        return Memory.open(dsn, embedder=HashingEmbedder())

    monkeypatch.setattr(cli_history, "open_memory", opening)
    contents = ("The timeout is 30 s.", "The timeout is 60 s.", "Uploads are cut off.")
    told = [Told(3 * number, content, None, DAY + timedelta(days=number)) for number, content in enumerate(contents)]
    with opening() as memory, memory._database.write("default") as session:
        scene.tell(session, told)
        scene.cause(session, [(told[0].id, "causes", told[2].id)])
        scene.settled(session)
    return [public_id(FACT_PREFIX, fact.id) for fact in told]


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_history(facts: list[str]) -> None:
    text = shown("history", facts[0])
    assert "replaced by since 2026-03-03 00:00, by value (attribute amount of time, new 60 s, of timeout, old 30 s):" in text
    assert f"live · test · 2026-03-03 00:00 · {facts[1]}" in text
    found = json.loads(shown("history", facts[1], "--json"))
    assert found["replaced"][0]["old"] == facts[0]
    assert found["facts"][facts[0]]["state"] == "superseded"
    assert "replaced nothing" in shown("history", facts[2])


def test_suspects(facts: list[str]) -> None:
    assert "rests on The timeout is 30 s." in shown("suspects")
    [found] = json.loads(shown("suspects", "--json"))
    assert (found["fact"]["id"], found["because"]["id"], found["replaced_by"]) == (facts[2], facts[0], [facts[1]])


def test_a_decision_and_its_end(facts: list[str]) -> None:
    ruling = shown("supersede", facts[2], facts[1], "--reason", "Nobody uploads.").strip()
    assert "by ruling" in shown("history", facts[2])
    assert "Nothing rests" in shown("suspects")
    shown("reinstate", ruling)
    assert "replaced nothing" in shown("history", facts[2])
