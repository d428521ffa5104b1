"""Success rates by number of actions as curves of braille dots (paper, Figures 8 and 9): a line an arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planscope.campaign.cases import LIMIT_RATE
from planscope.campaign.result import CampaignCellDocument
from planscope.tui.style.braille import Canvas
from planscope.tui.style.lines import Line, Run, cut, line, shown, width_of

_AXIS = 6
"""Cells of the labels at the left: ``100 % ``."""

SIGNS, COLOURS, LIMIT = "●■▲◆○□△◇", ("tool", "number", "safe", "key", "dim"), "faint"
"""The signs and the roles of the arms, one after the other, and the role of the line at 20 %."""


def curve_lines(
    cells: Sequence[CampaignCellDocument], chosen: str | None, width: int, height: int
) -> list[Line]:
    """Draw the curves of all arms, each with its sign. ``chosen``: the arm in front, with its 95 % intervals."""
    known = [cell for cell in cells if cell.rate is not None]
    if not known:
        return [line(Run("No run was judged yet.", "dim"))]
    arms = list(dict.fromkeys(cell.arm for cell in known))
    looks = {arm: (SIGNS[k % len(SIGNS)], COLOURS[k % len(COLOURS)]) for k, arm in enumerate(arms)}
    legend = _legend(looks, chosen, width)[: max(height // 3, 1)]
    wide, high = max(width - _AXIS, 8), max(height - 2 - len(legend), 4)
    canvas = Canvas(wide, high, (*COLOURS, LIMIT))
    ns = sorted({cell.actions for cell in known})
    low, high_n = ns[0], max(ns[-1], ns[0] + 1)

    def place(n: int, rate: float) -> tuple[int, int]:
        return (
            round((n - low) / (high_n - low) * (canvas.width - 1)),
            round((1 - rate) * (canvas.height - 1)),
        )

    for x in range(0, canvas.width, 4):
        canvas.dot(x, place(low, LIMIT_RATE)[1], LIMIT)
    for arm in sorted(arms, key=lambda one: one == chosen):
        sign, role = looks[arm]
        points = [cell for cell in known if cell.arm == arm]
        spots = [place(cell.actions, cell.rate or 0.0) for cell in points]
        for a, b in zip(spots, spots[1:] or spots, strict=False):
            canvas.stroke(a, b, role)
        for cell in points if arm == chosen else ():
            if cell.ci is not None:
                canvas.stroke(place(cell.actions, cell.ci[0]), place(cell.actions, cell.ci[1]), role)
        for spot in spots:
            canvas.sign(*spot, sign, role)
    lines = [line(Run(_label(y, high), "dim"), *canvas.row(y)) for y in range(high)]
    lines.append(line(Run(" " * _AXIS), *_numbers(low, high_n, wide)))
    lines.append(line(Run(" " * _AXIS), Run("actions", "label")))
    return [*lines, *legend]


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


def _legend(looks: Mapping[str, tuple[str, str]], chosen: str | None, width: int) -> list[Line]:
    """Name the arms, the chosen one first, as many in a line as fit."""
    lines: list[list[Run]] = [[]]
    for arm in sorted(looks, key=lambda one: one != chosen):
        sign, role = looks[arm]
        said = [Run(f"{sign} ", role), Run(f"{shown(arm, 40)}  ", "strong" if arm == chosen else "dim")]
        if lines[-1] and width_of([*lines[-1], *said]) > width:
            lines.append([])
        lines[-1] += said
    return [line(*cut(runs, width)) for runs in lines]
