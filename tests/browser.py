"""Headless Chromium for the tests of reports, driven over the pipe of its DevTools protocol: no port, no driver, no package.

The protocol: https://chromedevtools.github.io/devtools-protocol/. Messages are JSON, each ended by a zero byte, on the file
descriptors 3 (to the browser) and 4 (from it).
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATIENCE: Final = 60.0
_KEYS: Final = {
    "Tab": ("Tab", 9, ""),
    "Enter": ("Enter", 13, "\r"),
    "Space": (" ", 32, " "),
    "Escape": ("Escape", 27, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
}


def find_chromium() -> str | None:
    """Where the browser is, if it is installed."""
    return next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)


class Browser:
    """A browser process with a profile of its own, which is deleted with it."""

    def __init__(self, binary: str) -> None:
        self._profile = tempfile.mkdtemp(prefix="illumina-chromium-")
        command_read, self._to = os.pipe()
        self._from, answer_write = os.pipe()
        options = [
            "--headless=new",
            "--remote-debugging-pipe",
            f"--user-data-dir={self._profile}",
            "--no-sandbox",  # root has no other way, and only our own files are opened
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-extensions",
            "--disable-sync",
            "--no-first-run",
            "--hide-scrollbars",
            "--lang=en",
            "--font-render-hinting=none",
            "about:blank",
        ]
        # The shell puts the pipe's ends where the browser looks for them.
        redirected = f'exec "$0" "$@" 3<&{command_read} 4>&{answer_write}'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", redirected, binary, *options],
            pass_fds=(command_read, answer_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(command_read)
        os.close(answer_write)
        self._number = 0
        self._buffer = b""
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            self.call("Browser.close")
            self._process.wait(timeout=10)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._to)
        os.close(self._from)
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; events that arrive meanwhile are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def wait(self, method: str, session: str) -> None:
        """Wait for an event of a session, unless it is among those that were kept."""
        while not any(event.get("method") == method and event.get("sessionId") == session for event in self.events):
            self.events.append(self._receive())

    def _receive(self) -> dict[str, Any]:
        deadline = time.monotonic() + _PATIENCE
        while b"\0" not in self._buffer:
            if not select.select([self._from], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            chunk = os.read(self._from, 1 << 20)
            if not chunk:
                raise OSError(f"Chromium ended with code {self._process.wait()}")
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b"\0")
        decoded: dict[str, Any] = json.loads(message)
        return decoded

    @contextmanager
    def open(self, path: Path, *, width: int, height: int = 900) -> Iterator[Tab]:
        """A file in a tab of its own, loaded; a width below 600 is a phone's."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, session)
        for domain in ("Page", "Network", "Runtime", "Log"):
            tab.call(f"{domain}.enable")
        tab.resize(width, height)
        tab.prefer("light")
        tab.load(path)
        yield tab
        self.call("Target.closeTarget", targetId=target)


class Tab:
    """One page of the browser."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command to this tab."""
        return self._browser.call(method, self._session, **parameters)

    def resize(self, width: int, height: int = 900) -> None:
        """Show the page in a window of this size in CSS pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def prefer(self, scheme: str) -> None:
        """Make the reader prefer a `light` or a `dark` scheme."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def load(self, path: Path) -> None:
        """Show a file, and wait until it is there; what happened before is forgotten."""
        self._browser.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        self._browser.wait("Page.loadEventFired", self._session)

    def evaluate(self, expression: str) -> Any:
        """What an expression is, as JSON; a promise is awaited."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise AssertionError(f"{expression}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press and release a key on whatever has the focus."""
        name, code, text = _KEYS[key]
        common = {"key": name, "code": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def write(self, text: str) -> None:
        """Type text into whatever has the focus."""
        self.call("Input.insertText", text=text)

    def picture(self, path: Path, *, whole: bool = True) -> None:
        """Save a PNG of the whole page, or of what is in view."""
        parameters: dict[str, Any] = {"format": "png"}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000), "scale": 1}
            parameters |= {"captureBeyondViewport": True, "clip": clip}
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", **parameters)["data"]))

    def pdf(self) -> bytes:
        """The page as it is printed on A4."""
        return base64.b64decode(self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"])

    def _events(self, method: str) -> Iterator[dict[str, Any]]:
        self.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))")
        for event in self._browser.events:
            if event.get("sessionId") == self._session and event.get("method") == method:
                yield event["params"]

    def requests(self) -> list[str]:
        """Every address that was asked for, but for the page itself."""
        asked = [event["request"]["url"] for event in self._events("Network.requestWillBeSent")]
        return [url for url in asked[1:] if not url.startswith("data:")]

    def complaints(self) -> list[str]:
        """Errors and warnings: exceptions, the console, and what the browser itself says, such as a refused resource."""
        found = [str(event["exceptionDetails"]) for event in self._events("Runtime.exceptionThrown")]
        found += [
            str(event["args"])
            for event in self._events("Runtime.consoleAPICalled")
            if event["type"] in ("error", "warning", "assert")
        ]
        return found + [event["entry"]["text"] for event in self._events("Log.entryAdded")]
