"""The order, and a timed query's day, while sentences build them: what was said, and what can still be said
consistently.

Actions are indexes, sets of them bit masks. ``up[i]`` are the actions that must come before i, ``down[i]`` those that
must come after it. Both are always closed under transitivity, so that a question about the order is one look at a mask.

If a query is to have a given number of valid orders, the order is drawn first. Adding a pair of actions can only remove
valid orders. So pairs of incomparable actions are added while there are too many valid orders, but none that would
leave too few. The sentences then state pairs of that order, among them all its covers (pairs that follow from no
others).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import factorial

from planscope.language.problem import DAY
from planscope.oracle.precedence import Edge, bits, count_orders
from planscope.oracle.schedule import Schedule, TooHard, count_schedules
from planscope.synthesis.random_choices import RandomChoices
from planscope.synthesis.request import SynthesisError

_LIMIT = 2_000
"""Limit of sets of actions that scheduling examines for one question. If it is not enough, another statement is
tried."""


def draw_durations(draw: RandomChoices, n: int) -> list[int]:
    """Draw durations in whole hours: at least one each, three on average at most, and their sum fits the day."""
    takes = [1] * n
    for _ in range(draw.between(0, min(DAY, 3 * n) - n)):
        takes[draw.between(0, n - 1)] += 1
    return takes


class Day:
    """A timed query's day. Once there are clock times (``bounded``), ``plan`` has start hours that meet everything
    said."""

    def __init__(self, takes: Sequence[int]) -> None:
        self.takes = takes
        self.n = len(takes)
        self.release = [0] * self.n
        self.deadline = [DAY] * self.n
        self.bounded = False
        self.plan: list[int] = []

    def keeps(self, edges: Iterable[Edge]) -> bool:
        """Return whether the current plan meets these pairs, too."""
        plan, takes = self.plan, self.takes
        return all(plan[a] + takes[a] <= plan[b] for a, b in edges)

    def settle(
        self, up: Sequence[int], down: Sequence[int], release: Sequence[int], deadline: Sequence[int]
    ) -> bool:
        """Find a plan for this order and these clock times, and make it the current one. Return False if there is
        none."""
        plan = self._greedy(up, down, release, deadline) or self._exact(down, release, deadline)
        if plan is None:
            return False
        self.plan = plan
        return True

    def _greedy(
        self, up: Sequence[int], down: Sequence[int], release: Sequence[int], deadline: Sequence[int]
    ) -> list[int] | None:
        """Return a plan made by always starting the most urgent action that may start, which mostly works."""
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
        """Return the hours worth trying for "ends by" (or else "starts from"). Others are impossible or say nothing."""
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
        """Return the part of ``hours`` that says something redundant (or else new). If it is empty, its first is
        above its last."""
        low, high = hours
        if before:
            known = [min([self.deadline[i], *[self.deadline[j] - 1 for j in bits(down[i])]]) for i in members]
            return (max(low, *known), high) if redundant else (low, min(high, min(known) - 1))

        known = [max([self.release[i], *[self.release[j] + 1 for j in bits(up[i])]]) for i in members]
        return (low, min(high, *known)) if redundant else (max(low, max(known) + 1), high)

    def bound(
        self, up: Sequence[int], down: Sequence[int], members: Sequence[int], before: bool, hour: int
    ) -> bool:
        """Set a clock time for all members if a plan with it exists. Return whether it does."""
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


class PartialOrder:
    """The order that the sentences have stated so far. ``day``: durations and clock times, for a timed query.
    ``redundant``: the wanted share of redundant pairs. ``repeats``: a statement may be made twice."""

    names_all = False
    """Whether the pairs that must be stated mention every action."""

    def __init__(
        self, n: int, day: Day | None = None, redundant: float | None = None, repeats: bool = True
    ) -> None:
        self.n, self.day, self.redundant, self.repeats = n, day, redundant, repeats
        self.everything = (1 << n) - 1
        self.up = [0] * n
        self.down = [0] * n
        self.pairs: list[Edge] = []
        self.stated_before = [0] * n
        self.stated_after = [0] * n
        """For each action, those that a sentence states to come before it, and those to come after it."""
        self.clock_times: set[tuple[int, bool, int]] = set()
        """The clock times stated: action, whether it ends by then, hour."""

    def unstated(self, members: Sequence[int], before: bool, mask: int) -> int:
        """Return those of ``mask`` of which no sentence states that a member comes before (or else after) them."""
        rows = self.stated_after if before else self.stated_before
        for i in members:
            mask &= ~rows[i]
        return mask

    def exhausted(self) -> bool:
        """Return whether every possible pair is stated."""
        return not any(
            self.unstated((i,), True, self.candidates((i,), True)) & ~(1 << i) for i in range(self.n)
        )

    def note(self, edges: Iterable[Edge]) -> None:
        """Note that a sentence states these pairs."""
        for a, b in edges:
            self.pairs.append((a, b))
            self.stated_after[a] |= 1 << b
            self.stated_before[b] |= 1 << a

    def candidates(self, members: Sequence[int], before: bool) -> int:
        """Return the actions that all ``members`` may be said to come before (or else after), including the members."""
        blocked = 0
        rows = self.up if before else self.down
        for i in members:
            blocked |= rows[i]
        return self.everything & ~blocked

    def say(self, members: Sequence[int], before: bool, other: int) -> bool:
        """State that all ``members`` come before (or else after) ``other``. Return False if that leaves no plan."""
        edges = [(i, other) for i in members] if before else [(other, i) for i in members]
        day = self.day
        if day is not None and not self._fits(day, edges):
            return False
        self.note(edges)
        enclose(self.up, self.down, edges)
        return True

    def _fits(self, day: Day, edges: Sequence[Edge]) -> bool:
        if not day.bounded or day.keeps(edges):
            return True
        up, down = self.up[:], self.down[:]
        enclose(up, down, edges)
        return day.settle(up, down, day.release, day.deadline)

    def clock(self, members: Sequence[int], before: bool, draw: RandomChoices, needed: bool) -> int:
        """Say that all ``members`` end by (or else start from) some hour. Return the hour, or -1 if none is
        possible.

        ``needed``: something redundant is better than nothing.
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
            if not self.repeats:
                hour = self._unstated_hour(members, before, hour, low, high)
                if hour < 0:
                    return -1
            if self.bound(day, members, before, hour):
                self.clock_times.update((i, before, hour) for i in members)
                return hour
            if before:
                low = hour + 1
            else:
                high = hour - 1
        return -1

    def _unstated_hour(self, members: Sequence[int], before: bool, hour: int, low: int, high: int) -> int:
        """Return ``hour``, or else the next one from ``low`` to ``high`` that no sentence states for a member; -1 if
        there is none."""
        hours = (*range(hour, high + 1), *range(low, hour))
        return next((h for h in hours if not any((i, before, h) in self.clock_times for i in members)), -1)

    def bound(self, day: Day, members: Sequence[int], before: bool, hour: int) -> bool:
        """Set a clock time for all members. Return False if that leaves no plan."""
        return day.bound(self.up, self.down, members, before, hour)

    def settle(self) -> None:
        """Make sure that the day has a plan for everything said, even without clock times."""
        if self.day is not None and not self.day.bounded:
            self.day.settle(self.up, self.down, self.day.release, self.day.deadline)

    def wanted(self, room: int) -> bool | None:
        """Return which kind of statement should come next. True: redundant, False: new, None: any.

        ``room``: how many actions the remaining sentences can still name.
        """
        if self.redundant is None:
            return None
        return self.redundant_pairs() < self.redundant * (len(self.pairs) + 1)

    def redundant_pairs(self) -> int:
        """Count the pairs that follow from others: repeated pairs, and pairs with an action in between."""
        times: dict[Edge, int] = {}
        for pair in self.pairs:
            times[pair] = times.get(pair, 0) + 1
        return sum(k for (a, b), k in times.items() if k > 1 or self.down[a] & self.up[b])

    def preferred(self, members: Sequence[int], before: bool, mask: int, wanted: bool) -> int:
        """Return those of the candidates ``mask`` that make a redundant (or else a new) statement."""
        if wanted:
            rows = self.down if before else self.up
            for i in members:
                mask &= rows[i]
            return mask
        for i in members:
            mask &= ~(self.up[i] | self.down[i] | self._upsetting(i, before))
        return mask

    def _upsetting(self, i: int, before: bool) -> int:
        """Return the actions that, said to come after (or else before) i, would make an earlier pair redundant."""
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
        """Return whether every further statement would be a repetition that is not allowed, or redundant although there
        is too much redundancy already."""
        if not self.repeats and self.exhausted():
            return True
        return self.wanted(0) is False and not self.has_new()

    def lacking(self) -> bool:
        """Return whether another sentence is needed to reach the wanted redundancy."""
        if self.redundant is None or (not self.repeats and self.exhausted()):
            return False
        return self.redundant_pairs() < self.redundant * len(self.pairs)

    def unsaid(self) -> int:
        """Return the number of pairs that still must be stated."""
        return 0

    def count(self) -> int:
        """Count the valid orders under everything said so far."""
        if self.day is None:
            return count_orders(self.n, self.pairs)
        return count_schedules(self.day.takes, self.day.release, self.day.deadline, self.pairs)

    def has_new(self) -> bool:
        """Return whether a statement is left that follows from no others and makes none redundant."""
        return any(self.preferred((i,), True, self.everything & ~(1 << i), False) for i in range(self.n))


