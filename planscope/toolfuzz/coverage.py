"""Branch coverage of a tool's own code: which line followed which, and about how often.

With Python 3.12 and later it uses ``sys.monitoring``, with 3.11 ``sys.settrace``. Both cost time, so the search
measures some of its calls only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

Arc = tuple[str, int, int, int]
"""File, line before, line, and how often: the number of its binary digits, at most 5."""

MOST_DIGITS = 5


class Coverage:
    """Collects the arcs of one call after another. ``own``: whether a file belongs to the tool."""

    def __init__(self, own: Callable[[str], bool]) -> None:
        self._own = own
        self._known: dict[CodeType, bool] = {}
        self._arcs: dict[tuple[str, int, int], int] = {}
        self._monitor = _Monitor(self._is_own, self._arcs) if sys.version_info >= (3, 12) else None

    def _is_own(self, code: CodeType) -> bool:
        found = self._known.get(code)
        if found is None:
            found = self._known[code] = self._own(code.co_filename)
        return found

    def start(self) -> None:
        """Begin to measure a call."""
        self._arcs.clear()
        if self._monitor is not None:
            self._monitor.start()
        else:
            sys.settrace(self._called)

    def stop(self) -> set[Arc]:
        """Return the arcs since :meth:`start`."""
        if self._monitor is not None:
            self._monitor.stop()
        else:
            sys.settrace(None)
        return {(*arc, min(count.bit_length(), MOST_DIGITS)) for arc, count in self._arcs.items()}

    def _called(self, frame: FrameType, event: str, argument: object) -> Any:
        if not self._is_own(frame.f_code):
            return None
        file, last, arcs = frame.f_code.co_filename, -frame.f_code.co_firstlineno, self._arcs

        def line(frame: FrameType, event: str, argument: object) -> Any:
            nonlocal last
            if event == "line":
                number = frame.f_lineno
                arc = (file, last, number)
                arcs[arc] = arcs.get(arc, 0) + 1
                last = number
            return line

        return line


class _Monitor:
    """Coverage by ``sys.monitoring``. An arc of two lines in one frame; recursion mixes the frames of one code."""

    def __init__(self, own: Callable[[CodeType], bool], arcs: dict[tuple[str, int, int], int]) -> None:
        self._own, self._arcs = own, arcs
        self._api: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        self._id = self._api.COVERAGE_ID
        self._last: dict[CodeType, int] = {}
        self._ready = False

    def start(self) -> None:
        self._last.clear()
        if not self._ready:
            if self._api.get_tool(self._id) is not None:
                return
            self._api.use_tool_id(self._id, "planscope")
            self._api.register_callback(self._id, self._api.events.LINE, self._line)
            self._ready = True
        self._api.set_events(self._id, self._api.events.LINE)
        self._api.restart_events()

    def stop(self) -> None:
        if self._ready:
            self._api.set_events(self._id, 0)

    def _line(self, code: CodeType, line: int) -> Any:
        if not self._own(code):
            return self._api.DISABLE
        arc = (code.co_filename, self._last.get(code, -code.co_firstlineno), line)
        self._arcs[arc] = self._arcs.get(arc, 0) + 1
        self._last[code] = line
        return None
