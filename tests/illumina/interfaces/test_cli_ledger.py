"""`illumina account`, `links`, `forget`, `rebuild` and `correct`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from illumina import Memory, RetainReceipt
from illumina.errors import InvalidInputError
from illumina.interfaces import cli_history, cli_ledger
from illumina.interfaces.cli import app
from tests.support import HashingEmbedder, rows

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

BODY = "# Incident\n\nThe deploy failed because the disk filled up.\n\nThanks!\n"


@pytest.fixture
def receipt(dsn: str, monkeypatch: pytest.MonkeyPatch) -> RetainReceipt:
    def opening(*_: object) -> AbstractContextManager[Memory]:
        return Memory.open(dsn, embedder=HashingEmbedder())

    for module in (cli_ledger, cli_history):
        monkeypatch.setattr(module, "open_memory", opening)
    with opening() as memory:
        return memory.retain(BODY, source="wiki", key="i")


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def fact(dsn: str, content: str) -> str:
    ((found,),) = rows(dsn, "select fact from illumina.facts where content like %s", [content])
    return f"fct_{found.hex}"


def test_the_account_adds_up(receipt: RetainReceipt) -> None:
    *lines, total = shown("account", receipt.document_id).splitlines()
    assert lines[0].split(maxsplit=1)[1] == "rejected (heading): # Incident"
    assert any(line.endswith("extracted: The deploy failed") for line in lines)
    assert "rejected" in lines[-1]
    assert lines[-1].endswith(": Thanks!")
    assert total.startswith(f"{len(BODY)} characters: ")
    spans = json.loads(shown("account", receipt.document_id, "--json"))
    assert "".join(BODY[span["start"] : span["end"]] for span in spans) == BODY


def test_links_are_shown_from_both_sides(receipt: RetainReceipt, dsn: str) -> None:
    cause, effect = fact(dsn, "The disk%"), fact(dsn, "The deploy%")
    assert shown("links", cause).split() == ["causes", effect, "1.000", '{"cue":"because"}']
    (view,) = json.loads(shown("links", effect, "--json"))
    assert (view["kind"], view["fact"]) == ("caused_by", cause)


def test_a_correction_and_then_nothing_is_left(receipt: RetainReceipt, dsn: str) -> None:
    wrong = fact(dsn, "The disk%")
    assert "which has 1 facts" in shown("correct", wrong, "The certificate of the host expired.", "--reason", "post-mortem")
    assert "The certificate of the host expired." in shown("history", wrong)
    assert shown("rebuild") == "Rebuilt default from 3 facts.\n"
    *counts, last = shown("forget", "--everything").splitlines()
    assert counts[0] == "Forgotten: 2 documents, 3 facts."
    assert last.endswith("0 rows left.")
    assert rows(dsn, "select count(*) from illumina.namespaces") == [(0,)]
    with pytest.raises(InvalidInputError, match="holds no such document"):
        shown("forget", "--everything")
