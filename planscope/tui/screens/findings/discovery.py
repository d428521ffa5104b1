"""Draws a search of the fuzzer while it runs: unique errors over calls."""

from __future__ import annotations

from planscope.tui.controllers.tool_search import Progress
from planscope.tui.style.braille import Canvas
from planscope.tui.style.lines import Line, Run, line, shown
from planscope.wording import phrases

_AXIS = 6
FOUND, BASE = "core", "faint"


def discovery_lines(progress: Progress, width: int, height: int) -> list[Line]:
    """Lay out a search: a line of figures, and the curve in the rows that are left."""
    told = f"{phrases.plural(progress.errors, 'error')} in {phrases.plural(progress.calls, 'call')}"
    estimate = f", {progress.estimate}" if progress.estimate else ""
    lines = [line(Run(told), Run(estimate, "dim"))]
    rows = max(height - 2, 2)
    canvas = Canvas(max(width - _AXIS, 8), rows, (FOUND, BASE))
    most = max(progress.errors, 1)

    def place(calls: int, errors: int) -> tuple[int, int]:
        return (
            round(calls / max(progress.most, 1) * (canvas.width - 1)),
            round((1 - errors / most) * (canvas.height - 1)),
        )

    for x in range(0, canvas.width, 4):
        canvas.dot(x, canvas.height - 1, BASE)
    at, errors = 0, 0
    for calls, unique in (*progress.points, (progress.calls, progress.errors)):
        canvas.stroke(place(at, errors), place(calls, errors), FOUND)
        canvas.stroke(place(calls, errors), place(calls, unique), FOUND)
        at, errors = calls, unique
    for y in range(rows):
        label = f"{most:,}" if y == 0 else "0" if y == rows - 1 else ""
        lines.append(line(Run(f"{label:>{_AXIS - 1}} ", "dim"), *canvas.row(y)))
    end = f"{progress.most:,} calls"
    lines.append(line(Run(" " * _AXIS), Run("0"), Run(f"{end:>{max(width - _AXIS - 1, len(end))}}", "dim")))
    return lines


def discovery_title(progress: Progress) -> list[Run]:
    return [
        Run("Fuzzed" if progress.ended else "Fuzzing", "title"),
        Run(f" {shown(progress.target, 60)}", "dim"),
        Run(f" {shown(progress.tool, 40)}" if progress.tool else "", "label"),
    ]
