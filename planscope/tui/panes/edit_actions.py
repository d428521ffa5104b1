"""What the edit screen says of a draft's actions, and of the limits of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planscope.debugger.draft import Draft
from planscope.language.problem import slug
from planscope.safe import cell_width
from planscope.tui.lines import BLANK, Line, Run, cut, justify, shown
from planscope.tui.panes.edit_lines import GLYPHS, ROLES, Place, Said, ground
from planscope.tui.panes.edit_state import ActionLine, EditState, action_lines


def actions_said(state: EditState, width: int) -> Said:
    """Actions with what was done to them, and the limits of a run."""
    listed = action_lines(state)
    chosen = state.line_chosen("actions", len(listed))
    columns = _columns(state, listed, width)
    lines = [_action(line, columns, number == chosen, width) for number, line in enumerate(listed)]
    places = tuple(Place(number) for number in range(len(lines)))
    lines += [BLANK, *_limits(state.before, state.draft, width)]
    return Said(tuple(lines), places)


@dataclass(frozen=True, slots=True)
class _Columns:
    """``name``: cells of the names where tools stand beside them, 0 where there is no room for these."""

    name: int
    timed: bool


def _columns(state: EditState, listed: Sequence[ActionLine], width: int) -> _Columns:
    """Tools are told where there is room; most follow from the names."""
    actions = [action for line in listed if (action := line.now or line.was) is not None]
    names = max(cell_width(shown(action.name, 80)) for action in actions)
    tools = max(len(shown(action.tool, 64)) for action in actions)
    right = max(len(_story(line)) for line in listed) + (6 if state.draft.timed else 0)
    return _Columns(names if 6 + names + 2 + tools + 1 + right <= width else 0, state.draft.timed)


def _action(line: ActionLine, columns: _Columns, chosen: bool, width: int) -> Line:
    action = line.now or line.was
    assert action is not None
    what, role = _what_became(line)
    there = line.now is not None
    name = shown(action.name, 80)
    left = [
        Run(f"{what or ' '} ", role),
        Run(f"{shown(action.id, 8):<3} ", "dim"),
        Run(name, "action" if there else "dim"),
    ]
    if columns.name or action.tool != slug(action.name):
        pad = " " * max(columns.name - cell_width(name), 0)
        left.append(Run(f"{pad}  {shown(action.tool, 64)}", "tool" if there else "dim"))
    right = [Run(_story(line), role)]
    if there and columns.timed:
        right.append(Run(f" {action.duration:>2} h", "strong"))
    return Line(justify(left, [run for run in right if run.text], width), ground(chosen))


def _what_became(line: ActionLine) -> tuple[str, str]:
    if line.now is None:
        return GLYPHS["gone"], ROLES["gone"]
    if line.was is None:
        return GLYPHS["added"], ROLES["added"]
    return ("~", "caution") if line.now != line.was else ("", "dim")


def _story(line: ActionLine) -> str:
    """What was done to an action, in words."""
    if line.now is None:
        return "dropped"
    if line.was is None:
        return "added"
    told = []
    if line.now.name != line.was.name:
        told.append(f"was {shown(line.was.name, 40)}")
    if (
        line.now.duration != line.was.duration
        and line.was.duration is not None
        and line.now.duration is not None
    ):
        told.append(f"was {line.was.duration} h")
    return ", ".join(told)


def _limits(before: Draft, now: Draft, width: int) -> Iterator[Line]:
    runs = [Run("  limits  ", "label"), *_limit("", now.seconds, before.seconds, " s")]
    runs += [Run(", "), *_limit("", now.model_calls, before.model_calls, " model calls")]
    yield Line(cut(runs, width))
    kind = "timed: clock times and hours" if now.timed else "not timed: order alone"
    changed = before.timed != now.timed
    yield Line(cut((Run("  request ", "label"), Run(kind, "caution" if changed else "")), width))


def _limit(label: str, now: float, before: float, unit: str) -> Sequence[Run]:
    text = f"{label}{now:g}{unit}"
    return (Run(text),) if now == before else (Run(text, "caution"), Run(f" (was {before:g})", "dim"))
