"""Finds all minimal cores and all minimal corrections (MARCO: Liffiton, Previti, Malik, Marques-Silva 2016).

Every core shares a member with every correction (it *hits* it), and the other way round. So the sets found so far bound
the search: a smallest set that hits all known cores and contains no known correction is either a new correction, or it
reveals a new core. python-sat's ``Hitman`` finds the smallest hitting sets first, at any size. If it is not installed,
Z3 does so for up to ``EXACT`` members; larger sets of Z3 are only irreducible.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import z3

from planscope.oracle.plan import Answered, Question
from planscope.oracle.precedence import bits
from planscope.oracle.smt import fresh_solver
from planscope.oracle.verdict_types import SearchEnd

EXACT = 4
"""Up to this size Z3 finds the smallest set first. Beyond it, proving that no smaller set exists takes too long."""


class GaveUp(Exception):
    """A question got no answer, because it was too hard or was interrupted."""


class HittingSets(Protocol):
    """Yields sets that hit all given sets, as bit masks. Calls of ``hit`` and ``avoid`` add up; ``floor`` never
    decreases."""

    @property
    def floor(self) -> int:
        """The size that no later set falls below."""

    def hit(self, mask: int) -> None: ...

    def avoid(self, mask: int) -> None:
        """Never return this set or a superset of it."""

    def next(self) -> int | None:
        """Return the next minimal set, small ones first, or None if there is none. Raises :class:`GaveUp`."""

    def interrupt(self) -> None:
        """Interrupt the solver that another thread is running."""


def hitting_sets() -> HittingSets:
    """Make a solver for hitting sets, with python-sat or, if that is not installed, with Z3."""
    try:
        from pysat.examples.hitman import Hitman
    except ImportError:
        return HittingSetsByZ3()
    return HittingSetsByHitman(Hitman(solver="g3", htype="sorted"))


class HittingSetsByHitman:
    """Finds the smallest sets first, at any size. ``hitman``: an empty one of python-sat, which sorts by size."""

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
        # Hitman.get does the same, but holds up other threads, so that none could interrupt it.
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
    """Finds the smallest sets first, up to the size of ``EXACT``."""

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
                return found  # minimal: a smaller hitting set would have been found before
            self.floor += 1
        found = self._check()
        return None if found is None else self._without_excess(found)

    def _bound(self) -> Any:
        """Return a literal that says "at most ``floor`` members"."""
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


def _ignore(_mask: int) -> None: ...


def _always() -> bool:
    return True


class _Stopped(Exception):
    """The caller stopped the search."""


class Marco:
    """One search for cores and corrections, both as bit masks over the question's names, in the order found.

    ``on_core`` receives the first ``most`` cores. ``on_correction`` receives the ``most`` smallest corrections, in
    order of size as far as the hitting sets are. ``stopped`` is called between questions and ends the search with True.
    """

    def __init__(
        self,
        question: Question,
        most: int,
        on_core: Callable[[int], None],
        on_correction: Callable[[int], None],
        stopped: Callable[[], bool],
    ) -> None:
        self.question, self.most, self.stopped = question, most, stopped
        self.on_core, self.on_correction = on_core, on_correction
        self.everything = (1 << len(question.names)) - 1
        self.cores: list[int] = []
        self.corrections: list[int] = []
        self.told = 0
        self.untold: list[int] = []
        """Corrections found but not told yet, because smaller ones may still come."""
        self.kept_back = hitting_sets()
        """Sets that hit every core: candidates for corrections."""
        self.taken = hitting_sets()
        """Sets that hit every correction: candidates for cores."""

    def interrupt(self) -> None:
        self.kept_back.interrupt()
        self.taken.interrupt()

    def run(self, first: int | None = None) -> SearchEnd:
        """Search until all sets are found, or ``most`` of each kind (at least one of each). ``first``: a known core."""
        try:
            ended = self._ended(first)
            self._tell(len(self.question.names))
            return ended
        finally:  # the caller, which they belong to, holds the solvers: a circle would keep those for long
            self.on_core = self.on_correction = _ignore
            self.stopped = _always

    def _ended(self, first: int | None) -> SearchEnd:
        try:
            self._begin(first)
            return self._search() if self.cores else "all"
        except _Stopped:
            return "stopped"
        except GaveUp:
            return "stopped" if self.stopped() else "unknown"

    def _begin(self, first: int | None) -> None:
        if first is not None:
            self._take_core(first)
            return
        answer, part = self._ask(self.everything)
        if answer == "unsat":
            self._take_core(self._shrunk(part))

    def _search(self) -> SearchEnd:
        corrections = True
        while not self._full():
            if len(self.cores) >= self.most:
                corrections = True
            elif self.told >= self.most:
                corrections = False
            done = self._next_correction() if corrections else self._next_core()
            if done:
                return "all" if max(len(self.cores), len(self.corrections)) <= self.most else "most"
            corrections = not corrections
        if not self.corrections:  # what a maximal satisfiable set leaves out is a minimal correction
            _, around = self._ask(0)
            self._take_correction(self.everything & ~self._grown(around))
        return "most"

    def _full(self) -> bool:
        """Return whether ``most`` of both kinds are found, or ``most`` of one kind and far more of the other."""
        if len(self.cores) >= self.most:
            return self.told >= self.most or len(self.cores) >= 2 * self.most
        return self.told >= self.most and len(self.corrections) >= 3 * self.most

    def _next_correction(self) -> bool:
        """Find another correction, or else a core; True if nothing is left to find."""
        given_up = self.kept_back.next()
        if given_up is None:
            return True
        self._tell(self.kept_back.floor)
        answer, part = self._ask(self.everything & ~given_up)
        if answer == "sat":
            self._take_correction(given_up)
            self._tell(given_up.bit_count())
        else:
            self._take_core(self._shrunk(part))
        return False

    def _next_core(self) -> bool:
        """Find another core, or else a correction; True if nothing is left to find."""
        chosen = self.taken.next()
        if chosen is None:
            return True
        answer, around = self._ask(chosen)
        if answer == "unsat":
            self._take_core(chosen)
        else:
            self._take_correction(self.everything & ~self._grown(around))
        return False

    def _take_core(self, mask: int) -> None:
        self.cores.append(mask)
        self.kept_back.hit(mask)
        self.taken.avoid(mask)
        if len(self.cores) <= self.most:
            self.on_core(mask)

    def _take_correction(self, mask: int) -> None:
        self.corrections.append(mask)
        self.taken.hit(mask)
        self.kept_back.avoid(mask)
        self.untold.append(mask)

    def _tell(self, size: int) -> None:
        """Report the corrections of at most ``size`` members, smallest first."""
        self.untold.sort(key=lambda mask: (mask.bit_count(), tuple(bits(mask))))
        while self.untold and self.told < self.most and self.untold[0].bit_count() <= size:
            self.told += 1
            self.on_correction(self.untold.pop(0))

    def _ask(self, chosen: int) -> Answered:
        if self.stopped():
            raise _Stopped
        for core in self.cores:
            if core & chosen == core:
                return "unsat", core
        for correction in self.corrections:
            if not correction & chosen:
                return "sat", self.everything & ~correction
        found = self.question.ask(chosen)
        if found[0] == "unknown":
            raise GaveUp
        return found

    def _shrunk(self, mask: int) -> int:
        """Return a minimal unsatisfiable subset. Members are dropped from last to first, several at once if that
        works."""
        needed, size = 0, 1
        while mask & ~needed:
            free = bits(mask & ~needed)[-size:]
            dropped = sum(1 << k for k in free)
            answer, part = self._ask(mask & ~dropped)
            if answer == "unsat":
                mask, size = part, 2 * size
            elif len(free) == 1:
                needed |= dropped
            else:
                size = 1
        return mask

    def _grown(self, mask: int) -> int:
        """Return a maximal satisfiable superset. Members are added from first to last."""
        for k in bits(self.everything & ~mask):
            if not mask >> k & 1:
                answer, around = self._ask(mask | 1 << k)
                if answer == "sat":
                    mask = around
        return mask
