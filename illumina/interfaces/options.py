"""Arguments and options that many commands share, how each opens the memory, and how each prints JSON."""

import sys
from dataclasses import asdict, is_dataclass
from typing import Annotated, Any

import typer

from illumina.canonical import dumps
from illumina.memory import Memory
from illumina.models.llm.recorder import Replay

Namespace = Annotated[str, typer.Option("--namespace", "-n", help="The partition; nothing of another is ever seen.")]
Dsn = Annotated[
    str | None,
    typer.Option(envvar="ILLUMINA_DSN", help="A PostgreSQL database with pgvector. Default: the embedded server."),
]
Model = Annotated[
    str | None, typer.Option(envvar="ILLUMINA_EMBEDDER", help="A sentence-transformers model. Default: all-MiniLM-L6-v2.")
]
Extractor = Annotated[
    str | None,
    typer.Option(
        envvar="ILLUMINA_EXTRACTOR", help="What makes facts of texts: builtin (default), or verbatim: each utterance."
    ),
]
Llm = Annotated[
    str | None,
    typer.Option(envvar="ILLUMINA_LLM", help="A language model that makes the facts instead: anthropic:MODEL or openai:MODEL."),
]
Reconciler = Annotated[
    str | None,
    typer.Option(
        envvar="ILLUMINA_RECONCILER",
        help="A language model that judges what supersedes what where the rules find nothing: anthropic:MODEL or openai:MODEL.",
    ),
]
ReplayMode = Annotated[Replay, typer.Option(help="only: never ask a language model, use its recorded answers.")]
Agent = Annotated[str | None, typer.Option(help="The agent that asks or brings it.")]
Device = Annotated[str | None, typer.Option(help="The device that asks or brings it.")]
Json = Annotated[bool, typer.Option("--json", help="Print canonical JSON.")]
Fact = Annotated[str, typer.Argument(help="The fact, fct_….")]
Limit = Annotated[int, typer.Option("--limit", "-k", min=1, help="The most to show.")]
Reason = Annotated[str, typer.Option("--reason", "-r", help="Why; kept with the ruling.")]


def open_memory(
    dsn: str | None,
    embedder: str | None = None,
    extractor: str | None = None,
    llm: str | None = None,
    replay: Replay = "record",
    reconciler: str | None = None,
) -> Memory:
    """The memory that the shared options name."""
    return Memory.open(dsn, embedder=embedder, extractor=extractor, llm=llm, replay=replay, reconciler=reconciler)


def print_json(value: object) -> None:
    """Canonical JSON on one line, of what is made of dataclasses, lists and dictionaries."""
    sys.stdout.buffer.write(dumps(_plain(value)) + b"\n")


def _plain(value: object) -> Any:  # noqa: ANN401 - any JSON value
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value
