"""Labelled corpora: our own under `datasets/`, those of users, and public ones on a developer's machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from evals.corpora import jsonl, locomo, qmsum, realmem, strategyqa, timeqa
from evals.corpora.checksums import Problem, write_checksums
from evals.corpora.validation import validate
from evals.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evals.types import Corpus

__all__ = ["DATASETS", "PUBLIC", "Problem", "directory_of", "load", "public_folder", "validate", "write_checksums"]

DATASETS: Final = Path(__file__).resolve().parents[2] / "datasets"
"""Our own corpora: part of the repository and of the source distribution, not of an installed package."""

PUBLIC: Final[Mapping[str, Callable[[Path, str | None], Corpus]]] = {
    "locomo": locomo.load,
    "realmem": realmem.load,
    "qmsum": qmsum.load,
    "strategyqa": strategyqa.load,
    "timeqa": timeqa.load,
}
"""Name to loader. The name is that of a folder in the data folder; the loader takes it and a part or None."""


def load(name_or_path: str | Path, *, data: Path | None) -> Corpus:
    """Load a corpus.

    Args:
        name_or_path: A public corpus (`locomo`) or one part of it (`locomo:conv-26`), one of our own
            (`meridian`), or the path of a directory in the format of `evals.corpora.jsonl`. A name wins over
            a directory of that name in the working directory; write `./meridian` for that.
        data: The folder of the public corpora; only they need it.

    Raises:
        CorpusError: There is no such corpus or it cannot be loaded; the message names the mend.
    """
    name, _, part = str(name_or_path).partition(":")
    if loader := PUBLIC.get(name):
        return loader(public_folder(name, data), part or None)
    if (directory := directory_of(name_or_path)) is not None:
        return jsonl.load(directory)
    whole, _, part = str(name_or_path).rpartition(":")
    if whole and (directory := directory_of(whole)) is not None:
        raise CorpusError(f"{directory.name} has no parts: leave out --part.")
    own = sorted(path.name for path in DATASETS.iterdir() if path.is_dir()) if DATASETS.is_dir() else []
    here = f"Our own are {', '.join(own)}." if own else f"Of our own there is none in {DATASETS}."
    raise CorpusError(
        f"There is no corpus {str(name_or_path)!r}. {here} They come with the repository, not with an "
        "installed package: run in a checkout, or name a corpus by its directory. Public ones are "
        f"{', '.join(PUBLIC)}."
    )


def directory_of(name_or_path: str | Path) -> Path | None:
    """The directory of one of our own corpora or of a user's; None if there is none, or the name is of a public corpus."""
    if str(name_or_path).partition(":")[0] in PUBLIC:
        return None
    return next((path for path in (DATASETS / name_or_path, Path(name_or_path)) if path.is_dir()), None)


def public_folder(name: str, data: Path | None) -> Path:
    """The folder of one public corpus.

    Raises:
        CorpusError: The data folder is not given, or does not hold it.
    """
    mend = "Pass the folder that holds the public corpora: `--data ../shared/data`."
    if data is None:
        raise CorpusError(f"The corpus {name!r} is not part of the project. {mend}")
    if not (data / name).is_dir():
        raise CorpusError(f"The corpus {name!r} is not in {data.resolve()}. {mend}")
    return data / name
