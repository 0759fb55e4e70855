"""From a name in the settings to an extractor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from illumina.errors import InvalidInputError
from illumina.retain.verbatim import VerbatimExtractor

if TYPE_CHECKING:
    from illumina.retain.extraction import Extractor

DEFAULT_EXTRACTOR: Final = "verbatim"


def load_extractor(name: str | None = None) -> Extractor:
    """The extractor that a name stands for.

    Raises:
        InvalidInputError: There is none of this name.
    """
    if name is None or name == DEFAULT_EXTRACTOR:
        return VerbatimExtractor()
    raise InvalidInputError(f"There is no extractor {name!r}. Choose verbatim.")
