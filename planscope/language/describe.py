"""Constraints in plain words, for people who read no formulas."""

from __future__ import annotations

from planscope.language.problem import Constraint, Problem

_RULES: dict[str, str] = {
    "once": "every action is done only once",
    "all_done": "every action is done",
    "one_by_one": "actions are done one by one",
    "start_range": "every action starts between 0:00 and 23:00",
    "end_range": "every action ends between 1:00 and 24:00",
}


def plain(constraint: Constraint, problem: Problem) -> str:
    """A constraint in a few words, without a capital or a period; KeyError for an action that is not there."""
    names = problem.action_by_id
    if constraint.kind == "order":
        assert constraint.before is not None and constraint.after is not None
        before, after = names[constraint.before].name, names[constraint.after].name
        return f"{before} ends before {after} starts" if problem.timed else f"{before} comes before {after}"
    if constraint.is_rule:
        return _RULES[constraint.kind]
    assert constraint.action is not None
    name = names[constraint.action].name
    if constraint.kind == "end_at_most":
        return f"{name} ends at {constraint.hour}:00 or earlier"
    return f"{name} starts at {constraint.hour}:00 or later"
