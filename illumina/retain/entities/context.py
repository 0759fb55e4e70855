"""What two mentions say beside their names: what they belong to, what stands nearby, and when."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rapidfuzz.distance import Hamming

from illumina.retain.entities.types import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from illumina.retain.entities.types import Mention

HOME: Final = 2.0
HOMES: Final = 4.0
NO_HOME: Final = -4.5
NEARBY: Final = 1.5
SAME_DATE: Final = 3.0
"""The same instant, or the same date without a time of day: records of one thing more often than two things on one day."""
MISTYPED_DATE: Final = 1.5
"""A slip in a date, which is likelier than two dates only where something else agrees."""
GAPS: Final = ((7.0, 2.0), (366.0, 0.0), (5 * 366.0, -1.0), (15 * 366.0, -2.5), (80 * 366.0, -4.0))
"""Days apart, up to which a weight holds; beyond the last, `FAR`."""
FAR: Final = -6.0
DAY: Final = 86_400.0
_EPOCH: Final = date(1970, 1, 1).toordinal()


class Context:
    """What stands around one mention, or around several that are taken together; ready to be compared.

    Attributes:
        homes: Folded.
        heads: What stands before a comma in a home: "Bristol, City of" is what others call Bristol.
        nearby: Folded, without `homes`.
        start: Seconds since 1970 of the earliest time; None without one.
        end: Of the latest.
        date: `YYYY-MM-DD` of a single time, or empty.
    """

    __slots__ = ("_hash", "date", "end", "heads", "homes", "nearby", "start")

    def __init__(self, homes: frozenset[str], nearby: frozenset[str], start: float | None, end: float | None) -> None:
        self.homes = homes
        self.heads = frozenset(home.partition(",")[0] for home in homes if "," in home)
        self.nearby = nearby
        self.start, self.end = start, end
        self.date = ""
        if start is not None and start == end:
            # By day number, as a zone's offset may lead out of the calendar.
            day = _EPOCH + int(start // DAY)
            self.date = date.fromordinal(min(max(day, 1), date.max.toordinal())).isoformat()
        self._hash = hash(self._fields())

    @property
    def year(self) -> str:
        """Of a single time; empty without one."""
        return self.date[:4]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context) and self._hash == other._hash and self._fields() == other._fields()

    def __hash__(self) -> int:
        return self._hash

    def _fields(self) -> tuple[object, ...]:
        return self.homes, self.nearby, self.start, self.end


def context_of(mention: Mention) -> Context:
    """The context of one mention."""
    return _context(mention.homes, mention.nearby, mention.moment)


@lru_cache(maxsize=1 << 16)
def _context(homes: frozenset[str], nearby: frozenset[str], moment: datetime | None) -> Context:
    homes = _folded(homes)
    seconds: float | None = None
    if moment is not None:
        moment = moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC)
        seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    return Context(homes, _folded(nearby) - homes, seconds, seconds)


def together(contexts: Sequence[Context]) -> Context:
    """Of contexts with the same homes: what is near any of them, and from the first time to the last."""
    starts = [context.start for context in contexts if context.start is not None]
    ends = [context.end for context in contexts if context.end is not None]
    nearby = frozenset().union(*(context.nearby for context in contexts))
    return Context(contexts[0].homes, nearby, min(starts, default=None), max(ends, default=None))


def weigh(left: Context, right: Context) -> tuple[float, float, float]:
    """What homes, what stands nearby, and times say for (positive) or against one entity; symmetric."""
    homes = nearby = time = 0.0
    if left.homes and right.homes:
        shared = len(_shared(left, right))
        homes = NO_HOME if not shared else HOME if shared == 1 else HOMES
    if left.nearby and right.nearby:
        nearby = NEARBY * min(len(left.nearby & right.nearby), 2)
    days = _days(left, right)
    if days is not None:
        if not days and left.date and right.date:
            time = SAME_DATE
        elif homes > 0 and left.date and right.date and _mistyped(left.date, right.date):
            time = MISTYPED_DATE
        else:
            time = next((weight for limit, weight in GAPS if days <= limit), FAR)
    return homes, nearby, time


def reasons(left: Context, right: Context) -> list[Evidence]:
    """The same in words; what says nothing is left out."""
    homes, nearby, time = weigh(left, right)
    found = []
    if homes > 0:
        found.append(Evidence(f"both of {', '.join(sorted(_shared(left, right)))}", homes))
    elif homes:
        found.append(Evidence(f"of {', '.join(sorted(left.homes))} and of {', '.join(sorted(right.homes))}", homes))
    if nearby:
        found.append(Evidence(f"both beside {', '.join(sorted(left.nearby & right.nearby))}", nearby))
    if time:
        found.append(Evidence(f"{_days(left, right):.0f} days apart", time))
    return found


def _days(left: Context, right: Context) -> float | None:
    """Days between the one and the other; 0 where they overlap."""
    if left.start is None or left.end is None or right.start is None or right.end is None:
        return None
    return max(left.start - right.end, right.start - left.end, 0.0) / DAY


def strangers(lefts: Iterable[Context], rights: Iterable[Context]) -> bool:
    """Whether two groups both belong somewhere, and nowhere in common."""
    homes, heads = _union(lefts)
    others, other_heads = _union(rights)
    return bool(homes and others) and homes.isdisjoint(others | other_heads) and heads.isdisjoint(others)


def _union(contexts: Iterable[Context]) -> tuple[set[str], set[str]]:
    homes: set[str] = set()
    heads: set[str] = set()
    for context in contexts:
        homes |= context.homes
        heads |= context.heads
    return homes, heads


def _shared(left: Context, right: Context) -> frozenset[str]:
    shared = left.homes & right.homes
    if left.heads or right.heads:
        shared |= (left.heads & right.homes) | (right.heads & left.homes)
    return shared


def _mistyped(left: str, right: str) -> bool:
    """Dates that differ by one digit, or by day and month changing places."""
    if Hamming.distance(left, right) == 1:
        return True
    return left[:4] == right[:4] and left[5:7] == right[8:] and left[8:] == right[5:7]


def _folded(words: Iterable[str]) -> frozenset[str]:
    return frozenset(" ".join(word.casefold().split()) for word in words) - {""}
