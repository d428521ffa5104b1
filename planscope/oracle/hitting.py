"""Small sets that hit each of some sets and contain none of others: where a search for reasons looks next."""

from __future__ import annotations

from typing import Any

import z3

from planscope.oracle.precedence import bits
from planscope.oracle.solver import fresh_solver

EXACT = 4
"""Up to this size the smallest set comes first; proving that there is no smaller one gets dear beyond it."""


class GaveUp(Exception):
    """A question came back without an answer: it was too hard, or it was interrupted."""


class HittingSets:
    """Sets are bit masks. Everything that a set is asked to hit or to avoid stays; the answers never get smaller."""

    def __init__(self) -> None:
        self._context, self._solver = fresh_solver()
        self._members: dict[int, Any] = {}
        self._hits: list[int] = []
        self._size = 0
        self._bounds: dict[tuple[int, int], Any] = {}

    def interrupt(self) -> None:
        """Make a question under way in another thread end at once."""
        self._context.interrupt()

    def _member(self, k: int) -> Any:
        if k not in self._members:
            self._members[k] = z3.Bool(f"m{k}", self._context)
        return self._members[k]

    def hit(self, mask: int) -> None:
        self._hits.append(mask)
        self._solver.add(z3.Or([self._member(k) for k in bits(mask)]))

    def avoid(self, mask: int) -> None:
        self._solver.add(z3.Or([z3.Not(self._member(k)) for k in bits(mask)]))

    def next(self) -> int | None:
        """A set of which no part would do, as small as can be up to the size of four; None where there is none.

        Raises :class:`GaveUp`.
        """
        while self._size <= EXACT:
            found = self._check(self._bound())
            if found is not None:
                return self._without_excess(found)
            self._size += 1
        found = self._check()
        return None if found is None else self._without_excess(found)

    def _bound(self) -> Any:
        """A literal that says: no more members than ``_size``."""
        key = (self._size, len(self._members))
        if key not in self._bounds:
            literal = z3.Bool(f"at most {key}", self._context)
            at_most = z3.PbLe([(m, 1) for m in self._members.values()], self._size) if self._members else True
            self._solver.add(z3.Implies(literal, at_most))
            self._bounds[key] = literal
        return self._bounds[key]

    def _check(self, *assumed: Any) -> int | None:
        answer = self._solver.check(*assumed)
        if answer == z3.unknown:
            raise GaveUp
        if answer == z3.unsat:
            return None
        model = self._solver.model()
        return sum(1 << k for k, member in self._members.items() if z3.is_true(model[member]))

    def _without_excess(self, mask: int) -> int:
        for k in reversed(bits(mask)):
            rest = mask & ~(1 << k)
            if all(rest & hit for hit in self._hits):
                mask = rest
        return mask
