"""Every error that Illumina raises on purpose. A subclass's docstring is its default message."""

from __future__ import annotations

import inspect


class IlluminaError(Exception):
    """Illumina could not do what was asked."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or inspect.cleandoc(type(self).__doc__ or ""))


class InvalidInputError(IlluminaError):
    """The input cannot be stored or searched as it is."""


class InvalidTextError(InvalidInputError):
    """The text is none, or holds a character that PostgreSQL cannot store (NUL or a lone surrogate)."""


class StoreError(IlluminaError):
    """The database cannot be used as it is."""


class StoreUnavailableError(StoreError):
    """The database did not answer; the same call may succeed later."""


class MigrationError(StoreError):
    """The database's schema is not the one this version of Illumina knows."""


class ContractError(StoreError):
    """The model does not fit the vectors that this database holds."""


class EmbeddedServerError(StoreError):
    """The embedded PostgreSQL server did not start or stop."""


class LeaseLostError(IlluminaError):
    """Another worker has taken this job over; nothing that was written with it is kept."""


class ModelError(IlluminaError):
    """A model cannot be used."""


class ModelUnavailableError(ModelError):
    """A model did not answer; the same call may succeed later."""


class ModelRefusedError(ModelError):
    """A model's server refuses the call and always will: the key, the model's name or the request must be mended first."""


class CorruptModelError(ModelError):
    """A model's file is not the one that was pinned."""


class ExtractionError(ModelError):
    """A model's answer cannot be used as facts."""


class ReconciliationError(ModelError):
    """A model's answer cannot be used to say whether one fact supersedes another, or too many are left to ask about."""


class ReplayError(ModelError):
    """The answer to a call is not recorded, and the model may not be asked."""


class BudgetError(ModelError):
    """The namespace has spent its tokens. Raise its cap."""
