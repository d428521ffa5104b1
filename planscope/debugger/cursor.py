"""The debugger's cursor in a run, and the keys' moves as functions from state to state.

Forward and back are symmetric: ``previous_call`` undoes ``next_call``, and ``previous_check`` undoes ``next_check``. A
move beyond an end leaves the state as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from planscope.debugger.errors import DebuggerError, shown
from planscope.debugger.run_index import RunIndex
from planscope.debugger.selection import SelectedConstraint, SelectedStep, Selection
from planscope.frozen import frozen
from planscope.oracle.judged import Judged
from planscope.oracle.verdict_types import StepNo, StepView


@frozen
class DebugState:
    """A place in a run.

    ``index`` is an index into ``run.steps``. ``check`` is an index into ``checks`` (the constraints whose status
    changed here), or None for the step as a whole. ``selection`` is what the user selected.
    """

    run: RunIndex
    index: int = 0
    check: int | None = None
    selection: Selection | None = None

    @property
    def view(self) -> StepView:
        return self.run.steps[self.index]

    @property
    def step(self) -> StepNo:
        return self.view.step

    @property
    def checks(self) -> tuple[str, ...]:
        """The constraints whose status changed at this step or that entered the core here, by number."""
        return self.run.checks[self.index]

    @property
    def checked(self) -> str | None:
        """The id of the constraint at ``check``, or None."""
        return None if self.check is None else self.checks[self.check]


def open_run(replay: Judged, index: int = 0) -> DebugState:
    """Return a state over a judged run. ``index`` is clamped. The call costs one walk over the run."""
    run = RunIndex(replay)
    return DebugState(run, min(max(index, 0), run.last))


def with_run(state: DebugState, run: RunIndex) -> DebugState:
    """Return the same place in another run, for example one with one more call. A cursor at the end stays at the
    end."""
    index = run.last if state.index == state.run.last else min(state.index, run.last)
    same = index == state.index and state.check is not None and run.checks[index] == state.checks
    return replace(_moved(state, index), run=run, check=state.check if same else None)


def _moved(state: DebugState, index: int, check: int | None = None) -> DebugState:
    kept = None if isinstance(state.selection, SelectedStep) or check is not None else state.selection
    return replace(state, index=index, check=check, selection=kept)


def go_to(state: DebugState, index: int) -> DebugState:
    """Move to an index of the run, clamped."""
    return _moved(state, min(max(index, 0), state.run.last))


def next_call(state: DebugState) -> DebugState:
    return go_to(state, state.index + 1) if state.index < state.run.last else state


def previous_call(state: DebugState) -> DebugState:
    return go_to(state, state.index - 1) if state.index > 0 else state


def go_start(state: DebugState) -> DebugState:
    return go_to(state, 0)


def go_end(state: DebugState) -> DebugState:
    return go_to(state, state.run.last)


def next_check(state: DebugState) -> DebugState:
    """Move to the next constraint that changed at this step; after the last one, move to the next step."""
    following = 0 if state.check is None else state.check + 1
    if following < len(state.checks):
        return _moved(state, state.index, following)
    return next_call(state)


def previous_check(state: DebugState) -> DebugState:
    """Undo ``next_check``."""
    if state.check is not None:
        return _moved(state, state.index, state.check - 1 if state.check > 0 else None)
    if state.index == 0:
        return state
    checks = len(state.run.checks[state.index - 1])
    return _moved(state, state.index - 1, checks - 1 if checks else None)


def first_violation(state: DebugState) -> DebugState:
    """Move to the last attempt's point of no return, and there to the first constraint of its core.

    If no step lost the plan but the run has another error (it reached a limit), move to that. Otherwise stay.
    """
    index = state.run.first_violation
    if index is None:
        return state
    core = state.run.steps[index].core
    first = core.constraints[0] if core and core.constraints else None
    checks = state.run.checks[index]
    return _moved(state, index, checks.index(first) if first in checks else None)


def select(state: DebugState, selection: Selection | None) -> DebugState:
    """Select something. Selecting a step moves there."""
    if isinstance(selection, SelectedStep):
        state = go_to(state, selection.index)
        selection = SelectedStep(state.index)
    return replace(state, selection=selection)


def focus(state: DebugState) -> Selection:
    """Return what is highlighted: the selection, or else the constraint being checked, or else the step."""
    if state.selection is not None:
        return state.selection
    if state.checked is not None:
        return SelectedConstraint(state.checked)
    return SelectedStep(state.index)


def parse_step(run: RunIndex, text: str) -> int:
    """Return the index of a step as the user typed it: ``3``, ``step 3``, ``start``, ``end``."""
    word = text.strip().casefold()
    word = word.removeprefix("step").strip() or word
    last = run.last if run.steps[-1].step != "end" else run.last - 1
    if word in ("start", "begin"):
        return 0
    if word == "end":
        return run.last
    if word.isascii() and word.isdigit() and len(word) <= 9:
        index = run.index_of.get(int(word))
        if index is not None:
            return index
        over = ", and end" if run.steps[-1].step == "end" else "; this run is not over"
        raise DebuggerError(f"no step {int(word)}; the steps are 0 to {last}{over}")
    raise DebuggerError(f"{shown(text)} is not a step; enter 0 to {last}, start or end")


def cursor_record(state: DebugState) -> dict[str, Any]:
    """Return the cursor as JSON, for a session file."""
    record: dict[str, Any] = {"index": state.index}
    if state.check is not None:
        record["check"] = state.check
    return record


def restore_cursor(state: DebugState, record: Mapping[str, Any]) -> DebugState:
    """Return the cursor from a session file as far as it fits this run. The file is not trusted."""
    index, check = record.get("index"), record.get("check")
    if type(index) is not int:
        return state
    moved = go_to(state, index)
    if type(check) is int and moved.index == index and 0 <= check < len(moved.checks):
        return _moved(moved, moved.index, check)
    return moved
