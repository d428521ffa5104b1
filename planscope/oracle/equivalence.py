"""Decides whether two queries mean the same: Z3 checks that each set of constraints implies the other (paper 4.5).

Actions are matched by their ids. The constraints are differences of integers, so both questions are quick. Durations
and the rule "one by one" are added only if one set does not imply the other without them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import z3

from planscope.language.problem import DAY, Constraint, Problem
from planscope.oracle.facts import durations
from planscope.oracle.satisfiable import EFFORT
from planscope.oracle.smt import DIFFERENCES, fresh_solver


def equivalent(one: Problem, other: Problem, *, foreseen: bool = False, effort: int = EFFORT) -> bool | None:
    """Return whether exactly the same plans meet both problems, or None if Z3 gave up.

    In the base language a plan is an order. In the timed language it is the start hours of actions with their
    durations, in a day in which calls come one by one. ``foreseen``: the two must also mean the same without durations
    and "one by one", which is all that an agent knows when it plans. The result is False if the two are not about the
    same actions (ids, durations, timed or not). Two contradictory sets are equivalent. ``effort``: Z3's rlimit per
    question.
    """
    if one.timed != other.timed or _actions(one) != _actions(other):
        return False
    asked = _questions()
    answer = asked.same(one, other, effort, known=False)
    if answer is False and one.timed and not foreseen:
        return asked.same(one, other, effort, known=True)
    return answer


def _actions(problem: Problem) -> dict[str, int | None]:
    ids = (a.id for a in problem.actions)
    return dict(zip(ids, durations(problem), strict=True)) if problem.timed else dict.fromkeys(ids)


class _Questions:
    """One Z3 solver, emptied after each question, with a cache of its integer terms."""

    def __init__(self) -> None:
        self.context, self.solver = fresh_solver(**DIFFERENCES)
        self.integers: dict[str, Any] = {}

    def integer(self, name: str) -> Any:
        found = self.integers.get(name)
        if found is None:
            found = self.integers[name] = z3.Int(name, self.context)
        return found

    def same(self, one: Problem, other: Problem, effort: int, known: bool) -> bool | None:
        """Return whether each set implies the other. ``known``: durations count, and calls come one by one."""
        said, told = ([self.meaning(c, one.timed) for c in _said(problem)] for problem in (one, other))
        self.solver.set("rlimit", effort)
        answers = [self.implies(one, said, told, known), self.implies(one, told, said, known)]
        if False in answers:
            return False
        return None if None in answers else True

    def implies(
        self, problem: Problem, given: Sequence[Any], wanted: Sequence[Any], known: bool
    ) -> bool | None:
        """Return whether every plan that meets ``given`` meets all of ``wanted``."""
        solver = self.solver
        solver.push()
        try:
            if problem.timed:
                self.day(problem, known)
            solver.add(*given)
            solver.add(z3.Or([z3.Not(term) for term in wanted], self.context))
            answer = solver.check()
        finally:
            solver.pop()
        if answer == z3.unknown:
            return None
        return bool(answer == z3.unsat)

    def day(self, problem: Problem, known: bool) -> None:
        add, ids = self.solver.add, [a.id for a in problem.actions]
        for action, takes in zip(ids, durations(problem), strict=True):
            start, end = self.integer(f"start {action}"), self.integer(f"end {action}")
            add(start >= 0, start <= DAY - 1, end >= 1, end <= DAY)
            add(start - end <= -(takes if known else 1))
            if known:
                add(end - start <= takes)
        if known:
            for k, later in enumerate(ids):
                for earlier in ids[:k]:
                    add(z3.Or(self.first(earlier, later, True), self.first(later, earlier, True)))

    def first(self, earlier: str, later: str, timed: bool) -> Any:
        if timed:
            return self.integer(f"end {earlier}") - self.integer(f"start {later}") <= 0
        return self.integer(f"place {earlier}") - self.integer(f"place {later}") <= -1

    def meaning(self, c: Constraint, timed: bool) -> Any:
        if c.kind == "order":
            return self.first(c.before or "", c.after or "", timed)
        if c.kind == "start_at_least":
            return self.integer(f"start {c.action}") >= (c.hour or 0)
        return self.integer(f"end {c.action}") <= (c.hour or 0)


def _said(problem: Problem) -> list[Constraint]:
    """Return the constraints of the text without those that repeat the meaning of an earlier one."""
    return list({c.meaning: c for c in problem.said}.values())


_of_thread = threading.local()


def _questions() -> _Questions:
    found: _Questions | None = getattr(_of_thread, "questions", None)
    if found is None:
        found = _of_thread.questions = _Questions()
    return found
