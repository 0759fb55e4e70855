"""What a run is: everything that can change its result is identity, everything else is environment."""

from __future__ import annotations

import hashlib
import os
import platform
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import illumina
from evals import replay
from evals.recorded import Recorded
from evals.report import flatten
from illumina.store import migrate
from illumina.text import ANALYSER_FINGERPRINT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evals.engine import Configured
    from evals.suite import Suite
    from evals.types import Corpus
    from illumina import Ranking
    from illumina.models.base import Embedder

Kind = Literal["identity", "environment"]

MEASURE_VERSION: Final = 1
"""Raised whenever a measure's definition changes: results before and after do not compare."""

SUITE_FIELDS: Final[Mapping[str, Kind]] = {
    "name": "identity",
    "description": "environment",
    "corpus": "environment",  # where it lies; what it holds is the corpus's digest
    "measures": "identity",
    "depth": "identity",
    "systems": "identity",
    "seed": "identity",
    "cluster": "environment",  # shows in the corpus's digest
    "corpus_sha256": "environment",  # refuses another corpus and changes no result
    "floors": "environment",
    "determinism": "environment",
    "engine": "environment",  # the constants and the vectors that the engine then has are identity
    "gate": "environment",
}
"""What of a suite can change a result. A test fails on a field that is not here."""

OPEN_PARAMETERS: Final[Mapping[str, Kind]] = {
    "dsn": "environment",
    "directory": "environment",
    "embedder": "identity",
    "extractor": "identity",
    "llm": "environment",  # no suite is read by one
    "reconciler": "environment",  # nor reconciled
    "replay": "environment",
    "ranking": "identity",
    "clock": "environment",
}
"""What of the engine's configuration, the parameters of `Memory.open`, can change a result."""

MANIFEST: Final[Mapping[str, Kind]] = {
    "suite": "identity",
    "corpus": "identity",
    "engine": "identity",
    "replay": "identity",
    "measure_version": "identity",
    "variants": "identity",
    "postgres": "environment",
    "python": "environment",
    "platform": "environment",
    "machine": "environment",
    "cores": "environment",
    "packages": "environment",
    "started": "environment",
    "seconds": "environment",
    "taken_up": "environment",
    "replaced_result_digest": "environment",
    "checked_by_run_of": "environment",
}
"""The parts of a manifest. A part that is not here, or is on the other side, fails a test."""

_PACKAGES: Final = ("numpy", "onnxruntime", "tokenizers", "psycopg", "pgvector", "ranx", "polars", "illumina")


def identity(suite: Suite, corpus: Corpus, engine: Configured) -> dict[str, Any]:
    """All that can change the rankings or their measures."""
    return {
        "suite": suite_identity(suite),
        "corpus": {"name": corpus.name, "digest": corpus.digest},
        "engine": {
            **ranking_identity(engine.ranking),
            "embedder": embedder_identity(engine.embedder),
            "extractor": f"{engine.extractor.name} {engine.extractor.fingerprint}",
        },
        "replay": replay_fingerprint(),
        "measure_version": MEASURE_VERSION,
    }


def embedder_identity(embedder: Embedder) -> dict[str, Any]:
    """What a model is; recorded vectors are those that were recorded, whatever the model would answer today."""
    named = {"name": embedder.name, "dimension": embedder.dimension, "fingerprint": embedder.fingerprint}
    return {**named, "recorded": embedder.digest} if isinstance(embedder, Recorded) else named


def suite_identity(suite: Suite) -> dict[str, Any]:
    """What of a suite can change a result."""
    return {name: getattr(suite, name) for name, kind in SUITE_FIELDS.items() if kind == "identity"}


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """What two identities differ in, as `a.b`, sorted."""
    flat, flat_other = dict(flatten(one)), dict(flatten(other))
    return sorted(key for key in {*flat, *flat_other} if flat.get(key) != flat_other.get(key))


def replay_fingerprint() -> str:
    """SHA-256 over how documents are retained and answers become rankings."""
    return hashlib.sha256(Path(replay.__file__).read_bytes()).hexdigest()


def ranking_identity(ranking: Ranking) -> dict[str, Any]:
    """What this tree's ranking is, known without a database: code, constants, analyser and schema."""
    return {
        "code": code_fingerprint(),
        "ranking": asdict(ranking),
        "analyser": ANALYSER_FINGERPRINT,
        "migrations": migrate.fingerprint(),
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
