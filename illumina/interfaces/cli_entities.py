"""The commands around entities: `illumina entities …`."""

from collections.abc import Sequence
from typing import Annotated

import typer

from illumina.entity_views import EntitySummary, RulingView
from illumina.intake import DEFAULT_NAMESPACE
from illumina.interfaces.options import Dsn, Json, Limit, Model, Namespace, Reason, open_memory, print_json

app = typer.Typer(no_args_is_help=True, help="Who is known, why, what about them, and rulings on who is who.")

Name = Annotated[str, typer.Argument(help="Any of its names, or an id (ent_…, men_…).")]


@app.command("list")
def list_all(
    *, namespace: Namespace = DEFAULT_NAMESPACE, limit: Limit = 50, json: Json = False, dsn: Dsn = None, embedder: Model = None
) -> None:
    """Who is known, those with most mentions first."""
    with open_memory(dsn, embedder) as memory:
        found = memory.entities(namespace=namespace).all(limit)
    if json:
        print_json(found)
    else:
        _lines([_entity(entity) for entity in found], f"{namespace} knows nobody yet.")


@app.command()
def show(
    entity: Name, *, namespace: Namespace = DEFAULT_NAMESPACE, json: Json = False, dsn: Dsn = None, embedder: Model = None
) -> None:
    """An entity's names and where they are mentioned."""
    with open_memory(dsn, embedder) as memory:
        found = memory.entities(namespace=namespace).explain(entity)
    if json:
        print_json({"entity": found.entity, "aliases": found.aliases, "mentions": found.mentions})
    else:
        typer.echo(f"{_entity(found.entity)}\nnames: {', '.join(found.aliases)}")
        _lines([f"{mention.id}  {mention.name}  {mention.fact}" for mention in found.mentions])


@app.command()
def why(
    entity: Name, *, namespace: Namespace = DEFAULT_NAMESPACE, json: Json = False, dsn: Dsn = None, embedder: Model = None
) -> None:
    """Why all its mentions are one entity: each merge with its evidence, and the rulings."""
    with open_memory(dsn, embedder) as memory:
        found = memory.entities(namespace=namespace).explain(entity)
    if json:
        print_json(found)
        return
    names = {mention.id: mention.name for mention in found.mentions}
    typer.echo(_entity(found.entity))
    for merge in found.merges:
        one, other = merge["pair"]
        score = "ruled" if merge["score"] is None else f"{merge['score']:.2f}"
        typer.echo(f"{score:>6}  {names[one]} ({one}) = {names[other]} ({other})")
        for evidence in merge["evidence"]:
            weight = "" if evidence["weight"] is None else f"{evidence['weight']:+.2f} "
            typer.echo(f"          {weight}{evidence['reason']}")
    for ruling in found.rulings:
        typer.echo(_ruling(ruling))


@app.command()
def merge(
    one: Name,
    other: Name,
    *,
    reason: Reason = "",
    namespace: Namespace = DEFAULT_NAMESPACE,
    json: Json = False,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """Rule that two entities are one; later mentions of either's names follow."""
    with open_memory(dsn, embedder) as memory:
        _rulings(memory.entities(namespace=namespace).merge(one, other, reason), json=json)


@app.command()
def split(
    entity: Name,
    what: Annotated[str, typer.Argument(help="One of its mentions (men_…), or one of its names: all mentions under it.")],
    *,
    reason: Reason = "",
    namespace: Namespace = DEFAULT_NAMESPACE,
    json: Json = False,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """Rule that some mentions of an entity are not of it."""
    with open_memory(dsn, embedder) as memory:
        _rulings(memory.entities(namespace=namespace).split(entity, what, reason), json=json)


@app.command()
def pin(
    mention: Annotated[str, typer.Argument(help="A mention (men_…).")],
    entity: Name,
    *,
    reason: Reason = "",
    namespace: Namespace = DEFAULT_NAMESPACE,
    json: Json = False,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """Rule that a mention is of an entity, and of no other."""
    with open_memory(dsn, embedder) as memory:
        _rulings(memory.entities(namespace=namespace).pin(mention, entity, reason), json=json)


@app.command()
def undo(
    ruling: Annotated[str, typer.Argument(help="A ruling (rul_…).")],
    *,
    namespace: Namespace = DEFAULT_NAMESPACE,
    json: Json = False,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """Take back a ruling, with those that the same command made."""
    with open_memory(dsn, embedder) as memory:
        _rulings(memory.entities(namespace=namespace).undo(ruling), json=json)


@app.command()
def rulings(*, namespace: Namespace = DEFAULT_NAMESPACE, json: Json = False, dsn: Dsn = None, embedder: Model = None) -> None:
    """All rulings, those undone too, oldest first."""
    with open_memory(dsn, embedder) as memory:
        _rulings(memory.entities(namespace=namespace).rulings(), json=json)


@app.command()
def context(
    entity: Name,
    *,
    namespace: Namespace = DEFAULT_NAMESPACE,
    limit: Limit = 50,
    json: Json = False,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """What is known about an entity: its facts, newest first, and its relations."""
    with open_memory(dsn, embedder) as memory:
        found = memory.entities(namespace=namespace).context(entity, limit)
    if json:
        print_json(found)
        return
    typer.echo(f"{_entity(found.entity)}\nnames: {', '.join(found.aliases)}")
    for fact in found.facts:
        typer.echo(f"{'' if fact.at is None else f'{fact.at:%Y-%m-%d}':10}  {fact.content}  {fact.source}  {fact.id}")
    for relation in found.relations:
        arrow = "→" if relation.direction == "out" else "←"
        typer.echo(f"{arrow} {relation.name} {relation.other.name}  {relation.fact}")


@app.command()
def traverse(
    entity: Name,
    *,
    hops: Annotated[int, typer.Option(min=1, help="How far to go.")] = 2,
    namespace: Namespace = DEFAULT_NAMESPACE,
    limit: Limit = 100,
    json: Json = False,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """What is connected to an entity, by relations and by being mentioned together, the nearest first."""
    with open_memory(dsn, embedder) as memory:
        found = memory.entities(namespace=namespace).traverse(entity, hops, limit)
    if json:
        print_json(found)
    else:
        names = {step.entity.id: step.entity.name for step in found}
        for step in found:
            way = "" if step.via is None else f"  ({names[step.via]}: {step.how})"
            typer.echo(f"{step.hops}  {_entity(step.entity)}{way}")


def _rulings(found: Sequence[RulingView], *, json: bool) -> None:
    if json:
        print_json(found)
    else:
        _lines([_ruling(ruling) for ruling in found], "There is no ruling.")


def _lines(lines: Sequence[str], otherwise: str = "") -> None:
    for line in lines or filter(None, [otherwise]):
        typer.echo(line)


def _entity(entity: EntitySummary) -> str:
    return f"{entity.id}  {entity.name}{f' ({entity.kind})' if entity.kind else ''}  {entity.mentions} mentions"


def _ruling(ruling: RulingView) -> str:
    undone = "" if ruling.undone_at is None else f"  undone {ruling.undone_at:%Y-%m-%d %H:%M}"
    reason = f"  {ruling.reason}" if ruling.reason else ""
    sign = "=" if ruling.kind == "same" else "≠"
    return f"{ruling.id}  {ruling.one} {sign} {ruling.other}  {ruling.recorded_at:%Y-%m-%d %H:%M}{undone}{reason}"
