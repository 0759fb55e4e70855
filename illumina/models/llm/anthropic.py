"""Models of Anthropic, or of any server that speaks its Messages API (extra `llm`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from illumina.errors import ModelRefusedError
from illumina.models.llm.base import Reply, Stop, reply
from illumina.models.llm.sdk import SdkModel
from illumina.models.llm.transport import http_client

if TYPE_CHECKING:
    from illumina.models.llm.base import Tool

_STOPS: Final[dict[str, Stop]] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}


class AnthropicModel(SdkModel):
    """A model behind Anthropic's Messages API, such as `claude-sonnet-4-5`; see `SdkModel`.

    Key and address come from the environment's `ANTHROPIC_API_KEY` and `ANTHROPIC_BASE_URL` unless they are given.
    """

    provider = "anthropic"
    key = "ANTHROPIC_API_KEY"
    api = "Messages API"
    sdk_error = "AnthropicError"

    def _connect(self) -> Any:  # noqa: ANN401 - the extra's
        client = self._sdk.Anthropic(
            api_key=self._api_key, base_url=self._base_url, max_retries=0, http_client=http_client(self._sdk, self.name)
        )
        if client.api_key is None and client.auth_token is None and client.credentials is None:
            raise ModelRefusedError(f"{self.name} needs an API key. Set {self.key}.")
        return client

    def _ask(self, client: Any, system: str, message: str, tool: Tool, seconds: float) -> Any:  # noqa: ANN401 - see above
        return client.messages.create(
            model=self._model,
            max_tokens=self._max_tokens,
            system=system,
            messages=[{"role": "user", "content": message}],
            tools=[{"name": tool.name, "description": tool.description, "input_schema": tool.schema, "strict": True}],
            tool_choice={"type": "tool", "name": tool.name, "disable_parallel_tool_use": True},
            timeout=seconds,
        )

    @staticmethod
    def _read(answer: Any, asked: str, tool: Tool) -> Reply:  # noqa: ANN401, ARG004 - this API always counts what it was asked
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
