"""The first frame: the request and the calls as the file tells them, painted before the debugger is imported.

It looks as the debug screen will a moment later, when that takes its place; keys that came too soon go there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from textual import events
from textual.app import ComposeResult
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from planscope.tui.glance import RunGlance, SessionGlance, VariantGlance
from planscope.tui.lines import BLANK, Line, Run, cut, justify, ranges, shown, width_of
from planscope.tui.paint import Paint
from planscope.tui.safe_text import show

UPPER_SHARES, LOWER_SHARES, ROW_SHARES = (8, 7, 9), (13, 11), (9, 11)
NARROW_ROWS = (6, 6, 10)
WIDE, BROAD, HIGH = 110, 170, 44
"""Columns and rows from which the debug screen has three columns, and an inspector (``rooms/debug.tcss``)."""

SMALLEST = (60, 15)


def shares(total: int, parts: Sequence[int]) -> list[int]:
    """A length in whole cells, divided as the stylesheet's ``fr`` does."""
    edges = [total * part // sum(parts) for part in accumulate(parts, initial=0)]
    return [end - start for start, end in pairwise(edges)]


class FirstFrame(Screen[None]):
    """Paints once; keeps the keys that are pressed meanwhile in ``early``."""

    AUTO_FOCUS = None

    def __init__(self, paint: Paint, session: SessionGlance, run_number: int | None) -> None:
        super().__init__()
        self.picture = _Picture(paint, session, run_number)
        self.early: list[events.Key] = []

    def compose(self) -> ComposeResult:
        yield self.picture

    def on_key(self, event: events.Key) -> None:
        self.early.append(event)
        event.stop()


class _Picture(Widget):
    def __init__(self, paint: Paint, session: SessionGlance, run_number: int | None) -> None:
        super().__init__()
        self.paint = paint
        self.session = session
        self.run = session.runs[run_number] if run_number is not None else None
        self.rows: list[Line] = []

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        small = width < SMALLEST[0] or height < SMALLEST[1]
        self.rows = [] if small else list(_frame(self.session, self.run, width, height))
        self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        width = self.size.width
        strips = [
            self.paint.strip(self.rows[y] if y < len(self.rows) else BLANK, width) for y in crop.line_range
        ]
        for line_filter in self.paint.filters:
            strips = [strip.apply_filter(line_filter, self.paint.background) for strip in strips]
        return [strip.crop(*crop.column_span) for strip in strips]


def _frame(session: SessionGlance, run: RunGlance | None, width: int, height: int) -> list[Line]:
    variant = session.variant_of(run)
    model = [Run(shown(run.model or "model ?", 40))] if run else [Run("no run", "dim")]
    if run is not None and run.simulated:
        model.append(Run(" simulated", "caution"))
    title = Run(f" {shown(session.title or session.id or 'untitled', 40)}", "strong")
    head = justify(
        (Run(" planscope ", "brand"), title, Run(" │ ", "faint"), *model), (Run("judging… ", "dim"),), width
    )
    room = height - 2
    if width >= WIDE:
        left = shares(width, (24, 8))[0] if width >= BROAD and height >= HIGH else width
        upper, lower = shares(room, ROW_SHARES)
        columns = shares(left, UPPER_SHARES)
        rows = _beside(
            _box("1", "Query", _text(variant, columns[0] - 4), columns[0], upper),
            _box("2", "Tree", (), columns[1], upper),
            _box("3", "Constraints", (), columns[2], upper),
        )
        columns = shares(left, LOWER_SHARES)
        rows += _beside(
            _box("4", "Timeline", _calls(run, columns[0] - 4), columns[0], lower),
            _box("5", "Step", (), columns[1], lower),
        )
        if left < width:
            rows = _beside(rows, _box("", "Inspector", (), width - left, room))
    else:
        heights = shares(room, NARROW_ROWS)
        rows = _box("1", "Query", _text(variant, width - 4), width, heights[0])
        rows += _box("4", "Timeline", _calls(run, width - 4), width, heights[1])
        rows += _box("5", "Step", (), width, heights[2])
    return [Line(head, "bar"), *rows, Line((), "bar")]


def _beside(*boxes: Sequence[Line]) -> list[Line]:
    return [Line(tuple(run for line in row for run in line.runs)) for row in zip(*boxes, strict=True)]


def _box(number: str, title: str, lines: Sequence[tuple[Run, ...]], width: int, height: int) -> list[Line]:
    name = (Run(number, "number"), Run(" " if number else ""), Run(title, "title"))
    rest = width - 5 - width_of(name)
    made = [Line((Run("╭─ ", "frame"), *name, Run(f" {'─' * rest}╮", "frame")))]
    for i in range(height - 2):
        runs = cut(lines[i], width - 4) if i < len(lines) else ()
        pad = " " * (width - 4 - width_of(runs))
        made.append(Line((Run("│ ", "frame"), *runs, Run(pad), Run(" │", "frame"))))
    return [*made, Line((Run(f"╰{'─' * (width - 2)}╯", "frame"),))]


def _text(variant: VariantGlance | None, width: int) -> list[tuple[Run, ...]]:
    text = variant.text[:20_000] if variant else ""
    whole = show(text, keep_newlines=True)
    return [(Run("  "), Run(whole.part(*part))) for part in ranges(text, width - 2)[:80]]


def _calls(run: RunGlance | None, width: int) -> list[tuple[Run, ...]]:
    made: list[tuple[Run, ...]] = [(Run("    0 · before any call", "dim"),)]
    for call in run.calls[:80] if run else ():
        given = ", ".join(shown(str(value), 40) for value in list((call.arguments or {}).values())[:4])
        made.append((Run(f"{call.step:>5} · ", "dim"), Run(f"{shown(call.tool, 80)}({given})", "tool")))
    return [cut(runs, width) for runs in made]
