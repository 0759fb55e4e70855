"""Retrieval arms: one signature, and none knows another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from illumina.recall.arms import lexical, semantic

if TYPE_CHECKING:
    from collections.abc import Callable

    from illumina.recall.plan import Hit, Plan
    from illumina.store.database import Session


class Arm(NamedTuple):
    """A way to find candidates.

    `search` submits its queries and returns what collects the hits, best first: all arms are under way before the first is
    waited for.
    """

    name: str
    search: Callable[[Session, Plan], Callable[[], list[Hit]]]


ARMS: Final = (Arm("semantic", semantic.search), Arm("lexical", lexical.search))
"""The locked order: of fusion, of reports, of `Result.arms`."""
