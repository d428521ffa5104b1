"""Plain dynamic programmes, as the textbooks have them: what the quick ones are held against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def longest_common(a: Sequence[Any], b: Sequence[Any]) -> int:
    """The length of a longest common subsequence."""
    row = [0] * (len(b) + 1)
    for x in a:
        new = [0]
        for j, y in enumerate(b):
            new.append(row[j] + 1 if x == y else max(row[j + 1], new[j]))
        row = new
    return row[-1]


def edit_cost(
    a: Sequence[Any],
    b: Sequence[Any],
    alone: Callable[[Any], float],
    beside: Callable[[Any, Any], float],
) -> float:
    """The least cost of making ``b`` of ``a``, where an item costs ``alone`` and a pair ``beside``."""
    row = [0.0]
    for y in b:
        row.append(row[-1] + alone(y))
    for x in a:
        new = [row[0] + alone(x)]
        for j, y in enumerate(b):
            new.append(min(row[j] + beside(x, y), row[j + 1] + alone(x), new[j] + alone(y)))
        row = new
    return row[-1]


Call = tuple[str, str]
"""Action and arguments."""


def call_cost(a: Sequence[Sequence[Call]], b: Sequence[Sequence[Call]]) -> float:
    """Two runs as lists of attempts: an attempt stands beside one other, or its calls are alone."""

    def calls(x: Call, y: Call) -> float:
        return float("inf") if x[0] != y[0] else 0 if x == y else 1

    return edit_cost(
        a,
        b,
        alone=lambda attempt: 2 * len(attempt),
        beside=lambda one, other: edit_cost(one, other, lambda _: 2, calls),
    )


Tree = tuple[Any, Any, tuple["Tree", ...]]
"""Kind, value, and what is below."""


def size(tree: Tree) -> int:
    return 1 + sum(map(size, tree[2]))


def tree_cost(a: Tree, b: Tree) -> float:
    """Selkow's distance with one rule more: below a line, as much as possible stays in branches that are equal.

    A line changed costs 1, a branch added or gone its lines; only one kind is matched.
    """
    if a[0] != b[0]:
        return float("inf")
    return (a[1] != b[1]) + forest_cost(a[2], b[2])[1]


def forest_cost(a: Sequence[Tree], b: Sequence[Tree]) -> tuple[int, float]:
    """Lines that do not stay in equal branches, and then the cost."""
    table = [[(0, 0.0)] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            ways = []
            if i and j:
                x, y = a[i - 1], b[j - 1]
                lost = 0 if x == y else size(x) + size(y)
                ways.append((table[i - 1][j - 1], lost, tree_cost(x, y)))
            if i:
                ways.append((table[i - 1][j], size(a[i - 1]), size(a[i - 1])))
            if j:
                ways.append((table[i][j - 1], size(b[j - 1]), size(b[j - 1])))
            if ways:
                table[i][j] = min((before[0] + lost, before[1] + cost) for before, lost, cost in ways)
    return table[-1][-1]
