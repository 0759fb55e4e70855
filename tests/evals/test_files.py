from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from evals.errors import OutputError
from evals.files import directory_at_once, make_directory, write_frame, writing

if TYPE_CHECKING:
    from collections.abc import Callable

FULL = Path("/dev/full")


@pytest.mark.parametrize(
    "write",
    [lambda: FULL.write_text("something"), lambda: write_frame(FULL, pl.DataFrame({"a": range(9)}))],
    ids=["text", "frame"],
)
@pytest.mark.skipif(not FULL.exists(), reason="a device of Linux")
def test_a_full_disk_is_told_with_the_mend(write: Callable[[], object]) -> None:
    message = r"^No space is left to write here: free space and run the same command again\.$"
    with pytest.raises(OutputError, match=message), writing(Path("here")):
        write()


def test_a_quota_is_a_full_disk_too() -> None:
    with pytest.raises(OutputError, match="free space"), writing(Path("here")):
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))


@pytest.mark.parametrize("below", ["", "below/it"])
def test_a_file_in_the_way(below: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    wanted = tmp_path / "file" / below
    for attempt in (lambda: make_directory(wanted), lambda: directory_at_once(wanted / "run").__enter__()):
        with pytest.raises(OutputError, match=r"cannot be written \(a file is in the way\): pass another --out\.$"):
            attempt()
    assert (tmp_path / "file").read_text() == "precious"


def test_a_frame_is_read_back(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1, 2], "b": ["x", None]})
    write_frame(tmp_path / "it.parquet", frame)
    assert pl.read_parquet(tmp_path / "it.parquet").equals(frame)
