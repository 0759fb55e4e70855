"""The harness from Python: load a suite, run it, compare two runs, ablate it.

```python
from evals import ablate, compare, load, run

before = run("skerrow")
after = run(load("skerrow").tuned(rrf_k=10))
print(compare(before, after).frame)
print(ablate("skerrow").frame)
```
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evals import ablation, comparison, runner
from evals.baseline import Record, read_record, record_of
from evals.errors import SuiteError
from evals.labels import runner as labels_runner
from evals.labels.rundir import read_any_run
from evals.labels.suite import LabelSuite
from evals.labels.suite import load_suite as load_label_suite
from evals.rundir import Run
from evals.suite import RETRIEVAL, Suite, kind_of, load_suite, suite_names

if TYPE_CHECKING:
    from evals.ablation_dir import Ablation
    from evals.comparison import Comparison
    from evals.labels.rundir import LabelRun
    from evals.policy import GatePolicy


def load(name_or_path: str | Path) -> Suite | LabelSuite:
    """Load a suite of any kind: one of ours by its name, or any by the path of its TOML file.

    Raises:
        SuiteError: There is no such suite, or its file is not right; the message names the mend.
    """
    return load_suite(name_or_path) if kind_of(name_or_path) == RETRIEVAL else load_label_suite(name_or_path)


def run(
    suite: str | Path | Suite | LabelSuite,
    *,
    data: str | Path | None = None,
    out: str | Path = "runs",
    postgres: str = "auto",
    part: str | None = None,
    determinism: bool = False,
) -> Run | LabelRun:
    """Run a suite and read back the run directory that it wrote.

    Args:
        suite: A suite, or the name or path of one.
        data: The folder of the public corpora; only suites on them need it. Without it, a suite of labelled sets runs on
            those of our own corpora, as `<suite>-own`.
        out: Where run directories live.
        postgres: `auto`, `embedded`, `testcontainers` or a DSN.
        part: Only this part of the corpus, such as the LoCoMo dialogue `conv-26`.
        determinism: Whether the suite's levels of determinism are checked too.

    Returns:
        A `Run` of a retrieval suite, with the frames `per_query` and `timing`; a `LabelRun` of another, with `per_case`.

    Raises:
        IlluminaError: The suite, the corpus, the database or the model cannot be used; the message names the mend.
    """
    chosen = suite if isinstance(suite, Suite | LabelSuite) else load(suite)
    folder = None if data is None else Path(data)
    if isinstance(chosen, LabelSuite):
        if part is not None or determinism:
            raise SuiteError(f"The suite {chosen.name!r} is no retrieval suite: it has no parts and no levels of determinism.")
        chosen = chosen.without_data() if folder is None else chosen
        return read_any_run(labels_runner.run(chosen, data=folder, out=Path(out)))
    chosen = chosen.part(part)
    levels = chosen.determinism if determinism else ()
    return read_any_run(runner.run(chosen, data=folder, out=Path(out), postgres=postgres, levels=levels))


def compare(old: str | Path | Run | Record, new: str | Path | Run | Record, *, suite: str | Path | None = None) -> Comparison:
    """Compare two runs query by query, by the measures of the suite's gate if it has one, else by all.

    Args:
        old: A run, its directory, or a baseline file.
        new: What is compared with it.
        suite: The suite whose gate counts; None for the one that the new run is of, if it is one of ours.

    Returns:
        Differences with intervals and tests, and the frame `frame`, a line a query and measure.

    Raises:
        IlluminaError: A run, a baseline or the suite cannot be read; the message names the mend.
    """
    before, after = _record(old), _record(new)
    policy = policy_of(after, suite)
    return comparison.compare(before, after) if policy is None else compare_by(before, after, policy)


def ablate(suite: str | Path | Suite, *, data: str | Path | None = None, postgres: str = "auto") -> Ablation:
    """Measure the engine without each of its components, and with each alone, against the full engine.

    Args:
        suite: A retrieval suite, or the name or path of one.
        data: The folder of the public corpora; only suites on them need it.
        postgres: `auto`, `embedded`, `testcontainers` or a DSN.

    Returns:
        The variants and the frame `frame`, see `evals.ablation_frame`.

    Raises:
        IlluminaError: The suite, the corpus, the database or the model cannot be used; the message names the mend.
    """
    chosen = suite if isinstance(suite, Suite) else load_suite(suite)
    return ablation.ablate(chosen, data=None if data is None else Path(data), postgres=postgres)


def compare_by(old: Record, new: Record, policy: GatePolicy) -> Comparison:
    """Compare two records by the measures and the level that a gate declares."""
    return comparison.compare(old, new, family=[measure.name for measure in policy.measures], alpha=policy.alpha)


def policy_of(record: Record, suite: str | Path | None) -> GatePolicy | None:
    """The gate of a suite, or of the one that a record is of if that is ours; None if there is none."""
    name = suite or (record.suite if record.suite in suite_names() else None)
    return None if name is None else load_suite(name).gate


def suite_of(record: Record, suite: str | Path | None) -> Suite:
    """The suite that judges a record: the given one, or else the one that the record is of, which must be ours.

    Raises:
        SuiteError: There is none; the message names the mend.
    """
    if suite is None and record.suite not in suite_names():
        raise SuiteError(f"The run is of the suite {record.suite!r}, which is none of ours: pass --suite FILE.toml.")
    return load_suite(suite or record.suite)


def _record(source: str | Path | Run | Record) -> Record:
    if isinstance(source, Record):
        return source
    return record_of(source) if isinstance(source, Run) else read_record(Path(source))
