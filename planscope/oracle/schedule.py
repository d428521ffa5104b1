"""Schedules calls one by one: can the rest be finished, from which hour at the latest, and in how many orders.

Calls come one by one, so an order of the remaining actions fixes the earliest start of each: the clock, or its own
"after" hour. Every answer follows from one number for each set R of remaining actions: the latest hour of the clock
from which R can still be finished (paper 4.4 gives the constraints; the recursion is ours).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from planscope.oracle.cancellation import check_cancelled
from planscope.oracle.precedence import Edge, bits, masks, order_counter, topological

NEVER = -math.inf
ALWAYS = math.inf
_OFTEN = 255
"""Cancellation is checked each time this many sets of actions were examined."""

FEW = 6
"""For at most this many actions, trying all orders is faster than computing the bound that could rule them out."""


class TooHard(Exception):
    """The limit of sets of actions to examine was reached."""


class Schedule:
    """Actions with durations, windows and an order, to be done one by one. Answers are cached.

    ``takes``: hours, at least 1. ``release`` and ``deadline``: earliest start and latest end of each, in hours;
    any integers. ``edges``: pairs (earlier, later). Sets of actions are bit masks. ``limit``: sets examined
    before :class:`TooHard`.
    """

    def __init__(
        self,
        takes: Sequence[int],
        release: Sequence[int],
        deadline: Sequence[int],
        edges: Iterable[Edge],
        limit: int = 400_000,
    ) -> None:
        self.n = len(takes)
        self.takes, self.release, self.deadline = takes, release, deadline
        pairs = list(edges)
        self.preds, self.succs = masks(self.n, pairs)
        self.cyclic = topological(self.n, pairs) is None
        self.limit = limit
        self._floor = min(release, default=0)
        self._latest: dict[int, float] = {0: ALWAYS}
        self._orders = order_counter(self.preds, self.succs)
        self._counts: dict[tuple[int, int], int] = {}
        self._twins = self._find_twins()
        self._due, self._early = self._effective_windows()
        self._by_due = sorted(range(self.n), key=lambda i: (self._due[i], i))

    def _find_twins(self) -> list[int]:
        """For each action, compute the mask of earlier actions that are interchangeable with it."""
        kind = [
            (self.takes[i], self.release[i], self.deadline[i], self.preds[i], self.succs[i])
            for i in range(self.n)
        ]
        return [sum(1 << j for j in range(i) if kind[j] == kind[i]) for i in range(self.n)]

    def _effective_windows(self) -> tuple[list[int], list[int]]:
        """Narrow each window: its end leaves room for the successors, its start for the predecessors.

        Only bounds and the order of trying depend on these windows.
        """
        due, early = list(self.deadline), list(self.release)
        for _ in range(self.n):
            for i in range(self.n):
                for j in bits(self.succs[i]):
                    due[i] = min(due[i], due[j] - self.takes[j])
                    early[j] = max(early[j], early[i] + self.takes[i])
        return due, early

    def _hopeless(self, members: Sequence[int]) -> bool:
        """Return whether the actions miss their windows even if calls could be interrupted (preemptive earliest due
        date first)."""
        left = {i: self.takes[i] for i in members}
        clock = min(self._early[i] for i in members)
        while left:
            ready = [i for i in left if self._early[i] <= clock]
            if not ready:
                clock = min(self._early[i] for i in left)
                continue
            first = min(ready, key=self._due.__getitem__)
            later = [self._early[i] - clock for i in left if self._early[i] > clock]
            run = min([left[first], *later])
            clock += run
            left[first] -= run
            if clock > self._due[first]:
                return True
            if not left[first]:
                del left[first]
        return False

    def ready(self, rest: int) -> list[int]:
        """Return the actions of ``rest`` without a predecessor in it."""
        return [i for i in bits(rest) if not self.preds[i] & rest]

    def latest(self, rest: int) -> float:
        """Return the latest hour from which ``rest`` (a bit mask) can be finished, or NEVER if there is none."""
        if self.cyclic:
            return NEVER if rest else ALWAYS
        known = self._latest.get(rest)
        if known is not None:
            return known
        looked = len(self._latest)
        if looked > self.limit:
            raise TooHard
        if looked & _OFTEN == 1:
            check_cancelled()
        bound: float = ALWAYS
        total = 0
        members = [i for i in self._by_due if rest >> i & 1]
        for i in members:
            total += self.takes[i]
            bound = min(bound, self._due[i] - total)
        best: float = NEVER
        if bound >= self._floor and not (len(members) > FEW and self._hopeless(members)):
            for i in members:
                bit = 1 << i
                if not self.preds[i] & rest and not self._twins[i] & rest:
                    end = min(self.deadline[i], self.latest(rest ^ bit))
                    start = end - self.takes[i]
                    if start >= self.release[i] and start > best:
                        best = start
                        if best == bound:
                            break
        self._latest[rest] = best
        return best

    def hours(self, rest: int, action: int, clock: int) -> tuple[int, int] | None:
        """Return the first and last hour at which ``action`` can start next so that the rest can be finished, or
        None."""
        if self.preds[action] & rest:
            return None
        first = max(clock, self.release[action])
        last = min(self.deadline[action], self.latest(rest ^ (1 << action))) - self.takes[action]
        return (first, int(last)) if first <= last else None

    def completions(self, rest: int, clock: int) -> int:
        """Count the orders (not hours) in which ``rest`` can be finished from ``clock`` on."""
        if clock > self.latest(rest):
            return 0
        if not rest:
            return 1
        members = list(bits(rest))
        clock = max(clock, min(self.release[i] for i in members))
        total = sum(self.takes[i] for i in members)
        if all(self.release[i] <= clock and clock + total <= self.deadline[i] for i in members):
            return self._orders(rest)
        key = (rest, clock)
        known = self._counts.get(key)
        if known is not None:
            return known
        count = 0
        if not len(self._counts) & _OFTEN:
            check_cancelled()
        for i in members:
            bit = 1 << i
            if self.preds[i] & rest or self._twins[i] & rest:
                continue
            end = max(clock, self.release[i]) + self.takes[i]
            if end <= self.deadline[i] and end <= self.latest(rest ^ bit):
                count += self._alike(i, rest) * self.completions(rest ^ bit, end)
        self._counts[key] = count
        return count

    def _alike(self, action: int, rest: int) -> int:
        """Count the actions of ``rest`` that are interchangeable with ``action``, itself included."""
        return 1 + sum(1 for j in bits(rest) if self._twins[j] >> action & 1)

    def latest_way(self, rest: int) -> list[tuple[int, int]] | None:
        """Return actions with the latest start hours that finish ``rest``, or None if nothing finishes it.

        It follows the answers that :meth:`latest` has cached, so it costs no search.
        """
        if self.latest(rest) == NEVER:
            return None
        plan = []
        while rest:
            best = self._latest[rest]
            for i in self.ready(rest):
                following = self._latest.get(rest ^ (1 << i), NEVER)
                start = min(self.deadline[i], following) - self.takes[i]
                if start == best and start >= self.release[i]:
                    plan.append((i, int(start)))
                    rest ^= 1 << i
                    break
        return plan

    def one_way(self, rest: int, clock: int) -> list[tuple[int, int]] | None:
        """Return actions with start hours that finish ``rest``, lowest number and earliest hour first, or None if it
        is lost."""
        if clock > self.latest(rest):
            return None
        plan = []
        while rest:
            for i in self.ready(rest):
                window = self.hours(rest, i, clock)
                if window is not None:
                    plan.append((i, window[0]))
                    clock, rest = window[0] + self.takes[i], rest ^ (1 << i)
                    break
        return plan


def count_schedules(
    takes: Sequence[int], release: Sequence[int], deadline: Sequence[int], edges: Iterable[Edge]
) -> int:
    """Count the orders in which all actions can run from hour 0 on, exactly. Fast enough for up to 20 actions."""
    schedule = Schedule(takes, release, deadline, edges)
    return schedule.completions((1 << schedule.n) - 1, 0)
