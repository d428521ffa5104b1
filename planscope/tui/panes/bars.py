"""Lines without a frame: title, keys, notices, the shell command, and what a window says that is too small."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events

from planscope.tui.arrangement import SMALLEST
from planscope.tui.controllers.document import Saving
from planscope.tui.keys import key_for
from planscope.tui.messages import KeyHintClicked
from planscope.tui.panes.windowed import Windowed
from planscope.tui.style.lines import Line, Run, cut, does_at, justify, ranges, shown, width_of, wrapped

_LIMIT = 600
"""Limit of a notice in code points."""

Make = Callable[[int], Sequence[Line]]
"""Makes lines for a width in cells."""


class Bar(Windowed):
    """Lines that ``show`` makes again if what they are ``of`` has changed. A click does what it hits, such as a key of
    the footer."""

    BOX = False
    _made_of: object = None

    def __init__(self, make: Make, of: Callable[[], object] = object, *, id: str) -> None:
        super().__init__(id=id)
        self.make, self.of = make, of

    def show(self) -> None:
        if not self.seen:
            return
        if (of := (self.cells, self.of())) != self._made_of:
            self._made_of = of
            self.lines = self.make(self.cells[0])
        self.sync()

    def on_resize(self) -> None:
        self.measure()
        self.show()

    def on_show(self) -> None:
        self.on_resize()

    def on_click(self, event: events.Click) -> None:
        if event.y < len(self.lines) and (action := does_at(self.lines[event.y].runs, event.x)):
            self.post_message(KeyHintClicked(action))


class NoticeStrip(Bar):
    """A notice that is as high as its lines, and hidden without one."""

    def show(self) -> None:
        lines = self.make(self.app.size.width)
        self.display = bool(lines)
        self.styles.height = max(len(lines), 1)
        super().show()


def title_line(left: Sequence[Run], right: Sequence[Run], width: int) -> Line:
    """Lay out the title of a screen, with its status at the right."""
    return Line(justify([Run(" "), *left], [*right, Run(" ")] if right else [], width), "bar")


def notice_lines(notice: str, size: tuple[int, int], saving: Saving, key: str = "") -> list[Line]:
    """Wrap a notice into lines of a window of ``size`` columns and rows, at most half of it. Without a notice, say in
    one line that saving failed, if it did.

    ``key``: the key that says more about that.
    """
    width, most = size[0], max(size[1] // 2, 1)
    if not notice:
        return [not_saved(saving, width - 1, key)] if saving.state == "failed" else []
    text = shown(notice, _LIMIT)
    lines = [Line((Run(" "), Run(text[a:b], "strong")), "bar") for a, b in ranges(text, max(width - 2, 1))]
    if len(lines) > most:
        lines[most - 1 :] = [Line(cut((*lines[most - 1].runs, Run("…" * width)), width - 1), "bar")]
    return lines


def beside(notice: str, more: str) -> str:
    """Return what is shown when something else is to be said before a notice was read."""
    return notice if more in notice else f"{notice} · {more}" if notice else more


def not_saved(saving: Saving, width: int, key: str = "") -> Line:
    """Make the notice of a failed save, shown until a save succeeds."""
    more = [Run(" · ", "dim"), Run(key, "key"), Run(" says more ", "dim")] if key else [Run(" ")]
    said = cut([Run(f"✗ not saved: {shown(saving.trouble, 300)}", "broken")], width - width_of(more) - 2)
    return Line((Run(" "), *said, *more), "bar")


def command_line(command: str, width: int) -> Line:
    """Show the shell command that does the same as the last key."""
    said = Run(shown(command, 1000), "tool") if command else Run("no command yet", "dim")
    copies = (Run(key_for("copy-command"), "key"), Run(" copies it ", "dim"))
    return Line(justify((Run(" = ", "label"), said), copies if command and width >= 60 else (), width), "bar")


def too_small_lines(columns: int, rows: int) -> list[Line]:
    """Say how large the window must be."""
    text = (
        f"planscope needs {SMALLEST[0]} columns and {SMALLEST[1]} rows.\n"
        f"This window has {columns} and {rows}.\n"
        f"Make it larger, or press {key_for('quit')} to quit."
    )
    return wrapped(text, max(columns, 1))
