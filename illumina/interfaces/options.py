"""Options that several commands share."""

from typing import Annotated

import typer

Namespace = Annotated[str, typer.Option("--namespace", "-n", help="The partition; nothing of another is ever seen.")]
Dsn = Annotated[
    str | None,
    typer.Option(envvar="ILLUMINA_DSN", help="A PostgreSQL database with pgvector. Default: the embedded server."),
]
Model = Annotated[
    str | None, typer.Option(envvar="ILLUMINA_EMBEDDER", help="A sentence-transformers model. Default: all-MiniLM-L6-v2.")
]
