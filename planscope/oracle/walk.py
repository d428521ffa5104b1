"""Judges a run step by step (paper 4.3, 4.4): states, cores, safe moves, counts."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from functools import cached_property
from typing import Self

from planscope.language.problem import Problem
from planscope.oracle.arguments import START
from planscope.oracle.base import BasePlan
from planscope.oracle.facts import Fact, FactReader
from planscope.oracle.findings import find
from planscope.oracle.plan import Plan
from planscope.oracle.statuses import Attempt, Watcher
from planscope.oracle.timed import TimedPlan
from planscope.oracle.trace import Ending, Item, ToolCall, Trace
from planscope.oracle.verdict_types import (
    Core,
    Finding,
    Move,
    PlannedCall,
    SafeCall,
    State,
    Status,
    StepNo,
    StepView,
)


def plan_of(problem: Problem) -> Plan:
    """Return a new plan in the problem's language, with nothing computed yet."""
    return TimedPlan(problem) if problem.timed else BasePlan(problem)


class Walk:
    """Every step's state and core, computed once; safe moves, counts and repairs on demand.

    ``steps[0]`` is before any call, ``steps[k]`` after call k, ``steps[-1]`` the end (absent while the run goes on).
    Every ``index`` is an index into ``steps``. ``plan`` defaults to a new one; pass one that has answered questions
    about the problem before to save work.
    """

    def __init__(self, problem: Problem, trace: Trace, plan: Plan | None = None) -> None:
        self.problem = problem
        self.trace = trace
        self.plan: Plan = plan or plan_of(problem)
        self.facts: list[Fact] = []
        self._rank = {c.id: k for k, c in enumerate(problem.constraints)}
        self.attempts: list[Attempt] = []
        self.called: set[int] = set()
        self.cores: dict[int, tuple[int, Core | None]] = {}
        self.reader = FactReader(problem)
        self._watcher = Watcher(problem)
        self.cursor = self.plan.begin()
        attempt = self._watcher.begin(1, 0)
        self.attempts.append(attempt)
        views = [self._view(0, 0, attempt, None, self.cursor.state(attempt, 0))]
        self.steps = self.walk(views, trace.calls)

    def then(self, *items: Item, ending: Ending = "running", reason: str | None = None) -> Self:
        """Return the same run with more calls. This object does not change, so other threads may keep reading it.

        It costs as much as judging the new calls, plus copies of lists. Only a ``running`` run can be continued.
        """
        assert self.trace.ending == "running"
        made = copy(self)
        # a cached answer of the shorter run, which may be wrong for the longer one
        vars(made).pop("first_doomed", None)
        made.trace = self.trace.then(*items, ending=ending, reason=reason)
        made.facts = list(self.facts)
        made.attempts = [*self.attempts[:-1], self.attempts[-1].copy()]
        made.called = set(self.called)
        made.cores = dict(self.cores)
        made.reader = self.reader.copy()
        made.cursor = self.cursor.copy()
        made.steps = made.walk(list(self.steps), made.trace.calls[len(self.trace.calls) :])
        return made

    def walk(self, views: list[StepView], calls: Iterable[ToolCall]) -> tuple[StepView, ...]:
        """Judge more calls, and the end if the trace has one."""
        for call in calls:
            fact = self.reader.read(call)
            self.facts.append(fact)
            if fact.effect == "restart":
                self.attempts.append(self._watcher.begin(fact.attempt, fact.step))
                self.cursor = self.plan.begin()
            attempt = self.attempts[-1]
            if fact.effect in ("done", "repeated"):
                self._watcher.execute(attempt, fact)
                self.cursor.execute(fact)
                if fact.action is not None:
                    self.called.add(fact.action)
            views.append(
                self._view(fact.step, fact.step, attempt, fact, self.cursor.state(attempt, fact.step))
            )
        if self.trace.ending != "running":
            index, attempt = len(views), self.attempts[-1]
            self._watcher.finish(attempt, index)
            state = self.cursor.state(attempt, index)
            if state in ("completable", "unknown") and self._lost():
                state = "doomed"
            views.append(self._view("end", index, attempt, None, state))
        return tuple(views)

    def _lost(self) -> bool:
        attempt = self.attempts[-1]
        return self.trace.ending != "aborted" and len(attempt.first) < len(self.problem.actions)

    def _view(self, step: StepNo, index: int, attempt: Attempt, fact: Fact | None, state: State) -> StepView:
        ran = fact is not None and fact.effect in ("done", "repeated")
        action = self.problem.actions[fact.action].id if ran and fact and fact.action is not None else None
        if self.problem.unjudged:
            state = "unknown"
        if state in ("doomed", "broken") and attempt.number not in self.cores:
            self.cores[attempt.number] = (index, self.plan.core(attempt, index, step, self.called))
        core = self.cores.get(attempt.number, (index, None))[1]
        return StepView(
            step=step,
            index=index,
            attempt=attempt.number,
            call=fact.call if fact else None,
            action=action,
            start=fact.start if ran and fact else None,
            end=fact.end if ran and fact else None,
            state=state,
            changed=self._changed(attempt, index),
            core=core,
            findings=tuple(find(self.problem, attempt, fact)) if fact else (),
        )

    def _changed(self, attempt: Attempt, index: int) -> tuple[str, ...]:
        changed = set(attempt.at.get(index, ()))
        if attempt.number > 1 and index == attempt.begins:
            before = self.attempts[-2]
            changed |= {c for c in before.decided if before.status(c, index) != attempt.status(c, index)}
        elif index == 0:
            return ()
        return tuple(sorted(changed, key=self._rank.__getitem__))

    def _attempt(self, index: int) -> Attempt:
        return self.attempts[self.steps[index].attempt - 1]

    @property
    def last_attempt(self) -> Attempt:
        return self.attempts[-1]

    def status(self, constraint_id: str, index: int) -> Status:
        """Return a constraint's status at a step. ``holds`` and ``broken`` are final, whatever is called next."""
        return self._attempt(index).status(constraint_id, index)

    def _done(self, index: int) -> list[Fact]:
        return [f for f in self._attempt(index).facts if f.step <= index]

    def safe_moves(self, index: int) -> tuple[Move, ...]:
        """Return the actions that can come next without losing the plan (timed: with first and last safe start)."""
        if self.steps[index].state != "completable":
            return ()
        return self.plan.safe_moves(self._done(index))

    def safe_calls(self, index: int) -> tuple[SafeCall, ...]:
        """Return the safe moves as calls, each at its first safe hour; any answer will do."""
        tools = {action.id: action.tool for action in self.problem.actions}
        return tuple(
            SafeCall(m.action, m.hours, tools[m.action], {START: m.hours[0]} if m.hours else {})
            for m in self.safe_moves(index)
        )

    def valid_completions(self, index: int) -> int | None:
        """Count the valid orders of the remaining actions; None for more than 20 actions, or if not known."""
        state = self.steps[index].state
        if state == "unknown":
            return None
        return self.plan.completions(self._done(index)) if state == "completable" else 0

    def one_way(self, index: int) -> tuple[PlannedCall, ...] | None:
        """Return one valid order of the remaining calls, or None if there is none."""
        if self.steps[index].state != "completable":
            return None
        return self.plan.one_way(self._done(index))

    @cached_property
    def first_doomed(self) -> int | None:
        """The index at which the last attempt was lost (its first doomed or broken step), or None."""
        return self.lost_at(self.last_attempt.number)

    def lost_at(self, attempt: int) -> int | None:
        """Return the index at which an attempt was lost, or None. Attempts count from 1."""
        found = self.cores.get(attempt)
        return found[0] if found else None

    def last_findings(self) -> list[Finding]:
        """Return the findings of the last attempt's calls, in order of steps."""
        last = self.last_attempt.number
        return [f for view in self.steps if view.attempt == last for f in view.findings]
