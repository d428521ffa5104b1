"""A rule and its parts. A rule is about one or two sets of calls; its kind says how they must follow one another."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Literal, get_args

from planscope.language.problem import Span

Kind = Literal[
    "precedence",
    "alternate_precedence",
    "response",
    "chain_precedence",
    "chain_response",
    "within",
    "existence",
    "absence",
    "exactly",
    "never",
    "not_succession",
    "not_coexistence",
    "first",
    "last",
    "init",
    "end",
    "responded_existence",
    "latest",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

EVERY_CALL: frozenset[Kind] = frozenset(
    {"chain_precedence", "chain_response", "first", "last", "init", "end"}
)
"""Kinds that any call touches. So does ``within`` if it counts calls."""

ALWAYS_TESTED: frozenset[Kind] = frozenset({"existence", "exactly", "never", "init", "end"})
TESTED_BY_THEN: frozenset[Kind] = frozenset(
    {"precedence", "alternate_precedence", "chain_precedence", "not_succession", "latest"}
)
"""Kinds that a call of ``then`` puts to the test. All others are tested by a call of ``first``."""

MOST_GLOBS = 12
"""Globs of which every two are looked at together."""

Path = tuple[str | int, ...]
"""A path into an argument or an answer: ``a.b[0]`` is ``("a", "b", 0)``."""

Scalar = str | int | float | bool | None
Operator = Literal[
    "=", "!=", "<", "<=", ">", ">=", "is one of", "contains", "starts with", "ends with", "is missing"
]
Source = Literal["argument", "answer", "text"]


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison ``path operator value``. ``source``: the arguments, the answer, or the text of a user message."""

    source: Source
    path: Path
    operator: Operator
    value: Scalar | tuple[Scalar, ...] = None
    flags: tuple[bool, ...] = field(init=False, repr=False)
    """Which values are true or false, so that ``x = 1`` and ``x = true`` are not equal, as ``1 == True`` is."""

    def __post_init__(self) -> None:
        values = self.value if isinstance(self.value, tuple) else (self.value,)
        object.__setattr__(self, "flags", tuple(isinstance(one, bool) for one in values))


@dataclass(frozen=True, slots=True)
class Combined:
    """Conditions that must all hold, or of which at least one must hold."""

    all: bool
    parts: tuple[Condition, ...]


Condition = Compare | Combined


@dataclass(frozen=True, slots=True)
class Calls:
    """A set of calls of one tool or of all tools that a glob names, or of user messages, which are no calls.

    ``name``: a tool's name or a glob (``*``: any call); "" for user messages. ``condition``, ``outcome`` and ``agent``
    narrow it. ``text``: the words of the rule.
    """

    name: str
    condition: Condition | None = None
    outcome: Literal["failed", "succeeded"] | None = None
    agent: str | None = None
    text: str = ""

    @property
    def is_user(self) -> bool:
        return self.name == ""

    @property
    def is_glob(self) -> bool:
        return "*" in self.name

    @property
    def needs_answer(self) -> bool:
        """Whether only the answer shows if a call belongs to the set."""
        return self.outcome is not None or any(c.source == "answer" for c in compares(self.condition))

    @property
    def plain(self) -> bool:
        """Whether the tool's name alone decides."""
        return self.condition is None and self.outcome is None and self.agent is None

    def names(self, tool: str) -> bool:
        """Return whether the set names this tool. User messages have no tool."""
        if "*" in self.name:
            return glob(self.name).fullmatch(tool) is not None
        return bool(self.name) and tool == self.name


CallSet = tuple[Calls, ...]
"""Calls that belong to any of these, counted together."""


@cache
def glob(pattern: str) -> re.Pattern[str]:
    """Return the pattern of a tool's name with ``*``. No other character is special."""
    return re.compile("".join(".*" if c == "*" else re.escape(c) for c in pattern), re.DOTALL)


