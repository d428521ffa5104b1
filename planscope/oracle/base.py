"""The base language, where only order counts: states, cores, and which members can hold together.

A *member* is a possible element of an unsat core: a constraint, a rule, a step or the end of the run. Members can hold
together if the graph of the orders that they ask for has no cycle. A step says that its action came before every action
that had not run yet. As edges between actions these would be too many, so each step has a node that stands for
everything later, and the graph stays as large as the problem. Judging a step costs as much as the constraints of its
action.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heapify, heappop, heappush

from planscope.language.problem import Problem
from planscope.oracle.facts import Fact
from planscope.oracle.plan import COUNTED, Answered, Cursor, Members, Prefix, rule_core
from planscope.oracle.precedence import bits, count_orders, cycle_core, masks, topological
from planscope.oracle.statuses import Attempt
from planscope.oracle.verdict_types import Core, Move, PlannedCall, State, StepNo


class BasePlan:
    """A problem in the base language. Unless its text contradicts itself, a plan is lost exactly when a constraint
    is broken."""

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
        """Return the core at the step where an attempt was lost. If there are several, the specification says which
        one."""
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
        """Do nothing: in the base language the state follows from the statuses of the constraints."""

    def state(self, attempt: Attempt, index: int) -> State:
        if attempt.first_broken is not None and attempt.first_broken <= index:
            return "broken"
        return "doomed" if self.cyclic else "completable"


class BaseQuestion:
    def __init__(self, problem: Problem, prefix: Prefix) -> None:
        self.members = Members(problem, prefix)
        self.names = self.members.names
        self.n = n = len(problem.actions)
        first = [f.action or 0 for f in self.members.firsts]
        self.place = [len(first)] * n
        """Each action's place among the attempt's executions; the others share the number after the last."""
        for p, action in enumerate(first):
            self.place[action] = p
        self.edges: dict[int, tuple[int, int]] = {}
        """Edges by the number of the member that implies them."""
        for k, c in enumerate(problem.constraints):
            if c.kind == "order":
                self.edges[k] = (problem.place[c.before or ""], problem.place[c.after or ""])
        where = {name: k for k, name in enumerate(self.names)}
        self.steps = {where[f"step{f.step}"]: p for p, f in enumerate(self.members.firsts)}
        for k, p in self.steps.items():
            self.edges[k] = (first[p], n + p)
        self.later: list[list[int]] = [[] for _ in range(n + len(first))]
        for p in range(len(first)):
            following = [first[p + 1], n + p + 1] if p + 1 < len(first) else []
            unrun = [i for i in range(n) if self.place[i] == len(first)] if not following else []
            self.later[n + p] = following + unrun
        self.first = first

    def ask(self, chosen: int) -> Answered:
        wrong = self.members.conflict(chosen)
        if wrong:
            return "unsat", wrong
        after: list[list[tuple[int, int]]] = [[(b, -1) for b in later] for later in self.later]
        for k in bits(chosen):
            if k in self.edges:
                a, b = self.edges[k]
                after[a].append((b, k))
        order, left = self._sorted(after)
        if left:
            return "unsat", self._cycle(after, left)
        return "sat", self.members.widened(chosen, self._met(order, chosen))

    def _sorted(self, after: list[list[tuple[int, int]]]) -> tuple[list[int], set[int]]:
        """Sort nodes along the edges, ties in the order of the run. The second result holds the nodes that a cycle
        keeps out."""
        missing = [0] * len(after)
        for edges in after:
            for b, _ in edges:
                missing[b] += 1
        place = [*self.place, *range(len(self.first))]
        ready = [(place[i], i) for i in range(len(after)) if not missing[i]]
        heapify(ready)
        order = []
        while ready:
            _, a = heappop(ready)
            order.append(a)
            for b, _ in after[a]:
                missing[b] -= 1
                if not missing[b]:
                    heappush(ready, (place[b], b))
        return order, {i for i in range(len(after)) if missing[i]}

    def _cycle(self, after: list[list[tuple[int, int]]], left: set[int]) -> int:
        """Return the members of one cycle. Every node of ``left`` must have a predecessor in ``left``."""
        before = {b: (a, k) for a in sorted(left, reverse=True) for b, k in after[a] if b in left}
        here, seen = min(left), dict[int, int]()
        path: list[int] = []
        while here not in seen:
            seen[here] = len(path)
            here, member = before[here]
            path.append(member)
        return sum(1 << k for k in path[seen[here] :] if k >= 0)

    def _met(self, order: list[int], chosen: int) -> list[int]:
        """Return the members outside ``chosen`` that this order meets, one bit mask each."""
        at = {node: i for i, node in enumerate(order)}
        ran = len(self.first)
        soonest = [min((at[i] for i in range(self.n) if self.place[i] == ran), default=len(order))] * (
            ran + 1
        )
        # soonest[p]: where the earliest of the actions that had not run before p comes in this order
        for p in range(ran - 1, -1, -1):
            soonest[p] = min(soonest[p + 1], at[self.first[p]])
        met = []
        for k in range(len(self.names)):
            if chosen >> k & 1:
                continue
            if k in self.steps:
                p = self.steps[k]
                if at[self.first[p]] >= soonest[p + 1]:
                    continue
            elif k in self.edges:
                a, b = self.edges[k]
                if at[a] >= at[b]:
                    continue
            met.append(1 << k)
        return met
