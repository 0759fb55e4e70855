"""A clock that moves only when it is told to."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta


class ManualClock:
    """Stands still until it is advanced; who sleeps wakes when the time has come.

    Args:
        start: Its first moment.
    """

    def __init__(self, start: datetime = datetime(2026, 3, 2, 9, tzinfo=UTC)) -> None:
        self._now = start
        self._moved = threading.Condition()
        self._sleepers = 0

    def now(self) -> datetime:
        with self._moved:
            return self._now

    def advance(self, seconds: float) -> datetime:
        with self._moved:
            self._now += timedelta(seconds=seconds)
            self._moved.notify_all()
            return self._now

    def sleep(self, seconds: float, until: threading.Event | None = None) -> bool:
        with self._moved:
            end = self._now + timedelta(seconds=seconds)
            self._sleepers += 1
            try:
                while self._now < end and not (until is not None and until.is_set()):
                    self._moved.wait(0.002)  # the event does not wake us
            finally:
                self._sleepers -= 1
        return until is not None and until.is_set()

    @property
    def sleepers(self) -> int:
        """How many threads wait for it to move."""
        with self._moved:
            return self._sleepers
