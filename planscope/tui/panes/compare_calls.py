"""Shows the calls of two runs side by side: calls kept by a fork, and the end of each run."""

from __future__ import annotations

from collections.abc import Iterator

from planscope.compare.result import CallRow, Comparison, Kept, Side, StepSide
from planscope.compare.wording import ended
from planscope.compare.wording import state as state_word
from planscope.frozen import frozen
from planscope.tui.style.lines import Line, Run, cut, justify, paragraph, shown, width_of
from planscope.tui.style.roles import CHANGES as ROLES
from planscope.wording import phrases, terms
from planscope.wording.terms import CHANGE_SIGNS, PARTED_GLYPH

ROOMY = 50
"""From this width on, in cells, a column shows the name of a state beside its sign."""
_HEAD = 7
"""The width of the signs and the step number of a row, in cells."""
_MOST_LINES = 4
"""At most this many lines of a call are shown."""


@frozen
class Row:
    """A row with a line in each column. ``differs``: the two sides differ. ``steps``: the index of each side's step.

    ``constraints``: the id of each side's constraint, or "". ``lost``: a side's plan was lost here.
    """

    a: Line
    b: Line
    differs: bool = False
    steps: tuple[int | None, int | None] = (None, None)
    constraints: tuple[str, str] = ("", "")
    lost: bool = False


def both(*runs: Run, differs: bool = False) -> Row:
    """Make a row with the same line in both columns."""
    line = Line(runs)
    return Row(line, line, differs)


def beside(
    a: list[tuple[Run, ...]],
    b: list[tuple[Run, ...]],
    differs: bool,
    steps: tuple[int | None, int | None] = (None, None),
    constraints: tuple[str, str] = ("", ""),
) -> list[Row]:
    """Put two paragraphs side by side. If ``differs``, only the first row counts as a difference."""
    longest = max(len(a), len(b))
    a, b = a + [()] * (longest - len(a)), b + [()] * (longest - len(b))
    return [
        Row(Line(x), Line(y), differs and i == 0, steps, constraints)
        for i, (x, y) in enumerate(zip(a, b, strict=True))
    ]


def call_rows(compared: Comparison, width: int) -> list[Row]:
    """Make a row for each pair of calls, with a line after the calls kept by a fork. The lower half of the screen tells
    the chosen row whole."""
    if compared.calls is None:
        missing = [side.variant for side in (compared.a, compared.b) if side.run is None]
        return [
            both(Run(f"{', '.join(shown(v, 20) for v in missing)} was not run: no calls to compare", "dim"))
        ]
    rows: list[Row] = []
    parted, kept = compared.divergence, compared.kept
    for row in compared.calls.rows:
        marks = (parted is not None and parted.a == row.a, parted is not None and parted.b == row.b)
        cells = [
            _call_cell(side, index, row, mark, kept, width)
            for side, index, mark in zip((compared.a, compared.b), (row.a, row.b), marks, strict=True)
        ]
        lost = any(map(lost_at, (compared.a, compared.b), (row.a, row.b)))
        differs = row.change != "same" or any(marks) or lost
        rows.append(Row(cells[0][0], cells[1][0], differs, (row.a, row.b), lost=lost))
        rest = [[line.runs for line in lines[1:]] for lines in cells]
        rows += beside(rest[0], rest[1], False, (row.a, row.b))
        if kept is not None and row.a == row.b == kept.steps:
            rows.append(_border(compared, kept, width))
    ends = [_end_cell(side, width) for side in (compared.a, compared.b)]
    same = _said_end(compared.a) == _said_end(compared.b)
    last = (len(compared.a.steps) - 1, len(compared.b.steps) - 1)
    lost = any(lost_at(side, -1) and side.steps[-1].step == "end" for side in (compared.a, compared.b))
    rows.append(Row(ends[0], ends[1], lost or not same, last, lost=lost))
    return rows


