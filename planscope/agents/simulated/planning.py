"""Plans for a simulated model, from the query as it read it and the durations it has learned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from planscope.frozen import frozen
from planscope.language.problem import DAY, Constraint, Problem
from planscope.oracle.precedence import topological
from planscope.oracle.schedule import Schedule, TooHard

EFFORT = 20_000
"""Limit of sets of actions to search. Beyond it, a model takes its first idea."""


@frozen
class Done:
    """An executed call of the attempt; its hours are zero in the base language."""

    action: str
    start: int = 0
    end: int = 0


@frozen
class Outlook:
    """The next action, with its hour if timed, and the state of the plan.

    ``fine``: a plan meets all constraints. ``lost``: none does from here, but one does from the start; ``next`` is the
    best that is left. ``hopeless``: none does from the start. ``next`` is None if everything is done.
    """

    state: Literal["fine", "lost", "hopeless"]
    next: tuple[str, int | None] | None


def look_ahead(problem: Problem, done: Sequence[Done], hours: Mapping[str, int]) -> Outlook:
    """Plan what is left of ``problem`` after ``done``. ``hours``: durations learned; others count 1."""
    everything = [a.id for a in problem.actions]
    rest = [a for a in everything if a not in {d.action for d in done}]
    here = _next(problem, problem.said, done, rest, hours)
    if (here is not None or not rest) and not _broken(problem, done, rest):
        return Outlook("fine", here)
    ever = _next(problem, problem.said, (), everything, hours) is not None
    return Outlook("lost" if ever else "hopeless", here or _give_up(problem, done, rest, hours))


def can_be_met(problem: Problem, said: Iterable[Constraint], hours: Mapping[str, int]) -> bool:
    """Return whether a plan from the start meets the constraints ``said``."""
    return _next(problem, said, (), [a.id for a in problem.actions], hours) is not None


def _give_up(
    problem: Problem, done: Sequence[Done], rest: list[str], hours: Mapping[str, int]
) -> tuple[str, int | None] | None:
    """Return the next action if constraints that cannot be met are dropped in the order of the text."""
    if not rest:
        return None
    kept: list[Constraint] = []
    for constraint in problem.said:
        if _next(problem, [*kept, constraint], done, rest, hours) is not None:
            kept.append(constraint)
    found = _next(problem, kept, done, rest, hours)
    return found or (rest[0], _clock(done) if problem.timed else None)


def _broken(problem: Problem, done: Sequence[Done], rest: Sequence[str]) -> bool:
    """Return whether an executed call violates a constraint for good."""
    first = {d.action: d for d in reversed(done)}
    place = {d.action: i for i, d in reversed(list(enumerate(done)))}
    for c in problem.said:
        if c.kind == "order":
            before, after = c.before or "", c.after or ""
            if after in first and (before in rest or place.get(before, -1) > place[after]):
                return True
        elif c.action in first:
            one, hour = first[c.action], c.hour or 0
            if one.start < hour if c.kind == "start_at_least" else one.end > hour:
                return True
    return any(d.start < _clock(done[:i]) or d.end > DAY for i, d in enumerate(done))


def _clock(done: Sequence[Done]) -> int:
    return max((d.end for d in done), default=0)


def _next(
    problem: Problem,
    said: Iterable[Constraint],
    done: Sequence[Done],
    rest: list[str],
    hours: Mapping[str, int],
) -> tuple[str, int | None] | None:
    """Return the next action of a plan that meets ``said``, with its earliest hour, or None without a plan."""
    number = {action: i for i, action in enumerate(rest)}
    edges, release, deadline = [], [0] * len(rest), [DAY] * len(rest)
    for c in said:
        if c.kind == "order":
            if c.before in number and c.after in number:
                edges.append((number[c.before], number[c.after]))
        elif c.action in number:
            i, hour = number[c.action], c.hour or 0
            if c.kind == "start_at_least":
                release[i] = max(release[i], hour)
            else:
                deadline[i] = min(deadline[i], hour)
    if not problem.timed:
        order = topological(len(rest), edges)
        return (rest[order[0]], None) if order else None
    takes = [hours.get(action, 1) for action in rest]
    clock = _clock(done)
    schedule = Schedule(takes, release, deadline, edges, EFFORT)
    everything = (1 << len(rest)) - 1
    try:
        found = [(schedule.hours(everything, i, clock), i) for i in schedule.ready(everything)]
        starts = [(window[0], deadline[i], i) for window, i in found if window is not None]
    except TooHard:
        starts = [(max(clock, release[i]), deadline[i], i) for i in schedule.ready(everything)]
    if not starts:
        return None
    start, _, i = min(starts)
    return rest[i], start


def paper_hours(problem: Problem, mention: Sequence[str], day: int) -> dict[str, int]:
    """Return start hours that meet the constraints if every action took one hour and could overlap with others.

    They are the earliest hours from ``day`` on, or from the latest earlier hour with which all deadlines are met.
    """
    tries = [_earliest(problem, mention, begin) for begin in range(day, -1, -1)]
    return next((hours for hours, met in tries if met), tries[-1][0])


def _earliest(problem: Problem, mention: Sequence[str], begin: int) -> tuple[dict[str, int], bool]:
    hours = dict.fromkeys(mention, begin)
    for c in problem.said:
        if c.kind == "start_at_least" and c.action in hours:
            hours[c.action] = max(hours[c.action], c.hour or 0)
    orders = [(c.before, c.after) for c in problem.said if c.kind == "order" and c.before and c.after]
    for _ in mention:  # a chain is no longer than this; a circle never settles
        for before, after in orders:
            hours[after] = max(hours[after], hours[before] + 1)
    met = all(hours[b] < hours[a] for b, a in orders) and all(
        hours[c.action] + 1 <= (c.hour or 0) for c in problem.said if c.kind == "end_at_most" and c.action
    )
    return {action: min(hour, DAY - 1) for action, hour in hours.items()}, met
