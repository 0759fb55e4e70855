"""`illumina lifecycle`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from illumina import Memory
from illumina.interfaces import cli_lifecycle
from illumina.interfaces.cli import app
from tests.clock import ManualClock
from tests.support import HashingEmbedder

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


@pytest.fixture
def clock(dsn: str, monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    """The clock of a memory with a vital fact and another one."""
    clock = ManualClock()

    def opening(*_: object) -> AbstractContextManager[Memory]:
        return Memory.open(dsn, embedder=HashingEmbedder(), clock=clock)

    monkeypatch.setattr(cli_lifecycle, "open_memory", opening)
    with opening() as memory:
        memory.retain("Deploys must never run on Fridays. The train was late again.")
    return clock


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["lifecycle", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_it_is_shown_switched_and_applied(clock: ManualClock) -> None:
    assert shown() == "The lifecycle of default is off: 2 fresh, 0 stable, 0 editing.\n"
    clock.advance(3600)
    assert shown("--apply").startswith("0 facts changed their stage.\n")
    assert shown("--on") == "The lifecycle of default is on: 2 fresh, 0 stable, 0 editing.\n"
    assert shown("--apply") == ("1 facts changed their stage.\nThe lifecycle of default is on: 1 fresh, 1 stable, 0 editing.\n")
    assert shown("--off") == "The lifecycle of default is off: 2 fresh, 0 stable, 0 editing.\n"
    assert "on: 1 fresh, 1 stable" in shown("--on", "--apply")
    assert shown("-n", "elsewhere") == "The lifecycle of elsewhere is off: 0 fresh, 0 stable, 0 editing.\n"