def enclose(up: list[int], down: list[int], edges: Iterable[Edge]) -> None:
    """Add pairs to an order, and close it under transitivity. No pair may contradict the order."""
    for a, b in edges:
        if down[a] >> b & 1:
            continue
        above, below = up[a] | 1 << a, down[b] | 1 << b
        for i in bits(below):
            up[i] |= above
        for i in bits(above):
            down[i] |= below


_COUNTS = 4_000
"""The limit for counting valid orders in one search."""


class TargetOrder(PartialOrder):
    """An order that is known from the start. ``candidates`` are the pairs that it implies.

    ``least``: valid orders that clock times must leave. ``unsaid``: covers that no sentence has stated.
    """

    names_all = True

    def __init__(
        self,
        up: list[int],
        down: list[int],
        least: int,
        day: Day | None,
        redundant: float | None,
        repeats: bool = True,
    ) -> None:
        super().__init__(len(up), day, redundant, repeats)
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
            self.note([(a, b)])
            self.below[a] &= ~(1 << b)
            self.above[b] &= ~(1 << a)
        return True

    def wanted(self, room: int) -> bool | None:
        """Prefer unstated pairs, unless there is room and redundancy is wanted."""
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
    """Return the pairs of a closed order with nothing in between."""
    return [(a, b) for a in range(len(down)) for b in bits(down[a]) if not down[a] & up[b]]


