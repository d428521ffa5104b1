"""What lies where in a text."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from typing import Generic, TypeVar

from planscope.language.problem import Span

T = TypeVar("T")


class SpanMap(Generic[T]):
    """Values laid over half-open ranges of a text, found by place in the order in which they were given.

    A lookup costs the logarithm of the number of ranges, plus what it finds. Empty ranges are left out.
    """

    def __init__(self, laid: Iterable[tuple[Span, T]]) -> None:
        begins: defaultdict[int, list[int]] = defaultdict(list)
        ends: defaultdict[int, list[int]] = defaultdict(list)
        self._values: list[T] = []
        for (start, end), value in laid:
            if start < end:
                begins[start].append(len(self._values))
                ends[end].append(len(self._values))
                self._values.append(value)
        self._edges = sorted({*begins, *ends})
        self._over: list[tuple[int, ...]] = []  # by edge: what lies between it and the next one
        active: dict[int, None] = {}
        for edge in self._edges:
            for number in ends[edge]:
                del active[number]
            active.update(dict.fromkeys(begins[edge]))
            self._over.append(tuple(active))

    def over(self, start: int, end: int) -> list[T]:
        """The values of all ranges that share a code point with ``[start, end)``, each value once."""
        if start >= end:
            return []
        at = max(bisect_right(self._edges, start) - 1, 0)
        seen: set[int] = set()
        while at < len(self._edges) and self._edges[at] < end:
            if at + 1 == len(self._edges) or self._edges[at + 1] > start:
                seen.update(self._over[at])
            at += 1
        return list(dict.fromkeys(self._values[number] for number in sorted(seen)))
