"""What follows from a request that can be met: from its order alone, and in the timed language from its bounds."""

from __future__ import annotations

from planscope.language.problem import DAY, Constraint, Problem
from planscope.oracle.facts import durations
from planscope.oracle.precedence import topological


class Following:
    """The closure of one request. ``keys``: action ids to what matched actions have in common.

    Base language: exact. Timed: earliest starts and latest ends go along the order; that calls come one by one is
    not looked at, so what is found follows, and of the rest nothing is known.
    """

    def __init__(self, problem: Problem, keys: dict[str, str]) -> None:
        self._timed = problem.timed
        self._index = {keys[action]: i for action, i in problem.place.items()}
        place = problem.place
        n = len(place)
        edges = list(
            dict.fromkeys(
                (place[c.before or ""], place[c.after or ""]) for c in problem.said if c.kind == "order"
            )
        )
        order = topological(n, edges)
        assert order is not None, "a contradiction"
        after: list[list[int]] = [[] for _ in range(n)]
        for i, j in edges:
            after[i].append(j)
        self._later = [0] * n  # a bit for each action that must come later
        for i in reversed(order):
            for j in after[i]:
                self._later[i] |= self._later[j] | 1 << j
        if problem.timed:
            self._bounds(problem, order, after)

    def _bounds(self, problem: Problem, order: list[int], after: list[list[int]]) -> None:
        takes = durations(problem)
        self._takes = takes
        self._start = [0] * len(takes)
        self._end = [DAY] * len(takes)
        for c in problem.said:
            i, hour = problem.place.get(c.action or "", 0), c.hour or 0
            if c.kind == "start_at_least":
                self._start[i] = max(self._start[i], hour)
            elif c.kind == "end_at_most":
                self._end[i] = min(self._end[i], hour)
        for i in order:
            for j in after[i]:
                self._start[j] = max(self._start[j], self._start[i] + takes[i])
        for i in reversed(order):
            for j in after[i]:
                self._end[i] = min(self._end[i], self._end[j] - takes[j])

    def follows(self, c: Constraint, keys: dict[str, str]) -> bool | None:
        """Whether every plan that meets this request meets ``c``, whose actions ``keys`` names; None: not known."""
        actions = [self._index.get(keys[action]) for action in c.actions]
        if None in actions:
            return False
        places = [i for i in actions if i is not None]
        if c.kind == "order":
            before, after = places
            if self._later[before] >> after & 1:
                return True
            if not self._timed:
                return False
            return True if self._end[before] <= self._start[after] else None
        i, hour = places[0], c.hour or 0
        if c.kind == "start_at_least":
            return True if self._start[i] >= hour else None
        return True if self._end[i] <= hour else None
