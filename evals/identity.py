"""What a run is: everything that can change its result is identity, everything else is environment."""

from __future__ import annotations

import hashlib
import os
import platform
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import illumina
from illumina.store import migrate
from illumina.text import ANALYSER_FINGERPRINT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evals.suite import Suite
    from evals.types import Corpus
    from illumina import Memory

MEASURE_VERSION: Final = 1
"""Raised whenever a measure's definition changes: results before and after do not compare."""

_PACKAGES: Final = ("numpy", "onnxruntime", "tokenizers", "psycopg", "pgvector", "ranx", "polars", "illumina")


def identity(suite: Suite, corpus: Corpus, memory: Memory) -> dict[str, Any]:
    """All that can change the rankings or their measures."""
    return {
        "suite": {
            "name": suite.name,
            "measures": suite.measures,
            "depth": suite.depth,
            "systems": suite.systems,
            "seed": suite.seed,
        },
        "corpus": {"name": corpus.name, "digest": corpus.digest},
        "engine": {
            "code": code_fingerprint(),
            "ranking": asdict(memory.ranking),
            "analyser": ANALYSER_FINGERPRINT,
            "migrations": migrate.fingerprint(),
            "embedder": {
                "name": memory.embedder.name,
                "dimension": memory.embedder.dimension,
                "fingerprint": memory.embedder.fingerprint,
            },
        },
        "measure_version": MEASURE_VERSION,
    }


def environment(provider: Mapping[str, Any]) -> dict[str, Any]:
    """Where a run was made; never part of what it is."""
    return {
        "postgres": dict(provider),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "packages": {name: metadata.version(name) for name in _PACKAGES},
    }


def code_fingerprint() -> str:
    """SHA-256 over the engine's sources, interfaces left out: they hold no logic."""
    root = Path(illumina.__file__).parent
    hasher = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root).as_posix()
        if path.suffix in {".py", ".sql"} and not relative.startswith("interfaces/"):
            hasher.update(f"{relative}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return hasher.hexdigest()
