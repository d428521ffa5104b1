"""How many orders meet everything that a timed query says: the first measure of its difficulty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planscope.oracle.precedence import Edge, masks


def count_timed(
    takes: Sequence[int], release: Sequence[int], deadline: Sequence[int], edges: Iterable[Edge]
) -> int:
    """Orders of calls one by one for which start hours exist (0 for a cycle), exactly.

    ``takes``: hours. ``release`` and ``deadline``: earliest start and latest end of each, in hours. Meant for
    up to 20 actions of which most are compared with another.
    """
    n = len(takes)
    preds, succs = masks(n, edges)
    due = _room_for_what_follows(takes, deadline, succs)
    jobs = [(1 << i, preds[i], takes[i], release[i], due[i]) for i in range(n)]
    layer: dict[int, dict[int, int]] = {0: {0: 1}}  # by actions done: earliest hour of the clock -> orders
    for _ in range(n):
        following: dict[int, dict[int, int]] = {}
        for done, clocks in layer.items():
            missing = ~done
            for bit, before, hours, first, last in jobs:
                if bit & missing and not before & missing:
                    then = following.get(done | bit)
                    if then is None:
                        then = following[done | bit] = {}
                    for clock, orders in clocks.items():
                        end = (clock if clock > first else first) + hours
                        if end <= last:
                            then[end] = then.get(end, 0) + orders
        layer = {done: clocks for done, clocks in following.items() if clocks}
    return sum(sum(clocks.values()) for clocks in layer.values())


def _room_for_what_follows(takes: Sequence[int], deadline: Sequence[int], succs: Sequence[int]) -> list[int]:
    """Latest ends that leave each direct successor its hours: what breaks them is lost a step earlier."""
    due = list(deadline)
    for _ in takes:
        before = due[:]
        for i, mask in enumerate(succs):
            while mask:
                j = mask.bit_length() - 1
                mask ^= 1 << j
                if due[j] - takes[j] < due[i]:
                    due[i] = due[j] - takes[j]
        if due == before:
            break
    return due
