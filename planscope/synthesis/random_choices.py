"""Random choices made only with ``Random(seed).random()``, the one method whose numbers are the same in every
Python."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from random import Random
from typing import TypeVar

from planscope.oracle.precedence import bits

T = TypeVar("T")


class RandomChoices:
    """A source of random choices that are the same for the same seed, everywhere."""

    __slots__ = ("random",)

    def __init__(self, seed: int) -> None:
        self.random = Random(seed).random

    def between(self, low: int, high: int) -> int:
        """Return a whole number from ``low`` to ``high``, both included."""
        return low + int(self.random() * (high - low + 1))

    def chance(self, share: float) -> bool:
        return self.random() < share

    def choose(self, options: Sequence[T]) -> T:
        return options[int(self.random() * len(options))]

    def weighted(self, cumulative: Sequence[float]) -> int:
        """Return an index, in proportion to weights that are given as their running sums."""
        return bisect_right(cumulative, self.random() * cumulative[-1])

    def bit(self, mask: int) -> int:
        """Return the index of one of the bits that are set."""
        options = bits(mask)
        return options[int(self.random() * len(options))]

    def sample(self, options: Sequence[T], k: int) -> list[T]:
        """Return ``k`` of the options, in random order."""
        pool = list(options)
        for i in range(k):
            j = i + int(self.random() * (len(pool) - i))
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:k]
