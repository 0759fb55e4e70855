"""The evaluation harness: replay labelled corpora, score rankings, prove determinism, report.

`load`, `run`, `compare` and `ablate` are the harness from Python, see `evals.library`; `illumina-eval` is the same on the
command line. Importing the package is cheap: what they need is imported when one of them is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evals.library import ablate, compare, load, run

__all__ = ["ablate", "compare", "load", "run"]


if not TYPE_CHECKING:  # a type checker would take any name for granted

    def __getattr__(name: str) -> object:
        if name in __all__:
            return getattr(importlib.import_module("evals.library"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
