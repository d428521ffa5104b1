"""The command log: one line above the footer, with the shell command that does the same as the last key."""

from __future__ import annotations

from planscope.tui.keys import key_for
from planscope.tui.panes.base import LinePane
from planscope.tui.style.lines import Line, Run, justify, shown
from planscope.tui.view import DebugView


class CommandPane(LinePane):
    """Shows ``DebugView.command``."""

    BOX = False

    def prepare(self, state: DebugView, width: int) -> None:
        said = Run(shown(state.command, 1000), "tool") if state.command else Run("no command yet", "dim")
        right = (
            (Run(key_for("copy-command"), "key"), Run(" copies it ", "dim"))
            if state.command and width >= 60
            else ()
        )
        self.lines = [Line(justify((Run(" = ", "label"), said), right, width), "bar")]
