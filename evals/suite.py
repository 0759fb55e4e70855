"""Suites: what is measured, on which corpus, and what the least acceptable figures are.

A suite is a TOML file. Ours are in `evals/suites`; a path names anyone's. Two lines are enough:

```toml
name = "notes"                            # also the beginning of its run directories' names
corpus = "./notes"                        # with a `/` a directory, relative to this file; without one a name of ours
```

Whatever else is there is known by name; a key that is not is an error:

```toml
description = "My notes."                 # a sentence for the list of suites
corpus_sha256 = "…"                       # the corpus's digest, as `illumina-eval plan` prints it: no other is accepted
cluster = "namespace"                     # what is resampled: questions as the corpus groups them (default), by namespace,
                                          # or each by itself ("query")
measures = ["ndcg_at_10", "mrr"]          # the headline; default: all that look no deeper than `depth`
depth = 50                                # the most units in a ranking
systems = ["fusion", "lexical"]           # default: the engine's ranking and each arm alone
seed = 1                                  # of what is shuffled
determinism = ["L1", "neighbours"]         # the levels that are checked, see `evals.determinism`

[floors]                                  # system/measure = the least mean over the headline questions
"fusion/recall_at_10" = 0.5

[engine]                                  # how the engine is configured, see `evals.engine`
rrf_k = 60

[gate]                                    # what a change must not do, see `evals.policy`
```

Questions, judgements and classes are the corpus's. A suite cannot make parts of the engine fail yet: the matrix of
degraded modes will bring a table of fault profiles.
"""

from __future__ import annotations

import re
import tomllib
from codecs import BOM_UTF8
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

from evals.corpora import load
from evals.corpora.digest import with_digest
from evals.determinism import LEVELS, RECORDED_LEVEL, Level
from evals.engine import EngineProfile, parse_engine
from evals.errors import SuiteError
from evals.measure import MEASURES
from evals.policy import GatePolicy, parse_gate
from evals.types import FUSION
from illumina.recall.arms import Arm
from illumina.recall.components import registered

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Mapping

    from evals.types import Corpus

SUITES: Final = Path(__file__).parent / "suites"

RETRIEVAL: Final = "retrieval"
"""The kind of the suites here, which need not name it. Those of other kinds are `evals.labels.suite`'s."""

Cluster = Literal["corpus", "namespace", "query"]
CLUSTERS: Final = get_args(Cluster)

DEPTH: Final = 50
"""Units in a ranking where the suite does not say: what is not among them no reranker can bring back."""

SEED: Final = 20260302
REPEATABLE: Final[tuple[Level, ...]] = ("L1", "L2", "L3", "neighbours")
"""The levels of determinism that any corpus can be held to."""

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_SYSTEMS: Final = (FUSION, *(arm.name for arm in registered(Arm)))
_REQUIRED: Final = ("name", "corpus")
_KEYS: Final[Mapping[str, type]] = {
    "name": str,
    "description": str,
    "corpus": str,
    "measures": list,
    "depth": int,
    "systems": list,
    "seed": int,
    "cluster": str,
    "corpus_sha256": str,
    "floors": dict,
    "determinism": list,
    "engine": dict,
    "gate": dict,
}
_TOML: Final = (
    'Each key stands once, as `key = value` on a line of its own; texts stand in quotes, as `name = "notes"`; arrays in '
    "brackets, as `[1, 2]`; tables begin with a line such as `[engine]`."
)
_TOML_NAMES: Final = {str: "a string", int: "an integer", list: "an array", dict: "a table"}


@dataclass(frozen=True, slots=True)
class Suite:
    """What `illumina-eval run` does.

    Attributes:
        name: The suite's name, and the beginning of its run directories'.
        description: One sentence for the list of suites.
        corpus: What `evals.corpora.load` takes.
        measures: The headline measures, in report order.
        depth: The most units in a ranking.
        systems: `fusion` and the arms that stand beside it, in report order.
        seed: Of everything that draws: the shuffling of determinism's third level.
        cluster: What is resampled together: what the corpus says, a namespace's questions, or each question alone.
        corpus_sha256: The corpus's digest, where the suite holds for just that content.
        floors: `system/measure` to the least mean over the headline questions that is accepted.
        determinism: The levels of determinism that are checked.
        engine: How the engine is configured.
        gate: What a change must not do to the figures, where the suite judges changes.
    """

    name: str
    description: str
    corpus: str
    measures: tuple[str, ...]
    depth: int
    systems: tuple[str, ...]
    seed: int
    cluster: Cluster = "corpus"
    corpus_sha256: str | None = None
    floors: Mapping[str, float] = field(default_factory=dict)
    determinism: tuple[Level, ...] = ()
    engine: EngineProfile = field(default_factory=EngineProfile)
    gate: GatePolicy | None = None

    @property
    def policy(self) -> GatePolicy:
        """The gate, which the suite must have.

        Raises:
            SuiteError: It has none.
        """
        if self.gate is None:
            raise SuiteError(f"The suite {self.name!r} judges no changes. Give it a [gate]; evals/policy.py has the format.")
        return self.gate

    def tuned(self, **constants: float) -> Suite:
        """The suite with other constants of `illumina.Ranking`, such as `rrf_k=10`.

        Raises:
            SuiteError: There is no such constant, or it cannot have that value.
        """
        ranking = parse_engine({**asdict(self.engine.ranking), **constants}).ranking
        return replace(self, engine=replace(self.engine, ranking=ranking))

    def part(self, part: str | None) -> Suite:
        """The suite on one part of its corpus only, without floors and gate, and hence L4: they hold for the whole.

        Itself if `part` is None.
        """
        if part is None:
            return self
        name, corpus = f"{self.name}-{part}", f"{self.corpus}:{part}"
        levels = tuple(level for level in self.determinism if level != RECORDED_LEVEL)
        return replace(self, name=name, corpus=corpus, corpus_sha256=None, floors={}, gate=None, determinism=levels)


