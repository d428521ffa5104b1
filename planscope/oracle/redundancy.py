"""Finds the constraints of a query that the others imply: without them it would mean the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from planscope.language.problem import DAY, Constraint, Problem
from planscope.oracle.precedence import topological

_FAR = 1 << 30
Difference = tuple[int, int, int]
"""(x, y, k) for ``x - y <= k``; 0 is midnight, action i starts at 2i + 1 and ends at 2i + 2."""


def redundant(problem: Problem) -> tuple[str, ...]:
    """Return the ids of the constraints that follow from all the others, each by itself. Of two equal ones, both do.

    They follow whatever the durations are, since the text does not tell these: an action takes one hour or more. Of the
    rules only the length of the day counts (timed), not that calls come one by one.
    """
    number = {action.id: i for i, action in enumerate(problem.actions)}
    said = [(c.id, _difference(c, number)) for c in problem.said]
    if not problem.timed and (found := _by_paths(problem, number)) is not None:
        return found
    known: list[Difference] = [(2 * i + 1, 2 * i + 2, -1) for i in range(len(number))]
    if problem.timed:
        known += [(0, 2 * i + 1, 0) for i in range(len(number))]
        known += [(2 * i + 2, 0, DAY) for i in range(len(number))]
    return tuple(
        cid
        for k, (cid, difference) in enumerate(said)
        if _implied(difference, [*known, *(other for j, (_, other) in enumerate(said) if j != k)])
    )


def _by_paths(problem: Problem, number: dict[str, int]) -> tuple[str, ...] | None:
    """Return what :func:`redundant` does where only order counts: an order is implied by a longer path, or is there
    twice. None if the orders contradict each other."""
    edges = [(number[c.before or ""], number[c.after or ""]) for c in problem.said]
    order = topological(len(number), edges)
    if order is None:
        return None
    after: list[list[int]] = [[] for _ in number]
    for a, b in edges:
        after[a].append(b)
    later = [0] * len(number)
    """For each action, those that come after it, as bits."""
    beyond = [0] * len(number)
    """Of these, those that another one comes before."""
    for a in reversed(order):
        for b in after[a]:
            later[a] |= later[b] | 1 << b
            beyond[a] |= later[b]
    times = Counter(edges)
    return tuple(
        c.id for c, (a, b) in zip(problem.said, edges, strict=True) if times[a, b] > 1 or beyond[a] >> b & 1
    )


def _difference(c: Constraint, number: dict[str, int]) -> Difference:
    if c.before is not None and c.after is not None:
        return 2 * number[c.before] + 2, 2 * number[c.after] + 1, 0
    assert c.action is not None and c.hour is not None
    i = number[c.action]
    return (2 * i + 2, 0, c.hour) if c.kind == "end_at_most" else (0, 2 * i + 1, -c.hour)


def _implied(difference: Difference, others: Iterable[Difference]) -> bool:
    """Return whether ``x - y <= k`` follows: find the shortest path from y to x (Bellman and Ford)."""
    x, y, k = difference
    edges = list(others)
    least = {y: 0}
    for _ in range(len(edges)):
        before = dict(least)
        for a, b, bound in edges:
            if b in least and least[b] + bound < least.get(a, _FAR):
                least[a] = least[b] + bound
        if least == before:
            return least.get(x, _FAR) <= k
    return True  # the path has no end, so the others contradict each other
