"""Stops at breakpoints: the next one forward or back in a recorded run, and pauses in a live run.

A live run pauses before the call that a breakpoint is about, so that the call can still be changed. What a recorded run
shows after the call (a violated constraint, an error, a condition that becomes true) is predicted. What holds before
any call pauses before the first one.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal

from planscope.debugger.breakpoints import (
    AboutToBreak,
    Breakpoint,
    ErrorBreak,
    NoReturn,
    StepBreak,
    ToolBreak,
    When,
)
from planscope.debugger.cursor import DebugState, go_to
from planscope.debugger.growing import GrowingRun
from planscope.debugger.run_index import RunIndex
from planscope.debugger.watches import evaluate
from planscope.language.problem import Problem
from planscope.oracle.facts import Fact
from planscope.oracle.plan import Cursor, Plan
from planscope.oracle.statuses import Attempt
from planscope.oracle.trace import ToolCall
from planscope.oracle.verdict_types import Core, Move, PlannedCall, StepNo
from planscope.session.record import RunRecord
from planscope.wording.constraints import brief
from planscope.wording.terms import NO_RETURN, said

Cancelled = Callable[[], bool]


def never() -> bool:
    return False


def hits(point: Breakpoint, run: RunIndex) -> tuple[int, ...]:
    """Return the sorted indexes at which a breakpoint stops. A costly condition asks the oracle for every step's
    count."""
    if point not in run.memo:
        run.memo[point] = tuple(sorted(_hits(point, run)))
    return run.memo[point]


def _hits(point: Breakpoint, run: RunIndex) -> Iterable[int]:
    match point:
        case ToolBreak(tool):
            return {i - 1 for i in run.called.get(tool, ())}
        case StepBreak(step):
            return [run.index_of[step]] if step in run.index_of else []
        case AboutToBreak(constraint):
            broken = run.breaks if constraint is None else [constraint]
            return {max(i - 1, 0) for c in broken for i in run.breaks.get(c, ())}
        case NoReturn():
            return run.doomed
        case ErrorBreak(kind):
            types = run.found if kind is None else [kind]
            return {i for t in types for i in run.found.get(t, ())}
        case When():
            return [i for i in range(run.last + 1) if becomes_true(point, run, i)]


def becomes_true(when: When, run: RunIndex, index: int) -> bool:
    """Return whether the condition holds at an index and did not at the one before."""
    if evaluate(when.condition, run, index) is not True:
        return False
    return index == 0 or evaluate(when.condition, run, index - 1) is not True


def _slow(point: Breakpoint, run: RunIndex) -> bool:
    return isinstance(point, When) and point.costly and point not in run.memo


def hit_steps(point: Breakpoint, run: RunIndex) -> tuple[StepNo, ...] | None:
    """Return the steps of this run at which a breakpoint stops; None if that is slow to find out."""
    return None if _slow(point, run) else tuple(run.steps[i].step for i in hits(point, run))


def continue_forward(
    state: DebugState, breakpoints: Sequence[Breakpoint], cancelled: Cancelled = never
) -> DebugState:
    """Move to the next breakpoint or violation, or else to the end.

    This is quick, except for conditions on ``valid_completions`` whose counts are not known yet. Those are asked step
    by step. ``cancelled`` is called in between; once it returns True, the state stays as it is.
    """
    return _go_on(state, breakpoints, cancelled, 1)


def continue_back(
    state: DebugState, breakpoints: Sequence[Breakpoint], cancelled: Cancelled = never
) -> DebugState:
    """Move to the previous breakpoint or violation, or else to the start; see ``continue_forward``."""
    return _go_on(state, breakpoints, cancelled, -1)


def _go_on(
    state: DebugState, breakpoints: Sequence[Breakpoint], cancelled: Cancelled, way: Literal[1, -1]
) -> DebugState:
    run, here = state.run, state.index
    slow = [b for b in breakpoints if isinstance(b, When) and _slow(b, run)]
    found = [run.last if way > 0 else 0]
    for stops in (run.violations, *(hits(b, run) for b in breakpoints if b not in slow)):
        at = bisect_right(stops, here) if way > 0 else bisect_left(stops, here) - 1
        found += stops[at : at + 1] if at >= 0 else ()
    target = min(found, key=lambda index: abs(index - here))
    for index in range(here + way, target, way) if slow else ():
        if cancelled():
            return state
        if any(becomes_true(when, run, index) for when in slow):
            return go_to(state, index)
    return state if target == here else go_to(state, target)


def reasons(run: RunIndex, index: int, breakpoints: Sequence[Breakpoint]) -> tuple[str, ...]:
    """Return the reasons to stop at an index: violations first, then the breakpoints as they are written."""
    said = [f"{c} breaks" for c in run.checks[index] if index in run.breaks.get(c, ())]
    if index in run.doomed:
        said.append("point of no return")
    said += [finding.type for finding in run.findings[index]]
    for point in breakpoints:
        if _slow(point, run):
            known = run.has_count(index) and (index == 0 or run.has_count(index - 1))
            stopped = known and isinstance(point, When) and becomes_true(point, run, index)
        else:
            stopped = _contains(hits(point, run), index)
        if stopped:
            said.append(str(point))
    return tuple(dict.fromkeys(said))


_SAID_BY_FACTS = ("breaks", "doomed", "lost", "error")
"""Kinds of breakpoints that stop only where another reason is given anyway."""


def in_words(reasons: Sequence[str], problem: Problem) -> str:
    """Return reasons as they are displayed, without breakpoints that only repeat the others."""
    facts = [r for r in reasons if r.partition(" ")[0] not in _SAID_BY_FACTS]
    return ", ".join(_in_words(reason, problem) for reason in facts or reasons)


def _in_words(reason: str, problem: Problem) -> str:
    kind, _, rest = reason.partition(" ")
    if kind in ("tool", "when"):
        return reason  # names of tools and conditions stay as they were written
    if rest == "breaks":
        return f"violates {_constraint(kind, problem)}"
    if kind == "breaks":
        return f"violates {_constraint(rest, problem) if rest else 'a constraint'}"
    if kind in ("doomed", "lost"):
        return NO_RETURN
    return said(rest if kind == "error" and rest else reason)


def _constraint(id: str, problem: Problem) -> str:
    """Name a constraint by its id and in words."""
    return f"{id} ({brief(problem.by_id[id], problem)})" if id in problem.by_id else id


def marks(run: RunIndex, breakpoints: Sequence[Breakpoint]) -> frozenset[int]:
    """Return the indexes to mark in the timeline: all stops of the breakpoints whose stops are quick to find."""
    return frozenset(i for b in breakpoints if not _slow(b, run) for i in hits(b, run))


def _contains(stops: tuple[int, ...], index: int) -> bool:
    at = bisect_left(stops, index)
    return at < len(stops) and stops[at] == index


class LiveStops:
    """The breakpoints of a live run, asked before each call. Safe to use from any thread.

    Judgements are kept from one call to the next. ``problem`` is None if the query cannot be read; then only
    breakpoints on tools, steps and calls that reach no tool pause.
    """

    def __init__(self, problem: Problem | None, breakpoints: Iterable[Breakpoint] = ()) -> None:
        self.problem = problem
        self.breakpoints = tuple(breakpoints)
        self._lock = threading.Lock()
        self._growing: GrowingRun | None = None

    def pause_at(self, breakpoints: Iterable[Breakpoint]) -> None:
        """Set other breakpoints. May be called from any thread."""
        self.breakpoints = tuple(breakpoints)

    def why(self, record: RunRecord, call: ToolCall) -> tuple[str, ...]:
        """Return why to pause before ``call``, the one after ``record``; nothing if no breakpoint is about it.

        The reasons are those of :func:`reasons`: the effects of the call, then the breakpoints by their text. A call
        that cannot be read has ``arguments=None`` and its ``error``. This is quick, except for conditions on
        ``valid_completions``.
        """
        breakpoints = self.breakpoints
        step = len(record.calls) + 1
        places = {step} if step > 1 else {0, step}
        if all(
            (isinstance(b, ToolBreak) and b.tool != call.tool)
            or (isinstance(b, StepBreak) and b.step not in places)
            for b in breakpoints
        ):
            return ()
        if self.problem is None:
            return tuple(str(b) for b in breakpoints if _is_plain_hit(b, places, call))
        run = self._judged(self.problem, record, call)
        return _why(run, sorted(places), breakpoints, call.tool)

    def _judged(self, problem: Problem, record: RunRecord, call: ToolCall) -> RunIndex:
        from planscope.oracle.walk import plan_of  # imported late because it imports Z3

        with self._lock:
            if self._growing is None:
                self._growing = GrowingRun(problem, _Coreless(plan_of(problem)))
            return self._growing.judged(record, call)


class _Coreless:
    """A plan that computes no cores, because no breakpoint needs them and each attempt of a run would cost one."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def begin(self) -> Cursor:
        return self._plan.begin()

    def core(self, attempt: Attempt, index: int, step: StepNo, called: Collection[int]) -> Core | None:
        return None

    def safe_moves(self, done: Sequence[Fact]) -> tuple[Move, ...]:
        return self._plan.safe_moves(done)

    def completions(self, done: Sequence[Fact]) -> int | None:
        return self._plan.completions(done)

    def one_way(self, done: Sequence[Fact]) -> tuple[PlannedCall, ...] | None:
        return self._plan.one_way(done)


