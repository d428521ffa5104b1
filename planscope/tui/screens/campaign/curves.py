"""Success rates by number of actions as curves of braille dots (paper, Figures 8 and 9): a line an arm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planscope.campaign.cases import LIMIT_RATE
from planscope.campaign.report import Cell
from planscope.tui.style.braille import Canvas
from planscope.tui.style.lines import Line, Run, cut, line, shown

_AXIS = 6
"""Cells of the labels at the left: ``100 % ``."""

CHOSEN, OTHER, LIMIT = "core", "dim", "faint"
"""Roles, the foremost first: the chosen arm, the other arms, the line at 20 %."""


def curve_lines(cells: Sequence[Cell], chosen: str | None, width: int, height: int) -> list[Line]:
    """Draw the curves of all arms. ``chosen``: the arm that stands out, with its 95 % intervals as upright strokes."""
    known = [cell for cell in cells if cell.rate is not None]
    if not known:
        return [line(Run("No run was judged yet.", "dim"))]
    wide, high = max(width - _AXIS, 8), max(height - 4, 4)
    canvas = Canvas(wide, high, (CHOSEN, OTHER, LIMIT))
    ns = sorted({cell.actions for cell in known})
    low, high_n = ns[0], max(ns[-1], ns[0] + 1)

    def place(n: int, rate: float) -> tuple[int, int]:
        return (
            round((n - low) / (high_n - low) * (canvas.width - 1)),
            round((1 - rate) * (canvas.height - 1)),
        )

    for x in range(0, canvas.width, 4):
        canvas.dot(x, place(low, LIMIT_RATE)[1], LIMIT)
    arms = list(dict.fromkeys(cell.arm for cell in known))
    for arm in sorted(arms, key=lambda one: one == chosen):
        role = CHOSEN if arm == chosen else OTHER
        points = [cell for cell in known if cell.arm == arm]
        spots = [place(cell.actions, cell.rate or 0.0) for cell in points]
        for a, b in zip(spots, spots[1:] or spots, strict=False):
            canvas.stroke(a, b, role)
        for cell in points if arm == chosen else ():
            if cell.ci is not None:
                canvas.stroke(place(cell.actions, cell.ci[0]), place(cell.actions, cell.ci[1]), CHOSEN)
    lines = [line(Run(_label(y, high), "dim"), *canvas.row(y)) for y in range(high)]
    lines.append(line(Run(" " * _AXIS), *_numbers(low, high_n, wide)))
    lines.append(line(Run(" " * _AXIS), Run("actions", "label")))
    lines += _legend(chosen, len(arms), width)
    return lines


def _label(y: int, high: int) -> str:
    marks = {0: "100 %", round((1 - LIMIT_RATE) * (high - 1)): "20 %", high - 1: "0 %"}
    return f"{marks.get(y, ''):>{_AXIS - 1}} "


def _numbers(low: int, high: int, width: int) -> list[Run]:
    """Write the numbers of actions below the curves, as many as fit."""
    signs, free = [" "] * width, 0
    for n in range(low, high + 1):
        text = str(n)
        at = min(round((n - low) / (high - low) * (width - 1)), width - len(text))
        if at >= free:
            signs[at : at + len(text)] = text
            free = at + len(text) + 1
    return [Run("".join(signs), "label")]


def _legend(chosen: str | None, arms: int, width: int) -> Iterator[Line]:
    parts = [Run("━ ", CHOSEN), Run(shown(chosen, 60))] if chosen is not None else []
    if arms > 1:
        parts += [Run("  ━ ", OTHER), Run("others", "dim")]
    yield Line(cut(parts, width))
