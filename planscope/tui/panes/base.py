"""A pane of the debug screen: it is handed states, shows them, and tells the room what was clicked."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from textual import events

from planscope.debugger.selection import Selection
from planscope.tui.messages import EdgeDragged, EdgeDropped, PaneClicked, PaneZoomed
from planscope.tui.panes.windowed import Windowed
from planscope.tui.style.lines import Run
from planscope.tui.style.painter import Painter
from planscope.tui.view import DebugView


class LinePane(Windowed):
    """The base of all panes. ``prepare`` is called with each new state before its lines are asked for."""

    name_in_state = ""
    """The pane's name in ``DebugView.pane``; empty for what cannot be gone to."""

    prepared_for: object = None
    """What the lines were last laid out for; ``prepare`` does it again only when that has changed."""

    _held: tuple[int, int] | None = None
    """Where on the screen the box was taken hold of, while the button is down."""

    _dragged = False

    def __init__(self, paint: Painter, *, id: str) -> None:
        super().__init__(paint, id=id)
        self.state: DebugView | None = None

    def prepare(self, state: DebugView, width: int) -> None:
        """Lay out what does not depend on the window, for a content of so many cells."""
        raise NotImplementedError

    def wanted(self) -> tuple[int, int] | None:
        """The lines (first, last) that must be seen, if any."""
        return None

    def linked_lines(self) -> Sequence[int]:
        """The lines that are lit, sorted."""
        return ()

    def neighbour(self, by: int) -> Selection | None:
        """What to select next, ``by`` lines on from what is selected now; None where nothing can be."""
        return None

    def is_current(self) -> bool:
        return self.state is not None and self.name_in_state != "" and self.state.pane == self.name_in_state

    def show(self, state: DebugView) -> None:
        """Show a state: lines that look the same stay as they are."""
        self.state = state
        if not self.seen or self.inner_width <= 0:
            return
        self.prepare(state, self.inner_width)
        self.move_to(self.top)
        if (wanted := self.wanted()) is not None:
            self.reveal(*wanted)
        self.sync()

    def settle(self) -> None:
        """Scroll to what is lit, where none of it can be seen; done when no key has come for a moment."""
        lit = self.linked_lines() if self.seen else ()
        if lit and self.wanted() is None and not any(self.top <= i < self.top + self.window for i in lit):
            self.reveal(lit[0], lit[0])
            self.sync()

    def where_in_all(self) -> tuple[Run, ...]:
        """For the lower edge: which lines are seen, and how many that are lit lie beyond them."""
        size, window = self.size_of(), self.window
        if size <= window:
            return ()
        lit = self.linked_lines()
        above = bisect_left(lit, self.top)
        below = len(lit) - bisect_left(lit, self.top + window)
        runs = []
        if above:
            runs.append(Run(f"▲ {above} linked  ", "mark"))
        if below:
            runs.append(Run(f"▼ {below} linked  ", "mark"))
        runs.append(Run(f"{self.top + 1} to {min(self.top + window, size)} of {size:,}", "dim"))
        return tuple(runs)

    def on_resize(self, event: events.Resize) -> None:
        self.measure()
        if self.state is not None:
            self.show(self.state)

    def on_show(self, event: events.Show) -> None:
        self.measure()
        if self.state is not None:
            self.show(self.state)

    # Its box is dragged to make it larger or smaller

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._dragged = False
        width, height = self.cells
        on_box = event.x in (0, width - 1) or event.y in (0, height - 1)
        if self.BOX and on_box and event.button == 1:
            self._held = (event.screen_x, event.screen_y)
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        place = (event.screen_x, event.screen_y)
        if self._held is not None and (self._dragged or place != self._held):
            self._dragged = True
            self.post_message(EdgeDragged(self._held, place))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._held is not None:
            self._held = None
            self.release_mouse()
            if self._dragged:
                self.post_message(EdgeDropped())

    def on_click(self, event: events.Click) -> None:
        if self._dragged:
            return
        if event.chain == 2:
            self.post_message(PaneZoomed(self.name_in_state))
            return
        self.post_message(PaneClicked(self.name_in_state))
        if (place := self.line_under(event)) is not None:
            self.clicked(*place)
