"""What makes a run resumable: each answer is written down as soon as it is there.

`<out>/.partial-<suite>-<first 12 digits of the identity's digest>/journal.jsonl` has on its first line all that its
answers depend on, and then one answer a line. A line is with the operating system as soon as it is written, so it outlives
a killed process, and it is on the disk at the end of each step. A line that was cut off is dropped, with all behind it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import threading
from typing import TYPE_CHECKING, Any, Final

from evals.files import make_directory, writing
from evals.rundir import RunDirectoryError, canonical_json, identity_digest
from evals.types import Ranking, Timing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from io import FileIO
    from pathlib import Path
    from types import FrameType

JOURNAL: Final = "journal.jsonl"

_STOPS: Final = (signal.SIGINT, signal.SIGTERM)

Key = tuple[str, str]


class Interrupted(KeyboardInterrupt):
    """A run was stopped; the message says how to resume it."""


class Journal:
    """The answers of an unfinished run; made by `open_journal`.

    Attributes:
        taken: System and query to the answer that an earlier process left and how long its stages took.
    """

    def __init__(self, directory: Path, file: FileIO, taken: Mapping[Key, tuple[Ranking, list[Timing]]]) -> None:
        self.taken = taken
        self._directory = directory
        self._file = file
        self._kept = len(taken)
        self._stopped = False

    def keep(self, ranking: Ranking, timings: Sequence[Timing]) -> None:
        """Write an answer down, then `pause`.

        Raises:
            OutputError: It cannot be written, such as to a full disk; the answers before it are kept.
        """
        line = {
            "system": ranking.system,
            "query": ranking.query_id,
            "units": ranking.units,
            "scores": ranking.scores,
            "response": ranking.response,
            "timings": {timing.stage: timing.milliseconds for timing in timings},
        }
        with writing(self._directory):
            self._file.write(_line(line))
        self._kept += 1
        self.pause()

    def sync(self) -> None:
        """Have the disk hold what was written."""
        with writing(self._directory):
            os.fsync(self._file.fileno())

    @contextlib.contextmanager
    def guard(self) -> Iterator[None]:
        """Within the block Ctrl-C and a kill wait for the next `pause`; a second one does not.

        Nothing is then cut off in the middle of a transaction, whose clean-up would fail and hide the reason.
        """
        if threading.current_thread() is not threading.main_thread():
            yield  # only the main thread is told of signals
            return

        def stop(number: int, frame: FrameType | None) -> None:
            if self._stopped:
                signal.default_int_handler(number, frame)
            self._stopped = True

        before = {number: signal.signal(number, stop) for number in _STOPS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        self.pause()

    def pause(self) -> None:
        """Stop here if that was asked for.

        Raises:
            KeyboardInterrupt: It was.
        """
        if self._stopped:
            raise KeyboardInterrupt

    def remove(self) -> None:
        """The run is complete: nothing is left to resume."""
        shutil.rmtree(self._directory, ignore_errors=True)

    def farewell(self) -> str:
        """How to go on after an interruption."""
        return f"Interrupted. {self._kept} answers are kept in {self._directory}: the same command resumes from there."


@contextlib.contextmanager
def open_journal(out: Path, suite: str, identity: Mapping[str, object], environment: Mapping[str, object]) -> Iterator[Journal]:
    """The journal of a run: the one that an interrupted run of just this left, or a new one.

    The identity is all that can change an answer. The environment counts too: a manifest names one, so no part of a run
    may have been made in another.

    Args:
        out: Where run directories are written.
        suite: The suite's name.
        identity: As in the manifest.
        environment: As in the manifest, without what differs from one run to the next.

    Raises:
        RunDirectoryError: Another process runs the same at the moment.
        OutputError: The journal cannot be written.
        Interrupted: The block was interrupted.
    """
    directory = out / f".partial-{suite}-{identity_digest(identity)[:12]}"
    make_directory(out)
    make_directory(directory)
    head = _line({"identity": identity, "environment": environment})
    # Unbuffered: a line is the operating system's at once.
    with writing(out):
        opened = (directory / JOURNAL).open("a+b", buffering=0)
    with opened as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunDirectoryError(
                f"Another process runs {suite!r} into {out} at the moment: wait for it, or pass another --out."
            ) from None
        with writing(out):
            file.seek(0)
            taken, length = _read(file.read(), head)
            file.truncate(length)
            if length == 0:
                file.write(head)
        journal = Journal(directory, file, taken)
        try:
            yield journal
        except KeyboardInterrupt as stopped:
            raise Interrupted(journal.farewell()) from stopped


def _read(content: bytes, head: bytes) -> tuple[dict[Key, tuple[Ranking, list[Timing]]], int]:
    """The answers behind a first line that is `head`, and how many bytes are good."""
    taken: dict[Key, tuple[Ranking, list[Timing]]] = {}
    if not content.startswith(head):
        return taken, 0
    length = len(head)
    for line in content[length:].splitlines(keepends=True):
        try:
            ranking, timings = _answer(json.loads(line))
        except (ValueError, KeyError, TypeError):
            break
        if not line.endswith(b"\n"):
            break
        taken[ranking.system, ranking.query_id] = ranking, timings
        length += len(line)
    return taken, length


def _answer(stored: Mapping[str, Any]) -> tuple[Ranking, list[Timing]]:
    query, system = stored["query"], stored["system"]
    ranking = Ranking(query, system, tuple(stored["units"]), tuple(stored["scores"]), stored["response"])
    return ranking, [Timing(query, system, stage, spent) for stage, spent in stored["timings"].items()]


def _line(value: object) -> bytes:
    return canonical_json(value).encode() + b"\n"
