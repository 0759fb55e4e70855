"""From a name in the settings to an extractor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from illumina.errors import InvalidInputError
from illumina.retain.builtin import BuiltinExtractor
from illumina.retain.verbatim import VerbatimExtractor

if TYPE_CHECKING:
    from collections.abc import Callable

    from illumina.retain.extraction import Extractor

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
            f"There is no extractor {name!r}. Choose among {', '.join(EXTRACTORS)}, or open the memory with an `LlmExtractor`."
        )
    return found()
