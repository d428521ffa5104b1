"""Minimal cores by deletion, with few questions where the core is small."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def deletion_core(size: int, impossible: Callable[[Sequence[int]], bool]) -> tuple[int, ...]:
    """Which of ``size`` members stay when they are dropped from the last to the first while the rest is impossible.

    The last one that stays is the first with which the members up to it are impossible; with that one kept, the same
    holds for the next. So each costs as many questions as the logarithm of ``size``. ``impossible`` is asked about
    members by number; more of them are never less impossible. Empty where all of them together are not.
    """
    kept: list[int] = []
    limit = size
    if not impossible(range(size)):
        return ()
    while not impossible(kept):
        low, high = 1, limit  # how many of the first are impossible together with what is kept
        while low < high:
            middle = (low + high) // 2
            if impossible([*range(middle), *kept]):
                high = middle
            else:
                low = middle + 1
        limit = low - 1
        kept.append(limit)
    return tuple(sorted(kept))
