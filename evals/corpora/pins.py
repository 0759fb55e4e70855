"""Public files are used only as they were when a loader was written: its pin is their common SHA-256."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from evals.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def fingerprint(files: Mapping[str, bytes]) -> str:
    """SHA-256 over the files' SHA-256 and names, in the order of their names: what `sha256sum` of them prints."""
    hasher = hashlib.sha256()
    for name in sorted(files):
        hasher.update(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n".encode())
    return hasher.hexdigest()


def read_pinned(folder: Path, pattern: str, pin: str) -> dict[str, str]:
    """The texts of the files that `pattern` finds, by their names in the folder, a byte order mark removed.

    Raises:
        CorpusError: There is none, one cannot be read, or they are not those that were pinned.
    """
    try:
        content = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.glob(pattern))}
        if not content:
            raise CorpusError(f"{folder} holds no {pattern}. Fetch the corpus again.")
        found = fingerprint(content)
        if found != pin:
            raise CorpusError(
                f"{folder}/{pattern} has the SHA-256 {found}, and its loader is for {pin}: labels and counts hold for just "
                "those files. Fetch the corpus again, or check the loader against the new files and pin their SHA-256."
            )
        return {name: body.decode("utf-8-sig") for name, body in content.items()}
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{folder}/{pattern} cannot be read ({error}). Fetch the corpus again.") from error
