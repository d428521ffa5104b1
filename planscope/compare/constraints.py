"""The constraints of two requests, matched by what they mean, and what follows from a request without being said."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import replace

from planscope.compare.actions import Matching, meaning
from planscope.compare.result import ConstraintDiff, ConstraintRow, Side
from planscope.language.problem import DAY, Constraint, Problem
from planscope.oracle.facts import durations
from planscope.oracle.precedence import topological
from planscope.wording.constraints import plain

MOST_ASKED = 24
EFFORT = 10_000_000
"""Actions of timed requests about which Z3 is asked, and how hard it may try (its own measure, rlimit)."""


def compare_constraints(a: Side, b: Side, matching: Matching) -> ConstraintDiff | None:
    """None where one text cannot be read. What both say stands first by its place in ``a``, then what was added."""
    if a.problem is None or b.problem is None:
        return None
    rows = tuple(_rows(a, a.problem, b, b.problem, matching))
    return ConstraintDiff(rows, _equivalent(a, b, matching, rows))


def _rows(a: Side, in_a: Problem, b: Side, in_b: Problem, matching: Matching) -> Iterator[ConstraintRow]:
    """What is said twice is matched once with each time that the other one says it."""
    of_a, of_b = Following.of(a, b, matching.keys_a), Following.of(b, a, matching.keys_b)
    waiting: dict[tuple[object, ...], deque[Constraint]] = defaultdict(deque)
    for c in in_b.constraints:
        waiting[meaning(c, matching.keys_b)].append(c)
    for c in in_a.constraints:
        same = waiting[meaning(c, matching.keys_a)]
        if same:
            other = same.popleft()
            yield ConstraintRow("same", c, other, plain(c, in_a), plain(other, in_b))
        else:
            follows = of_b.follows(c, matching.keys_a) if of_b is not None else None
            yield ConstraintRow("gone", c, None, plain(c, in_a), None, follows)
    left = {c.id for constraints in waiting.values() for c in constraints}
    for c in in_b.constraints:
        if c.id in left:
            follows = of_a.follows(c, matching.keys_b) if of_a is not None else None
            yield ConstraintRow("added", None, c, None, plain(c, in_b), follows)


def _equivalent(a: Side, b: Side, matching: Matching, rows: tuple[ConstraintRow, ...]) -> bool | None:
    if a.timed != b.timed or a.contradiction != () or b.contradiction != () or not matching.same_durations:
        return None
    if not matching.one_to_one:
        return False
    follow = {row.follows for row in rows if row.change != "same"}
    if False in follow:
        return False
    return True if follow <= {True} else _asked(a.problem, b.problem, matching)


def _asked(a: Problem | None, b: Problem | None, matching: Matching) -> bool | None:
    """Z3's answer about two timed requests, where it is a matter of moments."""
    if a is None or b is None or len(a.actions) > MOST_ASKED:
        return None
    from planscope.oracle.equivalence import equivalent

    names = {row.b.id: row.a.id for row in matching.rows if row.a is not None and row.b is not None}
    return equivalent(a, _renamed(b, names), effort=EFFORT)


def _renamed(problem: Problem, names: dict[str, str]) -> Problem:
    """The problem with other ids for its actions. What the constraints say in symbols is not rewritten."""

    def other(action: str | None) -> str | None:
        return None if action is None else names[action]

    return replace(
        problem,
        actions=tuple(replace(action, id=names[action.id]) for action in problem.actions),
        constraints=tuple(
            replace(c, before=other(c.before), after=other(c.after), action=other(c.action))
            for c in problem.constraints
        ),
    )


class Following:
    """The closure of one request. ``keys``: action ids to what matched actions have in common.

    Base language: exact. Timed: earliest starts and latest ends go along the order; that calls come one by one is
    not looked at, so what is found follows, and of the rest nothing is known.
    """

    @classmethod
    def of(cls, side: Side, other: Side, keys: dict[str, str]) -> Following | None:
        """None for a contradiction, from which all and nothing follows, and where it is not known to be none."""
        known = side.problem is not None and side.contradiction == () and side.timed == other.timed
        return cls(side.problem, keys) if known and side.problem is not None else None

    def __init__(self, problem: Problem, keys: dict[str, str]) -> None:
        place, n, said = problem.place, len(problem.place), problem.said
        self._timed = problem.timed
        self._index = {keys[action]: i for action, i in place.items()}
        edges = {
            (place[c.before], place[c.after]) for c in said if c.before is not None and c.after is not None
        }
        order = topological(n, list(edges))
        assert order is not None, "a contradiction"
        rank = {i: k for k, i in enumerate(order)}
        forward = sorted(edges, key=lambda edge: rank[edge[0]])
        takes = durations(problem) if problem.timed else [0] * n
        self._later = [0] * n  # a bit for each action that must come later
        self._start, self._end = [0] * n, [DAY] * n
        for c in said:
            if c.kind == "start_at_least" and c.action is not None:
                self._start[place[c.action]] = max(self._start[place[c.action]], c.hour or 0)
            elif c.kind == "end_at_most" and c.action is not None:
                self._end[place[c.action]] = min(self._end[place[c.action]], c.hour or 0)
        for i, j in forward:
            self._start[j] = max(self._start[j], self._start[i] + takes[i])
        for i, j in reversed(forward):
            self._later[i] |= self._later[j] | 1 << j
            self._end[i] = min(self._end[i], self._end[j] - takes[j])

    def follows(self, c: Constraint, keys: dict[str, str]) -> bool | None:
        """Whether every plan that meets this request meets ``c``, whose actions ``keys`` names; None: not known."""
        places = [self._index.get(keys[action]) for action in c.actions]
        if c.is_rule:
            return None
        if None in places:
            return False
        i, j = places[0] or 0, places[-1] or 0
        if c.kind == "order":
            if self._later[i] >> j & 1:
                return True
            return False if not self._timed else self._end[i] <= self._start[j] or None
        hour = c.hour or 0
        return (self._start[i] >= hour if c.kind == "start_at_least" else self._end[i] <= hour) or None
