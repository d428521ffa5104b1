"""The notice shown if the window is too small for the debugger."""

from __future__ import annotations

from planscope.tui.arrangement import SMALLEST
from planscope.tui.keys import key_for
from planscope.tui.panes.base import LinePane
from planscope.tui.style.lines import wrapped
from planscope.tui.view import DebugView


class TooSmall(LinePane):
    BOX = False

    def prepare(self, state: DebugView, width: int) -> None:
        columns, rows = SMALLEST
        text = (
            f"planscope needs {columns} columns and {rows} rows.\n"
            f"This window has {self.app.size.width} and {self.app.size.height}.\n"
            f"Make it larger, or press {key_for('quit')} to quit."
        )
        self.lines = wrapped(text, width)