def draw_order(draw: RandomChoices, n: int, low: int, high: int) -> tuple[list[int], list[int]]:
    """Return ``up`` and ``down`` of a random order with ``low`` to ``high`` valid orders and no isolated action."""
    most = factorial(n - 1)  # the most valid orders: one action comes before all others
    if low > most:
        raise SynthesisError(
            f"{n} actions, each compared with another one, have {most} valid orders at most; "
            f"ask for a range that begins there or lower"
        )
    search = _Search(draw, n, low, high)
    while search.left > 0:
        found = search.walk()
        if found is not None:
            return found
    raise SynthesisError(
        f"no query over {n} actions has {low}..{high} valid orders, as far as was searched; "
        f"{nearest(search.seen, low, high)}"
    )


def nearest(seen: Iterable[int], low: int, high: int) -> str:
    """Return the numbers of valid orders next to the range, in words, as a hint of what to ask for."""
    under = max((k for k in seen if k < low), default=None)
    over = min((k for k in seen if k > high), default=None)
    if under is None and over is None:
        return "ask for a wider range"
    return f"{' and '.join(str(k) for k in (under, over) if k is not None)} are possible"


class _Search:
    def __init__(self, draw: RandomChoices, n: int, low: int, high: int) -> None:
        self.draw, self.n, self.low, self.high = draw, n, low, high
        self.left = _COUNTS
        self.seen: set[int] = set()
        """Numbers of valid orders outside the range, of orders without an action on its own."""

    def goal(self) -> int:
        """Return the number of valid orders to stop at. Small ones are as likely as large ones."""
        size = self.draw.between(self.low.bit_length(), self.high.bit_length())
        return self.draw.between(max(self.low, 1 << (size - 1)), min(self.high, (1 << size) - 1))

    def walk(self) -> tuple[list[int], list[int]] | None:
        """Add random pairs as long as that may lead into the range. Return None if it does not."""
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
        """Return pairs that could be added, in random order, those of an isolated action first."""
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
        """Count the valid orders; None means certainly more than the range allows."""
        product = 1
        for mask in down:
            product *= mask.bit_count() + 1
        if factorial(self.n) > self.high * product:  # n!/product is a lower bound, exact for forests
            return None
        self.left -= 1
        return count_orders(self.n, covers(down, up))

    def _hopeful(self, count: int, trial: tuple[list[int], list[int]], alone: int) -> bool:
        """Return whether enough orders can be left once each isolated action is tied to the largest group."""
        if not alone:
            return count >= self.low
        size = max(_group(*trial, i) for i in range(self.n))
        return count * size >= self.low * (size + alone.bit_count())


def _group(up: Sequence[int], down: Sequence[int], i: int) -> int:
    """Count the actions that are connected with i, itself included."""
    seen = todo = 1 << i
    while todo:
        j = todo.bit_length() - 1
        todo ^= 1 << j
        new = (up[j] | down[j]) & ~seen
        seen |= new
        todo |= new
    return seen.bit_count()
