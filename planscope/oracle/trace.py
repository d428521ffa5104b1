"""A trace: the calls that an agent made, what was said between them, and how its run ended.

Readers of files and recorded runs make it, and every judge reads it. It is small, because a file may have 100,000
traces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from planscope.frozen import frozen
from planscope.safe import visible

Json = Any
"""Any value that ``json.loads`` returns."""

Ending = Literal["stopped", "timeout", "call_limit", "aborted", "running"]
"""``stopped``: the agent said that it was done, or a file ends. ``timeout``, ``call_limit``: a limit ended the run.
``aborted``: something else ended it (``Cause``). ``running``: the run has not ended."""

Cause = Literal["cut_off", "model", "network", "tool", "stopped"]
"""What ended an aborted run: its record ends early; an error of the model, of the network, or of a tool's or an
agent's code; a person."""

MOST_CALLS = 100_000
"""Limit of calls of one trace or run: of those that readers keep, and of those that a session holds."""
MOST_ITEMS = 4 * MOST_CALLS
"""Limit of calls, messages and marks that readers keep of one trace, and of records of spans."""
FULL = "only the first "
"""How the reason begins if a record has more than is kept."""
MAY_HOLD = "may hold calls"
"""How the reason ends if calls may be left out."""
DAMAGED = f"damaged data {MAY_HOLD}"
"""Why no verdict may depend on what a reader could not read."""
RESTART_TOOL = "ask_for_restart"
NEW = -1
"""The message of an item that begins one. The trace numbers it."""


@dataclass(slots=True)
class ToolCall:
    """One call of a tool. Two are equal if the agent asked for the same, and it was refused or not.

    ``arguments`` is None if they were not captured or could not be read (``error`` says why). ``refused``: the call was
    blocked before the tool ran. ``failed``: the tool answered with an error; None if nobody can know. ``answer`` is the
    text that the model read, None if there was none or it was not captured; ``answered`` tells the two apart.

    ``step`` counts the calls of a trace from 1. ``message`` is the number of the message that made the call: calls of
    one message were decided together, so none of them knows an answer to another. ``agent`` is None if nothing names
    it. ``at`` and ``took`` are seconds, ``at`` since the trace began. ``guessed``: the format has no mark for errors,
    and the answer's text decided.
    """

    tool: str
    arguments: Mapping[str, Json] | None = field(default_factory=dict)
    error: str | None = None
    refused: bool = False
    failed: bool | None = field(default=None, compare=False)
    answer: str | None = field(default=None, compare=False)
    answered: bool = field(default=False, compare=False)
    step: int = field(default=0, compare=False)
    message: int = field(default=NEW, compare=False)
    agent: str | None = field(default=None, compare=False)
    at: float | None = field(default=None, compare=False)
    took: float | None = field(default=None, compare=False)
    call_id: str | None = field(default=None, compare=False)
    guessed: bool = field(default=False, compare=False)
    raw: Json = field(default=None, compare=False)


@dataclass(slots=True)
class Said:
    """A message of a person, of the model or of the system prompt, with its number and its time in seconds."""

    by: Literal["user", "model", "system"]
    text: str
    message: int = NEW
    at: float | None = None
    agent: str | None = None
    usage: tuple[int, int] | None = None
    """Tokens that the model read and wrote."""
    raw: Json = None


@dataclass(slots=True)
class Mark:
    """An event between calls: the history was compacted, another agent took over, the model had an error."""

    kind: Literal["compacted", "handoff", "error"]
    text: str
    message: int = NEW
    at: float | None = None
    raw: Json = None


Item = ToolCall | Said | Mark


@dataclass(slots=True)
class Branch:
    """Items that the user rewound. They followed step ``after`` (0: the beginning)."""

    after: int
    items: list[Item]


@frozen
class LeftOut:
    """What looks like calls in a file and is not among the calls of its trace.

    ``not of this run``: gold plans, examples, copies, rewound branches, text inside an answer. They do not touch the
    verdict. ``not understood``: everything else. A rule that they could break or keep is then unknown. ``path`` is that
    of the first, such as ``messages[3].tool_calls[0]``; ``count`` says how many there are.
    """

    kind: Literal["not of this run", "not understood"]
    reason: str
    path: str = ""
    count: int = 1

    @property
    def text(self) -> str:
        """One line, safe to display: ``2 calls not understood: no name (first: messages[3])``."""
        place = f" (first: {visible(self.path, limit=120)})" if self.path else ""
        what = "place" if self.reason.endswith(MAY_HOLD) else "call"  # nobody knows how many calls are there
        calls = f"{self.count:,} {what}{'s' * (self.count != 1)}"
        return f"{calls} {self.kind}: {visible(self.reason, limit=200)}{place}"


