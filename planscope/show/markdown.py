"""Writes blocks as Markdown, for an issue or a pull request.

Words from outside are always in code spans or fenced blocks, so they never become a link, a mention or HTML.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator

from planscope.safe import clip, visible
from planscope.show.blocks import (
    GAP,
    Beside,
    Block,
    Code,
    Fold,
    Gap,
    Heading,
    Marked,
    Own,
    Para,
    Part,
    Picture,
    Rows,
    Strong,
    Table,
    Words,
    filled,
    unfolded,
)
from planscope.show.text import code_lines, paragraph

WIDTH = 100
WIDEST = 160
"""Limit for a cell with words from outside that has no limit of its own, in cells."""


def markdown(blocks: Iterable[Block]) -> str:
    """Return the Markdown of blocks. Paragraphs from outside that follow one another share a block of code."""
    return "\n\n".join(_written(blocks)) + "\n"


def _written(blocks: Iterable[Block]) -> Iterator[str]:
    told: list[str] = []
    for block in [*blocks, GAP]:
        if isinstance(block, Para) and isinstance(block.text, str) and not isinstance(block.text, Own):
            label = f"{block.label.strip()}: " if block.label else ""
            told += paragraph(label + (block.text if block.keep else visible(block.text)), WIDTH)
            continue
        if told:
            yield fenced(told)
            told = []
        yield from _parts(block)


def _parts(block: Block) -> Iterator[str]:
    match block:
        case Heading(text, level):
            yield f"{'#' * level} {inline(Own(text) if isinstance(text, str) else text)}"
        case Para(text, _, _, label):
            yield (f"{label}: " if label else "") + inline(text)
        case Code(shown, language, _, most, widest):
            yield fenced(code_lines(shown, most, widest), language)
        case Table() if filled(block):
            yield _table(block)
        case Picture(title, svg):
            data = base64.b64encode(svg.encode()).decode()  # encoded, so that no name in it can become markup
            yield f'<img alt="{title}" src="data:image/svg+xml;base64,{data}">'
        case Beside() | Fold() | Rows() | Part():
            yield from _written(unfolded(block))
        case Gap():
            return


def _table(block: Table) -> str:
    columns = filled(block)
    notes = block.notes or [()] * len(block.rows)
    noted = any(notes)
    head = [block.head[k].strip() for k in columns] if block.head else [""] * len(columns)
    rows = [head + [""] * noted, ["---"] * (len(columns) + noted)]
    for row, below in zip(block.rows, notes, strict=True):
        cells = [inline(row[k], max(limit, 0) or WIDEST, cell=True).strip() for k, limit in columns.items()]
        said = ", ".join(inline(note, WIDEST, cell=True) for note in below)
        rows.append([*cells, said] if noted else cells)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def inline(words: Words, limit: int | None = None, *, cell: bool = False) -> str:
    """Write words on one line. ``cell``: in a table, pipes are escaped, and no backslash precedes one."""
    pieces = (words,) if isinstance(words, str) else words
    return "".join(_piece(one, limit, cell) for one in pieces)


def _piece(piece: str, limit: int | None, cell: bool) -> str:
    if isinstance(piece, Own):
        own = visible(piece).replace("|", r"\|") if cell else visible(piece)
        return f"**{own}**" if isinstance(piece, Strong) else own
    if not piece and cell:
        return ""
    shown = visible(piece) if limit is None else clip(piece, limit) if cell else visible(piece, limit=limit)
    if cell:
        shown = re.sub(r"(\\+)\|", r"\1 |", shown).replace("|", r"\|")
        shown = f"{shown} " if shown.endswith("\\") else shown
    spanned = _span(shown)
    return f"**{spanned}**" if isinstance(piece, Marked) else spanned


_BACKQUOTES = re.compile("`+")


def fenced(lines: Iterable[str], language: str = "text") -> str:
    """Write a fenced block that no line in it can close. Each line stays one line."""
    shown = list(map(visible, lines))
    fence = "`" * max(3, 1 + max(map(_ticks, shown), default=0))
    return "\n".join([f"{fence}{language}", *shown, fence])


def _span(shown: str) -> str:
    if not shown.strip(" "):
        return "(blank)" if shown else "(nothing)"
    ticks = "`" * (1 + _ticks(shown))
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def _ticks(text: str) -> int:
    """Return the length of the longest run of backquotes."""
    return max(map(len, _BACKQUOTES.findall(text)), default=0)
