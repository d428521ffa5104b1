"""The first frame shows the query and the calls from the file, before the debug screen is imported.

It looks like the debug screen, which replaces it a moment later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from planscope.safe import show
from planscope.tui.arrangement import (
    ALL_PANES,
    FIRST,
    Arrangement,
    Kind,
    Panes,
    Rect,
    is_too_small,
    kind_of,
    seen_panes,
)
from planscope.tui.opening.summary import Called, Summary
from planscope.tui.panes.windowed import Windowed, rule_line
from planscope.tui.style.lines import Line, Run, cut, justify, ranges, shown, width_of


class FirstFrame(Screen[None]):
    """Displays a summary. What is typed meanwhile waits for the debug screen (``TypedAhead``)."""

    AUTO_FOCUS = None

    def __init__(self, summary: Summary, arrangements: Mapping[Kind, Arrangement] = FIRST) -> None:
        super().__init__()
        self.picture = _Picture(summary, arrangements)

    def compose(self) -> ComposeResult:
        yield self.picture


class _Picture(Windowed):
    BOX = False

    def __init__(self, summary: Summary, arrangements: Mapping[Kind, Arrangement]) -> None:
        super().__init__()
        self.summary, self.arrangements = summary, arrangements

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        arrangement = self.arrangements[kind_of(width, height, self.summary.bare)]
        small = is_too_small(width, height)
        self.measure()
        self.lines = [] if small else list(_frame(self.summary, arrangement, width, height))
        self.sync()


def _frame(summary: Summary, arrangement: Arrangement, width: int, height: int) -> list[Line]:
    model = [Run(shown(summary.model or "model ?", 40))] if summary.run_id else [Run("no run", "dim")]
    if summary.simulated:
        model.append(Run(" simulated", "caution"))
    title = Run(f" {shown(summary.title or 'untitled', 40)}", "strong")
    head = justify(
        (Run(" planscope ", "brand"), title, Run(" │ ", "faint"), *model), (Run("judging… ", "dim"),), width
    )
    kind = kind_of(width, height, summary.bare)
    seen = seen_panes(kind, arrangement, "query", "timeline")
    boxes = []
    for pane, rect in Panes(kind, arrangement, seen, Rect(0, 1, width, height - 2)).places().items():
        digit = str(ALL_PANES.index(pane) + 1) if pane in ALL_PANES else ""
        name = "task" if summary.bare and pane == "query" else pane
        lines: list[tuple[Run, ...]] = []
        if pane == "query":
            lines = _text(summary.text, rect.width - 2 - (rect.x > 0))
        elif pane == "timeline":
            lines = _calls(summary.calls, rect.width - 2 - (rect.x > 0))
        boxes.append((rect, _box(digit, name.capitalize(), lines, rect)))
    return [Line(head, "bar"), *_beside(boxes, height), Line((), "bar")]


def _beside(boxes: Sequence[tuple[Rect, Sequence[Line]]], height: int) -> list[Line]:
    """Combine boxes that fill the space without gaps into the rows between header and footer."""
    made = []
    for y in range(1, height - 1):
        here = sorted(
            (rect.x, lines[y - rect.y]) for rect, lines in boxes if rect.y <= y < rect.y + rect.height
        )
        made.append(Line(tuple(run for _, line in here for run in line.runs)))
    return made


def _box(number: str, title: str, lines: Sequence[tuple[Run, ...]], rect: Rect) -> list[Line]:
    name = (Run(number, "number"), Run(" " if number else ""), Run(title, "title"))
    edge, width = int(rect.x > 0), rect.width
    rule = rule_line(name, (), (), width - edge - 2, False)
    made = [Line((Run("┬" * edge, "frame"), *rule.runs))]
    for i in range(rect.height - 1):
        runs = cut(lines[i], width - edge - 2) if i < len(lines) else ()
        pad = Run(" " * (width - edge - 1 - width_of(runs)))
        made.append(Line((Run("│" * edge, "frame"), Run(" "), *runs, pad)))
    return made


def _text(text: str, width: int) -> list[tuple[Run, ...]]:
    text = text[:20_000]
    whole = show(text, keep_newlines=True)
    return [(Run("  "), Run(whole.part(*part))) for part in ranges(text, width - 2)[:80]]


def _calls(calls: Sequence[Called], width: int) -> list[tuple[Run, ...]]:
    made: list[tuple[Run, ...]] = [(Run("    0 · before any call", "dim"),)]
    for step, call in enumerate(calls, 1):
        given = ", ".join(shown(str(value), 40) for value in list(call.arguments.values())[:4])
        made.append((Run(f"{step:>5} · ", "dim"), Run(f"{shown(call.tool, 80)}({given})", "tool")))
    return [cut(runs, width) for runs in made]
