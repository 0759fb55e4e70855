"""`illumina` on the command line."""

import sys
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from tqdm import tqdm

from illumina.errors import IlluminaError, InvalidInputError
from illumina.intake import DEFAULT_NAMESPACE
from illumina.interfaces import cli_calls, cli_entities, cli_history, cli_ledger, cli_lifecycle, cli_work
from illumina.interfaces.options import (
    Agent,
    Device,
    Dsn,
    Extractor,
    Json,
    Llm,
    Model,
    Namespace,
    Reconciler,
    ReplayMode,
    open_memory,
)
from illumina.jsonl import parse_document
from illumina.types import Answer, Category, Confidence, Document, Filter, Visibility

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)

cli_calls.mount(app)
cli_history.mount(app)
cli_ledger.mount(app)
cli_lifecycle.mount(app)
cli_work.mount(app, open_memory)
app.add_typer(cli_entities.app, name="entities")

JSON_LINES = frozenset({".jsonl", ".ndjson"})


@app.command()
def retain(
    files: Annotated[
        list[str] | None,
        typer.Argument(help="Text files, or chat exports as JSON Lines (.jsonl); - or none: standard input."),
    ] = None,
    *,
    namespace: Namespace = DEFAULT_NAMESPACE,
    source: Annotated[str, typer.Option(help="The origin, such as slack:#incidents. Default for a file: file:NAME.")] = "",
    occurred_at: Annotated[str | None, typer.Option(help="When it was written, ISO 8601; UTC if it names no zone.")] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read every input as JSON Lines, whatever its name.")] = False,
    agent: Agent = None,
    device: Device = None,
    visibility: Annotated[
        Visibility | None, typer.Option(help="Who may see it: everybody (shared), only its agent, or only its device.")
    ] = None,
    pod: Annotated[list[str] | None, typer.Option(help="A soft group that it belongs to; may be given several times.")] = None,
    later: Annotated[
        bool, typer.Option("--later", help="Only store the texts; `illumina work` makes facts of them, here or elsewhere.")
    ] = False,
    dsn: Dsn = None,
    embedder: Model = None,
    extractor: Extractor = None,
    llm: Llm = None,
    reconciler: Reconciler = None,
    replay: ReplayMode = "record",
) -> None:
    """Remember texts. Running it again changes nothing; a changed file becomes a new version."""
    moment = None if occurred_at is None else _moment(occurred_at, "--occurred-at")
    said = {"agent": agent, "device": device, "visibility": visibility, "pods": pod}
    provenance: dict[str, Any] = {name: value for name, value in said.items() if value}
    places: list[str] = []
    refused: list[str] = []
    with open_memory(dsn, embedder, extractor, llm, replay, reconciler) as memory:
        documents = _documents(files or ["-"], source=source, moment=moment, jsonl=jsonl, places=places, refused=refused)
        with tqdm(unit=" documents", disable=None, file=sys.stderr, leave=False) as bar:
            receipts = memory.retain_many(
                (replace(document, **provenance) for document in documents),
                namespace=namespace,
                later=later,
                progress=bar.update,
                refused=lambda position, error: refused.append(f"{places[position]}: {error}"),
            )
        if later:
            typer.echo(f"{len(receipts)} documents are stored. `illumina work --drain` makes facts of them.")
        else:
            created = sum(receipt.created for receipt in receipts)
            facts = sum(receipt.facts for receipt in receipts if receipt.created)
            typer.echo(
                f"{created} of {len(receipts)} documents were new: {facts} facts. "
                f"{namespace} now holds {memory.count(namespace=namespace)} facts."
            )
    for line in refused:
        typer.echo(line, err=True)
    if refused:
        typer.echo(f"{len(refused)} inputs were refused; everything else is retained.", err=True)
        raise typer.Exit(1)


