"""The extractor that asks a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from illumina.canonical import dumps
from illumina.errors import ExtractionError
from illumina.ids import content_uuid
from illumina.retain.llm.asking import UnusableAnswerError, ask
from illumina.retain.llm.reading import read
from illumina.retain.llm.schema import PROMPT, TOOL
from illumina.store.calls import Use

if TYPE_CHECKING:
    from illumina.models.llm.recorder import Recorder
    from illumina.retain.extraction import Extraction
    from illumina.types import Chunk, LedgerDocument

_READING: Final = 1
"""Raised with every change that can make other facts of the same answer."""


class LlmExtractor:
    """Makes facts by forced tool use (`extract_facts`), each resting on a quotation that occurs in the text.

    Retained text is data: it reaches the model between marks that it cannot contain, and whatever the model makes of it, an
    answer can only say what its schema has fields for, about facts that are quoted from this very chunk.

    Args:
        recorder: Asks for one namespace, and records or replays.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    @property
    def name(self) -> str:
        """The model's name."""
        return self._recorder.model.name

    @property
    def fingerprint(self) -> str:
        """Changes with the model, the prompt, the tool and the reading of answers."""
        return content_uuid("llm", self._recorder.model.fingerprint, PROMPT.digest.hex, TOOL.digest.hex, _READING).hex

    def extract(self, document: LedgerDocument, chunk: Chunk) -> Extraction:
        """See `Extractor.extract`; an answer that cannot be used is asked for once more, with an account of what is wrong.

        Raises:
            ModelUnavailableError: The model did not answer; the same call may succeed later.
            ModelRefusedError: The model's server refuses the call for good.
            BudgetError: The namespace has spent its tokens.
            ReplayError: The answer is not recorded, and the model may not be asked.
            ExtractionError: The model's answer cannot be used, also after one correction.
        """
        used_for = Use(document.id, document.version, chunk.ordinal)
        fields = {
            "about": _about(document, chunk),
            "before": document.body[chunk.context_start : chunk.start],
            "passage": document.body[chunk.start : chunk.end],
        }
        try:
            return ask(self._recorder, PROMPT, TOOL, fields, used_for, lambda reply: read(reply, document, chunk))
        except UnusableAnswerError as error:
            raise ExtractionError(
                f"{self.name} answered for chunk {chunk.ordinal} what cannot be used, also after one correction: {error}. "
                "The text is kept; `illumina retry` asks again."
            ) from error


def _about(document: LedgerDocument, chunk: Chunk) -> str:
    """What is known about a chunk, as canonical JSON: written by others, so it is data as much as the text is."""
    about: dict[str, object] = {
        "description": chunk.preamble,
        "source": document.source,
        "written_at": document.occurred_at,
    }
    if document.segments is not None:
        about["utterances"] = [
            {"speaker": segment.speaker, "said_at": segment.occurred_at}
            for segment in document.segments
            if segment.end > chunk.context_start and segment.start < chunk.end
        ]
    return dumps(about).decode()
