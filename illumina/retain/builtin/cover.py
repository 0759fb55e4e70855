"""What of a chunk yields no fact, with a reason for every stretch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from illumina.retain.extraction import Rejection

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from illumina.retain.builtin.blocks import Skip
    from illumina.retain.clauses import Span
    from illumina.types import Chunk


def rejections(
    body: str, chunk: Chunk, skips: Iterable[Skip], rejected: Iterable[Rejection], facts: Sequence[Span], carried: int
) -> tuple[Rejection, ...]:
    """Rejections of all in a chunk's own span that no fact covers and that is not white space; in order, without overlap.

    Args:
        body: The document's text.
        chunk: The chunk.
        skips: What of the document is no running text, around the chunk.
        rejected: What of its sentences tells nothing.
        facts: The spans of the chunk's facts, in order.
        carried: Offset behind the last sentence that began before the chunk.
    """
    claims = [(start, end, reason) for start, end, reason in skips]
    claims += [(it.start, it.end, it.reason) for it in rejected]
    if carried > chunk.start:
        claims.append((chunk.start, carried, "continued"))
    claims.sort()
    found: list[Rejection] = []
    at, claim = chunk.start, 0
    for start, end in [*sorted((max(start, chunk.start), end) for start, end in facts), (chunk.end, chunk.end)]:
        stop = min(start, chunk.end)
        while claim < len(claims) and claims[claim][1] <= at:
            claim += 1
        place = claim
        while at < stop:
            first, behind, reason = claims[place] if place < len(claims) else (stop, stop, "")
            _reject(body, at, min(first, stop), "markup", found)
            at = max(at, min(first, stop))
            _reject(body, at, min(behind, stop), reason, found)
            at = max(at, min(behind, stop))
            place += 1
        at = max(at, end)
    return tuple(found)


def _reject(body: str, start: int, end: int, reason: str, found: list[Rejection]) -> None:
    part = body[start:end] if start < end else ""
    if stripped := part.strip():
        first = start + len(part) - len(part.lstrip())
        found.append(Rejection(first, first + len(stripped), reason))
