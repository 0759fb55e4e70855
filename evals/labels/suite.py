"""Labelling suites: which sets of one kind are put to which systems, and the least acceptable figures."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from evals.errors import SuiteError
from evals.labels import KINDS
from evals.suite import NAME, RETRIEVAL, SUITES, check_keys, kind_of, read_toml, suite_path

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from evals.labels.kinds import AnyKind

_KEYS: Final[Mapping[str, type]] = {"name": str, "kind": str, "description": str, "sets": list, "systems": list, "floors": dict}
_REQUIRED: Final = _KEYS.keys() - {"floors"}


@dataclass(frozen=True, slots=True)
class LabelSuite:
    """What `illumina-eval run` does for a kind other than retrieval.

    Attributes:
        name: The suite's name, and the beginning of its run directories'.
        kind: One of `evals.labels.KINDS`.
        description: One sentence for the list of suites.
        sets: The labelled sets, in report order.
        systems: What is measured, in report order.
        floors: `system/set/measure` to the least value over the set that is accepted.
    """

    name: str
    kind: str
    description: str
    sets: tuple[str, ...]
    systems: tuple[str, ...]
    floors: Mapping[str, float] = field(default_factory=dict)

    def without_data(self) -> LabelSuite:
        """The suite on our own sets only, under a name of its own; itself if it has none of them, or no other."""
        own = tuple(name for name in self.sets if name in KINDS[self.kind].own)
        if own in ((), self.sets):
            return self
        floors = {key: least for key, least in self.floors.items() if key.split("/")[1] in own}
        return replace(self, name=f"{self.name}-own", sets=own, floors=floors)


def find_suites() -> list[LabelSuite]:
    """The labelling suites that come with the harness, by name."""
    return [load_suite(path) for path in sorted(SUITES.glob("*.toml")) if kind_of(path) != RETRIEVAL]


def load_suite(name_or_path: str | Path) -> LabelSuite:
    """Load one of our suites by its name, or any by its path.

    Raises:
        SuiteError: There is no such suite, or its file is not right; the message names the mend.
    """
    path = suite_path(name_or_path)
    try:
        return _suite(read_toml(path))
    except SuiteError as error:
        raise SuiteError(f"{path}: {error}") from error


def _suite(content: Mapping[str, Any]) -> LabelSuite:
    check_keys(content, _KEYS, _REQUIRED)
    if content["kind"] not in KINDS:
        raise SuiteError(f"The kind is {content['kind']!r}. Known are {', '.join((RETRIEVAL, *KINDS))}.")
    if not NAME.fullmatch(content["name"]):
        raise SuiteError(f"The name is {content['name']!r}; it names directories: use letters, digits, '.', '_' and '-'.")
    kind_ = KINDS[content["kind"]]
    suite = LabelSuite(
        name=content["name"],
        kind=kind_.name,
        description=content["description"],
        sets=_choice(content, "sets", kind_.sets),
        systems=_choice(content, "systems", kind_.systems),
        floors={key: _least(key, value) for key, value in content.get("floors", {}).items()},
    )
    _check_floors(suite, kind_)
    return suite


def _choice(content: Mapping[str, Any], key: str, known: Collection[str]) -> tuple[str, ...]:
    chosen = content[key]
    if not chosen or len({*map(str, chosen)}) < len(chosen) or not all(name in known for name in chosen):
        raise SuiteError(f"{key} is {chosen!r}. Name at least one of {', '.join(known)}, each once.")
    return tuple(chosen)


def _least(key: str, value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise SuiteError(f"The floor {key!r} is {value!r}; it must be a number from 0 to 1.")
    return float(value)


def _check_floors(suite: LabelSuite, kind: AnyKind) -> None:
    measures = [measure.name for measure in kind.measures]
    for key in suite.floors:
        parts = key.split("/")
        if len(parts) != 3 or any(
            part not in known for part, known in zip(parts, (suite.systems, suite.sets, measures), strict=True)
        ):
            raise SuiteError(
                f"The floor {key!r} is not of a system, a set and a measure. Write system/set/measure with one of "
                f"{', '.join(suite.systems)}, one of {', '.join(suite.sets)} and one of {', '.join(measures)}."
            )
