"""Matches the actions of two queries, whatever their names, and their constraints by meaning.

A constraint that only one query states may still follow from the other one; the rows say whether it does.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from planscope.compare.result import ActionRow, ConstraintDiff, ConstraintRow, Differing, Matched, Side
from planscope.language.problem import DAY, Action, Constraint, Problem
from planscope.language.scan import phrase_key
from planscope.oracle.facts import durations
from planscope.oracle.precedence import topological
from planscope.session.model import Session, Variant
from planscope.session.oracle_input import actions_of
from planscope.wording.constraints import plain


@dataclass(frozen=True)
class Matching:
    """The matched actions. ``keys_a`` and ``keys_b`` map ids of actions to keys, which are equal only for matched
    actions."""

    matched: Matched
    rows: tuple[ActionRow, ...]
    keys_a: dict[str, str]
    keys_b: dict[str, str]

    @property
    def one_to_one(self) -> bool:
        """Whether every action has a match."""
        return all(row.a is not None and row.b is not None for row in self.rows)

    @property
    def same_durations(self) -> bool:
        return not any("duration" in row.differs for row in self.rows)


def meaning(c: Constraint, keys: dict[str, str]) -> tuple[object, ...]:
    """Return a key that is equal for constraints with the same meaning for matched actions."""
    return (c.kind, *(keys[action] for action in c.actions), c.hour)


def match_actions(session_a: Session, a: Variant, session_b: Session, b: Variant) -> Matching:
    """Match actions by ids if the variants have a common ancestor, or else by names.

    Mutants keep the ids, whatever the names. An edit may assign new ids, so after edits equal names come before equal
    ids.
    """
    actions_a, actions_b = actions_of(a), actions_of(b)
    way = _way(session_a, a, session_b, b)
    matched: Matched = "names" if way is None else "ids"
    by_name: list[Callable[[Action], Hashable]] = [lambda x: phrase_key(x.name) or x.name, lambda x: x.tool]
    by_id: list[Callable[[Action], Hashable]] = [lambda x: x.id]
    if way is None:
        pairs = _pairs(actions_a, actions_b, by_name)
    elif all(variant.origin.kind == "mutated" for variant in way):
        pairs = _pairs(actions_a, actions_b, by_id)
    else:
        pairs = _pairs(actions_a, actions_b, [by_name[0], *by_id])
    rows = tuple(_action_rows(actions_a, actions_b, pairs, a.query.timed and b.query.timed))
    keys_a = {x.id: f"{x.id} in a" for x in actions_a}
    keys_b = {x.id: f"{x.id} in b" for x in actions_b}
    for one, other in pairs.items():
        keys_a[actions_a[one].id] = keys_b[actions_b[other].id] = f"{actions_a[one].id} {actions_b[other].id}"
    return Matching(matched, rows, keys_a, keys_b)


def _pairs(
    a: Sequence[Action], b: Sequence[Action], rules: Sequence[Callable[[Action], Hashable]]
) -> dict[int, int]:
    """Return pairs by the first rule that matches; of several matches, the earliest."""
    pairs: dict[int, int] = {}
    left_b = dict.fromkeys(range(len(b)))
    for rule in rules:
        found: dict[Hashable, list[int]] = {}
        for j in left_b:
            found.setdefault(rule(b[j]), []).append(j)
        for i, action in enumerate(a):
            same = found.get(rule(action)) if i not in pairs else None
            if same:
                pairs[i] = same.pop(0)
                del left_b[pairs[i]]
    return pairs


def _action_rows(
    a: Sequence[Action], b: Sequence[Action], pairs: dict[int, int], timed: bool
) -> Iterator[ActionRow]:
    """Return rows in the order of ``a``, then the added actions."""
    for i, action in enumerate(a):
        if i not in pairs:
            yield ActionRow("gone", action, None)
            continue
        other = b[pairs[i]]
        told: tuple[Differing, ...] = ("name", "tool", "duration") if timed else ("name", "tool")
        differs = tuple(name for name in told if getattr(action, name) != getattr(other, name))
        yield ActionRow("changed" if differs else "same", action, other, differs)
    taken = set(pairs.values())
    yield from (ActionRow("added", None, action) for j, action in enumerate(b) if j not in taken)


def _way(session_a: Session, a: Variant, session_b: Session, b: Variant) -> list[Variant] | None:
    """Return the variants between the two and their common ancestor, or None if they have none.

    The ancestor itself is not included. Two files may hold the same session in different states.
    """
    if session_a.id != session_b.id:
        return None
    line_a, line_b = _line(session_a, a), _line(session_b, b)
    for steps, one in enumerate(line_a):
        for others, other in enumerate(line_b):
            same = one.query.text == other.query.text and one.actions == other.actions
            if one.id == other.id and same:
                return line_a[:steps] + line_b[:others]
    return None


def _line(session: Session, variant: Variant) -> list[Variant]:
    """Return the variant and its ancestors, the nearest first. No file has a variant that is its own ancestor."""
    known: dict[str | None, Variant] = {v.id: v for v in session.variants}
    line = [variant]
    while (parent := known.get(line[-1].parent)) is not None:  # an id may be empty, and is no missing one
        line.append(parent)
    return line


MOST_ASKED = 24
EFFORT = 10_000_000
"""Z3 is asked about timed queries of up to ``MOST_ASKED`` actions, with ``EFFORT`` as its rlimit."""


def compare_constraints(a: Side, b: Side, matching: Matching) -> ConstraintDiff | None:
    """Return the constraints in the order of ``a``, then the added ones; None if a text cannot be read."""
    if a.problem is None or b.problem is None:
        return None
    rows = tuple(_constraint_rows(a, a.problem, b, b.problem, matching))
    return ConstraintDiff(rows, _equivalent(a, b, matching, rows))


def _constraint_rows(
    a: Side, in_a: Problem, b: Side, in_b: Problem, matching: Matching
) -> Iterator[ConstraintRow]:
    """Return rows of constraints. Repeated constraints are matched one to one."""
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
    """Return Z3's answer about two timed queries, if they are small."""
    if a is None or b is None or len(a.actions) > MOST_ASKED:
        return None
    from planscope.oracle.equivalence import equivalent

    names = {row.b.id: row.a.id for row in matching.rows if row.a is not None and row.b is not None}
    return equivalent(a, _renamed(b, names), effort=EFFORT)


def _renamed(problem: Problem, names: dict[str, str]) -> Problem:
    """Return the problem with other ids for its actions. The constraints' ``text`` stays."""

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
    """The closure of one query's constraints. ``keys``: ids of actions to the keys of matched actions.

    Base language: exact. Timed: earliest starts and latest ends go along the order, but "one by one" is ignored. So
    what is found does follow, and of the rest nothing is known.
    """

    @classmethod
    def of(cls, side: Side, other: Side, keys: dict[str, str]) -> Following | None:
        """Return the closure; None for a contradiction, which implies everything, or if it is not known whether
        there is one."""
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
        self._later = [0] * n  # for each action, a bit for each that must come later
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
        """Return whether every plan that meets this query meets ``c``; None if not known. ``keys``: of the actions
        of ``c``."""
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
