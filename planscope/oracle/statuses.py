"""Decides when each constraint holds or is broken. A decided status never changes, except that a restart reopens
all."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace

from planscope.language.problem import Problem
from planscope.oracle.facts import Fact
from planscope.oracle.verdict_types import Status

Decision = tuple[int, Status]
"""The index of the step (0 is before any call), and the status decided there: ``holds`` or ``broken``."""


@dataclass(slots=True)
class Attempt:
    """One attempt: the index at which it begins, its executions in order, and the decided constraints."""

    number: int
    begins: int
    decided: dict[str, Decision] = field(default_factory=dict)
    at: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    first: dict[int, Fact] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)
    first_broken: int | None = None
    broke: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The constraints that the call at each index broke."""

    def copy(self) -> Attempt:
        """Return an independent copy. Past decisions never change, so both copies share their lists."""
        return replace(
            self,
            decided=dict(self.decided),
            at=defaultdict(list, self.at),
            first=dict(self.first),
            facts=list(self.facts),
            broke=defaultdict(list, self.broke),
        )

    def decide(self, constraint: str, index: int, status: Status) -> None:
        if constraint in self.decided:
            return
        self.decided[constraint] = (index, status)
        self.at[index].append(constraint)
        if status == "broken":
            self.broke[index].append(constraint)
            if self.first_broken is None:
                self.first_broken = index

    def status(self, constraint: str, index: int) -> Status:
        when = self.decided.get(constraint)
        return "open" if when is None or index < when[0] else when[1]


class Watcher:
    """Decides constraints as calls come in. A call costs as much as the constraints of its action."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        place = problem.place
        self.earlier: list[list[tuple[str, int]]] = [[] for _ in problem.actions]
        self.later: list[list[tuple[str, int]]] = [[] for _ in problem.actions]
        self.clocks: list[list[tuple[str, str, int]]] = [[] for _ in problem.actions]
        self.rules: dict[str, str] = {c.kind: c.id for c in problem.constraints if c.is_rule}
        self.impossible: dict[int, list[str]] = defaultdict(list)
        for c in problem.constraints:
            if c.kind == "order":
                before, after = place[c.before or ""], place[c.after or ""]
                if before == after:
                    self.impossible[before].append(c.id)
                    continue
                self.earlier[after].append((c.id, before))
                self.later[before].append((c.id, after))
            elif not c.is_rule:
                self.clocks[place[c.action or ""]].append((c.id, c.kind, c.hour or 0))

    def begin(self, number: int, index: int) -> Attempt:
        attempt = Attempt(number, index)
        for constraints in self.impossible.values():
            for constraint in constraints:
                attempt.decide(constraint, index, "broken")
        return attempt

    def execute(self, attempt: Attempt, fact: Fact) -> None:
        """Take one execution (first or repeated) into account, at the index of its step."""
        attempt.facts.append(fact)
        at, action = fact.step, fact.action
        assert action is not None
        if self.problem.timed:
            self._clock_rules(attempt, fact)
        if fact.effect == "repeated":
            self._rule(attempt, "once", at)
            return
        attempt.first[action] = fact
        attempt.broke[at].extend(self.impossible.get(action, ()))
        if self.problem.timed:
            for constraint, other in self.earlier[action]:
                if other in attempt.first:
                    self._hours(attempt, constraint, at, attempt.first[other], fact)
            for constraint, other in self.later[action]:
                if other in attempt.first:
                    self._hours(attempt, constraint, at, fact, attempt.first[other])
        else:  # whichever of the two is called first decides
            for constraint, _ in self.earlier[action]:
                attempt.decide(constraint, at, "broken")
            for constraint, _ in self.later[action]:
                attempt.decide(constraint, at, "holds")
        for constraint, kind, hour in self.clocks[action]:
            assert fact.start is not None and fact.end is not None
            met = fact.start >= hour if kind == "start_at_least" else fact.end <= hour
            attempt.decide(constraint, at, "holds" if met else "broken")
        if len(attempt.first) == len(self.problem.actions) and "all_done" in self.rules:
            attempt.decide(self.rules["all_done"], at, "holds")

    def _hours(self, attempt: Attempt, constraint: str, at: int, earlier: Fact, later: Fact) -> None:
        assert earlier.end is not None and later.start is not None
        attempt.decide(constraint, at, "holds" if earlier.end <= later.start else "broken")

    def _clock_rules(self, attempt: Attempt, fact: Fact) -> None:
        assert fact.start is not None and fact.end is not None
        if fact.clock is not None and fact.start < fact.clock:
            self._rule(attempt, "one_by_one", fact.step)
        if not 0 <= fact.start <= 23:
            self._rule(attempt, "start_range", fact.step)
        if not 1 <= fact.end <= 24:
            self._rule(attempt, "end_range", fact.step)

    def _rule(self, attempt: Attempt, kind: str, index: int) -> None:
        if kind in self.rules:
            attempt.decide(self.rules[kind], index, "broken")

    def finish(self, attempt: Attempt, index: int) -> None:
        """Decide the rest at the end of a run: nothing else will be called, so unbroken rules hold."""
        for kind, constraint in self.rules.items():
            if kind != "all_done":
                attempt.decide(constraint, index, "holds")
