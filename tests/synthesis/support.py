"""What the tests of synthesis share: brute force, and looking into trees."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from planscope.language.problem import Problem
from planscope.language.tree import NP, Clause, Query, Relative, Time, walk


def clauses(tree: Query) -> Iterator[Clause]:
    for sentence in tree.sentences:
        yield from sentence.clauses


def noun_phrases(tree: Query) -> Iterator[NP]:
    """Subjects and objects of clauses that are lists of actions."""
    for clause in clauses(tree):
        yield from (np for np in (clause.subject, clause.object) if isinstance(np, NP))


def relatives(tree: Query) -> Iterator[Relative]:
    yield from (np.relative for np in noun_phrases(tree) if np.relative is not None)


def lists(tree: Query) -> Iterator[NP]:
    """Every list of actions, of one or of several."""
    yield from noun_phrases(tree)
    yield from (relative.object for relative in relatives(tree) if isinstance(relative.object, NP))


def hours(tree: Query) -> Iterator[int]:
    for _, node in walk(tree):
        if isinstance(node, Time):
            yield node.hour


def mentioned(clause: Clause) -> list[str]:
    """The actions of a clause as often as it names them."""
    found = []
    for np in (clause.subject, clause.object):
        if isinstance(np, NP):
            found += [ref.action for ref in np.actions]
            if np.relative is not None and isinstance(np.relative.object, NP):
                found += [ref.action for ref in np.relative.object.actions]
    return found


def brute_orders(problem: Problem) -> int:
    """In how many of all orders everything can be met, each action begun as early as it may."""
    takes = {a.id: a.duration or 1 for a in problem.actions}
    count = 0
    for order in permutations(takes):
        start: dict[str, int] = {}
        clock = 0
        for action in order:
            released = [
                c.hour or 0 for c in problem.said if c.kind == "start_at_least" and c.action == action
            ]
            start[action] = max([clock, *released])
            clock = start[action] + takes[action]
        place = {action: i for i, action in enumerate(order)}
        ok = not problem.timed or clock <= 24
        for c in problem.said:
            if c.before is not None and c.after is not None:
                ok = ok and place[c.before] < place[c.after]
            elif c.kind == "end_at_most":
                assert c.action is not None and c.hour is not None
                ok = ok and start[c.action] + takes[c.action] <= c.hour
        count += ok
    return count
