"""The oracle's input: actions and constraints, without grammar and words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal

from planscope.frozen import frozen

Span = tuple[int, int]
"""A half-open range of code points in the query's text."""

NodePath = tuple[int | str, ...]
"""A node's path in the syntax tree, from the root: ``(0, "clause", 1, "subject")``."""

RuleKind = Literal["once", "all_done", "one_by_one", "start_range", "end_range"]
ConstraintKind = Literal["order", "start_at_least", "end_at_most", "of_calls"] | RuleKind
Source = Literal["text", "prompt", "environment", "rules"]

DAY = 24
"""The number of hours of a day. Clock times are whole hours from 0 to this."""

BASE_RULES: tuple[RuleKind, ...] = ("once", "all_done")
TIMED_RULES: tuple[RuleKind, ...] = ("once", "all_done", "one_by_one", "start_range", "end_range")


@frozen
class Action:
    """An action of the query. ``name``: a noun phrase. ``tool``: the name of its tool. ``duration``: whole hours
    (timed)."""

    id: str
    name: str
    tool: str
    duration: int | None = None


@frozen
class Constraint:
    """One requirement of the query.

    ``order``: ``before`` ends no later than ``after`` begins. ``start_at_least`` and ``end_at_most``: the bound of
    ``action`` is the whole ``hour``. Rules (basic constraints) concern every action and have no span. ``spans`` are
    subject, relation phrase and object, in this order, by their grammatical role (in "A comes after B", A is the
    subject and B is ``before``). ``sentence`` counts from 0.

    ``of_calls``: a rule about tool calls (``planscope.rules``). ``text`` is its sentence, ``means`` its meaning in one
    sentence, ``title`` its name, ``about`` the ids of the actions whose tools it names.
    """

    id: str
    kind: ConstraintKind
    text: str
    before: str | None = None
    after: str | None = None
    action: str | None = None
    hour: int | None = None
    sentence: int | None = None
    spans: tuple[Span, ...] = ()
    node: NodePath = ()
    source: Source = "text"
    means: str = ""
    title: str = ""
    about: tuple[str, ...] = ()

    @property
    def is_rule(self) -> bool:
        return self.kind in TIMED_RULES

    @property
    def meaning(self) -> tuple[str, str | None, str | None, str | None, int | None]:
        """A key that is equal for constraints that say the same about the same actions."""
        if self.kind == "of_calls":
            return (self.kind, self.text, None, None, None)
        return (self.kind, self.before, self.after, self.action, self.hour)

    @property
    def actions(self) -> tuple[str, ...]:
        """Ids of the actions concerned. Empty for a rule, which concerns all."""
        if self.kind == "order":
            assert self.before is not None and self.after is not None
            return (self.before, self.after)
        if self.about:
            return self.about
        return () if self.action is None else (self.action,)


_RULES: dict[RuleKind, tuple[str, Source]] = {
    "once": ("every action is done only once", "prompt"),
    "all_done": ("every action is done", "prompt"),
    "one_by_one": ("calls come one by one", "prompt"),
    "start_range": ("0 <= start <= 23", "prompt"),
    "end_range": ("1 <= end <= 24", "environment"),
}


def rules(timed: bool) -> tuple[Constraint, ...]:
    """Return the basic constraints ``b1, b2, ...`` of a query (Figure 7 (d) and the prompt's own instructions)."""
    kinds = TIMED_RULES if timed else BASE_RULES
    return tuple(
        Constraint(f"b{i}", kind, _RULES[kind][0], source=_RULES[kind][1]) for i, kind in enumerate(kinds, 1)
    )


@frozen
class Problem:
    """Actions with their constraints: first ``c1, c2, ...`` by place in the text, then the rules.

    ``text``: the query that the spans point into; explanations quote it.

    ``own``: the agent's own real tools, by name with their JSON schemas (None if a schema is not known). Then
    ``actions`` are the tools that the query names, each to be done once; all other tools may be called freely, and only
    a tool itself refuses a call. With mock tools ``own`` is None, and each action has one tool. ``unjudged``: one line
    that says why the run cannot be judged.
    """

    actions: tuple[Action, ...]
    constraints: tuple[Constraint, ...]
    timed: bool = False
    text: str = ""
    own: Mapping[str, Mapping[str, Any] | None] | None = field(default=None, hash=False)
    unjudged: str = ""
    by_id: dict[str, Constraint] = field(init=False, repr=False, compare=False)
    place: dict[str, int] = field(init=False, repr=False, compare=False)
    """Each action's index in ``actions``, by its id."""
    action_by_id: dict[str, Action] = field(init=False, repr=False, compare=False)
    action_by_tool: dict[str, Action] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_id", {c.id: c for c in self.constraints})
        object.__setattr__(self, "place", {a.id: i for i, a in enumerate(self.actions)})
        object.__setattr__(self, "action_by_id", {a.id: a for a in self.actions})
        object.__setattr__(self, "action_by_tool", {a.tool: a for a in self.actions})

    def unasked(self, why: str) -> Problem:
        """Return the problem as one by which no run is judged. ``why``: in one line."""
        return self if self.unjudged else replace(self, unjudged=why)

    @property
    def counted(self) -> bool:
        """Whether the valid orders of the remaining calls can be counted."""
        return True

    @property
    def writes(self) -> frozenset[str]:
        """The tools that are marked as writing."""
        return frozenset()

    @property
    def reads(self) -> frozenset[str]:
        """The tools that are marked as only reading."""
        return frozenset()

    @property
    def said(self) -> tuple[Constraint, ...]:
        """The constraints of the text (``c*``), and rules about calls, without the basic ones (``b*``)."""
        return tuple(c for c in self.constraints if not c.is_rule)


_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def is_tool_name(name: str) -> bool:
    """Return whether model providers accept ``name`` as a tool's name."""
    return _TOOL_NAME.fullmatch(name) is not None


def slug(name: str) -> str:
    """Return the tool name of an action: at most 64 characters of ``[a-z0-9_]``. Letters lose their accents."""
    plain = name.casefold()
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return _NOT_SLUG.sub("_", plain).strip("_")[:64].rstrip("_") or "action"


def free_tool(name: str, taken: Collection[str]) -> str:
    """Return the slug of a name, with ``_2``, ``_3``, ... appended if it is taken."""
    base = tool = slug(name)
    number = 1
    while tool in taken:
        number += 1
        suffix = f"_{number}"
        tool = base[: 64 - len(suffix)] + suffix
    return tool


def make_actions(names: Iterable[str], durations: Sequence[int | None] | None = None) -> tuple[Action, ...]:
    """Number the names ``a1, a2, ...`` and give each a tool name of its own (``_2`` and so on on a clash)."""
    taken: set[str] = set()
    made = []
    for i, name in enumerate(names):
        tool = free_tool(name, taken)
        taken.add(tool)
        made.append(Action(f"a{i + 1}", name, tool, durations[i] if durations else None))
    return tuple(made)
