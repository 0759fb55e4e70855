"""`illumina calls` and `illumina budget`: what was asked of language models, and what may be."""

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from illumina.errors import InvalidInputError
from illumina.intake import DEFAULT_NAMESPACE
from illumina.interfaces.options import Dsn, Model, Namespace, open_memory
from illumina.models.registry import load_language_model
from illumina.recorded import stale
from illumina.store.calls import Spending

_calls = typer.Typer(help="Recorded calls of language models: list, export, import.")

_ID_DIGITS = 12


def mount(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(_calls, name="calls")
    app.command()(budget)


@_calls.callback(invoke_without_command=True)
def calls(
    context: typer.Context,
    *,
    namespace: Namespace = DEFAULT_NAMESPACE,
    document: Annotated[str | None, typer.Option(help="Only the calls that this document (doc_…) rests on.")] = None,
    only_stale: Annotated[bool, typer.Option("--stale", help="Only calls whose answers are not used any more.")] = False,
    llm: Annotated[
        str | None, typer.Option(envvar="ILLUMINA_LLM", help="The model in use, anthropic:MODEL or openai:MODEL; any if none.")
    ] = None,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """List the recorded calls, their tokens, and which are stale: asked with another prompt, schema or model than today's."""
    if context.invoked_subcommand is not None:
        return
    model = None if llm is None else load_language_model(llm)
    with open_memory(dsn, embedder) as memory:
        recorded = memory.calls(namespace=namespace)
        found = [(call, stale(call, model)) for call in recorded.all(document)]
        spent = recorded.spending()
    for call, parts in found:
        if parts or not only_stale:
            state = f"stale: {', '.join(parts)}" if parts else "current"
            tokens = f"{call.input_tokens:,} + {call.output_tokens:,} tokens"
            typer.echo(f"{call.key.call.hex[:_ID_DIGITS]}  {call.key.model}  {tokens}  {state}")
    reading, writing = (sum(getattr(call, side) for call, _ in found) for side in ("input_tokens", "output_tokens"))
    typer.echo(f"{len(found)} calls, {reading:,} tokens read, {writing:,} written.")
    for parts, count in sorted(Counter(parts for _, parts in found if parts).items()):
        typer.echo(f"{count} of them are stale: another {', another '.join(parts)}.")
    typer.echo(_spent(namespace, spent))


@_calls.command("export")
def export(
    file: Annotated[str, typer.Argument(help="JSON Lines to write; - is standard output.")] = "-",
    *,
    namespace: Namespace = DEFAULT_NAMESPACE,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """Write every recorded call as a line of JSON, to be replayed elsewhere without a network."""
    with open_memory(dsn, embedder) as memory:
        lines = "".join(f"{line}\n" for line in memory.calls(namespace=namespace).export()).encode()
    if file == "-":
        sys.stdout.buffer.write(lines)
    else:
        Path(file).write_bytes(lines)


@_calls.command("import")
def load(
    file: Annotated[str, typer.Argument(help="JSON Lines to read; - is standard input.")] = "-",
    *,
    namespace: Namespace = DEFAULT_NAMESPACE,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """Add exported calls; those that are recorded already stay as they are."""
    try:
        lines = (sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()).decode().split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{file} cannot be read: {error}. Name a file that `illumina calls export` wrote.") from error
    with open_memory(dsn, embedder) as memory:
        added = memory.calls(namespace=namespace).load(lines)
    typer.echo(f"{added} of {sum(bool(line.strip()) for line in lines)} calls were new.")


def budget(
    tokens: Annotated[int | None, typer.Argument(min=0, help="No call begins once so many tokens are spent.")] = None,
    *,
    no_cap: Annotated[bool, typer.Option("--no-cap", help="Lift the cap.")] = False,
    namespace: Namespace = DEFAULT_NAMESPACE,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """Show what a namespace has spent on language models, or cap it."""
    if no_cap and tokens is not None:
        raise InvalidInputError("Pass either a number of tokens or --no-cap, not both.")
    with open_memory(dsn, embedder) as memory:
        recorded = memory.calls(namespace=namespace)
        if no_cap or tokens is not None:
            recorded.set_cap(tokens)
        spent = recorded.spending()
    typer.echo(_spent(namespace, spent))


def _spent(namespace: str, spent: Spending) -> str:
    cap = "without a cap" if spent.token_cap is None else f"of at most {spent.token_cap:,}"
    return f"{namespace} has spent {spent.tokens:,} tokens in {spent.calls:,} calls, {cap}."
