"""Measures, cuts and wraps visible text in terminal cells."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from planscope.safe.glyphs import ELLIPSIS, MAX_MARKS, Shown, is_mark, show, visible

_SHORT = 200


def char_width(char: str) -> int:
    """Return the cells of a visible code point: 0 (combining), 1, or 2 (wide), as Rich counts them."""
    if char.isascii():
        return 1
    code = ord(char)
    if is_mark(char) or 0x1F3FB <= code <= 0x1F3FF:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" or _wide_since_16(code) else 1


def _wide_since_16(code: int) -> bool:
    """Return whether Unicode 16 made a symbol wide, which the older tables of Python 3.11 to 3.13 do not say."""
    return (
        0x2630 <= code <= 0x2637
        or 0x268A <= code <= 0x268F
        or 0x4DC0 <= code <= 0x4DFF
        or 0x1D300 <= code <= 0x1D376
    )


def cell_width(s: str) -> int:
    """Return the cells of a visible text."""
    return len(s) if s.isascii() else _short_width(s) if len(s) < _SHORT else sum(map(char_width, s))


@lru_cache(4096)
def _short_width(s: str) -> int:
    """Each key measures the same labels again."""
    return sum(map(char_width, s))


def clip(s: str, cells: int) -> str:
    """Return ``visible(s)`` cut to ``cells`` cells. A cut text ends in an ellipsis."""
    if cells <= 0:
        return ""
    text = visible(s, limit=cells * (MAX_MARKS + 1) * 4 + 64)
    if cell_width(text) <= cells:
        return text
    room = cells - 1
    end = 0
    for char in text:
        room -= char_width(char)
        if room < 0:
            break
        end += 1
    return text[:end].rstrip(" " + ELLIPSIS) + ELLIPSIS


def wrap(s: str | Shown, cells: int) -> list[tuple[int, int]]:
    """Break a text into lines of at most ``cells``, given as half-open ranges of the original text's code points.

    A line ends at a newline, or else after blanks or beside a wide character, or else anywhere except before a
    combining mark. The newline or the blanks at a break belong to no line. A code point that is displayed wider than a
    whole line (``⟨U+202E⟩``) is a line of its own. An empty text is one empty line. ``Shown.part`` gives the displayed
    text of a line; the note about a limit is on no line.
    """
    shown = show(s, keep_newlines=True) if isinstance(s, str) else s
    cells = max(cells, 1)
    lines: list[tuple[int, int]] = []
    size = len(shown.original) - shown.left_out
    start = 0
    while start <= size:
        newline = shown.original.find("\n", start, size)
        end = size if newline < 0 else newline
        stop = end - 1 if newline > start and shown.original[newline - 1] == "\r" else end
        _wrap_line(shown, start, stop, cells, lines)
        if newline < 0:
            break
        start = end + 1
    return lines


def _wrap_line(shown: Shown, start: int, end: int, cells: int, lines: list[tuple[int, int]]) -> None:
    text = shown.part(start, end)
    if len(text) == end - start and text.isascii():
        lines.extend((start + a, start + b) for a, b in _wrap_plain(text, cells))
        return
    pieces = [shown.part(i, i + 1) for i in range(start, end)]
    kinds = {piece: (cell_width(piece), piece.isspace(), _ends_word(piece)) for piece in set(pieces)}
    marked = [kinds[piece] for piece in pieces]
    lines.extend((start + a, start + b) for a, b in _wrap_pieces(marked, cells))


def _ends_word(piece: str) -> bool:
    return piece.isspace() or piece in ("-", "/") or (piece != "" and char_width(piece[-1]) == 2)


def _wrap_plain(text: str, cells: int) -> Iterator[tuple[int, int]]:
    """Wrap a text whose code points all take one cell, faster than ``_wrap_pieces``."""
    begin, size = 0, len(text)
    while True:
        over = begin + cells
        while over < size and text[over] == " ":
            over += 1
        if over >= size:
            break
        best = max(text.rfind(sign, begin, over) for sign in " -/") + 1
        stop = best if best > begin else over
        yield begin, begin + len(text[begin:stop].rstrip(" "))
        while stop < size and text[stop] == " ":
            stop += 1
        begin = stop
    yield begin, max(begin + len(text[begin:].rstrip(" ")), min(size, begin + cells))


def _wrap_pieces(pieces: Sequence[tuple[int, bool, bool]], cells: int) -> Iterator[tuple[int, int]]:
    """Wrap pieces. Each piece has a width, whether it is blank, and whether a line may end after it."""
    begin, used, best, size = 0, 0, -1, len(pieces)  # ``best``: the last place where a line may end
    i = 0
    while i < size:
        width, blank, _ = pieces[i]
        if width and i > begin and (blank or width == 2 or pieces[i - 1][2]):
            best = i
        if used + width > cells and i > begin and width and not blank:
            stop = best if best > begin else i
            line_end = stop
            while line_end > begin and pieces[line_end - 1][1]:
                line_end -= 1
            yield begin, line_end
            while stop < size and pieces[stop][1]:
                stop += 1
            begin = i = stop
            used, best = 0, -1
            continue
        used += width
        i += 1
    line_end = size
    while line_end > begin and used > cells and pieces[line_end - 1][1]:
        used -= pieces[line_end - 1][0]
        line_end -= 1
    yield begin, line_end
