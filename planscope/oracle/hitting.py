"""Small sets that hit each of some sets and contain none of others: where a search for reasons looks next.

python-sat's ``Hitman`` gives the smallest first, whatever their size. Where it cannot be imported, Z3 does up to
``EXACT`` members; beyond that it gives sets of which no part would do.
"""

from __future__ import annotations

from typing import Any, Protocol

import z3

from planscope.oracle.precedence import bits
from planscope.oracle.solver import fresh_solver

EXACT = 4
"""Up to this size Z3 finds the smallest set first; proving that there is no smaller one gets dear beyond it."""


class GaveUp(Exception):
    """A question came back without an answer: it was too hard, or it was interrupted."""


class HittingSets(Protocol):
    """Sets are bit masks. Everything that a set is asked to hit or to avoid stays; ``floor`` never gets smaller."""

    @property
    def floor(self) -> int:
        """No set that is still to come has fewer members."""

    def hit(self, mask: int) -> None: ...

    def avoid(self, mask: int) -> None:
        """Neither this set nor any around it is to come."""

    def next(self) -> int | None:
        """A set of which no part would do, small ones first; None where there is none. Raises :class:`GaveUp`."""

    def interrupt(self) -> None:
        """Make a question under way in another thread end at once."""


def hitting_sets() -> HittingSets:
    """By python-sat, or by Z3 where that is not installed."""
    try:
        from pysat.examples.hitman import Hitman
    except ImportError:
        return HittingSetsByZ3()
    return HittingSetsByHitman(Hitman(solver="g3", htype="sorted"))


class HittingSetsByHitman:
    """Exact at any size. ``hitman``: an empty one of python-sat's that gives the smallest first."""

    def __init__(self, hitman: Any) -> None:
        self._hitman = hitman
        self._stopped = False
        self.floor = 0

    def interrupt(self) -> None:
        self._stopped = True
        self._hitman.oracle.interrupt()

    def hit(self, mask: int) -> None:
        self._hitman.hit(bits(mask))

    def avoid(self, mask: int) -> None:
        self._hitman.block(bits(mask))

    def next(self) -> int | None:
        # as Hitman.get does it, but so that other threads go on meanwhile and may interrupt
        model = None if self._stopped else self._hitman.oracle.compute(expect_interrupt=True)
        if self._stopped:
            raise GaveUp
        if model is None:
            return None
        found = 0
        for number in model:
            found |= 1 << self._hitman.idpool.obj(number) if number > 0 else 0
        self.floor = found.bit_count()
        return found


class HittingSetsByZ3:
    """Exact up to the size of ``EXACT``."""

    def __init__(self) -> None:
        self._context, self._solver = fresh_solver()
        self._members: dict[int, Any] = {}
        self._hits: list[int] = []
        self.floor = 0
        self._bounds: dict[tuple[int, int], Any] = {}

    def interrupt(self) -> None:
        self._context.interrupt()

    def _member(self, k: int) -> Any:
        if k not in self._members:
            self._members[k] = z3.Bool(f"m{k}", self._context)
        return self._members[k]

    def hit(self, mask: int) -> None:
        self._hits.append(mask)
        self._solver.add(z3.Or([self._member(k) for k in bits(mask)], self._context))

    def avoid(self, mask: int) -> None:
        self._solver.add(z3.Or([z3.Not(self._member(k)) for k in bits(mask)], self._context))

    def next(self) -> int | None:
        while self.floor <= EXACT:
            found = self._check(self._bound())
            if found is not None:
                return found  # a part that would do were smaller
            self.floor += 1
        found = self._check()
        return None if found is None else self._without_excess(found)

    def _bound(self) -> Any:
        """A literal that says: no more members than ``floor``."""
        key = (self.floor, len(self._members))
        if key not in self._bounds:
            literal = z3.Bool(f"at most {key}", self._context)
            at_most = z3.PbLe([(m, 1) for m in self._members.values()], self.floor) if self._members else True
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
