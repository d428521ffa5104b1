"""Writes constraints in plain words, and says where the query states them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from planscope.language.problem import Constraint, Problem
from planscope.safe import cell_width, char_width, clip, visible, wrap
from planscope.wording.phrases import clock
from planscope.wording.terms import RULES

QUOTE = 160
"""Limit of a quotation in code points. A longer one is put in our own words."""

ROWS = 3
"""The greatest number of lines of a list's entry."""
NARROWEST = 20
"""In fewer cells than this, names cannot be told apart."""
_LONGEST_NAME = 80
LONGEST_RULE = 300
"""A longer rule is cut in a list."""

_TO_PUNCTUATION = re.compile(r"[^,.;]{0,40}(?=[,.;])")
"""The last words of a clause after its last action: the verb of a fronted clause, the rest of a list."""


def name(problem: Problem, action: str | None) -> str:
    """Return an action's name as the query has it, not made safe to show."""
    found = problem.action_by_id.get(action or "")
    return found.name if found else action or "?"


def label(c: Constraint, limit: int = 24) -> str:
    """Return the short name of a constraint in a list, safe to show: the name that its rule was given, or its id."""
    return visible(c.title or c.id, limit=limit)


def plain(c: Constraint, problem: Problem) -> str:
    """Write a constraint as a clause, not made safe to show: ``docent training comes before school tour guidance``."""
    if c.kind == "order" and not problem.timed:
        return f"{name(problem, c.before)} comes before {name(problem, c.after)}"
    return _short(c, problem.timed, name(problem, c.before), name(problem, c.after), name(problem, c.action))


def brief(c: Constraint, problem: Problem) -> str:
    """Write a constraint for a list, safe to show: ``docent training before school tour guidance``."""
    if c.kind == "of_calls":
        return visible(plain_rule(c), limit=LONGEST_RULE)
    names = (visible(name(problem, action), limit=_LONGEST_NAME) for action in (c.before, c.after, c.action))
    return _short(c, False, *names)


def in_room(constraints: Sequence[Constraint], problem: Problem, cells: int) -> list[str]:
    """Return :func:`brief` for each constraint, in at most ``ROWS`` lines of ``cells`` cells.

    Long names are shortened in their middle, and an id is added to names that then look the same. If there are fewer
    than ``NARROWEST`` cells, all actions are named by their ids.
    """
    if cells < NARROWEST:
        return [
            brief(c, problem)
            if c.kind == "of_calls"
            else _short(c, False, *(visible(a or "", limit=12) for a in (c.before, c.after, c.action)), at="")
            for c in constraints
        ]
    whole, short = _Names(problem, _LONGEST_NAME), _Names(problem, cells)
    made = []
    for c in constraints:
        text = whole.said(c)
        width = cell_width(text)
        if width > ROWS * cells or (width > (ROWS - 1) * cells and len(wrap(text, cells)) > ROWS):
            text = short.said(c)
        made.append(text)
    return made


class _Names:
    """The names of a problem's actions in at most ``cells`` cells, each computed when it is needed."""

    def __init__(self, problem: Problem, cells: int) -> None:
        self._problem = problem
        self._cells = cells
        self._made: dict[str | None, str] = {None: "?"}

    @cached_property
    def _shared(self) -> set[str]:
        """The shortened names that more than one action has."""
        counts = Counter(_shortened(action.name, self._cells) for action in self._problem.actions)
        return {name for name, number in counts.items() if number > 1}

    def _of(self, action: str | None) -> str:
        made = self._made.get(action)
        if made is None:
            whole = name(self._problem, action)
            made = _shortened(whole, self._cells)
            if made in self._shared:
                id = f" ({visible(action or '', limit=12)})"
                made = _shortened(whole, self._cells - len(id)) + id
            self._made[action] = made
        return made

    def said(self, c: Constraint) -> str:
        if c.kind == "of_calls":
            return brief(c, self._problem)
        return _short(c, False, self._of(c.before), self._of(c.after), self._of(c.action))


def _shortened(text: str, cells: int) -> str:
    """Return a text, safe to show, without its middle if it is wider than ``cells``."""
    whole = visible(text[: 4 * _LONGEST_NAME])
    if cell_width(whole) <= cells:
        return whole
    head = clip(whole, max(cells * 2 // 3, 1)).removesuffix("…")
    room = cells - cell_width(head) - 1
    begin = len(whole)
    while begin and (room := room - char_width(whole[begin - 1])) >= 0:
        begin -= 1
    return f"{head}…{whole[begin:].lstrip(' ')}"


def plain_rule(c: Constraint) -> str:
    """Return a rule's sentence on one line, without its last period."""
    text = " ".join(c.text.split())
    return text.removesuffix(".")


def _short(c: Constraint, timed: bool, before: str, after: str, action: str, *, at: str = "at ") -> str:
    if c.kind == "of_calls":
        return plain_rule(c)
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
    if c.kind == "of_calls":
        return f"the rule “{c.title}”" if c.title else "the rules"
    if c.is_rule:
        return "the instructions" if c.source == "prompt" else "the day"
    return f"sentence {c.sentence + 1}" if c.sentence is not None else "the query"


def source(problem: Problem, c: Constraint) -> str:
    """Write a clause that says what states a constraint, and in which words: ``sentence 2 says: “...”``."""
    if c.kind == "of_calls":
        return f"{place(c)} {'says' if c.title else 'say'}: {plain_rule(c)}"
    if c.is_rule:
        says = "the instructions say" if c.source == "prompt" else "the day has 24 hours"
        return f"{says}: {plain(c, problem)}"
    quoted = quotation(problem, c)
    return f"{place(c)} says: “{quoted}”" if quoted else f"{place(c)} says: {plain(c, problem)}"
