"""Clients of the server on loopback, with little patience."""

from __future__ import annotations

from typing import TYPE_CHECKING

from illumina.models.llm.anthropic import AnthropicModel
from illumina.models.llm.openai import OpenAIModel
from illumina.models.llm.perseverance import Patience
from tests.illumina.models.llm.server import KEY

if TYPE_CHECKING:
    from tests.illumina.models.llm.server import ModelServer

PROVIDERS = ("anthropic", "openai")
HASTY = Patience(attempts=3, deadline=5, timeout=2, wait_initial=0.01, wait_max=0.02, wait_jitter=0.01)


def client(
    provider: str, server: ModelServer, *, model: str = "model-a", key: str | None = KEY, patience: Patience = HASTY
) -> AnthropicModel | OpenAIModel:
    """A client that the server closes with itself."""
    known = (provider, model, key, patience)
    if known in server.known:
        found: AnthropicModel | OpenAIModel = server.known[known]
        return found
    made: AnthropicModel | OpenAIModel
    if provider == "anthropic":
        made = AnthropicModel(model, api_key=key, base_url=server.url, patience=patience)
    else:
        made = OpenAIModel(model, api_key=key, base_url=f"{server.url}/v1", patience=patience)
    server.clients.callback(made.close)
    server.known[known] = made
    return made
