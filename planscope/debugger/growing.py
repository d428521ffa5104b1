"""Judges a live run call by call, each call once."""

from __future__ import annotations

import threading

from planscope.debugger.run_index import RunIndex
from planscope.language.problem import Problem
from planscope.oracle.plan import Plan
from planscope.oracle.trace import ToolCall, Trace
from planscope.session.record import RunRecord
from planscope.session.traces import items_of


class GrowingRun:
    """Judges one record as it grows, from any thread.

    A call that has an answer is final. One without may still be refused, or be edited while it is paused, so each time
    it is judged again, on top of the final ones.
    """

    def __init__(self, problem: Problem, plan: Plan | None = None) -> None:
        from planscope.oracle.replay import replay  # imported late because it imports Z3

        self._settled = RunIndex(replay(problem, Trace((), "running"), plan))
        self._lock = threading.Lock()

    def judged(self, record: RunRecord, *more: ToolCall) -> RunIndex:
        """Return the run so far, as one that has not ended. ``more`` are calls that are not recorded yet."""
        with self._lock:
            begun = len(self._settled.steps) - 1
            answered = begun
            while answered < len(record.calls) and record.calls[answered].answer is not None:
                answered += 1
            if answered > begun:
                self._settled = self._settled.then(*items_of(record, begun, answered, self._last))
            waiting = [*items_of(record, answered, None, self._last), *more]
            return self._settled.then(*waiting) if waiting else self._settled

    @property
    def _last(self) -> int:
        """The number of the last message before the calls that are not final."""
        return self._settled.replay.trace.message
