"""Partial orders over numbered actions: cycles, minimal cores by deletion, exact counts of linear extensions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush
from math import comb

from planscope.oracle.cancellation import check_cancelled


def deletion_core(size: int, impossible: Callable[[Sequence[int]], bool]) -> tuple[int, ...]:
    """Return the minimal core that remains if members are dropped from last to first as long as the rest is
    unsatisfiable.

    Instead of dropping one by one, a binary search finds the fewest first members that are unsatisfiable together with
    those kept so far; the last of them belongs to the core. So each member of the core costs log2(``size``) questions.
    ``impossible`` receives member numbers and must be monotone. The core is empty if all ``size`` members together are
    satisfiable.
    """
    kept: list[int] = []
    limit = size
    if not impossible(range(size)):
        return ()
    while not impossible(kept):
        low, high = 1, limit  # the fewest first members that are unsatisfiable with the kept ones
        while low < high:
            middle = (low + high) // 2
            if impossible([*range(middle), *kept]):
                high = middle
            else:
                low = middle + 1
        limit = low - 1
        kept.append(limit)
    return tuple(sorted(kept))


Edge = tuple[int, int]
"""The earlier and the later action, as indexes."""


_SMALL = 10
_BITS = tuple(tuple(i for i in range(_SMALL) if mask >> i & 1) for mask in range(1 << _SMALL))


def bits(mask: int) -> Sequence[int]:
    """Return the indexes of the bits that are set, lowest first."""
    if mask < 1 << _SMALL:
        return _BITS[mask]
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def masks(n: int, edges: Iterable[Edge]) -> tuple[list[int], list[int]]:
    """Return bit masks of each action's direct predecessors, and of its direct successors."""
    preds, succs = [0] * n, [0] * n
    for a, b in edges:
        preds[b] |= 1 << a
        succs[a] |= 1 << b
    return preds, succs


def topological(n: int, edges: Sequence[Edge]) -> list[int] | None:
    """Return an order that meets the edges (ties: smallest number first), or None if there is a cycle."""
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
    """Return the positions of the edges of one minimal cycle, or an empty tuple if there is none.

    Edges are dropped from last to first as long as a cycle remains.
    """
    return deletion_core(len(edges), lambda kept: topological(n, [edges[k] for k in kept]) is None)


def order_counter(preds: Sequence[int], succs: Sequence[int]) -> Callable[[int], int]:
    """Return a function that counts the valid orders of a set of remaining actions (a bit mask).

    The counts are exact. Unconnected groups are counted apart and interleaved, so only connected actions are
    enumerated.
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
        if len(memo) & 255 == 1:
            check_cancelled()
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
    """Count the orders of ``n`` actions that meet the edges (0 for a cycle). Fast enough for n up to 20."""
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
