"""The notice: lines over the bottom of the panes, just above the keys, until the next key. It never covers a key."""

from __future__ import annotations

from planscope.tui.controllers.document import NOTHING_CHANGED, Saving
from planscope.tui.panes.base import LinePane
from planscope.tui.panes.windowed import Windowed
from planscope.tui.style.lines import Line, Run, cut, ranges, shown, width_of
from planscope.tui.view import DebugView

_LIMIT = 600
"""Limit of a notice in code points."""


def notice_lines(
    notice: str, width: int, most: int, saving: Saving = NOTHING_CHANGED, key: str = ""
) -> list[Line]:
    """Wrap a notice into at most ``most`` lines. Without a notice, say in one line that saving failed, if it did.

    ``key``: the key that says more about that.
    """
    if not notice:
        failed = not_saved(saving, width - 1, key)
        return [Line((Run(" "), *failed), "bar")] if failed else []
    text = shown(notice, _LIMIT)
    lines = [Line((Run(" "), Run(text[a:b], "strong")), "bar") for a, b in ranges(text, max(width - 2, 1))]
    if len(lines) > most:
        lines[most - 1 :] = [Line(cut((*lines[most - 1].runs, Run("…" * width)), width - 1), "bar")]
    return lines


def most_lines(rows: int) -> int:
    """Return the limit of a notice's lines in a window of ``rows`` rows."""
    return max(rows // 2, 1)


def not_saved(saving: Saving, width: int, key: str = "") -> list[Run]:
    """Make the notice of a failed save, shown until a save succeeds; empty if no save failed."""
    if saving.state != "failed":
        return []
    more = [Run(" · ", "dim"), Run(key, "key"), Run(" says more ", "dim")] if key else [Run(" ")]
    said = cut([Run(f"✗ not saved: {shown(saving.trouble, 300)}", "broken")], width - width_of(more) - 2)
    return [*said, *more]


class NoticePane(LinePane):
    """The notice of the debug screen. ``save_key`` says more about a failed save."""

    BOX = False

    def __init__(self, *, save_key: str = "", id: str) -> None:
        super().__init__(id=id)
        self.save_key = save_key

    def lines_of(self, state: DebugView, columns: int, rows: int) -> int:
        """Return the number of lines that a state's notice needs in a window."""
        if not state.notice:
            return int(state.saving.state == "failed")
        return len(notice_lines(state.notice, columns, most_lines(rows)))

    def prepare(self, state: DebugView, width: int) -> None:
        self.lines = notice_lines(state.notice, width, max(self.cells[1], 1), state.saving, self.save_key)


class NoticeStrip(Windowed):
    """The notice of a screen over the debug screen. It is as high as its lines."""

    BOX = False

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.display = False

    def show_notice(self, notice: str, saving: Saving) -> None:
        columns, rows = self.app.size
        self.lines = notice_lines(notice, columns, most_lines(rows), saving)
        self.display = bool(self.lines)
        if self.lines:
            self.styles.height = len(self.lines)
            self._fit()

    def _fit(self) -> None:
        self.measure()
        if self.seen:
            self.sync()

    def on_resize(self) -> None:
        self._fit()

    def on_show(self) -> None:
        self._fit()
