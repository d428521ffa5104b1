"""The text editor: the layout of the text, the widget that shows it, and the completion popup.

Textual's ``TextArea`` is not used: it turns some control characters into newlines, misplaces the caret near
characters that are shown by name, and repaints marks only after a key press.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from textual import events
from textual.geometry import Offset
from textual.message import Message

from planscope.debugger.completion import Completion
from planscope.debugger.draft_typing import Edited
from planscope.safe import Shown, cell_width, char_width, show
from planscope.tui.panes.query import Painted, painted_runs
from planscope.tui.panes.windowed import Windowed
from planscope.tui.style.lines import Line, Run, justify, shown, width_of

# The layout. Unlike in read-only text, nothing is left out: every code point belongs to exactly one line, blanks at a
# line's end extend over its edge, and a newline belongs to the line that it ends.

_TOKEN = re.compile(r"[ \t]{1,8}|[ \t]{9,}|[^ \t]+")
"""A word or a row of blanks; more than 8 blanks are wrapped like a word."""

_SHORT = 1_000
"""Results for longer lines are not cached, to limit memory."""


class TextLayout:
    """The lines of a text wrapped to a width in cells.

    ``starts``: the offset of each line's first code point. A text that ends in a newline has an empty last line
    for the caret.
    """

    def __init__(self, text: str, width: int) -> None:
        self.text = text
        self.width = max(width, 1)
        self.starts: list[int] = []
        begin = 0
        for paragraph in text.split("\n"):
            self.starts += [begin + at for at in _breaks(paragraph, self.width)]
            begin += len(paragraph) + 1

    def __len__(self) -> int:
        return len(self.starts)

    def line_of(self, at: int) -> int:
        """Return the line of the caret at an offset."""
        return max(bisect_right(self.starts, at) - 1, 0)

    def span(self, line: int) -> tuple[int, int]:
        """Return the range of a line, without its final newline."""
        start = self.starts[line]
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        return start, end - 1 if end > start and self.text[end - 1] == "\n" else end

    def last_caret(self, line: int) -> int:
        """Return the last caret offset on a line: its end, or one less if the paragraph continues on the next line."""
        start, end = self.span(line)
        goes_on = line + 1 < len(self.starts) and self.starts[line + 1] == end
        return max(end - 1, start) if goes_on else end

    def column(self, at: int) -> int:
        """Return the column of a code point in its line, at most the width."""
        line = self.line_of(at)
        start, end = self.span(line)
        return min(places(self.text[start:end])[at - start], self.width)

    def offset_at(self, line: int, column: int) -> int:
        """Return the caret offset on a line that is nearest to a column."""
        line = min(max(line, 0), len(self.starts) - 1)
        start, end = self.span(line)
        cells = places(self.text[start:end])
        at = bisect_left(cells, column)
        if at == len(cells) or (at and cells[at] - column > column - cells[at - 1]):
            at -= 1
        while at > 0 and cells[at - 1] == cells[at] and at < len(cells) - 1:
            at -= 1  # before a letter with its combining marks, not between them
        return min(start + at, self.last_caret(line))


def places(line: str) -> tuple[int, ...]:
    """Return the column of each code point of a line, then the column after its end."""
    return _places(line) if len(line) <= _SHORT else _places.__wrapped__(line)


def shown_line(line: str) -> Shown:
    """Return the displayed form of a line."""
    return _shown_line(line) if len(line) <= _SHORT else show(line)


@lru_cache(maxsize=2048)
def _places(line: str) -> tuple[int, ...]:
    what = shown_line(line)
    if what.starts is None and what.text.isascii():
        return tuple(range(len(line) + 1))
    widths = {char: char_width(char) for char in set(what.text)}
    cells = tuple(accumulate(map(widths.__getitem__, what.text), initial=0))
    return cells if what.starts is None else tuple(map(cells.__getitem__, what.starts))


@lru_cache(maxsize=2048)
def _shown_line(line: str) -> Shown:
    return show(line)


def _breaks(paragraph: str, width: int) -> tuple[int, ...]:
    """Return the offsets at which the wrapped lines of a paragraph begin."""
    kept = len(paragraph) <= 10 * _SHORT
    return _breaks_of(paragraph, width) if kept else _breaks_of.__wrapped__(paragraph, width)


@lru_cache(maxsize=1024)
def _breaks_of(paragraph: str, width: int) -> tuple[int, ...]:
    cells = None if paragraph.isascii() and paragraph.isprintable() else places(paragraph)
    starts = [0]
    edge = 0  # the column at which the current line begins
    for token in _TOKEN.finditer(paragraph):
        first, last = token.span()
        begin, end = (first, last) if cells is None else (cells[first], cells[last])
        blank = paragraph[first] in " \t" and last - first <= 8
        if end - edge <= width or blank:
            continue
        if first > starts[-1]:
            starts.append(first)
            edge = begin
        while end - edge > width:
            over = edge + width
            at = max(over if cells is None else bisect_right(cells, over) - 1, starts[-1] + 1)
            while cells is not None and at < last and cells[at + 1] == cells[at]:
                at += 1  # combining marks stay with their letter
            at = min(at, last)
            if at >= last:
                break
            starts.append(at)
            edge = at if cells is None else cells[at]
    return tuple(starts)


# The text

_LONGEST_SPAN = 4_000
"""Longer ranges are not marked, since their start would be off the screen."""

_CARET, _SELECTED = "picked", "brand"


@dataclass
class TextPointed(Message):
    """The mouse was pressed on the text. ``select``: it was dragged. ``word``: it was a double click."""

    at: int
    select: bool
    word: bool


class TextEditor(Windowed):
    """Shows the edited text; the screen handles the keys. ``layout_of_text``: the layout of the shown text."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.layout_of_text = TextLayout("", 1)
        self.current = False
        self._edited: Edited | None = None
        self._painted: list[Painted] = []
        self._longest = 0
        self._typing = True
        self._dragged = False

    def show(self, edited: Edited, painted: Sequence[Painted], *, typing: bool, current: bool) -> None:
        """Show the edited text and scroll to the caret if it moved. In ``painted``, later ranges cover earlier ones."""
        moved = self._edited is None or self._edited.at != edited.at or self._edited.text != edited.text
        self._edited = edited
        kept = [part for part in painted if part[1] - part[0] <= _LONGEST_SPAN]
        self._painted = sorted(kept, key=lambda part: part[0])  # a stable sort keeps later ranges on top
        self._longest = max((end - start for start, end, _ in kept), default=0)
        self._typing = typing
        self.current = current
        self._lay_out(moved)

    def _lay_out(self, moved: bool) -> None:
        self.measure()
        if self._edited is None:
            return
        self.laid_out(self._edited.text)
        if not self.seen:
            return
        if moved:
            line = self.layout_of_text.line_of(self._edited.at)
            self.move_to(min(max(self.top, line - self.window + 1), line))
        else:
            self.move_to(self.top)
        self.sync()

    def laid_out(self, text: str) -> TextLayout:
        """Return the layout of a text. Keys need it even while the editor is hidden."""
        width = max(self.inner_width - 1, 1)  # leaves a cell for the caret at the end of a full line
        if self.layout_of_text.text != text or self.layout_of_text.width != width:
            self.layout_of_text = TextLayout(text, width)
        return self.layout_of_text

    def size_of(self) -> int:
        return len(self.layout_of_text)

    def line_at(self, index: int) -> Line:
        edited, layout = self._edited, self.layout_of_text
        assert edited is not None
        start, end = layout.span(index)
        painted = list(self._parts(start, end))
        first, last = edited.selection
        if first < last and first <= end and start < last:
            painted.append((max(first, start) - start, min(last, end) - start, _SELECTED))
        caret = -1
        if self._typing and layout.line_of(edited.at) == index:
            caret = edited.at - start
        return _line(layout.text[start:end], tuple(painted), caret, layout.width)

    def _parts(self, start: int, end: int) -> list[Painted]:
        """Return the painted ranges of a line, relative to its start."""
        at = bisect_left(self._painted, (start - self._longest, 0, ""))
        parts = []
        while at < len(self._painted) and self._painted[at][0] < end:
            a, b, role = self._painted[at]
            if b > start:
                parts.append((max(a, start) - start, min(b, end) - start, role))
            at += 1
        return sorted(parts, key=lambda part: _RANKS.get(part[2], 0))

    def title(self) -> tuple[Run, ...]:
        return (Run("1", "number"), Run(" Query", "title"))

    def foot(self) -> tuple[Run, ...]:
        if self._edited is None or not self._typing:
            return ()
        text, at = self._edited.text, self._edited.at
        line = text.count("\n", 0, at) + 1
        return (Run(f"line {line}, column {at - text.rfind(chr(10), 0, at)}", "dim"),)

    def is_current(self) -> bool:
        return self.current

    def caret_on_screen(self) -> Offset:
        """Return the screen position of the caret."""
        edited, layout = self._edited, self.layout_of_text
        if edited is None or layout.text != edited.text:
            return Offset(0, 0)  # the editor is not laid out yet
        row = layout.line_of(edited.at) - self.top
        return Offset(self.region.x + 2 + layout.column(edited.at), self.region.y + 1 + row)

    # Mouse

    def _offset_under(self, event: events.MouseEvent) -> int:
        return self.layout_of_text.offset_at(self.top + event.y - 1, max(event.x - 2, 0))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.button != 1:
            return
        self._dragged = True
        self.capture_mouse()
        self.post_message(TextPointed(self._offset_under(event), event.shift, False))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragged:
            self.post_message(TextPointed(self._offset_under(event), True, False))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._dragged:
            self._dragged = False
            self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        if event.chain == 2:
            self.post_message(TextPointed(self._offset_under(event), False, True))

    def on_resize(self, event: events.Resize) -> None:
        self._lay_out(True)

    def on_show(self, event: events.Show) -> None:
        self._lay_out(True)


