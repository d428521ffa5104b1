"""Partial orders over action numbers: cycles, cores of cycles, linear extensions counted exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import comb

Edge = tuple[int, int]
"""Earlier and later action, as indexes."""


def masks(n: int, edges: Iterable[Edge]) -> tuple[list[int], list[int]]:
    """Bit masks of each action's direct predecessors and successors."""
    preds, succs = [0] * n, [0] * n
    for a, b in edges:
        preds[b] |= 1 << a
        succs[a] |= 1 << b
    return preds, succs


def topological(n: int, edges: Sequence[Edge]) -> list[int] | None:
    """An order that meets the edges, smallest number first where there is a choice; None for a cycle."""
    from heapq import heapify, heappop, heappush

    after: list[list[int]] = [[] for _ in range(n)]
    missing = [0] * n
    for a, b in edges:
        after[a].append(b)
        missing[b] += 1
    ready = [i for i in range(n) if not missing[i]]
    heapify(ready)
    order = []
    while ready:
        a = heappop(ready)
        order.append(a)
        for b in after[a]:
            missing[b] -= 1
            if not missing[b]:
                heappush(ready, b)
    return order if len(order) == n else None


def cycle_core(n: int, edges: Sequence[Edge]) -> tuple[int, ...]:
    """Which edges (by position) stay when they are dropped from the last to the first while a cycle remains.

    The last one that stays is the first edge that closes a cycle; with it kept, the same holds for the next.
    Empty where the edges have no cycle.
    """
    kept: list[int] = []
    limit = len(edges)
    while True:
        low, high = 0, limit  # the shortest prefix that is cyclic together with what is kept
        fixed = [edges[k] for k in kept]
        if topological(n, [*edges[:limit], *fixed]) is not None:
            return ()
        while low < high:
            middle = (low + high) // 2
            if topological(n, [*edges[:middle], *fixed]) is None:
                high = middle
            else:
                low = middle + 1
        if low == 0:
            return tuple(sorted(kept))
        kept.append(low - 1)
        limit = low - 1


def order_counter(preds: Sequence[int], succs: Sequence[int]) -> Callable[[int], int]:
    """A function from a set of remaining actions (a bit mask) to the number of orders that meet the rest.

    Exact. Unrelated groups are counted apart and interleaved, so that only connected orders cost anything.
    """
    memo: dict[int, int] = {0: 1}

    def component(rest: int) -> int:
        seen = frontier = rest & -rest
        while frontier:
            bit = frontier & -frontier
            i = bit.bit_length() - 1
            frontier ^= bit
            new = (preds[i] | succs[i]) & rest & ~seen
            seen |= new
            frontier |= new
        return seen

    def count(rest: int) -> int:
        known = memo.get(rest)
        if known is not None:
            return known
        part = component(rest)
        if part != rest:
            size = rest.bit_count()
            total = count(part) * count(rest ^ part) * comb(size, part.bit_count())
        else:
            total, todo = 0, rest
            while todo:
                bit = todo & -todo
                todo ^= bit
                if not preds[bit.bit_length() - 1] & rest:
                    total += count(rest ^ bit)
        memo[rest] = total
        return total

    return count


def count_orders(n: int, edges: Iterable[Edge]) -> int:
    """How many orders of ``n`` actions meet the edges (0 for a cycle); meant for n up to 20."""
    preds, succs = masks(n, edges)
    if n > 6:
        return order_counter(preds, succs)((1 << n) - 1)
    ways = [0] * (1 << n)  # for a few actions a plain table is faster than recursion
    ways[0] = 1
    for done in range((1 << n) - 1):
        count = ways[done]
        if count:
            for i in range(n):
                bit = 1 << i
                if not done & bit and not preds[i] & ~done:
                    ways[done | bit] += count
    return ways[-1]
