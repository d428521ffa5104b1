"""Z3 as the judge of one encoding: plain data goes in and comes back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import z3

from planscope.oracle.formula import Encoding, Formula
from planscope.oracle.patience import interruptible
from planscope.oracle.solver import fresh_solver

Answer = Literal["sat", "unsat", "unknown"]


class Judge:
    """A solver of its own for one encoding, in a context of its own: use it from one thread at a time.

    ``timeout`` is in milliseconds and holds for each question; ``interrupt`` may be called from any thread.
    """

    def __init__(self, encoding: Encoding, timeout: int = 10_000) -> None:
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
        if head == "=>":
            return z3.Implies(parts[0], parts[1])
        left, right = parts
        return {
            "<": lambda: left < right,
            "<=": lambda: left <= right,
            ">": lambda: left > right,
            ">=": lambda: left >= right,
            "=": lambda: left == right,
            "+": lambda: left + right,
        }[str(head)]()

    def check(self, members: Sequence[str] | None = None) -> Answer:
        """Can these members (all by default) hold together?"""
        chosen = self.members if members is None else members
        with interruptible(self.interrupt):
            answer = self._solver.check(*[self._literals[m] for m in chosen])
        if answer == z3.sat:
            return "sat"
        return "unsat" if answer == z3.unsat else "unknown"

    def hint(self) -> set[str]:
        """The members in Z3's own core of the last unsatisfiable answer; not minimal."""
        found = {str(literal.decl().name()) for literal in self._solver.unsat_core()}
        return {m for m in self.members if f"use {m}" in found}

    def core(self) -> tuple[str, ...] | None:
        """The minimal core: members dropped from the last to the first while the rest stays unsatisfiable.

        None where Z3 gave up. Raises ValueError where everything can be met. A member outside Z3's own core
        of what is left needs no question: without it the rest is unsatisfiable all the same.
        """
        answer = self.check()
        if answer == "sat":
            raise ValueError("there is no core: everything can be met")
        if answer == "unknown":
            return None
        kept, hint = list(self.members), self.hint()
        for member in reversed(self.members):
            rest = [m for m in kept if m != member]
            if member in hint:
                answer = self.check(rest)
                if answer == "unknown":
                    return None
                if answer == "sat":
                    continue
                hint = self.hint()
            kept = rest
        return tuple(kept)

    def is_minimal_core(self, members: Sequence[str]) -> bool | None:
        """Do these contradict each other, and do they stop when any one of them is dropped? None: Z3 gave up."""
        questions: list[tuple[Answer, Sequence[str]]] = [("unsat", members)]
        questions += [("sat", [m for m in members if m != dropped]) for dropped in members]
        return self.all_true(questions)

    def all_true(self, questions: Iterable[tuple[Answer, Sequence[str]]]) -> bool | None:
        """Are these the answers for these members? The first one that is not decides; None: Z3 gave up."""
        for expected, members in questions:
            answer = self.check(members)
            if answer != expected:
                return None if answer == "unknown" else False
        return True

    def interrupt(self) -> None:
        """Make a question under way in another thread end as unknown, within milliseconds."""
        self._context.interrupt()
