"""A run under way is judged call by call, each call once."""

from __future__ import annotations

import threading

from planscope.debugger.run_index import RunIndex
from planscope.language.problem import Problem
from planscope.oracle.plan import Plan
from planscope.oracle.trace import Call, Trace
from planscope.session.oracle_input import call_of
from planscope.session.record import RunRecord


class GrowingRun:
    """Follows one record as it grows. From any thread.

    A call that was answered is settled. One that was not may still be refused, or be edited while it is paused, so it
    is judged on top of the settled ones each time.
    """

    def __init__(self, problem: Problem, plan: Plan | None = None) -> None:
        from planscope.oracle.replay import Replay  # Z3 comes with it

        self._settled = RunIndex(Replay(problem, Trace((), "running"), plan))
        self._lock = threading.Lock()

    def judged(self, record: RunRecord, *more: Call) -> RunIndex:
        """The run so far, as one that is not over; ``more`` are calls that are not recorded yet."""
        with self._lock:
            begun = len(self._settled.steps) - 1
            answered = begun
            while answered < len(record.calls) and record.calls[answered].answer is not None:
                answered += 1
            if answered > begun:
                self._settled = self._settled.then(*map(call_of, record.calls[begun:answered]))
            waiting = [*map(call_of, record.calls[answered:]), *more]
            return self._settled.then(*waiting) if waiting else self._settled