def add_left_out(
    sums: dict[tuple[str, str], LeftOut], id: str, more: Iterable[LeftOut], most: int = 100
) -> None:
    """Add what a trace leaves out to sums over traces, by kind and reason. A path tells the first trace, too."""
    for one in more:
        key = one.kind, one.reason
        if (before := sums.get(key)) is not None:
            sums[key] = replace(before, count=before.count + one.count)
        elif len(sums) < most:
            sums[key] = replace(one, path=f"{id}, {one.path}" if one.path else id)


@dataclass(slots=True)
class Tool:
    """A tool that the agent was given; ``parameters`` is a JSON schema."""

    name: str
    description: str | None = None
    parameters: Mapping[str, Json] | None = None


@dataclass(slots=True)
class Trace:
    """One trace: the items of the live branch in order, and what is known about the whole.

    ``items`` without numbers get those that follow. ``reason`` says in one line why the run ended so. ``tools`` are
    those that the trace defines, by name. ``unknown_lines`` counts the kinds of records that the reader skipped.
    """

    items: Sequence[Item] = ()
    ending: Ending = "stopped"
    reason: str | None = None
    cause: Cause | None = None
    tools: dict[str, Tool] = field(default_factory=dict)
    id: str = ""
    format: str = ""
    branches: list[Branch] = field(default_factory=list)
    model: str | None = None
    agent: str | None = None
    title: str | None = None
    started: float | None = None
    """Seconds since 1970."""
    problem: str | None = None
    """What could not be read, in one line."""
    unknown_lines: dict[str, int] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    source: str = ""
    """The file that it comes from."""
    line: int | None = None
    """The line of the file that is the trace, if it is one line."""
    reward: float | None = None
    """How well the run went, if the format says so: 1 is right, 0 is wrong."""
    expected: list[ToolCall] = field(default_factory=list, compare=False)
    """The gold plan, if the file has one: the calls that a right run makes. They have no steps."""
    excused: list[tuple[str, ToolCall]] = field(default_factory=list, repr=False, compare=False)
    """Calls that the reader leaves out on purpose, each with the reason, until ``left_out`` lists them."""
    cached_calls: tuple[Sequence[Item] | None, int, list[ToolCall]] = field(
        default=(None, 0, []), init=False, repr=False, compare=False
    )
    """For these items, as many as there were: the calls."""

    def __post_init__(self) -> None:
        if self.items:
            self.items = numbered(self.items)

    @property
    def calls(self) -> list[ToolCall]:
        """The calls of the live branch, in order of their steps. Not to be changed."""
        items, size, calls = self.cached_calls
        if items is not self.items or size != len(self.items):
            calls = [item for item in self.items if isinstance(item, ToolCall)]
            self.cached_calls = self.items, len(self.items), calls
        return calls

    @property
    def message(self) -> int:
        """The number of the last message, -1 if there is none."""
        return self.items[-1].message if self.items else -1

    @property
    def unclear(self) -> str:
        """What was not understood, in one line; "" if all was. No verdict may depend on it."""
        return "; ".join(one.text for one in self.left_out if one.kind == "not understood")

    @property
    def full(self) -> bool:
        """Whether there was more than is kept. Calls may come after the last one, and be anything."""
        return self.cause == "cut_off" and (self.reason or "").startswith(FULL)

    @property
    def open_end(self) -> bool:
        """Whether more calls may follow the last one: the run is running, or was ended by something else than its
        agent or a limit."""
        return self.ending in ("aborted", "running")

    def then(self, *items: Item, ending: Ending = "running", reason: str | None = None) -> Trace:
        """Return the same trace with more items, at the cost of those and of a copy."""
        made = copy(self)
        made.ending, made.reason = ending, reason
        new = numbered(items, self.calls[-1].step if self.calls else 0, self.message)
        made.items = [*self.items, *new]
        calls = [*self.calls, *(item for item in new if isinstance(item, ToolCall))]
        made.cached_calls = made.items, len(made.items), calls
        return made

    def upto(self, calls: int) -> Trace:
        """Return the trace as it was after that many calls, as one that is running."""
        last = self.calls[calls - 1] if 0 < calls <= len(self.calls) else None
        place = next((k for k, item in enumerate(self.items, 1) if item is last), 0)
        items = self.items[:place] if calls <= len(self.calls) else self.items
        return replace(self, items=items, ending="running", reason=None, cause=None)


def numbered(items: Sequence[Item], step: int = 0, message: int = -1) -> Sequence[Item]:
    """Return items with a step for each call and a message for each item: copies of those that had none. ``step`` and
    ``message``: the last numbers before them."""
    made: list[Item] | None = None
    for k, item in enumerate(items):
        found = item
        if item.message == NEW:
            found = replace(item, message=message + 1)
        if isinstance(found, ToolCall):
            if not found.step:
                found = replace(found, step=step + 1)
            step = found.step
        message = found.message
        if found is not item and made is None:
            made = list(items[:k])
        if made is not None:
            made.append(found)
    return items if made is None else made
