"""Which run comes next: as the method wants, or as the user asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from planscope.dissection.decide import is_settled
from planscope.dissection.paper import decide_paper, next_round
from planscope.dissection.policy import Pick, next_run
from planscope.dissection.results import Results
from planscope.session.model import CellKind


class Plan(Protocol):
    """``number``: of the one mutant that was asked for, if it is one."""

    number: int | None

    def next(self, results: Results, pending: Sequence[Pick]) -> Pick | None:
        """The next run. ``pending``: runs under way. None: nothing to begin, at least until one of them has ended."""

    def done(self, results: Results) -> bool:
        """Whether what is still under way would change nothing."""


class Rates:
    """The method ``rates``."""

    number: int | None = None

    def next(self, results: Results, pending: Sequence[Pick]) -> Pick | None:
        if self.done(results):
            return None
        return next_run(results.evidence(), results.closed, pending, failed=results.failed)

    def done(self, results: Results) -> bool:
        return is_settled(results.evidence(), failed=results.failed)


class Paper:
    """Algorithm 2."""

    number: int | None = None

    def __init__(self, budget: int) -> None:
        self.budget = budget

    def next(self, results: Results, pending: Sequence[Pick]) -> Pick | None:
        return next_round(
            results.evidence(), self.budget, failed=results.failed, closed=results.closed, pending=pending
        )

    def done(self, results: Results) -> bool:
        found = decide_paper(results.evidence(), self.budget, failed=results.failed, closed=results.closed)
        return found.settled


@dataclass(slots=True)
class Asked:
    """``times`` runs of one mutant, or a run on each of so many mutants of a kind that have none yet."""

    kind: CellKind
    number: int | None
    times: int
    begun: list[int | None] = field(default_factory=list)

    def next(self, results: Results, pending: Sequence[Pick]) -> Pick | None:
        if len(self.begun) >= self.times:
            return None
        place = self._place(results, pending)
        if place is None and self.kind in results.closed and self.number is None:
            return None
        self.begun.append(place)
        return Pick(self.kind, place)

    def done(self, results: Results) -> bool:
        return False

    def _place(self, results: Results, pending: Sequence[Pick]) -> int | None:
        cells = results.cells(self.kind)
        if self.number is not None:
            return next((i for i, c in enumerate(cells) if c.number == self.number), None)
        if self.kind == "Original":
            return 0 if cells else None
        busy = {p.place for p in pending if p.kind == self.kind}
        return next((i for i, c in enumerate(cells) if not c.runs and i not in busy), None)


def plan_for(
    method: Literal["rates", "paper"], budget: int, kind: CellKind | None, number: int | None, times: int
) -> Plan:
    if kind is not None:
        return Asked(kind, number, times)
    return Paper(budget) if method == "paper" else Rates()
