"""Judges a run: every step, the whole run, and its repair (paper 4.3, 4.4, section 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from planscope.frozen import frozen
from planscope.language.problem import Problem
from planscope.oracle import certificate, repair
from planscope.oracle.facts import Fact, durations
from planscope.oracle.findings import find_at_end, ordered
from planscope.oracle.judged import Beside, Ruled, Search, Started, together
from planscope.oracle.plan import Plan
from planscope.oracle.reasons import MOST, reasons
from planscope.oracle.statuses import Attempt, Watcher
from planscope.oracle.trace import Ending, Item, ToolCall, Trace
from planscope.oracle.verdict_types import (
    Core,
    Correction,
    ErrorType,
    Finding,
    Move,
    PlannedCall,
    Proof,
    Reasons,
    Repair,
    SafeCall,
    State,
    Status,
    StepView,
    Verdict,
    VerdictKind,
    Violation,
    early_end,
    notes_on,
    proof_of,
    worst_proof,
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
    kind, error = _decide(run, findings, strict, complete)
    return Verdict(
        kind,
        error,
        findings,
        violation,
        run.trace.cause,
        not problem.unjudged,
        early_end(kind, run.trace),
        notes=notes_on(run.trace, kind),
    )


def first_violation(run: Walk | Replay) -> Violation | None:
    """Return the step at which the last attempt was lost, with its core; None if not lost, or if no core was found."""
    view = None if run.first_doomed is None else run.steps[run.first_doomed]
    if view is None or view.core is None or not view.core.constraints:
        return None
    # The constraint that comes first in the text, or a rule if none is of the text
    return Violation(view.step, view.core.constraints[0], view.core)


def _decide(
    run: Walk, findings: tuple[Finding, ...], strict: bool, complete: bool
) -> tuple[VerdictKind, ErrorType | None]:
    """``complete``: every action was called. Then a run whose record is cut off owes nothing."""
    primary = next((f for f in findings if f.severity == "error"), None)
    whole = complete and run.trace.cause == "cut_off" and not run.problem.unjudged
    if run.trace.ending == "aborted" and not (whole and primary is None):
        return "aborted", None
    if run.trace.ending == "running" or run.problem.unjudged:
        return "unknown", None
    if primary is not None:
        return "wrong", primary.type
    if strict and findings:
        return "wrong", findings[0].type
    return "right", None


class Replay:
    """A run, judged at every step: ``own`` judges its query, ``rules`` the rules. Every ``index`` is an index into
    ``steps``: 0 is before any call, k after call k.

    Both must hold: a step is lost as soon as one of them is lost, or both together. Without rules all answers are those
    of the query; without a query its states are unknown, and only the rules count. Steps are computed once, the rest on
    demand.
    """

    def __init__(self, problem: Problem, trace: Trace, plan: Plan | None = None) -> None:
        self.problem = problem = problem.unasked(trace.unclear) if trace.unclear else problem
        self.own = Walk(problem.query if isinstance(problem, Ruled) else problem, trace, plan)
        self.rules: Beside | None = problem.beside(self.own) if isinstance(problem, Ruled) else None
        self.steps: tuple[StepView, ...] = ()
        self.view()

    def view(self) -> None:
        """Judge the steps that have no view yet."""
        new = self.own.steps[len(self.steps) :]
        self.steps = (*self.steps, *(new if self.rules is None else map(self.rules.view, new)))

    def then(self, *items: Item, ending: Ending = "running", reason: str | None = None) -> Replay:
        """Return the same run with more items. This object does not change, so other threads may keep reading it."""
        made = Replay.__new__(Replay)
        made.problem, made.steps = self.problem, self.steps
        made.own = self.own.then(*items, ending=ending, reason=reason)
        new = made.trace.items[len(self.trace.items) :]
        if self.rules is not None and new and new[0].message == self.trace.message:
            made.steps = self.steps[:-1]  # more was possible there: the message of its call goes on
        made.rules = self.rules.then(made.own) if self.rules is not None else None
        if made.rules is not None and made.rules.anew:
            made.steps = ()
        made.view()
        return made

    @property
    def trace(self) -> Trace:
        return self.own.trace

    @property
    def facts(self) -> list[Fact]:
        """What each call did, in order."""
        return self.own.facts

    @property
    def last_attempt(self) -> Attempt:
        return self.own.last_attempt

    @property
    def asks(self) -> bool:
        """Whether there is a query."""
        return not self.own.problem.unjudged

    @property
    def first_doomed(self) -> int | None:
        """The index at which the last attempt was lost, or None. Rules go on over attempts."""
        own = self.own.first_doomed
        if self.rules is None:
            return own
        found = [own if self.asks else None, self.rules.lost_at(self.last_attempt.number)]
        return min((index for index in found if index is not None), default=None)

    def lost_at(self, attempt: int) -> int | None:
        """Return the index at which an attempt was lost, or None. Attempts count from 1."""
        if self.rules is None:
            return self.own.lost_at(attempt)
        return next((view.index for view in self.steps if view.attempt == attempt and view.lost), None)

    def status(self, constraint_id: str, index: int) -> Status:
        """Return the status of a constraint or a rule at a step. ``holds``, ``kept`` and ``broken`` are final."""
        if self.rules is not None and constraint_id in self.rules.numbers:
            return self.rules.status(constraint_id, index)
        return self.own.status(constraint_id, index)

    def statuses(self, index: int) -> dict[str, Status]:
        return {c.id: self.status(c.id, index) for c in self.problem.constraints}

    def value_at(self, constraint_id: str, index: int) -> str:
        """Return the value that decides a rule's status: ``order_id 7``, or the first of several. Else ""."""
        ruled = self.rules is not None and constraint_id in self.rules.numbers
        return self.rules.value_at(constraint_id, index) if self.rules is not None and ruled else ""

    # What can come next

    def safe_moves(self, index: int) -> tuple[Move, ...]:
        """Return the calls that keep everything possible (timed: with first and last safe start)."""
        return tuple(Move(call.action, call.hours) for call in self.safe_calls(index))

    def safe_calls(self, index: int) -> tuple[SafeCall, ...]:
        """Return the same with arguments and answers that keep everything possible."""
        if self.steps[index].state != "completable":
            return ()
        if self.rules is None:
            return self.own.safe_calls(index)
        return self.rules.safe_calls(index, self.own.safe_moves(index))

    def valid_completions(self, index: int) -> int | None:
        """Count the valid orders of the remaining actions; None if they are too many, or if rules do not count them."""
        if self.rules is None:
            return self.own.valid_completions(index)
        return 0 if self.asks and self.steps[index].lost else None

    def one_way(self, index: int) -> tuple[PlannedCall, ...] | None:
        """Return calls after which everything is kept, or None if none were found."""
        if self.steps[index].state != "completable":
            return None
        own = self.own.one_way(index) if self.asks else None
        return own if self.rules is None else self.rules.one_way(index, own)

    def ahead(self) -> Lookahead:
        """Look one call ahead from the end of a run that goes on."""
        return Lookahead(self)

    # The whole run

    def verdict(self, *, strict: bool = False) -> Verdict:
        """Return the verdict on the last attempt. ``strict``: warnings make an otherwise right run wrong.

        With rules it is the worst of both verdicts, with the findings of both.
        """
        own = judge(self.own, strict)
        if self.rules is None:
            return own
        kinds = [self.rules.kind()]
        if self.asks and self.trace.ending != "running":
            kinds.append(own.verdict)
        kind = next((one for one in WORST_VERDICTS if one in kinds), RIGHT)
        theirs = list(own.findings) if self.asks else []
        mine = [f for view in self.steps for f in view.findings if f.type == "rule_broken"]
        first = theirs[:1] if self.asks and own.verdict == "wrong" else []
        rest = [f for f in (*theirs, *mine) if f not in first]
        rest.sort(key=lambda f: (f.severity != "error", float("inf") if f.step == "end" else f.step))
        findings = (*first, *rest)
        error = next((f.type for f in findings if f.severity == "error"), None) if kind == "wrong" else None
        warnings = (*self.rules.warnings(), *early_end(kind, self.trace))
        notes = notes_on(self.trace, kind)
        lost = first_violation(self) if kind != "unknown" or self.trace.ending == "running" else None
        return Verdict(kind, error, findings, lost, self.trace.cause, warnings=warnings, notes=notes)

    def undecided(self) -> str:
        """Say why a run that is over is not decided."""
        return (self.rules.undecided() if self.rules is not None else "") or "It could not be decided."

    def repair(self, from_step: int = 0) -> Repair:
        """Return the nearest valid plan that keeps the first ``from_step`` calls as they were made, or with rules the
        nearest change that keeps them. It is searched for once."""
        if from_step not in self._repairs:
            query, own = self.own.problem, Repair(None, reason=self.problem.unjudged)
            if self.asks:
                own = repair.nearest(query, self.own.plan, self.last_attempt, from_step)
            found = own if self.rules is None else self.rules.repair(from_step, own)
            self._repairs[from_step] = found
        return self._repairs[from_step]

    @cached_property
    def _repairs(self) -> dict[int, Repair]:
        """The repairs found so far, by the number of calls that they keep."""
        return {}

    def way_back(self) -> Repair:
        """Return the nearest repair that keeps the calls before the plan was lost, or else the nearest of all."""
        lost = self.first_doomed if self.asks else None
        if lost is not None and lost > 1 and (found := self.repair(lost - 1)).order is not None:
            return found
        return self.repair()

    # Z3

    def certify(self, timeout: int = 10_000, started: Started | None = None) -> Proof:
        """Ask Z3 to confirm verdict and core. ``timeout``: milliseconds per question.

        ``started`` is called with a function that makes Z3 give up at once, from any thread.
        """
        answers = [proof_of(certificate.certify(self.own, timeout, started))] if self.asks else []
        if self.rules is not None:
            answers += self.rules.certify()
        return worst_proof(answers)

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
        """Find all minimal cores and corrections at a step (see ``reasons.py``): of the query if it is what was lost,
        else of the rules."""
        if index is None:
            index = len(self.steps) - 1 if self.first_doomed is None else self.first_doomed
        search = Search(most, timeout, on_core, on_correction, stopped, started)
        if self.rules is not None:
            view = self.steps[index]
            if not view.lost or view.core is None:
                return Reasons(index, view.step, (), ())
            found = self.rules.reasons(index, view.core, search)
            if found is not None:
                return found
        return reasons(self.own, index, search)

    def certify_reasons(
        self,
        found: Reasons,
        timeout: int = 10_000,
        *,
        stopped: Callable[[], bool] | None = None,
        started: Started | None = None,
    ) -> Proof:
        """Ask Z3 whether each of these is a minimal core or a minimal correction."""
        if not found.cores:
            return "not_asked"
        if self.rules is not None and set(found.cores[0].constraints) & self.rules.numbers.keys():
            return self.rules.certify_reasons(found, stopped)
        return proof_of(
            certificate.certify_reasons(self.own, found, timeout, stopped=stopped, started=started)
        )


