"""A scrolling widget of lines that repaints only the lines that changed.

It draws its own box, so that a new title does not repaint everything; the right border is the scrollbar.
Strips are cached by their content, so that moving back and forth is fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from planscope.tui.style.lines import BLANK, Line, Run, cut, width_of
from planscope.tui.style.painter import Painter

_KEPT_STRIPS = 4000
_TITLE = 15
"""The title keeps at least this many cells beside the note."""


class Windowed(Widget):
    """The base of scrolling widgets. Subclasses set ``lines``, or define them (``size_of``, ``line_at``), and the box
    (``title``, ``note``, ``foot``).

    Lines are numbered from 0 over the whole content; ``top`` is the first visible one. ``inner_width`` is the widget's
    width without its box.
    """

    ALLOW_SELECT = False
    BOX = True

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.top = 0
        self.lines: Sequence[Line] = ()
        self._rows: list[tuple[Line, str]] = []
        self._strips: dict[tuple[Line, str], Strip] = {}
        self._look = (-1, -1)
        self.cells = (0, 0)

    @cached_property
    def paint(self) -> Painter:
        """The application's painter."""
        app: Any = self.app
        found: Painter = app.paint
        return found

    def size_of(self) -> int:
        """Return the number of lines."""
        return len(self.lines)

    def line_at(self, index: int) -> Line:
        return self.lines[index]

    def title(self) -> tuple[Run, ...]:
        return ()

    def note(self) -> tuple[Run, ...]:
        """Return the text at the right of the title."""
        return ()

    def foot(self) -> tuple[Run, ...]:
        """Return the text in the lower border."""
        return ()

    def foot_left(self) -> tuple[Run, ...]:
        """Return the text at the left of the lower border."""
        return ()

    def head(self) -> Line | None:
        """Return a line above the others that does not scroll, such as column names."""
        return None

    def is_current(self) -> bool:
        """Return whether the box is drawn as the current pane."""
        return False

    def clicked(self, index: int, column: int) -> None:
        """Handle a click on a line, ``column`` cells from the content's left edge."""

    # The window

    @property
    def inner_width(self) -> int:
        return max(self.cells[0] - (4 if self.BOX else 0), 0)

    @property
    def window(self) -> int:
        """The number of lines that fit on the screen."""
        return max(self.cells[1] - (2 if self.BOX else 0) - (self.head() is not None), 0)

    def measure(self) -> None:
        """Read the size and cache it in ``cells``, since asking Textual for it is slow."""
        size = self.size
        self.cells = (size.width, size.height)

    def scroll_lines(self, by: int) -> None:
        """Scroll without changing the selection."""
        self.move_to(self.top + by)
        self.sync()

    def reveal(self, first: int, last: int) -> None:
        """Scroll so that the lines are visible, by nearly a whole window to show the lines after them too."""
        window = self.window
        if self.top <= first and last < self.top + window:
            return
        spare = min(window // 4, 3)
        if last - first >= window:
            self.move_to(first)
        elif self.top - window <= first < self.top:
            self.move_to(last - window + 1 + spare)
        else:
            self.move_to(first - spare)

    def move_to(self, top: int) -> None:
        self.top = max(0, min(top, self.size_of() - self.window))

    # Repainting

    @property
    def seen(self) -> bool:
        """Whether the widget is visible and has a size."""
        return self.cells[0] > 0 and self.cells[1] > 0 and self.is_mounted and self.display

    def sync(self) -> None:
        """Repaint the rows that changed."""
        width = self.cells[0]
        look = (self.paint.generation, width)
        rows = self._wanted_rows()
        if look != self._look or len(rows) != len(self._rows):
            self._look = look
            self._strips.clear()
            self._rows = rows
            self.refresh()
            return
        changed = [y for y, (new, old) in enumerate(zip(rows, self._rows, strict=True)) if new != old]
        if changed:
            self._rows = rows
            self.refresh(*(Region(0, y, width, 1) for y in changed))

    def _wanted_rows(self) -> list[tuple[Line, str]]:
        """Return every row of the widget: its line and the kind of its border."""
        size, window, top = self.size_of(), self.window, self.top
        line_at = self.line_at
        body = [line_at(i) for i in range(top, min(top + window, size))]
        body += [BLANK] * (window - len(body))
        head = self.head()
        above = [head] if head is not None else []
        if not self.BOX:
            return [(line, "") for line in above + body]
        active = "on" if self.is_current() else "off"
        first, last = self._thumb(size, window)
        rows = [(self._edge(self.title(), self.note()), f"top {active}")]
        rows += [(line, f"side {active}") for line in above]
        rows += [
            (line, f"thumb {active}" if first <= y < last else f"side {active}")
            for y, line in enumerate(body)
        ]
        rows.append((self._edge(self.foot_left(), self.foot()), f"bottom {active}"))
        return rows

    def _thumb(self, size: int, window: int) -> tuple[int, int]:
        """Return the rows of the scrollbar's thumb; an empty range if all lines fit."""
        if size <= window or window <= 0:
            return (0, 0)
        length = max(1, window * window // size)
        first = (window - length) * self.top // max(size - window, 1)
        return first, first + length

    def _edge(self, left: tuple[Run, ...], right: tuple[Run, ...]) -> Line:
        """Make the upper or lower border with its texts."""
        room = self.cells[0] - 4
        both = left and right
        kept = min(width_of(left), _TITLE) + 2 if both else 0  # in a small box the title comes first
        right = cut(right, room - 2 - kept) if width_of(right) and room - 2 > kept else ()
        left = cut(left, max(room - width_of(right) - (4 if right else 2), 0)) if left else ()
        fill = room + 2 - sum(width_of(part) + 2 for part in (left, right) if part)
        runs: list[Run] = [Run("─" * (1 if left else 0), "frame")]
        if left:
            runs += [Run(" ", "frame"), *left, Run(" ", "frame")]
        runs.append(Run("─" * (fill - (1 if left else 0) - (1 if right else 0)), "frame"))
        if right:
            runs += [Run(" ", "frame"), *right, Run(" ", "frame"), Run("─", "frame")]
        return Line(tuple(run for run in runs if run.text))

    # Painting

    def render_lines(self, crop: Region) -> list[Strip]:
        rows, filters = self._rows, self.paint.filters
        strips = []
        for y in crop.line_range:
            strip = self._strip(rows[y]) if 0 <= y < len(rows) else self._blank()
            for line_filter in filters:
                strip = strip.apply_filter(line_filter, self.paint.background)
            strips.append(strip)
        if crop.column_span != (0, self.cells[0]):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def _blank(self) -> Strip:
        return Strip.blank(self.cells[0], self.paint.style("", ""))

    def _strip(self, row: tuple[Line, str]) -> Strip:
        strip = self._strips.get(row)
        if strip is None:
            if len(self._strips) >= _KEPT_STRIPS:
                self._strips.clear()
            strip = self._strips[row] = self._build(*row)
        return strip

    def _build(self, line: Line, frame: str) -> Strip:
        style = self.paint.style
        if not frame:
            return self.paint.strip(line, self.cells[0])
        part, active = frame.split()
        edge = style("frame-on" if active == "on" else "frame", "")
        if part in ("top", "bottom"):
            ends = "╭╮" if part == "top" else "╰╯"
            runs = [Segment(text, edge if role == "frame" else style(role, "")) for text, role in line.runs]
            return Strip([Segment(ends[0], edge), *runs, Segment(ends[1], edge)], self.cells[0])
        ground = style("", line.ground)
        right = Segment("┃", style("thumb", "")) if part == "thumb" else Segment("│", edge)
        body = self.paint.strip(line, self.inner_width)
        segments = [Segment("│", edge), Segment(" ", ground), *body, Segment(" ", ground), right]
        return Strip(segments, self.cells[0])

    # Mouse

    def line_under(self, event: events.Click) -> tuple[int, int] | None:
        """Return the line and column of a click; None if it hit the box or an empty row."""
        edge = 1 if self.BOX else 0
        first = edge + (self.head() is not None)
        index = self.top + event.y - first
        if first <= event.y < self.cells[1] - edge and index < self.size_of():
            return index, event.x - (2 if self.BOX else 0)
        return None

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_lines(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_lines(-3)
