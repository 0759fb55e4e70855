"""Which failures of a model's server pass, and how long to wait for that."""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from illumina.errors import ModelError, ModelRefusedError, ModelUnavailableError
from illumina.models.llm.base import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from illumina.models.llm.base import Reply

PASSING: Final = frozenset({408, 409, 425, 429})
"""Statuses below 500 that pass: timeout, a lock held by another request, too early, too many requests."""

MAX_SAID: Final = 500
"""Characters kept of what a server says."""

_SHORTEST: Final = 0.001

_MENDS: Final = {
    400: "Mend the request; if it is too long for the model, name a model that reads more.",
    401: "Check the API key ({key}).",
    402: "Check the account's billing.",
    403: "Check what the API key ({key}) may use.",
    404: "Name a model that this server has, and check the base URL.",
    413: "The text is too long for this server.",
}


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a call may take.

    Attributes:
        attempts: How often it is tried at most.
        deadline: Seconds for all attempts and the waiting between them; no attempt begins or goes on after that.
        timeout: Seconds for one attempt, from sending to the last byte.
        wait_initial: Seconds before the second attempt; doubled before each further one.
        wait_max: Seconds of one wait at most, unless the server says how long (`Retry-After`).
        wait_jitter: Up to so many random seconds more, so that many callers do not come back at once.
    """

    attempts: int = 4
    deadline: float = 300.0
    timeout: float = 120.0
    wait_initial: float = 1.0
    wait_max: float = 30.0
    wait_jitter: float = 1.0


class PassingError(ModelUnavailableError):
    """One attempt failed in a way that passes.

    Attributes:
        retry_after: Seconds that the server asks to wait.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


def persevere(name: str, attempt: Callable[[float], Reply], patience: Patience) -> Reply:
    """Try until it succeeds, fails for good, or patience ends.

    Args:
        name: The model's name.
        attempt: Tries once within so many seconds; raises `PassingError` for what passes.
        patience: How often and how long.

    Raises:
        ModelUnavailableError: The last attempt failed in a way that passes.
        ModelRefusedError: An attempt failed for good.
    """
    stamina = load_extra("stamina", name)
    ends = monotonic() + patience.deadline
    least = 0.0  # the shortest wait before the next attempt, unless the server names one
    tries = 0

    def passes(error: Exception) -> bool | float:
        if not isinstance(error, PassingError):
            return False
        left = ends - monotonic()
        if error.retry_after is None:
            return least < left
        return error.retry_after if error.retry_after < left else False

    try:
        for tried in stamina.retry_context(
            on=passes,
            attempts=patience.attempts,
            timeout=None,
            wait_initial=patience.wait_initial,
            wait_max=patience.wait_max,
            wait_jitter=patience.wait_jitter,
        ):
            with tried:
                tries, least = tries + 1, tried.next_wait
                # What jitter has used up beyond the deadline ends this attempt at once.
                return attempt(min(patience.timeout, max(ends - monotonic(), _SHORTEST)))
    except PassingError as error:
        wait = "" if error.retry_after is None else f" It asks to wait {error.retry_after:g} s."
        raise ModelUnavailableError(
            f"{name} did not answer in {tries} attempts: {error}.{wait} The same call may succeed later."
        ) from error
    raise AssertionError("an attempt returns or raises")


def load_extra(module: str, name: str) -> Any:  # noqa: ANN401 - a module
    """Import a package of the extra `llm`, when a model is first asked.

    Raises:
        ModelError: It is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ModelError(f"{name} needs the extra of language models: pip install 'illumina[llm]'") from error


def translate(error: Exception, sdk: Any, name: str, key: str, seconds: float) -> ModelError:  # noqa: ANN401 - either module
    """What a failure within an official SDK means.

    Args:
        error: The SDK's error.
        sdk: Its module; both have classes of the same names.
        name: The model's name.
        key: The environment variable that holds the API key.
        seconds: How long the attempt was given.
    """
    if isinstance(error, sdk.APITimeoutError):
        return PassingError(f"no answer within {seconds:.3g} s")
    if isinstance(error, sdk.APIConnectionError):
        return PassingError(f"the connection failed ({error.__cause__ or error})")
    said = clean(" ".join(str(error).split()))[:MAX_SAID]
    if not isinstance(error, sdk.APIError):
        return ModelRefusedError(f"{name} cannot be asked: {said}. Check the API key ({key}).")
    if not isinstance(error, sdk.APIStatusError):
        return PassingError(f"its answer cannot be read ({said})")
    status: int = error.status_code
    if status in PASSING or status >= 500:
        return PassingError(said, _retry_after(error.response.headers))
    mend = _MENDS.get(status, _MENDS[400]).format(key=key)
    return ModelRefusedError(f"{name} refuses the call, and would again: {said}. {mend}")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait (RFC 9110, section 10.2.3), a date being counted from the answer's own."""
    try:
        if (milliseconds := headers.get("retry-after-ms")) is not None:
            return max(0.0, float(milliseconds) / 1000)
        value = headers.get("retry-after")
        if value is None:
            return None
        if value.strip().replace(".", "", 1).isdecimal():
            return float(value)
        return max(0.0, (parsedate_to_datetime(value) - parsedate_to_datetime(headers["date"])).total_seconds())
    except (ValueError, TypeError, KeyError):
        return None
