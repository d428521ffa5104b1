"""Tools that answer an agent's calls from their sandbox. What they do there is judged as the fuzzer judges it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import Any, Self

from planscope.errors import UserError
from planscope.toolfuzz.engine import check_callable, check_platform, tool_process
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.outcome import Made
from planscope.toolfuzz.tool_report import ToolReport

GRACE = 30.0
"""Seconds beyond a call's limit after which the process counts as lost."""
_PATIENT = 6
"""A call on a busy machine may take this many times its limit (``host.PATIENCE``, and one)."""


class ToolsLost(UserError):
    """The process of the tools has ended, or does not answer."""


class ServedTools:
    """The tools of a target in a process of their own; ``with ServedTools(options) as tools``.

    ``tools``: those that can be called; ``all``: also those that are skipped. ``sandbox``: what enforces it; ``files``:
    texts in the tools' folder when the last run ended. Raises UserError if the target cannot be used. One run at a
    time; it may be used from any thread.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.tools: list[ToolReport] = []
        self.all: list[ToolReport] = []
        self.sandbox: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self._lock = threading.RLock()
        self._exchange = threading.Lock()
        self._open = False
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        check_platform()
        check_callable(self.options.target, self.options.network)
        with ExitStack() as stack:
            self._process = stack.enter_context(tool_process(self.options, "serve"))
            told = self._heard("tools", GRACE * 4)
            self.all, self.sandbox = [ToolReport(**one) for one in told["tools"]], dict(told["sandbox"])
            self.tools = [one for one in self.all if not one.skipped]
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @contextmanager
    def stage(self, files: Mapping[str, str] | None = None) -> Iterator[Self]:
        """Begin a run from the tools' first state: a fresh child, and ``files`` (texts by name) in its folder."""
        with self._lock:
            self._begin(dict(files or {}))
            self._open = True
            try:
                yield self
            finally:
                self._open = False
                with suppress(ToolsLost):
                    self.files = self._end()

    def call(self, tool: str, arguments: dict[str, object]) -> Made:
        """Make one call in the run that is under way. Raises KeyError for a name that is none of the tools'."""
        if not self._open or tool not in [one.name for one in self.tools]:
            raise KeyError(tool)
        with self._exchange:
            return self._call(tool, arguments)

    # --- the process ---

    def _begin(self, files: dict[str, str]) -> None:
        self._say({"do": "begin", "files": files})
        self._heard("begun", GRACE)

    def _call(self, tool: str, arguments: dict[str, object]) -> Made:
        self._say({"do": "call", "call": {"tool": tool, "arguments": arguments}})
        made = self._heard("made", self.options.call_limit * _PATIENT + GRACE)["made"]
        return replace(Made.of(made), tool=tool, arguments=arguments)

    def _end(self) -> dict[str, str]:
        with self._exchange:
            self._say({"do": "end"})
            return dict(self._heard("ended", GRACE)["files"])

    def _say(self, message: Mapping[str, object]) -> None:
        try:
            self._process.say(message)
        except OSError:
            raise self._lost() from None

    def _lost(self) -> ToolsLost:
        return ToolsLost(f"{self.options.target}: the tools' process ended ({self._process.why_ended()})")

    def _heard(self, event: str, seconds: float) -> dict[str, Any]:
        try:
            for message in self._process.messages(seconds):
                if message["event"] == event:
                    return message
        except TimeoutError:
            raise ToolsLost(f"{self.options.target}: the tools' process did not answer") from None
        raise self._lost()
