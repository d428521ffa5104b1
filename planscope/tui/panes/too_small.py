"""The notice shown if the window is too small for the debugger."""

from __future__ import annotations

from planscope.tui.panes.base import LinePane
from planscope.tui.panes.side_bars import too_small_lines
from planscope.tui.view import DebugView


class TooSmall(LinePane):
    BOX = False

    def prepare(self, state: DebugView, width: int) -> None:
        self.lines = too_small_lines(*self.app.size, width)
