"""`illumina history`, `suspects`, `correct`, `supersede`, `reinstate`: what replaced what, and what people decide."""

import sys
from collections.abc import Mapping
from datetime import UTC
from typing import Annotated, Any

import typer

from illumina.history import Remembered, Replacement
from illumina.intake import DEFAULT_NAMESPACE
from illumina.interfaces.options import Agent, Device, Dsn, Fact, Json, Model, Namespace, Reason, open_memory, print_json


def mount(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (history, suspects, correct, supersede, reinstate):
        app.command()(command)


def history(
    fact: Fact,
    *,
    namespace: Namespace = DEFAULT_NAMESPACE,
    agent: Agent = None,
    device: Device = None,
    json: Json = False,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """Show what a fact replaced and what replaced it, the whole chain, and why."""
    with open_memory(dsn, embedder) as memory:
        found = memory.history(fact, namespace=namespace, agent=agent, device=device)
    if json:
        sys.stdout.buffer.write(found.to_json() + b"\n")
        return
    facts = {**found.facts, found.fact.id: found.fact}
    _show(found.fact)
    for title, edges, side in (("replaced by", found.replaced_by, "new"), ("replaced", found.replaced, "old")):
        for edge in edges:
            typer.echo(f"  {title}{_how(edge)}")
            _show(facts[getattr(edge, side)], "    ")
    if not (found.replaced or found.replaced_by):
        typer.echo("  It replaced nothing, and nothing replaced it.")


def suspects(
    *,
    namespace: Namespace = DEFAULT_NAMESPACE,
    agent: Agent = None,
    device: Device = None,
    json: Json = False,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """List facts that hold but rest on one that does not hold any more."""
    with open_memory(dsn, embedder) as memory:
        found = memory.suspects(namespace=namespace, agent=agent, device=device)
    if json:
        print_json([suspect.to_dict() for suspect in found])
        return
    for suspect in found:
        _show(suspect.fact)
        _show(suspect.because, "  rests on ")
        for new, evidence in zip(suspect.replaced_by, suspect.why, strict=True):
            typer.echo(f"  which {new} supersedes, {_by(evidence)}")
    if not found:
        typer.echo("Nothing rests on what does not hold any more.")


def correct(
    fact: Annotated[str, typer.Argument(help="The wrong fact, fct_….")],
    statement: Annotated[str, typer.Argument(help="What is right, as a full sentence.")],
    *,
    reason: Reason = "",
    namespace: Namespace = DEFAULT_NAMESPACE,
    agent: Agent = None,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """Put a right statement in a wrong one's place; `reinstate` takes the ruling back."""
    with open_memory(dsn, embedder) as memory:
        receipt = memory.correct(fact, statement, reason=reason, namespace=namespace, agent=agent)
    typer.echo(f"{fact} is superseded by {receipt.document_id}, which has {receipt.facts} facts.")


def supersede(
    old: Annotated[str, typer.Argument(help="The fact that does not hold any more, fct_….")],
    new: Annotated[str, typer.Argument(help="The fact that holds instead, fct_….")],
    *,
    reason: Reason = "",
    namespace: Namespace = DEFAULT_NAMESPACE,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """Decide that one fact supersedes another, whatever the rules say; prints the ruling, which can be undone."""
    with open_memory(dsn, embedder) as memory:
        typer.echo(memory.supersede(old, new, reason=reason, namespace=namespace))


def reinstate(
    ruling: Annotated[str, typer.Argument(help="The ruling, rul_….")],
    *,
    namespace: Namespace = DEFAULT_NAMESPACE,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """Take back a decision that one fact supersedes another."""
    with open_memory(dsn, embedder) as memory:
        memory.reinstate(ruling, namespace=namespace)


def _show(fact: Remembered, indent: str = "") -> None:
    moment = "" if fact.occurred_at is None else f" · {fact.occurred_at.astimezone(UTC):%Y-%m-%d %H:%M}"
    typer.echo(f"{indent}{fact.content}")
    typer.echo(f"{' ' * len(indent)}{fact.state} · {fact.source}{moment} · {fact.id}")


def _how(edge: Replacement) -> str:
    part = f" in part ({edge.part})" if edge.part else ""
    since = "" if edge.since is None else f" since {edge.since.astimezone(UTC):%Y-%m-%d %H:%M}"
    ruling = f" {edge.ruling}" if edge.ruling else ""
    return f"{part}{since}, {_by(edge.evidence, ruling)}:"


def _by(evidence: Mapping[str, Any], ruling: str = "") -> str:
    told = {name: value for name, value in sorted(evidence.items()) if name != "kind" and value not in ("", False)}
    why = ", ".join(f"{name} {value}" for name, value in told.items())
    return f"by {evidence['kind']}{ruling}{f' ({why})' if why else ''}"
