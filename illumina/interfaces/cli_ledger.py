"""`illumina account`, `links`, `forget`, `rebuild`: what became of a text, and how it goes again."""

from typing import Annotated

import typer

from illumina.canonical import dumps
from illumina.ids import FACT_PREFIX, public_id
from illumina.intake import DEFAULT_NAMESPACE
from illumina.interfaces.options import Dsn, Fact, Json, Model, Namespace, open_memory, print_json


def mount(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (account, links, forget, rebuild):
        app.command()(command)


def account(
    document: Annotated[str, typer.Argument(help="The document, doc_….")],
    *,
    namespace: Namespace = DEFAULT_NAMESPACE,
    json: Json = False,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """Show what became of every character of a document: extracted, rejected and why, failed and why, or pending."""
    with open_memory(dsn, embedder) as memory:
        spans = memory.account(document, namespace=namespace)
        found = memory.document(document, namespace=namespace)
    if json:
        print_json(spans)
        return
    assert found is not None
    characters: dict[str, int] = {}
    for span in spans:
        characters[span.outcome] = characters.get(span.outcome, 0) + span.end - span.start
        if span.reason == "white space":
            continue
        text = " ".join(found.body[span.start : span.end].split())
        shown = text if len(text) <= 70 else f"{text[:69]}…"
        why = f" ({span.reason})" if span.reason else ""
        typer.echo(f"{span.start:>8}–{span.end:<8} {span.outcome}{why}: {shown}")
    total = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(characters.items()))
    typer.echo(f"{len(found.body):,} characters: {total}.")


def links(
    fact: Fact,
    *,
    namespace: Namespace = DEFAULT_NAMESPACE,
    json: Json = False,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """Show a fact's edges: temporal, semantic, entity, causes, caused_by, enables, prevents, supersedes."""
    with open_memory(dsn, embedder) as memory:
        found = memory.links(fact, namespace=namespace)
    if json:
        print_json(
            [
                {
                    "kind": link.kind,
                    "fact": public_id(FACT_PREFIX, link.target),
                    "weight": link.weight,
                    "evidence": link.evidence,
                }
                for link in found
            ]
        )
        return
    for link in found:
        typer.echo(f"{link.kind:10} {public_id(FACT_PREFIX, link.target)}  {link.weight:.3f}  {dumps(link.evidence).decode()}")


def forget(
    *,
    document: Annotated[str | None, typer.Option(help="A document, doc_…, in all its versions.")] = None,
    source: Annotated[str | None, typer.Option(help="Everything of one origin.")] = None,
    fact: Annotated[str | None, typer.Option(help="One fact, fct_…; its words are taken out of its document.")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="The whole namespace.")] = False,
    namespace: Namespace = DEFAULT_NAMESPACE,
    json: Json = False,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """Forget for good; prints the receipt."""
    with open_memory(dsn, embedder) as memory:
        receipt = memory.forget(namespace=namespace, document=document, source=source, fact=fact, everything=everything)
    if json:
        print_json(receipt)
        return
    typer.echo(f"Forgotten: {receipt.documents} documents, {receipt.facts} facts.")
    for table, count in receipt.removed.items():
        typer.echo(f"  {count:>8,} rows of {table}")
    typer.echo(f"Looked for their ids in {len(receipt.left)} tables: {sum(receipt.left.values())} rows left.")


def rebuild(*, namespace: Namespace = DEFAULT_NAMESPACE, dsn: Dsn = None, embedder: Model = None) -> None:
    """Make everything derived anew from what is recorded, which changes nothing."""
    with open_memory(dsn, embedder) as memory:
        typer.echo(f"Rebuilt {namespace} from {memory.rebuild(namespace=namespace):,} facts.")
