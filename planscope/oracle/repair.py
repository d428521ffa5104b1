"""Finds the valid plan nearest to the calls of an agent (paper, section 7).

Nearest means: fewest adjacent swaps, then (timed) the smallest sum of changes of start hours, then the earliest starts,
then the order nearest to the agent's own. The search is best-first over the sets of actions placed so far. Swaps that
the constraints force anyway cost nothing in it, so it does not branch if no other swaps are needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

from planscope.frozen import frozen
from planscope.language.problem import Problem
from planscope.oracle.base import BasePlan
from planscope.oracle.facts import Fact
from planscope.oracle.plan import Plan
from planscope.oracle.precedence import bits, topological
from planscope.oracle.schedule import Schedule, TooHard
from planscope.oracle.statuses import Attempt
from planscope.oracle.timed import TimedPlan
from planscope.oracle.verdict_types import Repair

EXACT = 12
BUDGET = 60_000
"""With more than ``EXACT`` actions, the search becomes greedy after this many placements."""

Cost = tuple[int, int, int]
"""Swaps beyond the forced ones, sum of changes of start hours, sum of start hours."""

Placed = tuple[int, int | None]
"""An action and its start hour (None in the base language)."""

_Node = tuple[Cost, tuple[int, ...], int, int, tuple[Placed, ...]]
"""The cost and ranks so far (the heap's key), the remaining actions, the clock, and the placements so far."""


@frozen
class _Given:
    """What the search starts from. ``kept``: executions that stay. ``rank``: each action's place in the agent's
    order. ``own``: the actions that the agent did. ``hour``: their start hours (timed)."""

    kept: tuple[Fact, ...]
    rest: int
    clock: int
    rank: list[int]
    own: int
    hour: dict[int, int]


def nearest(problem: Problem, plan: Plan, attempt: Attempt, from_step: int) -> Repair:
    """Repair ``attempt``, but keep its calls up to ``from_step`` (a step number of the whole run)."""
    search = _Search(problem, plan)
    if attempt.first_broken is not None and attempt.first_broken <= from_step:
        return Repair(None, exact=True, reason=f"after step {from_step} nothing can save the plan")
    given = _given(problem, attempt, from_step)
    removed = [f for f in attempt.facts if f.effect == "repeated" and f.step > from_step]
    found, exact = search.run(given)
    if found is None:
        why = f"after step {from_step} nothing can save the plan" if given.kept else "no plan meets the query"
        return Repair(None, exact=exact, reason=why if exact else "no plan was found in time")
    return _repair(problem, given, removed, found, exact)


def nearest_plans(problem: Problem, plan: Plan, attempt: Attempt, from_step: int) -> Iterator[Repair]:
    """Yield repairs as :func:`nearest` returns them, each in another order, the nearest first. The search ends after
    ``BUDGET`` placements."""
    search = _Search(problem, plan)
    if attempt.first_broken is not None and attempt.first_broken <= from_step:
        return
    given = _given(problem, attempt, from_step)
    removed = [f for f in attempt.facts if f.effect == "repeated" and f.step > from_step]
    seen: set[tuple[int, ...]] = set()
    try:
        for found in search.each(given):
            order = tuple(i for i, _ in found)
            if order not in seen:
                seen.add(order)
                yield _repair(problem, given, removed, found, True)
    except TooHard:
        return


def _repair(
    problem: Problem, given: _Given, removed: Sequence[Fact], found: Sequence[Placed], exact: bool
) -> Repair:
    order = [f.action for f in given.kept if f.action is not None] + [i for i, _ in found]
    starts = {f.action: f.start for f in given.kept} | dict(found)
    ids = [a.id for a in problem.actions]
    return Repair(
        order=tuple(ids[i] for i in order),
        starts={ids[i]: s for i in order if (s := starts[i]) is not None} if problem.timed else None,
        swaps=_swaps([given.rank[i] for i in order if given.own >> i & 1]),
        inserted=tuple(ids[i] for i in order if not given.own >> i & 1),
        removed=tuple(ids[f.action] for f in removed if f.action is not None),
        exact=exact,
        kept=len(given.kept),
    )


def _given(problem: Problem, attempt: Attempt, from_step: int) -> _Given:
    n = len(problem.actions)
    own = sorted(attempt.first.values(), key=lambda f: f.step)
    kept = tuple(f for f in own if f.step <= from_step)
    rank = [n + i for i in range(n)]
    for place, fact in enumerate(own):
        rank[fact.action or 0] = place
    mask = sum(1 << (f.action or 0) for f in own)
    rest = (1 << n) - 1 - sum(1 << (f.action or 0) for f in kept)
    clock = max([0, *[f.end for f in kept if f.end is not None]])
    hour = {f.action: f.start for f in own if f.action is not None and f.start is not None}
    return _Given(kept, rest, clock, rank, mask, hour)


def _swaps(ranks: Sequence[int]) -> int:
    """Count the adjacent swaps between two orders, which is the number of inverted pairs."""
    count, seen = 0, 0
    for rank in ranks:
        count += (seen >> rank).bit_count()
        seen |= 1 << rank
    return count


class _Search:
    def __init__(self, problem: Problem, plan: Plan) -> None:
        self.schedule: Schedule | None = None
        if isinstance(plan, TimedPlan):
            self.schedule = plan.schedule
            self.preds: Sequence[int] = plan.schedule.preds
            self.possible = not plan.schedule.cyclic
        else:
            assert isinstance(plan, BasePlan)
            self.preds = plan.preds
            self.possible = not plan.cyclic
        self.n = len(problem.actions)

    def run(self, given: _Given) -> tuple[list[Placed] | None, bool]:
        """Return the remaining actions in order with their hours (None if there is no plan), and whether the plan is
        exact."""
        try:
            return self._best_first() if self._begin(given) else (None, True)
        except TooHard:
            return None, False

    def _begin(self, given: _Given) -> bool:
        """Prepare the search. Return False if there is no plan. Raises TooHard."""
        if not self.possible or any(self.preds[f.action or 0] & given.rest for f in given.kept):
            return False
        self.given = given
        self.smaller = self._smaller_ranks()
        self.after = self._must_follow()
        return self.schedule is None or given.clock <= self.schedule.latest(given.rest)

    def each(self, given: _Given) -> Iterator[list[Placed]]:
        """Yield the plans by their cost. Raises TooHard."""
        if not self._begin(given):
            return
        tried = 0
        heap: list[_Node] = [((0, 0, 0), (), given.rest, given.clock, ())]
        closed: set[tuple[tuple[int, ...], int]] = set()
        while heap and tried <= BUDGET:
            node = heappop(heap)
            if not node[2]:
                yield list(node[4])
            if (node[1], node[3]) in closed:
                continue
            closed.add((node[1], node[3]))
            for after in self._following(node):
                tried += 1
                heappush(heap, after)

    def _following(self, node: _Node) -> Iterator[_Node]:
        cost, ranks, rest, clock, path = node
        for i, hour, then, more in self._moves(rest, clock):
            total = (cost[0] + more[0], cost[1] + more[1], cost[2] + more[2])
            yield total, (*ranks, self.given.rank[i]), rest ^ (1 << i), then, (*path, (i, hour))

    def _smaller_ranks(self) -> list[int]:
        """For each action that the agent did, return the mask of those that it did before."""
        masks, seen = [0] * self.n, 0
        for i in sorted(range(self.n), key=lambda i: self.given.rank[i]):
            if self.given.own >> i & 1:
                masks[i] = seen
                seen |= 1 << i
        return masks

    def _must_follow(self) -> list[int]:
        """For each action, return the mask of all actions that must come after it, directly or not."""
        after = [0] * self.n
        before = [bits(mask) for mask in self.preds]
        order = topological(self.n, [(i, j) for j in range(self.n) for i in before[j]])
        for j in reversed(order or ()):
            for i in before[j]:
                after[i] |= after[j] | 1 << j
        return after

    def _moves(self, rest: int, clock: int) -> Iterator[tuple[int, int | None, int, Cost]]:
        """Return the possible next placements: action, hour, the clock after it, and the cost."""
        todo = rest
        while todo:
            bit = todo & -todo
            todo ^= bit
            i = bit.bit_length() - 1
            if self.preds[i] & rest:
                continue
            swaps = (self.smaller[i] & rest & ~self.after[i]).bit_count()
            if self.schedule is None:
                yield i, None, 0, (swaps, 0, 0)
                continue
            window = self.schedule.hours(rest, i, clock)
            if window is None:
                continue
            own = self.given.hour.get(i, window[0])
            for hour in range(window[0], max(window[0], min(own, window[1])) + 1):
                change = abs(hour - own) if self.given.own >> i & 1 else 0
                yield i, hour, hour + self.schedule.takes[i], (swaps, change, hour)

    def _best_first(self) -> tuple[list[Placed] | None, bool]:
        given, tried = self.given, 0
        heap: list[_Node] = [((0, 0, 0), (), given.rest, given.clock, ())]
        closed: set[tuple[int, int]] = set()
        limit = BUDGET if given.rest.bit_count() > EXACT else None
        while heap:
            node = heappop(heap)
            _, _, rest, clock, path = node
            if not rest:
                return list(path), True
            if (rest, clock) in closed:
                continue
            closed.add((rest, clock))
            for after in self._following(node):
                tried += 1
                heappush(heap, after)
            if limit is not None and tried > limit:
                return self._greedy()
        return None, True

    def _greedy(self) -> tuple[list[Placed], bool]:
        """Take the cheapest move each time. The result is proved nearest only if it needs no unforced swap (base
        language)."""
        rest, clock, swaps = self.given.rest, self.given.clock, 0
        path: list[Placed] = []
        while rest:
            moves = self._moves(rest, clock)
            i, hour, clock, cost = min(moves, key=lambda m: (m[3][0], m[3][1], self.given.rank[m[0]]))
            path.append((i, hour))
            swaps += cost[0]
            rest ^= 1 << i
        return path, swaps == 0 and self.schedule is None
