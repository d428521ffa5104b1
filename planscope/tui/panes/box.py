"""A box of lines with a title, for the screens other than the debug screen. The screen supplies the lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from planscope.tui.panes.windowed import Windowed
from planscope.tui.style.lines import Line, Run


@dataclass
class LineClicked(Message):
    """A line of a box was clicked. ``box``: the id of the box. ``again``: it was a double click."""

    box: str
    index: int
    column: int
    again: bool


class WidthChanged(Message):
    """The width of a box changed, so its lines must be made again."""


class BoxPane(Windowed):
    """Lines in a box. ``current``: the frame is drawn as that of the pane with the focus.

    Each update passes all lines; only rows that changed are repainted.
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.current = False
        self._edges: tuple[tuple[Run, ...], tuple[Run, ...]] = ((), ())

    def set_content(
        self,
        lines: Sequence[Line] | int,
        make: Callable[[int], Line] | None = None,
        *,
        title: Sequence[Run] = (),
        note: Sequence[Run] = (),
        current: bool = False,
        reveal: int | None = None,
        head: Line | None = None,
    ) -> None:
        """Show lines, or so many that ``make`` makes when they are displayed. ``reveal``: a line to scroll to.

        ``head``: a line above the others that does not scroll and is not counted.
        """
        self._made_for = self.cells[0]
        self.lines, self._count = ((), lines) if isinstance(lines, int) else (lines, len(lines))
        self._make = make or self.lines.__getitem__
        self._head = head
        self._edges = (tuple(title), tuple(note))
        self.current = current
        self._wanted = reveal
        self._show()

    def size_of(self) -> int:
        return self._count

    def line_at(self, index: int) -> Line:
        return self._make(index)

    _made_for = _count = 0
    _wanted: int | None = None
    _head: Line | None = None

    def head(self) -> Line | None:
        return self._head

    def _show(self) -> None:
        self.measure()
        if not self.seen:
            return
        self.move_to(self.top)
        if self._wanted is not None:
            self.reveal(self._wanted, self._wanted)
        self.sync()

    def scroll_round(self) -> None:
        """Scroll by a page; at the end, go back to the start."""
        at_end = self.top + self.window >= self.size_of()
        self.scroll_lines(-self.size_of() if at_end else max(self.window - 1, 1))

    def title(self) -> tuple[Run, ...]:
        return self._edges[0]

    def note(self) -> tuple[Run, ...]:
        return self._edges[1]

    def foot(self) -> tuple[Run, ...]:
        size, last = self._count, self.top + self.window
        said = f"{self.top + 1} to {min(last, size)} of {size:,}" if size > self.window else ""
        return (Run(said, "dim"),) if said else ()

    def is_current(self) -> bool:
        return self.current

    def on_show(self) -> None:
        self.on_resize()

    def on_resize(self) -> None:
        self._show()
        if self.seen and self.cells[0] != self._made_for:
            self._made_for = self.cells[0]
            self.post_message(WidthChanged())

    def on_click(self, event: events.Click) -> None:
        if (place := self.line_under(event)) is not None:
            self.post_message(LineClicked(self.id or "", *place, event.chain == 2))
