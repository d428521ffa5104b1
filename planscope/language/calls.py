"""What a sentence of rules can speak of: sets of calls, and conditions on their arguments and answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from typing import Literal

from planscope.frozen import frozen

Path = tuple[str | int, ...]
"""A path into an argument or an answer: ``a.b[0]`` is ``("a", "b", 0)``. EACH in it stands for every element of a list
and every value of an object; COUNT or SUM at its beginning for the number or the sum of what stands there."""

EACH, COUNT, SUM = "*", "\0number", "\0sum"
_MEASURES = {COUNT: "the number of", SUM: "the sum of"}

USER, ASSISTANT = "", "\0assistant"
"""Names of sets of messages, which no tool has."""

Scalar = str | int | float | bool | None
Operator = Literal[
    "=",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "is one of",
    "contains",
    "starts with",
    "ends with",
    "is missing",
    "is set",
    "has a word of",
    "matches",
    "does not contain",
    "does not start with",
    "does not end with",
    "does not match",
]
DENIED: Mapping[Operator, Operator] = {
    "does not contain": "contains",
    "does not start with": "starts with",
    "does not end with": "ends with",
    "does not match": "matches",
}
"""What these deny. A value that is missing meets neither."""
Source = Literal["argument", "answer", "text", "outcome", "agent"]


@frozen
class Compare:
    """A comparison ``path operator value``. ``source``: the arguments, the answer, or the text of a user message. The
    search (``satisfiable.py``) has the outcome and the agent as sources, too."""

    source: Source
    path: Path
    operator: Operator
    value: Scalar | tuple[Scalar, ...] = None
    flags: tuple[bool, ...] = field(init=False, repr=False)
    """Which values are true or false, so that ``x = 1`` and ``x = true`` are not equal, as ``1 == True`` is."""

    def __post_init__(self) -> None:
        values = self.value if isinstance(self.value, tuple) else (self.value,)
        object.__setattr__(self, "flags", tuple(isinstance(one, bool) for one in values))


@frozen
class Combined:
    """Conditions that must all hold, or of which at least one must hold."""

    all: bool
    parts: tuple[Condition, ...]


Condition = Compare | Combined

Relation = Literal["=", "!=", "<", "<=", ">", ">=", "among", "not among", "within", "part of"]


@frozen
class Against:
    """A comparison of an argument with an earlier answer: ``argument relation number * answer``. ``unit``: that of the
    values; texts such as "$50" are numbers only with one. ``number``: a factor or, for ``within``, seconds. ``where``:
    what the elements that EACH stands for must meet. ``every``: all earlier answers count, not only the latest.
    ``pair``: another list, of which each element must be among the same answer as the one beside it."""

    argument: Path
    relation: Relation
    answer: Path
    unit: str = ""
    number: float = 1
    where: Condition | None = None
    every: bool = False
    pair: Path = ()


@frozen
class Calls:
    """A set of calls of one tool or of all tools that a glob names, or of messages, which are no calls.

    ``name``: a tool's name or a glob (``*``: any call); USER or ASSISTANT for messages. ``condition``, ``outcome``
    and ``agent`` narrow it. ``text``: the words of the rule. ``but``: tools, or globs, that a glob leaves out.
    """

    name: str
    condition: Condition | None = None
    outcome: Literal["failed", "succeeded"] | None = None
    agent: str | None = None
    text: str = ""
    but: tuple[str, ...] = ()

    @property
    def is_user(self) -> bool:
        return self.name == USER

    @property
    def is_said(self) -> bool:
        """Whether it is a set of messages."""
        return self.name in (USER, ASSISTANT)

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
            return any_fits((self.name,), tool) and not any_fits(self.but, tool)
        return bool(self.name) and tool == self.name


def any_fits(names: Iterable[str], tool: str) -> bool:
    """Return whether one of some names, or globs, is this tool's."""
    return any(tool == name or ("*" in name and glob(name).fullmatch(tool) is not None) for name in names)


CallSet = tuple[Calls, ...]
"""Calls that belong to any of these, counted together."""


@cache
def glob(pattern: str) -> re.Pattern[str]:
    """Return the pattern of a tool's name with ``*``. No other character is special."""
    return re.compile("".join(".*" if c == "*" else re.escape(c) for c in pattern), re.DOTALL)


def compares(condition: Condition | None) -> Iterator[Compare]:
    """Yield every comparison in a condition."""
    if isinstance(condition, Compare):
        yield condition
    elif condition is not None:
        for part in condition.parts:
            yield from compares(part)


def path_text(path: Path) -> str:
    """Return a path as it is written: ``a.b[0]``, ``the number of a.*``."""
    if path and path[0] in _MEASURES:
        return f"{_MEASURES[str(path[0])]} {path_text(path[1:])}"
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def condition_text(condition: object) -> str:
    """Write a condition as it can be written in a rule."""
    if isinstance(condition, Combined):
        word = " and " if condition.all else " or "
        parts = [
            f"({condition_text(part)})" if isinstance(part, Combined) else condition_text(part)
            for part in condition.parts
        ]
        return word.join(parts)
    assert isinstance(condition, Compare)
    path = path_text(condition.path)
    if condition.source == "answer" and condition.path[:1] not in ((COUNT,), (SUM,)):
        path = f"answer.{path}" if path else "answer"
    elif condition.source == "text":
        path = "text"
    if condition.operator in ("is missing", "is set"):
        return f"{path} {condition.operator}"
    if condition.operator in ("matches", "does not match"):  # as it is written, without the escapes of JSON
        text = str(condition.value).replace('"', '\\"')
        return f'{path} {condition.operator} "{text}"'
    value = list(condition.value) if isinstance(condition.value, tuple) else condition.value
    return f"{path} {condition.operator} {json.dumps(value, ensure_ascii=False)}"


@lru_cache(maxsize=4096)
def moment(text: str) -> float | None:
    """Return the seconds since 1970 of an ISO date or date with time (UTC without a time zone), or None for other
    text."""
    if len(text) > 40 or not text[:4].isdigit():
        return None
    try:
        if len(text) == 10:
            day = date.fromisoformat(text)
            return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()
        found = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
