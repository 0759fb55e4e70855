"""Run a labelling suite: from its sets to a run directory."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from evals.files import make_directory
from evals.identity import code_fingerprint, environment
from evals.labels import KINDS
from evals.labels.rundir import write_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evals.labels.kinds import LabelledSet
    from evals.labels.suite import LabelSuite


def run(suite: LabelSuite, *, data: Path | None, out: Path) -> Path:
    """Put every set of a suite to every system, judge the answers, and write the run directory.

    Args:
        suite: What to run.
        data: The folder of the public sets.
        out: Where run directories live.

    Raises:
        IlluminaError: A set cannot be used; the message names the mend.
    """
    kind = KINDS[suite.kind]
    make_directory(out)  # before the work, not after it
    started, clock = datetime.now(UTC), perf_counter()
    sets: list[LabelledSet[Any]] = [kind.sets[name](data) for name in suite.sets]
    judged = {}
    with tqdm(total=len(suite.systems) * len(sets), desc=suite.name, disable=None, leave=False) as bar:
        for system in suite.systems:
            for one in sets:
                judged[system, one.name] = list(kind.judge(one, kind.systems[system]))
                bar.update()
    where = environment({})
    where |= {"started": started.isoformat(timespec="seconds"), "seconds": round(perf_counter() - clock, 1)}
    return write_run(out, suite, sets, judged, _identity(suite, sets), where)


def _identity(suite: LabelSuite, sets: Sequence[LabelledSet[Any]]) -> dict[str, Any]:
    """All that can change an answer or what it is worth."""
    return {
        "suite": {"name": suite.name, "kind": suite.kind, "systems": suite.systems},
        "sets": {one.name: one.digest for one in sets},
        "engine": {"code": code_fingerprint()},
        "labels": {"code": _fingerprint()},
    }


def _fingerprint() -> str:
    """SHA-256 over the judges and the trivial systems; how sets are read shows in their digests."""
    hasher = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        hasher.update(f"{path.name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return hasher.hexdigest()
