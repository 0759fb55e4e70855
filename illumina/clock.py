"""Time is asked of a clock that is handed in, so that what depends on it can be tested without waiting."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What tells the time; may be asked from several threads."""

    def now(self) -> datetime:
        """The moment, in UTC."""
        ...

    def sleep(self, seconds: float, until: threading.Event | None = None) -> bool:
        """Wait for some seconds, or until an event is set; returns whether it is."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """The moment, in UTC."""
        return datetime.now(UTC)

    def sleep(self, seconds: float, until: threading.Event | None = None) -> bool:
        """Wait for some seconds, or until an event is set; returns whether it is."""
        if until is not None:
            return until.wait(seconds)
        time.sleep(seconds)
        return False
