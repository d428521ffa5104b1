"""Chromium without a window, driven over a pipe (DevTools protocol), for tests of the shared page.

Nothing but ``file:`` is let through: whatever else a page asks for is noted in ``requests`` and refused.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE = 60.0

_SWITCHES = (
    "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-default-browser-check",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb",
)  # fmt: skip

_START = "import os, sys; [os.dup2(int(sys.argv[i + 1]), i + 3) for i in (0, 1)]; os.execv(sys.argv[3], sys.argv[3:])"
"""Chromium reads from handle 3 and writes to handle 4."""


class Browser:
    """One browser with one page. ``messages`` are what its console said, ``requests`` what it asked for."""

    def __init__(self) -> None:
        assert CHROMIUM is not None
        self.messages: list[str] = []
        self.requests: list[str] = []
        self._number = 0
        self._unread = b""
        self._folder = TemporaryDirectory(prefix="planscope-browser-", ignore_cleanup_errors=True)
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        theirs = [fcntl.fcntl(handle, fcntl.F_DUPFD, 10) for handle in (to_read, to_write)]
        command = [CHROMIUM, *_SWITCHES, f"--user-data-dir={self._folder.name}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, *map(str, theirs), *command],
            pass_fds=theirs,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for handle in (to_read, to_write, *theirs):
            os.close(handle)
        try:
            self._attach()
        except BaseException:
            self.close()
            raise

    def _attach(self) -> None:
        targets = self._ask("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        self._session = self._ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        os.close(self._write)
        os.close(self._read)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        return self._ask(method, self._session, **params)

    def _ask(self, method: str, session: str | None = None, /, **params: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        number = self._number
        answer = self._until(lambda said: said.get("id") == number)
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    def _until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        ends = time.monotonic() + PATIENCE
        while True:
            while b"\0" not in self._unread:
                ready, _, _ = select.select([self._read], [], [], max(0.0, ends - time.monotonic()))
                assert ready, "the browser does not answer"
                piece = os.read(self._read, 1 << 20)
                assert piece, "the browser has gone"
                self._unread += piece
            line, _, self._unread = self._unread.partition(b"\0")
            said = json.loads(line)
            self._note(said)
            if wanted(said):
                return said

    def _note(self, said: dict[str, Any]) -> None:
        method, params = said.get("method"), said.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.messages.append(json.dumps(params["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled":
            self.messages.append(json.dumps(params["args"])[:500])
        elif method == "Log.entryAdded":
            self.messages.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    # What a test does

    def open(self, path: Path) -> None:
        """Open a file and wait until it is loaded."""
        self.requests.clear()
        self.messages.clear()
        self.ask("Page.navigate", url=path.as_uri())
        self._until(lambda said: said.get("method") == "Page.loadEventFired")

    def value(self, expression: str) -> Any:
        """What an expression is on the page."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def text(self, selector: str) -> str:
        return self.value(f"document.querySelector({json.dumps(selector)}).textContent")

    def texts(self, selector: str) -> list[str]:
        return self.value(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)")

    def click(self, selector: str) -> None:
        """A real click in the middle of what a selector finds first."""
        box = self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'nearest'});"
            " const r = e.getClientRects()[0]; return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def press(self, key: str) -> None:
        """A key as a browser names it: ``n``, ``ArrowRight``, ``?``."""
        text = {"text": key} if len(key) == 1 else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    def size(
        self, width: int, height: int, *, dark: bool = True, phone: bool = False, medium: str = "screen"
    ) -> None:
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=phone,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", media=medium, features=[scheme])

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """A PNG of the window, or of the whole page."""
        data = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def paper(self) -> bytes:
        """The page as printed: a PDF."""
        return base64.b64decode(self.ask("Page.printToPDF")["data"])
