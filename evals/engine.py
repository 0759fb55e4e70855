"""A suite's `[engine]` table: how the engine is configured for it; without one, as it comes.

```toml
[engine]
embeddings = "recorded"   # the vectors that the corpus carries (`evals.recorded`); default: "model", the engine's own
extractor = "builtin"     # what makes facts of the texts; default: "verbatim", each utterance as it stands
rrf_k = 10                # fields of `illumina.Ranking`; what is left out stays as the engine has it
arm_depth = 100
```

What it sets is part of a run's identity as the constants and vectors that the engine then has, so two suites that differ by
it alone compare.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, get_args

from evals.errors import SuiteError
from illumina import Ranking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from illumina.models.base import Embedder
    from illumina.retain.extraction import Extractor

Embeddings = Literal["model", "recorded"]
EMBEDDINGS: Final = get_args(Embeddings)

EXTRACTORS: Final = ("verbatim", "builtin")
DEFAULT_EXTRACTOR: Final = "verbatim"
"""So that judgements of utterances need no mapping, and a ranking is measured apart from what is extracted."""


class Configured(Protocol):
    """What of the engine can change a result; an open memory has it."""

    @property
    def ranking(self) -> Ranking:
        """The constants by which it ranks."""

    @property
    def embedder(self) -> Embedder:
        """The model whose vectors it holds."""

    @property
    def extractor(self) -> Extractor:
        """What makes its facts."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The same, without a memory."""

    ranking: Ranking
    embedder: Embedder
    extractor: Extractor


@dataclass(frozen=True, slots=True)
class EngineProfile:
    """How the engine is configured for a suite.

    Attributes:
        ranking: The constants by which it ranks.
        embeddings: Where vectors come from: the engine's own model, or what the corpus carries.
        extractor: Name of what makes facts of the texts.
    """

    ranking: Ranking = field(default_factory=Ranking)
    embeddings: Embeddings = "model"
    extractor: str = DEFAULT_EXTRACTOR


def parse_engine(written: Mapping[str, Any]) -> EngineProfile:
    """The profile that an `[engine]` table describes.

    Raises:
        SuiteError: A key is unknown, or a value is none that the engine could use.
    """
    embeddings = written.get("embeddings", "model")
    if embeddings not in EMBEDDINGS:
        raise SuiteError(f"engine.embeddings is {embeddings!r}; it must be one of {', '.join(EMBEDDINGS)}.")
    extractor = written.get("extractor", DEFAULT_EXTRACTOR)
    if extractor not in EXTRACTORS:
        raise SuiteError(f"engine.extractor is {extractor!r}; it must be one of {', '.join(EXTRACTORS)}.")
    if embeddings == "recorded" and extractor != DEFAULT_EXTRACTOR:
        raise SuiteError(
            f"A corpus carries the vectors of its utterances; take engine.extractor = {DEFAULT_EXTRACTOR!r} for them."
        )
    constants = {key: value for key, value in written.items() if key not in {"embeddings", "extractor"}}
    kinds = {name: type(value) for name, value in asdict(Ranking()).items()}
    for key, value in constants.items():
        if key not in kinds:
            raise SuiteError(f"engine has the unknown key {key!r}. Known are embeddings, extractor, {', '.join(kinds)}.")
        accepted = (int,) if kinds[key] is int else (int, float)
        if type(value) not in accepted or not 0 <= value < math.inf:
            article = "an integer" if kinds[key] is int else "a number"
            raise SuiteError(f"engine.{key} is {value!r}; it must be {article} of at least 0.")
    return EngineProfile(Ranking(**{key: kinds[key](value) for key, value in constants.items()}), embeddings, extractor)
