"""A memory for AI agents that can be checked."""

from illumina.errors import IlluminaError
from illumina.memory import Memory
from illumina.settings import Ranking
from illumina.types import Answer, Document, Filter, Result, RetainReceipt, Utterance

__all__ = ["Answer", "Document", "Filter", "IlluminaError", "Memory", "Ranking", "Result", "RetainReceipt", "Utterance"]