def lost_at(side: Side, index: int | None) -> bool:
    """Return whether a side's plan was lost at a step."""
    first = side.verdict.first_violation if side.verdict is not None else None
    return first is not None and index is not None and side.steps[index].step == first.step


def _border(compared: Comparison, kept: Kept, width: int) -> Row:
    """Make the line below the calls that both runs share: the fork begins here."""
    made = []
    for side, other in ((compared.a, compared.b), (compared.b, compared.a)):
        forked = f"{shown(other.run or '', 12)} forks here"
        text = forked if side.run == kept.run else f"kept from {shown(kept.run, 12)} up to here"
        said = cut([Run(f"── {text} ", "dim")], width)
        made.append(Line((*said, Run("─" * (width - width_of(said)), "faint"))))
    return Row(made[0], made[1])


def _call_cell(
    side: Side, index: int | None, row: CallRow, parts: bool, kept: Kept | None, width: int
) -> list[Line]:
    """Make the lines of one call: one, or more if the call does not fit into it."""
    if index is None:
        where = (
            f"  ↕ moved: step {row.partner} on this side" if row.change == "moved" and row.partner else "  ·"
        )
        return [Line((Run(where, "dim"),))]
    step = side.steps[index]
    mark = Run(PARTED_GLYPH if parts else " ", "mark")
    head = [mark, Run(f"{CHANGE_SIGNS[row.change]} ", ROLES[row.change]), Run(f"{step.step!s:>3} ", "dim")]
    role = ROLES[row.change] or "tool"
    tail = _state(side, step, width)
    room = max(width - _HEAD - width_of(tail), 8)
    parts_of = paragraph(_call_text(step), room, role, 2000)
    if len(parts_of) > _MOST_LINES:
        parts_of = (*parts_of[: _MOST_LINES - 1], cut([*parts_of[_MOST_LINES - 1], Run("…" * room)], room))
    call = [*parts_of[0]]
    for note in _notes(side, step, row, kept):
        if width_of([*head, *call, note, *tail]) <= width:
            call.append(note)
    first = Line(justify([*head, *call], tail, width, gap=0))
    return [first, *(Line((Run(" " * _HEAD), *runs)) for runs in parts_of[1:])]


def _notes(side: Side, step: StepSide, row: CallRow, kept: Kept | None) -> Iterator[Run]:
    """Yield the notes on a call, the most important first; a note that does not fit is left out."""
    if step.refused_by:
        yield Run(" refused", "caution")
    if step.findings:
        yield Run(f" {phrases.findings(step.findings)}", "finding")
    if kept is not None and step.index <= kept.steps and side.run != kept.run:
        yield Run(" kept", "dim")
    if row.change == "moved" and row.partner is not None:
        yield Run(f" ↕ step {row.partner} there", "dim")


def _state(side: Side, step: StepSide, width: int) -> list[Run]:
    state = step.state
    if state is None or (side.verdict is not None and not side.verdict.judged):  # the title says so once
        return []
    if lost_at(side, step.index):
        return [Run(f" {terms.STATE_GLYPHS[state]} {terms.LOST_HERE}", "stop")]
    word = f" {state_word(side, step)}" if width >= ROOMY else ""
    return [Run(f" {terms.STATE_GLYPHS[state]}{word}", "dim" if state in ("doomed", "broken") else state)]


def _call_text(step: StepSide) -> str:
    if step.call is None:
        return "before any call" if step.step == 0 else "the end"
    return phrases.call(step.call.tool, step.call.arguments)


# The end of a run


def _said_end(side: Side) -> tuple[object, object]:
    return side.ending, side.verdict.verdict if side.verdict is not None else None


def _end_cell(side: Side, width: int) -> Line:
    tail = _state(side, side.steps[-1], width) if side.steps else []
    mark = Run("!", "unknown") if side.ending == "aborted" else Run(" ")
    return Line(justify([mark, Run("  end ", "dim"), Run(ended(side), "dim")], tail, width))