@app.command()
def recall(
    query: Annotated[str, typer.Argument(help="The question.")],
    *,
    namespace: Namespace = DEFAULT_NAMESPACE,
    limit: Annotated[int, typer.Option("--limit", "-k", min=1, help="The most results.")] = 10,
    json: Json = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show each result's rank and score in each arm.")] = False,
    category: Annotated[list[str] | None, typer.Option(help="Only facts of this category; may be given several times.")] = None,
    confidence: Annotated[list[str] | None, typer.Option(help="Only facts of this confidence: high, medium, low.")] = None,
    source: Annotated[list[str] | None, typer.Option(help="Only facts of this origin.")] = None,
    pod: Annotated[list[str] | None, typer.Option(help="Only facts in this pod.")] = None,
    entity: Annotated[list[str] | None, typer.Option(help="Only facts about this entity, ent_….")] = None,
    since: Annotated[str | None, typer.Option(help="Only facts that are not wholly before this, ISO 8601.")] = None,
    until: Annotated[str | None, typer.Option(help="Only facts that began before this, ISO 8601.")] = None,
    as_of: Annotated[str | None, typer.Option(help="What was believed at this time, ISO 8601.")] = None,
    include_chunks: Annotated[
        bool, typer.Option("--include-chunks", help="Show stretches of the documents themselves, too.")
    ] = False,
    agent: Agent = None,
    device: Device = None,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """Ask the memory."""
    wanted = Filter(
        categories=cast("list[Category] | None", category),
        confidence=cast("list[Confidence] | None", confidence),
        sources=source,
        pods=pod,
        entities=entity,
        since=None if since is None else _moment(since, "--since"),
        until=None if until is None else _moment(until, "--until"),
    )
    with open_memory(dsn, embedder) as memory:
        answer = memory.recall(
            query,
            namespace=namespace,
            limit=limit,
            explain=explain,
            wanted=wanted,
            agent=agent,
            device=device,
            as_of=None if as_of is None else _moment(as_of, "--as-of"),
            include_chunks=include_chunks,
        )
    if json:
        sys.stdout.buffer.write(answer.to_json() + b"\n")
        return
    _show(answer)


@app.command()
def index(*, namespace: Namespace = DEFAULT_NAMESPACE, dsn: Dsn = None, embedder: Model = None) -> None:
    """Put a namespace that has outgrown the exact scan into the HNSW index."""
    with open_memory(dsn, embedder) as memory:
        done = memory.build_index(namespace=namespace)
        limit = memory.ranking.exact_scan_limit
    found = "is searched by HNSW" if done else f"has at most {limit:,} facts: the exact scan stays"
    typer.echo(f"{namespace} {found}.")


def main() -> None:
    """Run the command; an error of ours is one line, not a traceback."""
    try:
        app()
    except IlluminaError as error:
        typer.echo(f"illumina: {error}", err=True)
        sys.exit(2)


def _moment(text: str, option: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInputError(f"{option} is {text!r}. Write ISO 8601, such as 2026-03-02T09:00:00Z.") from error
    return moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC)


def _documents(
    files: list[str], *, source: str, moment: datetime | None, jsonl: bool, places: list[str], refused: list[str]
) -> Iterator[Document]:
    """The documents of all inputs, their places noted; what cannot be read is noted as refused and the rest goes on."""
    for name in files:
        try:
            text = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        except OSError as error:
            refused.append(f"{name}: {error.strerror}.")
            continue
        try:
            decoded = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            refused.append(f"{name}: not UTF-8 at byte {error.start}. Convert it, for instance with iconv.")
            continue
        origin = source or ("" if name == "-" else f"file:{Path(name).name}")
        if not jsonl and Path(name).suffix.lower() not in JSON_LINES:
            places.append(name)
            yield Document(decoded, origin, None if name == "-" else str(Path(name).resolve()), moment)
            continue
        for number, line in enumerate(decoded.split("\n"), start=1):
            if not line.strip():
                continue
            try:
                document = parse_document(line, source=origin)
            except InvalidInputError as error:
                refused.append(f"{name}:{number}: {error}")
                continue
            places.append(f"{name}:{number}")
            yield document


def _show(answer: Answer) -> None:
    for reason in answer.degraded_reasons:
        typer.echo(f"degraded: {reason}", err=True)
    if not answer.results:
        typer.echo("Nothing found.")
    for position, result in enumerate(answer.results, start=1):
        moment = "" if result.occurred_at is None else f" · {result.occurred_at.astimezone(UTC):%Y-%m-%d %H:%M}"
        said = f"{result.speaker}: " if result.speaker else ""
        place = " · ".join(filter(None, (result.source, result.document)))
        typer.echo(f"{position:2}. {result.score:.4f}  {said}{result.content}")
        typer.echo(f"              {place}#{result.segment}{moment} · {', '.join(result.arms)} · {result.id}")
    for position, chunk in enumerate(answer.chunks or (), start=1):
        typer.echo(f"chunk {position}. {chunk.score:.4f}  {chunk.preamble}")
        typer.echo(textwrap.indent(chunk.text.strip(), "              "))
        typer.echo(f"              {chunk.document_id} {chunk.start}–{chunk.end} · {', '.join(chunk.arms)}")
