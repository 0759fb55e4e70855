"""The built-in extractor: facts by rule, without a model. See `illumina.retain.builtin.extractor`."""

from illumina.retain.builtin.extractor import BuiltinExtractor

__all__ = ["BuiltinExtractor"]
