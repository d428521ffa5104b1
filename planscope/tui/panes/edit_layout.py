"""Where every code point of a text that is being written stands on the screen.

Unlike for reading, nothing is left out: every code point belongs to exactly one line, blanks at a line's end hang
over its edge, and a newline belongs to the line that it ends.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import accumulate

from planscope.tui.safe_text import Shown, char_width, show

_TOKEN = re.compile(r"[ \t]{1,8}|[ \t]{9,}|[^ \t]+")
"""Words, and blanks, of which a long row is broken as a word is."""

_SHORT = 1_000
"""What is worked out for longer texts is not kept: there may be no end to it."""


class TextLayout:
    """The lines of a text at a width in cells.

    ``starts``: the code point that each line begins with. The caret behind the last code point of a text that ends
    in a newline has a line of its own.
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
        """The line on which the caret stands before a code point."""
        return max(bisect_right(self.starts, at) - 1, 0)

    def span(self, line: int) -> tuple[int, int]:
        """A line's code points, without the newline that ends it."""
        start = self.starts[line]
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        return start, end - 1 if end > start and self.text[end - 1] == "\n" else end

    def last_caret(self, line: int) -> int:
        """The last place of the caret on a line: behind it at a paragraph's end, else before its last code point."""
        start, end = self.span(line)
        goes_on = line + 1 < len(self.starts) and self.starts[line + 1] == end
        return max(end - 1, start) if goes_on else end

    def column(self, at: int) -> int:
        """The cell of its line at which a code point begins; at most the last one that is seen."""
        line = self.line_of(at)
        start, end = self.span(line)
        return min(places(self.text[start:end])[at - start], self.width)

    def offset_at(self, line: int, column: int) -> int:
        """The place of the caret on a line that is nearest to a cell."""
        line = min(max(line, 0), len(self.starts) - 1)
        start, end = self.span(line)
        cells = places(self.text[start:end])
        at = bisect_left(cells, column)
        if at == len(cells) or (at and cells[at] - column > column - cells[at - 1]):
            at -= 1
        while at > 0 and cells[at - 1] == cells[at] and at < len(cells) - 1:
            at -= 1  # before the marks that stand on a letter, not between them
        return min(start + at, self.last_caret(line))


def places(line: str) -> tuple[int, ...]:
    """The cell at which each code point of a line begins, and last the cell behind the line."""
    return _places(line) if len(line) <= _SHORT else _places.__wrapped__(line)


def shown_line(line: str) -> Shown:
    """What is shown for a line of a text."""
    return _shown_line(line) if len(line) <= _SHORT else show(line)


@lru_cache(maxsize=2048)
def _places(line: str) -> tuple[int, ...]:
    shown = shown_line(line)
    if shown.starts is None and shown.text.isascii():
        return tuple(range(len(line) + 1))
    widths = {char: char_width(char) for char in set(shown.text)}
    cells = tuple(accumulate(map(widths.__getitem__, shown.text), initial=0))
    return cells if shown.starts is None else tuple(map(cells.__getitem__, shown.starts))


@lru_cache(maxsize=2048)
def _shown_line(line: str) -> Shown:
    return show(line)


def _breaks(paragraph: str, width: int) -> tuple[int, ...]:
    """Where the lines of a text without newlines begin."""
    kept = len(paragraph) <= 10 * _SHORT
    return _breaks_of(paragraph, width) if kept else _breaks_of.__wrapped__(paragraph, width)


@lru_cache(maxsize=1024)
def _breaks_of(paragraph: str, width: int) -> tuple[int, ...]:
    cells = None if paragraph.isascii() and paragraph.isprintable() else places(paragraph)
    starts = [0]
    edge = 0  # the cell at which the current line begins
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
                at += 1  # marks stay with their letter
            at = min(at, last)
            if at >= last:
                break
            starts.append(at)
            edge = at if cells is None else cells[at]
    return tuple(starts)
