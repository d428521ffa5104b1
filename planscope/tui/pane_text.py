"""Returns the content of a pane as plain text, to be copied or written to a file."""

from __future__ import annotations

from pathlib import Path

from planscope.tui.panes.base import LinePane
from planscope.tui.view import DebugView

MOST_LINES = 20_000
_LEAST_WIDTH = 100
"""Text is laid out for at least this many cells, so that a narrow pane's text is whole."""


def text_of(pane: LinePane, state: DebugView) -> str:
    """Return all lines of a pane, also those scrolled out of view. For the query pane: the query's text, unchanged."""
    if pane.name_in_state == "query":
        return state.text + ("" if state.text.endswith("\n") else "\n")
    pane.prepare(state, max(pane.inner_width, _LEAST_WIDTH))
    try:
        size = min(pane.size_of(), MOST_LINES)
        return "\n".join(pane.line_at(i).text.rstrip() for i in range(size)) + "\n"
    finally:
        if pane.seen and pane.inner_width > 0:
            pane.prepare(state, pane.inner_width)


def write_text(text: str, path: Path) -> None:
    """Write to a new file. Raises ``OSError``, also if the file exists."""
    with path.open("x", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
