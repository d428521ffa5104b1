"""Asks Z3 whether constraints can be met, for the many small problems that synthesis draws.

A new solver costs milliseconds, mostly for building terms. So one solver is kept for each of the numbers of actions
used last, in each language. It has a literal for every constraint seen so far, and a question assumes the literals of
its constraints. All constraints are differences of two integers, for which Z3 has a special solver.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any, TypeVar

import z3

from planscope.language.problem import DAY, Problem
from planscope.oracle.facts import durations
from planscope.oracle.precedence import Edge
from planscope.oracle.smt import DIFFERENCES, fresh_solver

EFFORT = 100_000_000

MANY = 100
MANY_DIFFERENCES = {"arith.solver": 1}
"""Used from ``MANY`` actions on, where ``DIFFERENCES`` is slower and, at 1,000 actions, takes ten times the memory."""

MOST_SOLVERS = 8
"""Limit for the solvers of a language that are kept. Each takes some 18 MB."""

Key = tuple[str, int, int] | Edge
Window = tuple[int, int]
"""The index of an action, and a whole hour."""


class Undecided(Exception):
    """Z3 gave up without an answer."""


class Certifier:
    """A cached solver, for one thread at a time; :func:`certifier` returns each thread's own.

    ``effort``: Z3's rlimit for each question of the timed language. Unlike a time limit, it gives the same answer on
    every machine and needs no timer. ``asked`` and ``seconds``: how often Z3 was asked through :meth:`certify`, and how
    long it took with its preparation.
    """

    def __init__(self, effort: int = EFFORT) -> None:
        self._effort = effort
        self.asked, self.seconds = 0, 0.0
        self._base: dict[int, _Solver] = {}
        self._timed: dict[int, _TimedSolver] = {}

    def certify_base(self, n: int, pairs: Iterable[Edge]) -> bool:
        """Return whether ``n`` actions have an order in which the first of each pair comes before the second."""
        return _kept(self._base, n, lambda: _Solver(n)).holds(pairs)

    def certify_timed(
        self,
        pairs: Iterable[Edge],
        starts: Iterable[Window],
        ends: Iterable[Window],
        durations: Sequence[int],
        plan: Sequence[int] | None = None,
    ) -> bool:
        """Return whether calls that take ``durations`` hours can be made one by one within the day.

        ``starts``: (action, earliest start); ``ends``: (action, latest end). ``plan``: start hours that may work. Z3 is
        asked about them first, which is quick; if they fail, it searches.
        """
        n = len(durations)
        solver = _kept(self._timed, n, lambda: _TimedSolver(n, self._effort))
        keys: list[Key] = [("one by one", 0, 0), *pairs]
        keys += [("start", i, hour) for i, hour in starts]
        keys += [("end", i, hour) for i, hour in ends]
        keys += [("takes", i, hours) for i, hours in enumerate(durations)]
        if plan is not None:
            exact: list[Key] = [("start", i, hour) for i, hour in enumerate(plan)]
            exact += [("end", i, hour + durations[i]) for i, hour in enumerate(plan)]
            if solver.holds(keys + exact):
                return True
        return solver.holds(keys)

    def certify(self, problem: Problem, plan: Sequence[int] | None = None) -> bool:
        """Return whether all constraints of the problem can be met together. An action without a duration takes 1
        hour."""
        begun = perf_counter()
        try:
            return self._certify(problem, plan)
        finally:
            self.asked += 1
            self.seconds += perf_counter() - begun

    def _certify(self, problem: Problem, plan: Sequence[int] | None) -> bool:
        place = problem.place
        pairs: list[Edge] = []
        starts: list[Window] = []
        ends: list[Window] = []
        for c in problem.constraints:
            if c.kind == "order":
                pairs.append((place[c.before or ""], place[c.after or ""]))
            elif c.kind == "start_at_least":
                starts.append((place[c.action or ""], c.hour or 0))
            elif c.kind == "end_at_most":
                ends.append((place[c.action or ""], c.hour or 0))
        if not problem.timed:
            return self.certify_base(len(place), pairs)
        return self.certify_timed(pairs, starts, ends, durations(problem), plan)


_S = TypeVar("_S", bound="_Solver")


def _kept(solvers: dict[int, _S], n: int, make: Callable[[], _S]) -> _S:
    """Return the solver for ``n`` actions, and drop the one that was not used for longest."""
    solver = solvers.pop(n, None) or make()
    solvers[n] = solver
    if len(solvers) > MOST_SOLVERS:
        del solvers[next(iter(solvers))]
    return solver


class _Solver:
    """The solver of the base language: action i has the place p[i], and the literal (i, j) says p[i] < p[j]."""

    def __init__(self, n: int, effort: int = 0) -> None:
        self.context, self.solver = fresh_solver(**(DIFFERENCES if n < MANY else MANY_DIFFERENCES))
        if effort:
            self.solver.set("rlimit", effort)
        # z3 frees a literal's handle with its expression, so the expressions are kept
        self.alive: list[Any] = []
        self.handles: dict[Key, Any] = {}
        self.declare(n)

    def integers(self, name: str, n: int) -> list[Any]:
        return [z3.Int(f"{name}{i}", self.context) for i in range(n)]

    def declare(self, n: int) -> None:
        self.places = self.integers("p", n)

    def meaning(self, key: Key) -> Any:
        earlier, later = key[-2:]
        return self.places[earlier] - self.places[later] <= -1

    def handle(self, key: Key) -> Any:
        """Return the literal of a constraint; it is made at its first use."""
        literal = z3.Bool(repr(key), self.context)
        self.solver.add(z3.Implies(literal, self.meaning(key)))
        self.alive.append(literal)
        found = self.handles[key] = literal.as_ast()
        return found

    def holds(self, keys: Iterable[Key]) -> bool:
        handles = self.handles
        assumed = [handles.get(key) or self.handle(key) for key in keys]
        count = len(assumed)
        # calls Z3's C function directly: solver.check() spends twice Z3's own time on wrapping the literals
        answer = z3.Z3_solver_check_assumptions(
            self.context.ref(), self.solver.solver, count, (z3.Ast * count)(*assumed)
        )
        if answer == z3.Z3_L_UNDEF:
            raise Undecided(self.solver.reason_unknown())
        return bool(answer == z3.Z3_L_TRUE)


class _TimedSolver(_Solver):
    """The solver of the timed language: (i, j) says that i ends no later than j starts; other literals have names."""

    def declare(self, n: int) -> None:
        # saves a fifth of the time here, but costs many times more in the base language
        self.solver.set("relevancy", 0)
        self.starts, self.ends = self.integers("s", n), self.integers("e", n)
        for start, end in zip(self.starts, self.ends, strict=True):
            self.solver.add(start >= 0, start <= DAY - 1, end >= 1, end <= DAY)

    def meaning(self, key: Key) -> Any:
        if len(key) == 2:
            return self.ends[key[0]] - self.starts[key[1]] <= 0
        kind, i, hour = key
        start, end = self.starts[i], self.ends[i]
        if kind == "start":
            return start >= hour
        if kind == "end":
            return end <= hour
        if kind == "takes":
            return z3.And(end - start <= hour, start - end <= -hour)
        return z3.And(
            [
                z3.Or(self.ends[a] - self.starts[b] <= 0, self.ends[b] - self.starts[a] <= 0)
                for b in range(len(self.starts))
                for a in range(b)
            ]
        )


_of_thread = threading.local()


def certifier() -> Certifier:
    """Return the current thread's certifier."""
    found: Certifier | None = getattr(_of_thread, "certifier", None)
    if found is None:
        found = _of_thread.certifier = Certifier()
    return found