def _why(
    run: RunIndex, places: Sequence[int], breakpoints: Sequence[Breakpoint], tool: str | None
) -> tuple[str, ...]:
    hit = [str(b) for b in breakpoints if _is_hit(b, run, places, tool)]
    if not hit:
        return ()
    broken = [f"{c} breaks" for c in run.order if any(i in run.breaks.get(c, ()) for i in places)]
    wrong = [said for i in places for said in reasons(run, i, ())]
    return tuple(dict.fromkeys([*broken, *wrong, *hit]))


def _is_plain_hit(point: Breakpoint, places: Collection[int], call: ToolCall) -> bool:
    """Return whether a breakpoint is about a call that cannot be judged."""
    match point:
        case ToolBreak(tool):
            return tool == call.tool
        case StepBreak(step):
            return step in places
        case ErrorBreak(kind):
            return call.error is not None and kind in (None, "act_error")
        case _:
            return False


def _is_hit(point: Breakpoint, run: RunIndex, places: Collection[int], tool: str | None) -> bool:
    match point:
        case ToolBreak():
            return point.tool == tool
        case StepBreak(step):
            return any(run.steps[i].step == step for i in places)
        case AboutToBreak(constraint):
            broken = run.breaks if constraint is None else [constraint]
            return any(i in run.breaks.get(c, ()) for c in broken for i in places)
        case NoReturn():
            return any(i in run.doomed for i in places)
        case ErrorBreak(kind):
            return any(kind in (None, finding.type) for i in places for finding in run.findings[i])
        case When():
            return any(becomes_true(point, run, i) for i in places)
