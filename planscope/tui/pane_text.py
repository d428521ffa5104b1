"""Returns the content of a pane as plain text, to be copied or written to a file."""

from __future__ import annotations

from pathlib import Path

from planscope.tui.panes.base import LinePane
from planscope.tui.view import DebugView

MOST_LINES = 20_000
_UNSEEN_WIDTH = 100


def text_of(pane: LinePane, state: DebugView) -> str:
    """Return all lines of a pane, also those scrolled out of view. For the query pane: the query's text, unchanged."""
    if pane.name_in_state == "query":
        return pane_text_of_query(state)
    if not pane.seen:
        pane.prepare(state, _UNSEEN_WIDTH)
    size = min(pane.size_of(), MOST_LINES)
    return "\n".join(pane.line_at(i).text.rstrip() for i in range(size)) + "\n"


def pane_text_of_query(state: DebugView) -> str:
    return state.text + ("" if state.text.endswith("\n") else "\n")


def write_text(text: str, path: Path) -> None:
    """Write to a new file. Raises ``OSError``, also if the file exists."""
    with path.open("x", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
