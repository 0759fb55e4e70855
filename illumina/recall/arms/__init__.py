"""Retrieval arms: one signature, and none knows another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from illumina.recall.arms import lexical, semantic
from illumina.recall.components import Component, register

if TYPE_CHECKING:
    from collections.abc import Callable

    from illumina.recall.plan import Hit, Plan
    from illumina.store.database import Session


@dataclass(frozen=True, slots=True)
class Arm(Component):
    """A way to find candidates.

    Attributes:
        search: Submits its queries and returns what collects the hits, best first: all arms are under way before the first
            is waited for.
    """

    kind: ClassVar[str] = "arm"

    search: Callable[[Session, Plan], Callable[[], list[Hit]]]


# The locked order: of fusion, of reports, of `Result.arms`.
register(Arm("semantic", semantic.search))
register(Arm("lexical", lexical.search))
