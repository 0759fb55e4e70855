"""What can go wrong on the data side of the harness."""

from __future__ import annotations

from illumina.errors import IlluminaError


class CorpusError(IlluminaError):
    """The corpus cannot be loaded as it is."""


class SuiteError(IlluminaError):
    """The suite cannot be loaded as it is."""


class BaselineError(IlluminaError):
    """The baseline or its acknowledgements cannot be read as they are."""


class OutputError(IlluminaError):
    """What was made cannot be written where it should be."""


class EmbeddingsError(IlluminaError):
    """The recorded embeddings of a corpus cannot be used as they are."""
