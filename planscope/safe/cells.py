"""Visible text in terminal cells: widths, cutting and line breaking."""

from __future__ import annotations

import unicodedata

from planscope.safe.glyphs import ELLIPSIS, MAX_MARKS, Shown, is_mark, show, visible


def char_width(char: str) -> int:
    """Cells that a visible code point takes: 0 (combining), 1 or 2 (wide), as Rich counts them."""
    if char.isascii():
        return 1
    code = ord(char)
    if is_mark(char) or 0x1F3FB <= code <= 0x1F3FF:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" or _wide_since_16(code) else 1


def _wide_since_16(code: int) -> bool:
    """Symbols that Unicode 16 made wide; the tables of Python 3.11 to 3.13 do not know it."""
    return (
        0x2630 <= code <= 0x2637
        or 0x268A <= code <= 0x268F
        or 0x4DC0 <= code <= 0x4DFF
        or 0x1D300 <= code <= 0x1D376
    )


def cell_width(s: str) -> int:
    """Cells that a visible text takes."""
    return len(s) if s.isascii() else sum(map(char_width, s))


def clip(s: str, cells: int) -> str:
    """``visible(s)``, cut to at most so many cells; what was cut ends in an ellipsis."""
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
    return text[:end].rstrip(" ") + ELLIPSIS


def wrap(s: str | Shown, cells: int) -> list[tuple[int, int]]:
    """Lines of at most so many cells, as half-open ranges of the original text's code points.

    Lines end at newlines, else behind blanks or beside wide characters, else anywhere but before a mark; the
    newline or the blanks at a break belong to no line. One code point may be shown wider than a whole line
    (``⟨U+202E⟩``) and then stands alone. An empty text is one empty line. ``Shown.part`` says what to show
    of a line; the note of a limit is on no line.
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
    if start == end:
        lines.append((start, end))
        return
    begin, used, best = start, 0, -1  # ``best``: the last place where a line may end
    i = start
    while i < end:
        piece = shown.part(i, i + 1)
        width = cell_width(piece)
        blank = piece.isspace()
        if width and i > begin and (blank or width == 2 or _ends_word(shown, i - 1)):
            best = i
        if used + width > cells and i > begin and width and not blank:
            stop = best if best > begin else i
            line_end = stop
            while line_end > begin and shown.part(line_end - 1, line_end).isspace():
                line_end -= 1
            lines.append((begin, line_end))
            while stop < end and shown.part(stop, stop + 1).isspace():
                stop += 1
            begin, best, i = stop, -1, stop
            used = 0
            continue
        used += width
        i += 1
    line_end = end
    while line_end > begin and used > cells and shown.part(line_end - 1, line_end).isspace():
        used -= cell_width(shown.part(line_end - 1, line_end))
        line_end -= 1
    lines.append((begin, line_end))


def _ends_word(shown: Shown, i: int) -> bool:
    piece = shown.part(i, i + 1)
    return piece.isspace() or piece in ("-", "/") or (piece != "" and char_width(piece[-1]) == 2)
