"""All orders, or all start hours, of a few actions as sets of bits: each is a bit, a constraint is a mask.

Every order and every combination of hours is there, so that nothing has to be argued; an AND of two masks of half a
million bits takes microseconds. Shares no code with the oracle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations, permutations


class Orders:
    """Every order of ``n`` actions; bit k is the k-th."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.orders = list(permutations(range(n)))
        self.all = (1 << len(self.orders)) - 1
        self._before = {
            (a, b): sum(1 << k for k, o in enumerate(self.orders) if o.index(a) < o.index(b))
            for a in range(n)
            for b in range(n)
        }

    def before(self, a: int, b: int) -> int:
        """Orders with ``a`` before ``b``; none where they are the same."""
        return self._before[a, b]

    def among(self, mask: int) -> Iterator[tuple[int, ...]]:
        return (o for k, o in enumerate(self.orders) if mask >> k & 1)


class Hours:
    """Every combination of start hours in ``low`` to ``high`` - 1 of ``n`` actions."""

    def __init__(self, n: int, low: int, high: int) -> None:
        self.n, self.low, self.high = n, low, high
        self.size = high - low
        self.all = (1 << self.size**n) - 1
        self.at_least = lru_cache(2000)(self._at_least)
        self.at_most = lru_cache(2000)(self._at_most)
        self.at = lru_cache(2000)(self._at)
        self.gap = lru_cache(2000)(self._gap)

    def _at_least(self, i: int, hour: int) -> int:
        """Combinations in which action ``i`` starts at ``hour`` or later."""
        return int(self._digits(i, lambda h: h >= hour) * self.size ** (self.n - 1 - i), 2)

    def _digits(self, i: int, good: Callable[[int], bool]) -> str:
        """The bits of the combinations of actions 0 to ``i`` with a good hour of the last one, highest first."""
        stride = self.size**i
        return "".join(("1" if good(h) else "0") * stride for h in range(self.high - 1, self.low - 1, -1))

    def _at_most(self, i: int, hour: int) -> int:
        return self.all ^ self.at_least(i, hour + 1)

    def _at(self, i: int, hour: int) -> int:
        assert self.low <= hour < self.high
        return self.at_least(i, hour) & self.at_most(i, hour)

    def _gap(self, i: int, j: int, hours: int) -> int:
        """Combinations in which ``j`` starts at least so many hours after ``i`` does."""
        inner, outer = sorted((i, j))
        text = ""
        for h in range(self.high - 1, self.low - 1, -1):
            good = (lambda g, h=h: g >= h + hours) if inner == j else (lambda g, h=h: g <= h - hours)
            text += self._digits(inner, good) * self.size ** (outer - inner - 1)
        return int(text * self.size ** (self.n - 1 - outer), 2)

    def apart(self, takes: Sequence[int]) -> int:
        """Combinations in which no two are at work at once."""
        found = self.all
        for i, j in combinations(range(self.n), 2):
            found &= self.gap(i, j, takes[i]) | self.gap(j, i, takes[j])
        return found

    def among(self, mask: int) -> Iterator[tuple[int, ...]]:
        """The combinations themselves."""
        digits = bin(mask)[:1:-1]
        k = digits.find("1")
        while k >= 0:
            yield tuple(k // self.size**i % self.size + self.low for i in range(self.n))
            k = digits.find("1", k + 1)


@cache
def orders(n: int) -> Orders:
    return Orders(n)


@cache
def hours(n: int) -> Hours:
    """Wide enough for up to three actions of at most 8 hours each that are called at -2 to 25, whatever is left out."""
    assert n <= 3
    return Hours(n, -28, 60)
