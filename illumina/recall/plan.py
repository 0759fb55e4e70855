"""What a question asks of the arms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from illumina.text import lexemes, validate_text

if TYPE_CHECKING:
    from illumina.models.base import IntegerVectors
    from illumina.settings import Ranking
    from illumina.store.believed import Belief
    from illumina.store.filters import Condition


@dataclass(frozen=True, slots=True)
class Plan:
    """A question, analysed once for all arms.

    Attributes:
        query: The question.
        lexemes: Its distinct lexemes, sorted; the lexical arm's terms.
        vector: Its integer vector, shape (dimension,); None if the embedder is down or not needed.
        exact: Compare every vector, whatever the size of the namespace.
        ranking: The constants.
        agent: Who asks: sees what is visible to this agent only, too.
        device: From where: sees what is visible on this device only, too.
        wanted: Only facts that meet this condition.
        belief: What was believed at the time that is asked about; None for now.
    """

    query: str
    lexemes: tuple[str, ...]
    vector: IntegerVectors | None
    exact: bool
    ranking: Ranking
    agent: str | None = None
    device: str | None = None
    wanted: Condition | None = None
    belief: Belief | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """Of the conditions on what is found."""
        return {
            "asking_agent": self.agent,
            "asking_device": self.device,
            **(self.wanted.parameters if self.wanted else {}),
            **(self.belief.parameters if self.belief else {}),
        }


class Hit(NamedTuple):
    """A candidate of one arm: the 16 bytes of the fact's id, and that arm's own score."""

    fact: bytes
    score: float


def query_lexemes(query: str) -> tuple[str, ...]:
    """Distinct lexemes of a question, by the analyser that made the postings.

    Raises:
        InvalidTextError: The question is no text, or holds NUL or a lone surrogate.
    """
    validate_text(query, "The query")
    return tuple(sorted(set(lexemes(query))))