@frozen
class Outcome:
    """The ``state`` after the call; ``breaks`` holds ids of the constraints that it would break, in their order."""

    state: State
    breaks: tuple[str, ...] = ()


class Lookahead:
    """Looks one call ahead from the end of a run that goes on (its trace's ending is ``running``).

    The answers are those of a replay with that call, except that Z3 is never asked: if exact scheduling gives up and
    nothing breaks, the state is ``unknown``. ``whole`` is the run, ``run`` its query's part.
    """

    def __init__(self, whole: Replay) -> None:
        self.whole, self.run, self.rules = whole, whole.own, whole.rules
        run = self.run
        assert run.trace.ending == "running"
        self.attempt = run.last_attempt
        self.step = len(run.trace.calls) + 1
        ends = [f.end for f in self.attempt.facts if f.end is not None]
        self.clock = max(ends) if ends else None
        """The latest end so far in this attempt (timed)."""
        self._watcher = Watcher(run.problem)
        self._takes = durations(run.problem)
        self._rank = {c.id: k for k, c in enumerate(run.problem.constraints)}

    @cached_property
    def safe(self) -> dict[str, tuple[int, int] | None]:
        """Ids of the safe next actions, each with its first and last safe start hour (timed)."""
        return {m.action: m.hours for m in self.whole.safe_moves(len(self.run.steps) - 1)}

    @cached_property
    def _own(self) -> dict[str, tuple[int, int] | None]:
        """The safe next actions of the query alone."""
        if self.rules is None:
            return self.safe
        return {m.action: m.hours for m in self.run.safe_moves(len(self.run.steps) - 1)}

    def was_done(self, action: int) -> bool:
        """Return whether the action was done in this attempt; False without a query, where repeating is free."""
        return not self.run.problem.unjudged and action in self.attempt.first

    def after(
        self, action: int, start: int | None = None, arguments: Mapping[str, Any] | None = None
    ) -> Outcome:
        """Return the outcome of calling the action with this index next, at hour ``start`` if timed.

        ``arguments`` matter to rules alone. Without them, the outcome is the best that some call of this tool can have.
        """
        own = Outcome("completable")
        if not self.run.problem.unjudged and action < len(self.run.problem.actions):
            own = self._after(action, start)
        if self.rules is None:
            return own
        state, breaks = self.rules.after(action, arguments, own.state)
        before = self.whole.steps[-1].state
        if not breaks and (before == "broken" or (before, state) == ("doomed", "completable")):
            state = before
        return Outcome(together([own.state, state]), (*own.breaks, *breaks))

    def _after(self, action: int, start: int | None) -> Outcome:
        trial = self.attempt.copy()
        fact = self._fact(action, start)
        self._watcher.execute(trial, fact)
        breaks = tuple(sorted(set(trial.broke.get(self.step, ())), key=self._rank.__getitem__))
        return Outcome("broken", breaks) if trial.first_broken is not None else Outcome(self._state(fact))

    def _fact(self, action: int, start: int | None) -> Fact:
        first = self.attempt.first.get(action)
        end = None
        if self.run.problem.timed:
            assert start is not None
            end = start + self._takes[action]
        call = ToolCall(self.run.problem.actions[action].tool)
        fact = Fact(self.step, self.attempt.number, call, "done", action, start, end, self.clock)
        return fact if first is None else replace(fact, effect="repeated", first=first.step)

    def _state(self, fact: Fact) -> State:
        """Return the state after a call that breaks no constraint; it depends on whether the move is safe."""
        before = self.run.steps[-1].state
        if before != "completable":
            return before
        action = self.run.problem.actions[fact.action or 0].id
        if action not in self._own:
            return "unknown" if self._too_hard else "doomed"
        hours = self._own[action]
        if hours is None or fact.start is None or hours[0] <= fact.start <= hours[1]:
            return "completable"
        return "doomed"

    @property
    def _too_hard(self) -> bool:
        """Return whether scheduling gave up: a plan that can be finished always has a safe move."""
        return not self._own and len(self.attempt.first) < len(self.run.problem.actions)


WORST_VERDICTS: tuple[VerdictKind, ...] = ("wrong", "aborted", "unknown")
RIGHT: VerdictKind = "right"


def replay(problem: Problem, trace: Trace, plan: Plan | None = None) -> Replay:
    """Judge every step of ``trace`` against ``problem``. ``plan``: as for :class:`~planscope.oracle.walk.Walk`."""
    return Replay(problem, trace, plan)
