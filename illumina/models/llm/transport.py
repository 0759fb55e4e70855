"""The SDKs' HTTP client, with a limit for an answer as a whole."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

from illumina.models.llm.perseverance import load_extra

if TYPE_CHECKING:
    from collections.abc import Iterator


def http_client(sdk: Any, name: str) -> Any:  # noqa: ANN401 - an SDK's module, and its client
    """The SDK's own HTTP client, except that the time for reading limits the whole answer.

    On its own it limits the time between two pieces, so that a server which sends byte by byte would hold a worker for ever.

    Args:
        sdk: The module of either SDK.
        name: The model's name.
    """
    httpx = load_extra("httpx2", name)
    stream_class: Any = httpx.SyncByteStream

    class Limited(stream_class):  # type: ignore[misc]  # the extra's
        def __init__(self, stream: Any, seconds: float) -> None:  # noqa: ANN401 - the extra's
            self._stream = stream
            self._seconds = seconds

        def __iter__(self) -> Iterator[bytes]:
            ends = monotonic() + self._seconds
            for piece in self._stream:
                if monotonic() > ends:
                    raise httpx.ReadTimeout(f"not read to its end within {self._seconds:g} s")
                yield piece

        def close(self) -> None:
            self._stream.close()

    def limit(response: Any) -> None:  # noqa: ANN401 - the extra's
        response.stream = Limited(response.stream, response.request.extensions["timeout"]["read"])

    return sdk.DefaultHttpxClient(event_hooks={"response": [limit]})