@cache
def common_name(one: str, other: str) -> str | None:
    """Return a short name that both globs name, or None if no name fits both, or if they are very long."""
    if len(one) * len(other) > 40_000:
        return None
    last: list[str | None] = []
    for i in range(len(one), -1, -1):  # the shortest name for each pair of rests
        row: list[str | None] = [None] * (len(other) + 1)
        for j in range(len(other), -1, -1):
            found: list[str | None] = [""] if i == len(one) and j == len(other) else []
            a, b = one[i : i + 1], other[j : j + 1]
            if a == "*":
                found.append(last[j])
                if b and b != "*":
                    found.append(_after(b, row[j + 1]))
            if b == "*":
                found.append(row[j + 1])
                if a and a != "*":
                    found.append(_after(a, last[j]))
            if a and a == b and a != "*":
                found.append(_after(a, last[j + 1]))
            row[j] = min((name for name in found if name is not None), key=len, default=None)
        last = row
    return last[0]


def _after(letter: str, rest: str | None) -> str | None:
    return None if rest is None else letter + rest


def unmet_names(globs: Sequence[str], known: Collection[str]) -> list[str]:
    """Return a name for each glob that names no known tool, itself, and for each two globs that name none together."""
    found: list[str] = []

    def named(*some: str) -> bool:
        return any(all(glob(one).fullmatch(tool) for one in some) for tool in (*known, *found))

    for one in globs:
        if not named(one):
            found.append(one)
    few = [one for one in globs if one.strip("*")][:MOST_GLOBS]
    for one, other in combinations(few, 2):
        both = common_name(one, other)
        if both and not named(one, other):
            found.append(both)
    return found


def compares(condition: Condition | None) -> Iterator[Compare]:
    """Yield every comparison in a condition."""
    if isinstance(condition, Compare):
        yield condition
    elif condition is not None:
        for part in condition.parts:
            yield from compares(part)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    ``first``: the calls that the rule takes as the earlier ones (the only ones of a kind about one set); ``then``: the
    others. ``count``: a number of calls or, for ``within`` with ``unit`` "seconds", seconds. ``per``: names of
    arguments; calls with equal values are judged as a trace of their own. ``per_then``: their names in the calls of
    ``then`` if they differ. ``condition`` (``latest`` only): what the answer of ``first`` must have met. ``span`` is
    the sentence in the file, ``spans`` the words of ``first`` and ``then``.
    """

    id: str
    kind: Kind
    first: CallSet
    then: CallSet = ()
    count: int = 0
    unit: Literal["calls", "seconds", ""] = ""
    per: tuple[Path, ...] = ()
    per_then: tuple[Path, ...] = ()
    condition: Condition | None = None
    name: str | None = None
    text: str = ""
    line: int = 1
    span: Span = (0, 0)
    spans: tuple[Span, ...] = ()

    @property
    def sets(self) -> Iterator[Calls]:
        """Every set of calls that the rule names."""
        yield from self.first
        yield from self.then

    @property
    def every_call(self) -> bool:
        """Whether calls that the rule does not name matter as well: with values, such a call may bring a new one."""
        if self.per and self.kind in ALWAYS_TESTED:
            return True
        return self.kind in EVERY_CALL or (self.kind == "within" and self.unit == "calls")

    @property
    def hears_users(self) -> bool:
        return any(calls.is_user for calls in self.sets)

    @property
    def late(self) -> bool:
        """Whether ``first`` depends on answers. Then it counts from the next message on."""
        return self.kind == "latest" or any(calls.needs_answer for calls in self.first)


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A file of rules. ``reads`` and ``writes``: tools that were marked as such."""

    text: str
    rules: tuple[Rule, ...]
    reads: tuple[Calls, ...] = ()
    writes: tuple[Calls, ...] = ()


def path_text(path: Path) -> str:
    """Return a path as it is written: ``a.b[0]``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


_BLANKS = re.compile(r"[\s_]+")


def loose(name: str) -> str:
    """Return a key that is equal for names that differ only in case, and in blanks for underscores."""
    return "_".join(filter(None, _BLANKS.split(name.casefold())))


def resolve(names: Iterator[str] | tuple[str, ...], tools: frozenset[str]) -> Mapping[str, str]:
    """For each name that no tool has exactly, return the one tool that has it but for case and blanks, if there is
    one."""
    near: dict[str, set[str]] = {}
    wanted = {name for name in names if name and "*" not in name and name not in tools}
    if wanted:
        for tool in tools:
            near.setdefault(loose(tool), set()).add(tool)
    found = {name: near.get(loose(name), set()) for name in wanted}
    return {name: next(iter(ones)) for name, ones in found.items() if len(ones) == 1}
