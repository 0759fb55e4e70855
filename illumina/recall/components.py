"""The parts of a recall that can be switched off, each registered under its name.

Whoever adds a part registers it and is done: `Memory.recall(components=…)` accepts its name, and the harness's ablation,
which reads this registry, measures it alone and left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, TypeVar


@dataclass(frozen=True, slots=True)
class Component:
    """A part with a name of its own. What it does is the subclass's matter, one for each kind.

    Attributes:
        name: Unique among all components.
    """

    kind: ClassVar[str]
    """What it does, such as `arm`; the same for all of a subclass."""

    name: str


C = TypeVar("C", bound=Component)

_REGISTERED: Final[dict[str, Component]] = {}


def register(component: Component) -> None:
    """Make a component known, behind those that are; the order is locked into the ranking.

    Raises:
        ValueError: Its name is taken.
    """
    if component.name in _REGISTERED:
        raise ValueError(f"There is a component {component.name!r} already. Give this one another name.")
    _REGISTERED[component.name] = component


def registered(kind: type[C]) -> tuple[C, ...]:
    """The components of a class, in the order in which they were registered; `Component` gives all."""
    return tuple(component for component in _REGISTERED.values() if isinstance(component, kind))
