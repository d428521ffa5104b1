"""The day of a timed query: hidden durations, clock times said so far, and a plan that meets them all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planscope.language.problem import DAY
from planscope.oracle.precedence import Edge, bits
from planscope.oracle.schedule import Schedule, TooHard
from planscope.synthesis.draw import Draw

_LIMIT = 2_000
"""Sets of actions looked at for one question; where that is not enough, something else is said instead."""


def draw_durations(draw: Draw, n: int) -> list[int]:
    """Whole hours, at least one each, three on average at most; their sum fits the day."""
    takes = [1] * n
    for _ in range(draw.between(0, min(DAY, 3 * n) - n)):
        takes[draw.between(0, n - 1)] += 1
    return takes


class Day:
    """``plan``: start hours that meet all that was said, kept up to date once there are clock times (``bounded``)."""

    def __init__(self, takes: Sequence[int]) -> None:
        self.takes = takes
        self.n = len(takes)
        self.release = [0] * self.n
        self.deadline = [DAY] * self.n
        self.bounded = False
        self.plan: list[int] = []

    def keeps(self, edges: Iterable[Edge]) -> bool:
        """Whether the plan at hand meets these pairs as well."""
        plan, takes = self.plan, self.takes
        return all(plan[a] + takes[a] <= plan[b] for a, b in edges)

    def settle(
        self, up: Sequence[int], down: Sequence[int], release: Sequence[int], deadline: Sequence[int]
    ) -> bool:
        """Make a plan for this order and these clock times the plan at hand, if there is one."""
        plan = self._greedy(up, down, release, deadline) or self._exact(down, release, deadline)
        if plan is None:
            return False
        self.plan = plan
        return True

    def _greedy(
        self, up: Sequence[int], down: Sequence[int], release: Sequence[int], deadline: Sequence[int]
    ) -> list[int] | None:
        """The most urgent action that may start, again and again; mostly that will do."""
        takes = self.takes
        due = [min([deadline[i], *[deadline[j] - takes[j] for j in bits(down[i])]]) for i in range(self.n)]
        urgent = sorted(range(self.n), key=due.__getitem__)
        plan = [0] * self.n
        rest, clock = (1 << self.n) - 1, 0
        while rest:
            soonest = DAY
            for i in urgent:
                if rest >> i & 1 and not up[i] & rest:
                    if release[i] <= clock:
                        break
                    soonest = min(soonest, release[i])
            else:
                if soonest == DAY:
                    return None
                clock = soonest
                continue
            plan[i] = clock
            clock += takes[i]
            if clock > due[i]:
                return None
            rest ^= 1 << i
        return plan

    def _exact(
        self, down: Sequence[int], release: Sequence[int], deadline: Sequence[int]
    ) -> list[int] | None:
        edges = [(a, b) for a in range(self.n) for b in bits(down[a])]
        try:
            ways = Schedule(self.takes, release, deadline, edges, _LIMIT).one_way((1 << self.n) - 1, 0)
        except TooHard:
            return None
        if ways is None:
            return None
        plan = [0] * self.n
        for i, hour in ways:
            plan[i] = hour
        return plan

    def range(
        self, up: Sequence[int], down: Sequence[int], members: Sequence[int], before: bool
    ) -> tuple[int, int]:
        """Hours worth trying for "ends by" (or else "starts from"): none of the others can do."""
        takes = self.takes
        if before:
            return max(takes[i] + sum([takes[j] for j in bits(up[i])]) for i in members), DAY - 1
        return 1, DAY - max(takes[i] + sum([takes[j] for j in bits(down[i])]) for i in members)

    def preferred(
        self,
        up: Sequence[int],
        down: Sequence[int],
        members: Sequence[int],
        before: bool,
        redundant: bool,
        hours: tuple[int, int],
    ) -> tuple[int, int]:
        """The part of ``hours`` that says something redundant (or else new); the first above the last if none."""
        low, high = hours
        if before:
            known = [min([self.deadline[i], *[self.deadline[j] - 1 for j in bits(down[i])]]) for i in members]
            return (max(low, *known), high) if redundant else (low, min(high, min(known) - 1))

        known = [max([self.release[i], *[self.release[j] + 1 for j in bits(up[i])]]) for i in members]
        return (low, min(high, *known)) if redundant else (max(low, max(known) + 1), high)

    def bound(
        self, up: Sequence[int], down: Sequence[int], members: Sequence[int], before: bool, hour: int
    ) -> bool:
        """Set a clock time for all members, if there is a plan with it."""
        if not self.bounded and not self.settle(up, down, self.release, self.deadline):
            return False
        plan, takes = self.plan, self.takes
        release, deadline = self.release[:], self.deadline[:]
        for i in members:
            if before:
                deadline[i] = min(deadline[i], hour)
            else:
                release[i] = max(release[i], hour)
        if not all(release[i] <= plan[i] and plan[i] + takes[i] <= deadline[i] for i in members) and not (
            self.settle(up, down, release, deadline)
        ):
            return False
        self.release, self.deadline, self.bounded = release, deadline, True
        return True
