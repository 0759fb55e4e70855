"""What two mentions say beside their names: what they belong to, what stands nearby, and when."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from illumina.retain.entities.types import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from illumina.retain.entities.types import Mention

HOME: Final = 2.0
HOMES: Final = 4.0
NO_HOME: Final = -4.0
NEARBY: Final = 1.5
SAME_DATE: Final = 3.0
"""The same instant, or the same date without a time of day: records of one thing more often than two things on one day."""
MISTYPED_DATE: Final = 1.5
GAPS: Final = ((7.0, 2.0), (366.0, 0.0), (5 * 366.0, -1.0), (15 * 366.0, -2.5), (80 * 366.0, -4.0))
"""Days apart, up to which a weight holds; beyond the last, `FAR`."""
FAR: Final = -6.0
MOST: Final = HOMES + 2 * NEARBY + SAME_DATE
"""The greatest sum."""
DAY: Final = 86_400.0


class Context:
    """A mention's context, ready to be compared.

    Attributes:
        homes: Folded.
        nearby: Folded, without `homes`.
        seconds: Since 1970; None without a time.
        date: `YYYY-MM-DD` where the time is a whole day, else empty.
    """

    __slots__ = ("date", "homes", "nearby", "seconds")

    def __init__(self, mention: Mention) -> None:
        self.homes = _folded(mention.homes)
        self.nearby = _folded(mention.nearby) - self.homes
        self.seconds, self.date = None, ""
        if mention.moment is not None:
            moment = mention.moment if mention.moment.utcoffset() is not None else mention.moment.replace(tzinfo=UTC)
            since = moment - datetime(1970, 1, 1, tzinfo=UTC)
            self.seconds = since.total_seconds()
            if since.seconds == since.microseconds == 0:
                self.date = moment.astimezone(UTC).date().isoformat()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def _fields(self) -> tuple[object, ...]:
        return self.homes, self.nearby, self.seconds


def weigh(left: Context, right: Context) -> list[Evidence]:
    """The reasons for and against that two contexts give; symmetric."""
    return [*_homes(left, right), *_nearby(left, right), *_time(left, right)]


def _homes(left: Context, right: Context) -> Iterator[Evidence]:
    if left.homes and right.homes:
        shared = left.homes & right.homes
        if len(shared) > 1:
            yield Evidence(f"both of {', '.join(sorted(shared))}", HOMES)
        elif shared:
            yield Evidence(f"both of {min(shared)}", HOME)
        else:
            yield Evidence(f"of {', '.join(sorted(left.homes))} and of {', '.join(sorted(right.homes))}", NO_HOME)


def _nearby(left: Context, right: Context) -> Iterator[Evidence]:
    shared = left.nearby & right.nearby
    if shared:
        yield Evidence(f"both beside {', '.join(sorted(shared))}", NEARBY * min(len(shared), 2))


def _time(left: Context, right: Context) -> Iterator[Evidence]:
    if left.seconds is None or right.seconds is None:
        return
    days = abs(left.seconds - right.seconds) / DAY
    if days == 0:
        yield Evidence("at the same time", SAME_DATE)
    elif _mistyped(left.date, right.date):
        yield Evidence("dates are a slip apart", MISTYPED_DATE)
    else:
        weight = next((weight for limit, weight in GAPS if days <= limit), FAR)
        if weight:
            yield Evidence(f"{days:.0f} days apart", weight)


def _mistyped(left: str, right: str) -> bool:
    """Dates that differ by one digit, or by day and month changing places."""
    if not left or not right:
        return False
    if sum(a != b for a, b in zip(left, right, strict=False)) == 1:
        return True
    return left[:4] == right[:4] and left[5:7] == right[8:10] and left[8:10] == right[5:7]


def _folded(words: Iterable[str]) -> frozenset[str]:
    return frozenset(" ".join(word.casefold().split()) for word in words) - {""}
