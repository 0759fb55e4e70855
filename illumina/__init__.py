"""A memory for AI agents that can be checked."""

from illumina.errors import IlluminaError
from illumina.memory import Memory
from illumina.settings import Ranking
from illumina.types import Answer, Document, Filter, Passage, Result, RetainReceipt, Utterance

__all__ = [
    "Answer",
    "Document",
    "Filter",
    "IlluminaError",
    "Memory",
    "Passage",
    "Ranking",
    "Result",
    "RetainReceipt",
    "Utterance",
]
