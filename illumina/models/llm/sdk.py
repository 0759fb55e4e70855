"""What clients of the official SDKs share: their options, their connections, and asking until there is an answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from illumina.ids import content_uuid
from illumina.models.llm.base import MAX_TOKENS, Reply
from illumina.models.llm.perseverance import PassingError, Patience, load_extra, persevere, translate

if TYPE_CHECKING:
    from illumina.models.llm.base import Tool

_READING_ERRORS = (AttributeError, TypeError, ValueError, IndexError)


class SdkModel(ABC):
    """A model behind an official SDK (extra `llm`); its subclasses say how one is asked and its answer read.

    Nothing is loaded and no key is needed before the first call: recorded answers are replayed without either.

    Args:
        model: Its name, as the provider has it.
        api_key: The environment's if None.
        base_url: The environment's, or the provider's, if None.
        max_tokens: Tokens of one answer at most.
        patience: How often and how long to try.

    Attributes:
        provider: Also the name of the SDK's module.
        key: The environment variable that holds the API key.
        api: What the provider calls the API.
        sdk_error: The name of the SDK's own errors.
    """

    provider: ClassVar[str]
    key: ClassVar[str]
    api: ClassVar[str]
    sdk_error: ClassVar[str]

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
        """The provider, a colon, and the model's name."""
        return f"{self.provider}:{self._model}"

    @property
    def fingerprint(self) -> str:
        """Changes with the model's name and the limit of an answer; where the server stands says nothing about the model."""
        return content_uuid(self.provider, 1, self._model, self._max_tokens).hex

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
        return load_extra(self.provider, self.name)

    @cached_property
    def _client(self) -> Any:  # noqa: ANN401 - the extra's
        return self._connect()

    def _attempt(self, client: Any, system: str, message: str, tool: Tool, seconds: float) -> Reply:  # noqa: ANN401 - see above
        try:
            answer = self._ask(client, system, message, tool, seconds)
        except getattr(self._sdk, self.sdk_error) as error:
            raise translate(error, self._sdk, self.name, self.key, seconds) from error
        except ValueError as error:  # the SDK's JSON reader
            raise PassingError(f"its answer is no JSON ({error})") from error
        try:
            return self._read(answer, system + message, tool)
        except _READING_ERRORS as error:
            raise PassingError(f"its answer is none of the {self.api} ({error})") from error

    @abstractmethod
    def _connect(self) -> Any:  # noqa: ANN401 - the extra's
        """The SDK's client, its own retries off.

        Raises:
            ModelRefusedError: There is no key.
        """

    @abstractmethod
    def _ask(self, client: Any, system: str, message: str, tool: Tool, seconds: float) -> Any:  # noqa: ANN401 - see above
        """One request, the tool forced; the SDK's answer."""

    @staticmethod
    @abstractmethod
    def _read(answer: Any, asked: str, tool: Tool) -> Reply:  # noqa: ANN401 - the SDK builds it from whatever came
        """The answer as a reply; fails in whatever way where it is none."""
