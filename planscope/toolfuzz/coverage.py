"""Branch coverage of a tool's own code: which line followed which, and about how often.

Tracing costs time, so the search measures some of its calls only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import TraceFunction

Arc = tuple[str, int, int, int]
"""File, line before, line, and how often: the number of its binary digits, at most 5."""

MOST_DIGITS = 5


class Coverage:
    """Collects the arcs of one call after another. ``own``: whether a file belongs to the tool."""

    def __init__(self, own: Callable[[str], bool]) -> None:
        self._own = own
        self._known: dict[CodeType, bool] = {}
        self._arcs: dict[tuple[str, int, int], int] = {}

    def _is_own(self, code: CodeType) -> bool:
        found = self._known.get(code)
        if found is None:
            found = self._known[code] = self._own(code.co_filename)
        return found

    def start(self) -> None:
        """Begin to measure a call."""
        self._arcs.clear()
        sys.settrace(self._called)

    def stop(self) -> set[Arc]:
        """Return the arcs since :meth:`start`."""
        sys.settrace(None)
        return {(*arc, min(count.bit_length(), MOST_DIGITS)) for arc, count in self._arcs.items()}

    def _called(self, frame: FrameType, event: str, argument: object) -> TraceFunction | None:
        if not self._is_own(frame.f_code):
            return None
        file, last, arcs = frame.f_code.co_filename, -frame.f_code.co_firstlineno, self._arcs

        def line(frame: FrameType, event: str, argument: object) -> TraceFunction:
            nonlocal last
            if event == "line":
                number = frame.f_lineno
                arc = (file, last, number)
                arcs[arc] = arcs.get(arc, 0) + 1
                last = number
            return line

        return line
