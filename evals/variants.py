"""Variants of the engine: a component left out, a component alone, other constants."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Final, Literal, get_type_hints

from illumina import Ranking
from illumina.errors import InvalidInputError
from illumina.recall.arms import Arm
from illumina.recall.components import Component, registered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Configuration = tuple[tuple[str, ...] | None, Ranking]
"""The components that work, None for all, and the constants: variants that are equal in these do the same."""

VariantKind = Literal["full", "leave-one-out", "leave-one-in", "sweep"]

FULL: Final = "full"

RECALL_ONLY: Final = frozenset({"bm25_k1", "bm25_b", "rrf_k", "arm_depth", "overfetch"})
"""Constants that nothing retained depends on, so that variants share a database. One that is not here gets its own."""

_TYPES: Final[Mapping[str, type]] = get_type_hints(Ranking)


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to run the engine.

    Attributes:
        kind: What it is among the variants.
        name: The component, or the settings, or `full`.
        components: The components that work; None for all.
        ranking: The constants.
    """

    kind: VariantKind
    name: str
    components: tuple[str, ...] | None
    ranking: Ranking

    @property
    def configuration(self) -> Configuration:
        """What it does, without what it is called."""
        return self.components, self.ranking

    @property
    def retained(self) -> Ranking:
        """The constants as far as retained state depends on them: equal ones share a database."""
        defaults = asdict(Ranking())
        return replace(self.ranking, **{name: defaults[name] for name in RECALL_ONLY})

    def describe(self) -> dict[str, Any]:
        """All of it, as JSON values."""
        return asdict(self)


def ablations(components: Sequence[Component] | None = None, base: Ranking | None = None) -> tuple[Variant, ...]:
    """The full engine, then each component left out, then each left in.

    An arm that is left in works alone; anything else that is left in works on top of all arms, alone of the others. What
    would leave no arm is left out: it finds nothing.

    Args:
        components: Those to ablate; all that are registered if None.
        base: The constants of all variants; the engine's default ones if None.
    """
    constants = base or Ranking()
    chosen = registered(Component) if components is None else tuple(components)
    every = tuple(component.name for component in chosen)
    arms = {component.name for component in chosen if isinstance(component, Arm)}
    variants = [Variant("full", FULL, None, constants)]
    for name in every:
        rest = tuple(other for other in every if other != name)
        if arms & set(rest):
            variants.append(Variant("leave-one-out", name, rest, constants))
    for name in every:
        kept = {name} if name in arms else {name, *arms}
        variants.append(Variant("leave-one-in", name, tuple(other for other in every if other in kept), constants))
    return tuple(variants)


def grid(settings: Mapping[str, Sequence[float]], base: Ranking | None = None) -> tuple[Variant, ...]:
    """The base constants, then every combination of the given values but the base's own; the last setting runs fastest.

    Args:
        settings: Fields of `illumina.settings.Ranking` to the values to try.
        base: What all else is; the engine's default constants if None.

    Raises:
        InvalidInputError: A field is unknown, or a value is not of its type; the message names the mend.
    """
    if not settings:
        raise InvalidInputError(f"There is nothing to sweep. Name at least one of {', '.join(_TYPES)} with values.")
    tried = {name: _checked(name, values) for name, values in settings.items()}
    defaults = base or Ranking()
    variants = [Variant("full", _text((name, getattr(defaults, name)) for name in tried), None, defaults)]
    for values in product(*tried.values()):
        changed: dict[str, Any] = dict(zip(tried, values, strict=True))
        ranking = replace(defaults, **changed)
        if ranking != defaults:
            variants.append(Variant("sweep", _text(changed.items()), None, ranking))
    return tuple(variants)


def parse_settings(written: Iterable[str]) -> dict[str, list[float]]:
    """Settings as they are written on the command line, `name=value,value`.

    Raises:
        InvalidInputError: One is not written so, names no field, or has a value of another type.
    """
    settings: dict[str, list[float]] = {}
    for item in written:
        name, equals, values = item.partition("=")
        if not equals or not values:
            raise InvalidInputError(f"{item!r} is no setting. Write name=value,value as in rrf_k=10,60.")
        if name in settings:
            raise InvalidInputError(f"{name} is set twice. Write all its values into one list.")
        kind = _type_of(name)
        try:
            settings[name] = [kind(value) for value in values.split(",")]
        except ValueError as error:
            raise InvalidInputError(f"{name} cannot be {values!r}: it takes {_NAMES[kind]}, with commas between.") from error
    return settings


_NAMES: Final = {int: "integers", float: "numbers"}


def _type_of(name: str) -> type[float]:
    if name not in _TYPES:
        raise InvalidInputError(f"There is no setting {name!r}. Known are {', '.join(_TYPES)}.")
    return _TYPES[name]


def _checked(name: str, values: Sequence[float]) -> list[float]:
    kind = _type_of(name)
    if not values:
        raise InvalidInputError(f"{name} has no values. Give at least one.")
    for value in values:
        fits = isinstance(value, int) if kind is int else isinstance(value, int | float)
        if not fits or isinstance(value, bool):
            raise InvalidInputError(f"{name} cannot be {value!r}: it takes {_NAMES[kind]}.")
        if not 0 <= value < math.inf:
            raise InvalidInputError(f"{name} cannot be {value!r}: it must be finite and not negative.")
    converted = [kind(value) for value in values]
    if len(set(converted)) < len(converted):
        raise InvalidInputError(f"{name} has a value twice. Give each once.")
    return converted


def _text(settings: Iterable[tuple[str, float]]) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings)
