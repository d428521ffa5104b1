"""The text that is being written, with caret and selection; names, relations, errors and contradictions marked."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

from textual import events
from textual.geometry import Offset
from textual.message import Message

from planscope.debugger.draft_typing import Edited
from planscope.tui.lines import Line, Run, width_of
from planscope.tui.paint import Paint
from planscope.tui.panes.edit_layout import TextLayout, places, shown_line
from planscope.tui.panes.query import Painted, painted_runs
from planscope.tui.panes.windowed import Windowed

_LONGEST_SPAN = 4_000
"""Longer ranges are not marked: nobody would see where they begin."""

_CARET, _SELECTED = "picked", "brand"


class TextPointed(Message):
    """The mouse was pressed on the text, or dragged over it (``select``); ``word``: pressed twice."""

    def __init__(self, at: int, select: bool, word: bool) -> None:
        super().__init__()
        self.at = at
        self.select = select
        self.word = word


class EditorPane(Windowed):
    """Shows what it is given; keys are the room's. ``layout_of_text`` says where things are."""

    def __init__(self, paint: Paint, *, id: str) -> None:
        super().__init__(paint, id=id)
        self.layout_of_text = TextLayout("", 1)
        self.current = False
        self._edited: Edited | None = None
        self._painted: list[Painted] = []
        self._longest = 0
        self._typing = True
        self._dragged = False

    def show(self, edited: Edited, painted: Sequence[Painted], *, typing: bool, current: bool) -> None:
        """``painted``: later ones lie over earlier ones. The caret is brought into sight where it moved."""
        moved = self._edited is None or self._edited.at != edited.at or self._edited.text != edited.text
        self._edited = edited
        kept = [part for part in painted if part[1] - part[0] <= _LONGEST_SPAN]
        self._painted = sorted(kept, key=lambda part: part[0])  # stable: what lies over what stays so
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
        """The layout of a text that is about to be shown, or is: keys go by it, also where nothing is seen."""
        width = max(self.inner_width - 1, 1)  # a cell for the caret at the end of a full line
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
        """What is painted on a line, counted from its beginning."""
        at = bisect_left(self._painted, (start - self._longest, 0, ""))
        parts = []
        while at < len(self._painted) and self._painted[at][0] < end:
            a, b, role = self._painted[at]
            if b > start:
                parts.append((max(a, start) - start, min(b, end) - start, role))
            at += 1
        return sorted(parts, key=lambda part: _RANKS.get(part[2], 0))

    def title(self) -> tuple[Run, ...]:
        return (Run("1", "number"), Run(" Request", "title"))

    def foot(self) -> tuple[Run, ...]:
        if self._edited is None or not self._typing:
            return ()
        text, at = self._edited.text, self._edited.at
        line = text.count("\n", 0, at) + 1
        return (Run(f"line {line}, column {at - text.rfind(chr(10), 0, at)}", "dim"),)

    def is_current(self) -> bool:
        return self.current

    def caret_on_screen(self) -> Offset:
        """The cell of the screen on which the caret stands."""
        edited, layout = self._edited, self.layout_of_text
        if edited is None or layout.text != edited.text:
            return Offset(0, 0)  # not laid out yet
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
"""What lies over what."""


@lru_cache(maxsize=1024)
def _line(text: str, painted: tuple[Painted, ...], caret: int, width: int) -> Line:
    """A line of the text. ``caret``: the code point that it stands on, behind the last one too; -1 for none."""
    shown = shown_line(text)
    if caret >= 0:
        cells = places(text)
        behind = caret >= len(text) or cells[caret] >= width
        painted = painted if behind else (*painted, (caret, _step(cells, caret), _CARET))
    runs = painted_runs(shown, 0, len(text), painted) if text else []
    if caret >= 0 and behind:
        runs = [*_within(runs, width), Run(" ", _CARET)]
    return Line(tuple(runs))


def _step(cells: Sequence[int], at: int) -> int:
    """The end of what stands at a code point: marks belong to their letter."""
    end = at + 1
    while end < len(cells) - 1 and cells[end + 1] == cells[end]:
        end += 1
    return end


def _within(runs: Sequence[Run], width: int) -> list[Run]:
    """Blanks that hang over the line's edge make way for the caret."""
    kept = list(runs)
    over = width_of(kept) - width
    while over > 0 and kept:
        text, role = kept.pop()
        if len(text) > over:
            kept.append(Run(text[:-over], role))
        over -= len(text)
    return kept
