"""Judges a run: every step, the whole run, and its repair (paper 4.3, 4.4, section 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from planscope.language.problem import Problem
from planscope.oracle import certificate, repair
from planscope.oracle.findings import find_at_end, ordered
from planscope.oracle.judged import JudgedRun, OwnJudge, Started
from planscope.oracle.lookahead import Lookahead, Looks
from planscope.oracle.plan import Plan
from planscope.oracle.reasons import MOST, reasons
from planscope.oracle.trace import Trace
from planscope.oracle.verdict_types import (
    Core,
    Correction,
    ErrorType,
    Finding,
    Reasons,
    Repair,
    Verdict,
    VerdictKind,
    Violation,
)
from planscope.oracle.walk import Walk


def judge(run: Walk, strict: bool) -> Verdict:
    """Return the verdict: ``wrong`` with the type of its primary finding, or else ``right``, ``aborted`` or
    ``unknown``."""
    problem, attempt = run.problem, run.last_attempt
    complete = len(attempt.first) == len(problem.actions)
    found = [*run.last_findings(), *find_at_end(problem, attempt, run.trace)]
    findings = () if problem.unjudged else ordered(found, complete)
    violation = first_violation(run)
    kind, error = _decide(run, findings, strict)
    return Verdict(kind, error, findings, violation)


def first_violation(run: Walk) -> Violation | None:
    """Return the step at which the last attempt was lost, with its core; None if not lost, or if no core was found."""
    view = None if run.first_doomed is None else run.steps[run.first_doomed]
    if view is None or view.core is None:
        return None
    return Violation(view.step, highlighted(view.core), view.core)


def highlighted(core: Core) -> str:
    """Return the core's constraint that comes first in the text, or a rule if it has no constraint of the text."""
    return core.constraints[0]


def _decide(run: Walk, findings: tuple[Finding, ...], strict: bool) -> tuple[VerdictKind, ErrorType | None]:
    if run.trace.ending == "aborted":
        return "aborted", None
    if run.trace.ending == "running" or run.problem.unjudged:
        return "unknown", None
    primary = next((f for f in findings if f.severity == "error"), None)
    if primary is not None:
        return "wrong", primary.type
    if strict and findings:
        return "wrong", findings[0].type
    return "right", None


class Replay(Walk):
    """A walk over a run, with verdict, repair and certificate. Steps are computed once, the rest on demand."""

    def verdict(self, *, strict: bool = False) -> Verdict:
        """Return the verdict on the last attempt. ``strict``: warnings make an otherwise right run wrong."""
        return judge(self, strict)

    def repair(self, from_step: int = 0) -> Repair:
        """Return the nearest valid plan that keeps the first ``from_step`` calls as they were made. It is searched
        for once."""
        if self.problem.unjudged:
            return Repair(None, reason=self.problem.unjudged)
        if from_step not in self._repairs:
            self._repairs[from_step] = repair.nearest(self.problem, self.plan, self.last_attempt, from_step)
        return self._repairs[from_step]

    def plans(self, from_step: int = 0) -> Iterator[Repair]:
        """Yield valid plans that keep the first ``from_step`` calls, the nearest one first, each in another order."""
        yield from repair.nearest_plans(self.problem, self.plan, self.last_attempt, from_step)

    def way_back(self) -> Repair:
        """Return the nearest valid plan that keeps the calls before the plan was lost, or else the nearest plan of
        all."""
        lost = self.first_doomed
        if lost is not None and lost > 1 and (found := self.repair(lost - 1)).order is not None:
            return found
        return self.repair()

    @cached_property
    def _repairs(self) -> dict[int, Repair]:
        """The repairs found so far, by the number of calls that they keep."""
        return {}

    def certify(
        self, timeout: int = 10_000, started: Callable[[Callable[[], None]], None] | None = None
    ) -> bool | None:
        """Ask Z3 to confirm verdict and core. Returns None if it gave up. ``timeout``: milliseconds per question.

        ``started`` is called with a function that makes Z3 give up at once, from any thread.
        """
        if self.problem.unjudged:
            return None
        return certificate.certify(self, timeout, started)

    def reasons(
        self,
        index: int | None = None,
        *,
        most: int = MOST,
        timeout: int = 2_000,
        on_core: Callable[[Core], None] | None = None,
        on_correction: Callable[[Correction], None] | None = None,
        stopped: Callable[[], bool] | None = None,
        started: Started | None = None,
    ) -> Reasons:
        """Find all minimal cores and corrections at a step (see ``reasons.py``)."""
        return reasons(
            self,
            index,
            most=most,
            timeout=timeout,
            on_core=on_core,
            on_correction=on_correction,
            stopped=stopped,
            started=started,
        )

    def certify_reasons(
        self,
        found: Reasons,
        timeout: int = 10_000,
        *,
        stopped: Callable[[], bool] | None = None,
        started: Started | None = None,
    ) -> bool | None:
        """Ask Z3 whether each of these is a minimal core or a minimal correction; None if it gave up."""
        return certificate.certify_reasons(self, found, timeout, stopped=stopped, started=started)

    def ahead(self) -> Looks:
        """Look one call ahead from the end of a run that goes on."""
        return Lookahead(self)


def replay(problem: Problem, trace: Trace, plan: Plan | None = None) -> JudgedRun:
    """Judge every step of ``trace`` against ``problem``. ``plan``: as for :class:`~planscope.oracle.walk.Walk`."""
    return problem.replay(trace) if isinstance(problem, OwnJudge) else Replay(problem, trace, plan)
