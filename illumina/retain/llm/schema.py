"""The tool `extract_facts`: what a model may answer, and what it is told."""

from __future__ import annotations

from importlib import resources
from typing import Final, get_args

from illumina.models.llm.base import Tool
from illumina.models.llm.prompt import Prompt
from illumina.retain.dates.units import PRECISIONS
from illumina.retain.extraction import CausalKind
from illumina.retain.llm.forms import array_of, object_of, one_of, or_null, text
from illumina.types import CATEGORIES, Confidence, Importance

KINDS: Final = ("person", "organisation", "team", "service", "project", "product", "ticket", "channel", "place")
"""Types of entities; null for any other."""

_POSITION: Final = {"type": "integer", "description": "Counted from 0."}

_FACT: Final = object_of(
    statement=text("One atomic statement that stands by itself."),
    quote=text("The words of the passage that say so, letter for letter."),
    category=one_of(*CATEGORIES),
    event=or_null(
        object_of(
            start=or_null(text("ISO 8601: its first moment; null if open.")),
            end=or_null(text("ISO 8601: the first moment behind it; null if open.")),
            precision=one_of(*PRECISIONS),
        )
    ),
    mentioned_at=or_null(text("ISO 8601: when it was said, where the passage says so.")),
    entities=array_of(
        object_of(
            name=text("As the passage has it."), kind=or_null(one_of(*KINDS)), homes=array_of(text("What it belongs to or is."))
        )
    ),
    relations=array_of(object_of(subject=_POSITION, name=text("A verb in snake case."), object=_POSITION)),
    confidence=one_of(*get_args(Confidence)),
    importance=one_of(*get_args(Importance)),
)

TOOL: Final = Tool(
    "extract_facts",
    "Record the facts that the passage states.",
    object_of(
        facts=array_of(_FACT),
        causal=array_of(
            object_of(
                kind=one_of(*get_args(CausalKind)),
                cause=_POSITION,
                effect=_POSITION,
                cue=text("The words of the passage that state it, letter for letter."),
            )
        ),
    ),
)

PROMPT: Final = Prompt.load(resources.files("illumina.retain.llm").joinpath("extract_facts.toml"))
