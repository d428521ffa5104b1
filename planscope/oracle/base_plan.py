"""The base language: precedence alone. A step costs what touches the action that it executes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from planscope.language.problem import Problem
from planscope.oracle.facts import Fact
from planscope.oracle.plan import COUNTED, Cursor, rule_core
from planscope.oracle.precedence import count_orders, cycle_core, masks, topological
from planscope.oracle.statuses import Attempt
from planscope.oracle.verdict_types import Core, Move, PlannedCall, State, StepNo


class BasePlan:
    """Without a contradiction in the text, a plan is lost exactly when a constraint is broken."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        place = problem.place
        self.n = len(problem.actions)
        orders = [c for c in problem.constraints if c.kind == "order"]
        self.edges = [(place[c.before or ""], place[c.after or ""]) for c in orders]
        self.edge_ids = [c.id for c in orders]
        self.rules = {str(c.kind): c.id for c in problem.constraints if c.is_rule}
        self.preds = masks(self.n, self.edges)[0]
        self.cyclic = topological(self.n, self.edges) is None

    def begin(self) -> Cursor:
        return _BaseCursor(self)

    def core(self, attempt: Attempt, index: int, step: StepNo, called: Collection[int] = ()) -> Core | None:
        """The core at the first doomed step of an attempt (which members stay: spec, "Which core")."""
        if self.cyclic:
            return Core(tuple(self.edge_ids[k] for k in cycle_core(self.n, self.edges)), ())
        found = rule_core(attempt, step, self.rules)
        if found is not None:
            return found
        assert isinstance(step, int)
        broken = {c for c in attempt.at[index] if attempt.decided[c][1] == "broken"}
        first = next(c for c in self.edge_ids if c in broken)
        return Core((first,), (step,))

    def _remaining(self, done: Sequence[Fact]) -> tuple[list[int], list[tuple[int, int]]]:
        ran = {f.action for f in done}
        return (
            [i for i in range(self.n) if i not in ran],
            [(a, b) for a, b in self.edges if a not in ran and b not in ran],
        )

    def safe_moves(self, done: Sequence[Fact]) -> tuple[Move, ...]:
        rest, edges = self._remaining(done)
        waiting = {b for _, b in edges}
        return tuple(Move(self.problem.actions[i].id) for i in rest if i not in waiting)

    def completions(self, done: Sequence[Fact]) -> int | None:
        rest, edges = self._remaining(done)
        if len(rest) > COUNTED:
            return None
        number = {i: k for k, i in enumerate(rest)}
        return count_orders(len(rest), [(number[a], number[b]) for a, b in edges])

    def one_way(self, done: Sequence[Fact]) -> tuple[PlannedCall, ...] | None:
        rest, edges = self._remaining(done)
        number = {i: k for k, i in enumerate(rest)}
        order = topological(len(rest), [(number[a], number[b]) for a, b in edges])
        if order is None:
            return None
        return tuple(PlannedCall(self.problem.actions[rest[k]].id) for k in order)


class _BaseCursor:
    def __init__(self, plan: BasePlan) -> None:
        self.cyclic = plan.cyclic

    def copy(self) -> Cursor:
        return self

    def execute(self, fact: Fact) -> None:
        """Nothing to keep: the statuses say it all."""

    def state(self, attempt: Attempt, index: int) -> State:
        if attempt.first_broken is not None and attempt.first_broken <= index:
            return "broken"
        return "doomed" if self.cyclic else "completable"
