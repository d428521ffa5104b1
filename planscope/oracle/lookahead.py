"""Answers what one more call would do, without judging the whole run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from planscope.oracle.facts import Fact, durations
from planscope.oracle.judged import Beside, JudgedRun, together
from planscope.oracle.statuses import Watcher
from planscope.oracle.trace import ToolCall
from planscope.oracle.verdict_types import State
from planscope.oracle.walk import Walk


@dataclass(frozen=True, slots=True)
class Outcome:
    """The ``state`` after the call; ``breaks`` holds ids of the constraints that it would break, in their order."""

    state: State
    breaks: tuple[str, ...] = ()


class Lookahead:
    """Looks one call ahead from the end of a run that goes on (its trace's ending is ``running``).

    The answers are those of a replay with that call, except that Z3 is never asked: if exact scheduling gives up and
    nothing breaks, the state is ``unknown``. ``run`` is the query's, ``whole`` the same run with its ``rules``.
    """

    def __init__(self, run: Walk, whole: JudgedRun, rules: Beside | None) -> None:
        assert run.trace.ending == "running"
        self.run, self.whole, self.rules = run, whole, rules
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
