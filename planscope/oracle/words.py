"""Names, hours and quotations for sentences that people read. Ids never appear in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from planscope.language.describe import plain
from planscope.language.problem import Constraint, Problem
from planscope.oracle.arguments import START
from planscope.safe import clip

QUOTE = 160
"""Longer stretches of the request are put in our own words instead."""

WIDEST_VALUE, WIDEST_VALUES = 40, 200
MOST_VALUES = 60
"""Cells of one argument and of all of a call, and how many of them are looked at."""

_TO_PUNCTUATION = re.compile(r"[^,.;]{0,40}(?=[,.;])")
"""A clause's last words behind its last action: the verb of a fronted clause, the rest of a list."""


def name(problem: Problem, action: str | None) -> str:
    found = problem.action_by_id.get(action or "")
    return found.name if found else "?"


def clock(hour: int) -> str:
    return f"{hour}:00"


def listed(parts: Iterable[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    found = list(parts)
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} {last} {found[-1]}" if found else ""


def called(tool: str, arguments: Mapping[str, Any] | None) -> str:
    """``tool(8)`` for a start hour alone, ``tool(x=1)``, or that nobody could read it; short and safe to show."""
    if arguments is None:
        return f"{tool}(unreadable)"
    if set(arguments) == {START}:
        return f"{tool}({_value(arguments[START])})"
    told = (f"{clip(k, WIDEST_VALUE)}={_value(v)}" for k, v in islice(arguments.items(), MOST_VALUES))
    return f"{tool}({clip(', '.join(told), WIDEST_VALUES)})"


def _value(value: Any) -> str:
    return clip(repr(value), WIDEST_VALUE)


def quotation(problem: Problem, c: Constraint) -> str | None:
    """The words of the request that say it, if it says so and they are not too many."""
    if not c.spans or not problem.text:
        return None
    begin, end = min(s[0] for s in c.spans), max(s[1] for s in c.spans)
    rest = _TO_PUNCTUATION.match(problem.text, end)
    end = rest.end() if rest else end
    if end - begin > QUOTE or end > len(problem.text):
        return None
    return " ".join(problem.text[begin:end].split())


def source(problem: Problem, c: Constraint) -> str:
    """Who says it, and in which words: ``sentence 2 says: "..."``."""
    if c.is_rule:
        says = "the instructions say" if c.source == "prompt" else "the day is so long"
        return f"{says}: {plain(c, problem)}"
    quoted = quotation(problem, c)
    where = f"sentence {c.sentence + 1}" if c.sentence is not None else "the request"
    return f"{where} says: “{quoted}”" if quoted else f"{where} says that {plain(c, problem)}"
