"""From a name in the settings to an extractor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from illumina.errors import InvalidInputError
from illumina.models.llm.recorder import Recorder
from illumina.retain.builtin import BuiltinExtractor
from illumina.retain.llm.extractor import LlmExtractor
from illumina.retain.verbatim import VerbatimExtractor

if TYPE_CHECKING:
    from collections.abc import Callable

    from illumina.clock import Clock
    from illumina.models.llm.base import LanguageModel
    from illumina.models.llm.recorder import Replay
    from illumina.retain.extraction import Extractor
    from illumina.store.database import Database

EXTRACTORS: Final[dict[str, Callable[[], Extractor]]] = {"builtin": BuiltinExtractor, "verbatim": VerbatimExtractor}
"""Those that need no language model; the first is the default."""


def load_extractor(name: str | None = None) -> Extractor:
    """The extractor that a name stands for.

    Raises:
        InvalidInputError: There is none of this name.
    """
    found = EXTRACTORS.get(next(iter(EXTRACTORS)) if name is None else name)
    if found is None:
        raise InvalidInputError(
            f"There is no extractor {name!r}. Choose among {', '.join(EXTRACTORS)}, or name a language model as `llm`."
        )
    return found()


@dataclass(frozen=True, slots=True)
class Reading:
    """How a memory reads texts.

    Attributes:
        rules: The extractor that needs no language model.
        llm: The language model that reads instead, if any.
        replay: Whether it may be asked.
    """

    rules: Extractor
    llm: LanguageModel | None
    replay: Replay

    def extractor(self, database: Database, namespace: str, clock: Clock) -> Extractor:
        """What reads the texts of a namespace: the calls of a language model are recorded there."""
        if self.llm is None:
            return self.rules
        return LlmExtractor(Recorder(database, namespace, self.llm, clock=clock, replay=self.replay))
