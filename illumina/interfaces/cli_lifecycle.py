"""`illumina lifecycle`: the stages of facts."""

from typing import Annotated

import typer

from illumina.intake import DEFAULT_NAMESPACE
from illumina.interfaces.options import Dsn, Model, Namespace, open_memory


def mount(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(lifecycle)


def lifecycle(
    *,
    on: Annotated[bool | None, typer.Option("--on/--off", help="Switch the policy of the namespace.")] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Apply what was accessed, and the time that passed.")] = False,
    namespace: Namespace = DEFAULT_NAMESPACE,
    dsn: Dsn = None,
    embedder: Model = None,
) -> None:
    """Show how many facts are fresh, stable and open for editing; switch this on or off; run a pass."""
    with open_memory(dsn, embedder) as memory:
        stages = memory.lifecycle(namespace=namespace)
        if on is not None:
            stages.enable() if on else stages.disable()
        if apply:
            typer.echo(f"{stages.apply()} facts changed their stage.")
        state = "on" if stages.enabled() else "off"
        counts = ", ".join(f"{count} {stage}" for stage, count in stages.states().items())
    typer.echo(f"The lifecycle of {namespace} is {state}: {counts}.")
