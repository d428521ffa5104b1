"""The title bar and the key bar of the screens over the debug screen, and the notice in a window that is too small."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events

from planscope.tui.arrangement import SMALLEST
from planscope.tui.keys import key_for
from planscope.tui.messages import KeyHintClicked
from planscope.tui.panes.hints import Hint, key_line
from planscope.tui.panes.windowed import Windowed
from planscope.tui.style.lines import Line, Run, does_at, justify, wrapped


class _Bar(Windowed):
    BOX = False

    def make(self) -> Line:
        raise NotImplementedError

    def show(self) -> None:
        self.measure()
        if self.seen:
            self.lines = [self.make()]
            self.sync()

    def on_resize(self, event: events.Resize) -> None:
        self.show()

    def on_click(self, event: events.Click) -> None:
        if self.lines and (action := does_at(self.lines[0].runs, event.x)):
            self.post_message(KeyHintClicked(action))


class TitleBar(_Bar):
    """One line: the title of the screen, with its status at the right."""

    _parts: tuple[Sequence[Run], Sequence[Run]] = ((), ())

    def set_parts(self, left: Sequence[Run], right: Sequence[Run]) -> None:
        self._parts = (left, right)
        self.show()

    def make(self) -> Line:
        left, right = self._parts
        return Line(justify([Run(" "), *left], [*right, Run(" ")] if right else [], self.cells[0]), "bar")


class KeyBar(_Bar):
    """One line of keys with their actions."""

    def __init__(self, hints: Sequence[Hint], *, id: str) -> None:
        super().__init__(id=id)
        self.hints = hints

    def show_keys(self, hints: Sequence[Hint]) -> None:
        self.hints = hints
        self.show()

    def make(self) -> Line:
        return key_line(self.hints, self.cells[0])


class TooSmallScreen(Windowed):
    """The notice that replaces a screen if the window is too small."""

    BOX = False

    def on_resize(self, event: events.Resize) -> None:
        self.measure()
        self.lines = too_small_lines(*self.app.size, self.inner_width)
        self.sync()


def too_small_lines(columns: int, rows: int, width: int) -> list[Line]:
    """Say how large the window must be."""
    text = (
        f"planscope needs {SMALLEST[0]} columns and {SMALLEST[1]} rows.\n"
        f"This window has {columns} and {rows}.\n"
        f"Make it larger, or press {key_for('quit')} to quit."
    )
    return wrapped(text, max(width, 1))
