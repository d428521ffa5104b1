"""Writes blocks as lines of plain text, for a terminal, a mail or a test. Each line is safe to print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from planscope.safe import cell_width, clip, show, visible, wrap
from planscope.show.blocks import (
    REST,
    Beside,
    Block,
    Code,
    Fold,
    Gap,
    Heading,
    Para,
    Part,
    Picture,
    Rows,
    Table,
    filled,
    joined,
    unfolded,
)

WIDTH = 80
"""The width of a shared text, in columns."""
NOTE = "         "
"""Stands before what is said below a row."""


def lines(blocks: Iterable[Block], width: int = WIDTH) -> Iterator[str]:
    """Yield the lines of blocks, at most ``width`` cells wide where they can be wrapped."""
    last = ""
    for place, block in enumerate(blocks):
        if isinstance(block, Heading) and block.level < 4 and place and last:
            yield ""
        for last in _lines(block, width):
            yield last


def _lines(block: Block, width: int) -> Iterator[str]:
    match block:
        case Gap():
            yield ""
        case Heading(text):
            yield from sentence(joined(text), width)
        case Para(text, indent, keep, label, column):
            wrapped = paragraph if keep else sentence
            if label:
                yield from hanging(indent + label, joined(text), column, width)
            else:
                yield from wrapped(joined(text), width, indent)
        case Code(shown, _, indent, most, widest):
            yield from (indent + line for line in code_lines(shown, most, widest))
        case Table() if filled(block):
            yield from _table(block, width)
        case Beside() | Fold() | Rows() | Part():
            yield from lines(unfolded(block), width)
        case Picture():
            return


def paragraph(text: str, width: int = WIDTH, indent: str = "") -> Iterator[str]:
    """Wrap a text into lines. Its own line ends stay."""
    shown = show(text, keep_newlines=True)
    for begin, end in wrap(shown, max(width - len(indent), 10)):
        yield indent + shown.part(begin, end)


def sentence(text: str, width: int = WIDTH, indent: str = "") -> Iterator[str]:
    """Wrap a text into lines. Its own line ends become visible glyphs."""
    return paragraph(visible(text), width, indent)


def hanging(label: str, text: str, column: int, width: int = WIDTH) -> Iterator[str]:
    """Write a label, and its text wrapped beside it from ``column`` on."""
    first, *rest = sentence(text, max(width - column, 20))
    yield f"{visible(label):<{column - 2}}  {first}"
    yield from (" " * column + line for line in rest)


def code_lines(shown: Iterable[str], most: int | None, widest: int | None) -> Iterator[str]:
    """Yield at most ``most`` lines of ``widest`` cells, safe to show, and how many are left out."""
    every = list(shown)
    yield from (visible(line) if widest is None else clip(line, widest) for line in every[:most])
    if most is not None and len(every) > most:
        yield f"... and {len(every) - most} more"


def table(rows: Iterable[Sequence[str]], indent: str = "  ") -> Iterator[str]:
    """Write rows with their cells in columns, two blanks apart."""
    return _table(Table(list(rows), indent=indent), WIDTH)


def _table(block: Table, width: int) -> Iterator[str]:
    columns = filled(block)
    shown = [[_cell(joined(row[k]), limit) for k, limit in columns.items()] for row in block.rows]
    head = [[block.head[k] for k in columns]] if block.head else []
    widths = [max(map(cell_width, column)) for column in zip(*head, *shown, strict=True)]
    if REST in columns.values():  # the last one
        widths[-1] = max(20, width - len(block.indent) - sum(wide + 2 for wide in widths[:-1]))
    for place, row in enumerate([*head, *shown], -len(head)):
        fitted = [clip(cell, wide) for cell, wide in zip(row, widths, strict=True)]
        padded = (cell + " " * (wide - cell_width(cell)) for cell, wide in zip(fitted, widths, strict=True))
        yield (block.indent + "  ".join(padded)).rstrip(" ")
        for note in block.notes[place] if block.notes and place >= 0 else ():
            yield from sentence(joined(note), width, NOTE)


def _cell(text: str, limit: int) -> str:
    return clip(text, limit) if limit > 0 else visible(text)
