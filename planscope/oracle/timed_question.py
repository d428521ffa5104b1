"""The timed language: members hold together where hours can be found for them, by scheduling or else by Z3."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

from planscope.language.problem import DAY, Constraint, Problem
from planscope.oracle.facts import Fact
from planscope.oracle.question import Answered, Members, Stretch
from planscope.oracle.schedule import TooHard
from planscope.oracle.smt import Judge
from planscope.oracle.timed_judge import judge_of
from planscope.oracle.timed_members import TimedMembers

EFFORT = 20_000
"""Sets of actions that scheduling looks at for one question before Z3 is asked."""

PATIENCE = 3
"""After so many questions that were too hard for scheduling, Z3 is asked at once."""


class TimedQuestion:
    """``free``: actions whose duration is left open. ``begun`` is handed each solver as it is made."""

    def __init__(
        self,
        problem: Problem,
        stretch: Stretch,
        timeout: int,
        begun: Callable[[Judge], None],
        free: Collection[int] = (),
    ) -> None:
        self.problem, self.stretch, self.free = problem, stretch, free
        self.timeout, self.begun = timeout, begun
        self.members = Members(problem, stretch)
        self.names = self.members.names
        self.timed = TimedMembers(problem, stretch.ran, free, EFFORT)
        counting = {c.id for c in problem.constraints if c.kind in ("once", "all_done")}
        self.clocked = self.members.mask(name for name in self.timed.names if name not in counting)
        self.one_by_one = self.members.mask(c.id for c in problem.constraints if c.kind == "one_by_one")
        self.too_hard = 0
        self.judge: Judge | None = None

    def ask(self, chosen: int) -> Answered:
        wrong = self.members.conflict(chosen)
        if wrong:
            return "unsat", wrong
        if self.too_hard < PATIENCE:
            try:
                starts = self.timed.starts(self.members.named(chosen & self.clocked))
            except TooHard:
                self.too_hard += 1
            else:
                if starts is None:
                    return "unsat", chosen & self.clocked
                return "sat", _Hours(self, starts).widened(chosen)
        return self._by_z3(chosen)

    def _by_z3(self, chosen: int) -> Answered:
        if self.judge is None:
            ran, ended = self.stretch.ran, self.stretch.ended
            self.judge = judge_of(self.problem, ran, ended, self.timeout, self.free, plans=False)
            self.begun(self.judge)
        answer = self.judge.check(self.members.named(chosen))
        if answer == "unsat":
            return "unsat", self.members.mask(self.judge.hint()) & chosen
        return answer, chosen if answer == "sat" else 0


class _Hours:
    """Start hours of every action, and which members they meet."""

    def __init__(self, question: TimedQuestion, starts: Sequence[int]) -> None:
        self.question = question
        self.starts = starts
        self.ends = [s + hours for s, hours in zip(starts, question.timed.takes, strict=True)]
        self.facts = {f"step{f.step}": f for f in question.members.firsts}

    def widened(self, chosen: int) -> int:
        """``chosen`` with all other members that these hours meet."""
        members = self.question.members
        for k, name in enumerate(members.names):
            bit = 1 << k
            if not chosen & bit and self._meet(name, chosen):
                chosen = members.widened(chosen, [bit])
        return chosen

    def _meet(self, name: str, chosen: int) -> bool:
        fact = self.facts.get(name)
        if fact is not None:
            assert fact.action is not None
            free = not chosen & self.question.one_by_one
            return self.starts[fact.action] == fact.start and (free or self._later(name, fact))
        c = self.question.problem.by_id.get(name)
        return c is None or self._meets(c, chosen)

    def _meets(self, c: Constraint, chosen: int) -> bool:
        place, starts, ends = self.question.problem.place, self.starts, self.ends
        if c.kind == "order":
            return ends[place[c.before or ""]] <= starts[place[c.after or ""]]
        if c.kind == "start_at_least":
            return starts[place[c.action or ""]] >= (c.hour or 0)
        if c.kind == "end_at_most":
            return ends[place[c.action or ""]] <= (c.hour or 0)
        if c.kind == "start_range":
            return all(0 <= s <= DAY - 1 for s in starts)
        if c.kind == "end_range":
            return all(1 <= e <= DAY for e in ends)
        if c.kind == "one_by_one":
            if any(x[1] > y[0] for x, y in pairwise(sorted(zip(starts, ends, strict=True)))):
                return False
            bit = self.question.members.bit
            return all(self._later(name, f) for name, f in self.facts.items() if chosen & bit[name])
        return True

    def _later(self, step: str, fact: Fact) -> bool:
        """Does all that had not run at this step start after its end?"""
        assert fact.end is not None
        return all(self.starts[i] >= fact.end for i in self.question.timed.after[step])
