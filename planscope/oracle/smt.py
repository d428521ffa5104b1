"""Asks Z3 about one encoding; plain data goes in and comes out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

import z3

from planscope.oracle.cancellation import interruptible
from planscope.oracle.formula import Encoding, Formula

DIFFERENCES = {"arith.solver": 3}
"""Selects Z3's solver for sparse difference constraints, which takes a third to a fifth of the default solver's
time."""


def fresh_context() -> Any:
    """Return a new context. If a signal ends the program while Z3 makes it, deleting what there is of it does not fail,
    as it would without ``owner``."""
    context = z3.Context.__new__(z3.Context)
    context.owner = False
    context.__init__()
    return context


def fresh_solver(**settings: int) -> tuple[Any, Any]:
    """Return a new context and an empty solver in it, for one thread at a time. ``settings``: Z3's parameters."""
    context = fresh_context()
    solver = z3.SimpleSolver(ctx=context)
    solver.set(ctrl_c=False, **settings)  # Python handles Ctrl+C
    return context, solver


Answer = Literal["sat", "unsat", "unknown"]


class Hints(Protocol):
    """Facts that save the solver work and cannot change an answer."""

    def follows(self, members: Collection[str]) -> Iterable[tuple[str, Formula]]:
        """Return what single members imply and what helps with these members, each with the member that implies it."""

    def plan(self, members: Collection[str]) -> Mapping[str, int] | None:
        """Return integers, by name, with which these members probably hold."""


class Judge:
    """A solver for one encoding, in a context of its own: use it from one thread at a time.

    ``timeout``: milliseconds per question; questions about a core's minimality get a fifth of it. ``interrupt`` may be
    called from any thread.
    """

    def __init__(self, encoding: Encoding, timeout: int = 10_000, hints: Hints | None = None) -> None:
        self.timeout, self._hints = timeout, hints
        self._context, self._solver = fresh_solver(timeout=timeout)
        names: dict[str, Any] = {n: z3.Int(n, self._context) for n in encoding.integers}
        names |= {n: z3.Bool(n, self._context) for n in encoding.booleans}
        self._names = names
        for formula in encoding.background:
            self._solver.add(self._expression(formula))
        self.members = tuple(name for name, _ in encoding.members)
        self._literals: dict[str, Any] = {}
        for name, formula in encoding.members:
            literal = z3.Bool(f"use {name}", self._context)
            self._literals[name] = literal
            self._solver.add(z3.Implies(literal, self._expression(formula)))

    def _expression(self, formula: Formula | int) -> Any:
        if isinstance(formula, int):
            return z3.IntVal(formula, self._context)
        if isinstance(formula, str):
            return z3.BoolVal(True, self._context) if formula == "true" else self._names[formula]
        head, *rest = formula
        parts = [self._expression(part) for part in rest]
        if head == "and":
            return z3.And(parts)
        if head == "or":
            return z3.Or(parts)
        if head == "not":
            return z3.Not(parts[0])
        if head == "ite":
            return z3.If(*parts)
        if head == "+":
            return z3.Sum(parts)
        if head == "=>":
            return z3.Implies(parts[0], parts[1])
        left, right = parts
        return {
            "<": lambda: left < right,
            "<=": lambda: left <= right,
            ">": lambda: left > right,
            ">=": lambda: left >= right,
            "=": lambda: left == right,
        }[str(head)]()

    def check(self, members: Sequence[str] | None = None) -> Answer:
        """Return whether these members (by default all) can hold together."""
        chosen = self.members if members is None else members
        literals = [self._literals[m] for m in chosen]
        with interruptible(self.interrupt):
            answer = self._planned(chosen, literals)
            if answer == z3.unsat:
                self._learn(chosen)
                answer = self._solver.check(*literals)
        if answer == z3.sat:
            return "sat"
        return "unsat" if answer == z3.unsat else "unknown"

    def _planned(self, chosen: Sequence[str], literals: Sequence[Any]) -> Any:
        """Return Z3's answer for the proposed plan alone, ``unsat`` also if none is proposed. Other plans may still
        work."""
        plan = None if self._hints is None else self._hints.plan(chosen)
        if plan is None:
            return z3.unsat
        self._solver.push()
        self._solver.add(*[self._names[name] == value for name, value in plan.items()])
        answer = self._solver.check(*literals)
        self._solver.pop()
        return answer

    def _learn(self, chosen: Sequence[str]) -> None:
        for member, formula in () if self._hints is None else self._hints.follows(chosen):
            self._solver.add(z3.Implies(self._literals[member], self._expression(formula)))

    def hint(self) -> set[str]:
        """Return the members in Z3's own core of the last unsatisfiable answer; it need not be minimal."""
        found = {str(literal.decl().name()) for literal in self._solver.unsat_core()}
        return {m for m in self.members if f"use {m}" in found}

    def is_minimal_core(self, members: Sequence[str]) -> bool | None:
        """Return whether these members contradict each other, but no longer if any one is dropped. None if Z3 gave
        up."""
        answer = self.check(members)
        if answer != "unsat":
            return None if answer == "unknown" else False
        self._solver.set(timeout=max(1, self.timeout // 5))
        try:
            return self.all_true(("sat", [m for m in members if m != dropped]) for dropped in members)
        finally:
            self._solver.set(timeout=self.timeout)

    def all_true(self, questions: Iterable[tuple[Answer, Sequence[str]]]) -> bool | None:
        """Return whether Z3 gives these answers for these members. It stops at the first that differs; None if it
        gave up."""
        for expected, members in questions:
            answer = self.check(members)
            if answer != expected:
                return None if answer == "unknown" else False
        return True

    def interrupt(self) -> None:
        """End the question that another thread is asking; its answer, within milliseconds, is unknown."""
        self._context.interrupt()
