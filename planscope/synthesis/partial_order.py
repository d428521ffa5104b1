"""What has been said so far, and what can still be said without a contradiction.

Actions are indexes, sets of them bit masks. ``up[i]`` are the actions that must come before i, ``down[i]``
those that must come after it: closed under transitivity at every moment, so that a question is a mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planscope.oracle.precedence import Edge, bits, count_orders
from planscope.oracle.schedule import count_schedules
from planscope.synthesis.day import Day
from planscope.synthesis.draw import Draw


class PartialOrder:
    """``day``: for timed queries, their durations and clock times. ``redundant``: the share to steer for."""

    names_all = False
    """Whether the pairs that have to be said mention every action."""

    def __init__(self, n: int, day: Day | None = None, redundant: float | None = None) -> None:
        self.n, self.day, self.redundant = n, day, redundant
        self.everything = (1 << n) - 1
        self.up = [0] * n
        self.down = [0] * n
        self.pairs: list[Edge] = []

    def candidates(self, members: Sequence[int], before: bool) -> int:
        """Actions that all ``members`` may be said to come before (or else after); members among them."""
        blocked = 0
        rows = self.up if before else self.down
        for i in members:
            blocked |= rows[i]
        return self.everything & ~blocked

    def say(self, members: Sequence[int], before: bool, other: int) -> bool:
        """All ``members`` come before (or else after) ``other``; whether that left a plan."""
        edges = [(i, other) for i in members] if before else [(other, i) for i in members]
        day = self.day
        if day is not None and not self._fits(day, edges):
            return False
        self.pairs += edges
        enclose(self.up, self.down, edges)
        return True

    def _fits(self, day: Day, edges: Sequence[Edge]) -> bool:
        if not day.bounded or day.keeps(edges):
            return True
        up, down = self.up[:], self.down[:]
        enclose(up, down, edges)
        return day.settle(up, down, day.release, day.deadline)

    def clock(self, members: Sequence[int], before: bool, draw: Draw, needed: bool) -> int:
        """Say that all ``members`` end by (or else start from) some hour; the hour, -1 if none will do.

        ``needed``: better something redundant than nothing.
        """
        day = self.day
        assert day is not None
        low, high = day.range(self.up, self.down, members, before)
        if self.redundant is not None and (wanted := self.wanted(0)) is not None:
            hours = day.preferred(self.up, self.down, members, before, wanted, (low, high))
            if hours[0] <= hours[1] or not (wanted or needed):
                low, high = hours
        while low <= high:
            hour = draw.between(low, high)
            if self.bound(day, members, before, hour):
                return hour
            if before:
                low = hour + 1
            else:
                high = hour - 1
        return -1

    def bound(self, day: Day, members: Sequence[int], before: bool, hour: int) -> bool:
        """Set a clock time for all members, if that leaves a plan."""
        return day.bound(self.up, self.down, members, before, hour)

    def settle(self) -> None:
        """See to it that the day has a plan for what was said, whether or not there are clock times."""
        if self.day is not None and not self.day.bounded:
            self.day.settle(self.up, self.down, self.day.release, self.day.deadline)

    def wanted(self, room: int) -> bool | None:
        """What should be said next: True something redundant, False something new, None anything.

        ``room``: how many actions the sentences to come can still name.
        """
        if self.redundant is None:
            return None
        return self.redundant_pairs() < self.redundant * (len(self.pairs) + 1)

    def redundant_pairs(self) -> int:
        """How many of the pairs follow from the others: what was said twice, or has something in between."""
        times: dict[Edge, int] = {}
        for pair in self.pairs:
            times[pair] = times.get(pair, 0) + 1
        return sum(k for (a, b), k in times.items() if k > 1 or self.down[a] & self.up[b])

    def preferred(self, members: Sequence[int], before: bool, mask: int, wanted: bool) -> int:
        """Those of the candidates ``mask`` with which something redundant (or else new) would be said."""
        if wanted:
            rows = self.down if before else self.up
            for i in members:
                mask &= rows[i]
            return mask
        for i in members:
            mask &= ~(self.up[i] | self.down[i] | self._upsetting(i, before))
        return mask

    def _upsetting(self, i: int, before: bool) -> int:
        """The actions that, said to come after (or else before) i, would make an earlier pair redundant."""
        up, down = self.up, self.down
        found = 0
        if before:
            reach = up[i] | 1 << i
            for a, b in self.pairs:
                if reach >> a & 1:
                    found |= up[b] | 1 << b
        else:
            reach = down[i] | 1 << i
            for a, b in self.pairs:
                if reach >> b & 1:
                    found |= down[a] | 1 << a
        return found

    def enough(self) -> bool:
        """Whether whatever is said next would be redundant, and too much is already."""
        return self.wanted(0) is False and not self.has_new()

    def lacking(self) -> bool:
        """Whether another sentence is needed for what was asked for."""
        return self.redundant is not None and self.redundant_pairs() < self.redundant * len(self.pairs)

    def unsaid(self) -> int:
        """How many pairs have to be said that were not yet."""
        return 0

    def count(self) -> int:
        """How many valid orders what was said leaves."""
        if self.day is None:
            return count_orders(self.n, self.pairs)
        return count_schedules(self.day.takes, self.day.release, self.day.deadline, self.pairs)

    def has_new(self) -> bool:
        """Whether something can be said that follows from nothing and lets nothing follow."""
        return any(self.preferred((i,), True, self.everything & ~(1 << i), False) for i in range(self.n))


def enclose(up: list[int], down: list[int], edges: Iterable[Edge]) -> None:
    """Add pairs to an order and close it. No pair may contradict the order."""
    for a, b in edges:
        if down[a] >> b & 1:
            continue
        above, below = up[a] | 1 << a, down[b] | 1 << b
        for i in bits(below):
            up[i] |= above
        for i in bits(above):
            down[i] |= below