_RANKS = {"action": 0, "relation": 0, "core-words": 1, "lit": 2, "lit-core": 2, "wrong-words": 3}
"""A range with a higher rank covers those with a lower one."""


@lru_cache(maxsize=1024)
def _line(text: str, painted: tuple[Painted, ...], caret: int, width: int) -> Line:
    """Make a line of the text. ``caret``: the offset of the caret in it, or -1 if the caret is elsewhere."""
    what = shown_line(text)
    if caret >= 0:
        cells = places(text)
        behind = caret >= len(text) or cells[caret] >= width
        painted = painted if behind else (*painted, (caret, _step(cells, caret), _CARET))
    runs = painted_runs(what, 0, len(text), painted) if text else []
    if caret >= 0 and behind:
        runs = [*_within(runs, width), Run(" ", _CARET)]
    return Line(tuple(runs))


def _step(cells: Sequence[int], at: int) -> int:
    """Return the end of the character at an offset, including its combining marks."""
    end = at + 1
    while end < len(cells) - 1 and cells[end + 1] == cells[end]:
        end += 1
    return end


def _within(runs: Sequence[Run], width: int) -> list[Run]:
    """Cut the blanks beyond the line's edge to make room for the caret."""
    kept = list(runs)
    over = width_of(kept) - width
    while over > 0 and kept:
        text, role, _ = kept.pop()
        if len(text) > over:
            kept.append(Run(text[:-over], role))
        over -= len(text)
    return kept


