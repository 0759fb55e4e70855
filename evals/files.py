"""How the files of a run directory are written and read: the same bytes everywhere, and a directory all at once."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import shutil
import uuid
from typing import TYPE_CHECKING, Final

from evals.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import polars as pl


NO_SPACE: Final = "free space and run the same command again."
"""The mend for a full disk."""


@contextlib.contextmanager
def writing(place: Path, mend: str = "pass another --out.") -> Iterator[None]:
    """Within the block an error of the operating system is an error of ours that names the mend.

    Args:
        place: What is written.
        mend: What to do, unless it is only that the disk is full.

    Raises:
        OutputError: It could not be written.
    """
    try:
        yield
    except OSError as error:
        if is_full(error):
            raise OutputError(f"No space is left to write {place}: {NO_SPACE}") from error
        why = "a file is in the way" if isinstance(error, FileExistsError | NotADirectoryError) else error.strerror or error
        raise OutputError(f"{place} cannot be written ({why}): {mend}") from error


def is_full(error: OSError) -> bool:
    """Whether an error says that the disk, or a user's share of it, is full."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def make_directory(path: Path) -> None:
    """Make a directory and those that it lies in, unless it is there.

    Raises:
        OutputError: It cannot be made.
    """
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)


@contextlib.contextmanager
def directory_at_once(target: Path) -> Iterator[Path]:
    """A new directory to fill, which takes its name at the end, in place of an older one; never if filling it fails.

    Args:
        target: Its name; the folder that it lies in is made if absent.

    Raises:
        OutputError: It cannot be written.
    """
    make_directory(target.parent)
    part = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
    try:
        with writing(target.parent):
            part.mkdir()
            yield part
            old = part.with_suffix(".old")
            if target.exists():
                target.rename(old)
            part.rename(target)
            shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def write_json(path: Path, value: object) -> None:
    """Write JSON for people: sorted keys, indented."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, indent=2)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines, each with its end."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def write_frame(path: Path, frame: pl.DataFrame) -> None:
    """Write a frame as Parquet."""
    # Through memory: Polars' own error for a full disk is no OSError.
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    path.write_bytes(buffer.getbuffer())


def read_lines(path: Path) -> list[str]:
    """The lines that `write_lines` wrote."""
    # Not splitlines: a question may hold U+2028, which JSON leaves as it is.
    return path.read_text(encoding="utf-8").split("\n")[:-1]