def find_suites() -> list[Suite]:
    """The retrieval suites that come with the harness, by name."""
    return [_read(path) for path in sorted(SUITES.glob("*.toml")) if kind_of(path) == RETRIEVAL]


def suite_names() -> list[str]:
    """The names under which our suites are found."""
    return [path.stem for path in sorted(SUITES.glob("*.toml"))]


def load_suite(name_or_path: str | Path) -> Suite:
    """Load one of our suites by its name, or any by its path.

    Raises:
        SuiteError: There is no such suite, or its file is not right; the message names the mend.
    """
    return _read(suite_path(name_or_path))


def kind_of(name_or_path: str | Path) -> str:
    """What a suite measures: `retrieval`, or one of `evals.labels.KINDS`.

    Raises:
        SuiteError: There is no such suite, or its file is not TOML.
    """
    return str(read_toml(suite_path(name_or_path)).get("kind", RETRIEVAL))


def suite_path(name_or_path: str | Path) -> Path:
    """The file of one of our suites by its name, or of any by its path.

    Raises:
        SuiteError: There is no such suite.
    """
    for path in (SUITES / f"{name_or_path}.toml", Path(name_or_path)):
        if path.is_file():
            return path
    known = ", ".join(suite_names())
    raise SuiteError(f"There is no suite {str(name_or_path)!r}. Name one of {known}, or the path of a TOML file.")


def load_corpus(suite: Suite, *, data: Path | None) -> Corpus:
    """Load a suite's corpus and hold it against the digest that the suite pins.

    Args:
        suite: Names the corpus.
        data: The folder of the public corpora; only they need it.

    Raises:
        CorpusError: The corpus cannot be loaded.
        SuiteError: It is not the corpus that the suite pins, or it lacks a must-pass query.
    """
    corpus = load(suite.corpus, data=data)
    if suite.corpus_sha256 not in (None, corpus.digest):
        raise SuiteError(
            f"The suite {suite.name!r} is for a corpus with the digest {suite.corpus_sha256}, and "
            f"{corpus.name!r} has {corpus.digest}: their figures do not compare. Restore the corpus, or, if "
            f'the change is meant, pin corpus_sha256 = "{corpus.digest}" and record new baselines.'
        )
    if suite.gate is not None:
        answerable = {
            query.id for query in corpus.queries if any(grade >= 1 for grade in corpus.qrels.get(query.id, {}).values())
        }
        unknown = sorted(set(suite.gate.must_pass) - answerable)
        if unknown:
            raise SuiteError(
                f"The suite {suite.name!r} has must-pass queries that {corpus.name!r} has not, or has without a relevant "
                f"unit: {', '.join(unknown)}. Take them out of [gate.must_pass]."
            )
    return corpus if suite.cluster == "corpus" else _clustered(corpus, suite.cluster)


def _clustered(corpus: Corpus, cluster: Cluster) -> Corpus:
    """The corpus with other clusters, hence with another digest."""
    queries = [replace(query, cluster=query.namespace if cluster == "namespace" else query.id) for query in corpus.queries]
    return with_digest(replace(corpus, queries=tuple(queries)))