# Completion

_MOST_SEEN = 9
_WIDEST = 56
_KINDS = {"action": "action", "phrase": "words", "time": "hour", "mark": "mark"}


@dataclass
class OfferClicked(Message):
    """The completion with this number was clicked."""

    number: int


class CompletionPopup(Windowed):
    """Shows the completions; the screen handles the keys."""

    BOX = False

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._found = Completion()
        self._at = 0

    def offer(self, found: Completion | None, at: int, caret: Offset) -> None:
        """Show completions below the caret, or above it if there is more room; None hides the popup."""
        if found is None or not found.offers:
            self.display = False
            return
        self._found, self._at = found, at
        screen = self.app.size
        texts = max(cell_width(shown(offer.text, 60)) for offer in found.offers)
        width = min(max(texts + 13, 22), _WIDEST, screen.width - 2)
        below = screen.height - caret.y - 2
        above = caret.y - 1
        height = min(len(found.offers), _MOST_SEEN, max(below, above))
        y = caret.y + 1 if below >= height or below >= above else caret.y - height
        x = max(min(caret.x - 2, screen.width - width - 1), 0)
        self.styles.width, self.styles.height = width, height
        self.styles.offset = (x, y)
        self.display = True
        self._show()

    def _show(self) -> None:
        self.measure()
        if self.seen:
            self.move_to(self.top)
            self.reveal(self._at, self._at)
            self.sync()

    def size_of(self) -> int:
        return len(self._found.offers)

    def line_at(self, index: int) -> Line:
        offer = self._found.offers[index]
        here = index == self._at
        what = "similar spelling" if offer.nearest else _KINDS[offer.kind]
        left = (Run("▶ " if here else "  ", "mark"), Run(shown(offer.text, 60)))
        return Line(justify(left, (Run(f"{what} ", "dim"),), self.inner_width), "cursor" if here else "bar")

    def on_click(self, event: events.Click) -> None:
        if (place := self.line_under(event)) is not None:
            self.post_message(OfferClicked(place[0]))

    def on_resize(self, event: events.Resize) -> None:
        self._show()

    def on_show(self, event: events.Show) -> None:
        self._show()
