"""A command run in this process, and a suite to run it on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer.testing import CliRunner

from evals.cli.commands import app

if TYPE_CHECKING:
    from typer.testing import Result

SUITE = """
name = "mini"
description = "Three documents."
corpus = "./mini"
measures = ["recall_at_5", "recall_at_10", "ndcg_at_10", "mrr"]
depth = 50
systems = ["fusion", "semantic", "lexical"]
seed = 1
determinism = ["L1", "L2", "L3"]
"""


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)
