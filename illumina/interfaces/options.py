"""Options that many commands share, and how each opens the memory."""

from typing import Annotated

import typer

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
ReplayMode = Annotated[Replay, typer.Option(help="only: never ask the language model, use its recorded answers.")]
Agent = Annotated[str | None, typer.Option(help="The agent that asks or brings it.")]
Device = Annotated[str | None, typer.Option(help="The device that asks or brings it.")]
Json = Annotated[bool, typer.Option("--json", help="Print canonical JSON.")]


def open_memory(
    dsn: str | None,
    embedder: str | None = None,
    extractor: str | None = None,
    llm: str | None = None,
    replay: Replay = "record",
) -> Memory:
    """The memory that the shared options name."""
    return Memory.open(dsn, embedder=embedder, extractor=extractor, llm=llm, replay=replay)
