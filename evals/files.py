"""How the files of a run directory are written and read: the same bytes everywhere, and a directory all at once."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def put_in_place(part: Path, target: Path) -> None:
    """Rename a finished directory to its name, in place of an older one."""
    old = part.with_suffix(".old")
    if target.exists():
        target.rename(old)
    part.rename(target)
    shutil.rmtree(old, ignore_errors=True)


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
