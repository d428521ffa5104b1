"""A scrolling widget of lines that repaints only the cells that changed.

It draws its own frame, so that a new title does not repaint everything: a line above with the title, and a line at the
left if another pane is there. The focused pane has a scrollbar. Strips are cached by their content, so that moving back
and forth is fast. Text is selected with the mouse.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Offset, Region
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from planscope.tui.style.lines import BLANK, Line, Run, alike, cut, width_of
from planscope.tui.style.painter import Painter

_KEPT_STRIPS = 4000
_TITLE = 15
"""The title keeps at least this many cells beside the note."""
_SELECTED = Style(reverse=True)
_NARROW = re.compile("[ -~─│]*")


class Windowed(Widget):
    """The base of scrolling widgets. Subclasses set ``lines``, or define them (``size_of``, ``line_at``), and the frame
    (``title``, ``note``, ``foot``, ``tail``).

    Lines are numbered from 0 over the whole content; ``top`` is the first visible one. ``inner_width`` is the widget's
    width without its frame. ``edge`` is 1 if a line stands at the left, between this pane and another.
    """

    ALLOW_SELECT = False
    """Textual's selection would need an offset in each piece of a line, and goes on into other panes."""
    BOX = True

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.top = 0
        self.lines: Sequence[Line] = ()
        self.tail: Sequence[Line] = ()
        self._rows: list[tuple[Line, str]] = []
        self._displayed: list[Strip] = []
        self._strips: dict[tuple[Line, str], Strip] = {}
        self._look = (-1, -1, -1)
        self.cells = (0, 0)
        self.edge = 0
        self._held: Offset | None = None
        self.dragged = False
        self._selected: Selection | None = None

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
        """Return what is said of the visible part, behind the note."""
        return ()

    def head(self) -> Line | None:
        """Return a line above the others that does not scroll, such as column names."""
        return None

    def is_current(self) -> bool:
        """Return whether the frame is drawn as that of the current pane."""
        return False

    def clicked(self, index: int, column: int) -> None:
        """Handle a click on a line, ``column`` cells from the content's left edge."""

    # The window

    @property
    def inner_width(self) -> int:
        return max(self.cells[0] - (2 + self.edge if self.BOX else 0), 0)

    @property
    def window(self) -> int:
        """The number of lines that fit on the screen."""
        return max(self.cells[1] - self.BOX - (self.head() is not None) - len(self.tail), 0)

    def measure(self) -> None:
        """Read the size and cache it in ``cells``, since asking Textual for it is slow."""
        size = self.size
        self.cells = (size.width, size.height)
        self.edge = int(self.BOX and self.region.x > 0)

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
        """Repaint the cells that changed."""
        look = (self.paint.generation, self.cells[0], self.edge)
        rows = self._wanted_rows()
        if look != self._look or len(rows) != len(self._rows):
            self._look = look
            self._strips.clear()
            self._rows, self._displayed = rows, [self._strip(row) for row in rows]
            self.refresh()
            return
        changed = []
        for y, (new, old) in enumerate(zip(rows, self._rows, strict=True)):
            if new != old:
                strip = self._strip(new)
                if (span := changed_cells(self._displayed[y], strip)) is not None:
                    changed.append(Region(span[0], y, span[1] - span[0], 1))
                    self._displayed[y] = strip
        self._rows = rows
        if changed:
            if self._selected is not None and self._held is None:
                self.screen.clear_selection()
            self._repaint_regions.update(changed)
            screen: Any = self.screen
            screen.repaint(self)

    def _wanted_rows(self) -> list[tuple[Line, str]]:
        """Return every row of the widget: its line and its part of the frame."""
        size, window, top = self.size_of(), self.window, self.top
        line_at = self.line_at
        body = [line_at(i) for i in range(top, min(top + window, size))]
        body += [BLANK] * (window - len(body))
        head = self.head()
        above = [head] if head is not None else []
        if not self.BOX:
            return [(line, "") for line in (*above, *body, *self.tail)]
        current = self.is_current()
        active = "on" if current else "off"
        first, last = self._thumb(size, window) if current else (0, 0)
        parts = (tuple(part) for part in (self.title(), self.note(), self.foot()))
        rows = [(rule_line(*parts, self.cells[0] - self.edge - 2, current), f"top {active}")]
        rows += [(line, f"side {active}") for line in above]
        rows += [
            (line, f"thumb {active}" if first <= y < last else f"side {active}")
            for y, line in enumerate(body)
        ]
        return rows + [(line, f"side {active}") for line in self.tail]

    def _thumb(self, size: int, window: int) -> tuple[int, int]:
        """Return the rows of the scrollbar's thumb; an empty range if all lines fit."""
        if size <= window or window <= 0:
            return (0, 0)
        length = max(1, window * window // size)
        first = (window - length) * self.top // max(size - window, 1)
        return first, first + length

    # Painting

    def render_lines(self, crop: Region) -> list[Strip]:
        strips = self._displayed[max(crop.y, 0) : crop.bottom]
        if missing := crop.height - len(strips):
            strips += [Strip.blank(self.cells[0], self.paint.style("", ""))] * missing
        if self._selected is not None:
            spans = ((strip, self._selected.get_span(y)) for y, strip in enumerate(strips, crop.y))
            strips = [self._with_selection(one, *self._of_text(span)) if span else one for one, span in spans]
        if crop.column_span != (0, self.cells[0]):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

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
        rule = style("frame-on" if active == "on" else "frame", "")
        if part == "top":
            runs = [
                Segment(text, rule if role == "frame" else style(role, "")) for text, role, _ in line.runs
            ]
            return Strip([Segment("┬" * self.edge, rule), *runs], self.cells[0])
        ground = style("", line.ground)
        right = Segment("┃", style("thumb", "")) if part == "thumb" else Segment(" ", ground)
        body = self.paint.strip(line, self.inner_width)
        return Strip([Segment("│" * self.edge, rule), Segment(" ", ground), *body, right], self.cells[0])

    # Selecting text

    def _with_selection(self, strip: Strip, first: int, last: int) -> Strip:
        picked = [Segment(text, (style or Style()) + _SELECTED) for text, style, _ in strip.crop(first, last)]
        return Strip.join([strip.crop(0, first), Strip(picked), strip.crop(last)])

    def _of_text(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return the part of a selected span that is within the frame; its end is -1 for a whole line."""
        left = self.edge + 1 if self.BOX else 0
        right = left + self.inner_width
        return max(span[0], left), right if span[1] < 0 else min(max(span[1], left), right)

    def selection_updated(self, selection: Selection | None) -> None:
        self._selected = selection
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        spans = ((row, selection.get_span(y)) for y, row in enumerate(self._rows))
        texts = (self._strip(row).crop(*self._of_text(span)).text for row, span in spans if span is not None)
        return "\n".join(text.rstrip() for text in texts), "\n"

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.dragged = False
        if event.button == 1:
            self._held = event.offset
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._held is not None and (self.dragged or event.offset != self._held):
            self.dragged = True
            self.drag(self._held, event)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._held is not None:
            self.release()

    def release(self) -> None:
        """End a drag."""
        self._held = None
        self.release_mouse()

    def drag(self, start: Offset, event: events.MouseMove) -> None:
        """Select the text from where the mouse button went down to where it is."""
        rows = (self.BOX, max(self.cells[1] - 1, 0))
        a, b = sorted((start, event.offset), key=lambda at: (at.y, at.x))
        places = [Offset(at.x, min(max(at.y, rows[0]), rows[1])) for at in (a, b + Offset(1, 0))]
        from planscope.tui.messages import TextMarked

        self.post_message(TextMarked(self, Selection(*places)))

    # Mouse

    def line_under(self, event: events.Click) -> tuple[int, int] | None:
        """Return the line and column of a click; None if it hit the frame or an empty row, or ends a drag."""
        first = self.BOX + (self.head() is not None)
        index = self.top + event.y - first
        if not self.dragged and first <= event.y < first + self.window and index < self.size_of():
            return index, event.x - (1 + self.edge if self.BOX else 0)
        return None

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_lines(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_lines(-3)


@lru_cache(maxsize=200)
def rule_line(
    left: tuple[Run, ...], note: tuple[Run, ...], foot: tuple[Run, ...], room: int, current: bool
) -> Line:
    """Make the line above a pane: its title and, if there is room, its note and what part is visible."""
    both = (*note, Run(" · ", "dim"), *foot) if note and foot else note or foot
    fits = width_of(both) + width_of(left) + 4 <= room
    right = both if fits else foot if current and foot else note or foot
    kept = min(width_of(left), _TITLE) + 2 if left and right else 0  # in a small pane the title comes first
    right = cut(right, room - 2 - kept) if right and room - 2 > kept else ()
    left = cut(left, max(room - width_of(right) - (4 if right else 2), 0)) if left else ()
    fill = room + 2 - sum(width_of(part) + 2 for part in (left, right) if part)
    runs: list[Run] = [Run("─", "frame"), Run(" ", "frame"), *left, Run(" ", "frame")] if left else []
    runs.append(Run("─" * (fill - bool(left) - bool(right)), "frame"))
    if right:
        runs += [Run(" ", "frame"), *right, Run(" ─", "frame")]
    return Line(tuple(run for run in runs if run.text))


def changed_cells(old: Strip, new: Strip) -> tuple[int, int] | None:
    """Return the first cell that differs and the one after the last; None if none differs."""
    a, b = list(old), list(new)
    first = 0
    while a and b and a[0] == b[0]:
        first += a.pop(0).cell_length
        b.pop(0)
    if not a and not b:
        return None
    last = new.cell_length
    while a and b and a[-1] == b[-1]:
        last -= a.pop().cell_length
        b.pop()
    if a and b:
        first += _alike(a[0], b[0])
        last -= _alike(a[-1], b[-1], -1)
    return first, max(last, first + 1)


def _alike(a: Segment, b: Segment, way: int = 1) -> int:
    """Return how many characters of one cell two pieces have in common at their start, or at their end (-1)."""
    if a.style != b.style or not (_NARROW.fullmatch(a.text) and _NARROW.fullmatch(b.text)):
        return 0
    return alike(a.text[::way], b.text[::way])
