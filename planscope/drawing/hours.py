"""Computes the hours of a timed plan: when each action was done, and the window that clock times and order leave to
each.

A window follows from the constraints of the text alone. Since actions run one by one, fewer hours may really be
possible.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Literal

from planscope.debugger.run_index import RunIndex
from planscope.frozen import frozen
from planscope.language.problem import DAY, Problem

Kind = Literal["done", "next", "open", "lost"]
"""The state of an action at a step: done, a safe next call, still to come, or part of the conflict."""

Hours = tuple[int, int]
"""The first hour, and the hour after the last."""


@frozen
class Bar:
    """One action on the axis from 0 to 24. ``done``: when it ran. ``window``: the hours that are possible for it, or
    None.

    ``safe``: the hours of its safe starts, if it can come next.
    """

    action: str
    kind: Kind
    done: Hours | None
    window: Hours | None
    safe: Hours | None = None


def bars(run: RunIndex, index: int, safe: Mapping[str, Hours | None] | None = None) -> tuple[Bar, ...]:
    """Return the bars after a step: first the actions that were done, by hour, then the others by the end of their
    window.

    ``safe``: the safe next calls with the first and last hour of their start, as the oracle names them.
    """
    problem = run.problem
    done: dict[str, Hours] = {}
    for action in problem.actions:
        ran = run.execution(action.id, index)
        if ran is not None and ran.start is not None and ran.end is not None:
            done[action.id] = (ran.start, ran.end)
    conflict = conflict_at(run, index)
    left = windows(problem, done)
    whole = windows(problem, {})
    made = []
    for action in problem.actions:
        ran_at = done.get(action.id)
        starts = (safe or {}).get(action.id)
        made.append(
            Bar(
                action.id,
                kind_of(run, index, action.id, safe or (), conflict),
                ran_at,
                whole[action.id] if ran_at is not None else left[action.id],
                None if starts is None else (starts[0], starts[1] + (action.duration or 1)),
            )
        )
    last = (DAY + 1, DAY + 1)
    return tuple(sorted(made, key=lambda bar: (bar.done is None, bar.done or (bar.window or last)[::-1])))


def kind_of(run: RunIndex, index: int, action: str, safe: Collection[str], conflict: Collection[str]) -> Kind:
    """Return the state of an action at a step. ``safe``: the safe next calls. ``conflict``: :func:`conflict_at` the
    step."""
    if action in conflict:
        return "lost"
    if run.execution(action, index) is not None:
        return "done"
    return "next" if action in safe else "open"


def conflict_at(run: RunIndex, index: int) -> frozenset[str]:
    """Return the actions that the conflict at a step is about: those of its constraints and of its steps."""
    view = run.steps[index]
    core = view.core if view.lost else None
    if core is None:
        return frozenset()
    known = run.problem.by_id
    about = {action for c in core.constraints if c in known for action in known[c].actions}
    for step in core.steps:
        at = run.index_of.get(step)
        ran = run.steps[at].action if at is not None else None
        about |= {ran} if ran is not None else set()
    return frozenset(about)


def windows(problem: Problem, done: Mapping[str, Hours]) -> dict[str, Hours | None]:
    """Return the hours that clock times and order leave to each action after those in ``done``, or None if no hour
    is left."""
    length = {action.id: action.duration or 1 for action in problem.actions}
    clock = max((end for _, end in done.values()), default=0)
    first = {a: done[a][0] if a in done else clock for a in length}
    last = {a: done[a][1] if a in done else DAY for a in length}
    before: dict[str, list[str]] = defaultdict(list)
    for c in problem.constraints:
        if c.kind == "start_at_least" and c.action in length and c.action not in done and c.hour is not None:
            first[c.action] = max(first[c.action], c.hour)
        elif c.kind == "end_at_most" and c.action in length and c.action not in done and c.hour is not None:
            last[c.action] = min(last[c.action], c.hour)
        elif c.kind == "order" and c.before in length and c.after in length:
            before[str(c.after)].append(str(c.before))
    for _ in range(DAY + 1):  # hours only move inwards, so that a contradiction ends this, too
        moved = False
        for after, earlier in before.items():
            for one in earlier:
                start = first[one] + length[one] if one not in done else done[one][1]
                end = last[after] - length[after] if after not in done else done[after][0]
                if after not in done and start > first[after]:
                    first[after], moved = min(start, DAY + 1), True
                if one not in done and end < last[one]:
                    last[one], moved = max(end, -1), True
        if not moved:
            break
    found: dict[str, Hours | None] = {}
    for action, hours in length.items():
        fits = last[action] - first[action] >= hours
        found[action] = (first[action], last[action]) if fits else None
    return found


NOTHING, WINDOW, SAFE, RAN = " ", "░", "▒", "█"
"""The cells of a bar: an impossible hour, an hour of its window, an hour of its safe calls, an hour that it took."""


def cells_of(bar: Bar, width: int) -> str:
    """Draw a bar with ``width`` cells for each hour of the day."""
    cells = []
    for hour in range(DAY):
        glyph = NOTHING
        for hours, sign in ((bar.window, WINDOW), (bar.safe, SAFE), (bar.done, RAN)):
            if hours is not None and hours[0] <= hour < hours[1]:
                glyph = sign
        cells.append(glyph * width)
    return "".join(cells)


def axis(width: int) -> str:
    """Write the hours above the bars, ``width`` cells for each: every third hour if there is room, or else every
    sixth."""
    every = 3 if width > 1 else 6
    line = [" "] * (DAY * width + 2)
    for hour in range(0, DAY + 1, every):
        for i, letter in enumerate(str(hour)):
            line[hour * width + i] = letter
    return "".join(line).rstrip()
