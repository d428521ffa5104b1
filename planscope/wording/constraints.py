"""Writes constraints in plain words, and says where the query states them."""

from __future__ import annotations

import re

from planscope.language.problem import Constraint, Problem
from planscope.safe import visible
from planscope.wording.phrases import clock
from planscope.wording.terms import RULES

QUOTE = 160
"""Limit of a quotation in code points. A longer one is put in our own words."""

_TO_PUNCTUATION = re.compile(r"[^,.;]{0,40}(?=[,.;])")
"""The last words of a clause after its last action: the verb of a fronted clause, the rest of a list."""


def name(problem: Problem, action: str | None) -> str:
    """Return an action's name as the query has it, not made safe to show."""
    found = problem.action_by_id.get(action or "")
    return found.name if found else action or "?"


def plain(c: Constraint, problem: Problem) -> str:
    """Write a constraint as a clause, not made safe to show: ``docent training comes before school tour guidance``."""
    if c.kind == "order" and not problem.timed:
        return f"{name(problem, c.before)} comes before {name(problem, c.after)}"
    return _short(c, problem.timed, name(problem, c.before), name(problem, c.after), name(problem, c.action))


def brief(c: Constraint, problem: Problem) -> str:
    """Write a constraint for a list, safe to show: ``docent training before school tour guidance``."""
    names = (visible(name(problem, action), limit=80) for action in (c.before, c.after, c.action))
    return _short(c, problem.timed, *names)


def by_ids(c: Constraint, problem: Problem) -> str:
    """Write a constraint with ids of actions, where their names do not fit: ``a4 before a5``."""
    ids = (visible(a or "", limit=12) for a in (c.before, c.after, c.action))
    return _short(c, problem.timed, *ids, at="")


def _short(c: Constraint, timed: bool, before: str, after: str, action: str, *, at: str = "at ") -> str:
    if c.kind == "order":
        return f"{before} ends before {after} starts" if timed else f"{before} before {after}"
    if c.kind == "start_at_least":
        return f"{action} starts {at}{clock(c.hour or 0)} or later"
    if c.kind == "end_at_most":
        return f"{action} ends {at}{clock(c.hour or 0)} or earlier"
    return RULES[c.kind]


def quotation(problem: Problem, c: Constraint) -> str | None:
    """Return the query's own words for a constraint, or None if it states none or too many of them."""
    if not c.spans or not problem.text:
        return None
    begin, end = min(s[0] for s in c.spans), max(s[1] for s in c.spans)
    rest = _TO_PUNCTUATION.match(problem.text, end)
    end = rest.end() if rest else end
    if end - begin > QUOTE or end > len(problem.text):
        return None
    return " ".join(problem.text[begin:end].split())


def place(c: Constraint) -> str:
    """Say what states a constraint: ``sentence 2``, ``the instructions``."""
    if c.is_rule:
        return "the instructions" if c.source == "prompt" else "the day"
    return f"sentence {c.sentence + 1}" if c.sentence is not None else "the query"


def source(problem: Problem, c: Constraint) -> str:
    """Write a clause that says what states a constraint, and in which words: ``sentence 2 says: “...”``."""
    if c.is_rule:
        says = "the instructions say" if c.source == "prompt" else "the day has 24 hours"
        return f"{says}: {plain(c, problem)}"
    quoted = quotation(problem, c)
    return f"{place(c)} says: “{quoted}”" if quoted else f"{place(c)} says: {plain(c, problem)}"
