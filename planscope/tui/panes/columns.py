"""Lists in columns as data: each column says its name, its width and what it shows of a thing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from planscope.tui.style.lines import Line, Run, cut, line, width_of

Thing = TypeVar("Thing")


class Column(NamedTuple, Generic[Thing]):
    """One column of a list. ``width`` in cells; 0: as wide as it is in each row.

    ``gap``: cells between it and the next. ``right``: texts stand at the right edge, as numbers do. ``strong``: plain
    text is bold in the chosen row.
    """

    name: str
    width: int
    cell: Callable[[Thing], Sequence[Run]]
    gap: int = 2
    right: bool = False
    strong: bool = False


def cursor_line(runs: Sequence[Run], chosen: bool) -> Line:
    """Lay out a row with the mark of the chosen one."""
    return line(Run("▶ " if chosen else "  ", "mark"), *runs, ground="cursor" if chosen else "")


def row_line(columns: Sequence[Column[Thing]], thing: Thing, chosen: bool, width: int | None = None) -> Line:
    """Lay out the row of a thing, cut to ``width`` cells without the mark."""
    runs = [run for column in columns for run in _fitted(column, column.cell(thing), chosen)]
    return cursor_line(cut(runs, width) if width is not None else runs, chosen)


def head_line(columns: Sequence[Column[Thing]]) -> Line:
    """Lay out the names of the columns."""
    runs = (run for column in columns for run in _fitted(column, [Run(column.name, "label")]))
    return line("  ", *runs)


def _fitted(column: Column[Thing], runs: Sequence[Run], chosen: bool = False) -> list[Run]:
    if column.strong and chosen:
        runs = [Run(run.text, run.role or "strong") for run in runs]
    if not column.width:
        return [*runs, Run(" " * column.gap)] if any(run.text for run in runs) else []
    kept = cut(runs, column.width)
    pad, gap = Run(" " * (column.width - width_of(kept))), Run(" " * column.gap)
    return [pad, *kept, gap] if column.right else [*kept, pad, gap]