def read_toml(path: Path) -> dict[str, Any]:
    """What a suite's file says.

    Raises:
        SuiteError: The file is not TOML; the message names the line and the mend.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SuiteError(f"{path} cannot be read ({error}). Name a TOML file that can.") from error
    if content.startswith(BOM_UTF8):
        raise SuiteError(f"{path} begins with a byte order mark. Save it as UTF-8 without one.")
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SuiteError(f"{path} cannot be read as TOML: its line {line} is not UTF-8. Save it as UTF-8.") from error
    except (ValueError, RecursionError) as error:
        raise SuiteError(f"{path} cannot be read as TOML: {error}. {_TOML}") from error


def _read(path: Path) -> Suite:
    content = read_toml(path)
    kind = content.pop("kind", RETRIEVAL)
    if kind != RETRIEVAL:
        raise SuiteError(f"{path}: The kind is {kind!r}, and this is for {RETRIEVAL} only. `illumina-eval run` runs any kind.")
    try:
        return _suite(content, path.resolve().parent)
    except SuiteError as error:
        raise SuiteError(f"{path}: {error}") from error


def _suite(content: Mapping[str, Any], folder: Path) -> Suite:
    check_keys(content, _KEYS, _REQUIRED)
    if not NAME.fullmatch(content["name"]):
        raise SuiteError(f"The name is {content['name']!r}; it names directories: use letters, digits, '.', '_' and '-'.")
    depth = content.get("depth", DEPTH)
    if depth < 1:
        raise SuiteError(f"The depth is {depth}; it must be at least 1.")
    pin = content.get("corpus_sha256")
    if pin is not None and not _DIGEST.fullmatch(pin):
        raise SuiteError(f"corpus_sha256 is {pin!r}; it must be 64 hexadecimal digits in lower case.")
    measures = _choice(content, "measures", MEASURES, [name for name in MEASURES if _cut(name) <= depth])
    for measure in measures:
        if _cut(measure) > depth:
            raise SuiteError(f"{measure} looks deeper than the depth, {depth}. Raise the depth.")
    systems = _choice(content, "systems", _SYSTEMS, _SYSTEMS)
    cluster = content.get("cluster", "corpus")
    if cluster not in CLUSTERS:
        raise SuiteError(f"cluster is {cluster!r}; it must be one of {', '.join(CLUSTERS)}.")
    corpus = content["corpus"]
    engine = parse_engine(content.get("engine", {}))
    levels = cast("tuple[Level, ...]", _choice(content, "determinism", LEVELS, REPEATABLE))
    if RECORDED_LEVEL in levels and not (engine.embeddings == "recorded" and "gate" in content):
        raise SuiteError(
            f"determinism has {RECORDED_LEVEL}, which compares with the baseline of [gate] from recorded embeddings. Give "
            'both, the latter by embeddings = "recorded" in [engine], or take it out.'
        )
    return Suite(
        name=content["name"],
        description=content.get("description", ""),
        corpus=str((folder / corpus).resolve()) if "/" in corpus else corpus,
        measures=measures,
        depth=depth,
        systems=systems,
        seed=content.get("seed", SEED),
        cluster=cluster,
        corpus_sha256=pin,
        floors=_floors(content.get("floors", {}), systems),
        determinism=levels,
        engine=engine,
        gate=parse_gate(content["gate"], measures, systems, folder) if "gate" in content else None,
    )


def check_keys(content: Mapping[str, Any], known: Mapping[str, type], required: Container[str]) -> None:
    """See that a suite's file has the keys that it must have, no other than the known ones, and values of their types.

    Raises:
        SuiteError: It is not so; the message names the key and the mend.
    """
    for key in content:
        if key not in known:
            raise SuiteError(f"The key {key!r} is unknown. Known are {', '.join(known)}.")
    for key, kind in known.items():
        if key in content and type(content[key]) is not kind:
            raise SuiteError(f"{key} is {content[key]!r}; it must be {_TOML_NAMES[kind]}.")
        if key not in content and key in required:
            raise SuiteError(f"The key {key!r} is missing. Give it as {_TOML_NAMES[kind]}.")


def _cut(measure: str) -> int:
    """How deep a measure looks; 0 where it is said by the depth itself."""
    return int(measure.partition("_at_")[2] or 0)


def _choice(content: Mapping[str, Any], key: str, known: Collection[str], default: Collection[str]) -> tuple[str, ...]:
    """The names of an array, each known and there once."""
    chosen = content.get(key, list(default))
    if key != "determinism" and not chosen:
        raise SuiteError(f"{key} is empty. Name at least one of {', '.join(known)}.")
    for name in chosen:
        if name not in known:
            raise SuiteError(f"{key} has the unknown {name!r}. Known are {', '.join(known)}.")
        if chosen.count(name) > 1:
            raise SuiteError(f"{key} has {name!r} twice. Name it once.")
    return tuple(chosen)


def _floors(written: Mapping[str, Any], systems: Collection[str]) -> Mapping[str, float]:
    for key, least in written.items():
        system, _, measure = key.partition("/")
        if system not in systems or measure not in MEASURES:
            raise SuiteError(
                f"The floor {key!r} is not of a system and a measure. Write system/measure with one of "
                f"{', '.join(systems)} and one of {', '.join(MEASURES)}."
            )
        if type(least) not in (int, float) or not 0 <= least <= 1:
            raise SuiteError(f"The floor {key!r} is {least!r}; it must be a number from 0 to 1.")
    return {key: float(least) for key, least in written.items()}
