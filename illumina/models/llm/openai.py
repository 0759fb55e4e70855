"""Models of OpenAI, or of any server that speaks its Chat Completions API (extra `llm`)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from illumina.errors import ModelRefusedError
from illumina.models.llm.base import Reply, Stop, estimate_tokens, reply
from illumina.models.llm.sdk import SdkModel
from illumina.models.llm.transport import http_client

if TYPE_CHECKING:
    from illumina.models.llm.base import Tool

NO_KEY: Final = "EMPTY"
"""What servers of one's own that ask for no key are sent: the SDK wants one."""

_STOPS: Final[dict[str, Stop]] = {"length": "length", "content_filter": "refused"}


class OpenAIModel(SdkModel):
    """A model behind the Chat Completions API, such as `gpt-5-mini`; see `SdkModel`.

    Key and address come from the environment's `OPENAI_API_KEY` and `OPENAI_BASE_URL` unless they are given; with an address of
    one's own there need not be a key.
    """

    provider = "openai"
    key = "OPENAI_API_KEY"
    api = "Chat Completions API"
    sdk_error = "OpenAIError"

    def _connect(self) -> Any:  # noqa: ANN401 - the extra's
        base_url = self._base_url or os.environ.get("OPENAI_BASE_URL")
        key = self._api_key or os.environ.get(self.key) or (NO_KEY if base_url else None)
        if key is None:
            raise ModelRefusedError(
                f"{self.name} needs an API key. Set {self.key}, or OPENAI_BASE_URL for a server of your own."
            )
        return self._sdk.OpenAI(api_key=key, base_url=base_url, max_retries=0, http_client=http_client(self._sdk, self.name))

    def _ask(self, client: Any, system: str, message: str, tool: Tool, seconds: float) -> Any:  # noqa: ANN401 - see above
        function = {"name": tool.name, "description": tool.description, "parameters": tool.schema, "strict": True}
        return client.chat.completions.create(
            model=self._model,
            max_completion_tokens=self._max_tokens,
            messages=[{"role": "system", "content": system}, {"role": "user", "content": message}],
            tools=[{"type": "function", "function": function}],
            tool_choice={"type": "function", "function": {"name": tool.name}},
            parallel_tool_calls=False,
            timeout=seconds,
        )

    @staticmethod
    def _read(answer: Any, asked: str, tool: Tool) -> Reply:  # noqa: ANN401 - see above
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
