"""Success rates by number of actions as curves of braille dots (paper, Figures 8 and 9): a line an arm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planscope.campaign.cases import LIMIT_RATE
from planscope.campaign.report import Cell
from planscope.tui.style.lines import Line, Run, cut, glyph_runs, line, shown

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a braille sign by row and column."""

_AXIS = 6
"""Cells of the labels at the left: ``100 % ``."""

CHOSEN, OTHER, LIMIT = "core", "dim", "faint"
"""Roles, the foremost first: the chosen arm, the other arms, the line at 20 %."""


class _Canvas:
    """Dots, each with a role; where roles share a sign, the foremost one colours it."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width * 2, height * 4
        self._bits: dict[tuple[int, int], int] = {}
        self._roles: dict[tuple[int, int], str] = {}

    def dot(self, x: int, y: int, role: str) -> None:
        if 0 <= x < self.width and 0 <= y < self.height:
            place = y // 4, x // 2
            self._bits[place] = self._bits.get(place, 0) | _DOTS[y % 4][x % 2]
            order = (CHOSEN, OTHER, LIMIT)
            self._roles[place] = min(self._roles.get(place, LIMIT), role, key=order.index)

    def stroke(self, a: tuple[int, int], b: tuple[int, int], role: str) -> None:
        steps = max(abs(a[0] - b[0]), abs(a[1] - b[1]), 1)
        for k in range(steps + 1):
            self.dot(round(a[0] + (b[0] - a[0]) * k / steps), round(a[1] + (b[1] - a[1]) * k / steps), role)

    def row(self, y: int) -> list[Run]:
        places = ((y, x) for x in range(self.width // 2))
        signs = (
            (chr(0x2800 + self._bits[p]), self._roles[p]) if p in self._bits else (" ", "") for p in places
        )
        return glyph_runs(signs)


def curve_lines(cells: Sequence[Cell], chosen: str | None, width: int, height: int) -> list[Line]:
    """Draw the curves of all arms. ``chosen``: the arm that stands out, with its 95 % intervals as upright strokes."""
    known = [cell for cell in cells if cell.rate is not None]
    if not known:
        return [line(Run("No run was judged yet.", "dim"))]
    wide, high = max(width - _AXIS, 8), max(height - 4, 4)
    canvas = _Canvas(wide, high)
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
