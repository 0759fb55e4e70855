"""A suite's `[engine]` table: how the engine is configured for it; without one, as it comes.

```toml
[engine]                  # fields of `illumina.Ranking`; what is left out stays as the engine has it
rrf_k = 10
arm_depth = 100
```

It is part of a run's identity as the constants that the engine then has, so two suites that differ by it alone compare.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from evals.errors import SuiteError
from illumina import Memory, Ranking
from illumina.models.registry import load_embedder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from illumina.models.base import Embedder


class Configured(Protocol):
    """What of the engine can change a result: an open memory has it, and so has the profile that it is opened by."""

    @property
    def ranking(self) -> Ranking:
        """The constants by which it ranks."""

    @property
    def embedder(self) -> Embedder:
        """The model whose vectors it holds."""


@dataclass(frozen=True, slots=True)
class EngineProfile:
    """How the engine is opened for a suite.

    Attributes:
        ranking: The constants by which it ranks.
    """

    ranking: Ranking = field(default_factory=Ranking)

    @property
    def embedder(self) -> Embedder:
        """The model, which loads nothing before it embeds a text."""
        return load_embedder()

    def open(self, dsn: str) -> Memory:
        """A memory on a database, configured so; close it after use.

        Raises:
            IlluminaError: The database or the model cannot be used.
        """
        return Memory.open(dsn, embedder=self.embedder, ranking=self.ranking)


def parse_engine(written: Mapping[str, Any]) -> EngineProfile:
    """The profile that an `[engine]` table describes.

    Raises:
        SuiteError: A key is unknown, or a value is none that the engine could use.
    """
    kinds = {name: type(value) for name, value in asdict(Ranking()).items()}
    for key, value in written.items():
        if key not in kinds:
            raise SuiteError(f"engine has the unknown key {key!r}. Known are {', '.join(kinds)}.")
        accepted = (int,) if kinds[key] is int else (int, float)
        if type(value) not in accepted or not 0 <= value < math.inf:
            article = "an integer" if kinds[key] is int else "a number"
            raise SuiteError(f"engine.{key} is {value!r}; it must be {article} of at least 0.")
    return EngineProfile(Ranking(**{key: kinds[key](value) for key, value in written.items()}))
