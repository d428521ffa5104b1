"""What the compare room shows, as lines: two columns, row by row, and which rows differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from planscope.compare.result import CallRow, Comparison, Side, StepSide
from planscope.tui import words
from planscope.tui.lines import BLANK, Line, Run, cut, justify, paragraph, shown
from planscope.tui.panes.query import Painted, painted_runs
from planscope.tui.safe_text import show, wrap

Page = Literal["calls", "words", "constraints", "tree", "facts"]
PAGES: tuple[Page, ...] = get_args(Page)
TITLES = {
    "calls": "Calls",
    "words": "Request",
    "constraints": "Constraints",
    "tree": "Tree",
    "facts": "Facts",
}

_GLYPHS = {"same": " ", "changed": "~", "added": "+", "gone": "-", "moved": "↕"}
_ROLES = {"same": "", "changed": "caution", "added": "holds", "gone": "broken", "moved": "mark"}
_MOST_ROWS = 5000


@dataclass(frozen=True, slots=True)
class Row:
    """A row of both columns. ``differs``: it is a difference. ``steps``: the steps that it shows, by their index."""

    a: Line
    b: Line
    differs: bool = False
    steps: tuple[int | None, int | None] = (None, None)


def rows_of(page: Page, compared: Comparison, width: int) -> list[Row]:
    """The rows of a page for columns of so many cells."""
    build: dict[Page, Callable[[Comparison, int], list[Row]]] = {
        "calls": call_rows,
        "words": word_rows,
        "constraints": constraint_rows,
        "tree": tree_rows,
        "facts": fact_rows,
    }
    rows = build[page](compared, max(width, 10))
    if len(rows) > _MOST_ROWS:
        more = _both(Run(f"and {len(rows) - _MOST_ROWS:,} more rows", "dim"))
        rows = [*rows[:_MOST_ROWS], more]
    return rows


def _both(*runs: Run, differs: bool = False) -> Row:
    return Row(Line(runs), Line(runs), differs)


def call_rows(compared: Comparison, width: int) -> list[Row]:
    """The calls beside each other; before them what was kept, behind them how each run ended."""
    if compared.calls is None:
        missing = [side.variant for side in (compared.a, compared.b) if side.run is None]
        return [
            _both(Run(f"{', '.join(shown(v, 20) for v in missing)} was not run: no calls to compare", "dim"))
        ]
    rows = []
    parted = compared.divergence
    for row in compared.calls.rows:
        differs = row.change != "same"
        marks = (parted is not None and parted.a == row.a, parted is not None and parted.b == row.b)
        cells = [
            _call_cell(side, index, row, mark, compared, width)
            for side, index, mark in zip((compared.a, compared.b), (row.a, row.b), marks, strict=True)
        ]
        differs = differs or any(marks)
        rows.append(Row(cells[0], cells[1], differs, (row.a, row.b)))
    ends = [_end_cell(side, width) for side in (compared.a, compared.b)]
    same = _said_end(compared.a) == _said_end(compared.b)
    last = (len(compared.a.steps) - 1, len(compared.b.steps) - 1)
    rows.append(Row(ends[0], ends[1], not same, last))
    return rows


def _call_cell(
    side: Side, index: int | None, row: CallRow, parts: bool, compared: Comparison, width: int
) -> Line:
    if index is None:
        where = f"  moved: step {row.partner} there" if row.change == "moved" and row.partner else "  ·"
        return Line((Run(where, "dim"),))
    step = side.steps[index]
    mark = Run("◆" if parts else " ", "mark")
    head = [mark, Run(f"{_GLYPHS[row.change]} ", _ROLES[row.change]), Run(f"{step.step!s:>3} ", "dim")]
    state = step.state
    tail = [Run(f" {words.STATE_GLYPHS[state]} {state}", state)] if state is not None else []
    notes = []
    if compared.kept is not None and index <= compared.kept.steps:
        notes.append(Run(" kept", "dim"))
    if step.refused_by:
        notes.append(Run(" refused", "caution"))
    if step.findings:
        notes.append(Run(f" {words.findings(step.findings)}", "finding"))
    body = [Run(_call_text(step), _ROLES[row.change] or "tool"), *notes]
    if row.change == "moved" and row.partner is not None:
        body.append(Run(f" ↕ step {row.partner} there", "dim"))
    return Line(justify([*head, *body], tail, width))


def _call_text(step: StepSide) -> str:
    if step.call is None:
        return "before any call" if step.step == 0 else "the end"
    return words.call(step.call.tool, step.call.arguments)


def _said_end(side: Side) -> tuple[object, object]:
    return side.ending, side.verdict.verdict if side.verdict is not None else None


def _end_cell(side: Side, width: int) -> Line:
    ended = (
        "the agent stopped" if side.ending == "stopped" else str(side.ending or "no run").replace("_", " ")
    )
    state = side.steps[-1].state if side.steps else None
    tail = [Run(f" {words.STATE_GLYPHS[state]} {state}", state)] if state is not None else []
    return Line(justify([Run("   end ", "dim"), Run(ended, "dim")], tail, width))


def word_rows(compared: Comparison, width: int) -> list[Row]:
    """The two requests, with the words that differ marked."""
    columns: list[list[Line]] = []
    for side, changes in ((compared.a, ("changed", "gone")), (compared.b, ("changed", "added"))):
        painted: list[Painted] = []
        for part in compared.text.parts:
            if part.change in changes:
                span = part.a if side is compared.a else part.b
                painted.append((*span, "diff-gone" if side is compared.a else "diff-added"))
        whole = show(side.text, keep_newlines=True)
        columns.append([Line(tuple(painted_runs(whole, *at, painted))) for at in wrap(whole, width)])
    longest = max(map(len, columns))
    a, b = ([*column, *[BLANK] * (longest - len(column))] for column in columns)
    rows = [Row(x, y, _marked(x) or _marked(y)) for x, y in zip(a, b, strict=True)]
    if compared.text.same:
        rows = [_both(Run("The words are the same.", "dim")), _both(), *rows]
    rows += [_both(), _both(Run("actions", "label"))]
    for action in compared.actions:
        cells = []
        for one in (action.a, action.b):
            takes = f", {one.duration} h" if one is not None and one.duration is not None else ""
            text = "·" if one is None else f"{shown(one.id, 8)} {shown(one.name, 80)}{takes}"
            glyph = Run(f"{_GLYPHS[action.change]} ", _ROLES[action.change])
            cells.append(Line(cut([glyph, Run(text, _ROLES[action.change])], width)))
        rows.append(Row(cells[0], cells[1], action.change != "same"))
    return rows


def _marked(line: Line) -> bool:
    return any(run.role.startswith("diff-") for run in line.runs)


def constraint_rows(compared: Comparison, width: int) -> list[Row]:
    """What each asks for: same, added, gone; and whether the same plans are right."""
    diff = compared.constraints
    if diff is None:
        return [
            _both(Run("One of the requests cannot be read, so what they ask for is not compared.", "dim"))
        ]
    told = {
        True: "Both ask for the same: every plan that is right for one is right for the other.",
        False: "They do not ask for the same.",
        None: "Whether they ask for the same is not known.",
    }[diff.equivalent]
    rows = [_both(run) for runs in paragraph(told, width, "strong") for run in runs]
    rows.append(_both())
    for row in diff.rows:
        cells: list[list[tuple[Run, ...]]] = []
        for constraint, said in ((row.a, row.words_a), (row.b, row.words_b)):
            if constraint is None:
                note = "follows all the same" if row.follows else "not asked for"
                cells.append([(Run("  · ", "faint"), Run(note, "dim"))])
                continue
            head = (
                Run(f"{_GLYPHS[row.change]} ", _ROLES[row.change]),
                Run(f"{shown(constraint.id, 6):<4}", "dim"),
            )
            lines = paragraph(said or constraint.text, width - 6, _ROLES[row.change])
            cells.append(
                [((*head, *runs) if i == 0 else (Run(" " * 6), *runs)) for i, runs in enumerate(lines)]
            )
        rows += _beside(cells[0], cells[1], row.change != "same")
    return rows


def _beside(a: list[tuple[Run, ...]], b: list[tuple[Run, ...]], differs: bool) -> list[Row]:
    longest = max(len(a), len(b))
    a, b = a + [()] * (longest - len(a)), b + [()] * (longest - len(b))
    return [Row(Line(x), Line(y), differs and i == 0) for i, (x, y) in enumerate(zip(a, b, strict=True))]


def tree_rows(compared: Comparison, width: int) -> list[Row]:
    """The two syntax trees, line by line."""
    if compared.tree is None:
        return [_both(Run("One of the requests cannot be read, so there is no tree to compare.", "dim"))]
    rows = []
    if compared.tree.same:
        rows = [_both(Run("The trees are the same.", "dim")), _both()]
    for row in compared.tree.rows:
        cells = []
        for side, index in ((compared.a, row.a), (compared.b, row.b)):
            if index is None:
                cells.append(Line((Run("  ·", "faint"),)))
                continue
            node = side.outline[index]
            indent = "  " * min(node.depth, 20)
            glyph = Run(f"{_GLYPHS[row.change]} ", _ROLES[row.change])
            cells.append(
                Line(cut([glyph, Run(indent), Run(shown(node.label, 200), _ROLES[row.change])], width))
            )
        rows.append(Row(cells[0], cells[1], row.change != "same"))
    return rows


_NAMES = {
    "limit_seconds": "limit of seconds",
    "limit_model_calls": "limit of model calls",
    "error_type": "type of error",
    "first_violation": "first violation",
    "model_calls": "answers of the model",
    "input_tokens": "tokens read",
    "output_tokens": "tokens written",
    "model_seconds": "seconds of the model",
}


def fact_rows(compared: Comparison, width: int) -> list[Row]:
    """Agent, model, verdict, costs: what differs is marked; then how each came out, in words."""
    rows = []
    for field in compared.fields:
        if field.a is None and field.b is None:
            continue
        name = _NAMES.get(field.name, field.name.replace("_", " "))
        cells = []
        for value in (field.a, field.b):
            text = (
                "·"
                if value is None
                else f"{value:,.2f}"
                if isinstance(value, float)
                else shown(str(value), 200)
            )
            mark = "  " if field.same else "~ "
            role = "" if field.same else "caution"
            cells.append(Line(cut([Run(mark, role), Run(f"{name:<22}", "label"), Run(text, role)], width)))
        rows.append(Row(cells[0], cells[1], not field.same))
    rows.append(_both())
    told = [
        list(paragraph(side.verdict.explanation if side.verdict else "", width))
        for side in (compared.a, compared.b)
    ]
    rows += _beside(told[0], told[1], False)
    for unknown in compared.unknown:
        where = {"a": "left: ", "b": "right: "}.get(unknown.side or "", "")
        rows += [_both(*runs) for runs in paragraph(f"not known: {where}{unknown.why}", width, "dim")]
    return rows


def verdict_of(side: Side) -> tuple[Run, ...]:
    """How one side came out, as a chip."""
    if side.run is None:
        return (Run("a request, not run", "dim"),)
    verdict = side.verdict
    if verdict is None:
        return (Run("not judged", "dim"),)
    if verdict.verdict == "wrong":
        return (Run(f" ✗ {(verdict.error_type or 'wrong').replace('_', ' ').upper()} ", "wrong"),)
    chips = {
        "right": (" ✓ RIGHT ", "right"),
        "aborted": (" ! ABORTED ", "stop"),
        "unknown": (" ? UNKNOWN ", "stop"),
    }
    return (Run(*chips[verdict.verdict]),)
