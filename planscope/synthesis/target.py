"""Queries with so many valid orders: the order comes first, and then it is put into sentences.

A pair of actions added to a partial order can only take valid orders away. So pairs of incomparable actions are
added while there are too many, and none with which there would be too few. Sentences then say pairs of the
order that came out, and all of those that follow from no others (its cover relations).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import factorial

from planscope.oracle.precedence import Edge, bits, count_orders
from planscope.oracle.schedule import count_schedules
from planscope.synthesis.day import Day
from planscope.synthesis.draw import Draw
from planscope.synthesis.partial_order import PartialOrder, enclose
from planscope.synthesis.request import SynthesisError

_COUNTS = 4_000
"""How often valid orders are counted before the search is given up."""


class TargetOrder(PartialOrder):
    """An order that is known from the start: ``candidates`` are what it implies.

    ``least``: valid orders that clock times must leave. ``unsaid``: cover relations that no sentence has said.
    """

    names_all = True

    def __init__(
        self, up: list[int], down: list[int], least: int, day: Day | None, redundant: float | None
    ) -> None:
        super().__init__(len(up), day, redundant)
        self.up, self.down, self.least = up, down, least
        self.above = [0] * self.n
        self.below = [0] * self.n
        for a, b in covers(down, up):
            self.below[a] |= 1 << b
            self.above[b] |= 1 << a

    def unsaid(self) -> int:
        return sum(mask.bit_count() for mask in self.below)

    def lacking(self) -> bool:
        return any(self.below) or super().lacking()

    def candidates(self, members: Sequence[int], before: bool) -> int:
        rows = self.down if before else self.up
        found = self.everything
        for i in members:
            found &= rows[i]
        return found

    def say(self, members: Sequence[int], before: bool, other: int) -> bool:
        for i in members:
            a, b = (i, other) if before else (other, i)
            self.pairs.append((a, b))
            self.below[a] &= ~(1 << b)
            self.above[b] &= ~(1 << a)
        return True

    def wanted(self, room: int) -> bool | None:
        """What no sentence has said comes first, unless there is room and redundancy is asked for."""
        if any(self.below) and (self.redundant is None or 2 * self.unsaid() >= room):
            return False
        return super().wanted(room)

    def preferred(self, members: Sequence[int], before: bool, mask: int, wanted: bool) -> int:
        rows = self.below if before else self.above
        some, each = 0, mask
        for i in members:
            some |= rows[i]
            each &= rows[i]
        if wanted:
            return mask & ~some
        return mask & some if self.redundant is None else each

    def has_new(self) -> bool:
        return any(self.below)

    def bound(self, day: Day, members: Sequence[int], before: bool, hour: int) -> bool:
        kept = day.release, day.deadline, day.bounded
        if not super().bound(day, members, before, hour):
            return False
        if self.least > 1:
            edges = [(a, b) for a in range(self.n) for b in bits(self.down[a])]
            if count_schedules(day.takes, day.release, day.deadline, edges) < self.least:
                day.release, day.deadline, day.bounded = kept
                return False
        return True


def covers(down: Sequence[int], up: Sequence[int]) -> list[Edge]:
    """The pairs of a closed order with nothing in between."""
    return [(a, b) for a in range(len(down)) for b in bits(down[a]) if not down[a] & up[b]]


def draw_order(draw: Draw, n: int, low: int, high: int) -> tuple[list[int], list[int]]:
    """``up`` and ``down`` of a random order with ``low`` to ``high`` valid orders and no action on its own."""
    most = factorial(n - 1)  # one action before all the others
    if low > most:
        raise SynthesisError(
            f"{n} actions of which each is compared with another have {most} valid orders at most; "
            f"ask for a range that begins there or below"
        )
    search = _Search(draw, n, low, high)
    while search.left > 0:
        found = search.walk()
        if found is not None:
            return found
    raise SynthesisError(
        f"no query over {n} actions has {low}..{high} valid orders as far as was tried; "
        f"{nearest(search.seen, low, high)}"
    )


def nearest(seen: Iterable[int], low: int, high: int) -> str:
    """The numbers of valid orders next to the range, in words: what can be asked for instead."""
    under = max((k for k in seen if k < low), default=None)
    over = min((k for k in seen if k > high), default=None)
    if under is None and over is None:
        return "ask for a wider range"
    return f"{' and '.join(str(k) for k in (under, over) if k is not None)} can be had"


class _Search:
    def __init__(self, draw: Draw, n: int, low: int, high: int) -> None:
        self.draw, self.n, self.low, self.high = draw, n, low, high
        self.left = _COUNTS
        self.seen: set[int] = set()
        """Numbers of valid orders outside the range, of orders without an action on its own."""

    def goal(self) -> int:
        """Where to stop; small numbers are as likely as large ones."""
        size = self.draw.between(self.low.bit_length(), self.high.bit_length())
        return self.draw.between(max(self.low, 1 << (size - 1)), min(self.high, (1 << size) - 1))

    def walk(self) -> tuple[list[int], list[int]] | None:
        """Add pairs at random as long as that may lead into the range."""
        n, goal = self.n, self.goal()
        up, down = [0] * n, [0] * n
        alone = (1 << n) - 1
        count: int | None = factorial(n)
        refused: set[Edge] = set()
        while True:
            if not alone and count is not None and count <= goal:
                return up, down
            pool = self._pool(up, down, alone, refused)
            while pool:
                edge = pool.pop()
                trial = up[:], down[:]
                enclose(*trial, [edge])
                left_alone = alone & ~(1 << edge[0] | 1 << edge[1])
                found = self._count(*trial)
                if found is None or self._hopeful(found, trial, left_alone):
                    break
                refused.add(edge)
                if not left_alone:
                    self.seen.add(found)
            else:
                if count is not None and not alone:
                    if self.low <= count <= self.high:
                        return up, down
                    self.seen.add(count)
                return None
            (up, down), alone, count = trial, left_alone, found

    def _pool(self, up: list[int], down: list[int], alone: int, refused: set[Edge]) -> list[Edge]:
        """Pairs that could be added, in random order; those of an action on its own first of all."""
        pool = [
            (a, b)
            for a in range(self.n)
            for b in range(self.n)
            if a != b
            and not (up[a] | down[a]) >> b & 1
            and (not alone or (alone >> a | alone >> b) & 1)
            and (a, b) not in refused
        ]
        return self.draw.sample(pool, len(pool))

    def _count(self, up: list[int], down: list[int]) -> int | None:
        """How many valid orders; None for surely more than the range allows."""
        product = 1
        for mask in down:
            product *= mask.bit_count() + 1
        if factorial(self.n) > self.high * product:  # n!/product is a lower bound, exact for forests
            return None
        self.left -= 1
        return count_orders(self.n, covers(down, up))

    def _hopeful(self, count: int, trial: tuple[list[int], list[int]], alone: int) -> bool:
        """Whether enough orders may be left once each action on its own is tied to the largest group."""
        if not alone:
            return count >= self.low
        size = max(_group(*trial, i) for i in range(self.n))
        return count * size >= self.low * (size + alone.bit_count())


def _group(up: Sequence[int], down: Sequence[int], i: int) -> int:
    """How many actions are connected with i, itself included."""
    seen = todo = 1 << i
    while todo:
        j = todo.bit_length() - 1
        todo ^= 1 << j
        new = (up[j] | down[j]) & ~seen
        seen |= new
        todo |= new
    return seen.bit_count()
