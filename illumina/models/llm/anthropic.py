"""Models of Anthropic, or of any server that speaks its Messages API (extra `llm`)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self

from illumina.errors import ModelRefusedError
from illumina.ids import content_uuid
from illumina.models.llm.base import MAX_TOKENS, Reply, Stop, reply
from illumina.models.llm.perseverance import PassingError, Patience, load_extra, persevere, translate
from illumina.models.llm.transport import http_client

if TYPE_CHECKING:
    from illumina.models.llm.base import Tool

KEY: Final = "ANTHROPIC_API_KEY"
_STOPS: Final[dict[str, Stop]] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}


class AnthropicModel:
    """A model behind Anthropic's Messages API, through the official SDK.

    Nothing is loaded and no key is needed before the first call: recorded answers are replayed without either.

    Args:
        model: Its name, such as `claude-sonnet-4-5`.
        api_key: The environment's `ANTHROPIC_API_KEY` if None.
        base_url: The environment's `ANTHROPIC_BASE_URL`, or the provider's, if None.
        max_tokens: Tokens of one answer at most.
        patience: How often and how long to try.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        max_tokens: int = MAX_TOKENS,
        patience: Patience | None = None,
    ) -> None:
        self._model = model
        self._api_key = api_key
        self._base_url = base_url
        self._max_tokens = max_tokens
        self._patience = patience or Patience()

    @property
    def name(self) -> str:
        """`anthropic:` and the model's name."""
        return f"anthropic:{self._model}"

    @property
    def fingerprint(self) -> str:
        """Changes with the model's name and the limit of an answer; where the server stands says nothing about the model."""
        return content_uuid("anthropic", 1, self._model, self._max_tokens).hex

    def call(self, system: str, message: str, tool: Tool) -> Reply:
        """See `LanguageModel.call`."""
        client = self._client  # loading the SDK takes seconds, which are not the server's
        return persevere(self.name, lambda seconds: self._attempt(client, system, message, tool, seconds), self._patience)

    def close(self) -> None:
        """Close its connections; it can be asked again."""
        if (client := self.__dict__.pop("_client", None)) is not None:
            client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def _sdk(self) -> Any:  # noqa: ANN401 - a module
        return load_extra("anthropic", self.name)

    @cached_property
    def _client(self) -> Any:  # noqa: ANN401 - the extra's
        client = self._sdk.Anthropic(
            api_key=self._api_key, base_url=self._base_url, max_retries=0, http_client=http_client(self._sdk, self.name)
        )
        if client.api_key is None and client.auth_token is None and client.credentials is None:
            raise ModelRefusedError(f"{self.name} needs an API key. Set {KEY}.")
        return client

    def _attempt(self, client: Any, system: str, message: str, tool: Tool, seconds: float) -> Reply:  # noqa: ANN401 - see above
        sdk = self._sdk
        try:
            answer = client.messages.create(
                model=self._model,
                max_tokens=self._max_tokens,
                system=system,
                messages=[{"role": "user", "content": message}],
                tools=[{"name": tool.name, "description": tool.description, "input_schema": tool.schema, "strict": True}],
                tool_choice={"type": "tool", "name": tool.name, "disable_parallel_tool_use": True},
                timeout=seconds,
            )
        except sdk.AnthropicError as error:
            raise translate(error, sdk, self.name, KEY, seconds) from error
        except ValueError as error:  # the SDK's JSON reader
            raise PassingError(f"its answer is no JSON ({error})") from error
        try:
            return _read(answer, tool)
        except (AttributeError, TypeError, ValueError) as error:
            raise PassingError(f"its answer is none of the Messages API ({error})") from error


def _read(answer: Any, tool: Tool) -> Reply:  # noqa: ANN401 - the SDK builds it from whatever came
    calls = [block.input for block in answer.content if block.type == "tool_use" and block.name == tool.name]
    text = "\n".join(block.text for block in answer.content if block.type == "text")
    usage = answer.usage
    return reply(
        calls[0] if len(calls) == 1 else None,
        text,
        _STOPS.get(answer.stop_reason, "tool" if calls else "end"),
        usage.input_tokens + (usage.cache_creation_input_tokens or 0) + (usage.cache_read_input_tokens or 0),
        usage.output_tokens,
    )
