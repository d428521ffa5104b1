"""Where a run that is under way pauses: before the call that a breakpoint is about, while its tool has not answered.

The same breakpoints as on the way through a recorded run. What a recorded run shows after a call (a constraint that
breaks, a finding, a condition that comes true) is foreseen here, so that the call can still be changed. What is so
before any call pauses before the first.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Sequence

from planscope.debugger.breakpoints import (
    AboutToBreak,
    Breakpoint,
    ErrorBreak,
    NoReturn,
    StepBreak,
    ToolBreak,
    When,
)
from planscope.debugger.run_index import RunIndex
from planscope.debugger.stops import becomes_true, reasons
from planscope.language.problem import Problem
from planscope.oracle.facts import Fact
from planscope.oracle.plan import Cursor, Plan
from planscope.oracle.statuses import Attempt
from planscope.oracle.trace import Call, Trace
from planscope.oracle.verdict_types import Core, Move, PlannedCall, StepNo


class LiveStops:
    """The breakpoints of one run, asked before each call on whatever thread; ``breakpoints`` may be set from any.

    What is learned of the problem is kept from one question to the next. ``problem`` None: the request cannot be read,
    so nothing is judged, and only tools, steps and calls that reach no tool are paused at.
    """

    def __init__(self, problem: Problem | None, breakpoints: Iterable[Breakpoint] = ()) -> None:
        self.problem = problem
        self.breakpoints = breakpoints
        self._lock = threading.Lock()
        self._plan: Plan | None = None

    @property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        return self._breakpoints

    @breakpoints.setter
    def breakpoints(self, breakpoints: Iterable[Breakpoint]) -> None:
        self._breakpoints = tuple(breakpoints)

    def why(self, trace: Trace, call: Call) -> tuple[str, ...]:
        """Why to pause before ``call``, the one behind ``trace``: empty where no breakpoint is about it.

        As ``stops.reasons``: what the call would do, then the breakpoints by their text. A call that cannot be
        read has ``arguments=None`` and its ``error``. Quick, but for conditions on ``valid_completions``.
        """
        breakpoints = self.breakpoints
        step = len(trace.calls) + 1
        places = {step} if step > 1 else {0, step}
        if all(
            (isinstance(b, ToolBreak) and b.tool != call.tool)
            or (isinstance(b, StepBreak) and b.step not in places)
            for b in breakpoints
        ):
            return ()
        if self.problem is None:
            return tuple(str(b) for b in breakpoints if _is_plain_hit(b, places, call))
        run = self._judged(self.problem, Trace((*trace.calls, call), "running"))
        return _why(run, sorted(places), breakpoints, call.tool)

    def _judged(self, problem: Problem, trace: Trace) -> RunIndex:
        from planscope.oracle.replay import Replay  # Z3 comes with it
        from planscope.oracle.walk import plan_of

        with self._lock:
            if self._plan is None:
                self._plan = _Coreless(plan_of(problem))
            return RunIndex(Replay(problem, trace, self._plan))


class _Coreless:
    """A plan that finds no cores: no breakpoint is about them, and each attempt of a run would need one anew."""

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


def _is_plain_hit(breakpoint: Breakpoint, places: Collection[int], call: Call) -> bool:
    """Whether a breakpoint is about a call of which nothing is known but what it is."""
    match breakpoint:
        case ToolBreak(tool):
            return tool == call.tool
        case StepBreak(step):
            return step in places
        case ErrorBreak(kind):
            return call.error is not None and kind in (None, "act_error")
        case _:
            return False


def _is_hit(breakpoint: Breakpoint, run: RunIndex, places: Collection[int], tool: str | None) -> bool:
    match breakpoint:
        case ToolBreak():
            return breakpoint.tool == tool
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
            return any(becomes_true(breakpoint, run, i) for i in places)
