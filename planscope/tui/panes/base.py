"""The base of the panes of the debug screen: a pane shows a state and posts a message when it is clicked."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from textual import events
from textual.geometry import Offset

from planscope.debugger.selection import Selection
from planscope.tui.messages import EdgeDragged, PaneClicked, PaneResized, Picked
from planscope.tui.panes.windowed import Windowed
from planscope.tui.style.lines import Run
from planscope.tui.view import DebugView


class LinePane(Windowed):
    """The base of all panes. ``show`` calls ``prepare`` with each new state before it reads the lines.

    A pane of things that can be selected sets ``items``, and ``chosen`` and ``lit``: the numbers of the selected one
    and of those linked with the selection.
    """

    name_in_state = ""
    """The pane's name in ``DebugView.pane``; empty if the pane cannot be selected."""
    head_words = ""
    """The pane's digit and title."""
    prepared_for: object = None
    """The inputs of the last layout; ``prepare`` lays the lines out again only if they differ."""
    items: Sequence[Selection] = ()
    chosen: int | None = None
    lit: Sequence[int] = ()
    high = 1
    """The lines of an item."""

    def __init__(self, state: DebugView, *, id: str) -> None:
        super().__init__(id=id)
        self.state = state

    def prepare(self, state: DebugView, width: int) -> None:
        """Lay out the lines of a state for a content ``width`` cells wide."""
        raise NotImplementedError

    def lines_of(self, item: int) -> tuple[int, int]:
        """Return the first and the last line of an item, by its number."""
        return item * self.high, item * self.high + self.high - 1

    def item_at(self, line: int) -> int:
        """Return the number of the item on a line."""
        return line // self.high

    def wanted(self) -> tuple[int, int] | None:
        """Return the first and last line that must be visible, or None."""
        return self.lines_of(self.chosen) if self.chosen is not None else None

    def rows_wanted(self) -> int:
        """Return the rows that the whole content fills, with the line above it."""
        return self.size_of() + self.cells[1] - self.window

    def linked_lines(self) -> Sequence[int]:
        """Return the numbers of the highlighted lines, sorted."""
        return sorted(self.lines_of(item)[0] for item in self.lit)

    def neighbour(self, by: int) -> Selection | None:
        """Return the selection ``by`` items after the current one; None if the pane has none."""
        if not self.items:
            return None
        last = len(self.items) - 1
        first = self.lit[0] if self.lit else 0 if by > 0 else last
        at = first if self.chosen is None else self.chosen + by
        return self.items[min(max(at, 0), last)]

    def clicked(self, index: int, column: int) -> None:
        item = self.item_at(index)
        if item < len(self.items) and index <= self.lines_of(item)[1]:
            self.post_message(Picked(self.items[item]))

    def title(self) -> tuple[Run, ...]:
        digit = self.head_words[:1] if self.name_in_state else ""
        return (Run(digit, "number"), Run(self.head_words.removeprefix(digit), "title"))

    def is_current(self) -> bool:
        return self.name_in_state != "" and self.state.pane == self.name_in_state

    def show(self, state: DebugView) -> None:
        """Show a state; only lines that changed are repainted."""
        self.state = state
        if not self.seen or self.inner_width <= 0:
            return
        self.prepare(state, self.inner_width)
        self.move_to(self.top)
        if (wanted := self.wanted()) is not None:
            self.reveal(*wanted)
        self.sync()

    def settle(self) -> None:
        """Scroll to the first highlighted line if none is visible. The screen calls this after a pause in typing."""
        lit = self.linked_lines() if self.seen else ()
        if lit and self.wanted() is None and not any(self.top <= i < self.top + self.window for i in lit):
            self.reveal(lit[0], lit[0])
            self.sync()

    def foot(self) -> tuple[Run, ...]:
        """Return which lines are visible, and the number of highlighted lines outside them."""
        size, window = self.size_of(), self.window
        if size <= window:
            return ()
        lit = self.linked_lines()
        above = bisect_left(lit, self.top)
        below = len(lit) - bisect_left(lit, self.top + window)
        runs = [
            Run(f"{sign} {count} linked  ", "mark") for sign, count in (("▲", above), ("▼", below)) if count
        ]
        first, last, most = (
            self.item_at(i) + 1 for i in (self.top, min(self.top + window, size) - 1, size - 1)
        )
        return (*runs, Run(f"{first} to {last} of {most:,}", "dim"))

    def on_resize(self, event: events.Resize) -> None:
        self.on_show()
        self.post_message(PaneResized())

    def on_show(self) -> None:
        self.measure()
        self.show(self.state)

    # Dragging the frame resizes the pane; elsewhere a drag selects text

    _by_frame = False

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._by_frame = event.y == 0 or event.x < self.edge or event.x == self.cells[0] - 1

    def drag(self, start: Offset, event: events.MouseMove) -> None:
        if not self._by_frame:
            super().drag(start, event)
            return
        x, y = self.region.offset
        self.post_message(EdgeDragged((start.x + x, start.y + y), (event.screen_x, event.screen_y)))

    def release(self) -> None:
        super().release()
        if self._by_frame and self.dragged:
            self.post_message(EdgeDragged((0, 0)))

    def on_click(self, event: events.Click) -> None:
        if self.dragged:
            return
        again = event.chain == 2
        self.post_message(PaneClicked(self.name_in_state, again))
        if not again and (place := self.line_under(event)) is not None:
            self.clicked(*place)


def nothing(state: DebugView) -> str:
    """Say why there is no tree and no constraint."""
    if state.errors:
        return "Not read: see pane 1."
    return "reading…" if state.progress == "reading" else "No query and no rules."
