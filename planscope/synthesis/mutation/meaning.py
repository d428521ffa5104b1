"""What a request says in the end: the order that follows, and the hours; and what of it has to be said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planscope.language.problem import DAY, Problem
from planscope.oracle.precedence import bits, topological
from planscope.synthesis.partial_order import enclose

Hours = tuple[int | None, ...]
"""For each action an hour that may be said of it, None where there is none."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The closure of a request's constraints over the actions that it mentions, which are numbered by place.

    ``up`` and ``down``: bit masks of the actions that come before each and after it. ``ends`` and ``starts``: the
    latest end and earliest start that follow from hours that were said and from the order, as far as the length of
    the day does not say as much; every action is known to take an hour at least, and no more is known.
    ``needed_ends`` and ``needed_starts``: those that nothing else implies.
    """

    actions: tuple[str, ...]
    up: tuple[int, ...]
    down: tuple[int, ...]
    ends: Hours
    starts: Hours
    needed_ends: int
    needed_starts: int


def meaning(problem: Problem) -> Meaning:
    """What the constraints of ``problem`` say; they must not contradict each other."""
    mentioned = {one for c in problem.said for one in c.actions}
    actions = tuple(a.id for a in problem.actions if a.id in mentioned)
    number = {action: i for i, action in enumerate(actions)}
    n = len(actions)
    up, down = [0] * n, [0] * n
    edges = sorted(
        {(number[c.before or ""], number[c.after or ""]) for c in problem.said if c.kind == "order"}
    )
    enclose(up, down, edges)
    order = topological(n, edges)
    assert order is not None, "a contradiction has no meaning to keep"
    late: list[int | None] = [None] * n  # hours before midnight, so that one rule does for ends and starts
    early: list[int | None] = [None] * n
    for c in problem.said:
        if c.action is not None and c.hour is not None:
            side, hour = (early, c.hour) if c.kind == "start_at_least" else (late, DAY - c.hour)
            i = number[c.action]
            side[i] = max(side[i] or 0, hour)
    ends, needed_ends = _bounds(late, down, order[::-1])
    starts, needed_starts = _bounds(early, up, order)
    for i in range(n):
        if not up[i] | down[i] and ends[i] is None and starts[i] is None:
            if late[i] is None:  # what every day says is said of it, and nothing else; it is mentioned so
                starts[i], needed_starts = 0, needed_starts | 1 << i
            else:
                ends[i], needed_ends = 0, needed_ends | 1 << i
    due = tuple([None if hours is None else DAY - hours for hours in ends])
    return Meaning(actions, tuple(up), tuple(down), due, tuple(starts), needed_ends, needed_starts)


def _bounds(
    said: Sequence[int | None], rows: Sequence[int], order: Sequence[int]
) -> tuple[list[int | None], int]:
    """Hours that each action needs before it (or else behind it), and the mask of those that have to be said.

    ``said``: hours as given. ``rows``: for each action those from whose hours its own follow, ``order``: they first.
    """
    n = len(said)
    day = [0] * n
    found: list[int | None] = [None] * n
    needed = 0
    for i in order:
        before = bits(rows[i])
        day[i] = max([day[j] + 1 for j in before], default=0)
        follows = max([hours + 1 for j in before if (hours := found[j]) is not None], default=day[i])
        own = said[i]
        if own is not None and own > max(follows, day[i]):
            needed |= 1 << i
            found[i] = own
        elif follows > day[i]:
            found[i] = follows
    return found, needed
