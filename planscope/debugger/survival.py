"""The survival curve of a run: the logarithm of the valid completions left after each step, in one row of cells.

It falls to zero at the point of no return, and starts again with each attempt.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from planscope.debugger.run_index import RunIndex
from planscope.frozen import frozen

BLOCKS = "▁▂▃▄▅▆▇█"
LOST = "✗"
NOTHING = " "
UNKNOWN = "·"
WIDEST = 4
"""The greatest width of one step, in cells."""


@frozen
class Cell:
    """One cell of the curve: its glyph, and the first and last index of its steps."""

    glyph: str
    first: int
    last: int


def counts_left(run: RunIndex) -> tuple[int | None, ...]:
    """Return the valid completions left at each index; None if unknown, or not computed yet."""
    return tuple(_count(run, index) for index in range(len(run.steps)))


def _count(run: RunIndex, index: int) -> int | None:
    if run.steps[index].lost:
        return 0
    return run.valid_completions(index) if run.has_count(index) else None


def curve(counts: Sequence[int | None], doomed: Sequence[int], width: int) -> tuple[Cell, ...]:
    """Return the cells of the curve, at most ``width``; none if no count is known but that of lost steps.

    If there are more steps, several share a cell.

    Such a cell shows the fewest completions of its steps. ``doomed``: the indexes at which attempts were lost.
    """
    steps = len(counts)
    most = max((count for count in counts if count is not None), default=0)
    if steps < 2 or width < 2 or not most:
        return ()
    lost = set(doomed)
    cells: list[Cell] = []
    wide = max(min(width // steps, WIDEST), 1)
    number = min(steps, width)
    for i in range(number):
        first, last = i * steps // number, (i + 1) * steps // number - 1
        here = lost.intersection(range(first, last + 1))
        glyph = LOST if here else _glyph(counts[first : last + 1], most)
        cells.append(Cell(glyph, first, last))
        cells += [Cell(NOTHING if glyph == LOST else glyph, first, last)] * (wide - 1)
    return tuple(cells)


def _glyph(counts: Sequence[int | None], most: int) -> str:
    known = [count for count in counts if count is not None]
    if not known:
        return UNKNOWN
    fewest = min(known)
    if fewest <= 0:
        return NOTHING
    return BLOCKS[round((len(BLOCKS) - 1) * log(fewest + 1) / log(most + 1))]
