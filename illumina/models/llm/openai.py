"""Models of OpenAI, or of any server that speaks its Chat Completions API (extra `llm`)."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self

from illumina.errors import ModelRefusedError
from illumina.ids import content_uuid
from illumina.models.llm.base import MAX_TOKENS, Reply, Stop, estimate_tokens, reply
from illumina.models.llm.perseverance import PassingError, Patience, load_extra, persevere, translate
from illumina.models.llm.transport import http_client

if TYPE_CHECKING:
    from illumina.models.llm.base import Tool

KEY: Final = "OPENAI_API_KEY"
NO_KEY: Final = "EMPTY"
"""What servers of one's own that ask for no key are sent: the SDK wants one."""

_STOPS: Final[dict[str, Stop]] = {"length": "length", "content_filter": "refused"}


class OpenAIModel:
    """A model behind the Chat Completions API, through OpenAI's official SDK.

    Nothing is loaded and no key is needed before the first call: recorded answers are replayed without either.

    Args:
        model: Its name, such as `gpt-5-mini`.
        api_key: The environment's `OPENAI_API_KEY` if None; a base URL may do without.
        base_url: The environment's `OPENAI_BASE_URL`, or the provider's, if None.
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
        """`openai:` and the model's name."""
        return f"openai:{self._model}"

    @property
    def fingerprint(self) -> str:
        """Changes with the model's name and the limit of an answer; where the server stands says nothing about the model."""
        return content_uuid("openai", 1, self._model, self._max_tokens).hex

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
        return load_extra("openai", self.name)

    @cached_property
    def _client(self) -> Any:  # noqa: ANN401 - the extra's
        base_url = self._base_url or os.environ.get("OPENAI_BASE_URL")
        key = self._api_key or os.environ.get(KEY) or (NO_KEY if base_url else None)
        if key is None:
            raise ModelRefusedError(f"{self.name} needs an API key. Set {KEY}, or OPENAI_BASE_URL for a server of your own.")
        return self._sdk.OpenAI(api_key=key, base_url=base_url, max_retries=0, http_client=http_client(self._sdk, self.name))

    def _attempt(self, client: Any, system: str, message: str, tool: Tool, seconds: float) -> Reply:  # noqa: ANN401 - see above
        sdk = self._sdk
        function = {"name": tool.name, "description": tool.description, "parameters": tool.schema, "strict": True}
        try:
            answer = client.chat.completions.create(
                model=self._model,
                max_completion_tokens=self._max_tokens,
                messages=[{"role": "system", "content": system}, {"role": "user", "content": message}],
                tools=[{"type": "function", "function": function}],
                tool_choice={"type": "function", "function": {"name": tool.name}},
                parallel_tool_calls=False,
                timeout=seconds,
            )
        except sdk.OpenAIError as error:
            raise translate(error, sdk, self.name, KEY, seconds) from error
        except ValueError as error:  # the SDK's JSON reader
            raise PassingError(f"its answer is no JSON ({error})") from error
        try:
            return _read(answer, system + message, tool)
        except (AttributeError, TypeError, ValueError, IndexError) as error:
            raise PassingError(f"its answer is none of the Chat Completions API ({error})") from error


def _read(answer: Any, asked: str, tool: Tool) -> Reply:  # noqa: ANN401 - the SDK builds it from whatever came
    choice = answer.choices[0]
    message = choice.message
    calls = [call.function.arguments for call in message.tool_calls or () if call.function.name == tool.name]
    text = message.content or message.refusal or ""
    stop: Stop = "refused" if message.refusal else _STOPS.get(choice.finish_reason, "tool" if calls else "end")
    usage = answer.usage
    return reply(
        calls[0] if len(calls) == 1 else None,
        text,
        stop,
        usage.prompt_tokens if usage else estimate_tokens(asked),
        usage.completion_tokens if usage else estimate_tokens("".join(calls) + text),
    )
