"""Options that many commands share, and how each opens the memory."""

from typing import Annotated

import typer

from illumina.memory import Memory

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
Agent = Annotated[str | None, typer.Option(help="The agent that asks or brings it.")]
Device = Annotated[str | None, typer.Option(help="The device that asks or brings it.")]
Json = Annotated[bool, typer.Option("--json", help="Print canonical JSON.")]


def open_memory(dsn: str | None, embedder: str | None = None, extractor: str | None = None) -> Memory:
    """The memory that the shared options name."""
    return Memory.open(dsn, embedder=embedder, extractor=extractor)
