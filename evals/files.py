"""How the files of a run directory are written and read: the same bytes everywhere, and a directory all at once."""

from __future__ import annotations

import contextlib
import json
import shutil
import uuid
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


@contextlib.contextmanager
def directory_at_once(target: Path) -> Iterator[Path]:
    """A new directory to fill, which takes its name at the end, in place of an older one; never if filling it fails.

    Args:
        target: Its name; the folder that it lies in is made if absent.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
    part.mkdir()
    try:
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


def read_lines(path: Path) -> list[str]:
    """The lines that `write_lines` wrote."""
    # Not splitlines: a question may hold U+2028, which JSON leaves as it is.
    return path.read_text(encoding="utf-8").split("\n")[:-1]
