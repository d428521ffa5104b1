"""A run judged: every step of it, the whole, and what would have been right (paper 4.3, 4.4, section 7)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from planscope.language.problem import Problem
from planscope.oracle import certificate, repair
from planscope.oracle.trace import Trace
from planscope.oracle.verdict import judge
from planscope.oracle.verdict_types import Repair, Verdict
from planscope.oracle.walk import Walk


class Replay(Walk):
    """A walk with its judgement. Steps are computed once; all else on demand."""

    def verdict(self, *, strict: bool = False) -> Verdict:
        """The judgement of the last attempt. ``strict``: warnings fail a run that is otherwise right."""
        return judge(self, strict)

    def repair(self, from_step: int = 0) -> Repair:
        """The nearest valid plan that keeps the first ``from_step`` calls as they were made, searched for once."""
        if self.problem.unjudged:
            return Repair(None, reason=self.problem.unjudged)
        if from_step not in self._repairs:
            self._repairs[from_step] = repair.nearest(self.problem, self.plan, self.last_attempt, from_step)
        return self._repairs[from_step]

    @cached_property
    def _repairs(self) -> dict[int, Repair]:
        """The plans found so far, by the number of calls that they keep."""
        return {}

    def certify(
        self, timeout: int = 10_000, started: Callable[[Callable[[], None]], None] | None = None
    ) -> bool | None:
        """Ask Z3 whether verdict and core are true. None: it gave up. ``timeout`` in milliseconds a question.

        ``started`` is handed a function that makes Z3 give up at once, for any thread to call.
        """
        if self.problem.unjudged:
            return None
        return certificate.certify(self, timeout, started)


def replay(problem: Problem, trace: Trace) -> Replay:
    """Judge every step of ``trace`` against ``problem``."""
    return Replay(problem, trace)
