"""The checksums that hold a labelled corpus and its labels together."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evals.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

DOCUMENTS: Final = "documents.jsonl"
QUERIES: Final = "queries.jsonl"
QRELS: Final = "qrels.jsonl"
DATA_FILES: Final = (DOCUMENTS, QUERIES, QRELS)
CHECKSUMS: Final = "SHA256SUMS"
LABEL_FILES: Final = (
    "causes.jsonl",
    "corroboration.jsonl",
    "entities.jsonl",
    "facts.jsonl",
    "forgotten.jsonl",
    "supersession.jsonl",
)
"""Labels beyond what answers what, each optional; `evals.corpora.understanding` reads them."""
LABEL_CHECKSUMS: Final = "LABELS.SHA256SUMS"

_LINE: Final = re.compile(r"([0-9a-f]{64}) [ *](\S+)")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about a corpus that keeps it from being loaded.

    Attributes:
        file: The file's name in the corpus's directory.
        line: The line, from 1; None if it is about the whole file.
        what: What is wrong, as a sentence.
        mend: What to do about it, as a sentence.
    """

    file: str
    line: int | None
    what: str
    mend: str

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {self.what} {self.mend}"


def write_checksums(directory: Path) -> Path:
    """Write `SHA256SUMS` over the data files and, where there are any, `LABELS.SHA256SUMS` over the label files.

    Returns:
        The path of the first.

    Raises:
        CorpusError: One of them is missing.
    """
    if labels := [name for name in LABEL_FILES if (directory / name).is_file()]:
        write_sums(directory, LABEL_CHECKSUMS, labels)
    return write_sums(directory, CHECKSUMS, DATA_FILES)


def write_sums(directory: Path, sums: str, names: Sequence[str]) -> Path:
    """Write the checksums of files, in the format of `sha256sum`.

    Returns:
        The path of the written file.

    Raises:
        CorpusError: One of them is missing.
    """
    path = directory / sums
    try:
        lines = [f"{_digest(directory / name)}  {name}\n" for name in names]
        path.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise CorpusError(
            f"{path} cannot be written ({error}). A corpus is a directory with {', '.join(DATA_FILES)}."
        ) from error
    return path


def check_checksums(directory: Path, sums: str = CHECKSUMS, names: Sequence[str] = DATA_FILES) -> list[Problem]:
    """What a corpus's checksums, or those of its labels, say against the files that are there."""
    mend = (
        "If the change is meant, look at its labels again and regenerate the checksums by "
        f"`illumina-eval validate-corpus {directory} --write-checksums`; if not, restore the file."
    )
    return compare_checksums(directory, sums, names, mend)


def compare_checksums(directory: Path, sums: str, names: Sequence[str], mend: str) -> list[Problem]:
    """What a file of checksums says against the files that are there.

    Args:
        directory: Where all of them are.
        sums: The name of the file of checksums.
        names: What it must have the checksums of, each once, and no other.
        mend: What to do about a difference.
    """
    try:
        lines = (directory / sums).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        return [Problem(sums, None, f"The checksums cannot be read ({error}).", mend)]
    problems = []
    stated: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line)
        if match is None or match[2] not in names or match[2] in stated:
            known = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
            problems.append(Problem(sums, number, f"{line!r} is not the one checksum of {known}.", mend))
        else:
            stated[match[2]] = (number, match[1])
    for name in names:
        if not (directory / name).is_file():
            continue  # reported by whoever reads it
        if name not in stated:
            problems.append(Problem(sums, None, f"{name} has no checksum.", mend))
        elif stated[name][1] != _digest(directory / name):
            what = f"The checksum is not that of {name}: the file has changed since."
            problems.append(Problem(sums, stated[name][0], what, mend))
    return problems


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
