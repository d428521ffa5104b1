"""The constraints of two requests, matched by what they mean."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import replace

from planscope.compare.actions import Matching, meaning
from planscope.compare.following import Following
from planscope.compare.result import ConstraintDiff, ConstraintRow, Side
from planscope.language.describe import plain
from planscope.language.problem import Constraint, Problem

MOST_ASKED = 24
EFFORT = 10_000_000
"""Actions of timed requests about which Z3 is asked, and how hard it may try (its own measure, rlimit)."""


def compare_constraints(a: Side, b: Side, matching: Matching) -> ConstraintDiff | None:
    """None where one text cannot be read. What both say stands first by its place in ``a``, then what was added."""
    if a.problem is None or b.problem is None:
        return None
    rows = tuple(_rows(a.problem, b.problem, matching, Judged(a, b, matching)))
    return ConstraintDiff(rows, _equivalent(a, b, matching, rows))


class Judged:
    """Whether a constraint of one side follows from what the other side says."""

    def __init__(self, a: Side, b: Side, matching: Matching) -> None:
        self._known = a.timed == b.timed
        self._from_a = _following(a, matching.keys_a)
        self._from_b = _following(b, matching.keys_b)
        self._keys_a, self._keys_b = matching.keys_a, matching.keys_b

    def gone(self, c: Constraint) -> bool | None:
        """Of ``a``: does it follow from ``b``?"""
        return self._follows(self._from_b, c, self._keys_a)

    def added(self, c: Constraint) -> bool | None:
        """Of ``b``: does it follow from ``a``?"""
        return self._follows(self._from_a, c, self._keys_b)

    def _follows(self, given: Following | None, c: Constraint, keys: dict[str, str]) -> bool | None:
        if given is None or not self._known or c.is_rule:
            return None
        return given.follows(c, keys)


def _following(side: Side, keys: dict[str, str]) -> Following | None:
    """None for a contradiction, from which all and nothing follows, and where it is not known to be none."""
    if side.problem is None or side.contradiction != ():
        return None
    return Following(side.problem, keys)


def _rows(a: Problem, b: Problem, matching: Matching, judged: Judged) -> Iterator[ConstraintRow]:
    """What is said twice is matched once with each time that the other one says it."""
    waiting: dict[tuple[object, ...], deque[Constraint]] = defaultdict(deque)
    for c in b.constraints:
        waiting[meaning(c, matching.keys_b)].append(c)
    taken: set[str] = set()
    for c in a.constraints:
        same = waiting.get(meaning(c, matching.keys_a))
        if same:
            other = same.popleft()
            taken.add(other.id)
            yield ConstraintRow("same", c, other, plain(c, a), plain(other, b))
        else:
            yield ConstraintRow("gone", c, None, plain(c, a), None, judged.gone(c))
    for c in b.constraints:
        if c.id not in taken:
            yield ConstraintRow("added", None, c, None, plain(c, b), judged.added(c))


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

    return Problem(
        tuple(replace(action, id=names[action.id]) for action in problem.actions),
        tuple(
            replace(c, before=other(c.before), after=other(c.after), action=other(c.action))
            for c in problem.constraints
        ),
        problem.timed,
        problem.text,
    )
