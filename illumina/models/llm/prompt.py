"""Prompts: versioned resources with a digest, into which retained text is put as data that cannot get out."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from string import Template
from typing import TYPE_CHECKING

from illumina.ids import content_uuid, digest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable
    from uuid import UUID


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told.

    Attributes:
        version: Raised with every change of the texts.
        system: The system prompt.
        message: Template of the one message of the user. `$mark` stands for a word that occurs in none of the fields.
        correction: Template of what follows the message where an answer could not be used.
    """

    version: int
    system: str
    message: str
    correction: str

    @classmethod
    def load(cls, file: Traversable) -> Prompt:
        """A prompt from a TOML file with its four fields."""
        return cls(**tomllib.loads(file.read_text(encoding="utf-8")))

    @property
    def digest(self) -> UUID:
        """Names everything that the model is told but the fields."""
        return content_uuid("prompt", self.version, self.system, self.message, self.correction)

    def render(self, fields: Mapping[str, str], correction: Mapping[str, str] | None = None) -> str:
        """The message with its fields filled in, each once and as they are."""
        correction = correction or {}
        mark = _mark([*fields.values(), *correction.values()])
        text = Template(self.message).substitute(fields, mark=mark)
        return text + Template(self.correction).substitute(correction, mark=mark) if correction else text


def _mark(texts: list[str]) -> str:
    """A word that occurs in none of the texts, in whatever case, so that none of them can close a block that it delimits.

    It is a digest of them all: who writes one of the texts cannot know it, and the same texts give the same word.
    """
    attempt = 0
    while True:
        mark = digest("mark", attempt, *texts).hex()[:16]
        if not any(mark in text.casefold() for text in texts):
            return mark
        attempt += 1
